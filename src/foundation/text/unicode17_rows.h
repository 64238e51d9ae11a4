// The rows of text/unicode17_identifiers.h and text/unicode17_table.h.
#pragma once

#include <cstdint>

#include "text/unicode17.h"

namespace kinu::text::unicode17 {

struct Range {
  char32_t first;
  char32_t last;
};

/// Grapheme_Cluster_Break, with Extended_Pictographic; Hangul syllables follow from their number.
enum class Break : uint8_t {
  kOther,
  kCr,
  kLf,
  kControl,
  kExtend,
  kZwj,
  kRegional,
  kPrepend,
  kSpacingmark,
  kL,
  kV,
  kT,
  kLv,
  kLvt,
  kPictographic,
};
/// Indic_Conjunct_Break.
enum class Conjunct : uint8_t { kNone, kConsonant, kExtend, kLinker };

/// `kinds` is 16 * Break + Conjunct.
struct GraphemeRange {
  char32_t first;
  char32_t last;
  uint8_t kinds;
};
struct ClassRange {
  char32_t first;
  char32_t last;
  Class kind;
};
/// The title case of these is their upper case.
struct CaseRow {
  char32_t first;
  char32_t upper;
  char32_t lower;
};
struct MarkRange {
  char32_t first;
  char32_t last;
  uint8_t combining_class;
};
struct Composite {
  char32_t composed;
  char32_t first;
  char32_t second;
};

}  // namespace kinu::text::unicode17
