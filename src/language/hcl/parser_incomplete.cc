// What the parser reads in another way in incomplete mode. It has no errors here: the brackets of
// the tokens are balanced, and what is missing becomes a MissingExpr.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hcl/parser.h"

namespace kinu::hcl {

using enum TokenKind;

namespace {

bool BeginsExpression(TokenKind kind) {
  return kind == kIdent || kind == kNumber || kind == kMinus || kind == kBang ||
         (IsOpener(kind) && kind != kTemplateInterpolation && kind != kTemplateDirective);
}

}  // namespace

const Expr* Parser::NewMissing() {
  const uint32_t end = Peek().begin;
  const uint32_t begin = previous_.kind == kNone ? end : std::min(previous_.end, end);
  return New<MissingExpr>(ExprKind::kMissing, Span{begin, end});
}

// --- Bodies ---

void Parser::SkipItemRest() {
  for (size_t open = 0;;) {
    const TokenKind kind = PeekKind();
    if (kind == kEof || (open == 0 && IsCloser(kind))) {
      return;
    }
    Read();
    if (IsOpener(kind)) {
      ++open;
    } else if (IsCloser(kind)) {
      --open;
    } else if (kind == kNewline && open == 0) {
      return;
    }
  }
}

void Parser::SkipNoItem() {
  if (IsCloser(PeekKind())) {
    Read();
  }
  SkipItemRest();
}

void Parser::AddNameAlone(const Token& name) {
  const Span nothing{name.end, name.end};
  attributes_.push_back({.name = Text(name),
                         .expr = New<MissingExpr>(ExprKind::kMissing, nothing),
                         .begin = name.begin,
                         .end = name.end,
                         .equals_begin = name.end});
  SkipItemRest();
}

// --- Lists ---

bool Parser::ContinueList(TokenKind closer, size_t item) {
  for (;;) {
    const TokenKind kind = PeekKind();
    if (kind == closer || kind == kEof) {
      return false;
    }
    if (kind == kComma) {
      Read();
      return PeekKind() != closer;
    }
    if (next_ > item && BeginsExpression(kind)) {
      return true;  // the comma is missing
    }
    Read();
  }
}

Token Parser::ReadArguments(bool& expand_final) {
  const NewlineScope newlines(*this, false);
  bool more = PeekKind() != kCloseParen;
  while (more) {
    const size_t item = next_;
    exprs_.push_back(ParseExpression());
    if (PeekKind() == kEllipsis) {
      Read();
      expand_final = true;
    }
    more = ContinueList(kCloseParen, item);
  }
  return Read();
}

/// Reads a call after the first name. A name with namespaces is a call without parentheses if none
/// follow.
const Expr* Parser::ReadCall(const Token& name) {
  uint32_t name_end = name.end;
  std::string full_name(Text(name));
  while (PeekKind() == kDoubleColon) {
    name_end = Read().end;
    full_name += "::";
    if (PeekKind() == kIdent) {
      const Token part = Read();
      full_name += Text(part);
      name_end = part.end;
    }
  }
  Span open{name_end, name_end};
  Span close = open;
  const size_t first = exprs_.size();
  bool expand_final = false;
  if (PeekKind() == kOpenParen) {
    open = SpanOf(Read());
    close = SpanOf(ReadArguments(expand_final));
  }
  const auto arguments = tree_.arena.CopySpan(std::span<const Expr* const>(exprs_).subspan(first));
  exprs_.resize(first);
  return New<CallExpr>(ExprKind::kCall, Between(SpanOf(name), close),
                       tree_.arena.CopyString(full_name), name_end, open.begin, close.begin,
                       std::span<const Expr* const>(arguments), expand_final);
}

/// Reads one `key = value`, or what there is of it. False at the end of the object.
bool Parser::ReadObjectItem(std::vector<ObjectItem>& items, Token& close) {
  while (PeekKind() == kNewline || PeekKind() == kComma) {
    Read();
  }
  if (PeekKind() == kCloseBrace || PeekKind() == kEof) {
    close = Read();
    return false;
  }
  const size_t item = next_;
  const bool in_parentheses = PeekKind() == kOpenParen;
  const Expr* key = ObjectKey(*ParseExpression(), in_parentheses);
  const TokenKind separator = PeekKind();
  const Expr* value = nullptr;
  if (separator == kEqual || separator == kColon) {
    Read();
    value = ParseExpression();
  } else {
    value = New<MissingExpr>(ExprKind::kMissing, Span{key->end, key->end});
  }
  items.push_back({key, value});
  while (PeekKind() != kNewline && PeekKind() != kComma && PeekKind() != kCloseBrace &&
         PeekKind() != kEof && (next_ == item || !BeginsExpression(PeekKind()))) {
    Read();
  }
  return true;
}

// --- for ---

const Expr* Parser::ReadAfter(TokenKind kind) {
  if (PeekKind() != kind) {
    return NewMissing();
  }
  Read();
  return ParseExpression();
}

const Expr* Parser::ReadAfterWord(std::string_view word) {
  if (!PeekIsWord(word)) {
    return NewMissing();
  }
  Read();
  return ParseExpression();
}

/// Reads a `for` expression after that word.
const Expr* Parser::ReadFor(const Token& open) {
  const bool makes_object = open.kind == kOpenBrace;
  const auto read_name = [&] {
    return PeekKind() == kIdent && !PeekIsWord("in") ? Text(Read()) : std::string_view();
  };
  std::string_view key_name;
  std::string_view value_name = read_name();
  if (PeekKind() == kComma) {
    Read();
    key_name = std::exchange(value_name, read_name());
  }
  const Expr* collection = ReadAfterWord("in");
  const Expr* key = nullptr;
  const Expr* value = ReadAfter(kColon);
  if (PeekKind() == kFatArrow || makes_object) {
    key = value;
    value = ReadAfter(kFatArrow);
  }
  const bool grouping = PeekKind() == kEllipsis;
  if (grouping) {
    Read();
  }
  const Expr* condition = PeekIsWord("if") ? ReadAfterWord("if") : nullptr;
  const Token close = Recover(makes_object ? kCloseBrace : kCloseBracket);
  return New<ForExpr>(ExprKind::kFor, Between(SpanOf(open), SpanOf(close)), key_name, value_name,
                      collection, key, value, condition, grouping, open.end, close.begin);
}

}  // namespace kinu::hcl
