#include "lang/console_input.h"

#include <vector>

#include "hcl/lexer.h"

namespace kinu::lang {

int ConsoleInput::Add(std::string_view line) {
  if (open_ <= 0) {
    text_.clear();
    braces_ = brackets_ = parentheses_ = 0;
  }
  int continued = line.ends_with('\\') && !line.ends_with("\\\\") ? 1 : 0;
  if (line.ends_with('\\')) {
    line.remove_suffix(1);
  }
  if (!line.empty()) {
    text_ += (text_.empty() ? "" : "\n") + std::string(line);
    Count(line);
  }
  bool closed_too_many = braces_ < 0 || brackets_ < 0 || parentheses_ < 0;
  open_ = closed_too_many ? 0 : continued + braces_ + brackets_ + parentheses_;
  return open_;
}

void ConsoleInput::Count(std::string_view line) {
  std::vector<hcl::Token> tokens;
  hcl::Lexer(line, hcl::LexMode::kNormal).Append(line.size() + 1, tokens);
  for (const hcl::Token& token : tokens) {
    using hcl::TokenKind;
    braces_ += token.kind == TokenKind::kOpenBrace;
    braces_ -= token.kind == TokenKind::kCloseBrace;
    brackets_ += token.kind == TokenKind::kOpenBracket;
    brackets_ -= token.kind == TokenKind::kCloseBracket;
    parentheses_ += token.kind == TokenKind::kOpenParen;
    parentheses_ -= token.kind == TokenKind::kCloseParen;
  }
}

}  // namespace kinu::lang
