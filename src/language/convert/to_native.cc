// JSON to native syntax. Ref: hcl v2 json/spec.md.
#include <algorithm>
#include <vector>

#include "base/flat_map.h"
#include "convert/convert.h"
#include "convert/meaning.h"
#include "hcl/lexer.h"
#include "hcl/parse.h"
#include "hcl/writer/format.h"
#include "hcl/writer/tokens.h"
#include "json/reader.h"

namespace kinu::convert {

using hcl::Expr;
using hcl::ExprKind;

namespace {

constexpr std::string_view kCommentName = "//";
constexpr size_t kMaxInlineWidth = 60;

class NativeConverter {
 public:
  NativeConverter(const SourceFile& source, const ForeignBodies& foreign, bool heredocs,
                  Diagnostics& diags, std::string& out)
      : source_(source),
        text_(source.text()),
        foreign_(foreign),
        heredocs_(heredocs),
        diags_(diags),
        out_(out) {}

  void WriteFile(const JsonNode& root, const BodyShape& shape) {
    WriteNotes(root);
    if (!out_.empty() && HasItems(root)) {
      out_ += '\n';  // separates them from the comments of the first item
    }
    WriteBody(root, shape);
  }

 private:
  SourceRange RangeOf(const JsonNode& node) const { return {&source_, node.begin(), node.end()}; }

  void WriteLine(std::string_view text) {
    out_.append(2 * indent_, ' ');
    out_ += text;
    out_ += '\n';
  }

  /// Calls visit(member) for all members of an object, or of the objects of an array.
  template <typename Visit>
  void ForEachMember(const JsonNode& node, Visit&& visit) {
    if (node.is_array()) {
      for (const JsonNode& element : node.elements()) {
        ForEachMemberOfObject(element, visit);
      }
    } else {
      ForEachMemberOfObject(node, visit);
    }
  }
  template <typename Visit>
  void ForEachMemberOfObject(const JsonNode& node, Visit&& visit) {
    if (node.is_object()) {
      for (const JsonMember& member : node.members()) {
        visit(member);
      }
    } else if (!node.is_null()) {
      diags_.Error("Incorrect JSON value type", "A JSON object must stand here.", RangeOf(node));
    }
  }

  /// Writes the comments of a body above it.
  void WriteNotes(const JsonNode& body) {
    if (!body.is_object() && !body.is_array()) {
      return;
    }
    ForEachMember(body, [this](const JsonMember& member) {
      if (member.name == kCommentName) {
        WriteNote(member.value);
      }
    });
  }
  void WriteNote(const JsonNode& value) {
    if (value.is_array() && !value.elements().empty()) {
      for (const JsonNode& element : value.elements()) {
        WriteNote(element);
      }
      return;
    }
    std::string_view rest =
        value.is_string() ? value.text() : text_.substr(value.begin(), value.end() - value.begin());
    while (true) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view line = rest.substr(0, end);
      while (line.ends_with(' ') || line.ends_with('\r')) {
        line.remove_suffix(1);
      }
      WriteLine(line.empty() ? "#" : "# " + std::string(line));
      if (end == rest.size()) {
        return;
      }
      rest.remove_prefix(end + 1);
    }
  }

  bool IsBlocks(const JsonNode& value, const BodyShape& shape) const {
    if (!shape.open || foreign_.nested == Nested::kArguments) {
      return false;
    }
    if (value.is_object()) {
      return foreign_.nested == Nested::kBlocks;
    }
    return value.is_array() && !value.elements().empty() &&
           std::all_of(value.elements().begin(), value.elements().end(),
                       [](const JsonNode& element) { return element.is_object(); });
  }

  void WriteBody(const JsonNode& body, const BodyShape& shape) {
    bool first = true;
    bool after_block = false;
    FlatSet<std::string_view> arguments;
    ForEachMember(body, [&](const JsonMember& member) {
      if (member.name == kCommentName) {
        return;
      }
      const SourceRange name_range{&source_, member.name_begin, member.name_end};
      if (!hcl::IsIdentifier(member.name)) {
        diags_.Error("Cannot convert property",
                     "Arguments and blocks of the native syntax have names; this is none.",
                     name_range);
        return;
      }
      const BlockShape* known = shape.FindBlock(member.name);
      const bool is_block = known != nullptr || (shape.FindArgument(member.name) == nullptr &&
                                                 IsBlocks(member.value, shape));
      if (!first && (is_block || after_block)) {
        out_ += '\n';
      }
      if (!is_block && !arguments.insert(member.name).second) {
        diags_.Error("Duplicate argument", "This argument has a value already.", name_range);
        return;
      }
      if (!is_block) {
        WriteArgument(member, shape.ReadingOf(member.name));
      } else {
        first_block_ = true;
        WriteBlocks(member.name, member.value, known != nullptr ? known->labels : 0,
                    known != nullptr ? *known->body : ForeignShape(), shape);
      }
      first = false;
      after_block = is_block;
    });
  }

