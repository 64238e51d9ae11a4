#include "text/unicode.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>

#include <utf8proc.h>

#include "base/bytes16.h"
#include "text/identifier_table.h"
#include "text/unicode17.h"

namespace kinu::text {
namespace {

// Every code point below U+0300 is a starter that does not combine with an earlier one, so text
// without higher ones is in NFC. U+0300 encodes as 0xCC 0x80.
constexpr unsigned char kFirstCombiningLead = 0xCC;

uint8_t Byte(std::string_view text, size_t pos) {
  return static_cast<uint8_t>(text[pos]);
}

bool AllBytesBelow(std::string_view text, unsigned char limit) {
  return std::all_of(text.begin(), text.end(),
                     [limit](char c) { return static_cast<unsigned char>(c) < limit; });
}

bool InRanges(const CodePointRange* begin, const CodePointRange* end, char32_t point) {
  const CodePointRange* after = std::upper_bound(
      begin, end, point, [](char32_t p, const CodePointRange& range) { return p < range.first; });
  return after != begin && point <= (after - 1)->last;
}

bool IsAsciiLetter(char32_t point) {
  return (point >= 'a' && point <= 'z') || (point >= 'A' && point <= 'Z');
}

bool IsAsciiDigit(char32_t point) {
  return point >= '0' && point <= '9';
}

utf8proc_int32_t ToProc(char32_t point) {
  return static_cast<utf8proc_int32_t>(point);
}

// UAX #29, except that a cluster always ends after U+FFFD, which replaces invalid bytes.
bool BreakBetween(char32_t before, char32_t after, utf8proc_int32_t* state) {
  const bool broke = utf8proc_grapheme_break_stateful(ToProc(before), ToProc(after), state) != 0;
  return broke || before == kReplacement;
}

// Hangul composes by arithmetic, so utf8proc's composition index does not cover these.
bool IsHangulLeading(char32_t p) {
  return p >= 0x1100 && p <= 0x1112;
}
bool IsHangulOpenSyllable(char32_t p) {
  return p >= 0xAC00 && p <= 0xD7A3 && (p - 0xAC00) % 28 == 0;
}
bool IsHangulVowelOrTrailing(char32_t p) {
  return (p >= 0x1161 && p <= 0x1175) || (p >= 0x11A8 && p <= 0x11C2);
}

constexpr uint16_t kNoComposition = UINT16_MAX;
constexpr uint16_t kSecondOfComposition = 0x8000;

// Whether the code point can be the first of a composition.
bool ComposesForward(char32_t point) {
  if (unicode17::IsCurrent() && unicode17::ChangedComposing(point).forward) {
    return true;
  }
  const utf8proc_property_t* property = utf8proc_get_property(ToProc(point));
  return property->comb_index < kSecondOfComposition || IsHangulLeading(point) ||
         IsHangulOpenSyllable(point);
}

// Whether normalising the text before and from this code point separately gives the same result.
bool BoundaryBefore(char32_t point) {
  if (unicode17::IsCurrent() && unicode17::ChangedComposing(point).backward) {
    return false;
  }
  const utf8proc_property_t* property = utf8proc_get_property(ToProc(point));
  const bool composes_backward =
      (property->comb_index != kNoComposition && property->comb_index >= kSecondOfComposition) ||
      IsHangulVowelOrTrailing(point);
  return property->combining_class == 0 && !composes_backward;
}

// Whether following text can neither change the code point nor be reordered before it.
bool IsInert(char32_t point) {
  return BoundaryBefore(point) && !ComposesForward(point);
}

// Start of the last code point of a text that is not empty.
size_t LastCodePoint(std::string_view text) {
  size_t pos = text.size() - 1;
  while (pos > 0 && (Byte(text, pos) & 0xC0) == 0x80) {
    --pos;
  }
  return pos;
}

// Whether the cluster is a delimiter that the reference treats as complete whatever follows.
bool IsCompleteCluster(std::string_view cluster) {
  return cluster.size() == 1 &&
         std::string_view("-_:;/\\,.(){}[]|?!~ \t@#$%^&*+\"'").find(cluster[0]) !=
             std::string_view::npos;
}

template <typename F>
std::string MapCodePoints(std::string_view text, F&& change) {
  std::string out;
  out.reserve(text.size());
  for (size_t pos = 0; pos < text.size();) {
    const Decoded decoded = DecodeUtf8(text, pos);
    AppendUtf8(out, change(decoded.point));
    pos += decoded.size;
  }
  return out;
}

}  // namespace

Decoded DecodeUtf8(std::string_view text, size_t pos) {
  const uint8_t lead = Byte(text, pos);
  if (lead < 0x80) {
    return {lead, 1, true};
  }
  constexpr Decoded kWrong = {kReplacement, 1, false};
  const size_t left = text.size() - pos;
  auto continues = [&](size_t i) { return i < left && (Byte(text, pos + i) & 0xC0) == 0x80; };
  auto bits = [&](size_t i) { return static_cast<char32_t>(Byte(text, pos + i) & 0x3F); };
  if (lead >= 0xC2 && lead <= 0xDF) {
    if (!continues(1)) {
      return kWrong;
    }
    return {(static_cast<char32_t>(lead & 0x1F) << 6) | bits(1), 2, true};
  }
  if (lead >= 0xE0 && lead <= 0xEF) {
    if (!continues(1) || !continues(2)) {
      return kWrong;
    }
    const char32_t point = (static_cast<char32_t>(lead & 0x0F) << 12) | (bits(1) << 6) | bits(2);
    const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
    return point < 0x800 || surrogate ? kWrong : Decoded{point, 3, true};
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3)) {
      return kWrong;
    }
    const char32_t point =
        (static_cast<char32_t>(lead & 0x07) << 18) | (bits(1) << 12) | (bits(2) << 6) | bits(3);
    return point < 0x10000 || point > 0x10FFFF ? kWrong : Decoded{point, 4, true};
  }
  return kWrong;
}

