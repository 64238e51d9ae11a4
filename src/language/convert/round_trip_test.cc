// Properties of everything that writes HCL, tested with generated files (failures shrink) and with
// recorded ones: formatting is idempotent and keeps tokens and meaning, values parse back,
// conversion to JSON and back keeps the meaning, and an edit changes nothing else.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/testing/recorded_cases.h"
#include "convert/convert.h"
#include "convert/meaning.h"
#include "functions/function.h"
#include "hcl/lexer.h"
#include "hcl/parse.h"
#include "hcl/writer/editor.h"
#include "hcl/writer/format.h"
#include "hcl/writer/tokens.h"
#include "json/reader.h"
#include "lang/eval.h"
#include "lang/user_function.h"

namespace kinu::convert {
namespace {

using hcl::writer::Document;
using hcl::writer::EditableBlock;
using hcl::writer::EditableBody;

/// A list of numbers that controls a generator: each choice consumes one, and takes the first,
/// simplest alternative when none is left. Shorter lists of smaller numbers give simpler results,
/// so that failures shrink.
class Choices {
 public:
  explicit Choices(std::vector<uint8_t> numbers) : numbers_(std::move(numbers)) {}
  size_t Below(size_t count) { return at_ < numbers_.size() ? numbers_[at_++] % count : 0; }
  bool Maybe() { return Below(2) == 1; }
  std::string_view Pick(std::initializer_list<std::string_view> alternatives) {
    return alternatives.begin()[Below(alternatives.size())];
  }

 private:
  std::vector<uint8_t> numbers_;
  size_t at_ = 0;
};

Choices SomeChoices() {
  // Enough for files of some hundred tokens.
  const auto size = *rc::gen::inRange<size_t>(0, 400);
  return Choices(
      *rc::gen::container<std::vector<uint8_t>>(size, rc::gen::inRange<uint8_t>(0, 251)));
}

/// Generates valid files with all constructs of the native syntax, in any layout.
class FileMaker {
 public:
  explicit FileMaker(Choices choices) : choices_(std::move(choices)) {}

  std::string File() {
    Body(0);
    return std::move(out_);
  }

 private:
  static constexpr int kDeep = 4;

  void Blanks() { out_ += choices_.Pick({"", " ", "  ", "\t"}); }
  void Body(int depth) {
    while (choices_.Below(5) != 0) {
      out_ += choices_.Pick({"", "  ", "\n", "# note\n", "// é note\n", " /* a\n b */ ", "\t"});
      if (depth == kDeep || choices_.Below(3) != 1) {
        out_ += "a" + std::to_string(next_name_++);
        Blanks();
        out_ += '=';
        Blanks();
        Expression(depth, true);
      } else {
        Block(depth);
      }
      // The end marker of a heredoc must be alone on its line.
      out_ += out_.ends_with("EOT") ? "\n" : choices_.Pick({"\n", " # c\n", "\n\n", " // d\n"});
    }
  }

  void Block(int depth) {
    const size_t labels = choices_.Below(3);  // see kMade
    out_ += "b" + std::to_string(labels) + " ";
    for (size_t i = 0; i < labels; ++i) {
      out_ += choices_.Pick({"\"x\"", "\"y z\"", "\"$${\"", "\"\\u00e9\"", "name"});
      out_ += choices_.Pick({" ", "  "});
    }
    switch (choices_.Below(3)) {
      case 0:
        out_ += "{}";
        return;
      case 1:
        out_ += "{ a" + std::to_string(next_name_++) + " = ";
        Expression(kDeep, false);
        out_ += " }";
        return;
      default:
        out_ += "{\n";
        Body(depth + 1);
        out_ += "}";
        return;
    }
  }

  void Text() {
    while (choices_.Below(3) != 0) {
      out_ += choices_.Pick({"x", " ", "\\n", "\\t", "\\\"", "\\\\", "$${", "%%{", "é", "e\u0301",
                             "\\u00e9", "\\U0001F600", "$", "50%", "#", "{", "}", "~"});
      if (out_.ends_with('$') || out_.ends_with('%')) {
        out_ += ' ';
      }
    }
  }

