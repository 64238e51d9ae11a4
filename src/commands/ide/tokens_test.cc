#include <gtest/gtest.h>

#include "ide/answers.h"
#include "ide/testing/texts.h"

namespace kinu::ide {
namespace {

using testing::Texts;

constexpr std::string_view kNames[] = {"keyword",  "type",      "class",     "property",
                                       "variable", "parameter", "namespace", "function",
                                       "string",   "number",    "operator",  "comment"};

/// "type:text", with "!" for a declaration and "*" for what is built in.
std::string Tokens(const Texts& texts, bool operators = false, Span span = {0, UINT32_MAX}) {
  std::string out;
  uint32_t last = 0;
  for (const SemanticToken& token : SemanticTokens(texts.snapshot(), texts.path(), span)) {
    EXPECT_LE(last, token.span.begin);
    EXPECT_LT(token.span.begin, token.span.end);
    EXPECT_EQ(texts.Slice(token.span).find('\n'), std::string_view::npos);
    last = token.span.end;
    if (token.type == TokenType::kOperator && !operators) {
      continue;
    }
    out.append(out.empty() ? "" : " ").append(kNames[static_cast<size_t>(token.type)]);
    out.append((token.modifiers & kDeclaration) != 0 ? "!" : "");
    out.append((token.modifiers & kDefaultLibrary) != 0 ? "*" : "");
    out.append(":").append(texts.Slice(token.span));
  }
  return out;
}

TEST(SemanticTokens, BlocksAndReferences) {
  EXPECT_EQ(
      Tokens({{"main.tf", "resource \"aws_vpc\" \"a\" {\n  x = var.b.c + aws_vpc.d[0].id\n}\n"}}),
      "keyword:resource type:\"aws_vpc\" class!:\"a\" property:x variable:var property:b "
      "property:c type:aws_vpc property:d number:0 property:id");
  EXPECT_EQ(Tokens({{"main.tf", "a = data.aws_ami.b\nc = module.d.e\nf = each.key\n"}}),
            "property:a variable:data type:aws_ami property:b property:c namespace:module "
            "property:d property:e property:f parameter:each property:key");
}

TEST(SemanticTokens, FunctionsAndLoops) {
  EXPECT_EQ(Tokens({{"main.tf", "a = [for k, v in max(1): k if true]\n"}}),
            "property:a keyword:for parameter:k parameter:v keyword:in function*:max number:1 "
            "parameter:k keyword:if keyword:true");
  EXPECT_EQ(Tokens({{"main.tf", "a = provider::time::x(core::max(b))\n"}}),
            "property:a namespace:provider namespace:time function:x namespace:core "
            "function*:max variable:b");
}

TEST(SemanticTokens, Dynamic) {
  EXPECT_EQ(Tokens({{"main.tf",
                     "r \"t\" {\n  dynamic \"s\" {\n    content {\n      a = s.value\n    }\n"
                     "  }\n}\n"}}),
            "keyword:r type:\"t\" keyword:dynamic type:\"s\" keyword:content property:a "
            "parameter:s property:value");
}

TEST(SemanticTokens, Types) {
  EXPECT_EQ(Tokens({{"main.tf",
                     "variable \"v\" {\n  type = object({ a = optional(list(string)) })\n}\n"}}),
            "keyword:variable class!:\"v\" property:type type*:object property:a type*:optional "
            "type*:list type*:string");
}

TEST(SemanticTokens, StringsAndCommentsByLine) {
  EXPECT_EQ(Tokens({{"main.tf", "a = \"x\\n${b}y\" # c\n/* d\n e */\nf = <<EOT\ng ${h}\nEOT\n"}}),
            "property:a string:\"x\\n variable:b string:y\" comment:# c comment:/* d comment: e */ "
            "property:f string:<<EOT string:g  variable:h string:EOT");
}

TEST(SemanticTokens, Operators) {
  EXPECT_EQ(Tokens({{"main.tf", "a = !b ? -1 : 2"}}, true),
            "property:a operator:= operator:! variable:b operator:? operator:- number:1 operator:: "
            "number:2");
}

TEST(SemanticTokens, Keys) {
  EXPECT_EQ(Tokens({{"main.tf", "a = { b = 1, \"c d\" = 2, (var.e) = 3 }\n"}}),
            "property:a property:b number:1 property:\"c d\" number:2 variable:var property:e "
            "number:3");
}

TEST(SemanticTokens, Json) {
  EXPECT_EQ(
      Tokens({{"main.tf.json",
               R"({"resource": {"aws_vpc": {"a": {"x": "p ${var.b}", "n": -1, "t": true}}}})"}}),
      "keyword:\"resource\" type:\"aws_vpc\" class!:\"a\" property:\"x\" string:\" string:p  "
      "variable:var property:b string:\" property:\"n\" number:-1 property:\"t\" "
      "keyword:true");
  EXPECT_EQ(Tokens({{"main.tf.json", R"({"locals": {"a": "\" ${var.b}"}})"}}),
            "keyword:\"locals\" property:\"a\" string:\"\\\" ${var.b}\"");
}

TEST(SemanticTokens, UnfinishedText) {
  EXPECT_EQ(Tokens({{"main.tf", "a = 1\nb = max(\n"}}),
            "property:a number:1 property:b function*:max");
}

TEST(SemanticTokens, OfASpan) {
  EXPECT_EQ(Tokens({{"main.tf", "a = 1\nb = 2\nc = 3\n"}}, false, {6, 11}), "property:b number:2");
}

}  // namespace
}  // namespace kinu::ide
