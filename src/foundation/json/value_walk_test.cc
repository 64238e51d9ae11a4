#include <string>

#include <gtest/gtest.h>

#include "json/tree.h"

namespace kinu::json {
namespace {

/// A text as a JSON string.
std::string Quoted(const std::string& text) {
  return '"' + text + '"';
}

// The stream looks a few tokens ahead, and each of these is longer than what is scanned at once.
TEST(ValueWalk, FindsEscapesFarBeforeWhatIsScanned) {
  for (const size_t length : {size_t{10}, size_t{70'000}, size_t{140'000}, size_t{1'000'000}}) {
    const std::string plain(length, 'x');
    std::string text = "[";
    for (int i = 0; i < 8; ++i) {
      text += Quoted("\\n" + plain) + ',' + Quoted(plain + "\\u0041") + ',' + Quoted(plain) + ',';
    }
    text += "{" + Quoted("\\t" + plain) + ":" + Quoted(plain) + "}]";
    const auto document = Document::Parse(text);
    ASSERT_TRUE(document) << document.error().message;
    const Node root = (*document)->root();
    for (uint64_t i = 0; i < 8; ++i) {
      EXPECT_TRUE(root.At(3 * i).String() == "\n" + plain) << length << ' ' << i;
      EXPECT_TRUE(root.At(3 * i).Is("\n" + plain)) << length << ' ' << i;
      EXPECT_TRUE(root.At(3 * i + 1).Is(plain + "A")) << length << ' ' << i;
      EXPECT_TRUE(root.At(3 * i + 2).Is(plain)) << length << ' ' << i;
    }
    const Node member = root.At(24).Find("\t" + plain);
    ASSERT_TRUE(member) << length;
    EXPECT_TRUE(member.Is(plain)) << length;
  }
}

struct Malformed {
  const char* text;
  uint64_t offset;
  const char* message;
};
constexpr Malformed kMalformed[] = {
    {R"({"a" 1})", 5, "':' is expected"},
    {R"({"a":1 "b":2})", 7, "',' or '}' is expected"},
    {R"({"a":1,})", 7, "the name of a member is expected"},
    {R"({1:2})", 1, "the name of a member is expected"},
    {R"([1 2])", 3, "',' or ']' is expected"},
    {R"([1,])", 3, "a value is expected"},
    {R"([1})", 2, "',' or ']' is expected"},
    {R"({"a":[{"b":01}]})", 11, "a number is misspelt"},
    {R"([[{"a":nil}]])", 7, "a value is expected"},
    {R"([[])", 3, "the text ends too early"},
};

// The same walk serves both.
TEST(ValueWalk, ReportsTheSameProblemWhetherAValueIsReadOrSkipped) {
  for (const Malformed& each : kMalformed) {
    const std::string text = each.text;
    TokenStream read(text);
    Tree tree;
    EXPECT_FALSE(tree.Read(read)) << text;
    EXPECT_EQ(read.problem().offset, each.offset) << text;
    EXPECT_STREQ(read.problem().message, each.message) << text;
    TokenStream skipped(text);
    EXPECT_FALSE(skipped.SkipValue()) << text;
    EXPECT_EQ(skipped.problem().offset, each.offset) << text;
    EXPECT_STREQ(skipped.problem().message, each.message) << text;
  }
}

TEST(ValueWalk, CountsTheDepthOfWhatIsAround) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(Document::Parse(nested(kMaxDepth)));
  EXPECT_FALSE(Document::Parse(nested(kMaxDepth + 1)));
  static constexpr Shape kWhole;
  static constexpr Shape::Part kParts[] = {{"a", &kWhole}};
  static constexpr Shape kShape{.keep = Shape::Keep::kMembers, .parts = kParts};
  EXPECT_TRUE(Document::Parse("{\"a\":" + nested(kMaxDepth - 1) + "}", kShape));
  EXPECT_FALSE(Document::Parse("{\"a\":" + nested(kMaxDepth) + "}", kShape));
}

}  // namespace
}  // namespace kinu::json