  void Sequence(int depth) {
    out_ += choices_.Pick({"${", "${~ ", "${ "});
    Expression(depth + 1, false);
    out_ += choices_.Pick({"}", " ~}", " }"});
  }

  void Template(int depth, bool heredoc) {
    while (choices_.Below(4) != 0) {
      switch (choices_.Below(heredoc ? 5 : 4)) {
        case 0:
          Text();
          break;
        case 1:
          Sequence(depth);
          break;
        case 2:
          out_ += choices_.Pick({"%{ if c }", "%{~ if c ~}"});
          Text();
          out_ += choices_.Pick({"%{ endif }", "%{ else }y%{ endif ~}"});
          break;
        case 3:
          out_ += choices_.Pick({"%{ for k in l }", "%{ for k, v in l ~}"});
          Text();
          out_ += "${k}%{ endfor }";
          break;
        default:
          out_ += choices_.Pick({"\n", "\n  ", "\n\t"});
          break;
      }
    }
  }

  void List(std::string_view open, std::string_view close, int depth) {
    out_ += open;
    bool first = true;
    while (choices_.Below(3) != 0) {
      out_ += first ? "" : choices_.Pick({",", ", ", ",\n"});
      first = false;
      Expression(depth + 1, false);
    }
    out_ += first ? "" : choices_.Pick({"", "\n"});
    out_ += close;
  }

  void Object(int depth) {
    out_ += choices_.Pick({"{", "{\n", "{ "});
    for (int i = 0; choices_.Below(3) != 0; ++i) {
      const std::string name = "k" + std::to_string(i);
      switch (choices_.Below(4)) {
        case 0:
          out_ += name;
          break;
        case 1:
          out_ += "\"" + name + " x\"";
          break;
        case 2:
          out_ += "(" + name + ")";
          break;
        default:
          out_ += "\"" + name + "${c}\"";
          break;
      }
      out_ += choices_.Pick({" = ", "=", ": ", " : "});
      Expression(depth + 1, false);
      out_ += choices_.Pick({"\n", ", ", " # c\n"});
    }
    out_ += "}";
  }

  void Operation(int depth) {
    out_ += "(";
    Expression(depth + 1, false);
    out_ += choices_.Pick({" + ", " - ", "*", " / ", "%", " == ", "!=", "<", " >= ", "&&", " || "});
    Expression(depth + 1, false);
    out_ += ")";
  }

  void For(int depth) {
    const bool object = choices_.Maybe();
    out_ += object ? "{" : "[";
    out_ += choices_.Pick({"for v in l : ", "for k, v in l:", "for k , v in m : "});
    if (object) {
      out_ += choices_.Pick({"v => ", "\"${v}\" => "});
    }
    Expression(depth + 1, false);
    out_ += object ? choices_.Pick({"", "..."}) : "";
    out_ += choices_.Pick({"", " if v != null"});
    out_ += object ? "}" : "]";
  }

  void Expression(int depth, bool alone) {
    if (depth >= kDeep) {
      out_ += choices_.Pick({"0", "true", "null", "1.50", "-2", "var.x", "\"t\"", "a.b[0].c"});
      return;
    }
    switch (choices_.Below(16)) {
      case 0:
        out_ += choices_.Pick({"0", "12", "1.50", "1e3", "123456789012345678901234567890"});
        return;
      case 1:
        out_ += choices_.Pick({"true", "false", "null"});
        return;
      case 2:
        out_ += choices_.Pick({"var.x", "a", "a.b[0].c", "a[\"k\"]", "a[b.c]", "a.0.b", "a-b.é"});
        return;
      case 3:
        out_ += choices_.Pick({"-", "!"});
        Expression(kDeep, false);
        return;
      case 4:
        out_ += '"';
        Text();
        out_ += '"';
        return;
      case 5:
        out_ += '"';
        Template(depth, false);
        out_ += '"';
        return;
      case 6:
        List("[", "]", depth);
        return;
      case 7:
        List(choices_.Pick({"f(", "provider::p::f(", "core::g ("}), ")", depth);
        return;
      case 8:
        Object(depth);
        return;
      case 9:
        Operation(depth);
        return;
      case 10:
        out_ += "(c ? ";
        Expression(depth + 1, false);
        out_ += choices_.Pick({" : ", ":"});
        Expression(depth + 1, false);
        out_ += ")";
        return;
      case 11:
        For(depth);
        return;
      case 12:
        out_ += choices_.Pick({"s[*].t", "s.*.t", "s[*]", "s[*].t[0]"});
        return;
      case 13:
        out_ += "f(x)";
        out_ += choices_.Pick({".a", "[0]", "[*].b", "[c.d]"});
        return;
      case 14:
        out_ += "f(x...)";
        return;
      default:
        if (!alone) {
          out_ += "u";
          return;
        }
        out_ += choices_.Pick({"<<EOT\n", "<<-EOT\n"});
        Template(depth, true);
        out_ += "\n  EOT";
        return;
    }
  }

