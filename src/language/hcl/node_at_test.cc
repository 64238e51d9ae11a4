#include "hcl/node_at.h"

#include <string>

#include <gtest/gtest.h>

#include "hcl/parse.h"
#include "hcl/walk.h"

namespace kinu::hcl {
namespace {

using Place = NodeAt::Place;
using Part = ExprPart::Kind;

std::string Show(const ExprPart& part) {
  const std::string index = std::to_string(part.index);
  switch (part.kind) {
    case Part::kOther:
      return "";
    case Part::kRoot:
      return ":root";
    case Part::kStep:
      return ":step" + index;
    case Part::kFunctionName:
      return ":name";
    case Part::kArgument:
      return ":argument" + index;
    case Part::kForKeyName:
      return ":key";
    case Part::kForValueName:
      return ":value";
  }
  return "?";
}

std::string Show(Place place) {
  switch (place) {
    case Place::kBody:
      return "body";
    case Place::kAttributeName:
      return "name";
    case Place::kAttributeEqual:
      return "equal";
    case Place::kAttributeValue:
      return "value";
    case Place::kAfterAttribute:
      return "after";
    case Place::kBlockType:
      return "type";
    case Place::kBlockLabel:
      return "label";
    case Place::kBlockHeader:
      return "header";
  }
  return "?";
}

std::string Show(const NodeAt& node, std::string_view text) {
  std::string out;
  for (const NativeBlock* block : node.blocks) {
    out += std::string(block->type.view()) + "/";
  }
  out += Show(node.place);
  if (node.attribute != nullptr) {
    out += " " + std::string(node.attribute->name.view());
  }
  if (node.block != nullptr) {
    out += " " + std::string(node.block->type.view());
    out += node.place == Place::kBlockType ? "" : " " + std::to_string(node.label);
  }
  for (const EnclosingExpr& enclosing : node.exprs) {
    const Expr& expr = *enclosing.expr;
    out += " <" + std::string(text.substr(expr.begin, expr.end - expr.begin)) + ">" +
           Show(enclosing.part);
  }
  return out;
}

/// What stands at the "|" of the text.
std::string At(std::string text) {
  const size_t cursor = text.find('|');
  text.erase(cursor, 1);
  const auto source = SourceFile::Make("test.tf", text);
  SyntaxTree tree;
  Diagnostics diags;
  const NativeBody* body = ParseNative(source.get(), tree, diags, ParseMode::kIncomplete);
  return Show(FindNodeAt(*body, static_cast<uint32_t>(cursor)), text);
}

TEST(NodeAt, Bodies) {
  EXPECT_EQ(At("|"), "body");
  EXPECT_EQ(At("a = 1\n|\nb = 2\n"), "body");
  EXPECT_EQ(At("a {\n  b \"c\" {\n    |\n  }\n}\n"), "a/b/body");
  EXPECT_EQ(At("a {\n  b \"c\" {\n  }|\n}\n"), "a/body");
  EXPECT_EQ(At("a {|}\n"), "a/body");
  EXPECT_EQ(At("a {\n  |\n\nb {\n}\n"), "a/body") << "the brace is missing";
  EXPECT_EQ(At("a {\n}\n|b {\n}\n"), "type b");
  EXPECT_EQ(At("a {\n  |"), "a/body");
}

TEST(NodeAt, Attributes) {
  EXPECT_EQ(At("|abc = 1\n"), "name abc");
  EXPECT_EQ(At("abc| = 1\n"), "name abc");
  EXPECT_EQ(At("abc |= 1\n"), "equal abc");
  EXPECT_EQ(At("abc = |1\n"), "value abc <1>");
  EXPECT_EQ(At("abc = 1|\n"), "value abc <1>");
  EXPECT_EQ(At("abc = 1 |\n"), "after abc");
  EXPECT_EQ(At("abc = |\nb = 1\n"), "value abc < >");
  EXPECT_EQ(At("a {\n  ins|\n}\n"), "a/name ins");
  EXPECT_EQ(At("a { b = x| }\n"), "a/value b <x>:root");
}

TEST(NodeAt, Headers) {
  EXPECT_EQ(At("res|ource \"a\" \"b\" {\n}\n"), "type resource");
  EXPECT_EQ(At("resource \"|a\" \"b\" {\n}\n"), "label resource 0");
  EXPECT_EQ(At("resource \"a\" \"b|\" {\n}\n"), "label resource 1");
  EXPECT_EQ(At("resource \"a\" | \"b\" {\n}\n"), "header resource 1");
  EXPECT_EQ(At("resource \"a\" \"b\" |{\n}\n"), "header resource 2");
  EXPECT_EQ(At("resource \"a\" |\n"), "header resource 1");
  EXPECT_EQ(At("resource \"aw|\nb = 1\n"), "label resource 0");
}

TEST(NodeAt, Traversals) {
  EXPECT_EQ(At("x = a|bc.d[0].e\n"), "value x <abc.d[0].e>:root");
  EXPECT_EQ(At("x = abc|.d[0].e\n"), "value x <abc.d[0].e>:root");
  EXPECT_EQ(At("x = abc.|d[0].e\n"), "value x <abc.d[0].e>:step0");
  EXPECT_EQ(At("x = abc.d[|0].e\n"), "value x <abc.d[0].e>:step1");
  EXPECT_EQ(At("x = abc.d[0].e|\n"), "value x <abc.d[0].e>:step2");
  EXPECT_EQ(At("x = var.|\n"), "value x <var.>:step0");
  EXPECT_EQ(At("x = a.b.|\ny = 1\n"), "value x <a.b.>:step1");
  EXPECT_EQ(At("x = a[b.c|].d\n"), "value x <a[b.c].d> <a[b.c]> <b.c>:step0");
  EXPECT_EQ(At("x = a[b.c].d|\n"), "value x <a[b.c].d>:step0");
  EXPECT_EQ(At("x = a[*].b|\n"), "value x <a[*].b> <[*].b>:step0");
  EXPECT_EQ(At("x = a|[*].b\n"), "value x <a[*].b> <a>:root");
}

TEST(NodeAt, Calls) {
  EXPECT_EQ(At("x = me|rge(a, b)\n"), "value x <merge(a, b)>:name");
  EXPECT_EQ(At("x = merge(a, b|)\n"), "value x <merge(a, b)>:argument1 <b>:root");
  EXPECT_EQ(At("x = merge(|)\n"), "value x <merge()>:argument0");
  EXPECT_EQ(At("x = merge(a |, b)\n"), "value x <merge(a , b)>:argument0");
  EXPECT_EQ(At("x = merge(a, | b)\n"), "value x <merge(a,  b)>:argument1");
  EXPECT_EQ(At("x = merge(a, |)\n"), "value x <merge(a, )>:argument1");
  EXPECT_EQ(At("x = merge(a /* , */ |)\n"), "value x <merge(a /* , */ )>:argument0");
  EXPECT_EQ(At("x = merge(a, |\n\ny = 1\n"), "value x <merge(a, \n>:argument1");
  EXPECT_EQ(At("x = merge(a)|\n"), "value x <merge(a)>");
  EXPECT_EQ(At("x = provider::|\n"), "value x <provider::>:name");
}

TEST(NodeAt, CollectionsAndTemplates) {
  EXPECT_EQ(At("x = [a, b|]\n"), "value x <[a, b]> <b>:root");
  EXPECT_EQ(At("x = {k|ey = a}\n"), "value x <{key = a}> <key>");
  EXPECT_EQ(At("x = {(a.b|) = c}\n"), "value x <{(a.b) = c}> <(a.b)> <(a.b)> <a.b>:step0");
  EXPECT_EQ(At("x = {key = a|}\n"), "value x <{key = a}> <a>:root");
  EXPECT_EQ(At("x = {\n  key = |\n}\n"), "value x <{\n  key = \n}> < >");
  EXPECT_EQ(At("x = \"te|xt\"\n"), "value x <\"text\"> <text>");
  EXPECT_EQ(At("x = \"a${var.|}b\"\n"), "value x <\"a${var.}b\"> <var.>:step0");
  EXPECT_EQ(At("x = \"a${var.\ny = 1\n|"), "body");
  EXPECT_EQ(At("x = <<EOT\na ${f(b|)}\nEOT\n"),
            "value x <<<EOT\na ${f(b)}\nEOT> <f(b)>:argument0 <b>:root");
  EXPECT_EQ(At("x = [for k|, v in m : v]\n"), "value x <[for k, v in m : v]>:key");
  EXPECT_EQ(At("x = [for k, v| in m : v]\n"), "value x <[for k, v in m : v]>:value");
  EXPECT_EQ(At("x = [for k, v in m| : v]\n"), "value x <[for k, v in m : v]> <m>:root");
  EXPECT_EQ(At("x = [for k, v in m : v.|]\n"), "value x <[for k, v in m : v.]> <v.>:step0");
  EXPECT_EQ(At("x = a ? b : c|\n"), "value x <a ? b : c> <c>:root");
  EXPECT_EQ(At("x = a + |\n"), "value x <a + > < >");
  EXPECT_EQ(At("x = (!a|)\n"), "value x <(!a)> <!a> <a>:root");
}

/// Finds in the way of the definition: every expression of the tree is visited.
void AddTouched(const Expr& expr, uint32_t offset, std::vector<const Expr*>& out) {
  if (expr.begin <= offset && offset <= expr.end) {
    out.push_back(&expr);
  }
  ForEachChild(expr, [&](const Expr& child) { AddTouched(child, offset, out); });
}

TEST(NodeAt, FindsWhatASearchOfTheWholeTreeFinds) {
  const auto source = SourceFile::Make(
      "test.tf",
      "x = merge({a = [1, 2, var.b[count.index].c], \"k-${f(a, b)}\" = <<EOT\n%{ if a }b ${c}%{ "
      "else "
      "}d%{ endif }\nEOT\n}, [for k, v in m : v if k > 1]...)\ny = !(a ? -b : c[*].d)\n");
  SyntaxTree tree;
  Diagnostics diags;
  const NativeBody* body = ParseNative(source.get(), tree, diags);
  ASSERT_FALSE(diags.has_errors());
  for (uint32_t offset = 0; offset <= source->text().size(); ++offset) {
    const NodeAt node = FindNodeAt(*body, offset);
    std::vector<const Expr*> touched;
    for (const NativeAttribute& attribute : body->attributes) {
      AddTouched(*attribute.expr, offset, touched);
    }
    if (touched.empty()) {
      EXPECT_TRUE(node.exprs.empty()) << offset;
      continue;
    }
    ASSERT_FALSE(node.exprs.empty()) << offset;
    const Expr* innermost = node.exprs.back().expr;
    for (const EnclosingExpr& enclosing : node.exprs) {
      EXPECT_TRUE(enclosing.expr->begin <= offset && offset <= enclosing.expr->end) << offset;
    }
    for (const Expr* expr : touched) {
      const bool inside_of_innermost =
          expr != innermost && expr->begin >= innermost->begin && expr->end <= innermost->end &&
          (expr->begin > innermost->begin || expr->end < innermost->end);
      EXPECT_FALSE(inside_of_innermost) << offset << " " << expr->range().text();
    }
  }
}

}  // namespace
}  // namespace kinu::hcl
