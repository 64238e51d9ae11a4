// Which providers are started and configured, and the errors if that fails.
#include <gtest/gtest.h>

#include "engine/testing/scenario_fixture.h"

namespace kinu::engine {
namespace {

using testing::ScenarioTest;

class ProviderUseTest : public ScenarioTest {};

TEST_F(ProviderUseTest, UnusedProviderIsNotConfigured) {
  Configure("provider \"test\" { region = var.nope }\nresource \"terraform_data\" \"a\" {}\n");
  (void)Plan();
  EXPECT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(script_->CountCalls("ValidateProviderConfig"), 0u);
  EXPECT_EQ(script_->CountCalls("Configure"), 0u);
}

TEST_F(ProviderUseTest, ProblemWithoutBlockNamesMissingBlock) {
  script_->configure_error = "no";
  Configure("resource \"test_thing\" \"a\" { name = \"a\" }\n");
  (void)Plan();
  ASSERT_EQ(diags_.error_count(), 2u) << Text(diags_);
  const Diagnostic& first = diags_.list()[0];
  EXPECT_EQ(first.summary, "no");
  ASSERT_TRUE(first.subject.valid());
  EXPECT_EQ(first.subject.file->name(),
            "provider[\"registry.opentofu.org/hashicorp/test\"] with no configuration");
  EXPECT_EQ(diags_.list()[1].summary, "Invalid provider configuration");
  EXPECT_FALSE(diags_.list()[1].subject.valid());
}

TEST_F(ProviderUseTest, RequiredArgumentsOfAbsentBlockAreMissing) {
  schema::ResourceSchema& config = script_->schema.provider;
  config.block.attributes.push_back(provider::testing::Required("token", Type::String()));
  config.block.Finish();
  Configure("resource \"test_thing\" \"a\" { name = \"a\" }\n");
  (void)Plan();
  ASSERT_EQ(diags_.error_count(), 1u) << Text(diags_);
  EXPECT_EQ(diags_.list()[0].summary, "Missing required argument");
  EXPECT_EQ(script_->CountCalls("Configure"), 0u);
}

TEST_F(ProviderUseTest, DestroyingNothingStartsNoProvider) {
  Configure(R"(
    resource "terraform_data" "a" {}
    resource "test_thing" "b" { name = "b" }
    ephemeral "test_secret" "s" {
      name = "s"
      lifecycle { enabled = terraform_data.a.id == "x" }
    })");
  mode_ = plan::Mode::kDestroy;
  plan::Plan plan = Plan();
  EXPECT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_TRUE(plan.changes.empty());
  EXPECT_EQ(script_->CountCalls("OpenEphemeral"), 0u);
}

TEST_F(ProviderUseTest, EachCallHasTheMetadataOfItsModule) {
  script_->schema.meta.emplace();
  schema::Block& block = script_->schema.meta->block;
  block.attributes.push_back(provider::testing::Required("module", Type::String()));
  block.Finish();
  Configure({{"main.tf", R"(
                terraform {
                  required_providers { test = { source = "hashicorp/test" } }
                  provider_meta "test" { module = "root" }
                }
                data "test_thing" "d" { name = "d" }
                resource "test_thing" "a" { name = "a" }
                module "m" { source = "./m" }
                module "plain" { source = "./plain" })"},
             {"m/main.tf", R"(
                terraform {
                  provider_meta "test" { module = "m" }
                }
                resource "test_thing" "b" { name = "b" })"},
             {"plain/main.tf", "resource \"test_thing\" \"c\" { name = \"c\" }"}});
  const auto check = [&] {
    ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
    for (const provider::testing::Call& call : script_->calls()) {
      if (call.method == "ReadResource" || call.method == "PlanResourceChange" ||
          call.method == "ApplyResourceChange" || call.method == "ReadDataSource") {
        const std::string wanted = call.name == "b" ? "m" : call.name == "c" ? "" : "root";
        const Value* found = call.meta.IsNull() ? nullptr : call.meta.Find("module");
        EXPECT_EQ(found == nullptr ? "" : found->AsString(), wanted) << call.method << call.name;
      }
    }
  };
  Apply();
  check();
  Apply();
  check();
  mode_ = plan::Mode::kDestroy;
  Apply();
  check();
  EXPECT_EQ(script_->CountCalls("ApplyResourceChange"), 3u);
}

TEST_F(ProviderUseTest, MetadataNeedsAProviderThatTakesIt) {
  Configure(
      "terraform {\n  provider_meta \"test\" { }\n}\n"
      "resource \"test_thing\" \"a\" { name = \"a\" }\n");
  (void)Plan();
  ASSERT_EQ(diags_.error_count(), 1u) << Text(diags_);
  EXPECT_EQ(diags_.list()[0].summary,
            "Provider registry.opentofu.org/hashicorp/test doesn't support provider_meta");
  EXPECT_EQ(diags_.list()[0].subject.start_position().line, 2);
}

constexpr const char* kKeyedProvider = R"(
    provider "test" {
      alias    = "by"
      for_each = toset(["x", "y"])
    }
    provider "test" {
      alias = "other"
    }
)";

constexpr const char* kRequirement = R"(
    terraform {
      required_providers { test = { source = "hashicorp/test" } }
    }
)";