  Choices choices_;
  std::string out_;
  int next_name_ = 0;
};

// The shape of these files.
extern const BodyShape kMade;
constexpr BlockShape kMadeBlocks[] = {{"b0", 0, &kMade}, {"b1", 1, &kMade}, {"b2", 2, &kMade}};
constexpr BodyShape kMade{.blocks = kMadeBlocks};

struct Parsed {
  Ref<const SourceFile> source;
  hcl::SyntaxTree tree;
  Diagnostics diags;
  const hcl::NativeBody* body;
  explicit Parsed(std::string text)
      : source(SourceFile::Make("a.tf", std::move(text))),
        body(hcl::ParseNative(source.get(), tree, diags)) {}
};

std::string Problems(const Diagnostics& diags) {
  std::string out;
  for (const Diagnostic& problem : diags) {
    out += problem.summary + ": " + problem.detail + "\n";
  }
  return out;
}

/// Kind and text of each token.
std::vector<std::string> TokensOf(std::string_view text) {
  std::vector<std::string> out;
  for (const hcl::Token& token : hcl::Lex(text, hcl::LexMode::kNormal, hcl::Comments::kKeep)) {
    out.push_back(std::to_string(static_cast<int>(token.kind)) + ":" +
                  std::string(text.substr(token.begin, token.end - token.begin)));
  }
  return out;
}

// Each of these checks returns an error text, or an empty one.

std::string WrongWithFormat(const std::string& text) {
  const std::string once = hcl::writer::Format(text);
  if (TokensOf(once) != TokensOf(text)) {
    return "the layout changed tokens:\n" + once;
  }
  if (hcl::writer::Format(once) != once) {
    return "the layout is not stable:\n" + once + "--\n" + hcl::writer::Format(once);
  }
  return {};
}

std::string WrongWithFmt(const std::string& text) {
  const Parsed parsed(text);
  Diagnostics diags;
  const auto once = hcl::writer::FormatFile(parsed.source.get(), diags);
  if (once.has_value() == parsed.diags.has_errors()) {
    return "fmt and the parser do not agree: " + Problems(diags);
  }
  if (!once) {
    return {};
  }
  const auto source = SourceFile::Make("a.tf", *once);
  const auto twice = hcl::writer::FormatFile(source.get(), diags);
  if (!twice) {
    return "what fmt wrote does not parse:\n" + *once;
  }
  // Unwrapping may change the layout, so only the second run must be stable.
  const auto again = hcl::writer::FormatFile(SourceFile::Make("a.tf", *twice).get(), diags);
  return again == twice ? std::string() : "fmt is not stable:\n" + *once + "--\n" + *twice;
}

struct Conversion {
  bool converted = false;
  std::string wrong;
};

Conversion ThereAndBack(const std::string& text, const BodyShape& shape, Nested nested) {
  Conversion result;
  const Parsed native(text);
  Diagnostics diags;
  const auto json = NativeToJson(*native.source, shape, diags);
  if (!json) {
    for (const Diagnostic& problem : diags) {
      if (problem.summary == "Cannot convert file") {
        result.wrong = Problems(diags);  // the converter has found a change of meaning
      }
    }
    return result;
  }
  result.converted = true;
  const auto json_source = SourceFile::Make("a.tf.json", *json);
  hcl::SyntaxTree back_tree;
  Diagnostics back_diags;
  const auto back = JsonToNative(*json_source, shape, {.nested = nested}, back_tree, back_diags);
  if (!back) {
    result.wrong = "does not convert back: " + Problems(back_diags) + *json;
    return result;
  }
  const auto back_source = SourceFile::Make("b.tf", *back);
  const auto again = NativeToJson(*back_source, shape, back_diags);
  if (!again) {
    result.wrong = "does not convert again: " + Problems(back_diags) + *back;
    return result;
  }
  const auto again_source = SourceFile::Make("b.tf.json", *again);
  hcl::SyntaxTree tree;
  const hcl::Body* body = hcl::ParseJson(again_source.get(), tree, back_diags);
  SourceRange where;
  if (!SameMeaning(*native.body, *body, shape, where)) {
    result.wrong = "the meaning changed at " + std::string(where.text()) + ":\n" + *json + *back;
  }
  return result;
}

/// Whether `longer` is `shorter` with an inserted piece that contains [begin, end) of `longer` and
/// satisfies `fits`.
template <typename Fits>
bool HasPieceMore(std::string_view shorter, std::string_view longer, size_t begin, size_t end,
                  Fits&& fits) {
  if (longer.size() < shorter.size()) {
    return false;
  }
  const size_t size = longer.size() - shorter.size();
  const auto prefix = static_cast<size_t>(
      std::mismatch(shorter.begin(), shorter.end(), longer.begin()).first - shorter.begin());
  const auto suffix = static_cast<size_t>(
      std::mismatch(shorter.rbegin(), shorter.rend(), longer.rbegin()).first - shorter.rbegin());
  // In repetitive text, there are several possible positions.
  for (size_t at = shorter.size() - suffix; at <= std::min(prefix, begin); ++at) {
    if (at + size >= end && fits(longer.substr(at, size))) {
      return true;
    }
  }
  return false;
}

size_t CountTokens(std::string_view text) {
  size_t count = 0;
  for (const hcl::Token& token : hcl::Lex(text, hcl::LexMode::kNormal)) {
    count += token.kind != hcl::TokenKind::kNewline && token.kind != hcl::TokenKind::kEof;
  }
  return count;
}

/// Edits every body of the file: sets and removes one attribute, appends another.
class EditChecker {
 public:
  explicit EditChecker(const std::string& text) : text_(text), parsed_(text) {}

