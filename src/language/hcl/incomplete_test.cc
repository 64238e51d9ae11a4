// The parser's incomplete mode: what it keeps of texts with errors, and properties over all texts
// of configuration that the tests have.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/testing/recorded_cases.h"
#include "base/testing/source_directory.h"
#include "hcl/lexer.h"
#include "hcl/parse.h"
#include "hcl/testing/show.h"
#include "json/reader.h"

namespace kinu::hcl {
namespace {

struct Parsed {
  explicit Parsed(std::string text, ParseMode mode = ParseMode::kIncomplete)
      : source(SourceFile::Make("test.tf", std::move(text))) {
    body = ParseNative(source.get(), tree, diags, mode);
  }
  Ref<const SourceFile> source;
  SyntaxTree tree;
  Diagnostics diags;
  const NativeBody* body = nullptr;
};

struct Example {
  const char* source;
  const char* form;
};

void ExpectForms(std::span<const Example> examples) {
  for (const Example& example : examples) {
    const Parsed parsed(example.source);
    EXPECT_TRUE(parsed.diags.has_errors()) << example.source;
    EXPECT_EQ(Show(*parsed.body), example.form) << example.source;
  }
}

TEST(Incomplete, Attributes) {
  ExpectForms(std::vector<Example>{
      {"instan", "instan = ?"},
      {"a = 1\ninstan\nb = 2\n", "a = 1; instan = ?; b = 2"},
      {"r {\n  ins\n}\n", "r { ins = ? }"},
      {"r { ins }\n", "r { ins = ? }"},
      {"a =", "a = ?"},
      {"a = \nb = 2\n", "a = ?; b = 2"},
      {"a = 1\na = 2\n", "a = 1; a = 2"},
      {"a.b = 1\nc = 2\n", "a = ?; c = 2"},
      {"a = 1, b = 2\nc = 3\n", "a = 1; c = 3"},
      {"\"a\" = 1\nc = 3\n", "c = 3"},
      {"a = b c\nd = 1\n", "a = b; d = 1"},
      {"a = 1;\nb = 2\n", "a = 1; b = 2"},
      {"r { a = 1, b = 2 }\nc = 1\n", "r { a = 1 }; c = 1"},
      {"r { s { a = 1 } }\n", "r { s { a = 1 } }"},
  });
}

TEST(Incomplete, Expressions) {
  ExpectForms(std::vector<Example>{
      {"a = var.\n", "a = var."},
      {"a = a.b.\nc = 1\n", "a = a.b.; c = 1"},
      {"a = f(var.)\n", "a = (call f var.)"},
      {"a = var.x[\n", "a = (index var.x ?)"},
      {"a = x[\nb = 1\n", "a = (index x ?); b = 1"},
      {"a = x[\"k\n", "a = x[\"k\n"},
      {"a = x.*.\n", "a = (splat x (rel @ .))"},
      {"a = f(x, \n", "a = (call f x)"},
      {"a = f(x y, z)\n", "a = (call f x y z)"},
      {"a = f(x,, z)\n", "a = (call f x ? z)"},
      {"a = provider::\n", "a = (call provider::)"},
      {"a = provider::x::f\n", "a = (call provider::x::f)"},
      {"a = x +\nb = 1\n", "a = (op8 x ?); b = 1"},
      {"a = x ? y\n", "a = (if x y ?)"},
      {"a = x ?\n", "a = (if x ? ?)"},
      {"a = (x\nb = 1\n", "a = (paren x); b = 1"},
      {"a = !\n", "a = (unary ?)"},
      {"a = [1, 2\nb = 1\n", "a = [ 1 2 ]; b = 1"},
      {"a = [1 2, ]\n", "a = [ 1 2 ]"},
      {"a = {b = 1\nc = 2\n", "a = { b 1 c 2 }"},
      {"a = {\n  b\n  c = \n  d = 1\n}\n", "a = { b ? c ? d 1 }"},
      {"a = {b = 1 c = 2}\n", "a = { b 1 c 2 }"},
      {"a = { = 1, c = 2}\n", "a = { (key ?) 1 c 2 }"},
      {"a = [for\n", "a = (for ? ?)"},
      {"a = [for x\n", "a = (for ? ?)"},
      {"a = [for x in\n", "a = (for ? ?)"},
      {"a = [for x in y\n", "a = (for y ?)"},
      {"a = [for x in y :\n", "a = (for y ?)"},
      {"a = {for k, v in y : k\n", "a = (for y k ?)"},
      {"a = [for x in y : x.z if\n", "a = (for y x.z ?)"},
  });
}

TEST(Incomplete, Templates) {
  ExpectForms(std::vector<Example>{
      {"a = \"b\nc = 1\n", "a = (template 'b'); c = 1"},
      {"a = \"b", "a = (template 'b')"},
      {"a = \"\n", "a = (template '')"},
      {"a = \"b-${\nc = 1\n", "a = (template 'b-' ?); c = 1"},
      {"a = \"b-${var.\nc = 1\n", "a = (template 'b-' var.); c = 1"},
      {"a = \"b-${f(x\nc = 1\n", "a = (template 'b-' (call f x)); c = 1"},
      {"a = \"${x y}\"\n", "a = (wrap x)"},
      {"a = \"%{ if x }y\"\n", "a = (template (if x (template 'y') (template '')))"},
      {"a = \"%{ for x in y }z\"\n", "a = (template (join (for y (template 'z'))))"},
      {"a = \"%{ for x }z%{ endfor }\"\n", "a = (template (join (for ? (template 'z'))))"},
      {"a = <<EOT\nb ${c} d\n", "a = (template 'b ' c ' d\n')"},
      {"a = <<EOT\nb\n\nresource \"x\" \"y\" {\n  z = 1\n}\n",
       "a = (template 'b\n\n'); resource x y { z = 1 }"},
      {"a = <<EOT\nserver {\n}\nEOT\nb\n", "a = (template 'server {\n}\n'); b = ?"},
      {"a = <<EOT\n\nr \"x\" {\n b = <<EOT\nc\nEOT\n}\n",
       "a = (template '\n'); r x { b = (template 'c\n') }"},
  });
}

TEST(Incomplete, SequencesInHeredocs) {
  ExpectForms(std::vector<Example>{
      {"a {\n  b = <<-EOT\n    x ${var.\n  EOT\n  c = 1\n}\nd {\n}\n",
       "a { b = (template 'x ' var.); c = 1 }; d {}"},
      {"a {\n  b = <<EOT\n${f(x\n%{endfor~}\nEOT\n  c = {\n  }\n}\nd {\n}\n",
       "a { b = (wrap (call f (op12 x { endfor ? }))); c = { } }; d {}"},
      {"a = <<EOT\n${\n{}\nEOT\n}\nb {\n}\n", "a = (wrap { }); b {}"},
  });
}

TEST(Incomplete, Headers) {
  ExpectForms(std::vector<Example>{
      {"resource \"a\"", "resource a {}"},
      {"resource \"a\" \"b\"\nc = 1\n", "resource a b {}; c = 1"},
      {"resource \"aw\nc = 1\n", "resource aw {}; c = 1"},
      {"resource \"aw\n\nresource \"a\" \"b\" {\n  c = 1\n}\n",
       "resource aw {}; resource a b { c = 1 }"},
      {"r {\n  s \"x\"\n  t = 1\n}\n", "r { s x {}; t = 1 }"},
      {"r \"a\"\n{\n  b = 1\n}\n", "r a { b = 1 }"},
      {"r a = 1\nb = 2\n", "r a {}; b = 2"},
  });
}

TEST(Incomplete, Recovery) {
  ExpectForms(std::vector<Example>{
      // A brace is missing: the blocks below are whole.
      {"a {\n  b = 1\n\nc \"x\" {\n  d = 2\n}\ne {\n  f = 3\n}\n",
       "a { b = 1 }; c x { d = 2 }; e { f = 3 }"},
      {"a {\nc \"x\" {\n  d = 2\n}\n", "a {}; c x { d = 2 }"},
      {"a {\n  b {\n    x = 1\n  c = 2\n}\nd {\n  y = 1\n}\n",
       "a { b { x = 1 }; c = 2 }; d { y = 1 }"},
      {"a {\n  b = {\n    x = 1\n\n  c = 2\n}\nd {\n}\n", "a { b = { x 1 }; c = 2 }; d {}"},
      {"a {\n  b = f(1,\n  c = 2\n}\nd {\n}\n", "a { b = (call f 1); c = 2 }; d {}"},
      {"a {\n  b\n    x = 1\n  }\n  c = 2\n}\nd {\n}\n", "a { b = ?; x = 1; c = 2 }; d {}"},
      // A closing bracket too many.
      {"a {\n  b = 1)\n  c = 2\n}\nd {\n}\n", "a { b = 1; c = 2 }; d {}"},
      {"a {\n  b = 1\n}\n}\nd {\n}\n", "a { b = 1 }; d {}"},
      // Blocks that are not indented stay together if their braces match.
      {"x =\na {\nb {\nc = 1\n}\n}\nd {\n}\n", "x = ?; a { b { c = 1 } }; d {}"},
      // What is in comments is no header.
      {"a {\n  b = /*\nc {\n}\n*/ 1 1\n}\n", "a { b = 1 }"},
      // What a valid expression has is no item.
      {"x =\na = [for y in z : y\nif {a = 1} == y]\n", "x = ?; a = (for z y (op2 { a 1 } y))"},
      {"x =\na = \"${f({\n  b = 1\n})}\"\nc = 2\n", "x = ?; a = (wrap (call f { b 1 })); c = 2"},
  });
}

// --- All texts that the tests have ---

/// The .tf files in the folder of tests, and those in recorded sessions of commands.
void AddFiles(std::vector<std::string>& texts) {
  namespace fs = std::filesystem;
  for (const auto& entry : fs::recursive_directory_iterator(SourceDirectory() + "/tests")) {
    std::ifstream in(entry.path(), std::ios::binary);
    if (entry.path().extension() == ".tf") {
      texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    if (entry.path().extension() != ".case") {
      continue;
    }
    bool in_file = false;
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with("=== ")) {
        in_file = line.starts_with("=== file ") && line.ends_with(".tf");
        if (in_file) {
          texts.emplace_back();
        }
      } else if (in_file) {
        texts.back() += line + "\n";
      }
    }
  }
}

/// The sources of the recorded cases of parsing, in one of the syntaxes.
void AddRecorded(bool json, std::vector<std::string>& texts) {
  for (const auto& [name, path] : recorded::Suites()) {
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
      const JsonDocument document = kinu::ParseJson(line);
      const JsonNode* request = document.root().Find("request");
      if (request != nullptr && request->Find("source") != nullptr &&
          (request->TextOf("syntax") == "json") == json) {
        texts.push_back(request->TextOf("source"));
      }
    }
  }
}

