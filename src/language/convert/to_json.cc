// Native syntax to JSON. Ref: hcl v2 json/spec.md.
#include <algorithm>
#include <cstdlib>
#include <vector>

#include "base/flat_map.h"
#include "convert/convert.h"
#include "convert/meaning.h"
#include "cty/json.h"
#include "hcl/lexer.h"
#include "hcl/parse.h"
#include "hcl/static.h"
#include "hcl/walk.h"
#include "json/writer.h"
#include "text/escape.h"
#include "text/unicode.h"

namespace kinu::convert {

using hcl::Expr;
using hcl::ExprKind;
using hcl::NativeAttribute;
using hcl::NativeBlock;
using hcl::NativeBody;

namespace {

/// A comment of the source.
struct Comment {
  uint32_t begin, end;  // without the newline
  bool kept = false;    // it is in the result
};

/// The text of a comment without its markers.
std::string_view CommentText(std::string_view comment) {
  if (comment.starts_with("/*")) {
    comment.remove_prefix(2);
    if (comment.ends_with("*/")) {
      comment.remove_suffix(2);
    }
  } else {
    comment.remove_prefix(comment.starts_with("//") ? 2 : 1);
  }
  while (comment.starts_with(' ')) {
    comment.remove_prefix(1);
  }
  while (comment.ends_with(' ') || comment.ends_with('\r') || comment.ends_with('\n')) {
    comment.remove_suffix(1);
  }
  return comment;
}

class JsonConverter {
 public:
  JsonConverter(const SourceFile& source, Diagnostics& diags, std::string& out)
      : source_(source), text_(source.text()), diags_(diags), json_(out, Options()) {
    for (const hcl::Token& token : hcl::Lex(text_, hcl::LexMode::kNormal, hcl::Comments::kKeep)) {
      if (token.kind == hcl::TokenKind::kComment) {
        const bool has_newline = text_[token.end - 1] == '\n';
        comments_.push_back({token.begin, has_newline ? token.end - 1 : token.end});
      }
    }
  }

  void WriteFile(const NativeBody& body, const BodyShape& shape) {
    WriteBody(body, shape, 0, static_cast<uint32_t>(text_.size()), {});
    for (const Comment& comment : comments_) {
      if (!comment.kept) {
        diags_.Warning("Comment lost",
                       "JSON has no place for a comment inside a value. This one is not in the "
                       "result.",
                       {&source_, comment.begin, comment.end});
      }
    }
  }

 private:
  using Notes = std::vector<std::string>;
  struct Placed {
    const NativeBlock* block;
    const BodyShape* shape;
    Notes notes;  // comments directly above the block
  };

  static JsonWriter::Options Options() { return {.escape = JsonEscape::kPlain, .indent = "  "}; }

  std::vector<Comment>::iterator FirstCommentAt(uint32_t offset) {
    return std::lower_bound(
        comments_.begin(), comments_.end(), offset,
        [](const Comment& comment, uint32_t wanted) { return comment.begin < wanted; });
  }

  /// Whether there is only white space between two offsets, with at most one newline.
  bool AreAdjacent(uint32_t from, uint32_t to) const {
    const std::string_view between = text_.substr(from, to - from);
    return between.find_first_not_of(" \t\r\n") == std::string_view::npos &&
           std::count(between.begin(), between.end(), '\n') <= 1;
  }

  /// Marks the comments in [begin, end) as kept and returns their texts. Comments on adjacent lines
  /// are one note. Sets `last_end` to the end of the last one.
  Notes CollectNotes(uint32_t begin, uint32_t end, uint32_t& last_end) {
    Notes notes;
    last_end = begin;
    for (auto at = FirstCommentAt(begin); at != comments_.end() && at->begin < end; ++at) {
      at->kept = true;
      const std::string comment_text(CommentText(text_.substr(at->begin, at->end - at->begin)));
      if (!notes.empty() && AreAdjacent(last_end, at->begin)) {
        notes.back() += '\n';
        notes.back() += comment_text;
      } else {
        notes.push_back(comment_text);
      }
      last_end = at->end;
    }
    return notes;
  }

