#include <cctype>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "hcl/lexer.h"
#include "hcl/parse.h"
#include "hcl/static.h"
#include "hcl/testing/show.h"
#include "hcl/walk.h"

namespace kinu::hcl {
namespace {

/// A parsed text with its source and tree.
struct Parsed {
  explicit Parsed(std::string text) : source(SourceFile::Make("test.tf", std::move(text))) {}
  Ref<const SourceFile> source;
  SyntaxTree tree;
  Diagnostics diags;

  const NativeBody& Body() { return *ParseNative(source.get(), tree, diags); }
  const Expr& Expression() { return *ParseExpression(source.get(), tree, diags); }
  const Expr& Template() { return *ParseTemplate(source.get(), tree, diags); }
};

struct ExpressionCase {
  const char* source;
  const char* form;
};

TEST(ParseExpression, Forms) {
  const ExpressionCase cases[] = {
      {"a.b[0].c", "a.b[0].c"},
      {"a.0.b", "a.0.b"},
      {"a[\"k\"]", "a[\"k\"]"},
      {"a[b]", "(index a b)"},
      {"a[b].c", "(rel (index a b) .c)"},
      {"(a).b", "(rel (paren a) .b)"},
      {"a[*].b", "(splat a (rel @ .b))"},
      {"a.*.b[0]", "(rel (splat a (rel @ .b)) [0])"},
      {"a.*", "(splat a @)"},
      {"1 + 2 * 3", "(op8 1 (op10 2 3))"},
      {"1 - 2 - 3", "(op9 (op9 1 2) 3)"},
      {"a || b && c == d < e", "(op0 a (op1 b (op2 c (op6 d e))))"},
      {"-a + !b", "(op8 (unary a) (unary b))"},
      {"a ? b : c ? d : e", "(if a b (if c d e))"},
      {"f(a, b...)", "(call f a b)"},
      {"a::b::c()", "(call a::b::c)"},
      {"a :: b()", "(call a::b)"},
      {"[1,\n2,]", "[ 1 2 ]"},
      {"{a = 1\n(b) = 2, c.d = 3}", "{ a 1 (key (paren b)) 2 (key c.d) 3 }"},
      {"{\"a\" : 1}", "{ (key (template 'a')) 1 }"},
      {"[for x in y : x if z]", "(for y x z)"},
      {"{for k, v in m : k => v...}", "(for m k v)"},
      {"\"\"", "(template '')"},
      {"\"a\\n\\u00e9\\\"${b}c\"", "(template 'a\n\u00e9\"' b 'c')"},
      {"\"$${a} $ %%{b}\"", "(template '${a} $ %{b}')"},
      {"\"${a}\"", "(wrap a)"},
      {"\"a  ${~ b ~}  c\"", "(template 'a' b 'c')"},
      {"\"%{ if a }x%{ else }y%{ endif }\"", "(template (if a (template 'x') (template 'y')))"},
      {"\"%{ for a in b }${a}%{ endfor }\"", "(template (join (for b (template a))))"},
      {"<<EOT\n  a\n b\n  EOT\n", "(template '  a\n b\n')"},
      {"<<-EOT\n  a\n\n   ${b}\n  EOT\n", "(template 'a\n\n ' b '\n')"},
      {"true", "true"},
      {"/* c */ null # c", "null"},
  };
  for (const ExpressionCase& test : cases) {
    Parsed parsed(test.source);
    EXPECT_EQ(Show(parsed.Expression()), test.form) << test.source;
    EXPECT_EQ(Show(parsed.diags), "") << test.source;
  }
}

struct ErrorCase {
  const char* source;
  const char* diagnostics;
};

TEST(ParseExpression, Errors) {
  const ErrorCase cases[] = {
      {"", "Missing expression 1:1-1:1"},
      {"a b", "Extra characters after expression 1:3-1:4"},
      {"a ? b", "Missing false expression in conditional 1:6-1:6"},
      {"(a", "Unbalanced parentheses 1:3-1:3"},
      {"f(a b)", "Missing argument separator 1:5-1:6"},
      {"f(a", "Unterminated function call 1:1-1:3"},
      {"[a b]", "Missing item separator 1:4-1:5"},
      {"[a", "Unterminated tuple constructor expression 1:1-1:2"},
      {"{a = 1 b = 2}", "Missing attribute separator 1:8-1:9"},
      {"{a}", "Missing key/value separator 1:3-1:4"},
      {"{a\n}", "Missing attribute value 1:3-2:1"},
      {"a.", "Invalid attribute name 1:3-1:3"},
      {"a.0.1", "Invalid legacy index syntax 1:3-1:6"},
      {"a.*.*", "Nested splat expression not allowed 1:5-1:6"},
      {"a[0", "Missing close bracket on index 1:4-1:4"},
      {"a::1()", "Missing function name 1:4-1:5"},
      {"1.2.3", "Invalid number literal 1:1-1:6"},
      {"a & b", "Unsupported operator 1:3-1:4\nExtra characters after expression 1:3-1:4"},
      {"'a'", "Invalid character 1:1-1:2\nInvalid expression 1:1-1:2"},
      {"\"${a\"", "Unclosed template interpolation sequence 1:2-1:4"},
      {"\"\\q\"", "Invalid escape sequence 1:2-1:4"},
      {"\"%{ if a }\"", "Unexpected end of template 1:11-1:12"},
      {"\"%{ endif }\"", "Unexpected endif directive 1:2-1:12"},
      {"\"%{ fr a in b }\"", "Invalid template control keyword 1:5-1:7"},
      {"[for x y : z]", "Invalid 'for' expression 1:8-1:9"},
      {"{for x in y : x}", "Invalid 'for' expression 1:15-1:16"},
      {"<<EOT\nabc", "Unterminated template string 2:4-2:4"},
  };
  for (const ErrorCase& test : cases) {
    Parsed parsed(test.source);
    parsed.Expression();
    EXPECT_EQ(Show(parsed.diags), test.diagnostics) << test.source;
  }
}

// A million blocks have some ten million of these: members that grow them need a decision.
static_assert(sizeof(Expr) <= 12);
static_assert(sizeof(TextExpr) <= 12);
static_assert(sizeof(QuotedExpr) <= 24);
static_assert(sizeof(LiteralExpr) <= 20);
static_assert(sizeof(TraversalExpr) <= 44);
static_assert(sizeof(TraversalStep) <= 20);
static_assert(sizeof(TemplateExpr) <= 24);
static_assert(sizeof(ObjectExpr) <= 28);
static_assert(sizeof(NativeAttribute) <= 32);
static_assert(sizeof(NativeBlock) <= 44);
static_assert(sizeof(NativeBody) <= 48);

// Nodes of several sources stand between each other in the memory of a tree, in several blocks.
TEST(Nodes, FindTheirSource) {
  constexpr int kRounds = 20;
  constexpr int kElements = 500;
  std::string list = "[a.b";
  for (int i = 0; i < kElements; ++i) {
    list += ", a.b";
  }
  list += "]";
  SyntaxTree tree;
  Diagnostics diags;
  std::vector<std::pair<Ref<const SourceFile>, const Expr*>> parsed;
  for (int i = 0; i < kRounds; ++i) {
    Ref<const SourceFile> source = SourceFile::Make(std::to_string(i), list);
    const Expr* expr = ParseExpression(source.get(), tree, diags);
    parsed.emplace_back(std::move(source), expr);
  }
  ASSERT_GT(tree.arena.reserved_bytes(), size_t{256} << 10);
  for (const auto& [source, expr] : parsed) {
    EXPECT_EQ(expr->file(), source.get());
    ForEachChild(*expr, [&](const Expr& child) { ASSERT_EQ(child.file(), source.get()); });
  }
}

TEST(ParseNative, PlainStringsAreTheirSource) {
  Parsed plain("\"a b\"");
  const Expr& quoted = plain.Expression();
  ASSERT_EQ(quoted.kind, ExprKind::kQuoted);
  EXPECT_EQ(Show(quoted.range()), "1:1-1:6");
  EXPECT_EQ(Show(static_cast<const QuotedExpr&>(quoted).part.range()), "1:2-1:5");
  EXPECT_EQ(AsLiteralString(quoted), "a b");
  for (const char* text : {"\"a\\n\"", "\"$${a}\"", "\"\u00e9\"", "\"\""}) {
    Parsed other(text);
    EXPECT_EQ(other.Expression().kind, ExprKind::kTemplate) << text;
  }
}

TEST(ParseNative, BodiesAndRanges) {
  Parsed parsed(
      "a = 1 # one\r\n"
      "block \"l1\" l2 {\n"
      "  b = <<E\n"
      "text\n"
      "E\n"
      "  inner { c = 2 }\n"
      "}\n");
  const NativeBody& body = parsed.Body();
  ASSERT_EQ(Show(parsed.diags), "");
  ASSERT_EQ(body.attributes.size(), 1u);
  EXPECT_EQ(body.attributes[0].name, "a");
  EXPECT_EQ(Show({body.file, body.attributes[0].begin, body.attributes[0].end}), "1:1-1:6");
  ASSERT_EQ(body.blocks.size(), 1u);
  const NativeBlock& block = body.blocks[0];
  EXPECT_EQ(block.type, "block");
  ASSERT_EQ(block.labels.size(), 2u);
  EXPECT_EQ(block.labels[0], "l1");
  EXPECT_EQ(block.labels[1], "l2");
  EXPECT_EQ(Show({body.file, block.labels[0].begin, block.labels[0].end}), "2:7-2:11");
  EXPECT_EQ(Show({body.file, block.open_brace, block.close_brace + 1}), "2:15-7:2");
  ASSERT_EQ(block.body->blocks.size(), 1u);
  EXPECT_EQ(block.body->blocks[0].body->attributes[0].name, "c");
}

TEST(ParseNative, Errors) {
  const ErrorCase cases[] = {
      {"a = 1\na = 2\n", "Attribute redefined 2:1-2:2"},
      {"a = 1 b = 2\n", "Missing newline after argument 1:7-1:8"},
      {"a = 1, b = 2\n", "Unexpected comma after argument 1:6-1:7"},
      {"a\n", "Argument or block definition required 1:1-1:2"},
      {"\"a\" = 1\n", "Invalid argument name 1:1-1:2"},
      {"a {\n", "Unclosed configuration block 1:3-1:4"},
      {"a \"b\" = 1\n", "Invalid block definition 1:7-1:8"},
      {"a \"b\"\n{\n}\n", "Invalid block definition 1:6-2:1"},
      {"a { b = 1, c = 2 }\n", "Invalid single-argument block definition 1:10-1:11"},
      {"a { b = 1\n}\n", "Invalid single-argument block definition 1:10-2:1"},
      {"a { b {} }\n", "Argument definition required 1:5-1:8"},
      {"a {} b {}\n", "Missing newline after block definition 1:6-1:7"},
      {"a \"${x}\" {}\n", "Invalid string literal 1:4-1:6"},
      {"a = \"x\ny\"\n", "Invalid multi-line string 1:7-2:1\nUnterminated template string 1:7-2:1"},
      {"a = \xFF\n", "Invalid character encoding 1:5-1:6\nInvalid expression 1:5-1:6"},
      {"a = 1; b = 2\n", "Invalid character 1:6-1:7\nMissing newline after argument 1:6-1:7"},
  };
  for (const ErrorCase& test : cases) {
    Parsed parsed(test.source);
    parsed.Body();
    EXPECT_EQ(Show(parsed.diags), test.diagnostics) << test.source;
  }
}

TEST(ParseNative, ContinuesAfterAnError) {
  Parsed parsed("a = (\n}\nb { c = 1 }\nd = 2\n");
  const NativeBody& body = parsed.Body();
  EXPECT_TRUE(parsed.diags.has_errors());
  EXPECT_FALSE(body.attributes.empty());
}

TEST(ParseTraversal, AbsoluteAndPartial) {
  for (const bool partial : {false, true}) {
    Parsed parsed("a.b[*].c[\"k\"]");
    const TraversalExpr* traversal =
        ParseTraversal(parsed.source.get(), parsed.tree, partial, parsed.diags);
    EXPECT_EQ(traversal != nullptr, partial);
    EXPECT_EQ(Show(parsed.diags), partial ? "" : "Attribute name required 1:5-1:6");
    if (traversal != nullptr) {
      ASSERT_EQ(traversal->steps.size(), 4u);
      EXPECT_EQ(traversal->steps[1].kind, TraversalStep::Kind::kSplat);
      EXPECT_EQ(traversal->steps[3].key()->AsString(), "k");
    }
  }
}

TEST(Content, ReportsItemsOutsideTheSchema) {
  Parsed parsed("count = 1\nnmae = 2\nblok {}\nblock \"x\" {}\nother {\n}\n");
  const NativeBody& body = parsed.Body();
  const AttributeSchema attributes[] = {{"count"}, {"name", true}};
  const std::string_view labels[] = {"type", "name"};
  const BlockSchema blocks[] = {{"block", labels}};
  const std::string_view hidden[] = {"other"};
  const BodyContent content =
      body.Content({attributes, blocks, hidden}, Strictness::kExact, parsed.diags);
  EXPECT_EQ(Show(parsed.diags),
            "Missing required argument 1:1-1:1\n"
            "Missing name for block 4:11-4:12\n"
            "Unsupported argument 2:1-2:5\n"
            "Unsupported block type 3:1-3:5");
  EXPECT_NE(parsed.diags.list()[2].detail.find("\"name\""), std::string::npos) << "suggests";
  ASSERT_NE(content.Find("count"), nullptr);
  EXPECT_TRUE(content.blocks.empty());

  Diagnostics partial;
  body.Content({attributes, {}, {}}, Strictness::kPartial, partial);
  EXPECT_EQ(Show(partial), "Missing required argument 1:1-1:1");
  Diagnostics just;
  EXPECT_EQ(body.JustAttributes({}, just).size(), 2u);
  EXPECT_EQ(Show(just), "Unexpected \"blok\" block 3:1-3:5");
}

TEST(Static, ReadsForms) {
  Parsed parsed("[list(string), a.b[0], all, \"lit\", {k = v}, \"${x}\", true]");
  const auto list = AsList(parsed.Expression());
  ASSERT_TRUE(list.has_value());
  const auto call = AsCall(*(*list)[0], parsed.tree);
  ASSERT_TRUE(call.has_value());
  EXPECT_EQ(call->name, "list");
  EXPECT_EQ(Show(call->arguments_range), "1:6-1:14");
  EXPECT_EQ(AsKeyword(*call->arguments[0], parsed.tree), "string");
  const auto traversal = AsTraversal(*(*list)[1], parsed.tree);
  ASSERT_TRUE(traversal.has_value());
  EXPECT_EQ(traversal->steps.size(), 2u);
  EXPECT_EQ(AsKeyword(*(*list)[1], parsed.tree), "");
  EXPECT_EQ(AsKeyword(*(*list)[2], parsed.tree), "all");
  EXPECT_EQ(AsLiteralString(*(*list)[3]), "lit");
  EXPECT_EQ(AsMap(*(*list)[4])->size(), 1u);
  EXPECT_FALSE(AsLiteralString(*(*list)[5]).has_value());
  EXPECT_EQ(AsKeyword(*(*list)[6], parsed.tree), "true");
}

TEST(CollectTraversals, TypesOfConvertReferToNothing) {
  for (const char* text : {"convert(a, list(string))", "core::convert(a, any)"}) {
    Parsed parsed(text);
    std::vector<const TraversalExpr*> found;
    CollectTraversals(parsed.Expression(), found);
    ASSERT_EQ(found.size(), 1U) << text;
    EXPECT_EQ(found[0]->root, "a");
    found.clear();
    CollectTraversals(parsed.Expression(), found, TypeArgument::kKeep);
    EXPECT_EQ(found.size(), 2U) << text;
  }
}

TEST(CollectTraversals, SkipsNamesBoundByFor) {
  Parsed parsed("[for k, v in a : {k = v, (b) = c[d] } if f(k, e)]");
  std::vector<const TraversalExpr*> found;
  CollectTraversals(parsed.Expression(), found);
  std::string names;
  for (const TraversalExpr* traversal : found) {
    names += traversal->root;
  }
  EXPECT_EQ(names, "abcde");
}

void OnBigStack(void (*body)()) {
  constexpr size_t kStack = size_t{256} << 20;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStack);
  pthread_t thread;
  const auto run = [](void* function) -> void* {
    reinterpret_cast<void (*)()>(function)();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, reinterpret_cast<void*>(body)), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

std::string Repeat(std::string_view text, size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  while (times-- > 0) {
    out += text;
  }
  return out;
}

TEST(Depth, NineThousandLevelsParse) {
  OnBigStack([] {
    for (const auto& [open, close] : {std::pair("(", ")"), std::pair("[", "]")}) {
      Parsed parsed(Repeat(open, 9000) + "a" + Repeat(close, 9000));
      parsed.Expression();
      EXPECT_EQ(Show(parsed.diags), "");
    }
  });
}

TEST(Depth, TooDeepIsOneDiagnostic) {
  constexpr size_t kMany = 200'000;
  const std::string texts[] = {
      Repeat("(", kMany),          Repeat("[", kMany),
      Repeat("{a=", kMany),        Repeat("!", kMany),
      Repeat("f(", kMany),         Repeat("a?", kMany),
      Repeat("\"${", kMany),       "a" + Repeat("[*]", kMany),
      "a" + Repeat("+a", kMany),   "a" + Repeat("[b]", kMany),
      Repeat("a?b:", kMany),       "\"" + Repeat("%{if a}", kMany) + "\"",
      Repeat("[for a in ", kMany),
  };
  for (const std::string& text : texts) {
    Parsed parsed(text);
    parsed.Expression();
    ASSERT_EQ(parsed.diags.size(), 1u) << text.substr(0, 20);
    EXPECT_EQ(parsed.diags.list()[0].summary, "Nesting too deep") << text.substr(0, 20);
  }
  Parsed blocks(Repeat("a {\n", kMany));
  blocks.Body();
  ASSERT_EQ(blocks.diags.size(), 1u);
}

TEST(Lexer, NamesEndWhereTheyShould) {
  for (size_t length = 1; length < 30; ++length) {
    std::string name = "aZ_09-mQ";
    while (name.size() < length) {
      name += name;
    }
    name.resize(length);
    for (int byte = 0; byte < 256; ++byte) {
      const std::string text = name + static_cast<char>(byte) + "zzzzzzzz";
      const bool goes_on = std::isalnum(byte) != 0 || byte == '_' || byte == '-';
      EXPECT_EQ(Lex(text, LexMode::kNormal)[0].end, goes_on ? text.size() : length)
          << length << " " << byte;
    }
    EXPECT_EQ(Lex(name, LexMode::kNormal)[0].end, length);
    EXPECT_EQ(Lex(name + "\xC3\xA9x", LexMode::kNormal)[0].end, length + 3);
  }
}

TEST(IsIdentifier, Table) {
  for (const char* good : {"a", "_", "a-b", "\u00e9t\u00e9", "a1"}) {
    EXPECT_TRUE(IsIdentifier(good)) << good;
  }
  for (const char* bad : {"", "1a", "-a", "a b", "a.b", "\xFF"}) {
    EXPECT_FALSE(IsIdentifier(bad)) << bad;
  }
}

}  // namespace
}  // namespace kinu::hcl