  std::string Run() {
    if (parsed_.diags.has_errors()) {
      return {};
    }
    CheckBody(*parsed_.body, {});
    return wrong_;
  }

 private:
  using Path = std::vector<size_t>;  // index of the block on each level

  EditableBody& BodyAt(Document& document, const Path& path) {
    EditableBody* body = &document.body();
    for (const size_t index : path) {
      body = &body->Blocks()[index]->body();
    }
    return *body;
  }
  template <typename Edit>
  std::string After(const Path& path, Edit&& edit) {
    Diagnostics diags;
    const auto document = Document::Parse(parsed_.source.get(), diags);
    edit(BodyAt(*document, path));
    return document->Text();
  }
  void Wrong(std::string_view what, const std::string& after) {
    if (wrong_.empty()) {
      wrong_ = std::string(what) + ":\n" + after;
    }
  }

  void CheckBody(const hcl::NativeBody& body, const Path& path) {
    constexpr size_t kEdited = 3;  // attributes and blocks of each body
    for (size_t i = 0; i < std::min(kEdited, body.attributes.size()); ++i) {
      CheckAttribute(body.attributes[i], path);
    }
    CheckAppend(path);
    for (size_t i = 0; i < std::min(kEdited, body.blocks.size()); ++i) {
      CheckRemovedBlock(body.blocks[i], i, path);
      Path inner = path;
      inner.push_back(i);
      CheckBody(*body.blocks[i].body, inner);
    }
  }