void AppendUtf8(std::string& out, char32_t point) {
  if (point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) {
    point = kReplacement;
  }
  if (point < 0x80) {
    out += static_cast<char>(point);
  } else if (point < 0x800) {
    out += static_cast<char>(0xC0 | (point >> 6));
    out += static_cast<char>(0x80 | (point & 0x3F));
  } else if (point < 0x10000) {
    out += static_cast<char>(0xE0 | (point >> 12));
    out += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (point & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (point >> 18));
    out += static_cast<char>(0x80 | ((point >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((point >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (point & 0x3F));
  }
}

namespace {

constexpr size_t kBlock = 64;

/// Whether the kBlock bytes at `block` are ASCII.
bool IsAsciiBlock(const char* block) {
  uint64_t seen = 0;
  for (size_t i = 0; i < kBlock; i += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, block + i, sizeof(word));
    seen |= word;
  }
  return (seen & 0x8080808080808080) == 0;
}

}  // namespace

bool IsAscii(std::string_view text) {
  constexpr uint64_t kHighs = 0x8080808080808080;
  const auto word_at = [&](size_t pos) {
    uint64_t word;
    std::memcpy(&word, text.data() + pos, sizeof(word));
    return word;
  };
  if (text.size() < sizeof(uint64_t)) {
    unsigned char seen = 0;
    for (const char c : text) {
      seen |= static_cast<unsigned char>(c);
    }
    return seen < 0x80;
  }
  size_t pos = 0;
  for (; pos + kBlock <= text.size(); pos += kBlock) {
    if (!IsAsciiBlock(text.data() + pos)) {
      return false;
    }
  }
  // The last word is read first; it may overlap the one before it.
  uint64_t seen = word_at(text.size() - sizeof(uint64_t));
  for (; pos + sizeof(uint64_t) < text.size(); pos += sizeof(uint64_t)) {
    seen |= word_at(pos);
  }
  return (seen & kHighs) == 0;
}

namespace {

/// The first byte above 0x7F from `pos` on, or the end.
size_t SkipAscii(std::string_view text, size_t pos) {
  constexpr uint64_t kHighs = 0x8080808080808080;
  constexpr size_t kWord = sizeof(uint64_t);
  if (pos < text.size() && Byte(text, pos) >= 0x80) {
    return pos;
  }
  // Texts with a few other characters have short runs.
  constexpr size_t kVector = 16;
  for (int i = 0; i < 4 && text.size() - pos >= kVector; ++i, pos += kVector) {
    if (const auto found = Bytes16::Load(text.data() + pos).IsNotAscii().Places()) {
      return pos + static_cast<size_t>(found.First());
    }
  }
  while (text.size() - pos >= kBlock && IsAsciiBlock(text.data() + pos)) {
    pos += kBlock;
  }
  if constexpr (std::endian::native == std::endian::little) {
    for (; text.size() - pos >= kWord; pos += kWord) {
      uint64_t word = 0;
      std::memcpy(&word, text.data() + pos, kWord);
      if ((word & kHighs) != 0) {
        return pos + static_cast<size_t>(std::countr_zero(word & kHighs)) / 8;
      }
    }
  }
  while (pos < text.size() && Byte(text, pos) < 0x80) {
    ++pos;
  }
  return pos;
}

}  // namespace

size_t FindInvalidUtf8(std::string_view text) {
  for (size_t pos = SkipAscii(text, 0); pos < text.size(); pos = SkipAscii(text, pos)) {
    // Most are of U+1000 to U+CFFF: three bytes that need no other look.
    if (const uint8_t lead = Byte(text, pos);
        lead > 0xE0 && lead < 0xED && text.size() - pos >= 3 &&
        (Byte(text, pos + 1) & 0xC0) == 0x80 && (Byte(text, pos + 2) & 0xC0) == 0x80) {
      pos += 3;
      continue;
    }
    const Decoded decoded = DecodeUtf8(text, pos);
    if (!decoded.ok) {
      return pos;
    }
    pos += decoded.size;
  }
  return text.size();
}

bool IsUtf8(std::string_view text) {
  return IsAscii(text) || FindInvalidUtf8(text) == text.size();
}

std::string ToUtf16(std::string_view text) {
  std::string out;
  const auto append = [&](char32_t unit) {
    out += static_cast<char>(unit & 0xff);
    out += static_cast<char>(unit >> 8);
  };
  for (size_t at = 0; at < text.size();) {
    const Decoded decoded = DecodeUtf8(text, at);
    at += decoded.size;
    if (decoded.point < 0x10000) {
      append(decoded.point);
    } else {
      append(0xD800 + ((decoded.point - 0x10000) >> 10));
      append(0xDC00 + ((decoded.point - 0x10000) & 0x3FF));
    }
  }
  return out;
}

std::string ReplaceInvalidUtf8(std::string_view text) {
  return MapCodePoints(text, [](char32_t point) { return point; });
}

size_t CodePointCount(std::string_view text) {
  if (IsAscii(text)) {
    return text.size();
  }
  size_t count = 0;
  for (size_t pos = 0; pos < text.size(); ++count) {
    pos += DecodeUtf8(text, pos).size;
  }
  return count;
}

bool IsNfc(std::string_view text) {
  return IsAscii(text) || AllBytesBelow(text, kFirstCombiningLead) || ToNfc(text) == text;
}

std::string ToNfc(std::string_view text) {
  if (AllBytesBelow(text, kFirstCombiningLead)) {
    return std::string(text);
  }
  if (unicode17::IsCurrent() && unicode17::HasChangedNormalisation(text) && IsUtf8(text)) {
    return unicode17::ToNfc(text);
  }
  utf8proc_uint8_t* mapped = nullptr;
  const utf8proc_ssize_t size =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &mapped,
                   static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
  if (size < 0) {
    return std::string(text);
  }
  std::string out(reinterpret_cast<const char*>(mapped), static_cast<size_t>(size));
  std::free(mapped);
  return out;
}

size_t NextGrapheme(std::string_view text, size_t pos) {
  const uint8_t first = Byte(text, pos);
  if (first < 0x80 && first != '\r' && (pos + 1 == text.size() || Byte(text, pos + 1) < 0x80)) {
    return pos + 1;
  }
  if (unicode17::IsCurrent()) {
    return unicode17::NextGrapheme(text, pos);
  }
  utf8proc_int32_t state = 0;
  Decoded current = DecodeUtf8(text, pos);
  pos += current.size;
  while (pos < text.size()) {
    const Decoded next = DecodeUtf8(text, pos);
    if (BreakBetween(current.point, next.point, &state)) {
      break;
    }
    pos += next.size;
    current = next;
  }
  return pos;
}

size_t GraphemeCount(std::string_view text) {
  if (IsAscii(text) && !text.contains('\r')) {
    return text.size();
  }
  size_t count = 0;
  for (size_t pos = 0; pos < text.size(); ++count) {
    pos = NextGrapheme(text, pos);
  }
  return count;
}

std::string SafePrefix(std::string_view text) {
  std::string prefix = ToNfc(text);
  if (prefix.empty()) {
    return prefix;
  }
  size_t last = LastCodePoint(prefix);
  if (!IsInert(DecodeUtf8(prefix, last).point)) {
    while (last > 0 && !BoundaryBefore(DecodeUtf8(prefix, last).point)) {
      last = LastCodePoint(std::string_view(prefix).substr(0, last));
    }
    if (BoundaryBefore(DecodeUtf8(prefix, last).point)) {
      prefix.resize(last);
      return prefix;
    }
  }
  const auto breaks_line = [](char c) { return c == '\r' || c == '\n'; };
  const bool one_by_one = IsAscii(prefix) && std::ranges::none_of(prefix, breaks_line);
  size_t cluster = one_by_one ? prefix.size() - 1 : 0;
  // The reference's older cluster scanner stops at a CR or LF that is a cluster of its own.
  const bool stops = !unicode17::IsCurrent();
  for (size_t pos = cluster; pos < prefix.size();) {
    const size_t next = NextGrapheme(prefix, pos);
    const std::string_view unit = std::string_view(prefix).substr(pos, next - pos);
    if (stops && (unit == "\n" || unit == "\r")) {
      prefix.resize(pos);
      return prefix;
    }
    cluster = pos;
    pos = next;
  }
  if (!IsCompleteCluster(std::string_view(prefix).substr(cluster))) {
    prefix.resize(cluster);
  }
  return prefix;
}

bool IsIdentifierStart(char32_t point) {
  if (point < 0x80) {
    return IsAsciiLetter(point) || point == '_';
  }
  if (unicode17::IsCurrent()) {
    return unicode17::IsIdentifierStart(point);
  }
  return InRanges(std::begin(kIdStart), std::end(kIdStart), point);
}

bool IsIdentifierContinue(char32_t point) {
  if (point < 0x80) {
    return IsAsciiLetter(point) || IsAsciiDigit(point) || point == '_' || point == '-';
  }
  if (unicode17::IsCurrent()) {
    return unicode17::IsIdentifierContinue(point);
  }
  return InRanges(std::begin(kIdContinue), std::end(kIdContinue), point);
}

namespace {

/// By byte: whether it is an ASCII character that continues an identifier.
constexpr std::array<bool, 0x100> kContinues = [] {
  std::array<bool, 0x100> continues{};
  for (const char c : std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_-")) {
    continues[static_cast<uint8_t>(c)] = true;
  }
  return continues;
}();

}  // namespace

bool IsIdentifier(std::string_view text) {
  if (!text.empty() && Byte(text, 0) < 0x80 && !IsIdentifierStart(Byte(text, 0))) {
    return false;
  }
  const auto end = std::ranges::find_if_not(
      text, [](char c) { return kContinues[static_cast<unsigned char>(c)]; });
  auto pos = static_cast<size_t>(end - text.begin());
  if (pos < text.size() && Byte(text, pos) < 0x80) {
    return false;
  }
  while (pos < text.size()) {
    const Decoded decoded = DecodeUtf8(text, pos);
    const bool fits =
        pos == 0 ? IsIdentifierStart(decoded.point) : IsIdentifierContinue(decoded.point);
    if (!decoded.ok || !fits) {
      return false;
    }
    pos += decoded.size;
  }
  return !text.empty();
}

namespace {

/// The case mappings of a code point that has others than utf8proc knows, at the current level.
std::optional<unicode17::Cases> CasesBeside(char32_t point) {
  constexpr char32_t kNone = 0x180;  // There are none below this.
  return point >= kNone && unicode17::IsCurrent() ? unicode17::ChangedCases(point) : std::nullopt;
}

/// Likewise, the class.
std::optional<unicode17::Class> ClassBeside(char32_t point) {
  return unicode17::IsCurrent() ? unicode17::ChangedClass(point) : std::nullopt;
}

}  // namespace

// utf8proc maps U+00DF to a capital letter; UnicodeData.txt, which Go follows, does not.
constexpr char32_t kSharpS = 0xDF;

char32_t ToUpper(char32_t point) {
  if (const auto cases = CasesBeside(point)) {
    return cases->upper;
  }
  return point == kSharpS ? point : static_cast<char32_t>(utf8proc_toupper(ToProc(point)));
}

char32_t ToLower(char32_t point) {
  if (const auto cases = CasesBeside(point)) {
    return cases->lower;
  }
  return static_cast<char32_t>(utf8proc_tolower(ToProc(point)));
}

char32_t ToTitle(char32_t point) {
  if (const auto cases = CasesBeside(point)) {
    return cases->title;
  }
  return point == kSharpS ? point : static_cast<char32_t>(utf8proc_totitle(ToProc(point)));
}

bool IsLetter(char32_t point) {
  if (point < 0x80) {
    return IsAsciiLetter(point);
  }
  if (const auto kind = ClassBeside(point)) {
    return *kind == unicode17::Class::kLetter;
  }
  const utf8proc_category_t category = utf8proc_category(ToProc(point));
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool IsDigit(char32_t point) {
  if (point < 0x80) {
    return IsAsciiDigit(point);
  }
  if (const auto kind = ClassBeside(point)) {
    return *kind == unicode17::Class::kDigit;
  }
  return utf8proc_category(ToProc(point)) == UTF8PROC_CATEGORY_ND;
}

bool IsSpace(char32_t point) {
  switch (point) {
    case '\t':
    case '\n':
    case '\v':
    case '\f':
    case '\r':
    case ' ':
    case 0x85:
    case 0xA0:
      return true;
    default:
      break;
  }
  if (point < 0x100) {
    return false;
  }
  const utf8proc_category_t category = utf8proc_category(ToProc(point));
  return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL ||
         category == UTF8PROC_CATEGORY_ZP;
}

bool IsPrintable(char32_t point) {
  if (point < 0x80) {
    return point >= 0x20 && point < 0x7F;
  }
  if (const auto kind = ClassBeside(point)) {
    return *kind != unicode17::Class::kOther && *kind != unicode17::Class::kSpace;
  }
  const utf8proc_category_t category = utf8proc_category(ToProc(point));
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_SO;
}

std::string ToUpper(std::string_view text) {
  return MapCodePoints(text, [](char32_t point) { return ToUpper(point); });
}

std::string ToLower(std::string_view text) {
  return MapCodePoints(text, [](char32_t point) { return ToLower(point); });
}

std::string ToTitle(std::string_view text) {
  bool at_word_start = true;
  return MapCodePoints(text, [&at_word_start](char32_t point) {
    const char32_t out = at_word_start ? ToTitle(point) : point;
    if (point < 0x80) {
      at_word_start = !IsAsciiLetter(point) && !IsAsciiDigit(point) && point != '_';
    } else {
      at_word_start = !IsLetter(point) && !IsDigit(point) && IsSpace(point);
    }
    return out;
  });
}

std::string_view TrimSpace(std::string_view text) {
  while (!text.empty()) {
    const Decoded first = DecodeUtf8(text, 0);
    if (!IsSpace(first.point)) {
      break;
    }
    text.remove_prefix(first.size);
  }
  while (!text.empty()) {
    const size_t last = LastCodePoint(text);
    const Decoded decoded = DecodeUtf8(text, last);
    if (!decoded.ok || last + decoded.size != text.size() || !IsSpace(decoded.point)) {
      break;
    }
    text = text.substr(0, last);
  }
  return text;
}

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  for (size_t pos = 0; pos < text.size();) {
    const Decoded decoded = DecodeUtf8(text, pos);
    const int columns = utf8proc_charwidth(ToProc(decoded.point));
    width += columns > 0 ? static_cast<size_t>(columns) : 0;
    pos += decoded.size;
  }
  return width;
}

}  // namespace kinu::text
