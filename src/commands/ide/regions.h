// Regions: the outermost blocks of a text, found by its lines. They hold whatever stands inside the
// blocks, so that a broken block hides no other.
#pragma once

#include <string_view>
#include <vector>

#include "ide/place.h"

namespace kinu::ide {

/// A block of the outermost level, found by its first line.
struct Region {
  Span span;  ///< to the beginning of the next one
  std::string_view type;
  std::vector<std::string_view> labels;
};
/// The blocks of a file whose types are those of the language and that begin in the first column.
/// Never reads more than lines' first words.
std::vector<Region> RegionsOf(std::string_view text);
/// The begin of the last region at or before the offset, else 0.
size_t RegionBegin(std::string_view text, size_t offset);
/// The begin of the first region behind the offset, else the size.
size_t RegionEnd(std::string_view text, size_t offset);

}  // namespace kinu::ide
