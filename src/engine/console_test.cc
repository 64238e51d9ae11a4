// Expressions that are typed in the console.
#include "cty/ops.h"
#include "engine/evaluation.h"
#include "engine/testing/engine_fixture.h"
#include "hcl/parse.h"
#include "lang/eval.h"

namespace kinu::engine {
namespace {

using testing::EngineTest;
using testing::Strings;

class ConsoleTest : public EngineTest {
 protected:
  void ConfigureWith(const std::string& text) {
    Configure(R"(
      terraform {
        required_providers { test = { source = "hashicorp/test" } }
      }
      )" + text);
  }
  /// The value of an expression as JSON, or the summaries of its problems.
  std::string Evaluate(const std::string& text) {
    const Request input = MakeInput();
    EvaluationSession session(input);
    Diagnostics diags;
    hcl::SyntaxTree tree;
    EXPECT_TRUE(session.Open(diags)) << Text(diags);
    const SourceFile* source = tree.KeepSource(SourceFile::Make("console", text));
    const hcl::Expr* expr = hcl::ParseExpression(source, tree, diags);
    Value value;
    if (session.CheckReferences(*expr, diags)) {
      value = lang::Evaluate(*expr, session.scope(), diags);
    }
    if (diags.empty()) {
      return GoString(value);
    }
    std::string out;
    for (const Diagnostic& diagnostic : diags) {
      out += diagnostic.summary + ": " + diagnostic.detail + "\n";
    }
    return out;
  }
};

TEST_F(ConsoleTest, CallsFunctionsOfARequiredProviderThatNothingUses) {
  ConfigureWith("");
  EXPECT_EQ(Evaluate("provider::test::upper(\"a\")"), "cty.StringVal(\"A\")");
  EXPECT_EQ(script_->CountCalls("Configure"), 0u);
}

TEST_F(ConsoleTest, CallsFunctionsThatTheConfigurationCalls) {
  ConfigureWith(R"(
    locals { a = provider::test::upper("a") }
    resource "test_thing" "a" { name = local.a })");
  EXPECT_EQ(Evaluate("[local.a, provider::test::upper(\"b\")]"),
            "cty.TupleVal([]cty.Value{cty.StringVal(\"A\"), cty.StringVal(\"B\")})");
}

TEST_F(ConsoleTest, NamesWhatIsWrongWithACall) {
  ConfigureWith("");
  EXPECT_EQ(Evaluate("provider::test::lower(\"a\")").substr(0, 30),
            "Function not found in provider");
  EXPECT_EQ(Evaluate("provider::other::upper(\"a\")").substr(0, 25), "Unknown function provider");
}

TEST_F(ConsoleTest, KnowsTheOutputsOfTheRootModule) {
  ConfigureWith(R"(
    output "list" { value = ["a", "b"] }
    output "secret" {
      value     = "s"
      sensitive = true
    })");
  EXPECT_EQ(Evaluate("output.list[1]"), "cty.StringVal(\"b\")");
  EXPECT_EQ(Evaluate("issensitive(output.secret)"), "cty.True");
  EXPECT_EQ(Evaluate("output.lisp"),
            "Reference to undeclared output value: An output value with the name \"lisp\" has not "
            "been declared. Did you mean \"list\"?\n");
}

TEST_F(ConsoleTest, KnowsTheTypeOfAnObjectThatIsNotStored) {
  ConfigureWith(R"(
    resource "test_thing" "a" { name = "a" }
    resource "test_thing" "many" {
      count = 2
      name  = "a"
    })");
  EXPECT_EQ(Evaluate("test_thing.a.name"), "cty.UnknownVal(cty.String)");
  EXPECT_EQ(Evaluate("test_thing.a.nosuch").substr(0, 21), "Unsupported attribute");
  EXPECT_EQ(Evaluate("test_thing.many"), "cty.DynamicVal");
  EXPECT_EQ(Evaluate("test_thing.many[0].name"), "cty.DynamicVal");
}

TEST_F(ConsoleTest, RefusesAStoredObjectThatDoesNotFit) {
  ConfigureWith(R"(resource "test_thing" "a" { name = "a" })");
  Apply();
  state::Object& stored = *state_.resources[0]->instances[0].current;
  stored.owned_attributes = std::make_shared<const std::string>(R"({"gone": 1})");
  stored.attributes = *stored.owned_attributes;
  EXPECT_EQ(Evaluate("test_thing.a.name").substr(0, 39), "Invalid resource instance data in state");
}

}  // namespace
}  // namespace kinu::engine
