#include "hcl/writer/format.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/thread.h"
#include "hcl/lexer.h"
#include "hcl/parse.h"
#include "hcl/walk.h"
#include "hcl/writer/layout.h"
#include "hcl/writer/tokens.h"

namespace kinu::hcl::writer {
namespace {

struct TextCase {
  std::string_view name;
  std::string_view before;
  std::string_view after;
};

void ExpectAll(std::span<const TextCase> cases, std::string (*run)(std::string_view)) {
  for (const TextCase& test : cases) {
    const std::string result = run(test.before);
    EXPECT_EQ(result, test.after) << test.name;
    EXPECT_EQ(run(result), result) << test.name << ", once more";
  }
}

std::string Fmt(std::string_view text) {
  const auto source = SourceFile::Make("test.tf", std::string(text));
  Diagnostics diags;
  const std::optional<std::string> result = FormatFile(source.get(), diags);
  return result ? *result : "error: " + diags.begin()->summary;
}

// --- Layout ---

TEST(Format, Spaces) {
  constexpr TextCase kCases[] = {
      {"operators", "a=1+2*-3\n", "a = 1 + 2 * -3\n"},
      {"a minus that subtracts", "a=b -1\n", "a = b - 1\n"},
      {"a minus behind a bracket or an operator", "a=[-1,(-b),!c,d?-1:-2,e== -1]\n",
       "a = [-1, (-b), !c, d ? -1 : -2, e == -1]\n"},
      {"a call", "a = max ( 1 ,2 , b ... )\n", "a = max(1, 2, b...)\n"},
      {"a namespaced call", "a = provider :: x :: f (1)\n", "a = provider::x::f(1)\n"},
      {"traversals", "a = b . c [ 0 ] . d [ * ] .e\n", "a = b.c[0].d[*].e\n"},
      {"in before a tuple", "a = [for x in[b]:x]\n", "a = [for x in [b] : x]\n"},
      {"in as a name", "a = [in [b]]\n", "a = [in[b]]\n"},
      {"braces", "a={b=1}\nc={ }\nd {  }\ne { f=1 }\n",
       "a = { b = 1 }\nc = {}\nd {}\ne { f = 1 }\n"},
      {"templates", "a = \"x ${ b }  y %{if c}d%{ endif }${ {e=1} }\"\n",
       "a = \"x ${b}  y %{if c}d%{endif}${ { e = 1 } }\"\n"},
      {"no spaces at the end of a line", "a = 1   \n\t\nb = 2\t\n", "a = 1\n\nb = 2\n"},
  };
  ExpectAll(kCases, Format);
}

TEST(Format, Alignment) {
  constexpr TextCase kCases[] = {
      {"assignments of neighbours", "a = 1\nlong = 2\n\nb = 3\n", "a    = 1\nlong = 2\n\nb = 3\n"},
      {"a value of several lines is aligned with nothing", "a = 1\nlong = {\nb = 2\n}\nccc = 3\n",
       "a = 1\nlong = {\n  b = 2\n}\nccc = 3\n"},
      {"comments", "a = 1 # x\nlong = 22 // y\nb=3\nc = 4 # z\n",
       "a    = 1  # x\nlong = 22 // y\nb    = 3\nc    = 4 # z\n"},
      {"comments without assignments", "a { # x\nb = 1 # y\n}\n", "a {     # x\n  b = 1 # y\n}\n"},
      {"by characters, not bytes", "\xC3\xA9\xC3\xA9 = 1\nabc = 2\n",
       "\xC3\xA9\xC3\xA9  = 1\nabc = 2\n"},
      {"combining characters take no column", "e\xCC\x81 = 1 # x\nab = \"e\xCC\x81\" # y\n",
       "e\xCC\x81  = 1   # x\nab = \"e\xCC\x81\" # y\n"},
  };
  ExpectAll(kCases, Format);
}

TEST(Format, Indentation) {
  constexpr TextCase kCases[] = {
      {"blocks", "a {\nb {\nc=1\n}\n}\n", "a {\n  b {\n    c = 1\n  }\n}\n"},
      {"one level however many brackets", "a = f([{\nb = 1\n}])\n", "a = f([{\n  b = 1\n}])\n"},
      {"closed one by one", "a = f([\n1,\n2\n]\n)\n", "a = f([\n  1,\n  2\n  ]\n)\n"},
      {"more closed than opened", "}\n}\na = 1\n", "}\n}\na = 1\n"},
      {"comments are indented", "a {\n# x\n/* y */\nb = 1\n}\n",
       "a {\n  # x\n  /* y */\n  b = 1\n}\n"},
      {"heredocs keep their text", "a {\nb = <<-EOT\n    x ${ c }\n  EOT\n}\n",
       "a {\n  b = <<-EOT\n    x ${c}\n  EOT\n}\n"},
      {"line ends stay", "a {\r\nb=1\r\n}\r\n", "a {\r\n  b = 1\r\n}\r\n"},
  };
  ExpectAll(kCases, Format);
}

TEST(Format, OddTexts) {
  constexpr TextCase kCases[] = {
      {"nothing", "", ""},
      {"no final newline", "a=1", "a = 1"},
      {"blanks at the very end stay", "a=1 \t ", "a = 1   "},
      {"an open string", "a=\"b\n", "a = \"b\n"},
      {"only a comment", "  # x", "# x"},
      {"signs without meaning", "a = b ; c\n", "a = b ; c\n"},
  };
  for (const TextCase& test : kCases) {
    EXPECT_EQ(Format(test.before).substr(0, test.after.size()), test.after) << test.name;
  }
  // A byte order mark is replaced by as many blanks as it has bytes when nothing else is there.
  EXPECT_EQ(Format("\xEF\xBB\xBF"), "   ");
  EXPECT_EQ(Format("\xEF\xBB\xBF"
                   "a=1\n"),
            "a = 1\n");
}

// --- Replacement of old syntax ---

TEST(FormatFile, Unwraps) {
  constexpr TextCase kCases[] = {
      {"one expression", "a = \"${b.c}\"\n", "a = b.c\n"},
      {"with trim markers", "a = \"${~ b ~}\"\n", "a = b\n"},
      {"with strings inside", "a = \"${f(\"x ${b} y\")}\"\n", "a = f(\"x ${b} y\")\n"},
      {"several lines get parentheses", "a = \"${b\n? c\n: d}\"\n", "a = (b\n  ? c\n: d)\n"},
      {"several lines in parentheses", "a = \"${(b\n+ c)}\"\n", "a = (b\n+ c)\n"},
      {"lines around it", "a = \"${\n  b\n}\"\n", "a = b\n"},
      {"two of them stay", "a = \"${b}${c}\"\n", "a = \"${b}${c}\"\n"},
      {"text beside it stays", "a = \"${b} \"\n", "a = \"${b} \"\n"},
      {"a directive stays", "a = \"%{if b}c%{endif}\"\n", "a = \"%{if b}c%{endif}\"\n"},
      {"not inside an expression", "a = [\"${b}\"]\n", "a = [\"${b}\"]\n"},
      {"in blocks", "a {\nb = \"${c}\"\n}\n", "a {\n  b = c\n}\n"},
  };
  for (const TextCase& test : kCases) {
    EXPECT_EQ(Fmt(test.before), test.after) << test.name;
  }
  // Once around; a second run unwraps what was inside.
  EXPECT_EQ(Fmt("a = \"${\"${b}\"}\"\n"), "a = \"${b}\"\n");
}

TEST(FormatFile, Types) {
  constexpr TextCase kCases[] = {
      {"string", "variable \"a\" {\ntype = \"string\"\n}\n",
       "variable \"a\" {\n  type = string\n}\n"},
      {"list in quotes", "variable \"a\" {\ntype = \"list\"\n}\n",
       "variable \"a\" {\n  type = list(string)\n}\n"},
      {"map in quotes", "variable \"a\" {\ntype = \"map\"\n}\n",
       "variable \"a\" {\n  type = map(string)\n}\n"},
      {"bare list", "variable \"a\" {\ntype = list\n}\n",
       "variable \"a\" {\n  type = list(any)\n}\n"},
      {"bare set", "variable \"a\" {\ntype = set\n}\n", "variable \"a\" {\n  type = set(any)\n}\n"},
      {"set in quotes stays", "variable \"a\" {\ntype = \"set\"\n}\n",
       "variable \"a\" {\n  type = \"set\"\n}\n"},
      {"other blocks stay", "output \"a\" {\ntype = list\n}\n",
       "output \"a\" {\n  type = list\n}\n"},
      {"deeper blocks stay", "variable \"a\" {\nb {\ntype = list\n}\n}\n",
       "variable \"a\" {\n  b {\n    type = list\n  }\n}\n"},
      {"types are not unwrapped", "variable \"a\" {\ntype = \"${list}\"\n}\n",
       "variable \"a\" {\n  type = \"${list}\"\n}\n"},
  };
  ExpectAll(kCases, Fmt);
}

TEST(FormatFile, Labels) {
  constexpr TextCase kCases[] = {
      {"bare labels get quotes", "a b \"c\" d {\n}\n", "a \"b\" \"c\" \"d\" {\n}\n"},
      {"escapes are spelled canonically", "a \"\\u0062\\t\" {}\n", "a \"b\\t\" {}\n"},
      {"comments between labels go", "a /* x */ \"b\" /* y */ \"c\" /* z */ {}\n",
       "a \"b\" \"c\" /* z */ {}\n"},
      {"a block without labels keeps its comment", "a /* x */ {}\n", "a /* x */ {}\n"},
      {"a dollar sign in a label", "a \"b$c\" \"d\" {}\n", "a \"b$c\" \"d\" {}\n"},
      {"an escaped sequence in a label", "a \"b$${c\" {}\n", "a \"b$${c\" {}\n"},
  };
  ExpectAll(kCases, Fmt);
}

TEST(FormatFile, ErrorsLeaveTheTextAlone) {
  const auto source = SourceFile::Make("test.tf", "a = \n");
  Diagnostics diags;
  EXPECT_FALSE(FormatFile(source.get(), diags));
  ASSERT_EQ(diags.size(), 1U);
  EXPECT_EQ(diags.begin()->summary, "Invalid expression");
}

TEST(FormatFile, DeepTexts) {
  RunOnBigStack([] {
    constexpr int kDepth = 4000;
    std::string text = "a = ";
    for (int i = 0; i < kDepth; ++i) {
      text += "[";
    }
    text.append(kDepth, ']');
    EXPECT_EQ(Fmt(text + "\n"), text + "\n");
    std::string blocks;
    std::string formatted;
    for (int i = 0; i < 500; ++i) {
      blocks += "a {\n";
      formatted.append(static_cast<size_t>(2 * i), ' ') += "a {\n";
    }
    for (int i = 499; i >= 0; --i) {
      blocks += "}\n";
      formatted.append(static_cast<size_t>(2 * i), ' ') += "}\n";
    }
    EXPECT_EQ(Fmt(blocks), formatted);
  });
}

/// Formatting in pieces gives the same result as formatting the whole file.
TEST(FormatFile, LargeFiles) {
  const auto repeat = [](std::string_view piece, size_t bytes) {
    std::string text;
    while (text.size() < bytes) {
      text += piece;
    }
    return text;
  };
  const std::string items =
      repeat("# c\na \"b\" c {\n  d=\"${e}\"\n}\n/* x */ f{} // g\n", 200'000);
  const std::string formatted =
      repeat("# c\na \"b\" \"c\" {\n  d = e\n}\n/* x */ f {} // g\n", items.size());
  EXPECT_EQ(Fmt(items).substr(0, 150'000), formatted.substr(0, 150'000));
  EXPECT_EQ(Fmt(items + "  "), Fmt(items) + "  ");

  // Alignment continues across pieces.
  std::string aligned;
  std::string numbers;
  for (int i = 0; i < 20'000; ++i) {
    numbers += "n" + std::to_string(i) + "=" + std::to_string(i) + "\n";
    std::string name = "n" + std::to_string(i);
    name.resize(6, ' ');
    aligned += name + " = " + std::to_string(i) + "\n";
  }
  EXPECT_EQ(Fmt(numbers), aligned);

  // Items that contain the offsets at which pieces would end.
  const std::string heredoc = "a = <<E\n" + repeat("text ${ b(\n1) }\n", 200'000) + "E\n";
  EXPECT_EQ(Fmt(heredoc).size(), Format(heredoc).size());
  const std::string comment = "/*" + repeat("x\n", 200'000) + "*/\na=1\n";
  EXPECT_EQ(Fmt(comment), Format(comment));

  // Errors are those of the whole file.
  for (const std::string& wrong :
       {items + "n = 1\n" + items + "n = 2\n", items + "}\n" + items, items + "a {\n",
        items + "\xEF\xBB\xBF" + items, items + "a = \"\n" + items}) {
    const auto source = SourceFile::Make("test.tf", wrong);
    Diagnostics expected;
    SyntaxTree tree;
    ParseNative(source.get(), tree, expected);
    Diagnostics diags;
    EXPECT_FALSE(FormatFile(source.get(), diags));
    ASSERT_EQ(diags.size(), expected.size());
    EXPECT_EQ(diags.begin()->summary, expected.begin()->summary);
    EXPECT_EQ(diags.begin()->subject, expected.begin()->subject);
  }
}

// --- Properties ---

/// Random texts of the tokens that the rules distinguish.
class RandomText {
 public:
  explicit RandomText(uint32_t seed) : random_(seed) {}

  std::string Tokens(size_t count) {
    static constexpr std::string_view kWords[] = {
        "a",     "in",    "for",      "1",         "2.5",  "{",  "}",     "[",      "]",
        "(",     ")",     "\n",       "\n",        "\n",   "=",  "=",     "==",     "-",
        "+",     "!",     ",",        ".",         "...",  "?",  ":",     "::",     "=>",
        "&&",    "\"x\"", "\"",       "${",        "%{",   "~}", "# c\n", "// d\n", "/* e */",
        "<<E\n", "E\n",   "\xC3\xA9", "e\xCC\x81", "\r\n", "\t", "  "};
    std::string text;
    for (size_t i = 0; i < count; ++i) {
      text += kWords[Below(std::size(kWords))];
      text.append(Below(3), ' ');
    }
    return text;
  }

  /// A valid text.
  std::string Body(int depth) {
    std::string text;
    const size_t items = 1 + Below(5);
    for (size_t i = 0; i < items; ++i) {
      text.append(Below(4), ' ');
      const std::string name = "n" + std::to_string(next_name_++);
      if (depth > 0 && Below(3) == 0) {
        text += name + std::string(Pick({" \"l\"", " b", " /* c */ \"x$y\" z", ""})) + "{" +
                std::string(Pick({"\n", " # c\n", "\n\n"})) + Body(depth - 1) + "}";
      } else {
        text.append(name).append(Below(3), ' ') += "=" + Expression(depth);
      }
      text += Pick({"\n", "\n\n", " # c\n", "// d\n", "/* e */\n"});
      if (Below(6) == 0) {
        text += Pick({"# alone\n", "/* two\nlines */\n", "\n\n\n"});
      }
    }
    return text;
  }

 private:
  size_t Below(size_t limit) { return random_() % limit; }
  std::string_view Pick(std::initializer_list<std::string_view> choices) {
    return choices.begin()[Below(choices.size())];
  }
  std::string Expression(int depth) {
    if (depth == 0) {
      return std::string(Pick({"1", "-2", "\"x\"", "a.b[0]", "\"${c}\"", "null", "a[*].b"}));
    }
    const auto inner = [&] { return Expression(depth - 1); };
    switch (Below(8)) {
      case 0:
        return "[" + inner() + "," + inner() + std::string(Pick({"]", ",\n]"}));
      case 1:
        return "{x=" + inner() + "\n \"y z\":" + inner() + "}";
      case 2:
        return inner() + std::string(Pick({" -", "+", "&&", "==", " *"})) + inner();
      case 3:
        return "f(" + inner() + ",\n  " + inner() + ")";
      case 4:
        return "\"t ${ " + inner() + " } %{if " + inner() + "}u%{ endif }\"";
      case 5:
        return "[for k,v in[" + inner() + "]:v if k]";
      case 6:
        return "(" + inner() + "?" + inner() + ":" + inner() + ")";
      default:
        return "\"${ " + inner() + " }\"";
    }
  }

  std::mt19937 random_;
  int next_name_ = 0;
};

/// Kind and text of the tokens.
std::vector<std::string> TokensOf(std::string_view text) {
  std::vector<std::string> out;
  for (const Token& token : Lex(text, LexMode::kNormal, Comments::kKeep)) {
    out.push_back(std::to_string(static_cast<int>(token.kind)) + ":" +
                  std::string(text.substr(token.begin, token.end - token.begin)));
  }
  return out;
}

TEST(FormatProperties, AnyTextKeepsItsTokens) {
  size_t changed = 0;
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    const std::string text = RandomText(seed).Body(3);
    const std::string formatted = Format(text);
    changed += formatted != text;
    ASSERT_EQ(TokensOf(formatted), TokensOf(text)) << text;
    ASSERT_EQ(Format(formatted), formatted) << text;
  }
  EXPECT_GT(changed, 2900U);
}

TEST(FormatProperties, TextsWithErrorsAreLaidOut) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    const std::string text = RandomText(seed).Tokens(30);
    // Only spaces differ.
    const auto without_spaces = [](std::string all) {
      std::erase_if(all, [](char c) { return c == ' ' || c == '\t'; });
      return all;
    };
    EXPECT_EQ(without_spaces(Format(text)), without_spaces(text)) << text;
  }
}

/// Names, types and labels of a body, in order.
std::string Names(const NativeBody& body) {
  std::string out;
  for (const NativeAttribute& attribute : body.attributes) {
    out += std::string(attribute.name) + ";";
  }
  for (const NativeBlock& block : body.blocks) {
    out += std::string(block.type);
    for (const std::string_view label : block.labels) {
      out += " " + std::string(label);
    }
    out += "{" + Names(*block.body) + "}";
  }
  return out;
}

/// The form of an expression; a template of one interpolation has the form of its expression.
std::string Form(const Expr& expr) {
  if (expr.kind == ExprKind::kTemplateWrap) {
    return Form(*static_cast<const WrapExpr&>(expr).wrapped);
  }
  std::string out = "(" + std::to_string(static_cast<int>(expr.kind));
  if (expr.kind == ExprKind::kTraversal || expr.kind == ExprKind::kLiteral ||
      expr.kind == ExprKind::kText) {
    out += std::string(expr.range().text());
  }
  ForEachChild(expr, [&](const Expr& child) { out += Form(child); });
  return out + ")";
}

std::string Forms(const NativeBody& body) {
  std::string out;
  for (const NativeAttribute& attribute : body.attributes) {
    const Expr* expr = attribute.expr;
    // fmt may add parentheses to unwrapped expressions.
    while (expr->kind == ExprKind::kTemplateWrap || expr->kind == ExprKind::kParentheses) {
      expr = static_cast<const WrapExpr*>(expr)->wrapped;
    }
    out += Form(*expr) + ";";
  }
  for (const NativeBlock& block : body.blocks) {
    out += "{" + Forms(*block.body) + "}";
  }
  return out;
}

TEST(FormatProperties, FmtKeepsTheMeaning) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    const std::string text = RandomText(seed).Body(3);
    const std::string formatted = Fmt(text);
    SyntaxTree tree;
    Diagnostics diags;
    const auto before = SourceFile::Make("a", text);
    const auto after = SourceFile::Make("b", formatted);
    const NativeBody* a = ParseNative(before.get(), tree, diags);
    const NativeBody* b = ParseNative(after.get(), tree, diags);
    ASSERT_TRUE(diags.empty()) << text << "\n--\n" << formatted << "\n" << diags.begin()->summary;
    ASSERT_EQ(Names(*a), Names(*b)) << text;
    ASSERT_EQ(Forms(*a), Forms(*b)) << text << "\n--\n" << formatted;
  }
}