  void MarkKept(uint32_t begin, uint32_t end) {
    for (auto at = FirstCommentAt(begin); at != comments_.end() && at->begin < end; ++at) {
      at->kept = true;
    }
  }

  void WriteNotes(const Notes& notes) {
    if (notes.empty()) {
      return;
    }
    json_.Key("//");
    if (notes.size() == 1) {
      json_.String(notes[0]);
      return;
    }
    json_.BeginArray();
    for (const std::string& note : notes) {
      json_.String(note);
    }
    json_.EndArray();
  }

  /// Writes the body between two offsets. `notes` are written first.
  void WriteBody(const NativeBody& body, const BodyShape& shape, uint32_t begin, uint32_t end,
                 Notes notes) {
    // Comments between items become comments of the body, except those directly above a block.
    std::vector<std::pair<std::string_view, std::vector<Placed>>> types;
    FlatMap<std::string_view, size_t> index;
    uint32_t at = begin;
    const auto take_own = [&](uint32_t until) {
      uint32_t ignored = 0;
      for (std::string& note : CollectNotes(at, until, ignored)) {
        notes.push_back(std::move(note));
      }
    };
    size_t next_attribute = 0;
    for (const NativeBlock& block : body.blocks) {
      for (; next_attribute < body.attributes.size() &&
             body.attributes[next_attribute].begin < block.type_begin;
           ++next_attribute) {
        take_own(body.attributes[next_attribute].begin);
        at = body.attributes[next_attribute].end;
      }
      if (at > 0) {
        // A comment at the end of the previous item's line does not belong to the block.
        const size_t line_end = std::min(text_.find('\n', at), size_t{block.type_begin});
        take_own(static_cast<uint32_t>(line_end));
        at = std::max(at, static_cast<uint32_t>(line_end));
      }
      uint32_t last_end = 0;
      Notes above = CollectNotes(at, block.type_begin, last_end);
      Notes own;
      if (!above.empty() && AreAdjacent(last_end, block.type_begin)) {
        own.push_back(std::move(above.back()));
        above.pop_back();
      }
      for (std::string& note : above) {
        notes.push_back(std::move(note));
      }
      at = block.close_brace + 1;
      const BlockShape* known = shape.FindBlock(block.type);
      if (known != nullptr && known->labels != block.labels.size()) {
        diags_.Error("Cannot convert block",
                     "A " + std::string(block.type) + " block has " +
                         std::to_string(known->labels) + " labels, not " +
                         std::to_string(block.labels.size()) + ".",
                     {&source_, block.type_begin, block.type_end()});
        continue;
      }
      const auto [found, is_new] = index.emplace(block.type, types.size());
      if (is_new) {
        types.emplace_back(block.type, std::vector<Placed>());
      }
      auto& same = types[found->second].second;
      if (!same.empty() && same[0].block->labels.size() != block.labels.size()) {
        diags_.Error("Cannot convert block",
                     "Blocks of one type must have the same number of labels: in JSON each label "
                     "is a level of objects.",
                     {&source_, block.type_begin, block.type_end()});
        continue;
      }
      same.push_back({&block, known != nullptr ? known->body : &ForeignShape(), std::move(own)});
    }
    for (; next_attribute < body.attributes.size(); ++next_attribute) {
      take_own(body.attributes[next_attribute].begin);
      at = body.attributes[next_attribute].end;
    }
    take_own(end);

    json_.BeginObject();
    WriteNotes(notes);
    for (const NativeAttribute& attribute : body.attributes) {
      if (index.contains(attribute.name)) {
        diags_.Error("Cannot convert argument",
                     "There is a block of the same name; in JSON they could not be told apart.",
                     {&source_, attribute.begin, attribute.name_end()});
        continue;
      }
      if (shape.FindBlock(attribute.name) != nullptr &&
          shape.FindArgument(attribute.name) == nullptr) {
        diags_.Error("Cannot convert argument",
                     "Blocks of this name can stand here; in JSON the argument would be read as "
                     "one.",
                     {&source_, attribute.begin, attribute.name_end()});
        continue;
      }
      json_.Key(attribute.name.view());
      Write(*attribute.expr, shape.ReadingOf(attribute.name));
    }
    for (const auto& [type, blocks] : types) {
      json_.Key(type);
      WriteBlocks(blocks, 0);
    }
    json_.EndObject();
  }

