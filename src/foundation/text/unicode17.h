// Unicode 17, which level 1.13 has: what differs from Unicode 15 (utf8proc), whole tables for
// identifiers and grapheme clusters. text/unicode.h chooses; nothing else includes this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinu::text::unicode17 {

/// What a code point is, beside letters that are not digits, as Go's package unicode has it.
enum class Class : uint8_t { kLetter, kDigit, kPrint, kSpace, kOther };

/// The simple case mappings of a code point.
struct Cases {
  char32_t upper;
  char32_t lower;
  char32_t title;
};

/// Whether the process has Unicode 17.
bool IsCurrent();

bool IsIdentifierStart(char32_t point);
bool IsIdentifierContinue(char32_t point);

/// The class of a code point that has another one in Unicode 15.
std::optional<Class> ChangedClass(char32_t point);
/// The case mappings of a code point that has others in Unicode 15.
std::optional<Cases> ChangedCases(char32_t point);

/// End of the grapheme cluster that starts at `pos`. Each byte that is not UTF-8 is a cluster.
/// Ref: go-textseg/v17 ScanGraphemeClusters.
size_t NextGrapheme(std::string_view text, size_t pos);

/// Whether NFC of the text needs a rule that Unicode 15 lacks.
bool HasChangedNormalisation(std::string_view text);
/// The text, which is UTF-8, in NFC.
std::string ToNfc(std::string_view text);
/// Whether the code point composes with an earlier or a later one, or is a mark, in a way that
/// Unicode 15 does not know.
struct Composing {
  bool forward = false;
  bool backward = false;
};
Composing ChangedComposing(char32_t point);

}  // namespace kinu::text::unicode17