const std::vector<std::string>& Texts() {
  static const std::vector<std::string> kTexts = [] {
    std::vector<std::string> texts;
    AddFiles(texts);
    AddRecorded(false, texts);
    std::sort(texts.begin(), texts.end());
    texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
    return texts;
  }();
  return kTexts;
}

void ExpectInOrder(const Expr& expr, uint32_t least, uint32_t most) {
  ASSERT_LE(expr.begin, expr.end);
  ASSERT_GE(expr.begin, least);
  ASSERT_LE(expr.end, most);
  ForEachChild(expr, [&](const Expr& child) { ExpectInOrder(child, 0, most); });
}

void ExpectInOrder(const NativeBody& body) {
  const auto most = static_cast<uint32_t>(body.file->text().size());
  uint32_t at = 0;
  for (const NativeAttribute& attribute : body.attributes) {
    ASSERT_GE(attribute.begin, at);
    ASSERT_LE(attribute.name_end(), attribute.equals_begin);
    ExpectInOrder(*attribute.expr, attribute.equals_begin, attribute.end);
    at = attribute.end;
  }
  ASSERT_LE(at, most);
  at = 0;
  for (const NativeBlock& block : body.blocks) {
    ASSERT_GE(block.type_begin, at);
    ASSERT_LE(block.header_end(), most);
    ASSERT_LE(block.open_brace, block.close_brace);
    ASSERT_LE(block.body->begin, block.body->end);
    ASSERT_LE(block.body->end, most);
    ExpectInOrder(*block.body);
    at = std::max(block.body->end, block.header_end());
  }
}

