// The lexer of the native syntax: bytes to tokens in one pass. It never fails; what has no place in
// the language becomes a token that ReportInvalidTokens() diagnoses.
//
// Tokens are ranges into the source. Comments that end a line count as newlines, and other comments
// vanish, unless the caller (the formatter) asks to keep them. Spaces are what lies between tokens.
// Ref: hcl v2 hclsyntax/scan_tokens.rl, token.go.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"

namespace kinu::hcl {

enum class TokenKind : uint8_t {
  kNone,  ///< never in a token list
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
  kQuotedText,             ///< text in quotes; may hold backslash escapes
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
  // Never valid; recognised for good diagnostics.
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

struct Token {
  TokenKind kind;
  uint32_t begin, end;
};

enum class LexMode : uint8_t {
  kNormal,    ///< a file or an expression
  kTemplate,  ///< a standalone template
};
enum class Comments : uint8_t { kDrop, kKeep };

/// All tokens of the text; the last one is kEof. A byte order mark at the start is skipped.
std::vector<Token> Lex(std::string_view text, LexMode mode, Comments comments = Comments::kDrop);

/// Diagnoses tokens that no program may have. Ref: hclsyntax checkInvalidTokens.
void ReportInvalidTokens(const SourceFile& source, const std::vector<Token>& tokens,
                         Diagnostics& diags);

/// Offsets of tokens that begin with a byte beyond ASCII: where the reference starts counting
/// grapheme clusters anew.
std::vector<uint32_t> ClusterBreaks(std::string_view text, const std::vector<Token>& tokens);

}  // namespace kinu::hcl
