#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <kinu/module.h>

namespace kinu::v1 {
namespace {

/// A directory that is removed with the test.
class ModuleTest : public testing::Test {
 protected:
  ModuleTest() {
    directory_ = testing::TempDir() + "kinu_module_" +
                 testing::UnitTest::GetInstance()->current_test_info()->name();
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_);
  }
  ~ModuleTest() override { std::filesystem::remove_all(directory_); }

  void Write(const std::string& name, std::string_view text) const {
    std::ofstream(directory_ + "/" + name) << text;
  }
  std::optional<Module> Load() {
    problems_.clear();
    return Module::Load(directory_, problems_);
  }
  /// The summaries and details of all problems.
  std::string Problems() const {
    std::string out;
    for (const Diagnostic& problem : problems_) {
      out += problem.summary + ": " + problem.detail + "\n";
    }
    return out;
  }

  std::string directory_;
  Diagnostics problems_;
};

constexpr std::string_view kVariables = R"(
variable "size" {
  type        = number
  default     = "2"
  description = "how many"
  validation {
    condition     = var.size > 0 && var.size < local.most
    error_message = "The size is ${var.size}, not between 1 and ${local.most}."
  }
}
variable "network" {
  type = object({ cidr = string, zones = optional(list(string), ["a"]) })
}
variable "token" {
  type      = string
  default   = "t"
  sensitive = true
  nullable  = false
}
locals {
  most  = 10
  names = [for i in range(var.size) : "n${i}"]
  live  = terraform_data.x.output
}
)";

constexpr std::string_view kMain = R"(
terraform {
  required_providers {
    aws = {
      source                = "hashicorp/aws"
      version               = "~> 5.0"
      configuration_aliases = [aws.west]
    }
  }
}
module "child" {
  source   = "./child"
  for_each = toset(local.names)
  name     = each.key
}
resource "terraform_data" "x" {
  input      = var.token
  depends_on = [module.child]
}
data "aws_ami" "image" {
  provider = aws.west
}
output "first" {
  value       = local.names[0]
  description = "the first name"
}
)";

TEST_F(ModuleTest, HasWhatItsFilesDeclare) {
  Write("variables.tf", kVariables);
  Write("main.tf", kMain);
  Write("main_override.tf", "output \"first\" {\n  value = \"overridden\"\n}\n");
  const auto module = Load();
  ASSERT_TRUE(module) << Problems();
  EXPECT_EQ(module->files(),
            (std::vector<std::string>{"main.tf", "variables.tf", "main_override.tf"}));
  EXPECT_EQ(module->overrides(), std::vector<std::string>{"main_override.tf"});

  ASSERT_EQ(module->variables().size(), 3u);
  const Module::Variable& network = module->variables()[0];
  EXPECT_EQ(network.name, "network");
  EXPECT_EQ(network.type, "object({cidr=string,zones=optional(list(string),[\"a\"])})");
  EXPECT_FALSE(network.default_value);
  const Module::Variable& size = module->variables()[1];
  EXPECT_EQ(size.default_value->AsInt(), 2);
  EXPECT_EQ(size.description, "how many");
  EXPECT_EQ(size.range.start.line, 2u);
  ASSERT_EQ(size.validations.size(), 1u);
  EXPECT_EQ(size.validations[0].condition->References(),
            (std::vector<std::string>{"var.size", "var.size", "local.most"}));
  EXPECT_TRUE(module->variables()[2].sensitive);
  EXPECT_FALSE(module->variables()[2].nullable);

  ASSERT_EQ(module->locals().size(), 3u);
  EXPECT_EQ(module->locals()[1].value.text(), "10");
  ASSERT_EQ(module->outputs().size(), 1u);
  EXPECT_EQ(module->outputs()[0].value->text(), "\"overridden\"");
  EXPECT_EQ(module->outputs()[0].description, "the first name");
  ASSERT_EQ(module->calls().size(), 1u);
  EXPECT_EQ(module->calls()[0].source, "./child");
  EXPECT_EQ(module->calls()[0].inputs[0].expression.text(), "each.key");
  ASSERT_EQ(module->required_providers().size(), 1u);
  EXPECT_EQ(module->required_providers()[0].source, "registry.opentofu.org/hashicorp/aws");
  EXPECT_EQ(module->required_providers()[0].version, "~> 5.0");
  EXPECT_EQ(module->required_providers()[0].aliases, std::vector<std::string>{"aws.west"});

  ASSERT_EQ(module->resources().size(), 2u);
  for (const Module::Resource& resource : module->resources()) {
    if (resource.mode == "data") {
      EXPECT_EQ(resource.address, "data.aws_ami.image");
      EXPECT_EQ(resource.provider_config, "aws.west");
      continue;
    }
    EXPECT_EQ(resource.depends_on, std::vector<std::string>{"module.child"});
    const BodyContent content =
        resource.body.Read({.attributes = {{"input"}}, .blocks = {}, .partial = true}, problems_);
    EXPECT_EQ(content.attributes[0].expression.text(), "var.token");
  }
}