// --- Work ---

uint64_t WorkFor(std::string_view text) {
  std::string out;
  Layout layout(out);
  for (const Token& token : Lex(text, LexMode::kNormal, Comments::kKeep)) {
    if (token.kind != TokenKind::kEof) {
      layout.Add(token.kind, text.substr(token.begin, token.end - token.begin));
    }
  }
  layout.Finish();
  return layout.work();
}

TEST(Format, WorkIsLinear) {
  constexpr TextCase kPieces[] = {
      {"aligned lines", "a = 1 # c\n", ""},        {"one long line", "[a, b = -1 + c] ", ""},
      {"nested brackets in lines", "a = [\n", ""}, {"closing brackets", "]\n", ""},
      {"comments that wait", "a # c\n", ""},       {"open strings", "\"${", ""},
      {"heredocs", "a = <<E\nx\nE\n", ""},
  };
  for (const TextCase& piece : kPieces) {
    std::string text;
    while (text.size() < 20'000) {
      text += piece.before;
    }
    const uint64_t once = WorkFor(text);
    const uint64_t twice = WorkFor(text + text);
    EXPECT_LE(twice, 2 * once + 100) << piece.name;
    EXPECT_GT(once, 0U) << piece.name;
  }
}

// --- Values ---

TEST(Tokens, Values) {
  struct ValueCase {
    Value value;
    std::string_view text;
  };
  const ValueCase cases[] = {
      {Value::Null(Type::String()), "null"},
      {Value::True(), "true"},
      {Value::Int(-12), "-12"},
      {Value::Of(*Number::Parse("1e30")), "1000000000000000000000000000000"},
      {Value::Of(*Number::Parse("0.125")), "0.125"},
      {Value::String(""), "\"\""},
      {Value::String("a\n\t\r\"\\ ${b} %{c} $d %"), "\"a\\n\\t\\r\\\"\\\\ $${b} %%{c} $d %\""},
      {Value::String("\xC3\xA9 \xC2\xA0 \x01 \xF0\x9F\x98\x80 \xF3\xA0\x80\x81"),
       "\"\xC3\xA9 \\u00a0 \\u0001 \xF0\x9F\x98\x80 \\U000e0001\""},
      {Value::EmptyTuple(), "[]"},
      {Value::EmptyObject(), "{}"},
      {Value::Tuple({Value::Int(1), Value::String("a")}), "[1, \"a\"]"},
      {Value::Set(Type::Number(), {Value::Int(2), Value::Int(1)}), "[1, 2]"},
      {Value::Object({{"a", Value::Int(1)},
                      {"long", Value::EmptyTuple()},
                      {"x y", Value::Object({{"b", Value::Int(2)}})}}),
       "{\n  a    = 1\n  long = []\n  \"x y\" = {\n    b = 2\n  }\n}"},
  };
  for (const ValueCase& test : cases) {
    const Result<std::string> text = ValueText(test.value);
    ASSERT_TRUE(text.has_value());
    EXPECT_EQ(*text, test.text);
  }
}