  void CheckAttribute(const hcl::NativeAttribute& attribute, const Path& path) {
    const std::string name(attribute.name);
    const std::string set =
        After(path, [&](EditableBody& body) { body.SetAttribute(name, "[set]"); });
    // Blanks and comments after the expression must stay.
    const std::string_view before = std::string_view(text_).substr(0, attribute.equals_begin + 1);
    const std::string_view after = std::string_view(text_).substr(attribute.end);
    const size_t at = set.find("[set]", before.size());
    if (!set.starts_with(before) || !set.ends_with(after) || at == std::string::npos ||
        set.size() - at - 5 != after.size() ||
        set.substr(before.size(), at - before.size()).find_first_not_of(" \t") !=
            std::string::npos) {
      Wrong("setting " + name + " changed more", set);
    }
    const std::string removed =
        After(path, [&](EditableBody& body) { body.RemoveAttribute(name); });
    CheckRemoved(removed, attribute.begin, attribute.end, name);
  }

  void CheckRemovedBlock(const hcl::NativeBlock& block, size_t index, const Path& path) {
    const std::string removed =
        After(path, [&](EditableBody& body) { body.RemoveBlock(body.Blocks()[index]); });
    CheckRemoved(removed, block.type_begin, block.close_brace + 1, std::string(block.type));
  }

  /// Checks that the removed piece contains [begin, end) and otherwise only comments and blanks.
  void CheckRemoved(const std::string& after, uint32_t begin, uint32_t end,
                    const std::string& name) {
    const size_t tokens = CountTokens(std::string_view(text_).substr(begin, end - begin));
    if (!HasPieceMore(after, text_, begin, end,
                      [&](std::string_view piece) { return CountTokens(piece) == tokens; })) {
      Wrong("removing " + name + " changed more", after);
    }
  }

  void CheckAppend(const Path& path) {
    const std::string after =
        After(path, [&](EditableBody& body) { body.SetAttribute("added_here", "1"); });
    const size_t at = after.find("added_here = 1");
    if (at != std::string::npos &&
        HasPieceMore(text_, after, at, at + 14, [](std::string_view) { return true; })) {
      return;
    }
    // An addition splits a single-line body into lines, which adds only white space.
    std::string without = after;
    const auto solid = [](std::string text) {
      std::erase_if(text, [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; });
      return text;
    };
    if (at == std::string::npos || solid(without.erase(at, 14)) != solid(text_)) {
      Wrong("appending changed more", after);
    }
  }