  void WriteBlock(const Placed& placed) {
    const NativeBlock& block = *placed.block;
    WriteBody(*block.body, *placed.shape, block.open_brace + 1, block.close_brace, placed.notes);
  }

  /// Writes one level of objects for each label, then the bodies.
  void WriteBlocks(std::span<const Placed> blocks, size_t level) {
    if (level == blocks[0].block->labels.size()) {
      if (blocks.size() == 1) {
        WriteBlock(blocks[0]);
        return;
      }
      json_.BeginArray();
      for (const Placed& placed : blocks) {
        WriteBlock(placed);
      }
      json_.EndArray();
      return;
    }
    // Runs of blocks with the same label. An object has each name once, so if a label occurs in
    // several runs, an array of objects keeps the order.
    std::vector<std::span<const Placed>> runs;
    FlatSet<std::string_view> seen;
    bool repeated = false;
    for (size_t begin = 0; begin < blocks.size();) {
      const std::string_view label = blocks[begin].block->labels[level];
      size_t end = begin + 1;
      while (end < blocks.size() && blocks[end].block->labels[level] == label) {
        ++end;
      }
      repeated = !seen.insert(label).second || repeated;
      runs.push_back(blocks.subspan(begin, end - begin));
      begin = end;
    }
    if (repeated) {
      json_.BeginArray();
    } else {
      json_.BeginObject();
    }
    for (const std::span<const Placed> run : runs) {
      if (repeated) {
        json_.BeginObject();
      }
      json_.Key(run[0].block->labels[level].text.view());
      WriteBlocks(run, level + 1);
      if (repeated) {
        json_.EndObject();
      }
    }
    if (repeated) {
      json_.EndArray();
    } else {
      json_.EndObject();
    }
  }

  // --- Expressions ---

  void Write(const Expr& expr, Reading reading) {
    switch (reading) {
      case Reading::kExpression:
        WriteExpression(expr);
        return;
      case Reading::kLiteral:
        WriteLiteral(expr);
        return;
      case Reading::kStatic:
        WriteStatic(expr);
        return;
      case Reading::kReferences:
        WriteReferences(expr);
        return;
      case Reading::kRequirement:
        WriteRequirement(expr);
        return;
    }
  }

  std::string_view SourceOf(const Expr& expr) {
    MarkKept(expr.begin, expr.end);
    return text_.substr(expr.begin, expr.end - expr.begin);
  }

  /// The source text as an interpolation, for expressions without an equivalent in JSON.
  std::string Interpolated(const Expr& expr) {
    std::string out = "${";
    const std::string_view source = SourceOf(expr);
    out += source;
    if (source.find("<<") != std::string_view::npos &&
        source.find('\n') != std::string_view::npos) {
      out += '\n';  // the end marker of a heredoc must be alone on its line
    }
    out += '}';
    return out;
  }

  void WriteExpression(const Expr& expr) {
    switch (expr.kind) {
      case ExprKind::kLiteral:
        if (!WriteScalar(*static_cast<const hcl::LiteralExpr&>(expr).value, expr)) {
          json_.String(Interpolated(expr));
        }
        return;
      case ExprKind::kUnary:
        if (!WriteNegativeNumber(static_cast<const hcl::UnaryExpr&>(expr))) {
          json_.String(Interpolated(expr));
        }
        return;
      case ExprKind::kTuple:
        json_.BeginArray();
        for (const Expr* element : static_cast<const hcl::TupleExpr&>(expr).elements) {
          WriteExpression(*element);
        }
        json_.EndArray();
        return;
      case ExprKind::kObject:
        if (!WriteObject(static_cast<const hcl::ObjectExpr&>(expr),
                         [this](const Expr& value) { WriteExpression(value); })) {
          json_.String(Interpolated(expr));
        }
        return;
      case ExprKind::kQuoted:
      case ExprKind::kTemplate:
      case ExprKind::kTemplateWrap:
        json_.String(TemplateText(expr));
        return;
      default:
        json_.String(Interpolated(expr));
        return;
    }
  }