std::string ShowAll(const Diagnostics& diags) {
  std::string out;
  for (const Diagnostic& diagnostic : diags) {
    out += diagnostic.summary + "|" + diagnostic.detail + "|" + ToText(diagnostic.subject) + "|" +
           (diagnostic.context.valid() ? ToText(diagnostic.context) : "") + "\n";
  }
  return out;
}

/// Both modes give the same diagnostics, and the same tree if there are none. Returns the tree of
/// the incomplete mode.
std::unique_ptr<Parsed> ExpectModesAgree(const std::string& text) {
  const Parsed strict(text, ParseMode::kStrict);
  auto incomplete = std::make_unique<Parsed>(text);
  EXPECT_EQ(ShowAll(strict.diags), ShowAll(incomplete->diags)) << text;
  if (!strict.diags.has_errors()) {
    EXPECT_EQ(Show(*strict.body), Show(*incomplete->body)) << text;
  }
  ExpectInOrder(*incomplete->body);
  return incomplete;
}

/// The forms of the blocks that lie in the part of the text.
std::vector<std::string> BlocksIn(const NativeBody& body, uint32_t begin, uint32_t end) {
  std::vector<std::string> forms;
  for (const NativeBlock& block : body.blocks) {
    if (block.type_begin >= begin && block.close_brace < end) {
      std::string form(block.type.view());
      for (const Label& label : block.labels) {
        form += " " + std::string(label.text.view());
      }
      forms.push_back(form + " { " + Show(*block.body) + " }");
    }
  }
  return forms;
}

