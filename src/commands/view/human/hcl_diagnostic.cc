#include "view/human/hcl_diagnostic.h"

#include <algorithm>

#include "terminal/style.h"

namespace kinu::view {
namespace {

struct Bytes {
  uint32_t begin;
  uint32_t end;
};

/// The bytes of a range. An empty range is shown as the character after it.
Bytes BytesOf(const SourceRange& range) {
  const uint32_t begin = range.start_position().byte;
  return {begin, std::max(range.end_position().byte, begin + 1)};
}

void AppendLines(std::string& out, const SourceRange& subject, const Bytes& highlight,
                 const Bytes& shown, bool color) {
  const SourceFile& file = subject.file->root();
  const std::string_view text = file.text();
  uint32_t begin = file.LineBegin(std::min<uint32_t>(shown.begin, text.size()));
  uint32_t number = file.PositionAt(begin).line;
  while (begin < text.size() && begin < shown.end) {
    const uint32_t next = static_cast<uint32_t>(std::min(text.find('\n', begin), text.size()));
    const uint32_t end = next > begin && text[next - 1] == '\r' ? next - 1 : next;
    if (end > begin && end > shown.begin) {
      const std::string digits = std::to_string(number);
      out.append(digits.size() < 4 ? 4 - digits.size() : 0, ' ');
      out += digits + ": ";
      const uint32_t from = std::clamp(highlight.begin, begin, end);
      const uint32_t to = std::clamp(highlight.end, begin, end);
      out += text.substr(begin, from - begin);
      if (color && to > from) {
        out += "\x1b[1;4m";
      }
      out += text.substr(from, to - from);
      if (color && to > from) {
        out += "\x1b[0m";
      }
      out += text.substr(to, end - to);
      out += '\n';
    }
    begin = next + 1;
    ++number;
  }
}

void AppendSource(std::string& out, const Diagnostic& diagnostic, SourceIndex& sources,
                  bool color) {
  const SourceRange& subject = diagnostic.subject;
  const Bytes highlight = BytesOf(subject);
  Bytes shown = highlight;
  if (diagnostic.context.valid()) {
    const Bytes context = BytesOf(diagnostic.context);
    shown = {std::min(shown.begin, context.begin), std::max(shown.end, context.end)};
  }
  const SourceFile& file = subject.file->root();
  out += "  on " + file.name() + " line " + std::to_string(subject.start_position().line);
  if (const auto context = sources.ContextAt(file, highlight.begin)) {
    out += ", in " + *context;
  }
  out += ":\n";
  AppendLines(out, subject, highlight, shown, color);
  out += '\n';
}

/// Appends the known values of names: `with var.a as "x",`.
void AppendValues(std::string& out, const Diagnostic& diagnostic) {
  std::string list;
  for (const ExpressionValue& value : SortedValues(diagnostic)) {
    std::string_view statement = value.statement;
    if (!statement.starts_with("is ") || statement.starts_with("is a ")) {
      continue;  // unknown, or not a single value
    }
    statement.remove_prefix(3);
    list += list.empty() ? "with " : ",\n     ";
    list += value.traversal;
    list += statement == "null" ? " set to " : " as ";
    list += statement;
  }
  if (!list.empty()) {
    out += list + ".\n\n";
  }
}

}  // namespace

std::string RenderHclDiagnostic(const Diagnostic& diagnostic, SourceIndex& sources,
                                const HclTextOptions& options) {
  std::string out;
  const std::string_view severity = diagnostic.is_error() ? "Error" : "Warning";
  if (options.color) {
    out += diagnostic.is_error() ? "\x1b[31m" : "\x1b[33m";
    out += severity;
    out += "\x1b[0m";
  } else {
    out += severity;
  }
  out += ": " + diagnostic.summary + "\n\n";
  if (diagnostic.subject.valid()) {
    AppendSource(out, diagnostic, sources, options.color);
    AppendValues(out, diagnostic);
  }
  if (!diagnostic.detail.empty()) {
    std::string_view rest = diagnostic.detail;
    while (options.width > 0 && !rest.empty()) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      out += terminal::WrapParagraph(rest.substr(0, end), static_cast<size_t>(options.width));
      if (end == rest.size()) {
        rest = {};
        break;
      }
      out += '\n';
      rest.remove_prefix(end + 1);
    }
    out += rest;
    out += "\n\n";
  }
  return out;
}

}  // namespace kinu::view
