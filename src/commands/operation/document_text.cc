#include "operation/document_text.h"

#include <algorithm>

#include "codec/iconv.h"
#include "json/token_stream.h"
#include "text/unicode.h"

namespace kinu::operation {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";
constexpr std::string_view kUtf16Marks[] = {"\xFF\xFE", "\xFE\xFF"};
constexpr std::string_view kSpace = " \t\r\n";

bool IsUtf16(std::string_view first) {
  return first.starts_with(kUtf16Marks[0]) || first.starts_with(kUtf16Marks[1]);
}

/// As much of a line as an error shows.
std::string Shown(std::string_view line) {
  constexpr size_t kMost = 120;
  const std::string_view trimmed = text::TrimSpace(line);
  return text::ReplaceInvalidUtf8(trimmed.substr(0, kMost)) + (trimmed.size() > kMost ? "…" : "");
}

/// Whether a line may be of a text: archives have other control characters in their first bytes.
bool IsText(std::string_view line) {
  return std::ranges::all_of(line, [](char c) {
    return static_cast<unsigned char>(c) >= ' ' || c == '\t' || c == '\r' || c == '\x1b';
  });
}

/// Whether a line is the beginning of JSON, or all of it.
bool MayBeginJson(std::string_view line) {
  const std::string text(line);
  json::TokenStream tokens(text);
  if (tokens.SkipValue() && tokens.TakeEnd()) {
    return true;
  }
  // What is only cut off fails at its end.
  return tokens.problem() && tokens.problem().offset >= text.find_last_not_of(kSpace) + 1;
}

}  // namespace

bool HasMark(std::string_view first) {
  return first.starts_with(kMark) || IsUtf16(first);
}

Result<std::string> WithoutMark(std::string text) {
  if (text.starts_with(kMark)) {
    return text.substr(kMark.size());
  }
  if (!IsUtf16(text)) {
    return text;
  }
  const bool little = text.starts_with(kUtf16Marks[0]);
  return DecodeText(std::string_view(text).substr(2), little ? "UTF-16LE" : "UTF-16BE");
}

std::string_view FromObject(std::string_view first) {
  const size_t object = first.find("\n{");
  return first.starts_with('{') || object == first.npos ? first : first.substr(object + 1);
}

std::optional<OtherLine> FindLineBefore(std::string_view first) {
  const size_t begin = first.find_first_not_of(kSpace);
  if (begin == first.npos) {
    return std::nullopt;
  }
  const size_t end = first.find('\n', begin);
  const std::string_view line = first.substr(begin, end - begin);
  if (end == first.npos || MayBeginJson(line) || !IsText(line)) {
    return std::nullopt;
  }
  const bool has_object = first.find("\n{", begin) != first.npos;
  return has_object ? std::optional(OtherLine{Shown(line), begin}) : std::nullopt;
}

std::optional<OtherLine> FindLineBehind(const std::string& text) {
  const size_t last = text.find_last_not_of(kSpace);
  if (last == text.npos || text[last] == '}' || text[text.find_first_not_of(kSpace)] != '{') {
    return std::nullopt;
  }
  json::TokenStream tokens(text);
  if (!tokens.SkipValue() || tokens.TakeEnd() || !tokens.problem()) {
    return std::nullopt;
  }
  const size_t offset = tokens.problem().offset;
  const std::string_view behind = std::string_view(text).substr(offset);
  return OtherLine{Shown(behind.substr(0, behind.find('\n'))), offset};
}

}  // namespace kinu::operation