/// Whether all of `some` are in `all`, in that order.
bool AreIn(const std::vector<std::string>& some, const std::vector<std::string>& all) {
  auto at = all.begin();
  for (const std::string& form : some) {
    at = std::find(at, all.end(), form);
    if (at == all.end()) {
      return false;
    }
    ++at;
  }
  return true;
}

TEST(Incomplete, AgreesWithStrictModeForEveryText) {
  ASSERT_GT(Texts().size(), 100U);
  for (const std::string& text : Texts()) {
    ExpectModesAgree(text);
  }
}

/// The attributes of a body of JSON syntax that all are arguments.
std::string ShowAll(const Body& body) {
  Diagnostics ignored;
  std::string out;
  for (const Attribute& attribute : body.JustAttributes({}, ignored)) {
    out += std::string(attribute.name) + " = " + Show(*attribute.expr) + "; ";
  }
  return out;
}

TEST(Incomplete, AgreesWithStrictModeForEveryJsonText) {
  std::vector<std::string> texts;
  AddRecorded(true, texts);
  ASSERT_GT(texts.size(), 50U);
  for (const std::string& whole : texts) {
    for (size_t cut = 0; cut <= whole.size(); cut += std::max<size_t>(1, whole.size() / 20)) {
      const std::string text = whole.substr(0, cut);
      const Ref<const SourceFile> source = SourceFile::Make("t.tf.json", text);
      SyntaxTree tree;
      Diagnostics strict;
      const Body* body = ParseJson(source.get(), tree, strict);
      Diagnostics diags;
      const Body* incomplete = ParseJson(source.get(), tree, diags, ParseMode::kIncomplete);
      EXPECT_EQ(ShowAll(strict), ShowAll(diags)) << text;
      const std::string kept = ShowAll(*incomplete);
      const std::string form = ShowAll(*body);
      if (!strict.has_errors() && !form.contains("(invalid)")) {
        EXPECT_EQ(form, kept) << text;
      }
    }
  }
}

