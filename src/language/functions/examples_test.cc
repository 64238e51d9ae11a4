// Evaluates the examples of the function table and compares them with their results.
#include <gtest/gtest.h>

#include "functions/testing/evaluation.h"

namespace kinu::functions {
namespace {

Value ResultOf(std::string_view text) {
  testing::Evaluation evaluation(text);
  Value value = evaluation.Run();
  for (const Diagnostic& diagnostic : evaluation.diags()) {
    ADD_FAILURE() << text << ": " << diagnostic.summary << ": " << diagnostic.detail;
  }
  return value;
}

TEST(Examples, EqualTheirResults) {
  size_t count = 0;
  for (const FunctionSpec* spec : Table::Standard().specs()) {
    for (const Example& example : spec->examples) {
      ++count;
      const Value got = ResultOf(example.call);
      const Value want = ResultOf(example.result);
      EXPECT_TRUE(Value::RawEquals(got, want) || (got.IsNull() && want.IsNull()) ||
                  (got.type() != want.type() && got.size() == 0 && want.size() == 0))
          << example.call << " is not " << example.result;
      // Removed functions name their replacement.
      const bool gone = spec->name == "list" || spec->name == "map";
      EXPECT_TRUE(gone || testing::Evaluation(example.call).FindCall(spec->name) != nullptr)
          << example.call << " does not call " << spec->name;
    }
  }
  EXPECT_GT(count, 240u);
}

}  // namespace
}  // namespace kinu::functions
