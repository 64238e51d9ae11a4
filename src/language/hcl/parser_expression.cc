#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "hcl/parser.h"

namespace kinu::hcl {

using enum TokenKind;

namespace {

struct BinaryToken {
  int precedence = -1;  // higher binds tighter; -1: not an operator
  BinaryOperator op = BinaryOperator::kOr;
};

// Ref: hclsyntax/expression_ops.go, binaryOps.
constexpr BinaryToken BinaryTokenOf(TokenKind kind) {
  switch (kind) {
    case kOr:
      return {0, BinaryOperator::kOr};
    case kAnd:
      return {1, BinaryOperator::kAnd};
    case kEqualOperator:
      return {2, BinaryOperator::kEqual};
    case kNotEqual:
      return {2, BinaryOperator::kNotEqual};
    case kGreater:
      return {3, BinaryOperator::kGreater};
    case kGreaterEqual:
      return {3, BinaryOperator::kGreaterEqual};
    case kLess:
      return {3, BinaryOperator::kLess};
    case kLessEqual:
      return {3, BinaryOperator::kLessEqual};
    case kPlus:
      return {4, BinaryOperator::kAdd};
    case kMinus:
      return {4, BinaryOperator::kSubtract};
    case kStar:
      return {5, BinaryOperator::kMultiply};
    case kSlash:
      return {5, BinaryOperator::kDivide};
    case kPercent:
      return {5, BinaryOperator::kModulo};
    default:
      return {};
  }
}

/// Whether the token always ends the expression before it.
bool EndsExpression(TokenKind kind, bool newlines_count) {
  switch (kind) {
    case kNewline:
      return newlines_count;
    case kComma:
    case kEqual:
    case kCloseBrace:
    case kCloseBracket:
    case kCloseParen:
    case kTemplateEnd:
      return true;
    default:
      return false;
  }
}

}  // namespace

const Expr* Parser::ParseExpression() {
  // Fast path: most expressions are a single name or number.
  const size_t at = NextIndex();
  const TokenKind kind = tokens_[at].kind;
  if ((kind == kIdent || kind == kNumber) &&
      EndsExpression(tokens_[at + 1].kind, include_newlines_)) {
    return ParseTerm();
  }
  const DepthScope depth(*this);
  const Span start = SpanOf(Peek());
  if (!depth.ok()) {
    return NewPlaceholder(start);
  }
  size_t errors_before = errors();
  const Expr* condition = ParseBinary(0);
  if (FailedSince(errors_before) || PeekKind() != kQuestion) {
    return condition;
  }
  Read();
  errors_before = errors();
  const Expr* true_result = ParseExpression();
  if (FailedSince(errors_before)) {
    return condition;
  }
  const Token colon = Peek();
  if (colon.kind != kColon && !incomplete_) {
    Error(
        "Missing false expression in conditional",
        "The conditional operator (...?...:...) requires a false expression, delimited by a colon.",
        SpanOf(colon), Between(start, SpanOf(colon)));
    return condition;
  }
  if (colon.kind == kColon) {
    Read();
  }
  errors_before = errors();
  const Expr* false_result = colon.kind == kColon ? ParseExpression() : NewMissing();
  if (FailedSince(errors_before)) {
    return condition;
  }
  return New<ConditionalExpr>(ExprKind::kConditional, Between(start, SpanOf(*false_result)),
                              condition, true_result, false_result);
}

const Expr* Parser::ParseBinary(int minimum_precedence) {
  size_t errors_before = errors();
  const Expr* left = ParseTermWithTraversals();
  if (FailedSince(errors_before)) {
    return left;
  }
  uint32_t chain = 0;
  for (;;) {
    const BinaryToken found = BinaryTokenOf(PeekKind());
    if (found.precedence < minimum_precedence) {
      return left;
    }
    if (depth_ + ++chain > kMaxDepth) {
      ReportTooDeep();
      return left;
    }
    Read();
    errors_before = errors();
    const Expr* right = ParseBinary(found.precedence + 1);
    if (FailedSince(errors_before)) {
      return left;
    }
    left = New<BinaryExpr>(ExprKind::kBinary, Between(SpanOf(*left), SpanOf(*right)), found.op,
                           left, right);
  }
}

const Expr* Parser::ParseTermWithTraversals() {
  return ParseTraversals(ParseTerm());
}

const Expr* Parser::ParseTerm() {
  const Token start = Peek();
  switch (start.kind) {
    case kIdent:
      return ParseWord();
    case kNumber: {
      Read();
      return New<LiteralExpr>(ExprKind::kLiteral, SpanOf(start), NumberValue(start));
    }
    case kOpenQuote:
    case kOpenHeredoc:
      return ParseQuoted();
    case kOpenParen:
      return ParseParentheses();
    case kOpenBracket:
      return ParseTuple();
    case kOpenBrace:
      return ParseObject();
    case kMinus:
      return ParseUnary(UnaryOperator::kNegate);
    case kBang:
      return ParseUnary(UnaryOperator::kNot);
    default:
      if (incomplete_) {
        return NewMissing();
      }
      if (!recovery_) {
        const bool at_end = start.kind == kEof;
        Error(at_end ? "Missing expression" : "Invalid expression",
              at_end
                  ? "Expected the start of an expression, but found the end of the file."
                  : "Expected the start of an expression, but found an invalid expression token.",
              SpanOf(start));
      }
      recovery_ = true;
      return NewPlaceholder(SpanOf(start));
  }
}

const Expr* Parser::ParseUnary(UnaryOperator op) {
  const Token symbol = Read();
  const DepthScope depth(*this);
  if (!depth.ok()) {
    return NewPlaceholder(SpanOf(symbol));
  }
  const Expr* operand = ParseTermWithTraversals();
  return New<UnaryExpr>(ExprKind::kUnary, Between(SpanOf(symbol), SpanOf(*operand)), op, symbol.end,
                        operand);
}

const Expr* Parser::ParseParentheses() {
  const Token open = Read();
  const NewlineScope newlines(*this, false);
  const size_t errors_before = errors();
  const Expr* inner = ParseExpression();
  if (incomplete_) {
    const Token end = Recover(kCloseParen);
    return New<WrapExpr>(ExprKind::kParentheses, Between(SpanOf(open), SpanOf(end)), inner);
  }
  if (errors() > errors_before) {
    Recover(kCloseParen);
    return inner;
  }
  const Token close = Peek();
  if (close.kind != kCloseParen) {
    Error("Unbalanced parentheses", "Expected a closing parenthesis to terminate the expression.",
          SpanOf(close), Between(SpanOf(open), SpanOf(close)));
    recovery_ = true;
  }
  Read();
  return New<WrapExpr>(ExprKind::kParentheses, Between(SpanOf(open), SpanOf(close)), inner);
}

const Expr* Parser::ParseQuoted() {
  const Token open = Read();
  // Fast path: most strings are a single text.
  if (const Token& text = Peek();
      text.kind == kQuotedText && tokens_[next_ + 1].kind == kCloseQuote) {
    const Token text_token = Read();
    const Span whole = Between(SpanOf(open), SpanOf(Read()));
    const std::string_view content = TokenText(text_token);
    if (IsSource(content, {text_token.begin, whole.end - 1})) {
      return New<QuotedExpr>(ExprKind::kQuoted, whole);
    }
    const Expr* part = NewText(content, SpanOf(text_token));
    return New<TemplateExpr>(
        ExprKind::kTemplate, whole,
        std::span<const Expr* const>(tree_.arena.CopySpan(std::span<const Expr* const>(&part, 1))));
  }
  const bool flush = open.kind == kOpenHeredoc && Text(open).starts_with("<<-");
  const Template parsed =
      ParseTemplate(open.kind == kOpenQuote ? kCloseQuote : kCloseHeredoc, flush);
  const Span span = Between(SpanOf(open), SpanOf(Previous()));
  if (parsed.single_interpolation) {
    return New<WrapExpr>(ExprKind::kTemplateWrap, span, parsed.parts.front());
  }
  return New<TemplateExpr>(ExprKind::kTemplate, span, parsed.parts);
}

const Expr* Parser::ParseWord() {
  const Token name = Read();
  const TokenKind next = PeekKind();
  if (next == kOpenParen || next == kDoubleColon) {
    return FinishCall(name);
  }
  const std::string_view text = Text(name);
  const auto literal = [&](const Value*& kept, auto make) {
    if (kept == nullptr) {
      kept = tree_.Keep(make());
    }
    return New<LiteralExpr>(ExprKind::kLiteral, SpanOf(name), kept);
  };
  if (text == "true") {
    return literal(true_, [] { return Value::True(); });
  }
  if (text == "false") {
    return literal(false_, [] { return Value::False(); });
  }
  if (text == "null") {
    return literal(null_, [] { return Value(); });
  }
  return New<TraversalExpr>(ExprKind::kTraversal, SpanOf(name), text,
                            std::span<const TraversalStep>(), name.end);
}

const Value* Parser::NumberValue(const Token& token) {
  if (std::optional<Number> number = Number::Parse(Text(token))) {
    return tree_.Keep(Value::Of(*std::move(number)));
  }
  Error("Invalid number literal", "Failed to recognize the value of this number literal.",
        SpanOf(token));
  return tree_.Keep(Value::Unknown(Type::Number()));
}

const Expr* Parser::InvalidSince(size_t first_diagnostic, Span span) {
  Diagnostics problems;
  for (size_t i = first_diagnostic; i < diags_.size(); ++i) {
    problems.Add(diags_.list()[i]);
  }
  return New<InvalidExpr>(ExprKind::kInvalid, span, tree_.KeepDiagnostics(std::move(problems)));
}

// --- Calls ---

const Expr* Parser::FinishCall(const Token& name) {
  if (incomplete_) {
    return ReadCall(name);
  }
  const size_t first_diagnostic = diags_.size();
  Token open = Read();
  uint32_t name_end = name.end;
  std::string joined;
  while (open.kind == kDoubleColon) {
    const Token part = Read();
    if (part.kind != kIdent) {
      Error(
          "Missing function name",
          "Function scope resolution symbol :: must be followed by a function name in this scope.",
          SpanOf(part), Between(SpanOf(name), SpanOf(part)));
      RecoverOver(kOpenParen);
      return InvalidSince(first_diagnostic, Between(SpanOf(name), SpanOf(part)));
    }
    if (joined.empty()) {
      joined = Text(name);
    }
    joined.append("::").append(Text(part));
    name_end = part.end;
    open = Read();
  }
  if (open.kind != kOpenParen) {
    Error("Missing open parenthesis",
          "Function selector must be followed by an open parenthesis to begin the function call.",
          SpanOf(open), Between(SpanOf(name), SpanOf(open)));
    RecoverOver(kOpenParen);
    return InvalidSince(first_diagnostic, Between(SpanOf(name), SpanOf(open)));
  }
  std::string_view full_name = source_text_.substr(name.begin, name_end - name.begin);
  if (!joined.empty() && joined != full_name) {
    full_name = tree_.arena.CopyString(joined);
  }

  const size_t first = exprs_.size();
  bool expand_final = false;
  const Token close = ParseArguments(name, open, expand_final);
  const auto arguments = tree_.arena.CopySpan(std::span<const Expr* const>(exprs_).subspan(first));
  exprs_.resize(first);
  return New<CallExpr>(ExprKind::kCall, Between(SpanOf(name), SpanOf(close)), full_name, name_end,
                       open.begin, close.begin, std::span<const Expr* const>(arguments),
                       expand_final);
}

Token Parser::ParseArguments(const Token& name, const Token& open, bool& expand_final) {
  const NewlineScope newlines(*this, false);
  while (PeekKind() != kCloseParen) {
    const size_t errors_before = errors();
    exprs_.push_back(ParseExpression());
    if (FailedSince(errors_before)) {
      Token close = Recover(kCloseParen);
      if (close.kind != kCloseParen) {
        close.begin = close.end = name.begin;  // a call that never ends has an empty range
      }
      return close;
    }
    const Token separator = Read();
    if (separator.kind == kCloseParen) {
      return separator;
    }
    if (separator.kind == kEllipsis) {
      expand_final = true;
      if (PeekKind() == kCloseParen) {
        return Read();
      }
      if (!recovery_) {
        Error("Missing closing parenthesis",
              "An expanded function argument (with ...) must be immediately followed by closing "
              "parentheses.",
              SpanOf(separator), Between(SpanOf(name), SpanOf(separator)));
      }
      return Recover(kCloseParen);
    }
    if (separator.kind != kComma) {
      if (separator.kind == kEof) {
        Error("Unterminated function call",
              "There is no closing parenthesis for this function call before the end of the file. "
              "A parenthesis may be missing here, or somewhere inside.",
              Between(SpanOf(name), SpanOf(open)));
      } else {
        Error("Missing argument separator",
              "A comma is required to separate each function argument from the next.",
              SpanOf(separator), Between(SpanOf(name), SpanOf(separator)));
      }
      return Recover(kCloseParen);
    }
  }
  return Read();
}

// --- Traversals, indexes and splats ---

/// Makes a traversal of `source` and steps_ from `first_step` on, and removes these from steps_.
const Expr* Parser::AppendSteps(const Expr* source, size_t first_step) {
  if (steps_.size() == first_step) {
    return source;
  }
  const std::span<const TraversalStep> steps =
      tree_.arena.CopySpan(std::span<const TraversalStep>(steps_).subspan(first_step));
  const Span span{source->begin, steps_.back().end};
  DropSteps(first_step);
  if (source->kind == ExprKind::kTraversal) {
    // Extends a traversal without steps in place: no other node refers to it yet.
    auto& root = const_cast<TraversalExpr&>(static_cast<const TraversalExpr&>(*source));
    if (root.steps.empty()) {
      root.steps = steps;
      root.end = std::max(span.begin, span.end);
      return &root;
    }
    return New<TraversalExpr>(ExprKind::kTraversal, span, root.root, steps, root.root_end);
  }
  return New<RelativeExpr>(ExprKind::kRelative, span, source, steps);
}

TraversalStep Parser::LegacyIndex(const Token& dot, const Token& number, const Token& subject) {
  const std::string_view text = Text(number);
  if (const size_t point = text.find('.'); point != std::string_view::npos) {
    Error("Invalid legacy index syntax",
          "When using the legacy index syntax, chaining two indexes together is not permitted. Use "
          "the proper index syntax instead, like [" +
              std::string(text.substr(0, point)) + "][" + std::string(text.substr(point + 1)) +
              "].",
          SpanOf(subject));
    return TraversalStep::Index(dot.begin, number.end, tree_.Keep(Value::DynamicUnknown()));
  }
  return TraversalStep::Index(dot.begin, number.end, NumberValue(number));
}

const Expr* Parser::ParseTraversals(const Expr* from) {
  const Expr* result = from;
  const size_t first_step = steps_.size();
  const size_t first_diagnostic = diags_.size();
  uint32_t chain = 0;
  for (;;) {
    const TokenKind kind = PeekKind();
    if (kind != kDot && kind != kOpenBracket) {
      return AppendSteps(result, first_step);
    }
    if (depth_ + ++chain > kMaxDepth) {
      ReportTooDeep();
      return AppendSteps(result, first_step);
    }
    const Token first = Read();
    if (first.kind == kDot) {
      const Token after = Peek();
      if (after.kind == kIdent) {
        Read();
        steps_.push_back(TraversalStep::Attribute(first.begin, after.end, Text(after)));
      } else if (after.kind == kNumber) {
        Read();
        steps_.push_back(LegacyIndex(first, after, after));
      } else if (after.kind == kStar) {
        result = ParseAttributeSplat(AppendSteps(result, first_step), from, first);
      } else if (incomplete_) {
        steps_.push_back(TraversalStep::Attribute(first.begin, first.end, {}));
      } else {
        Error("Invalid attribute name", "An attribute name is required after a dot.",
              SpanOf(after));
        DropSteps(first_step);
        result = InvalidSince(first_diagnostic, Between(SpanOf(*from), SpanOf(first)));
        recovery_ = true;
      }
      continue;
    }
    if (PeekKind() == kStar) {
      result = ParseFullSplat(AppendSteps(result, first_step), from, first);
      continue;
    }
    result = ParseIndex(result, first_step, from, first);
  }
}

/// The value of a key that is a literal or a text, or null.
const Value* Parser::ConstantKey(const Expr& key) {
  const Expr* literal = &key;
  if (key.kind == ExprKind::kTemplate) {
    const auto& parts = static_cast<const TemplateExpr&>(key).parts;
    literal = parts.size() == 1 ? parts.front() : &key;
  }
  switch (literal->kind) {
    case ExprKind::kQuoted:
      return tree_.Keep(static_cast<const QuotedExpr&>(*literal).part.value());
    case ExprKind::kText:
      return tree_.Keep(static_cast<const TextExpr&>(*literal).value());
    case ExprKind::kLiteral:
      return static_cast<const LiteralExpr&>(*literal).value;
    default:
      return nullptr;
  }
}

/// Reads `[key]`: appends a step to the traversal if the key is constant, else makes an IndexExpr.
const Expr* Parser::ParseIndex(const Expr* source, size_t first_step, const Expr* from,
                               const Token& open) {
  const NewlineScope newlines(*this, false);
  const size_t errors_before = errors();
  const Expr* key = ParseExpression();
  Token close{};
  if (FailedSince(errors_before)) {
    close = Recover(kCloseBracket);
  } else {
    close = incomplete_ ? Recover(kCloseBracket) : Read();
    if (close.kind != kCloseBracket && !recovery_) {
      close = Recover(kCloseBracket);
      Error("Missing close bracket on index",
            "The index operator must end with a closing bracket (\"]\").", SpanOf(close));
    }
  }
  if (const Value* constant = ConstantKey(*key)) {
    steps_.push_back(TraversalStep::Index(open.begin, close.end, constant));
    return source;
  }
  return New<IndexExpr>(ExprKind::kIndex, Between(SpanOf(*from), SpanOf(close)),
                        AppendSteps(source, first_step), key, open.begin, close.end);
}

const Expr* Parser::ParseFullSplat(const Expr* source, const Expr* from, const Token& open) {
  Read();  // "*"
  Token close = incomplete_ ? Recover(kCloseBracket) : Read();
  if (close.kind != kCloseBracket && !recovery_) {
    close = Recover(kCloseBracket);
    Error("Missing close bracket on splat index",
          "The star for a full splat operator must be immediately followed by a closing bracket "
          "(\"]\").",
          SpanOf(close));
  }
  const Span marker = Between(SpanOf(open), SpanOf(close));
  const auto* item = New<SplatItemExpr>(ExprKind::kSplatItem, marker);
  const DepthScope depth(*this);
  const Expr* each = depth.ok() ? ParseTraversals(item) : item;
  return New<SplatExpr>(ExprKind::kSplat, Between(SpanOf(*from), SpanOf(*each)), source, each, item,
                        marker.begin, marker.end);
}

/// Reads `.*` and the attribute steps after it, which apply to each element. Returns `source` after
/// an error.
const Expr* Parser::ParseAttributeSplat(const Expr* source, const Expr* from, const Token& dot) {
  const Token star = Read();
  const Span marker = Between(SpanOf(dot), SpanOf(star));
  const Span first = SpanOf(Peek());
  Span last = SpanOf(star);
  const size_t first_step = steps_.size();
  while (PeekKind() == kDot) {
    const Token step_dot = Read();
    const Token after = Peek();
    if (after.kind == kNumber) {
      Read();
      const TraversalStep step = LegacyIndex(step_dot, after, star);
      steps_.push_back(step);
      last = SpanOf(after);
      continue;
    }
    if (after.kind != kIdent && incomplete_) {
      steps_.push_back(TraversalStep::Attribute(step_dot.begin, step_dot.end, {}));
      last = SpanOf(step_dot);
      continue;
    }
    if (after.kind != kIdent) {
      if (!recovery_) {
        if (after.kind == kStar) {
          Error("Nested splat expression not allowed",
                "A splat expression (*) cannot be used inside another attribute-only splat "
                "expression.",
                SpanOf(after));
        } else {
          Error("Invalid attribute name", "An attribute name is required after a dot.",
                SpanOf(star));
        }
      }
      recovery_ = true;
      DropSteps(first_step);
      return source;
    }
    const Token attribute = Read();
    steps_.push_back(TraversalStep::Attribute(step_dot.begin, attribute.end, Text(attribute)));
    last = SpanOf(attribute);
  }
  const auto* item = New<SplatItemExpr>(ExprKind::kSplatItem, marker);
  const Expr* each = item;
  if (steps_.size() > first_step) {
    const std::span<const TraversalStep> steps =
        tree_.arena.CopySpan(std::span<const TraversalStep>(steps_).subspan(first_step));
    DropSteps(first_step);
    each = New<RelativeExpr>(ExprKind::kRelative, Between(first, last), item, steps);
  }
  return New<SplatExpr>(ExprKind::kSplat, Between(SpanOf(*from), last), source, each, item,
                        marker.begin, marker.end);
}

}  // namespace kinu::hcl