  bool WriteScalar(const Value& value, const Expr& expr) {
    if (!value.IsKnown()) {
      return false;
    }
    if (value.IsNull()) {
      json_.Null();
    } else if (value.type() == Type::Bool()) {
      json_.Bool(value.AsBool());
    } else if (value.type() == Type::Number()) {
      json_.Raw(JsonNumber(SourceOf(expr)));
    } else {
      return false;
    }
    return true;
  }

  bool WriteNegativeNumber(const hcl::UnaryExpr& expr) {
    const Expr& operand = *expr.operand;
    if (expr.op != hcl::UnaryOperator::kNegate || operand.kind != ExprKind::kLiteral) {
      return false;
    }
    const Value& value = *static_cast<const hcl::LiteralExpr&>(operand).value;
    if (!value.IsKnown() || value.IsNull() || value.type() != Type::Number() ||
        value.AsNumber().Sign() == 0) {
      return false;
    }
    json_.Raw("-" + JsonNumber(SourceOf(operand)));
    return true;
  }

  /// The text of a quoted template for a JSON string: escapes of characters are resolved, because
  /// JSON has its own; escapes of template sequences stay.
  std::string TemplateText(const Expr& expr) {
    const std::string_view source = text_.substr(expr.begin, expr.end - expr.begin);
    if (!source.starts_with('"')) {
      return HeredocText(expr);
    }
    const auto tokens = hcl::Lex(source, hcl::LexMode::kNormal, hcl::Comments::kKeep);
    if (TrimsLines(source, tokens)) {
      return Interpolated(expr);
    }
    MarkKept(expr.begin, expr.end);
    std::string out;
    size_t depth = 0;
    size_t copied = 1;
    for (const hcl::Token& token : tokens) {
      const std::string_view text = source.substr(token.begin, token.end - token.begin);
      if (token.kind == hcl::TokenKind::kTemplateInterpolation ||
          token.kind == hcl::TokenKind::kTemplateDirective) {
        ++depth;
      } else if (token.kind == hcl::TokenKind::kTemplateEnd) {
        --depth;
      } else if (depth == 0 && token.kind == hcl::TokenKind::kQuotedText) {
        out += source.substr(copied, token.begin - copied);
        AppendUnescaped(out, text);
        copied = token.end;
      } else if (depth == 0 && token.kind == hcl::TokenKind::kCloseQuote) {
        out += source.substr(copied, token.begin - copied);
        break;
      }
    }
    return out;
  }

  /// Whether trim markers may apply to text of several lines. In quotes, a marker trims all white
  /// space of such text; in a standalone template, only that of one line.
  static bool TrimsLines(std::string_view source, std::span<const hcl::Token> tokens) {
    bool trims = false;
    bool has_lines = false;
    for (const hcl::Token& token : tokens) {
      const std::string_view text = source.substr(token.begin, token.end - token.begin);
      const bool is_marker = token.kind == hcl::TokenKind::kTemplateInterpolation ||
                             token.kind == hcl::TokenKind::kTemplateDirective ||
                             token.kind == hcl::TokenKind::kTemplateEnd;
      trims = trims || (is_marker && text.find('~') != std::string_view::npos);
      has_lines = has_lines || (token.kind == hcl::TokenKind::kQuotedText &&
                                (text.find("\\n") != std::string_view::npos ||
                                 text.find("\\u") != std::string_view::npos ||
                                 text.find("\\U") != std::string_view::npos));
    }
    return trims && has_lines;
  }

  static void AppendUnescaped(std::string& out, std::string_view text) {
    for (size_t at = 0; at < text.size(); ++at) {
      if (text[at] != '\\' || at + 1 == text.size()) {
        out += text[at];
        continue;
      }
      const char selector = text[++at];
      if (selector == 'u' || selector == 'U') {
        const size_t digits = selector == 'u' ? 4 : 8;
        const std::string code(text.substr(at + 1, digits));
        text::AppendUtf8(out, static_cast<char32_t>(std::strtoul(code.c_str(), nullptr, 16)));
        at += digits;
      } else {
        out += text::EscapedCharacter(selector);
      }
    }
  }

