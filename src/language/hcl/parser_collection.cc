// Tuples, objects and `for` expressions.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hcl/parser.h"

namespace kinu::hcl {

using enum TokenKind;

namespace {

constexpr std::string_view kInvalidFor = "Invalid 'for' expression";

}  // namespace

const Expr* Parser::ParseTuple() {
  const Token open = Read();
  const NewlineScope newlines(*this, false);
  if (PeekIsWord("for")) {
    return FinishFor(open);
  }
  const size_t first = exprs_.size();
  Token close{};
  for (;;) {
    if (PeekKind() == kCloseBracket) {
      close = Read();
      break;
    }
    const size_t errors_before = errors();
    const size_t item = next_;
    exprs_.push_back(ParseExpression());
    if (incomplete_ && ContinueList(kCloseBracket, item)) {
      continue;
    }
    if (FailedSince(errors_before)) {
      close = Recover(kCloseBracket);
      break;
    }
    const Token next = Peek();
    if (next.kind == kCloseBracket) {
      close = Read();
      break;
    }
    if (next.kind != kComma) {
      if (!recovery_) {
        if (next.kind == kEof) {
          Error("Unterminated tuple constructor expression",
                "There is no corresponding closing bracket before the end of the file. A bracket "
                "may be missing here, or somewhere inside.",
                SpanOf(open));
        } else {
          Error("Missing item separator",
                "Expected a comma to mark the beginning of the next item.", SpanOf(next),
                Between(SpanOf(open), SpanOf(next)));
        }
      }
      close = Recover(kCloseBracket);
      break;
    }
    Read();
  }
  const auto elements = tree_.arena.CopySpan(std::span<const Expr* const>(exprs_).subspan(first));
  exprs_.resize(first);
  return New<TupleExpr>(ExprKind::kTuple, Between(SpanOf(open), SpanOf(close)),
                        std::span<const Expr* const>(elements), open.end);
}

const Expr* Parser::ParseObject() {
  const Token open = Read();
  bool is_for = false;
  {
    const NewlineScope newlines(*this, false);
    is_for = PeekIsWord("for");
  }
  if (is_for) {
    return FinishFor(open);
  }
  const NewlineScope newlines(*this, true);
  const size_t first = items_.size();
  Token close{};
  while (ParseObjectItem(open, items_, close)) {
  }
  const auto items = tree_.arena.CopySpan(std::span<const ObjectItem>(items_).subspan(first));
  items_.resize(first);
  return New<ObjectExpr>(ExprKind::kObject, Between(SpanOf(open), SpanOf(close)),
                         std::span<const ObjectItem>(items), open.end);
}

const Expr* Parser::ObjectKey(const Expr& key, bool in_parentheses) {
  if (key.kind == ExprKind::kTraversal) {
    const auto& word = static_cast<const TraversalExpr&>(key);
    if (word.steps.empty()) {
      const Span span = SpanOf(word);
      tree_.arena.GiveBack(&word);
      return New<ObjectWordExpr>(ExprKind::kObjectWord, span);
    }
  }
  return New<ObjectKeyExpr>(ExprKind::kObjectKey, SpanOf(key), &key, in_parentheses);
}

bool Parser::ParseObjectItem(const Token& open, std::vector<ObjectItem>& items, Token& close) {
  if (incomplete_) {
    return ReadObjectItem(items, close);
  }
  while (PeekKind() == kNewline) {
    Read();
  }
  if (PeekKind() == kCloseBrace) {
    close = Read();
    return false;
  }
  const auto unterminated = [&] {
    Error("Unterminated object constructor expression",
          "There is no corresponding closing brace before the end of the file. A brace may be "
          "missing here, or somewhere inside.",
          SpanOf(open));
  };

  const bool in_parentheses = PeekKind() == kOpenParen;
  size_t errors_before = errors();
  const Expr* key = ParseExpression();
  if (FailedSince(errors_before)) {
    close = Recover(kCloseBrace);
    return false;
  }
  key = ObjectKey(*key, in_parentheses);

  Token next = Peek();
  if (next.kind != kEqual && next.kind != kColon) {
    const Span context = Between(SpanOf(open), SpanOf(next));
    if (recovery_) {
      // The first error is enough.
    } else if (next.kind == kNewline || next.kind == kComma) {
      Error("Missing attribute value",
            "Expected an attribute value, introduced by an equals sign (\"=\").", SpanOf(next),
            context);
    } else if (next.kind == kEof) {
      unterminated();
    } else {
      Error("Missing key/value separator",
            next.kind == kIdent
                ? "Expected an equals sign (\"=\") to mark the beginning of the attribute value. A "
                  "name with dots or spaces must stand in quotes."
                : "Expected an equals sign (\"=\") to mark the beginning of the attribute value.",
            SpanOf(next), context);
    }
    close = Recover(kCloseBrace);
    return false;
  }
  Read();

  errors_before = errors();
  const Expr* value = ParseExpression();
  if (FailedSince(errors_before)) {
    if (value->kind == ExprKind::kInvalid) {
      items.push_back({key, value});
    }
    close = Recover(kCloseBrace);
    return false;
  }
  items.push_back({key, value});

  next = Peek();
  if (next.kind == kCloseBrace) {
    close = Read();
    return false;
  }
  if (next.kind != kComma && next.kind != kNewline) {
    if (recovery_) {
      // The first error is enough.
    } else if (next.kind == kEof) {
      unterminated();
    } else {
      Error("Missing attribute separator",
            "Expected a newline or comma to mark the beginning of the next attribute.",
            SpanOf(next), Between(SpanOf(open), SpanOf(next)));
    }
    close = Recover(kCloseBrace);
    return false;
  }
  Read();
  return true;
}

const Expr* Parser::FinishFor(const Token& open) {
  const NewlineScope newlines(*this, false);
  Read();  // "for"
  if (incomplete_) {
    return ReadFor(open);
  }
  const bool makes_object = open.kind == kOpenBrace;
  const TokenKind closer = makes_object ? kCloseBrace : kCloseBracket;
  const auto give_up = [&] {
    const Token close = Recover(closer);
    return NewPlaceholder(Between(SpanOf(open), SpanOf(close)));
  };
  const auto fail = [&](std::string detail) {
    const Token next = Peek();
    if (!recovery_) {
      Error(std::string(kInvalidFor), std::move(detail), SpanOf(next),
            Between(SpanOf(open), SpanOf(next)));
    }
    return give_up();
  };

  if (PeekKind() != kIdent) {
    return fail("For expression requires variable name after 'for'.");
  }
  std::string_view key_name;
  std::string_view value_name = Text(Read());
  if (PeekKind() == kComma) {
    Read();
    key_name = value_name;
    if (PeekKind() != kIdent) {
      return fail("For expression requires value variable name after comma.");
    }
    value_name = Text(Read());
  }
  if (!PeekIsWord("in")) {
    return fail("For expression requires the 'in' keyword after its name declarations.");
  }
  Read();
  size_t errors_before = errors();
  const Expr* collection = ParseExpression();
  if (FailedSince(errors_before)) {
    return give_up();
  }
  if (PeekKind() != kColon) {
    return fail("For expression requires a colon after the collection expression.");
  }
  Read();

  errors_before = errors();
  const Expr* key = nullptr;
  const Expr* value = ParseExpression();
  if (PeekKind() == kFatArrow) {
    Read();
    key = value;
    value = ParseExpression();
  }
  if (FailedSince(errors_before)) {
    return give_up();
  }
  Token ellipsis{};
  if (PeekKind() == kEllipsis) {
    ellipsis = Read();
  }
  const Expr* condition = nullptr;
  if (PeekIsWord("if")) {
    Read();
    errors_before = errors();
    condition = ParseExpression();
    if (FailedSince(errors_before)) {
      return give_up();
    }
  }

  Token close = Peek();
  if (close.kind == closer) {
    Read();
  } else {
    if (!recovery_) {
      Error(std::string(kInvalidFor), "Extra characters after the end of the 'for' expression.",
            SpanOf(close), Between(SpanOf(open), SpanOf(close)));
    }
    close = Recover(closer);
  }
  const Span span = Between(SpanOf(open), SpanOf(close));
  if (makes_object && key == nullptr) {
    Error(std::string(kInvalidFor), "Key expression is required when building an object.",
          SpanOf(*value), span);
  }
  if (!makes_object && key != nullptr) {
    Error(std::string(kInvalidFor), "Key expression is not valid when building a tuple.",
          SpanOf(*key), span);
  }
  if (!makes_object && ellipsis.kind == kEllipsis) {
    Error(std::string(kInvalidFor), "Grouping ellipsis (...) cannot be used when building a tuple.",
          SpanOf(ellipsis), span);
  }
  return New<ForExpr>(ExprKind::kFor, span, key_name, value_name, collection, key, value, condition,
                      ellipsis.kind == kEllipsis, open.end, close.begin);
}

}  // namespace kinu::hcl
