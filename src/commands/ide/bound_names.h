// Names that an expression or a `dynamic` block binds: those of `for` and of iterators. Their
// places are in one file. Private to ide.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ide/parsed_file.h"

namespace kinu::ide {

struct BoundNamePlaces {
  std::string_view name;
  /// The name in the `for`, in the label of the block, or in its argument `iterator`.
  Span declaration;
  Span touched;             ///< at the cursor: the declaration or a use
  std::vector<Span> uses;   ///< ascending
  bool is_label = false;    ///< the label of a block, which has no other name as the iterator
  uint32_t block_open = 0;  ///< then the offset after the opening brace; 0: it has none
  bool is_json = false;     ///< the place of the name is in the JSON syntax
  /// Other names where this one is bound: those that references begin with, and those that are
  /// bound inside or beside.
  std::vector<std::string_view> others;
};

/// What the cursor touches, if it is such a name.
std::optional<BoundNamePlaces> BoundNameAt(const ParsedFile& file, uint32_t offset);

}  // namespace kinu::ide
