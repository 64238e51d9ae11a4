// SourceFile and SourceRange: texts of configuration and ranges in them.
//
// A range is a pair of byte offsets into one source. Lines and columns are computed on request,
// because they cost a scan and most ranges are never shown.
//
// A template in a string of a JSON file is a source of its own: its text is the decoded string, its
// `start` is the position of the string's first character in the JSON file, its `parent` is that
// file. Ref: hcl json/structure.go expression.Value, which parses templates in the same way.
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

/// Immutable text of one file, or of one template inside a JSON file. Holders of syntax trees or
/// ranges must keep a reference to it.
class SourceFile : public RefCounted {
 public:
  /// `name` appears unchanged in diagnostics. `start` is the position of the first byte of `text`.
  static Ref<const SourceFile> Make(std::string name, std::string text, Position start = {},
                                    const SourceFile* parent = nullptr);
  /// The template in a string of `parent`, whose opening quote is at offset `quote` there. `text`
  /// is not copied: it must outlive the source.
  static Ref<const SourceFile> MakeTemplate(const SourceFile* parent, uint32_t quote,
                                            std::string_view text);
  static void Destroy(const SourceFile* file) { delete file; }

  const std::string& name() const { return owned_ == nullptr ? parent_->name() : owned_->name; }
  std::string_view text() const { return text_; }
  /// The position of the first byte of text().
  Position start() const;
  /// The file that contains this template; null for a file. Not owned by the template.
  const SourceFile* parent() const { return parent_; }
  /// The outermost file, which snippets show.
  const SourceFile& root() const { return parent_ == nullptr ? *this : parent_->root(); }

  /// Line, column and byte of an offset into text(), which is clamped. The first call indexes the
  /// text. Safe to call from several threads.
  Position PositionAt(uint32_t offset) const;

  /// Offset of the first byte of the line that contains `offset`.
  uint32_t LineBegin(uint32_t offset) const;

  /// How columns are counted. The parser of a source sets it once, before it reports anything.
  enum class Columns : uint8_t {
    kNative,  ///< one per grapheme cluster
    kJson,    ///< the same, but a tab takes two columns and a carriage return none
  };
  /// `breaks` are ascending offsets at which a grapheme cluster always starts, because the
  /// reference counts clusters token by token. Not thread-safe.
  void SetColumns(Columns columns, std::vector<uint32_t> breaks = {}) const;
  /// Whether the source was parsed as JSON syntax.
  bool is_json() const { return columns_ == Columns::kJson; }

 private:
  SourceFile() = default;
  ~SourceFile();
  struct Owned {
    std::string name;
    std::string text;
  };
  /// An offset whose column is known: the start of each line, and some inside long lines.
  struct Anchor {
    uint32_t offset;
    uint32_t line;     // from 0
    uint32_t columns;  // from the line's start to the offset
  };
  struct Index {
    std::vector<Anchor> anchors;        // ascending
    std::vector<uint32_t> line_begins;  // offsets
    /// The last anchor at or before the (clamped) offset.
    const Anchor& Before(uint32_t offset) const;
  };
  /// Built on first use: most templates never need one.
  const Index& index() const;
  Index MakeIndex() const;
  void AddAnchorsInLine(uint32_t begin, uint32_t end, uint32_t line,
                        std::vector<Anchor>& anchors) const;
  uint32_t CountColumns(uint32_t begin, uint32_t end) const;

  static constexpr uint32_t kNoQuote = UINT32_MAX;

  std::unique_ptr<const Owned> owned_;  // null for a template
  std::string_view text_;
  const SourceFile* parent_ = nullptr;
  Position start_;             // unused if there is a quote
  uint32_t quote_ = kNoQuote;  // offset of the opening quote in the parent
  mutable Columns columns_ = Columns::kNative;
  mutable std::unique_ptr<const std::vector<uint32_t>> breaks_;  // null when there are none
  mutable std::atomic<const Index*> index_ = nullptr;
};

/// Half-open range of bytes [begin, end) of the text of `file`. Invalid if the file is null.
struct SourceRange {
  const SourceFile* file = nullptr;
  uint32_t begin = 0;
  uint32_t end = 0;

  bool valid() const { return file != nullptr; }
  Position start_position() const { return file->PositionAt(begin); }
  Position end_position() const { return file->PositionAt(end); }
  std::string_view text() const { return file->text().substr(begin, end - begin); }
  /// Line 0 of no file: what the reference says of an empty part of a traversal.
  static SourceRange Nowhere();
  /// The smallest range that covers both; `a` if they are in different files.
  static SourceRange Between(const SourceRange& a, const SourceRange& b);
  friend bool operator==(const SourceRange&, const SourceRange&) = default;
};

/// "main.tf:3,1-12", or "main.tf:3,1-5,2" over several lines: the form in which a detail refers to
/// another range.
std::string ToText(const SourceRange& range);

}  // namespace kinu
