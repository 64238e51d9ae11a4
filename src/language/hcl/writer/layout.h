// The canonical layout: decides how many spaces precede each token. It uses the kinds of tokens
// only, so it works on texts with syntax errors, and changes nothing but spaces.
//
// A line has up to three cells: the start, "= value", and a comment at the end. Cells of the same
// kind on adjacent lines are aligned, so lines are buffered in a group until a line has neither a
// value nor a comment cell. Each token is visited a constant number of times.
// Ref: hcl v2 hclwrite/format.go.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hcl/lexer.h"

namespace kinu::hcl::writer {

/// A token and the number of spaces before it. Does not own its text.
struct SpacedToken {
  TokenKind kind = TokenKind::kNone;
  uint32_t spaces = 0;
  std::string_view text;
};

/// Tables of Layout::Add().
namespace internal {

/// The gap between two tokens.
enum class Gap : uint8_t {
  kNone,
  kSpace,
  kNoneUnlessIn,  ///< a space if the first token is the keyword `in` after a name
  kAfterMinus,    ///< a space if the minus is binary
};
inline constexpr size_t kKinds = static_cast<size_t>(TokenKind::kBadUtf8) + 1;
extern const std::array<std::array<Gap, kKinds>, kKinds> kGaps;
/// Kinds that end lines, open or close brackets, or begin cells.
extern const std::array<bool, kKinds> kAffectsLine;

}  // namespace internal

/// Lays out tokens and appends the text to `out`. Call Finish() last.
class Layout {
 public:
  /// Tokens may be slices of `source`; runs of them whose spaces do not change are copied at once.
  explicit Layout(std::string& out, std::string_view source = {}) : out_(out), source_(source) {}
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;

  /// Adds the next token, not kEof. The layout chooses the spaces before it.
  void Add(TokenKind kind, std::string_view text) {
    const auto index = static_cast<size_t>(kind);
    uint32_t spaces = 0;
    if (last_ != TokenKind::kNone) {
      const internal::Gap gap = internal::kGaps.data()[static_cast<size_t>(last_)].data()[index];
      spaces = gap == internal::Gap::kSpace || (gap > internal::Gap::kSpace && HasSpace(gap));
    }
    if (count_ == capacity_) [[unlikely]] {
      tokens_.resize(2 * count_ + 64);
      capacity_ = tokens_.size();
    }
    const size_t at = count_++;
    tokens_.data()[at] = {kind, spaces, text};
    before_last_ = last_;
    last_ = kind;
    if (internal::kAffectsLine.data()[index]) {
      UpdateLine(kind, at);
    }
  }
  void Add(std::span<const SpacedToken> tokens) {
    for (const SpacedToken& token : tokens) {
      Add(token.kind, token.text);
    }
  }
  void Finish();

  /// Number of visits of tokens so far, for tests of linearity.
  uint64_t work() const { return work_; }

 private:
  /// Cells are [begin, assign), [assign, comment), [comment, end); the last two may be empty.
  struct Line {
    size_t begin, assign, comment, end;
    bool has_assign() const { return assign < comment; }
    bool has_comment() const { return comment < end; }
  };
  bool HasSpace(internal::Gap gap) const;
  /// Updates the state of the line for the token at index `at`, whose kind is in kAffectsLine.
  void UpdateLine(TokenKind kind, size_t at);
  void EndLine();
  void BeginLine();
  uint32_t Indentation(int64_t brackets);
  uint32_t Columns(size_t begin, size_t end);
  /// Aligns the cells that begin at `cell` in neighbouring lines that have one.
  void Align(size_t Line::* cell, bool (Line::*has_cell)() const);
  void WriteGroup();
  void WriteTokens(char* to) const;

  std::string& out_;
  std::string_view source_;
  std::vector<SpacedToken> tokens_;  // the first count_: of the group and of the current line
  size_t count_ = 0;
  size_t capacity_ = 0;           // size of tokens_
  std::vector<Line> lines_;       // the group
  std::vector<uint32_t> widths_;  // scratch of Align()
  uint64_t work_ = 0;

  // The current line. Its `assign` is the index of an equals sign, 0 if there is none.
  Line line_{};
  TokenKind last_ = TokenKind::kNone;
  TokenKind before_last_ = TokenKind::kNone;
  int64_t brackets_ = 0;         // brackets opened minus closed in the line
  int64_t indent_brackets_ = 0;  // the same before a heredoc in the line
  int64_t brackets_at_assign_ = 0;
  int64_t indent_at_assign_ = 0;
  bool in_heredoc_ = false;

  std::vector<uint32_t> open_brackets_;  // open brackets per level of indentation
};

}  // namespace kinu::hcl::writer
