// Strings, and JSON in strings.
#include "json/reader.h"
#include "text/quote.h"
#include "text/unicode.h"
#include "view/human/align.h"
#include "view/human/render.h"

namespace kinu::view {

using plan::Action;

namespace {

std::vector<std::string_view> SplitLines(std::string_view text) {
  std::vector<std::string_view> lines;
  size_t begin = 0;
  while (true) {
    const size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    if (end == std::string_view::npos) {
      return lines;
    }
    begin = end + 1;
  }
}

/// A string, prepared for rendering.
struct ShownString {
  bool null = true;
  std::string_view text;
  std::optional<Value> json;
  bool many_lines = false;

  explicit ShownString(const Value& value) {
    if (value.IsNull()) {
      return;
    }
    null = false;
    text = value.AsString();
    if (text.starts_with('{') || text.starts_with('[')) {
      json = ParseJsonPrefix(text);
      if (json) {
        return;
      }
    }
    if (text.find('\n') != std::string_view::npos) {
      many_lines = true;
      text = text::TrimSpace(text);
    }
  }
};

}  // namespace

void Renderer::RenderString(std::string& out, const Diff& diff, int indent,
                            const RenderOptions& options) const {
  const auto append = [&](const ShownString& shown) {
    if (shown.null) {
      out += null_;
    } else {
      text::AppendGoQuoted(out, shown.text);
    }
  };
  const auto line = [&](std::string& lines, Action action, std::string_view text) {
    Indent(lines, indent + 1);
    SymbolColumn(lines, action, options);
    lines += text;
    lines += '\n';
  };
  std::string lines;
  const bool update = diff.action != Action::kCreate && diff.action != Action::kNoOp &&
                      diff.action != Action::kDelete;
  if (!update) {
    const bool gone = diff.action == Action::kDelete;
    const ShownString shown(gone ? diff.before : diff.after);
    if (shown.json) {
      RenderJson(out, diff, indent, options, diff.action == Action::kCreate ? Value() : *shown.json,
                 gone ? Value() : *shown.json);
      return;
    }
    if (!shown.many_lines) {
      append(shown);
      if (!shown.null) {
        NullSuffix(out, diff.action, options);
      }
      ReplaceSuffix(out, diff.replace, options);
      return;
    }
    for (const std::string_view text : SplitLines(shown.text)) {
      line(lines, Action::kNoOp, text);
    }
  } else {
    const ShownString before(diff.before);
    const ShownString after(diff.after);
    if (before.json && after.json) {
      RenderJson(out, diff, indent, options, *before.json, *after.json);
      return;
    }
    if (before.json || after.json) {
      Diff change{.kind = Diff::Kind::kTypeChange, .action = diff.action, .replace = diff.replace};
      change.members.push_back(
          {.action = Action::kDelete, .type = TypeKind::kString, .before = diff.before});
      change.members.push_back(
          {.action = Action::kCreate, .type = TypeKind::kString, .after = diff.after});
      Render(out, change, indent, options);
      return;
    }
    if (!before.many_lines && !after.many_lines) {
      append(before);
      out += arrow_;
      append(after);
      ReplaceSuffix(out, diff.replace, options);
      return;
    }
    const std::string before_text = before.null ? null_ : std::string(before.text);
    const std::string after_text = after.null ? null_ : std::string(after.text);
    const std::vector<std::string_view> old_lines = SplitLines(before_text);
    const std::vector<std::string_view> new_lines = SplitLines(after_text);
    DiffLines(old_lines, new_lines, [&](size_t b, size_t a) {
      if (b >= old_lines.size()) {
        line(lines, Action::kCreate, new_lines[a]);
      } else if (a >= new_lines.size()) {
        line(lines, Action::kDelete, old_lines[b]);
      } else {
        line(lines, Action::kNoOp, old_lines[b]);
      }
    });
  }
  out += "<<-EOT";
  ReplaceSuffix(out, diff.replace, options);
  out += '\n';
  out += lines;
  CloseLine(out, indent, options);
  out += "EOT";
  NullSuffix(out, diff.action, options);
}

void Renderer::RenderJson(std::string& out, const Diff& diff, int indent,
                          const RenderOptions& options, const Value& before,
                          const Value& after) const {
  Change change;
  change.before = diff.action == Action::kCreate ? nullptr : &before;
  change.after = diff.action == Action::kDelete ? nullptr : &after;
  change.before_explicit = diff.action != Action::kCreate;
  change.after_explicit = diff.action != Action::kDelete;
  change.before_marks = change.after_marks = false;
  change.unknown = UnknownSource::kNone;
  const Diff content = DiffDynamic(change);

  RenderOptions inside = options.Inside();
  inside.no_null_suffix = true;
  const bool only_whitespace = content.action == Action::kNoOp && diff.action == Action::kUpdate;
  std::string_view comment;
  Action symbol = diff.action;
  if (only_whitespace) {
    comment = diff.replace ? " # whitespace changes force replacement" : " # whitespace changes";
    inside.show_unchanged = true;
    symbol = Action::kNoOp;
  } else if (diff.action == Action::kCreate || diff.action == Action::kDelete) {
    symbol = Action::kNoOp;
  }
  std::string text;
  Render(text, content, indent + 1, inside);
  out += "jsonencode(";
  if (text.find('\n') == std::string::npos) {
    out += text;
    out += ')';
    out += comment;
    ReplaceSuffix(out, diff.replace && !only_whitespace,
                  only_whitespace ? RenderOptions() : options);
    return;
  }
  out += comment;
  out += '\n';
  Indent(out, indent + 1);
  SymbolColumn(out, symbol, options);
  out += text;
  ReplaceSuffix(out, diff.replace && !only_whitespace, only_whitespace ? RenderOptions() : options);
  out += '\n';
  CloseLine(out, indent, options);
  out += ')';
  NullSuffix(out, diff.action, options);
}

namespace {

Value ValueOf(const JsonNode& node) {
  switch (node.kind()) {
    case JsonNode::Kind::kInvalid:
    case JsonNode::Kind::kNull:
      return Value();
    case JsonNode::Kind::kBool:
      return Value::Bool(node.boolean());
    case JsonNode::Kind::kNumber: {
      const std::optional<Number> number = Number::Parse(node.text());
      Value value = Value::Of(number.value_or(Number()));
      if (number && number->ToText() == node.text()) {
        return value;
      }
      return value.WithMarks(MarkSet::Named(kNumberTextMark, node.text()));
    }
    case JsonNode::Kind::kString:
      return Value::NormalizedString(node.text());
    case JsonNode::Kind::kArray: {
      std::vector<Value> elements;
      for (const JsonNode& element : node.elements()) {
        elements.push_back(ValueOf(element));
      }
      return Value::Tuple(std::move(elements));
    }
    case JsonNode::Kind::kObject: {
      std::vector<std::pair<std::string, Value>> members;
      for (const JsonMember& member : node.members()) {
        members.emplace_back(member.name, ValueOf(member.value));
      }
      return Value::Object(std::move(members));
    }
  }
  return Value();
}

}  // namespace

std::optional<Value> ParseJsonPrefix(std::string_view text) {
  const JsonDocument document = ParseJson(text);
  // Text after the document is ignored.
  if (!document.ok() && document.problems()[0].kind != JsonProblemKind::kExtraneousData) {
    return std::nullopt;
  }
  return ValueOf(document.root());
}

}  // namespace kinu::view
