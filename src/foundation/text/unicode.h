// Unicode: UTF-8, normalisation, grapheme clusters, identifiers, case and width.
//
// Grapheme clusters, NFC and case follow Unicode 15.0 (utf8proc), identifiers Unicode 9.0, as HCL's
// scanner does; at level 1.13 all of them follow Unicode 17. Functions accept any bytes: each byte
// that is not part of valid UTF-8 counts as one U+FFFD, as in Go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kinu::text {

inline constexpr char32_t kReplacement = 0xFFFD;

// --- UTF-8 ---

/// One code point and its size in bytes. An invalid byte gives {kReplacement, 1} with ok false.
struct Decoded {
  char32_t point = 0;
  uint32_t size = 0;
  bool ok = true;
};
/// Decodes the code point at `pos`, which must be inside the text.
Decoded DecodeUtf8(std::string_view text, size_t pos);
/// Appends the UTF-8 encoding of a code point; a surrogate or one above U+10FFFF becomes U+FFFD.
void AppendUtf8(std::string& out, char32_t point);
/// Whether the text is valid UTF-8.
bool IsUtf8(std::string_view text);
bool IsAscii(std::string_view text);
/// Offset of the first byte that is not valid UTF-8, or the text's size.
size_t FindInvalidUtf8(std::string_view text);
/// The text with every invalid byte replaced by U+FFFD.
std::string ReplaceInvalidUtf8(std::string_view text);
/// The text as UTF-16, little-endian.
std::string ToUtf16(std::string_view text);
// UTF-16 encodes a code point above U+FFFF as a high and a low surrogate.
constexpr bool IsHighSurrogate(char32_t unit) {
  return unit >= 0xD800 && unit <= 0xDBFF;
}
constexpr bool IsLowSurrogate(char32_t unit) {
  return unit >= 0xDC00 && unit <= 0xDFFF;
}
constexpr char32_t JoinSurrogates(char32_t high, char32_t low) {
  return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
}
/// Number of code points.
size_t CodePointCount(std::string_view text);

// --- Normalisation ---

/// Whether the text is in NFC. Fast for texts below U+0300.
bool IsNfc(std::string_view text);
/// The text in NFC. Text that is not valid UTF-8 is returned unchanged.
std::string ToNfc(std::string_view text);

// --- Grapheme clusters (user-perceived characters) ---

/// End of the cluster that starts at `pos` (which must be a cluster's start inside the text).
size_t NextGrapheme(std::string_view text, size_t pos);
/// Number of grapheme clusters.
size_t GraphemeCount(std::string_view text);
/// The longest prefix of the NFC of `text` that is also a prefix of the NFC of any longer text: it
/// omits a last character that may combine with a following one.
/// Ref: go-cty ctystrings.SafeKnownPrefix.
std::string SafePrefix(std::string_view text);

// --- Identifiers (HCL) ---

/// A letter or underscore: ID_Start and '_'.
bool IsIdentifierStart(char32_t point);
/// ID_Continue and '-'.
bool IsIdentifierContinue(char32_t point);
/// Whether the whole text is one identifier.
bool IsIdentifier(std::string_view text);

// --- Case and classes of single code points, like Go's package unicode ---

/// The simple case mappings of Unicode.
char32_t ToUpper(char32_t point);
char32_t ToLower(char32_t point);
char32_t ToTitle(char32_t point);
/// Categories L and Nd of Unicode.
bool IsLetter(char32_t point);
bool IsDigit(char32_t point);
/// White space: Unicode's White_Space.
bool IsSpace(char32_t point);
/// Go's unicode.IsPrint: letters, marks, numbers, punctuation, symbols and the ASCII space.
bool IsPrintable(char32_t point);

/// Maps each code point of the text.
std::string ToUpper(std::string_view text);
std::string ToLower(std::string_view text);
/// Changes the first letter of each word to title case. Ref: Go strings.Title.
std::string ToTitle(std::string_view text);
/// The text without leading and trailing white space.
std::string_view TrimSpace(std::string_view text);

// --- Width ---

/// Width in terminal columns: wide East Asian characters count 2, combining ones 0.
size_t DisplayWidth(std::string_view text);

}  // namespace kinu::text