  /// Reads one level of objects for each label, then one body or an array of bodies. `outer` is the
  /// shape of the body around the blocks.
  void WriteBlocks(std::string_view type, const JsonNode& value, size_t labels,
                   const BodyShape& shape, const BodyShape& outer) {
    if (labels_.size() < labels) {
      ForEachMember(value, [&](const JsonMember& member) {
        labels_.emplace_back(member.name);
        WriteBlocks(type, member.value, labels, shape, outer);
        labels_.pop_back();
      });
      return;
    }
    if (value.is_array()) {
      for (const JsonNode& element : value.elements()) {
        WriteBlock(type, element, shape, outer);
      }
    } else if (value.is_object()) {
      WriteBlock(type, value, shape, outer);
    } else if (!value.is_null()) {
      diags_.Error("Incorrect JSON value type",
                   "A JSON object or an array must stand here, with the content of blocks.",
                   RangeOf(value));
    }
  }

  /// The shape that the schema of a provider gives to a body, or `shape`.
  const BodyShape& WithSchema(std::string_view type, const JsonNode& content,
                              const BodyShape& shape) {
    if (!shape.provider_defined || foreign_.schemas == nullptr || labels_.empty()) {
      return shape;  // NOLINT(bugprone-return-const-ref-from-parameter): every shape is of a table
    }
    const BodyShape* found = foreign_.schemas->Find(type, labels_[0]);
    if (found == nullptr && missing_.insert(std::string(type) + " " + labels_[0]).second) {
      diags_.Warning("Schema not available",
                     "The " + std::string(type) + " \"" + labels_[0] +
                         "\" has no schema among the installed providers. What its objects are "
                         "is guessed as without schemas.",
                     RangeOf(content));
    }
    return found == nullptr ? shape : *found;
  }

  void WriteBlock(std::string_view type, const JsonNode& content, const BodyShape& shape,
                  const BodyShape& outer) {
    if (!first_block_) {
      out_ += '\n';
    }
    WriteNotes(content);
    std::string header(type);
    for (const std::string& label : labels_) {
      header += ' ' + hcl::writer::StringText(label);
    }
    const bool is_empty = (content.is_object() || content.is_array()) && !HasItems(content);
    if (is_empty) {
      WriteLine(header + " {}");
      first_block_ = false;
      return;
    }
    WriteLine(header + " {");
    ++indent_;
    const BodyShape& body = WithSchema(type, content, shape);
    // The content of a dynamic block is that of the blocks that it makes.
    const BlockShape* made = type == "dynamic" ? outer.FindBlock(labels_[0]) : nullptr;
    const BlockShape made_content[] = {{"content", 0, made == nullptr ? nullptr : made->body}};
    const BodyShape dynamic{.arguments = shape.arguments, .blocks = made_content};
    const std::vector<std::string> outer_labels = std::move(labels_);
    labels_.clear();
    WriteBody(content, made == nullptr ? body : dynamic);
    labels_ = outer_labels;
    --indent_;
    WriteLine("}");
    first_block_ = false;
  }

  bool HasItems(const JsonNode& body) {
    bool any = false;
    ForEachMember(body,
                  [&](const JsonMember& member) { any = any || member.name != kCommentName; });
    return any;
  }

  void WriteArgument(const JsonMember& member, Reading reading) {
    out_.append(2 * indent_, ' ');
    out_ += member.name;
    out_ += " = ";
    Write(member.value, reading, true);
    out_ += '\n';
  }

  // --- Expressions ---

  /// `alone` is true if nothing follows on the line, so that a heredoc is possible.
  void Write(const JsonNode& node, Reading reading, bool alone) {
    switch (node.kind()) {
      case JsonNode::Kind::kObject:
        WriteObject(node, reading);
        return;
      case JsonNode::Kind::kArray:
        WriteArray(node, reading);
        return;
      case JsonNode::Kind::kString:
        WriteString(node, reading, alone);
        return;
      default:
        out_ += text_.substr(node.begin(), node.end() - node.begin());
        return;
    }
  }

  static Reading ReadingInside(Reading reading, std::string_view key) {
    if (reading == Reading::kReferences) {
      return Reading::kStatic;
    }
    if (reading == Reading::kRequirement) {
      return key == "configuration_aliases" ? Reading::kReferences : Reading::kLiteral;
    }
    return reading;
  }

