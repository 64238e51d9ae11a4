#include <string>

#include <gtest/gtest.h>

#include "json/tree.h"

namespace kinu::json {
namespace {

TEST(Tree, MembersThatNobodyNamesAreCheckedButNotKept) {
  static constexpr Shape kWhole;
  static constexpr Shape::Part kParts[] = {{"b", &kWhole}};
  static constexpr Shape kShape{.keep = Shape::Keep::kMembers, .parts = kParts};
  const auto document = Document::Parse(R"({"a":[1,2],"\u0062":{"c":1},"d":null})", kShape);
  ASSERT_TRUE(document.has_value());
  EXPECT_TRUE((*document)->tree().partial());
  EXPECT_EQ((*document)->root().size(), 1U);
  EXPECT_EQ((*document)->root().Find("b").text(), R"({"c":1})");
  EXPECT_FALSE(Document::Parse(R"({"a":[1,2,],"b":1})", kShape).has_value());
}

/// The entries of a tree, as `{name:[0,…` with folded values in angle brackets.
std::string Entries(const Node& node) {
  if (node.folded()) {
    return "<" + std::string(node.text()) + ">";
  }
  if (!node.is_container()) {
    return std::string(node.text());
  }
  std::string out(node.is_object() ? "{" : "[");
  for (const Member member : node.members()) {
    out += member.name.String() + ":" + Entries(member.value) + ";";
  }
  for (const Node element : node.elements()) {
    out += Entries(element) + ";";
  }
  return out + (node.is_object() ? "}" : "]") + std::to_string(node.size());
}

TEST(Tree, KeepsWhatAShapeSays) {
  static constexpr Shape kWhole;
  static constexpr Shape kFolded{.keep = Shape::Keep::kFolded};
  static constexpr Shape::Part kItemParts[] = {{"id", &kWhole}, {"v", &kFolded}};
  static constexpr Shape kItem{.keep = Shape::Keep::kMembers, .parts = kItemParts};
  static constexpr Shape::Part kParts[] = {{"items", &kItem}, {"one", &kItem}};
  static constexpr Shape kShape{.keep = Shape::Keep::kMembers, .parts = kParts};
  const std::string text =
      R"( {"x":{"items":1}, "items":[ {"id":[1],"v":{ "a":[2] } ,"w":3},4,[{"v":[]}],{"v":5} ],)"
      R"("one":{"\u0076": [ true ]} } )";
  const auto document = Document::Parse(text, kShape);
  ASSERT_TRUE(document.has_value());
  const Node root = (*document)->root();
  EXPECT_EQ(Entries(root), R"({items:[{id:[1;]1;v:<{ "a":[2] }>;}2;4;[{v:<[]>;}1;]1;{v:5;}1;]4;)"
                           R"(one:{v:<[ true ]>;}1;}2)");
  EXPECT_EQ(root.text(), text.substr(1, text.size() - 2));

  Tree inside;
  const Node folded = root.Find("items").At(0).Find("v");
  ASSERT_TRUE(inside.ReadFolded(folded));
  EXPECT_EQ(Entries(inside.root()), "{a:[2;]1;}1");
  EXPECT_EQ(inside.root().offset(), folded.offset());
  EXPECT_FALSE(inside.partial());
}

TEST(Tree, RefusesTheSameTextsInEveryShape) {
  static constexpr Shape kFolded{.keep = Shape::Keep::kFolded};
  static constexpr Shape::Part kParts[] = {{"a", &kFolded}};
  static constexpr Shape kShape{.keep = Shape::Keep::kMembers, .parts = kParts};
  for (const char* text : {"",
                           "{",
                           "[",
                           R"({"a")",
                           R"({"a":)",
                           R"({"a":1)",
                           R"({"a":1,)",
                           R"({"a":1,})",
                           R"({,})",
                           R"({1:2})",
                           R"({"a" 1})",
                           R"({"a":[1 2]})",
                           R"({"b":[1,]})",
                           R"([1,])",
                           R"([1 2])",
                           "[[}]",
                           R"({"a\u":1})",
                           R"({"b\ul{":[1],"a":"\x"})",
                           R"({"a":{}} x)",
                           R"({"a":tru})",
                           R"({"a":01})",
                           "{\"a\":\"\x80\"}"}) {
    const auto whole = Document::Parse(text);
    const auto part = Document::Parse(text, kShape);
    ASSERT_FALSE(whole.has_value()) << text;
    ASSERT_FALSE(part.has_value()) << text;
    EXPECT_EQ(whole.error().message, part.error().message) << text;
  }
}

TEST(TokenStream, ShowsNothingOfAMalformedString) {
  const std::string text = R"({"a\u":1,"b":2})";
  TokenStream stream(text);
  ASSERT_TRUE(stream.Take('{', ""));
  EXPECT_EQ(stream.Peek(), '\0');
  EXPECT_EQ(stream.problem().offset, 3U);
}

}  // namespace
}  // namespace kinu::json