TEST_F(ModuleTest, ConvertsAndChecksValues) {
  Write("variables.tf", kVariables);
  const auto module = Load();
  ASSERT_TRUE(module) << Problems();
  const auto values = [&](std::string_view json) {
    problems_.clear();
    return module->VariableValues(*Value::FromJson(json, problems_), problems_);
  };
  const auto all = values(R"({"network":{"cidr":"10.0.0.0/8"},"size":"3"})");
  ASSERT_TRUE(all) << Problems();
  EXPECT_EQ(all->ToJson(),
            R"({"network":{"cidr":"10.0.0.0/8","zones":["a"]},"size":3,"token":"t"})");
  EXPECT_TRUE(all->Find("token")->is_sensitive());

  EXPECT_FALSE(values(R"({"network":{"cidr":"c"},"size":12})"));
  EXPECT_NE(Problems().find("The size is 12, not between 1 and 10."), std::string::npos)
      << Problems();
  EXPECT_EQ(problems_[0].subject->start.line, 2u);
  EXPECT_FALSE(values("{}"));
  EXPECT_EQ(problems_[0].summary, "No value for required variable");
  EXPECT_FALSE(values(R"({"network":{"cidr":"c"},"sise":1})"));
  EXPECT_EQ(problems_[0].summary, "Value for undeclared variable");
  EXPECT_FALSE(values(R"({"network":7})"));
  EXPECT_EQ(problems_[0].summary, "Invalid value for input variable");
}

TEST_F(ModuleTest, EvaluatesWhatNeedsNoResource) {
  Write("variables.tf", kVariables);
  Write("main.tf", "resource \"terraform_data\" \"x\" {}\n");
  const auto module = Load();
  ASSERT_TRUE(module) << Problems();
  const Value given = Value::Object({{"size", Value::Int(2)}});
  const auto names = module->Evaluate(module->locals()[2].value, given, problems_);
  ASSERT_TRUE(names) << Problems();
  EXPECT_EQ(names->ToJson(), R"(["n0","n1"])");
  EXPECT_FALSE(module->Evaluate(module->locals()[0].value, given, problems_));
  EXPECT_EQ(problems_[0].summary, "Value not available") << Problems();
}

TEST_F(ModuleTest, SkipsRulesAboutResources) {
  Write("main.tf", R"(
variable "v" {
  default = 1
  validation {
    condition     = var.v != terraform_data.x.output
    error_message = "equal"
  }
}
resource "terraform_data" "x" {}
)");
  const auto module = Load();
  ASSERT_TRUE(module) << Problems();
  EXPECT_TRUE(module->VariableValues(Value::Object({}), problems_)) << Problems();
}

TEST_F(ModuleTest, ReadsJsonAndOutlivesItself) {
  Write("main.tf.json", R"({"output": {"o": {"value": "${1 + 1}"}}, "locals": {"l": [1]}})");
  auto module = Load();
  ASSERT_TRUE(module) << Problems();
  const std::optional<Expression> value = module->outputs()[0].value;
  EXPECT_EQ(module->Evaluate(*value, Value::Object({}), problems_)->AsInt(), 2);
  module.reset();
  Scope scope;
  scope.UseStandardFunctions();
  EXPECT_EQ(value->Evaluate(scope, problems_).AsInt(), 2);
}

TEST_F(ModuleTest, ReportsWhatIsWrong) {
  EXPECT_FALSE(Module::Load(directory_ + "/nothing", problems_));
  EXPECT_TRUE(HasErrors(problems_));
  Write("main.tf", "variable \"v\" {\n  typo = 1\n}\nlocals {\n");
  EXPECT_FALSE(Load());
  EXPECT_TRUE(HasErrors(problems_));
  EXPECT_EQ(problems_[0].subject->file, directory_ + "/main.tf");
}

}  // namespace
}  // namespace kinu::v1
