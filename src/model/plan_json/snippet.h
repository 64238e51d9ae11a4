// The place of a diagnostic and the source lines to show for it: shared by the JSON and the human
// output. Ref: opentofu internal/command/jsonentities/diagnostic.go.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/flat_map.h"
#include "diag/diagnostic.h"

namespace kinu::view {

/// The source lines of a diagnostic.
struct Snippet {
  std::optional<std::string> context;  ///< header of the block around the place: `resource "t" "n"`
  std::string code;                    ///< whole lines
  uint32_t start_line = 1;
  size_t highlight_begin = 0;  ///< offsets into `code`
  size_t highlight_end = 0;
};

/// The place of a diagnostic. `start` and `end` are those of its subject.
struct Place {
  std::string file;
  Position start;
  Position end;
  std::optional<Snippet> snippet;  ///< nothing if the source is not a configuration file
};

/// Finds the block around a place. Parses each file once.
class SourceIndex {
 public:
  SourceIndex();
  ~SourceIndex();
  SourceIndex(const SourceIndex&) = delete;
  SourceIndex& operator=(const SourceIndex&) = delete;
  /// The header of the block around `offset`. Nothing if there is none or the offset is in the
  /// header.
  std::optional<std::string> ContextAt(const SourceFile& file, int64_t offset);

 private:
  struct Block;
  struct Entry;
  FlatMap<uint64_t, std::unique_ptr<Entry>> files_;
};

/// The place of a diagnostic. Nothing if it has no subject.
std::optional<Place> PlaceOf(const Diagnostic& diagnostic, SourceIndex& sources);
/// The same without a snippet, for which no file is parsed.
std::optional<Place> PlaceWithoutSnippet(const Diagnostic& diagnostic);

/// The values of a diagnostic's expression: sorted by traversal, without duplicates.
std::vector<ExpressionValue> SortedValues(const Diagnostic& diagnostic);

}  // namespace kinu::view
