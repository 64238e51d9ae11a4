#include "text/unicode17.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <vector>

#include <utf8proc.h>

#include "compatibility/features.h"
#include "text/unicode.h"
#include "text/unicode17_identifiers.h"
#include "text/unicode17_table.h"

namespace kinu::text::unicode17 {
namespace {

/// The row of a table, sorted by `first`, which has the point between `first` and `last`.
template <typename Row, size_t kSize>
const Row* FindRange(const Row (&rows)[kSize], char32_t point) {
  const Row* after = std::ranges::upper_bound(rows, point, {}, &Row::first);
  return after != rows && point <= (after - 1)->last ? after - 1 : nullptr;
}

constexpr char32_t kFirstSyllable = 0xAC00;
constexpr char32_t kLastSyllable = 0xD7A3;
constexpr char32_t kSyllablesOfVowel = 28;

struct Grapheme {
  Break kind = Break::kOther;
  Conjunct conjunct = Conjunct::kNone;
};

Grapheme GraphemeOf(char32_t point) {
  if (point >= kFirstSyllable && point <= kLastSyllable) {
    return {(point - kFirstSyllable) % kSyllablesOfVowel == 0 ? Break::kLv : Break::kLvt};
  }
  const GraphemeRange* row = FindRange(kGraphemes17, point);
  if (row == nullptr) {
    return {};
  }
  return {static_cast<Break>(row->kinds >> 4), static_cast<Conjunct>(row->kinds & 15)};
}

/// What the code points of a cluster so far allow to follow.
enum class Pending : uint8_t {
  kNothing,
  kFlag,        ///< one regional indicator: GB12 and GB13
  kPictograph,  ///< a pictograph with extending ones: GB11
  kJoiner,      ///< the same, and a joiner
  kConsonant,   ///< a consonant with extending ones: GB9c
  kLinkedConsonant,
};

Pending After(Pending pending, const Grapheme& next) {
  if (next.kind == Break::kPictographic) {
    return Pending::kPictograph;
  }
  if (next.conjunct == Conjunct::kConsonant) {
    return Pending::kConsonant;
  }
  const bool extends = next.conjunct == Conjunct::kExtend;
  const bool links = next.conjunct == Conjunct::kLinker;
  switch (pending) {
    case Pending::kNothing:
      return next.kind == Break::kRegional ? Pending::kFlag : Pending::kNothing;
    case Pending::kPictograph:
      if (next.kind == Break::kZwj) {
        return Pending::kJoiner;
      }
      return next.kind == Break::kExtend ? Pending::kPictograph : Pending::kNothing;
    case Pending::kConsonant:
      if (links) {
        return Pending::kLinkedConsonant;
      }
      return extends ? Pending::kConsonant : Pending::kNothing;
    case Pending::kLinkedConsonant:
      return links || extends ? Pending::kLinkedConsonant : Pending::kNothing;
    case Pending::kFlag:
    case Pending::kJoiner:
      break;
  }
  return Pending::kNothing;
}

bool IsControl(Break kind) {
  return kind == Break::kCr || kind == Break::kLf || kind == Break::kControl;
}

/// GB6 to GB8: the parts of a Hangul syllable.
bool IsSyllable(Break before, Break after) {
  switch (before) {
    case Break::kL:
      return after == Break::kL || after == Break::kV || after == Break::kLv ||
             after == Break::kLvt;
    case Break::kLv:
    case Break::kV:
      return after == Break::kV || after == Break::kT;
    case Break::kLvt:
    case Break::kT:
      return after == Break::kT;
    default:
      return false;
  }
}

/// Whether a cluster ends between two code points. Ref: UAX #29 of Unicode 17, 3.1.1.
bool BreaksBetween(Pending pending, const Grapheme& before, const Grapheme& after) {
  if (before.kind == Break::kCr && after.kind == Break::kLf) {
    return false;
  }
  if (IsControl(before.kind) || IsControl(after.kind)) {
    return true;
  }
  if (IsSyllable(before.kind, after.kind) || before.kind == Break::kPrepend) {
    return false;
  }
  switch (after.kind) {
    case Break::kExtend:
    case Break::kZwj:
    case Break::kSpacingmark:
      return false;
    case Break::kPictographic:
      return pending != Pending::kJoiner || before.kind != Break::kZwj;
    case Break::kRegional:
      return pending != Pending::kFlag || before.kind != Break::kRegional;
    default:
      break;
  }
  const bool linked = before.conjunct == Conjunct::kLinker || before.conjunct == Conjunct::kExtend;
  return pending != Pending::kLinkedConsonant || !linked || after.conjunct != Conjunct::kConsonant;
}

// --- Normalisation ---

bool IsPartOf(char32_t point, char32_t Composite::* part) {
  return std::ranges::find(kComposites17, point, part) != std::end(kComposites17);
}

/// A mark of older versions that the new composites have, too.
constexpr char32_t kDotAbove = 0x0307;

/// Whether the code point is the second of a composite, or begins with one that is.
bool IsSecond(char32_t point) {
  const Composite* row = std::ranges::find(kComposites17, point, &Composite::composed);
  if (row != std::end(kComposites17)) {
    return IsSecond(row->first);
  }
  return point != kDotAbove && IsPartOf(point, &Composite::second);
}

int CombiningClass(char32_t point) {
  const MarkRange* row = FindRange(kMarks17, point);
  return row != nullptr
             ? row->combining_class
             : utf8proc_get_property(static_cast<utf8proc_int32_t>(point))->combining_class;
}

void Decompose(char32_t point, std::u32string& out) {
  const Composite* row = std::ranges::find(kComposites17, point, &Composite::composed);
  if (row != std::end(kComposites17)) {
    Decompose(row->first, out);
    Decompose(row->second, out);
    return;
  }
  std::array<utf8proc_int32_t, 8> parts;
  int last_class = 0;
  const utf8proc_ssize_t count = utf8proc_decompose_char(
      static_cast<utf8proc_int32_t>(point), parts.data(), parts.size(),
      static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_STABLE), &last_class);
  for (utf8proc_ssize_t i = 0; i < count; ++i) {
    out += static_cast<char32_t>(parts[static_cast<size_t>(i)]);
  }
}

/// What two code points compose to, or 0.
char32_t Compose(char32_t first, char32_t second) {
  for (const Composite& row : kComposites17) {
    if (row.first == first && row.second == second) {
      return row.composed;
    }
  }
  std::array<utf8proc_int32_t, 3> both = {static_cast<utf8proc_int32_t>(first),
                                          static_cast<utf8proc_int32_t>(second), 0};
  std::array<utf8proc_int32_t, 16> parts;
  int last_class = 0;
  utf8proc_ssize_t count = 0;
  for (size_t i = 0; i < 2; ++i) {
    count += utf8proc_decompose_char(
        both[i], parts.data() + count, static_cast<utf8proc_ssize_t>(parts.size()) - count,
        static_cast<utf8proc_option_t>(UTF8PROC_DECOMPOSE | UTF8PROC_STABLE), &last_class);
  }
  count = utf8proc_normalize_utf32(
      parts.data(), count, static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
  return count == 1 ? static_cast<char32_t>(parts[0]) : 0;
}

/// Sorts each run of marks by their combining class.
void Reorder(std::u32string& points) {
  for (auto at = points.begin(); at != points.end();) {
    const auto is_starter = [](char32_t point) { return CombiningClass(point) == 0; };
    const auto end = std::find_if(at, points.end(), is_starter);
    std::stable_sort(at, end,
                     [](char32_t a, char32_t b) { return CombiningClass(a) < CombiningClass(b); });
    at = end == points.end() ? end : end + 1;
  }
}

}  // namespace

bool IsCurrent() {
  return compatibility::Has(compatibility::Feature::kUnicode17);
}

bool IsIdentifierStart(char32_t point) {
  return FindRange(kIdStart17, point) != nullptr;
}

bool IsIdentifierContinue(char32_t point) {
  return FindRange(kIdContinue17, point) != nullptr;
}

std::optional<Class> ChangedClass(char32_t point) {
  const ClassRange* row = FindRange(kClasses17, point);
  return row != nullptr ? std::optional(row->kind) : std::nullopt;
}

std::optional<Cases> ChangedCases(char32_t point) {
  const CaseRow* row = std::ranges::lower_bound(kCases17, point, {}, &CaseRow::first);
  if (row == std::end(kCases17) || row->first != point) {
    return std::nullopt;
  }
  return Cases{row->upper, row->lower, row->upper};
}

size_t NextGrapheme(std::string_view text, size_t pos) {
  const Decoded first = DecodeUtf8(text, pos);
  pos += first.size;
  if (!first.ok) {
    return pos;
  }
  Grapheme before = GraphemeOf(first.point);
  Pending pending = After(Pending::kNothing, before);
  while (pos < text.size()) {
    const Decoded decoded = DecodeUtf8(text, pos);
    const Grapheme next = GraphemeOf(decoded.point);
    if (!decoded.ok || BreaksBetween(pending, before, next)) {
      break;
    }
    pos += decoded.size;
    pending = After(pending, next);
    before = next;
  }
  return pos;
}

bool HasChangedNormalisation(std::string_view text) {
  constexpr unsigned char kLeadOfLaterOnes = 0xE0;  // U+0897 is the first of them.
  const auto is_later = [](char c) { return static_cast<unsigned char>(c) >= kLeadOfLaterOnes; };
  if (std::ranges::none_of(text, is_later)) {
    return false;
  }
  for (size_t pos = 0; pos < text.size();) {
    const Decoded decoded = DecodeUtf8(text, pos);
    const Composing composing = ChangedComposing(decoded.point);
    if (composing.forward || composing.backward || IsPartOf(decoded.point, &Composite::composed)) {
      return true;
    }
    pos += decoded.size;
  }
  return false;
}

std::string ToNfc(std::string_view text) {
  std::u32string points;
  for (size_t pos = 0; pos < text.size();) {
    const Decoded decoded = DecodeUtf8(text, pos);
    Decompose(decoded.point, points);
    pos += decoded.size;
  }
  Reorder(points);
  std::u32string composed;
  std::optional<size_t> starter;
  int last_class = 0;
  for (const char32_t point : points) {
    const int point_class = CombiningClass(point);
    if (starter && (*starter + 1 == composed.size() || last_class < point_class)) {
      if (const char32_t both = Compose(composed[*starter], point); both != 0) {
        composed[*starter] = both;
        continue;
      }
    }
    if (point_class == 0) {
      starter = composed.size();
    }
    last_class = point_class;
    composed += point;
  }
  std::string out;
  for (const char32_t point : composed) {
    AppendUtf8(out, point);
  }
  return out;
}

Composing ChangedComposing(char32_t point) {
  return {.forward = IsPartOf(point, &Composite::first),
          .backward = FindRange(kMarks17, point) != nullptr || IsSecond(point)};
}

}  // namespace kinu::text::unicode17
