#include "hcl/line_shape.h"

namespace kinu::hcl {
namespace {

char At(std::string_view text, size_t at) {
  return at < text.size() ? text[at] : '\n';
}

bool InName(char c) {
  const auto lower = static_cast<char>(c | 0x20);
  return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool BeginsName(char c) {
  return InName(c) && c != '-' && (c < '0' || c > '9');
}

size_t NameEnd(std::string_view text, size_t at) {
  while (InName(At(text, at))) {
    ++at;
  }
  return at;
}

size_t SkipBlanks(std::string_view text, size_t at) {
  while (At(text, at) == ' ' || At(text, at) == '\t') {
    ++at;
  }
  return at;
}

/// After the closing quote, or at the end of the line.
size_t LabelEnd(std::string_view text, size_t at) {
  for (++at;; ++at) {
    switch (At(text, at)) {
      case '"':
        return at + 1;
      case '\\':
        at += At(text, at + 1) == '\n' ? 0 : 1;
        break;
      case '\n':
        return at;
      default:
        break;
    }
  }
}

/// Whether the name may begin a line of a `for` expression or a template directive.
bool IsExpressionWord(std::string_view name) {
  return name == "if" || name == "in" || name == "for";
}

}  // namespace

LineShape ShapeOfLine(std::string_view text, size_t at) {
  if (!BeginsName(At(text, at))) {
    return LineShape::kOther;
  }
  const size_t name_end = NameEnd(text, at);
  if (IsExpressionWord(text.substr(at, name_end - at))) {
    return LineShape::kOther;
  }
  at = SkipBlanks(text, name_end);
  if (At(text, at) == '=') {
    const char next = At(text, at + 1);
    return next == '=' || next == '>' ? LineShape::kOther : LineShape::kAttribute;
  }
  for (bool has_label = false;; at = SkipBlanks(text, at)) {
    const char c = At(text, at);
    if (c == '{') {
      return LineShape::kHeader;
    }
    if (c == '"') {
      has_label = true;
      at = LabelEnd(text, at);
    } else if (BeginsName(c)) {
      at = NameEnd(text, at);
    } else {
      const bool line_ends = c == '\n' || c == '\r' || c == '#' || c == '/';
      return line_ends && has_label ? LineShape::kHeader : LineShape::kOther;
    }
  }
}

}  // namespace kinu::hcl
