// SourceFile and SourceRange: where a piece of configuration text lives.
//
// A range is a pair of byte offsets into one source; lines and columns are computed only when
// somebody asks (they cost a scan, and most ranges are never shown).
//
// A string inside a JSON file that holds a template is a source of its own: its text is the decoded
// string, its `start` is where the string's first character stands in the JSON file, its `parent`
// is that file. Ref: hcl json/structure.go, expression.Value, which parses templates in the same
// way.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/ref.h"

namespace kinu {

/// A place in a source: line and column count from 1 (columns in grapheme clusters), byte from 0.
struct Position {
  uint32_t line = 1;
  uint32_t column = 1;
  uint32_t byte = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

/// Immutable text of one file (or of one template inside a JSON file). Kept alive by whoever keeps
/// syntax trees or ranges of it.
class SourceFile : public RefCounted {
 public:
  /// `name` is shown in diagnostics as it is. `start` is the position of the first byte of `text`.
  static Ref<const SourceFile> Make(std::string name, std::string text, Position start = {},
                                    const SourceFile* parent = nullptr);
  /// The template in a string of `parent`, whose quote stands at the offset `quote` there. `text`
  /// is not copied: it must live as long as the source.
  static Ref<const SourceFile> MakeTemplate(const SourceFile* parent, uint32_t quote,
                                            std::string_view text);
  static void Destroy(const SourceFile* file) { delete file; }

  const std::string& name() const { return owned_ == nullptr ? parent_->name() : owned_->name; }
  std::string_view text() const { return text_; }
  /// The position of the first byte of text().
  Position start() const;
  /// The file that this template stands in, or null for a file. Lives as long as the owner of both.
  const SourceFile* parent() const { return parent_; }
  /// The outermost file: whose bytes a snippet shows.
  const SourceFile& root() const { return parent_ == nullptr ? *this : parent_->root(); }

  /// Line, column and byte of an offset into text() (clamped). Fast after a first call that indexes
  /// the text. Safe to call from several threads.
  Position PositionAt(uint32_t offset) const;

  /// The text of a line (counted as in PositionAt, so from start().line), without its line end.
  /// Empty when there is no such line.
  std::string_view LineText(uint32_t line) const;
  /// Offset of the first byte of the line that `offset` stands in.
  uint32_t LineBegin(uint32_t offset) const;

  /// How columns count. The parser that reads a source says it, once, before it reports anything.
  enum class Columns : uint8_t {
    kNative,  ///< one per grapheme cluster
    kJson,    ///< the same, but a tab takes two columns and a carriage return none
  };
  /// `breaks` are ascending offsets where a grapheme cluster begins whatever stands before: the
  /// reference counts clusters token by token. Not thread-safe.
  void SetColumns(Columns columns, std::vector<uint32_t> breaks = {}) const;
  /// True for a source that was read as JSON syntax.
  bool is_json() const { return columns_ == Columns::kJson; }

 private:
  SourceFile() = default;
  ~SourceFile();
  struct Owned {
    std::string name;
    std::string text;
  };
  /// A place whose column is known: the start of each line, and some inside long lines.
  struct Anchor {
    uint32_t offset;
    uint32_t line;     // from 0
    uint32_t columns;  // between the line's start and the place
  };
  struct Index {
    std::vector<Anchor> anchors;        // ascending
    std::vector<uint32_t> line_begins;  // offsets
    /// The last anchor at or before the (clamped) offset.
    const Anchor& Before(uint32_t offset) const;
  };
  /// Made by the first who asks: of most templates nobody ever does.
  const Index& index() const;
  Index MakeIndex() const;
  void AddAnchorsInLine(uint32_t begin, uint32_t end, uint32_t line,
                        std::vector<Anchor>& anchors) const;
  uint32_t CountColumns(uint32_t begin, uint32_t end) const;

  static constexpr uint32_t kNoQuote = UINT32_MAX;

  std::unique_ptr<const Owned> owned_;  // null for a template
  std::string_view text_;
  const SourceFile* parent_ = nullptr;
  Position start_;             // when there is no quote
  uint32_t quote_ = kNoQuote;  // offset in the parent: one byte before the start
  mutable Columns columns_ = Columns::kNative;
  mutable std::unique_ptr<const std::vector<uint32_t>> breaks_;  // null when there are none
  mutable std::atomic<const Index*> index_ = nullptr;
};

/// Half-open range of bytes [begin, end) of `file`'s text. A null file means: no place.
struct SourceRange {
  const SourceFile* file = nullptr;
  uint32_t begin = 0;
  uint32_t end = 0;

  bool valid() const { return file != nullptr; }
  Position start_position() const { return file->PositionAt(begin); }
  Position end_position() const { return file->PositionAt(end); }
  std::string_view text() const { return file->text().substr(begin, end - begin); }
  /// The smallest range that covers both (which must be of one file; else `a`).
  static SourceRange Between(const SourceRange& a, const SourceRange& b);
  friend bool operator==(const SourceRange&, const SourceRange&) = default;
};

/// "main.tf:3,1-12", or "main.tf:3,1-5,2" over several lines, as a detail names another place.
std::string ToText(const SourceRange& range);

}  // namespace kinu
