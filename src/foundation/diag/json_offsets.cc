#include "diag/json_offsets.h"

#include <algorithm>
#include <string_view>

#include "text/hex.h"
#include "text/unicode.h"

namespace kinu {
namespace {

/// A character of a JSON string: how many bytes it has in the file, and how many decoded.
struct JsonCharacter {
  uint32_t written;
  uint32_t decoded;
  bool is_escape;
};

/// The code unit of the escape `\uXXXX` at the offset, or none if there is no such escape.
std::optional<char32_t> CodeUnitAt(std::string_view text, size_t at) {
  constexpr size_t kSize = 6;
  if (text.size() - std::min(at, text.size()) < kSize || text[at] != '\\' || text[at + 1] != 'u') {
    return std::nullopt;
  }
  char32_t unit = 0;
  for (size_t i = at + 2; i < at + kSize; ++i) {
    unit = unit << 4 | static_cast<char32_t>(text::HexDigit(text[i]) & 0xF);
  }
  return unit;
}

uint32_t SizeInUtf8(char32_t point) {
  if (point < 0x80) {
    return 1;
  }
  return point < 0x800 ? 2 : 3;
}

/// The character at the offset, which is inside of a string that the JSON reader has accepted.
JsonCharacter CharacterAt(std::string_view text, size_t at) {
  constexpr uint32_t kReplacement = 3;  // bytes of U+FFFD
  if (const std::optional<char32_t> unit = CodeUnitAt(text, at)) {
    const std::optional<char32_t> next = CodeUnitAt(text, at + 6);
    if (text::IsHighSurrogate(*unit) && next && text::IsLowSurrogate(*next)) {
      return {12, 4, true};
    }
    return {6, SizeInUtf8(*unit), true};  // a surrogate becomes U+FFFD, of three bytes too
  }
  if (text[at] == '\\') {
    return {2, 1, true};
  }
  const text::Decoded decoded = text::DecodeUtf8(text, at);
  return decoded.ok ? JsonCharacter{decoded.size, decoded.size, false}
                    : JsonCharacter{1, kReplacement, true};
}

/// A place in a string, in the file and in the decoded text.
struct Place {
  uint32_t written;
  uint32_t decoded;
};

/// Walks over the characters of the string from the place on, as long as goes_on(place) for the
/// place behind the next character. `next` is that one.
template <typename GoesOn>
Place Walk(std::string_view text, Place at, uint32_t decoded_end, JsonCharacter& next,
           GoesOn&& goes_on) {
  while (at.decoded < decoded_end && at.written < text.size()) {
    next = CharacterAt(text, at.written);
    const Place after{at.written + next.written, at.decoded + next.decoded};
    if (!goes_on(after)) {
      break;
    }
    at = after;
  }
  return at;
}

/// Where the text of a template begins in its file. The positions of an address in a string count
/// from the quote, as the reference's do; no other text begins with one that is not escaped.
uint32_t BeginOf(const SourceFile& source) {
  const std::string_view text = source.parent()->text();
  const uint32_t start = source.start().byte;
  const bool at_quote = !source.text().empty() && start < text.size() && text[start] == '"';
  return at_quote ? start + 1 : start;
}

}  // namespace

uint32_t OffsetInRoot(const SourceFile& source, uint32_t offset) {
  if (source.parent() == nullptr) {
    return offset;
  }
  const std::string_view text = source.parent()->text();
  const auto size = static_cast<uint32_t>(source.text().size());
  offset = std::min(offset, size);
  JsonCharacter next{};
  const Place place = Walk(text, {BeginOf(source), 0}, size, next,
                           [&](const Place& after) { return after.decoded <= offset; });
  const uint32_t inside = next.is_escape ? 0 : offset - place.decoded;
  return place.written + inside;
}

std::optional<uint32_t> OffsetFromRoot(const SourceFile& source, uint32_t offset) {
  if (source.parent() == nullptr) {
    return offset;
  }
  const uint32_t begin = BeginOf(source);
  if (offset < begin) {
    return std::nullopt;
  }
  const std::string_view text = source.parent()->text();
  const auto size = static_cast<uint32_t>(source.text().size());
  JsonCharacter next{};
  const Place place = Walk(text, {begin, 0}, size, next,
                           [&](const Place& after) { return after.written <= offset; });
  if (place.decoded == size) {
    return place.written == offset ? std::optional<uint32_t>(size) : std::nullopt;
  }
  return place.decoded + (next.is_escape ? 0 : offset - place.written);
}

}  // namespace kinu
