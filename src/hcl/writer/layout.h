// The canonical layout: how many spaces stand before each token. It looks at kinds of tokens only,
// so it lays out broken texts too, and it changes nothing but spaces.
//
// A line has up to three cells: what leads, "= value", and a comment at its end. Cells of the same
// kind on neighbouring lines are aligned, so lines wait in a group until one comes that takes part
// in no alignment. Every token is looked at a constant number of times.
// Ref: hcl v2 hclwrite/format.go.
#pragma once

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

/// Lays out the tokens that it is given and appends the text to `out`. Finish() must come last.
class Layout {
 public:
  explicit Layout(std::string& out) : out_(out) {}
  Layout(const Layout&) = delete;
  Layout& operator=(const Layout&) = delete;

  /// The next token; the spaces before it are the layout's business. Not for kEof.
  void Add(TokenKind kind, std::string_view text) {
    tokens_.push_back({kind, 0, text});
    if (kind == TokenKind::kNewline || (kind == TokenKind::kComment && text.ends_with('\n'))) {
      EndLine();
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
  void EndLine();
  Line SplitCells(size_t begin, size_t end);
  void Indent(const Line& line);
  void SpaceCell(size_t begin, size_t end);
  uint32_t Columns(size_t begin, size_t end);
  void WriteGroup();
  void AlignAssigns();
  void AlignComments();

  std::string& out_;
  std::vector<SpacedToken> tokens_;  // of the lines that wait and of the line that has begun
  std::vector<Line> lines_;
  size_t line_begin_ = 0;
  std::vector<uint32_t> open_brackets_;  // per level of indentation, those not closed yet
  uint64_t work_ = 0;
};

}  // namespace kinu::hcl::writer