  /// The text of a heredoc for a JSON string. If it is indented ("<<-") and contains template
  /// sequences, the result is an interpolation of the heredoc.
  std::string HeredocText(const Expr& expr) {
    const std::string_view source = text_.substr(expr.begin, expr.end - expr.begin);
    const size_t first_line = source.find('\n');
    if (source.starts_with("<<") && !source.starts_with("<<-") &&
        first_line != std::string_view::npos) {
      const size_t last_line = source.rfind('\n');
      MarkKept(expr.begin, expr.end);
      return std::string(source.substr(first_line + 1, last_line - first_line));
    }
    if (expr.kind == ExprKind::kTemplate) {
      std::string text;
      for (const Expr* part : static_cast<const hcl::TemplateExpr&>(expr).parts) {
        const auto more = hcl::TextOfPart(*part);
        if (!more) {
          return Interpolated(expr);
        }
        text += EscapedSequences(*more);
      }
      MarkKept(expr.begin, expr.end);
      return text;
    }
    return Interpolated(expr);
  }

  /// The text with template sequences escaped.
  static std::string EscapedSequences(std::string_view text) {
    std::string out;
    for (size_t at = 0; at < text.size(); ++at) {
      if ((text[at] == '$' || text[at] == '%') && text.substr(at + 1).starts_with('{')) {
        out += text[at];
      }
      out += text[at];
    }
    return out;
  }

  /// The key as the name of a JSON property; nothing if JSON has no equivalent.
  std::optional<std::string> JsonKeyOf(const Expr& given) {
    const Expr* expr = &given;
    if (const std::string_view word = hcl::KeyWord(*expr); !word.empty()) {
      return std::string(word);
    }
    if (expr->kind == ExprKind::kObjectKey) {
      expr = static_cast<const hcl::ObjectKeyExpr&>(*expr).wrapped;
    }
    if (expr->kind == ExprKind::kQuoted || expr->kind == ExprKind::kTemplate ||
        expr->kind == ExprKind::kTemplateWrap) {
      return TemplateText(*expr);
    }
    if (expr->kind == ExprKind::kParentheses) {
      return Interpolated(*expr);
    }
    if (expr->kind == ExprKind::kLiteral) {
      const Value& value = *static_cast<const hcl::LiteralExpr&>(*expr).value;
      if (value.IsKnown() && !value.IsNull() && value.type() == Type::Number()) {
        return value.AsNumber().ToText();
      }
    }
    return std::nullopt;
  }

  /// Writes an object. Writes nothing and returns false if a key has no equivalent in JSON or
  /// occurs twice.
  template <typename Visit>
  bool WriteObject(const hcl::ObjectExpr& object, Visit&& visit) {
    std::vector<std::string> keys;
    FlatSet<std::string> seen;
    for (const hcl::ObjectItem& item : object.items) {
      std::optional<std::string> key = JsonKeyOf(*item.key);
      if (!key || !seen.insert(*key).second) {
        return false;
      }
      keys.push_back(*std::move(key));
    }
    json_.BeginObject();
    for (size_t i = 0; i < keys.size(); ++i) {
      json_.Key(keys[i]);
      visit(*object.items[i].value);
    }
    json_.EndObject();
    return true;
  }

  void ReportNotConstant(const Expr& expr) {
    diags_.Error("Cannot convert value",
                 "In JSON a string of this argument stands for itself and cannot hold an "
                 "expression, and this one cannot be computed beforehand.",
                 expr.range());
    json_.Null();
  }

