// Functions of providers in expressions.
#include "engine/provider_functions.h"

#include "engine/picture.h"
#include "engine/testing/engine_fixture.h"

namespace kinu::engine {
namespace {

using testing::EngineTest;
using testing::Strings;

TEST(ProviderFunctionName, HasTwoOrThreeParts) {
  auto plain = ParseProviderFunction("provider::aws::arn_parse");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->provider, "aws");
  EXPECT_EQ(plain->alias, "");
  EXPECT_EQ(plain->function, "arn_parse");
  auto aliased = ParseProviderFunction("provider::aws::west::f");
  ASSERT_TRUE(aliased);
  EXPECT_EQ(aliased->alias, "west");
  EXPECT_EQ(aliased->function, "f");
  for (const char* name : {"max", "core::max", "provider::x", "provider::a::b::c::d"}) {
    EXPECT_FALSE(ParseProviderFunction(name)) << name;
  }
}

class ProviderFunctionsTest : public EngineTest {
 protected:
  void ConfigureWith(const std::string& text) {
    Configure(R"(
      terraform {
        required_providers { test = { source = "hashicorp/test" } }
      }
      )" + text);
  }
  Strings Summaries() {
    Strings out;
    for (const Diagnostic& diagnostic : diags_) {
      out.push_back(diagnostic.summary);
    }
    return out;
  }
};

TEST_F(ProviderFunctionsTest, AreCalledAfterConfiguration) {
  ConfigureWith(R"(
    resource "test_thing" "a" { name = provider::test::upper("a") }
    resource "test_thing" "b" { name = provider::test::upper(test_thing.a.id) })");
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(Applied(), (Strings{"create A", "create ID-A"}));
}

TEST_F(ProviderFunctionsTest, ProviderUsedOnlyForFunctionsIsNotConfigured) {
  script_->configure_error = "not today";
  ConfigureWith(R"(output "x" { value = provider::test::upper("a") })");
  plan::Plan plan = Plan();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(plan.outputs.at(0).after.AsString(), "A");
  EXPECT_EQ(script_->CountCalls("Configure"), 0u);
}

TEST_F(ProviderFunctionsTest, ConfiguredProviderMayAddFunctions) {
  schema::FunctionSignature& late = script_->configured_functions["late"];
  late.name = "late";
  late.parameters.emplace_back();
  late.parameters[0].name = "text";
  late.parameters[0].type = Type::String();
  late.return_type = Type::String();
  script_->functions["late"] = script_->functions["upper"];
  ConfigureWith(R"(
    resource "test_thing" "a" { name = provider::test::late("a") }
    output "x" { value = provider::test::late(test_thing.a.id) })");
  // Validation does not know them and accepts every call.
  Validate(MakeInput(), diags_);
  EXPECT_TRUE(diags_.empty()) << Text(diags_);
  Apply();
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  EXPECT_EQ(Applied(), Strings{"create A"});
  EXPECT_EQ(state_.outputs.at(0).value.AsString(), "ID-A");
  state_ = state::State();
  ConfigureWith(R"(output "x" { value = provider::test::late("a") })");
  (void)Plan();  // only its functions are used: it is not configured
  EXPECT_EQ(Summaries(), (Strings{"Function not found in provider"}));
}

TEST_F(ProviderFunctionsTest, AnInstanceIsCalledByTheKeyThatItsModuleGets) {
  const auto plan_with = [&](const std::string& root) {
    const std::string required =
        "terraform {\n  required_providers {\n    test = { source = \"hashicorp/test\" }\n  }\n}\n";
    diags_ = {};
    Configure(
        {{"main.tf", required + R"(
                  provider "test" {
                    alias    = "by"
                    for_each = toset(["x", "y"])
                  }
                  )" + root},
         {"m/main.tf", required + "output \"f\" {\n  value = provider::test::upper(\"a\")\n}\n"}});
    (void)Plan();
    return Summaries();
  };
  const auto call = [](const std::string& key) {
    return "module \"m\" {\n  source = \"./m\"\n  providers = { test = test.by[" + key + "] }\n}\n";
  };
  EXPECT_EQ(plan_with(call("\"x\"")), Strings());
  EXPECT_EQ(plan_with(call("\"z\"")), Strings{"Uninitialized function provider"});
  EXPECT_EQ(plan_with(call("null")), Strings{"Invalid provider instance key"});
  EXPECT_EQ(plan_with("output \"f\" {\n  value = provider::test::by::upper(\"a\")\n}\n"),
            Strings{"Uninitialized function provider"});
}

TEST_F(ProviderFunctionsTest, ArgumentsAreConvertedAndChecked) {
  struct Row {
    std::string call;
    std::string summary;
  };
  const Row rows[] = {
      {"provider::test::upper()", "Not enough function arguments"},
      {"provider::test::upper(null)", "Invalid function argument"},
      {"provider::test::upper([])", "Invalid function argument"},
      {"provider::test::lower(\"a\")", "Function not found in provider"},
      {"provider::other::upper(\"a\")", "Unknown function provider"},
  };
  for (const Row& row : rows) {
    ConfigureWith("output \"x\" { value = " + row.call + " }");
    (void)Plan();
    EXPECT_EQ(Summaries(), (Strings{row.summary})) << row.call << "\n" << Text(diags_);
  }
}

TEST_F(ProviderFunctionsTest, MarksAreKept) {
  ConfigureWith(R"(
    output "x" {
      value     = provider::test::upper(sensitive("a"))
    })");
  (void)Plan();
  EXPECT_EQ(Summaries(), (Strings{"Output refers to sensitive values"}));
}

TEST_F(ProviderFunctionsTest, ConfigurationOfAProviderCannotCallIt) {
  ConfigureWith(R"(
    provider "test" { region = provider::test::upper("a") }
    provider "test" {
      alias  = "other"
      region = provider::test::upper("a")
    }
    resource "test_thing" "a" { name = "a" })");
  (void)Plan();
  EXPECT_EQ(Summaries(),
            (Strings{"Self reference: provider[\"registry.opentofu.org/hashicorp/test\"]"}))
      << Text(diags_);
}

TEST_F(ProviderFunctionsTest, ProviderIsClosedAfterItsCallers) {
  ConfigureWith(R"(
    variable "v" {
      default = "a"
      validation {
        condition     = provider::test::upper(var.v) != ""
        error_message = "No."
      }
    }
    locals { l = provider::test::upper("a") }
    check "c" {
      assert {
        condition     = provider::test::upper(local.l) == "A"
        error_message = "No."
      }
    })");
  const Request input = MakeInput();
  const Picture picture = DrawPlan(input, plan::Mode::kNormal, diags_);
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  Strings after;
  for (const Picture::Vertex& from : picture.vertices()) {
    for (const Picture::Id to : from.edges) {
      if (from.name.ends_with("(close)")) {
        after.push_back(picture.vertices()[to].name);
      }
    }
  }
  std::ranges::sort(after);
  EXPECT_EQ(after, (Strings{"check.c (expand)", "local.l (expand)",
                            "provider[\"registry.opentofu.org/hashicorp/test\"]",
                            "var.v (expand, reference)"}));
}

TEST_F(ProviderFunctionsTest, ForEachOfAProviderHasNoEdge) {
  ConfigureWith(R"(
    locals { keys = toset(["x"]) }
    provider "test" {
      alias    = "by"
      for_each = local.keys
    }
    resource "test_thing" "a" {
      name     = "a"
      provider = test.by["x"]
    })");
  const Picture picture = DrawPlan(MakeInput(), plan::Mode::kNormal, diags_);
  ASSERT_FALSE(diags_.has_errors()) << Text(diags_);
  for (const Picture::Vertex& from : picture.vertices()) {
    for (const Picture::Id to : from.edges) {
      EXPECT_FALSE(from.name.starts_with("provider") &&
                   picture.vertices()[to].name.starts_with("local"));
    }
  }
}

}  // namespace
}  // namespace kinu::engine
