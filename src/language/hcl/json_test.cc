#include <string>

#include <gtest/gtest.h>

#include "hcl/parse.h"
#include "hcl/static.h"
#include "hcl/walk.h"

namespace kinu::hcl {
namespace {

struct Parsed {
  explicit Parsed(std::string text) : source(SourceFile::Make("test.tf.json", std::move(text))) {}
  Ref<const SourceFile> source;
  SyntaxTree tree;
  Diagnostics diags;

  const Body& File() { return *ParseJson(source.get(), tree, diags); }
  const Expr& Expression() { return *ParseJsonExpression(source.get(), tree, diags); }
};

std::string Show(const SourceRange& range) {
  const Position begin = range.start_position();
  const Position end = range.end_position();
  return std::to_string(begin.line) + ":" + std::to_string(begin.column) + "-" +
         std::to_string(end.line) + ":" + std::to_string(end.column);
}

std::string Show(const Diagnostics& diags) {
  std::string out;
  for (const Diagnostic& diagnostic : diags) {
    out += (out.empty() ? "" : "\n") + diagnostic.summary + " " + Show(diagnostic.subject);
  }
  return out;
}

TEST(ParseJson, Errors) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "Missing value 1:1-1:1\nRoot value must be object 1:1-1:1"},
      {"1", "Root value must be object 1:1-1:2"},
      {"{\"a\": 1,}", "Trailing comma in object 1:8-1:9\nRoot value must be object 1:1-1:2"},
      {"{\"a\" = 1}", "Missing property value colon 1:6-1:7\nRoot value must be object 1:1-1:2"},
      {"{\"a\": tru}", "Invalid JSON keyword 1:7-1:10"},
      {"{} x", "Extraneous data after value 1:4-1:5"},
      {"{\"a\": \"\\x\"}", "Invalid JSON string 1:10-1:11"},
      {"{\"a\": 1e99999999999}", "Invalid JSON number 1:7-1:20"},
      {"\t{\"a\": 01}", "Invalid JSON number 1:9-1:11"},
  };
  for (const auto& [source, diagnostics] : cases) {
    Parsed parsed(source);
    parsed.File();
    EXPECT_EQ(Show(parsed.diags), diagnostics) << source;
  }
}

TEST(ParseJson, IncompleteModeKeepsWhatCanBeRead) {
  const std::string text =
      "{\n  \"b\": {\n    \"x\": {\"a\": \"${c.d + e.\", \"f\": }\n    \"y\":\n  }, \"a\": ]\n";
  Parsed strict(text);
  strict.File();
  Parsed parsed(text);
  const Body& body =
      *ParseJson(parsed.source.get(), parsed.tree, parsed.diags, ParseMode::kIncomplete);
  EXPECT_EQ(Show(parsed.diags), Show(strict.diags));
  const AttributeSchema attributes[] = {{"a"}};
  const std::string_view labels[] = {"name"};
  const BlockSchema blocks[] = {{"b", labels}};
  Diagnostics ignored;
  const BodyContent content = body.Content({attributes, blocks, {}}, Strictness::kExact, ignored);
  ASSERT_EQ(content.blocks.size(), 2U);
  EXPECT_EQ(content.blocks[0].labels[0], "x");
  EXPECT_EQ(content.blocks[1].labels[0], "y");
  ASSERT_NE(content.Find("a"), nullptr);
  EXPECT_EQ(content.Find("a")->expr->kind, ExprKind::kMissing);
  const std::vector<Attribute> inside = content.blocks[0].body->JustAttributes({}, ignored);
  ASSERT_EQ(inside.size(), 2U);
  std::vector<const TraversalExpr*> found;
  CollectTraversals(*inside[0].expr, found);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(Show(found[0]->range()), "3:19-3:22");
  EXPECT_EQ(found[1]->root.view(), "e");
  EXPECT_EQ(inside[1].expr->kind, ExprKind::kMissing);
  EXPECT_TRUE(content.blocks[1].body->JustAttributes({}, ignored).empty());
}

TEST(JsonBody, SchemaDecidesWhatIsABlock) {
  Parsed parsed(R"({
  "//": "comment",
  "count": "${a}",
  "resource": {"t1": {"n1": {}, "n2": [{}, {}]}},
  "resource": [{"t2": {"n3": null}}]
})");
  const Body& body = parsed.File();
  ASSERT_EQ(Show(parsed.diags), "");
  const AttributeSchema attributes[] = {{"count", true}};
  const std::string_view labels[] = {"type", "name"};
  const BlockSchema blocks[] = {{"resource", labels}};
  const BodyContent content =
      body.Content({attributes, blocks, {}}, Strictness::kExact, parsed.diags);
  EXPECT_EQ(Show(parsed.diags), "");
  ASSERT_NE(content.Find("count"), nullptr);
  EXPECT_EQ(Show(content.Find("count")->range), "3:3-3:18");
  ASSERT_EQ(content.blocks.size(), 3u);
  EXPECT_EQ(content.blocks[2].labels[0], "t1");
  EXPECT_EQ(content.blocks[2].labels[1], "n2");
  EXPECT_EQ(Show(content.blocks[0].label_range(1)), "4:23-4:27");
  EXPECT_EQ(Show(content.blocks[0].def_range), "4:29-4:30");
  EXPECT_EQ(Show(content.missing_item_range), "6:1-6:2");
}

