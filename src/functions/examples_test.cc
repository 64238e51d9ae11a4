// Evaluates the examples of the function table and compares them with their results.
#include <string>

#include <gtest/gtest.h>

#include "functions/function.h"
#include "hcl/parse.h"
#include "lang/eval.h"
#include "lang/scope.h"
#include "lang/template.h"

namespace kinu::functions {
namespace {

class Evaluation {
 public:
  explicit Evaluation(std::string_view text)
      : source_(SourceFile::Make("example", std::string(text))) {}

  Value Run() {
    CallContext context;
    context.timestamp = "2024-01-02T03:04:05Z";
    context = lang::WithTemplates(context, Table::Standard());
    const FlatMap<std::string, Value> variables;
    const lang::VariableScope scope(&variables, &Table::Standard(), context);
    Diagnostics diags;
    const hcl::Expr* expr = hcl::ParseExpression(source_.get(), tree_, diags);
    Value value = lang::Evaluate(*expr, scope, diags);
    for (const Diagnostic& diagnostic : diags) {
      ADD_FAILURE() << source_->text() << ": " << diagnostic.summary << ": " << diagnostic.detail;
    }
    return value;
  }

 private:
  Ref<const SourceFile> source_;
  hcl::SyntaxTree tree_;
};

TEST(Examples, GiveTheirResults) {
  size_t count = 0;
  for (const FunctionSpec* spec : Table::Standard().specs()) {
    for (const Example& example : spec->examples) {
      ++count;
      const Value got = Evaluation(example.call).Run();
      const Value want = Evaluation(example.result).Run();
      EXPECT_TRUE(Value::RawEquals(got, want) || (got.IsNull() && want.IsNull()) ||
                  (got.type() != want.type() && got.size() == 0 && want.size() == 0))
          << example.call << " is not " << example.result;
    }
  }
  EXPECT_GT(count, 240u);
}

}  // namespace
}  // namespace kinu::functions