/// Whether a heredoc contains the beginning of another. Where its end is missing, it ends before a
/// line that looks like a header, and a marker after that line decides whether its end is missing.
bool HasHeredocInHeredoc(std::string_view text) {
  const std::vector<Token> tokens = Lex(text, LexMode::kNormal);
  return std::any_of(tokens.begin(), tokens.end(), [&](const Token& token) {
    return token.kind == TokenKind::kPlainText &&
           text.substr(token.begin, token.end - token.begin).find("<<") != std::string_view::npos;
  });
}

// How many texts are cut. Sanitizers make each cut ten times as expensive.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr size_t kFiles = 120;
#else
constexpr size_t kFiles = 1000;
#endif

TEST(Incomplete, KeepsTheBlocksOfEveryPrefix) {
  constexpr size_t kCuts = 200;  // of a shorter text: at every byte
  size_t files = 0;
  for (size_t i = 0; i < Texts().size() && files < kFiles; ++i) {
    const std::string& text = Texts()[i * 7919 % Texts().size()];
    const Parsed whole(text, ParseMode::kStrict);
    if (whole.diags.has_errors() || whole.body->blocks.empty() || HasHeredocInHeredoc(text)) {
      continue;
    }
    ++files;
    const size_t step = std::max<size_t>(1, text.size() / kCuts);
    for (size_t cut = 0; cut < text.size(); cut += step) {
      const auto prefix = ExpectModesAgree(text.substr(0, cut));
      const auto complete = BlocksIn(*whole.body, 0, static_cast<uint32_t>(cut));
      EXPECT_TRUE(AreIn(complete, BlocksIn(*prefix->body, 0, UINT32_MAX)))
          << text.substr(0, cut) << "\n---\n"
          << Show(*prefix->body);
    }
  }
  EXPECT_GT(files, 100U);
}

/// Whether each block begins a line in the first column, which is how a block is recognised behind
/// one that is not closed.
bool BlocksBeginLines(const NativeBody& body) {
  const std::string_view text = body.file->text();
  return std::all_of(body.blocks.begin(), body.blocks.end(), [&](const NativeBlock& block) {
    return block.type_begin == 0 || text[block.type_begin - 1] == '\n';
  });
}

TEST(Incomplete, KeepsTheBlocksAroundADeletedToken) {
  constexpr size_t kTokens = 60;
  size_t files = 0;
  for (size_t i = 0; i < Texts().size() && files < kFiles; ++i) {
    const std::string& text = Texts()[i * 7919 % Texts().size()];
    const Parsed whole(text, ParseMode::kStrict);
    if (whole.diags.has_errors() || whole.body->blocks.size() < 2 ||
        !BlocksBeginLines(*whole.body) || HasHeredocInHeredoc(text)) {
      continue;
    }
    ++files;
    const std::vector<Token> tokens = Lex(text, LexMode::kNormal);
    const size_t step = std::max<size_t>(1, tokens.size() / kTokens);
    for (size_t at = 0; at < tokens.size(); at += step) {
      const Token& token = tokens[at];
      std::string cut = text;
      cut.erase(token.begin, token.end - token.begin);
      const auto parsed = ExpectModesAgree(cut);
      auto untouched = BlocksIn(*whole.body, 0, token.begin - std::min(token.begin, 1U));
      for (std::string& form : BlocksIn(*whole.body, token.end + 1, UINT32_MAX)) {
        untouched.push_back(std::move(form));
      }
      EXPECT_TRUE(AreIn(untouched, BlocksIn(*parsed->body, 0, UINT32_MAX)))
          << "without " << text.substr(token.begin, token.end - token.begin) << "\n"
          << cut << "\n---\n"
          << Show(*parsed->body);
    }
  }
  EXPECT_GT(files, 100U);
}

}  // namespace
}  // namespace kinu::hcl