  void WriteArray(const JsonNode& node, Reading reading) {
    const bool is_short =
        node.end() - node.begin() <= kMaxInlineWidth &&
        std::none_of(node.elements().begin(), node.elements().end(), [](const JsonNode& element) {
          return element.is_object() && !element.members().empty();
        });
    if (node.elements().empty()) {
      out_ += "[]";
      return;
    }
    out_ += '[';
    out_ += is_short ? "" : "\n";
    ++indent_;
    bool first = true;
    for (const JsonNode& element : node.elements()) {
      if (!is_short) {
        out_.append(2 * indent_, ' ');
      } else if (!first) {
        out_ += ", ";
      }
      Write(element, ReadingInside(reading, {}), false);
      out_ += is_short ? "" : ",\n";
      first = false;
    }
    --indent_;
    if (!is_short) {
      out_.append(2 * indent_, ' ');
    }
    out_ += ']';
  }

  void WriteObject(const JsonNode& node, Reading reading) {
    if (node.members().empty()) {
      out_ += "{}";
      return;
    }
    out_ += "{\n";
    ++indent_;
    FlatSet<std::string_view> seen;
    for (const JsonMember& member : node.members()) {
      if (!seen.insert(member.name).second) {
        diags_.Error("Duplicate object attribute",
                     "The name " + hcl::writer::StringText(member.name) + " stands here twice.",
                     {&source_, member.name_begin, member.name_end});
      }
      out_.append(2 * indent_, ' ');
      WriteKey(member, reading);
      out_ += " = ";
      Write(member.value, ReadingInside(reading, member.name), true);
      out_ += '\n';
    }
    --indent_;
    out_.append(2 * indent_, ' ');
    out_ += '}';
  }

  void WriteKey(const JsonMember& member, Reading reading) {
    if (hcl::IsIdentifier(member.name)) {
      out_ += member.name;
    } else if (reading == Reading::kReferences) {
      out_ += StaticText(member.name);
    } else if (reading != Reading::kExpression) {
      out_ += hcl::writer::StringText(member.name);
    } else {
      WriteTemplate(member.name, {&source_, member.name_begin, member.name_end}, true, false);
    }
  }

  /// The text itself if it is an expression on one line, otherwise a quoted string.
  static std::string StaticText(std::string_view text) {
    hcl::SyntaxTree tree;
    Diagnostics problems;
    hcl::ParseExpression(tree.KeepSource(SourceFile::Make("", std::string(text))), tree, problems);
    const bool is_line = text.find('\n') == std::string_view::npos;
    return problems.has_errors() || !is_line ? hcl::writer::StringText(text) : std::string(text);
  }

  void WriteString(const JsonNode& node, Reading reading, bool alone) {
    switch (reading) {
      case Reading::kExpression:
        WriteTemplate(node.text(), RangeOf(node), false, alone);
        return;
      case Reading::kStatic:
      case Reading::kReferences:
        out_ += StaticText(node.text());
        return;
      case Reading::kLiteral:
      case Reading::kRequirement:
        if (!alone || !WriteHeredoc(EscapedSequences(node.text()))) {
          out_ += hcl::writer::StringText(node.text());
        }
        return;
    }
  }

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

  /// Writes a text of several complete lines as a heredoc; false for other texts.
  bool WriteHeredoc(std::string_view text) {
    const auto is_odd = [](char c) {
      return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t';
    };
    if (!heredocs_ || !text.ends_with('\n') || std::count(text.begin(), text.end(), '\n') < 2 ||
        std::any_of(text.begin(), text.end(), is_odd)) {
      return false;
    }
    std::string marker = "EOT";
    for (int n = 1; text.find(marker) != std::string_view::npos; ++n) {
      marker = "EOT" + std::to_string(n);
    }
    out_ += "<<" + marker + "\n";
    out_ += text;
    out_ += marker;
    return true;
  }