class ProviderKeyTest : public ScenarioTest {
 protected:
  /// Configures the keyed provider and what is given.
  void ConfigureWith(const std::string& text, const std::string& module = "") {
    Configure({{"main.tf", std::string(kRequirement) + kKeyedProvider + text},
               {"m/main.tf", kRequirement + module}});
  }
  void ApplyWith(const std::string& text, const std::string& module = "") {
    ConfigureWith(text, module);
    Apply();
  }
  /// The keys of the provider that the state has, in the order of its objects.
  std::vector<std::string> StoredKeys() const {
    std::vector<std::string> out;
    for (const auto& resource : state_.resources) {
      for (const state::Instance& instance : resource->instances) {
        out.push_back(program_->ToText(instance.provider_key));
      }
    }
    return out;
  }
};

TEST_F(ProviderKeyTest, GoneInstancesAreDestroyedByTheKeyOfTheirObjects) {
  const std::string block = "resource \"test_thing\" \"a\" {\n  provider = test.by[each.key]\n";
  ApplyWith(block + "  for_each = toset([\"x\", \"y\"])\n  name = each.key\n}\n");
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(StoredKeys(), (std::vector<std::string>{"[\"x\"]", "[\"y\"]"}));
  ApplyWith(block + "  for_each = toset([])\n  name = each.key\n}\n");
  EXPECT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_TRUE(StoredKeys().empty());
}

TEST_F(ProviderKeyTest, GoneInstancesOfABlockWithoutKeyHaveNone) {
  ApplyWith(
      "resource \"test_thing\" \"a\" {\n  provider = test.by[\"x\"]\n  count = 2\n"
      "  name = \"n${count.index}\"\n}\n");
  ApplyWith(
      "resource \"test_thing\" \"a\" {\n  provider = test.other\n  count = 1\n"
      "  name = \"n${count.index}\"\n}\n");
  EXPECT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(StoredKeys(), std::vector<std::string>{""});
}

TEST_F(ProviderKeyTest, KeysWaitForWhatTheyName) {
  ApplyWith(
      "locals {\n  k = \"y\"\n}\n"
      "resource \"test_thing\" \"a\" {\n  name = \"a\"\n  provider = test.by[local.k]\n}\n"
      "module \"m\" {\n  source = \"./m\"\n  providers = { test = test.by[local.k] }\n}\n",
      "resource \"test_thing\" \"b\" {\n  name = \"b\"\n}\n");
  EXPECT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(StoredKeys(), (std::vector<std::string>{"[\"y\"]", "[\"y\"]"}));
}

TEST_F(ProviderKeyTest, KeysOfAnotherProviderCannotServe) {
  const std::string inner = "resource \"test_thing\" \"a\" {\n  name = \"n\"\n}\n";
  ApplyWith(
      "module \"m\" {\n  source = \"./m\"\n  for_each = toset([\"x\", \"y\"])\n"
      "  providers = { test = test.other }\n}\n",
      inner);
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  ConfigureWith(
      "module \"m\" {\n  source = \"./m\"\n  for_each = toset([\"x\"])\n"
      "  providers = { test = test.by[each.key] }\n}\n",
      inner);
  (void)Plan();
  ASSERT_EQ(diags_.error_count(), 1u) << Text(diags_);
  EXPECT_EQ(diags_.list()[0].summary, "Unable to use fallback provider from state");
}

}  // namespace
}  // namespace kinu::engine
