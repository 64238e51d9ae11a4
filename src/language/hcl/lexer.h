// The lexer of the native syntax: splits a text into tokens in one pass. It never fails: invalid
// text becomes tokens that ReportInvalidTokens() reports.
//
// Tokens are ranges of the source; the text between them is white space. Comments that end a line
// count as newlines and other comments are dropped, unless the caller keeps them (the formatter).
// Ref: hcl v2 hclsyntax/scan_tokens.rl, token.go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"

namespace kinu::hcl {

enum class TokenKind : uint8_t {
  kNone,  ///< never emitted
  kEof,
  kNewline,
  kIdent,
  kNumber,
  kOpenBrace,
  kCloseBrace,
  kOpenBracket,
  kCloseBracket,
  kOpenParen,
  kCloseParen,
  kOpenQuote,
  kCloseQuote,
  kOpenHeredoc,            ///< "<<EOT\n", with its newline
  kCloseHeredoc,           ///< the line's indentation and the marker, without its newline
  kQuotedText,             ///< text in quotes; may contain backslash escapes
  kPlainText,              ///< text of a heredoc or a standalone template
  kTemplateInterpolation,  ///< "${" or "${~"
  kTemplateDirective,      ///< "%{" or "%{~"
  kTemplateEnd,            ///< "}" or "~}" of the two above
  kStar,
  kSlash,
  kPercent,
  kPlus,
  kMinus,
  kEqual,
  kEqualOperator,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAnd,
  kOr,
  kBang,
  kDot,
  kComma,
  kEllipsis,
  kFatArrow,
  kQuestion,
  kColon,
  kDoubleColon,
  kComment,  ///< only when comments are kept
  // Never valid; separate kinds for better diagnostics.
  kBitwiseAnd,
  kBitwiseOr,
  kBitwiseNot,
  kBitwiseXor,
  kBacktick,
  kApostrophe,
  kSemicolon,
  kQuotedNewline,
  kInvalid,
  kBadUtf8,
};

/// A token: its kind and its range in the source.
struct Token {
  TokenKind kind;
  uint32_t begin, end;
};

/// The grammar of a text.
enum class LexMode : uint8_t {
  kNormal,    ///< a file or an expression
  kTemplate,  ///< a standalone template
};
enum class Comments : uint8_t { kDrop, kKeep };

/// Produces tokens in chunks, so that a parser need not hold all of them.
class Lexer {
 public:
  /// Begins at the offset `begin`. Skips a byte order mark at the start of the text.
  Lexer(std::string_view text, LexMode mode, Comments comments = Comments::kDrop, size_t begin = 0);

  /// Appends about `count` tokens, at least one. The last token of a text is kEof; do not call
  /// again after it.
  void Append(size_t count, std::vector<Token>& out);
  /// Continues at the offset, outside of all brackets, quotes and heredocs.
  void RestartAt(size_t offset);
  /// From now on, a quote that has no end on its line ends there, in an empty kCloseQuote, and a
  /// comment that has no end is one of that line.
  void EndOpenTextWithLines() { open_text_ends_with_lines_ = true; }

 private:
  enum class State : uint8_t { kMain, kQuoted, kHeredoc, kBare };
  struct Heredoc {
    std::string_view marker;
    bool at_line_start = true;
  };

  unsigned char At(size_t index) const {
    return index < size_ ? static_cast<unsigned char>(text_[index]) : 0;
  }
  bool Is(size_t index, char c) const { return index < size_ && text_[index] == c; }
  void Emit(TokenKind kind, size_t end) {
    *next_++ = {kind, static_cast<uint32_t>(at_), static_cast<uint32_t>(end)};
    at_ = end;
  }
  void Push(State state) {
    stack_.push_back(state_);
    state_ = state;
  }
  void Pop() {
    if (!stack_.empty()) {
      state_ = stack_.back();
      stack_.pop_back();
    }
  }

  void Step();
  void LexMain();
  void LexSymbol(char c);
  void LexNumber();
  void FinishComment(size_t end);
  void LexLineComment();
  bool LexBlockComment();
  bool LexHeredocStart();
  void LexCloseBrace();
  void LexTildeBrace();
  void LexQuoted();
  void LexHeredocText();
  void LexBareText();
  void LexOpenSequence();
  void LexEscapedSequence();
  bool LexEscapedSequenceInLine();
  /// End of the run of plain text that starts at `at_`.
  size_t PlainTextEnd() const;
  /// Length of the UTF-8 sequence at `index` by its lead byte; 0 if it is incomplete or invalid.
  size_t SequenceLength(size_t index) const;
  size_t IdentStartLength(size_t index) const;
  size_t IdentEnd(size_t index) const;

  std::string_view text_;
  size_t size_;
  bool keep_comments_;
  bool open_text_ends_with_lines_ = false;
  size_t at_ = 0;
  State state_ = State::kMain;
  std::vector<State> stack_;
  std::vector<Heredoc> heredocs_;
  int64_t braces_ = 0;
  std::vector<int64_t> return_braces_;
  size_t no_comment_end_from_ = SIZE_MAX;  // there is no "*/" at or after this offset
  // Output of the current Append(). A step may exceed `enough_` by one token.
  Token* next_ = nullptr;
  Token* enough_ = nullptr;
};

/// All tokens of the text; the last one is kEof.
std::vector<Token> Lex(std::string_view text, LexMode mode, Comments comments = Comments::kDrop);

/// Reports the invalid tokens, repeated ones only a few times. Ref: hclsyntax checkInvalidTokens.
void ReportInvalidTokens(const SourceFile& source, std::span<const Token> tokens,
                         Diagnostics& diags);
/// Whether a token of that kind is never valid.
constexpr bool IsInvalid(TokenKind kind) {
  return kind >= TokenKind::kBitwiseAnd;
}

/// Whether the token opens something that another token closes: a bracket, quote, heredoc or
/// sequence.
constexpr bool IsOpener(TokenKind kind) {
  using enum TokenKind;
  return kind == kOpenBrace || kind == kOpenBracket || kind == kOpenParen || kind == kOpenQuote ||
         kind == kOpenHeredoc || kind == kTemplateInterpolation || kind == kTemplateDirective;
}
constexpr bool IsCloser(TokenKind kind) {
  using enum TokenKind;
  return kind == kCloseBrace || kind == kCloseBracket || kind == kCloseParen ||
         kind == kCloseQuote || kind == kCloseHeredoc || kind == kTemplateEnd;
}

/// Appends the offsets of tokens that begin with a non-ASCII byte. The reference always starts a
/// grapheme cluster there (SourceFile::SetColumns).
void AppendClusterBreaks(std::string_view text, std::span<const Token> tokens,
                         std::vector<uint32_t>& breaks);

}  // namespace kinu::hcl