  /// Writes a literal value. Evaluates expressions that are not literals.
  void WriteLiteral(const Expr& expr) {
    if (expr.kind == ExprKind::kTuple) {
      json_.BeginArray();
      for (const Expr* element : static_cast<const hcl::TupleExpr&>(expr).elements) {
        WriteLiteral(*element);
      }
      json_.EndArray();
      return;
    }
    if (expr.kind == ExprKind::kObject) {
      const auto& object = static_cast<const hcl::ObjectExpr&>(expr);
      json_.BeginObject();
      FlatSet<std::string> seen;
      for (const hcl::ObjectItem& item : object.items) {
        const std::optional<Value> key = ConstantOf(*item.key);
        std::string name;
        if (key && key->IsKnown() && !key->IsNull() && key->type() == Type::String()) {
          name = key->AsString();
        } else if (key && key->IsKnown() && !key->IsNull() && key->type() == Type::Number()) {
          name = key->AsNumber().ToText();
        } else {
          ReportNotConstant(*item.key);
          break;
        }
        if (!seen.insert(name).second) {
          diags_.Error("Cannot convert value", "A JSON object can have a name only once.",
                       item.key->range());
        }
        json_.Key(name);
        WriteLiteral(*item.value);
      }
      json_.EndObject();
      return;
    }
    if (expr.kind == ExprKind::kLiteral &&
        WriteScalar(*static_cast<const hcl::LiteralExpr&>(expr).value, expr)) {
      return;
    }
    if (expr.kind == ExprKind::kUnary &&
        WriteNegativeNumber(static_cast<const hcl::UnaryExpr&>(expr))) {
      return;
    }
    const std::optional<Value> value = ConstantOf(expr);
    if (!value || !value->IsWhollyKnown()) {
      ReportNotConstant(expr);
      return;
    }
    const bool is_text = value->type() == Type::String() && !value->IsNull();
    if (is_text) {
      MarkKept(expr.begin, expr.end);
      json_.String(value->AsString());
    } else if (!WriteSimpleJson(json_, *value)) {
      ReportNotConstant(expr);
    }
  }

  void WriteStatic(const Expr& expr) {
    const std::optional<std::string_view> text = hcl::AsLiteralString(expr);
    json_.String(text ? *text : SourceOf(expr));
  }

  void WriteReferences(const Expr& expr) {
    if (expr.kind == ExprKind::kTuple) {
      json_.BeginArray();
      for (const Expr* element : static_cast<const hcl::TupleExpr&>(expr).elements) {
        WriteStatic(*element);
      }
      json_.EndArray();
    } else if (expr.kind == ExprKind::kObject) {
      json_.BeginObject();
      for (const hcl::ObjectItem& item : static_cast<const hcl::ObjectExpr&>(expr).items) {
        const std::optional<std::string_view> key = hcl::AsLiteralString(*item.key);
        json_.Key(key ? *key : SourceOf(*item.key));
        WriteStatic(*item.value);
      }
      json_.EndObject();
    } else {
      WriteStatic(expr);
    }
  }

  void WriteRequirement(const Expr& expr) {
    if (expr.kind != ExprKind::kObject) {
      WriteLiteral(expr);
      return;
    }
    json_.BeginObject();
    for (const hcl::ObjectItem& item : static_cast<const hcl::ObjectExpr&>(expr).items) {
      const std::string key = JsonKeyOf(*item.key).value_or(std::string(SourceOf(*item.key)));
      json_.Key(key);
      Write(*item.value, key == "configuration_aliases" ? Reading::kReferences : Reading::kLiteral);
    }
    json_.EndObject();
  }

  const SourceFile& source_;
  std::string_view text_;
  Diagnostics& diags_;
  JsonWriter json_;
  std::vector<Comment> comments_;
};

}  // namespace

std::optional<std::string> NativeToJson(const SourceFile& source, const BodyShape& shape,
                                        Diagnostics& diags) {
  hcl::SyntaxTree tree;
  const size_t errors = diags.error_count();
  const NativeBody* body = hcl::ParseNative(&source, tree, diags);
  if (diags.error_count() != errors) {
    return std::nullopt;
  }
  std::string out;
  JsonConverter(source, diags, out).WriteFile(*body, shape);
  out += '\n';
  if (diags.error_count() != errors) {
    return std::nullopt;
  }
  hcl::SyntaxTree again;
  Diagnostics problems;
  SourceRange where;
  const hcl::Body* json =
      hcl::ParseJson(again.KeepSource(SourceFile::Make("", out)), again, problems);
  if (problems.has_errors() || !SameMeaning(*body, *json, shape, where)) {
    diags.Error("Cannot convert file",
                "The result would not mean the same: what stands here has no equal in JSON.",
                where.valid() ? where : body->MissingItemRange());
    return std::nullopt;
  }
  return out;
}

}  // namespace kinu::convert
