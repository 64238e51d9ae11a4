#include "meta_arguments/conditions.h"

#include <gtest/gtest.h>

#include "hcl/parse.h"
#include "lang/user_function.h"

namespace kinu::meta_arguments {
namespace {

class Conditions : public ::testing::Test {
 protected:
  Conditions() {
    scope_.SetVariable("yes", Value::True());
    scope_.SetVariable("none", Value::Null(Type::Bool()));
    scope_.SetVariable("later", Value::Unknown(Type::Bool()));
    scope_.SetVariable("secret", Value::String("s3cret").WithMarks(MarkSet::Sensitive()));
  }

  const hcl::Expr* Parse(std::string_view text) {
    return hcl::ParseExpression(tree_.KeepSource(SourceFile::Make("t", std::string(text))), tree_,
                                diags_);
  }
  ConditionResult Evaluate(std::string_view condition, std::string_view message,
                           ConditionKind kind = ConditionKind::kPrecondition,
                           Severity severity = Severity::kError) {
    const config::Condition rule{.condition = Parse(condition), .error_message = Parse(message)};
    return EvaluateCondition(rule, kind, {}, scope_, severity, diags_);
  }
  std::vector<std::string> Summaries() {
    std::vector<std::string> out;
    for (const Diagnostic& problem : diags_) {
      out.push_back((problem.is_error() ? "error: " : "warning: ") + problem.summary);
    }
    return out;
  }

  hcl::SyntaxTree tree_;
  lang::ToolScope scope_;
  Diagnostics diags_;
};

using Texts = std::vector<std::string>;

TEST_F(Conditions, PassWithoutAWord) {
  EXPECT_EQ(Evaluate("yes", "\"not said\"").status, CheckStatus::kPass);
  EXPECT_EQ(Evaluate("\"true\"", "\"texts are converted\"").status, CheckStatus::kPass);
  EXPECT_EQ(Summaries(), Texts{});
}

TEST_F(Conditions, FailWithTheirMessage) {
  const ConditionResult result = Evaluate("!yes", "\"  It is ${yes}.\\n\"");
  EXPECT_EQ(result.status, CheckStatus::kFail);
  EXPECT_EQ(result.failure_message, "It is true.");
  EXPECT_EQ(Summaries(), Texts{"error: Resource precondition failed"});
  EXPECT_EQ(diags_.list().front().detail, "It is true.");
}

TEST_F(Conditions, AssertionsFailWithAWarningThatIsNeverMerged) {
  Evaluate("!yes", "\"no\"", ConditionKind::kAssertion, Severity::kWarning);
  EXPECT_EQ(Summaries(), Texts{"warning: Check block assertion failed"});
  EXPECT_EQ(diags_.list().front().tag, DiagnosticTag::kConsolidateNever);
  ASSERT_NE(OriginOf(diags_.list().front()), nullptr);
  EXPECT_EQ(OriginOf(diags_.list().front())->object.kind, CheckableKind::kCheck);
}

TEST_F(Conditions, UnknownOnesAreSaidOfAssertionsAlone) {
  EXPECT_EQ(Evaluate("later", "\"no\"").status, CheckStatus::kUnknown);
  EXPECT_EQ(Summaries(), Texts{});
  EXPECT_EQ(Evaluate("later", "\"no\"", ConditionKind::kAssertion).status, CheckStatus::kUnknown);
  EXPECT_EQ(Summaries(), Texts{"warning: Check block assertion known after apply"});
}

TEST_F(Conditions, NullAndOtherTypesAreInvalid) {
  EXPECT_EQ(Evaluate("none", "\"no\"").status, CheckStatus::kError);
  EXPECT_EQ(Evaluate("[yes]", "\"no\"").status, CheckStatus::kError);
  EXPECT_EQ(Summaries(),
            (Texts{"error: Invalid condition result", "error: Invalid condition result"}));
}

TEST_F(Conditions, SecretMessagesAreNotShown) {
  const ConditionResult result = Evaluate("!yes", "\"It is ${secret}.\"");
  EXPECT_EQ(result.status, CheckStatus::kFail);
  EXPECT_EQ(result.failure_message, "");
  EXPECT_EQ(Summaries(), (Texts{"warning: Error message refers to sensitive values",
                                "error: Resource precondition failed"}));
  for (const Diagnostic& problem : diags_) {
    EXPECT_EQ(problem.detail.find("s3cret"), std::string::npos);
  }
}

TEST_F(Conditions, MessagesThatCannotBeEvaluatedAreErrors) {
  EXPECT_EQ(Evaluate("!yes", "gone").status, CheckStatus::kError);
  EXPECT_EQ(Evaluate("!yes", "null").status, CheckStatus::kError);
  EXPECT_EQ(Evaluate("!yes", "[\"no text\"]").status, CheckStatus::kError);
  EXPECT_EQ(diags_.error_count(), 3u);
}

TEST_F(Conditions, ErrorsOfChecksBecomeWarningsThatAreCountedAsSuch) {
  Diagnostics found;
  found.Error("Failed to read", "");
  Diagnostics diags;
  AppendAsCheckWarnings(std::move(found), {}, diags);
  EXPECT_FALSE(diags.has_errors());
  ASSERT_EQ(diags.size(), 1u);
  const ConditionOrigin* origin = OriginOf(diags.list().front());
  ASSERT_NE(origin, nullptr);
  EXPECT_TRUE(origin->data_source);
  EXPECT_EQ(origin->severity, Severity::kError);
  EXPECT_EQ(diags.list().front().tag, DiagnosticTag::kConsolidateNever);

  diags.Warning("Of something else", "");
  DropCheckResults(diags);
  ASSERT_EQ(diags.size(), 1u);
  EXPECT_EQ(diags.list().front().summary, "Of something else");
}

}  // namespace
}  // namespace kinu::meta_arguments