TEST(JsonBody, Diagnostics) {
  Parsed parsed(R"({"cuont": 1, "a": 1, "a": 2, "b": "x", "c": {}, "d": 1, "hidden": 1})");
  const Body& body = parsed.File();
  const AttributeSchema attributes[] = {{"count", true}, {"a"}};
  const std::string_view labels[] = {"name"};
  const BlockSchema blocks[] = {{"b"}, {"c", labels}, {"d", labels}};
  const std::string_view hidden[] = {"hidden"};
  body.Content({attributes, blocks, hidden}, Strictness::kExact, parsed.diags);
  EXPECT_EQ(Show(parsed.diags),
            "Duplicate argument 1:22-1:25\n"
            "Incorrect JSON value type 1:35-1:38\n"
            "Missing block label 1:45-1:46\n"
            "Incorrect JSON value type 1:54-1:55\n"
            "Missing block label 1:54-1:55\n"
            "Missing required argument 1:68-1:69\n"
            "Extraneous JSON object property 1:2-1:9");
  EXPECT_NE(parsed.diags.list().back().detail.find("\"count\""), std::string::npos) << "suggests";
  Diagnostics just;
  EXPECT_EQ(body.JustAttributes(hidden, just).size(), 5u);
  EXPECT_EQ(Show(just), "Duplicate attribute definition 1:22-1:25");
}

TEST(JsonExpression, StringsAreTemplatesOfTheirOwn) {
  Parsed parsed("[\n  \"x ${a.b}\",\n  \"${\",\n  \"plain\"]");
  const auto elements = *AsList(parsed.Expression());
  ASSERT_EQ(Show(parsed.diags), "");
  std::vector<const TraversalExpr*> found;
  CollectTraversals(parsed.Expression(), found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(Show(found[0]->range()), "2:8-2:11");
  EXPECT_EQ(found[0]->file()->parent(), parsed.source.get());

  const auto& broken = static_cast<const WrapExpr&>(*elements[1]);
  ASSERT_EQ(broken.wrapped->kind, ExprKind::kInvalid) << "reported on evaluation, not before";
  EXPECT_EQ(Show(*static_cast<const InvalidExpr&>(*broken.wrapped).problems),
            "Missing expression 3:6-3:6");
  EXPECT_EQ(Show(elements[1]->range()), "3:3-3:7");
  EXPECT_EQ(AsLiteralString(*elements[1]), "${");
  EXPECT_EQ(AsLiteralString(*elements[2]), "plain");
}

TEST(JsonExpression, TemplatesOnOneLongLineTakeLinearTime) {
  std::string text = "[0";
  for (int i = 0; i < 50'000; ++i) {
    text += ",\"${a} and some text\"";
  }
  Parsed parsed(text + "]");
  const auto elements = *AsList(parsed.Expression());
  EXPECT_EQ(Show(parsed.diags), "");
  const auto& last = static_cast<const WrapExpr&>(*elements.back());
  EXPECT_EQ(last.wrapped->range().start_position().byte, text.size() - 19);
}

TEST(JsonExpression, StaticFormsAreReadFromStrings) {
  Parsed parsed(R"x(["list(string)", "a.b[0]", "all", "a +", true])x");
  const auto elements = *AsList(parsed.Expression());
  const auto call = AsCall(*elements[0], parsed.tree);
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(call->name, "list");
  EXPECT_EQ(Show(call->name_range), "1:2-1:6") << "from the quote on, as the reference counts";
  EXPECT_EQ(AsTraversal(*elements[1], parsed.tree)->steps.size(), 2u);
  EXPECT_EQ(AsKeyword(*elements[2], parsed.tree), "all");
  EXPECT_FALSE(AsTraversal(*elements[3], parsed.tree).has_value());
  EXPECT_EQ(AsKeyword(*elements[4], parsed.tree), "") << "a JSON true is no word";
  for (const Expr* element : elements) {
    EXPECT_TRUE(IsJsonExpr(*element));
  }
}

TEST(JsonBody, BuildsAnExpressionOnce) {
  SyntaxTree tree;
  Diagnostics diags;
  const SourceFile* source =
      tree.KeepSource(SourceFile::Make("t.json", R"({"a": "${x}", "b": [1, "y"], "b": 2})"));
  const Body* body = ParseJson(source, tree, diags);
  ASSERT_TRUE(diags.empty());
  const AttributeSchema attributes[] = {{"a", false}, {"b", false}};
  const BodyContent first = body->Content({.attributes = attributes}, Strictness::kExact, diags);
  const BodyContent second = body->Content({.attributes = attributes}, Strictness::kPartial, diags);
  ASSERT_EQ(first.attributes.size(), 2u);
  EXPECT_EQ(first.attributes[0].expr, second.attributes[0].expr);
  EXPECT_EQ(first.attributes[1].expr, second.attributes[1].expr);
  EXPECT_EQ(diags.size(), 2u);  // both calls report the second "b"
}

TEST(JsonBody, ReportsNumbersOutOfRangeWhenItIsRead) {
  SyntaxTree tree;
  Diagnostics diags;
  const SourceFile* source = tree.KeepSource(
      SourceFile::Make("t.json", R"({"a": [1e3, {"b": 1e99999999999999999999}], "c": 2})"));
  ParseJson(source, tree, diags);
  ASSERT_EQ(diags.size(), 1u);
  EXPECT_EQ(diags.list()[0].summary, "Invalid JSON number");
  EXPECT_EQ(diags.list()[0].subject.text(), "1e99999999999999999999");
}

}  // namespace
}  // namespace kinu::hcl
