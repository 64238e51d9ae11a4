// Values of root variables and where they come from.
#include <gtest/gtest.h>

#include "config/testing/workspace.h"

namespace kinu::config {
namespace {

TEST(Variables, LaterSourcesWin) {
  Workspace workspace(
      Files{{"main.tf", R"(
variable "a" {}
variable "b" { type = list(number) }
variable "c" { default = 1 }
variable "d" { type = number }
variable "e" { type = object({ x = optional(string, "dx"), y = number }) }
)"},
            {"terraform.tfvars", "a = \"file\"\nd = 1\ne = { y = \"2\" }\nzz = 1\n"},
            {"z.auto.tfvars.json", R"({"d": "${not.a.template}"})"},
            {"extra", "{\"d\": 7}"}});
  Loaded loaded = Load();
  Diagnostics diags;
  const VariableArgument arguments[] = {{false, "b=[1, \"2\"]"}, {true, "extra"}};
  const std::string environment[] = {"TF_VAR_a=env", "TF_VAR_b=no", "TF_VAR_unknown=1", "PATH=x"};
  RawInputs inputs = GatherInputs(arguments, ".", environment, DiskFiles(), diags);
  const auto values = CollectVariables(*loaded.program, loaded.root(), inputs, diags);
  EXPECT_EQ(Lines(diags), std::vector<std::string>{"warning|Value for undeclared variable|"});
  EXPECT_EQ(values.at("a").source, InputSource::kAutoFile);
  EXPECT_FALSE(values.at("c").value.has_value());
  const auto prepare = [&](const std::string& name) {
    const Module& root = loaded.root();
    const int index = root.FindVariable(loaded.program->Find(name));
    return PrepareVariable(*loaded.program, root.variables[static_cast<size_t>(index)],
                           &values.at(name), "var." + name, diags);
  };
  EXPECT_EQ(prepare("a").AsString(), "file");
  EXPECT_EQ(prepare("b").elements()[1].AsInt64(), 2);
  EXPECT_EQ(prepare("c").AsInt64(), 1);
  EXPECT_EQ(prepare("d").AsInt64(), 7);
  EXPECT_EQ(prepare("e").Attribute("x").AsString(), "dx");
  EXPECT_EQ(prepare("e").Attribute("y").AsInt64(), 2);
}

TEST(Variables, ProblemsAreReported) {
  Workspace workspace(Files{{"main.tf", R"(
variable "a" { type = number }
variable "b" {
  type     = string
  nullable = false
}
variable "c" {}
variable "d" { type = list(string) }
)"},
                            {"decl.tfvars", "variable \"x\" {}\n"}});
  Loaded loaded = Load();
  Diagnostics diags;
  const VariableArgument arguments[] = {{false, "a=x"},  {false, "noequals"}, {false, "b =1"},
                                        {false, "zz=1"}, {true, "missing"},   {true, "decl.tfvars"},
                                        {false, "d=[1"}};
  RawInputs inputs = GatherInputs(arguments, ".", {}, DiskFiles(), diags);
  const auto values = CollectVariables(*loaded.program, loaded.root(), inputs, diags);
  PrepareVariable(*loaded.program, loaded.root().variables[0], &values.at("a"), "var.a", diags);
  InputValue null{Value::Null(Type::Dynamic()), InputSource::kCommandLine, {}};
  PrepareVariable(*loaded.program, loaded.root().variables[1], &null, "var.b", diags);
  EXPECT_EQ(Lines(diags),
            (std::vector<std::string>{
                "error|Failed to read variables file|", "error|Invalid -var option|",
                "error|Invalid -var option|", "error|Invalid value for input variable|main.tf:2",
                "error|No value for required variable|main.tf:3",
                "error|No value for required variable|main.tf:7",
                "error|No value for required variable|main.tf:8",
                "error|Required variable not set|main.tf:3",
                "error|Unterminated tuple constructor expression|<value for var.d>:1",
                "error|Value for undeclared variable|",
                "error|Variable declaration in .tfvars file|decl.tfvars:1"}));
}

}  // namespace
}  // namespace kinu::config
