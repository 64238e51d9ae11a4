// Diagnostics of tokens that are no part of the language.
#include "hcl/lexer.h"

namespace kinu::hcl {

using enum TokenKind;

void ReportInvalidTokens(const SourceFile& source, std::span<const Token> tokens,
                         Diagnostics& diags) {
  constexpr int kMaxBitwise = 4;
  int bitwise = 0;
  int backticks = 0;
  int apostrophes = 0;
  bool semicolon = false;
  bool bad_utf8 = false;
  for (const Token& token : tokens) {
    if (!IsInvalid(token.kind)) {
      continue;
    }
    const SourceRange range{&source, token.begin, token.end};
    switch (token.kind) {
      case kBitwiseAnd:
      case kBitwiseOr:
      case kBitwiseNot:
      case kBitwiseXor:
        if (bitwise++ < kMaxBitwise) {
          std::string detail = "Bitwise operators are not supported.";
          if (token.kind == kBitwiseAnd) {
            detail += " Did you mean boolean AND (\"&&\")?";
          } else if (token.kind == kBitwiseOr) {
            detail += " Did you mean boolean OR (\"||\")?";
          } else if (token.kind == kBitwiseNot) {
            detail += " Did you mean boolean NOT (\"!\")?";
          }
          diags.Error("Unsupported operator", detail, range);
        }
        break;
      case kBacktick:
        // Backticks and apostrophes come in pairs; only the first of a pair is reported.
        if (backticks % 2 == 0) {
          diags.Error("Invalid character",
                      "The \"`\" character is not valid. For text of several lines use a heredoc, "
                      "which starts like \"<<EOT\".",
                      range);
        }
        backticks += backticks <= 2 ? 1 : 0;
        break;
      case kApostrophe:
        if (apostrophes % 2 == 0) {
          diags.Error("Invalid character",
                      "Single quotes are not valid. Use double quotes (\") to enclose strings.",
                      range);
        }
        apostrophes += apostrophes <= 2 ? 1 : 0;
        break;
      case kSemicolon:
        if (!semicolon) {
          diags.Error("Invalid character",
                      "The \";\" character is not valid. Arguments and blocks end with a newline, "
                      "elements of collections are separated by commas.",
                      range);
        }
        semicolon = true;
        break;
      case kBadUtf8:
        if (!bad_utf8) {
          diags.Error("Invalid character encoding",
                      "All input files must be UTF-8 encoded. Check the encoding that your editor "
                      "saves files in.",
                      range);
        }
        bad_utf8 = true;
        break;
      case kQuotedNewline:
        diags.Error("Invalid multi-line string",
                    "Quoted strings may not be split over multiple lines. Write \\n for a newline, "
                    "or use a heredoc for text of several lines.",
                    range);
        break;
      case kInvalid: {
        const std::string_view text = range.text();
        if (text == "\u201C" || text == "\u201D") {
          diags.Error("Invalid character",
                      "\"Curly quotes\" are not valid here. Word processors and web pages make "
                      "them; strings stand in straight double quotes (\").",
                      range);
        } else {
          diags.Error("Invalid character", "This character is not used within the language.",
                      range);
        }
        break;
      }
      default:
        break;
    }
  }
}

}  // namespace kinu::hcl