TEST(Tokens, ValuesThatHaveNoText) {
  EXPECT_FALSE(ValueText(Value::Unknown(Type::String())));
  EXPECT_FALSE(ValueText(Value::Tuple({Value::DynamicUnknown()})));
  EXPECT_FALSE(ValueText(Value::String("a").WithMarks(MarkSet::Sensitive())));
  EXPECT_FALSE(ValueText(Value::Tuple({Value::String("a").WithMarks(MarkSet::Sensitive())})));
}

TEST(Tokens, StringsParseBack) {
  std::mt19937 random(7);
  static constexpr std::string_view kParts[] = {"$",  "%",   "{", "}",        "\\",           "\"",
                                                "\n", "~",   "a", "\xC3\xA9", "\xE2\x80\xA8", "\r",
                                                "\t", "\x7F"};
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (int i = 0; i < 8; ++i) {
      text += kParts[random() % std::size(kParts)];
    }
    const auto source = SourceFile::Make("s", StringText(text));
    SyntaxTree tree;
    Diagnostics diags;
    const Expr* expr = ParseExpression(source.get(), tree, diags);
    ASSERT_TRUE(diags.empty()) << source->text();
    std::string read;
    ForEachChild(*expr, [&](const Expr& part) {
      ASSERT_TRUE(part.kind == ExprKind::kLiteral || part.kind == ExprKind::kText);
      read += part.kind == ExprKind::kText
                  ? static_cast<const TextExpr&>(part).text()
                  : static_cast<const LiteralExpr&>(part).value->AsString();
    });
    EXPECT_EQ(read, Value::String(text).AsString()) << source->text();
  }
}

TEST(Tokens, Traversals) {
  const Value key = Value::String("k\"");
  const Value index = Value::Int(3);
  const TraversalStep steps[] = {TraversalStep::Attribute(0, 0, "b"),
                                 TraversalStep::Index(0, 0, &key),
                                 TraversalStep::Index(0, 0, &index)};
  EXPECT_EQ(TraversalText("a", steps), "a.b[\"k\\\"\"][3]");
  EXPECT_EQ(TraversalText("a", {}), "a");
}

}  // namespace
}  // namespace kinu::hcl::writer