  const std::string& text_;
  Parsed parsed_;
  std::string wrong_;
};

/// A value that source text can express.
Value SomeValue(Choices& choices, int depth) {
  switch (choices.Below(depth > 3 ? 4 : 6)) {
    case 0:
      return Value::Int(static_cast<int64_t>(choices.Below(200)) - 100);
    case 1:
      return Value::Bool(choices.Maybe());
    case 2:
      return Value();
    case 3: {
      std::string text;
      while (choices.Below(4) != 0) {
        text += choices.Pick({"a", "$", "{", "%", "\"", "\\", "\n", "\t", "é", "e\u0301", "~", "}",
                              "\x01", "\u2028", "😀", " "});
      }
      return Value::String(text);
    }
    case 4: {
      std::vector<Value> elements;
      while (choices.Below(3) != 0) {
        elements.push_back(SomeValue(choices, depth + 1));
      }
      return Value::Tuple(std::move(elements));
    }
    default: {
      std::vector<std::pair<std::string, Value>> members;
      for (int i = 0; choices.Below(3) != 0; ++i) {
        std::string name(choices.Pick({"n", "for", "a b", "0", "${", "é-", "null"}));
        members.emplace_back(name + std::to_string(i), SomeValue(choices, depth + 1));
      }
      return Value::Object(std::move(members));
    }
  }
}

// --- Generated files ---

void Require(const std::string& wrong, const std::string& text) {
  if (!wrong.empty()) {
    RC_FAIL("of the file\n" + text + "--\n" + wrong);
  }
}

RC_GTEST_PROP(RoundTrip, GeneratedFilesParse, ()) {
  const std::string text = FileMaker(SomeChoices()).File();
  const Parsed parsed(text);
  Require(Problems(parsed.diags), text);
}

RC_GTEST_PROP(RoundTrip, FormattingIsStable, ()) {
  const std::string text = FileMaker(SomeChoices()).File();
  Require(WrongWithFormat(text), text);
}

RC_GTEST_PROP(RoundTrip, FmtIsStable, ()) {
  const std::string text = FileMaker(SomeChoices()).File();
  Require(WrongWithFmt(text), text);
}

RC_GTEST_PROP(RoundTrip, ConversionKeepsTheMeaning, ()) {
  const std::string text = FileMaker(SomeChoices()).File();
  const Conversion result = ThereAndBack(text, kMade, Nested::kArguments);
  Require(result.converted || !result.wrong.empty() ? result.wrong : "it does not convert", text);
}

RC_GTEST_PROP(RoundTrip, EditsLeaveTheRestAlone, ()) {
  const std::string text = FileMaker(SomeChoices()).File();
  Require(EditChecker(text).Run(), text);
}

RC_GTEST_PROP(RoundTrip, ValuesParseBack, ()) {
  Choices choices = SomeChoices();
  const Value value = SomeValue(choices, 0);
  const Result<std::string> text = hcl::writer::ValueText(value);
  RC_ASSERT(text.has_value());
  hcl::SyntaxTree tree;
  Diagnostics diags;
  const auto source = SourceFile::Make("v", *text);
  const hcl::Expr* expr = hcl::ParseExpression(source.get(), tree, diags);
  const lang::ToolScope scope;
  const Value read = lang::Evaluate(*expr, scope, diags);
  Require(Problems(diags), *text);
  if (!Value::RawEquals(read, value)) {
    RC_FAIL("reads back as another value: " + *text);
  }
}

// --- Recorded cases ---

/// Sources of native syntax, and whether they are valid.
std::set<std::pair<std::string, bool>> RecordedFiles() {
  std::set<std::pair<std::string, bool>> files;
  for (const auto& [name, path] : recorded::Suites()) {
    std::ifstream lines(path);
    for (std::string line; std::getline(lines, line);) {
      const JsonDocument document = kinu::ParseJson(line);
      const JsonNode* request = document.root().Find("request");
      const JsonNode* kind = request == nullptr ? nullptr : request->Find("kind");
      const JsonNode* text = request == nullptr ? nullptr : request->Find("source");
      if (kind != nullptr && text != nullptr &&
          (kind->text() == "config" || kind->text() == "structure" || kind->text() == "format" ||
           kind->text() == "fmt")) {
        std::string source(text->text());
        const bool valid = !Parsed(source).diags.has_errors();
        files.emplace(std::move(source), valid);
      }
    }
  }
  return files;
}

TEST(RoundTrip, OfEveryRecordedFile) {
  const auto files = RecordedFiles();
  if (files.empty()) {
    ASSERT_FALSE(recorded::AreUnpacked()) << "ctest has unpacked no cases";
    GTEST_SKIP() << "no recorded cases: ctest unpacks them, KINU_CASES names their folder";
  }
  size_t valid_files = 0;
  size_t converted = 0;
  for (const auto& [text, valid] : files) {
    EXPECT_EQ(WrongWithFmt(text), "") << text;
    if (!valid) {
      continue;
    }
    ++valid_files;
    EXPECT_EQ(WrongWithFormat(text), "") << text;
    EXPECT_EQ(EditChecker(text).Run(), "") << text;
    // Without a schema, JSON does not distinguish blocks from lists of objects.
    Conversion conversion = ThereAndBack(text, ModuleShape(), Nested::kArrays);
    if (!conversion.wrong.empty()) {
      conversion = ThereAndBack(text, ModuleShape(), Nested::kArguments);
    }
    EXPECT_EQ(conversion.wrong, "") << text;
    converted += conversion.converted;
  }
  std::cout << files.size() << " files, " << valid_files << " valid, " << converted
            << " converted\n";
  EXPECT_GE(valid_files, 880U);  // those of tests/conformance
  EXPECT_GT(converted, 3 * valid_files / 4);
}

}  // namespace
}  // namespace kinu::convert
