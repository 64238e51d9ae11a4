// The canonical layout: how many spaces stand before each token. It looks at kinds of tokens only,
// so it lays out broken texts too, and it changes nothing but spaces.
//
// A line has up to three cells: what leads, "= value", and a comment at its end. Cells of the same
// kind on neighbouring lines are aligned, so lines wait in a group until one comes that takes part
// in no alignment. Every token is looked at a constant number of times.
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

/// A token of a text that is being written, with the spaces before it. Its text is somebody else's.
struct SpacedToken {
  TokenKind kind = TokenKind::kNone;
  uint32_t spaces = 0;
  std::string_view text;
};

/// Which tokens go with which: tables for Layout::Add.
namespace internal {

/// What stands between a token and the next one.
enum class Gap : uint8_t {
  kNone,
  kSpace,
  kNoneUnlessIn,  ///< a space if the first one is the keyword `in` behind a name
  kAfterMinus,    ///< a space if the minus subtracts
};
inline constexpr size_t kKinds = static_cast<size_t>(TokenKind::kBadUtf8) + 1;
extern const std::array<std::array<Gap, kKinds>, kKinds> kGaps;
/// Kinds that say something about lines or brackets.
extern const std::array<bool, kKinds> kMatters;

}  // namespace internal

/// Lays out the tokens that it is given and appends the text to `out`. Finish() must come last.
class Layout {
 public:
  /// Tokens may be parts of `source`, which then is copied in runs as long as its spaces are right.
  explicit Layout(std::string& out, std::string_view source = {}) : out_(out), source_(source) {}
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;

  /// The next token; the spaces before it are the layout's business. Not for kEof.
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
    if (internal::kMatters.data()[index]) {
      AddBeyondText(kind, at);
    }
  }
  void Add(std::span<const SpacedToken> tokens) {
    for (const SpacedToken& token : tokens) {
      Add(token.kind, token.text);
    }
  }
  void Finish();

  /// How often a token was looked at so far.
  uint64_t work() const { return work_; }

 private:
  /// Cells are [begin, assign), [assign, comment), [comment, end); the last two may be empty.
  struct Line {
    size_t begin, assign, comment, end;
    bool has_assign() const { return assign < comment; }
    bool has_comment() const { return comment < end; }
  };
  bool HasSpace(internal::Gap gap) const;
  /// What the token at `at`, of a kind that matters, means for its line.
  void AddBeyondText(TokenKind kind, size_t at);
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
  std::vector<SpacedToken> tokens_;  // the first count_: of lines that wait, and of the present one
  size_t count_ = 0;
  size_t capacity_ = 0;           // size of tokens_
  std::vector<Line> lines_;       // those that wait
  std::vector<uint32_t> widths_;  // scratch of Align
  uint64_t work_ = 0;

  // The line that has begun. Its assign is where an equals sign stands, 0 when there is none.
  Line line_{};
  TokenKind last_ = TokenKind::kNone;
  TokenKind before_last_ = TokenKind::kNone;
  int64_t brackets_ = 0;         // opened in the line and not closed
  int64_t indent_brackets_ = 0;  // the same before the text of a heredoc
  int64_t brackets_at_assign_ = 0;
  int64_t indent_at_assign_ = 0;
  bool in_heredoc_ = false;

  std::vector<uint32_t> open_brackets_;  // per level of indentation, those not closed yet
};

}  // namespace kinu::hcl::writer
