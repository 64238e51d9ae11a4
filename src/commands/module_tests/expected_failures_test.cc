#include "module_tests/expected_failures.h"

#include <gtest/gtest.h>

#include "hcl/parse.h"
#include "meta_arguments/conditions.h"

namespace kinu::module_tests {
namespace {

/// Expected failures of an empty module, and failures of conditions.
class ExpectedFailuresTest : public testing::Test {
 protected:
  /// What is left of a failed condition of `object` where a run expects `expected` to fail.
  std::vector<std::string> Left(std::string_view expected, std::string_view object) {
    Diagnostics diags;
    const SourceFile* source =
        module_.tree->KeepSource(SourceFile::Make("t", std::string(expected)));
    const hcl::Expr* expr = hcl::ParseExpression(source, *module_.tree, diags);
    config::TestRun run;
    run.expect_failures.push_back(static_cast<const hcl::TraversalExpr*>(expr));

    auto origin = std::make_shared<meta_arguments::ConditionOrigin>();
    EXPECT_TRUE(program_.ParseResourceInstance(object, &origin->object.object));
    diags.Error("Resource precondition failed", "").origin = std::move(origin);
    std::vector<std::string> out;
    for (const Diagnostic& left :
         ExpectedFailures(program_, module_, run).Apply(std::move(diags))) {
      out.push_back(left.summary);
    }
    return out;
  }

  Program program_;
  config::Module module_;
};

TEST_F(ExpectedFailuresTest, AreOfResourcesOfEveryMode) {
  const std::vector<std::string> none;
  EXPECT_EQ(Left("test_thing.a", "test_thing.a"), none);
  EXPECT_EQ(Left("resource.test_thing.a", "test_thing.a"), none);
  EXPECT_EQ(Left("data.test_thing.a", "data.test_thing.a"), none);
  EXPECT_EQ(Left("ephemeral.test_thing.a", "ephemeral.test_thing.a[0]"), none);
  const std::vector<std::string> both = {"Resource precondition failed",
                                         "Missing expected failure"};
  EXPECT_EQ(Left("ephemeral.test_thing.a", "test_thing.a"), both);
}

TEST_F(ExpectedFailuresTest, AreOfInstancesByTheirKeys) {
  const std::vector<std::string> none;
  EXPECT_EQ(Left("test_thing.a[1]", "test_thing.a[1]"), none);
  EXPECT_EQ(Left("test_thing.a", "test_thing.a[1]"), none);
  EXPECT_EQ(Left("test_thing.a.id", "test_thing.a"), none);
  EXPECT_EQ(Left("test_thing.a[1]", "test_thing.a[0]").size(), 2U);
  EXPECT_EQ(Left("test_thing.a.id", "test_thing.a[0]").size(), 2U);
}

}  // namespace
}  // namespace kinu::module_tests
