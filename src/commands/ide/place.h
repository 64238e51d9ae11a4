// Places in files and edits of files, as the answers for editors have them: absolute paths and byte
// offsets. Who speaks a protocol turns offsets into its positions (diag/text_positions.h).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace kinu::ide {

/// Half-open range of bytes of a text.
struct Span {
  uint32_t begin = 0;
  uint32_t end = 0;

  /// Whether a cursor at the offset touches it: at its begin, inside, or behind its last byte.
  bool Touches(uint32_t offset) const { return begin <= offset && offset <= end; }
  bool Contains(const Span& other) const { return begin <= other.begin && other.end <= end; }
  friend auto operator<=>(const Span&, const Span&) = default;
};

/// A range in a file.
struct Place {
  std::string path;  ///< absolute, clean
  Span span;
  friend auto operator<=>(const Place&, const Place&) = default;
};

/// Where the cursor stands.
struct Cursor {
  std::string path;  ///< absolute, clean
  uint32_t offset = 0;
};

/// Bytes of a file and what takes their place.
struct TextEdit {
  Span span;
  std::string text;
  friend bool operator==(const TextEdit&, const TextEdit&) = default;
};

/// The edits of one file, which do not overlap and ascend. They refer to the text before all of
/// them.
struct FileEdits {
  std::string path;
  bool creates = false;  ///< the file does not exist yet: its text is that of the edits
  std::vector<TextEdit> edits;
};

/// Edits of files that belong together.
using WorkspaceEdit = std::vector<FileEdits>;

}  // namespace kinu::ide
