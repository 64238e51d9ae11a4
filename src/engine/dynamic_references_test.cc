// What validation says of references in and beside `dynamic` blocks.
#include <algorithm>

#include "engine/testing/engine_fixture.h"

namespace kinu::engine {
namespace {

using provider::testing::Optional;
using provider::testing::Required;
using testing::EngineTest;
using testing::Strings;

class DynamicReferencesTest : public EngineTest {
 protected:
  DynamicReferencesTest() {
    schema::ResourceSchema entry = provider::testing::Resource(Attributes("name"));
    schema::NestedBlock label;
    label.name = "label";
    label.block.attributes = Attributes("text");
    entry.block.blocks.push_back(std::move(label));
    script_->schema.resources["test_entry"] = std::move(entry);
    script_->schema.Finish();
  }

  /// The lines of the errors in a block with these arguments, with their summaries.
  Strings Errors(const std::string& arguments) {
    Configure("resource \"test_entry\" \"a\" {\n" + arguments + "\n}\nvariable \"v\" {}");
    Diagnostics diags;
    Validate(MakeInput(), diags);
    Strings out;
    for (const Diagnostic& problem : diags.list()) {
      out.push_back(std::to_string(problem.subject.start_position().line) + " " + problem.summary);
    }
    return out;
  }

 private:
  static std::vector<schema::Attribute> Attributes(const std::string& required) {
    std::vector<schema::Attribute> out;
    out.push_back(Required(required, Type::String()));
    out.push_back(Optional("size", Type::Number()));
    return out;
  }
};

TEST_F(DynamicReferencesTest, WrongReferencesLeaveNoNameToRepeatOver) {
  EXPECT_EQ(
      Errors(R"(  name = 1
  size = "x"
  dynamic "label" {
    for_each = [var.v, test_entry.nope.name]
    content {
      text = var.missing
    }
  }
  dynamic "label" {
    for_each = var.v
    content {}
  })"),
      (Strings{"5 Reference to undeclared resource", "5 Unknown variable", "5 Unknown variable",
               "11 Unknown variable", "3 Incorrect attribute value type"}));
}

TEST_F(DynamicReferencesTest, UndeclaredValuesStandForAnyNumberOfBlocks) {
  EXPECT_EQ(Errors(R"(  name = "a"
  dynamic "label" {
    for_each = var.missing
    content {
      size = "x"
    }
  })"),
            (Strings{"4 Reference to undeclared input variable", "5 Missing required argument"}));
}

TEST_F(DynamicReferencesTest, ArgumentsAreCheckedForEachBlock) {
  EXPECT_EQ(Errors(R"(  name = "a"
  dynamic "label" {
    for_each = ["a", "b"]
    content {
      text = var.missing
    }
  }
  dynamic "label" {
    for_each = []
    content {
      text = var.missing
    }
  })"),
            (Strings{"6 Reference to undeclared input variable",
                     "6 Reference to undeclared input variable"}));
}

TEST_F(DynamicReferencesTest, WrongArgumentsEndTheBlock) {
  EXPECT_EQ(
      Errors(R"(  name = var.missing
  size = "x"
  dynamic "label" {
    for_each = test_entry.nope.name
    content {
      text = "a"
    }
  })"),
      (Strings{"5 Reference to undeclared resource", "2 Reference to undeclared input variable"}));
}

TEST_F(DynamicReferencesTest, OtherMistakesAreReportedToo) {
  EXPECT_EQ(Errors(R"(  name = "a"
  dynamic "unknown" {
    for_each = [test_entry.nope.name]
    content {
      text = var.missing
    }
  })"),
            (Strings{"4 Reference to undeclared resource", "3 Unsupported block type"}));
}

}  // namespace
}  // namespace kinu::engine