  /// Writes a JSON string that is a template. A single interpolation becomes its expression.
  void WriteTemplate(std::string_view text, const SourceRange& range, bool is_key, bool alone) {
    if (text.find("${") == std::string_view::npos && text.find("%{") == std::string_view::npos) {
      if (!alone || !WriteHeredoc(text)) {
        out_ += '"';
        AppendQuoted(text);
        out_ += '"';
      }
      return;
    }
    hcl::SyntaxTree tree;
    Diagnostics problems;
    const SourceFile* source = tree.KeepSource(SourceFile::Make("", std::string(text)));
    const Expr* parsed = hcl::ParseTemplate(source, tree, problems);
    if (problems.has_errors()) {
      const Diagnostic& first = problems.list().front();
      diags_.Error(first.summary, first.detail + " The template is in this string.", range);
      return;
    }
    if (parsed->kind == ExprKind::kTemplateWrap) {
      WriteUnwrapped(*static_cast<const hcl::WrapExpr*>(parsed)->wrapped, text, is_key);
      return;
    }
    if (alone && WriteHeredoc(text)) {
      return;
    }
    out_ += '"';
    size_t depth = 0;
    size_t copied = 0;
    for (const hcl::Token& token : hcl::Lex(text, hcl::LexMode::kTemplate, hcl::Comments::kKeep)) {
      if (token.kind == hcl::TokenKind::kTemplateInterpolation ||
          token.kind == hcl::TokenKind::kTemplateDirective) {
        ++depth;
      } else if (token.kind == hcl::TokenKind::kTemplateEnd) {
        --depth;
      } else if (depth == 0 && token.kind != hcl::TokenKind::kEof) {
        out_ += text.substr(copied, token.begin - copied);
        AppendQuoted(text.substr(token.begin, token.end - token.begin));
        copied = token.end;
      }
    }
    out_ += text.substr(copied);
    out_ += '"';
  }

  void WriteUnwrapped(const Expr& expr, std::string_view text, bool is_key) {
    const std::string_view source = text.substr(expr.begin, expr.end - expr.begin);
    const bool has_lines = source.find('\n') != std::string_view::npos;
    bool enclosed = false;
    switch (expr.kind) {
      case ExprKind::kTuple:
      case ExprKind::kObject:
      case ExprKind::kFor:
      case ExprKind::kCall:
      case ExprKind::kParentheses:
        enclosed = true;
        break;
      default:
        break;
    }
    if ((is_key && expr.kind != ExprKind::kParentheses) || (has_lines && !enclosed)) {
      out_ += '(';
      out_ += source;
      // The end marker of a heredoc must be alone on its line.
      out_ += has_lines && source.find("<<") != std::string_view::npos ? "\n)" : ")";
    } else {
      out_ += source;
    }
  }

  /// Escapes text for quotes. Template sequences and their escapes stay.
  void AppendQuoted(std::string_view text) {
    static constexpr char kHex[] = "0123456789abcdef";
    for (const char c : text) {
      switch (c) {
        case '"':
        case '\\':
          out_ += '\\';
          out_ += c;
          break;
        case '\n':
          out_ += "\\n";
          break;
        case '\r':
          out_ += "\\r";
          break;
        case '\t':
          out_ += "\\t";
          break;
        default:
          if (static_cast<unsigned char>(c) < 0x20) {
            out_ += "\\u00";
            out_ += kHex[c >> 4];
            out_ += kHex[c & 15];
          } else {
            out_ += c;
          }
      }
    }
  }

  const SourceFile& source_;
  std::string_view text_;
  const ForeignBodies& foreign_;
  bool heredocs_;
  Diagnostics& diags_;
  std::string& out_;
  size_t indent_ = 0;
  std::vector<std::string> labels_;
  FlatSet<std::string> missing_;  // types without schema that were reported
  bool first_block_ = true;       // of the current property
};

}  // namespace

std::optional<std::string> JsonToNative(const SourceFile& source, const BodyShape& shape,
                                        const ForeignBodies& foreign, hcl::SyntaxTree& tree,
                                        Diagnostics& diags) {
  const size_t errors = diags.error_count();
  const hcl::Body* body = hcl::ParseJson(&source, tree, diags);
  if (diags.error_count() != errors) {
    return std::nullopt;
  }
  const JsonDocument document = ParseJson(source.text());
  SourceRange where;
  // Heredocs are more readable, but the meaning of a few texts changes in them. Then tries without.
  for (const bool heredocs : {true, false}) {
    std::string out;
    Diagnostics found;
    NativeConverter(source, foreign, heredocs, found, out).WriteFile(document.root(), shape);
    const bool failed = found.has_errors();
    if (failed || heredocs) {  // both attempts find the same
      diags.Append(std::move(found));
    }
    if (failed) {
      return std::nullopt;
    }
    out = hcl::writer::Format(out);
    hcl::SyntaxTree again;
    Diagnostics problems;
    const hcl::NativeBody* native =
        hcl::ParseNative(again.KeepSource(SourceFile::Make("", out)), again, problems);
    if (!problems.has_errors() && SameMeaning(*native, *body, shape, where)) {
      return out;
    }
  }
  diags.Error("Cannot convert file",
              "The result would not mean the same: something here has no equal in native syntax.",
              body->MissingItemRange());
  return std::nullopt;
}

}  // namespace kinu::convert
