#include "hcl/parser.h"

#include <algorithm>

#include "hcl/balanced_tokens.h"
#include "hcl/parse.h"
#include "hcl/parse_tokens.h"
#include "hcl/stack_guard.h"
#include "text/unicode.h"

namespace kinu::hcl {

using enum TokenKind;

namespace {

/// The matching bracket; kNone for other tokens.
TokenKind Opposite(TokenKind kind) {
  switch (kind) {
    case kOpenBrace:
      return kCloseBrace;
    case kCloseBrace:
      return kOpenBrace;
    case kOpenBracket:
      return kCloseBracket;
    case kCloseBracket:
      return kOpenBracket;
    case kOpenParen:
      return kCloseParen;
    case kCloseParen:
      return kOpenParen;
    case kOpenQuote:
      return kCloseQuote;
    case kCloseQuote:
      return kOpenQuote;
    case kOpenHeredoc:
      return kCloseHeredoc;
    case kCloseHeredoc:
      return kOpenHeredoc;
    case kTemplateInterpolation:
    case kTemplateDirective:
      return kTemplateEnd;
    case kTemplateEnd:
      return kTemplateInterpolation;
    default:
      return kNone;
  }
}

}  // namespace

Parser::Parser(const SourceFile* source, SyntaxTree& tree, LexMode mode, Diagnostics& diags)
    : source_(source),
      source_text_(source->text()),
      tree_(tree),
      diags_(diags),
      lexer_(source->text(), mode),
      first_diagnostic_(diags.size()),
      is_ascii_(text::IsAscii(source->text())) {
  tokens_.push_back({kNone, 0, 0});
}

Parser::Parser(const SourceFile* source, SyntaxTree& tree, Part part, Diagnostics& diags)
    : source_(source),
      source_text_(source->text().substr(0, part.end)),
      tree_(tree),
      diags_(diags),
      lexer_(source_text_, LexMode::kNormal, Comments::kDrop, part.begin),
      first_diagnostic_(diags.size()),
      is_ascii_(text::IsAscii(source_text_.substr(part.begin))) {
  tokens_.push_back({kNone, 0, 0});
}

Parser::Parser(const SourceFile* source, SyntaxTree& tree, std::vector<Token> tokens,
               Diagnostics& diags)
    : source_(source),
      source_text_(source->text()),
      tree_(tree),
      diags_(diags),
      lexer_({}, LexMode::kNormal),
      tokens_(std::move(tokens)),
      first_diagnostic_(diags.size()),
      is_ascii_(true) {
}

size_t Parser::Refill(size_t at) {
  constexpr size_t kChunk = 1024;
  tokens_.pop_back();
  tokens_.erase(tokens_.begin(), tokens_.begin() + static_cast<ptrdiff_t>(next_));
  at -= next_;
  next_ = 0;
  lexer_.Append(kChunk, tokens_);
  const std::span<const Token> added = std::span<const Token>(tokens_).subspan(at);
  if (!is_ascii_) {
    AppendClusterBreaks(source_text_, added, cluster_breaks_);
  }
  for (const Token& token : added) {
    if (IsInvalid(token.kind)) {
      invalid_tokens_.push_back(token);
    }
  }
  if (invalid_tokens_.size() > kMaxInvalidTokens) {
    GiveUp();
    return SIZE_MAX;  // the caller's loop increments it to 0
  }
  if (tokens_.back().kind != kEof) {
    tokens_.push_back({kNone, 0, 0});
  }
  return at - 1;  // the caller's loop increments it; 0 wraps around and back
}

void Parser::ReportTokens() {
  while (tokens_.back().kind != kEof && !gave_up_) {
    next_ = tokens_.size() - 1;
    Refill(next_);
  }
  if (!cluster_breaks_.empty()) {
    source_->SetColumns(SourceFile::Columns::kNative, std::move(cluster_breaks_));
  }
  if (!invalid_tokens_.empty()) {
    Diagnostics parse_problems;
    for (size_t i = first_diagnostic_; i < diags_.size(); ++i) {
      parse_problems.Add(diags_.list()[i]);
    }
    diags_.Truncate(first_diagnostic_);
    ReportInvalidTokens(*source_, invalid_tokens_, diags_);
    diags_.Append(std::move(parse_problems));
  }
}

Token Parser::Previous() {
  return previous_.kind == kNone ? Peek() : previous_;
}

void Parser::Error(std::string summary, std::string detail, Span subject) {
  diags_.Error(std::move(summary), std::move(detail), Range(subject));
}

void Parser::Error(std::string summary, std::string detail, Span subject, Span context) {
  diags_.Error(std::move(summary), std::move(detail), Range(subject), Range(context));
}

bool Parser::Descend() {
  constexpr uint32_t kUncheckedDepth = 256;
  ++depth_;
  if (gave_up_) {
    return false;
  }
  if (depth_ > kMaxDepth || (depth_ > kUncheckedDepth && StackNearlyExhausted())) {
    ReportTooDeep();
    return false;
  }
  return true;
}

void Parser::ReportTooDeep() {
  if (!gave_up_) {
    Error("Nesting too deep",
          "Blocks, brackets or operators are nested deeper here than can be processed.",
          SpanOf(Peek()));
  }
  GiveUp();
}

void Parser::GiveUp() {
  gave_up_ = true;
  recovery_ = true;
  const auto end = static_cast<uint32_t>(source_text_.size());
  tokens_.assign({{kEof, end, end}});
  next_ = 0;
}

Token Parser::Recover(TokenKind end) {
  const TokenKind start = Opposite(end);
  recovery_ = true;
  for (int64_t nesting = 0;;) {
    const Token token = Read();
    TokenKind kind = token.kind;
    if (end == kTemplateEnd && kind == kTemplateDirective) {
      kind = kTemplateInterpolation;
    }
    if (kind == start) {
      ++nesting;
    } else if (kind == end) {
      if (nesting < 1) {
        return token;
      }
      --nesting;
    } else if (kind == kEof) {
      return token;
    }
  }
}

void Parser::RecoverOver(TokenKind start) {
  for (Token token = Read(); token.kind != start && token.kind != kEof;) {
    token = Read();
  }
  Recover(Opposite(start));
}

void Parser::RecoverAfterBodyItem() {
  recovery_ = true;
  if (incomplete_) {
    SkipItemRest();
    return;
  }
  std::vector<TokenKind> open;
  const auto is_sequence = [](TokenKind kind) {
    return kind == kTemplateInterpolation || kind == kTemplateDirective;
  };
  for (;;) {
    const Token token = Read();
    switch (token.kind) {
      case kNewline:
        if (open.empty()) {
          return;
        }
        break;
      case kEof:
        return;
      case kOpenBrace:
      case kOpenBracket:
      case kOpenParen:
      case kOpenQuote:
      case kOpenHeredoc:
      case kTemplateInterpolation:
      case kTemplateDirective:
        open.push_back(token.kind);
        break;
      case kCloseBrace:
      case kCloseBracket:
      case kCloseParen:
      case kCloseQuote:
      case kCloseHeredoc:
      case kTemplateEnd: {
        const auto matches = [&](TokenKind opener) {
          return token.kind == kTemplateEnd ? is_sequence(opener) : opener == Opposite(token.kind);
        };
        while (!open.empty() && !matches(open.back())) {
          open.pop_back();
        }
        if (!open.empty()) {
          open.pop_back();
        }
        break;
      }
      default:
        break;
    }
  }
}

const Expr* Parser::NewPlaceholder(Span span) {
  if (incomplete_) {
    return New<MissingExpr>(ExprKind::kMissing, span);
  }
  if (unknown_ == nullptr) {
    unknown_ = tree_.Keep(Value::DynamicUnknown());
  }
  return New<LiteralExpr>(ExprKind::kLiteral, span, unknown_);
}

const Value* Parser::StringValue(std::string_view text) {
  if (text::IsAscii(text)) {
    return tree_.Keep(Value::NormalizedString(text));
  }
  if (!text::IsUtf8(text)) {
    return tree_.Keep(Value::String(text::ReplaceInvalidUtf8(text)));
  }
  return tree_.Keep(Value::String(text));
}

bool Parser::IsSource(std::string_view text, Span span) const {
  return text.data() == source_text_.data() + span.begin && text.size() == span.end - span.begin &&
         text::IsAscii(text);
}

const Expr* Parser::NewText(std::string_view text, Span span) {
  if (IsSource(text, span)) {
    return New<TextExpr>(ExprKind::kText, span);
  }
  return New<LiteralExpr>(ExprKind::kLiteral, span, StringValue(text));
}

const NativeBody* Parser::ParseFile() {
  // blocks_ holds all blocks of the file until the end. Reserving costs nothing, because unused
  // pages are never touched; growing would copy the blocks repeatedly.
  constexpr size_t kBytesPerBlock = 64;
  constexpr size_t kMostBlocks = 32'768;
  if (const bool is_whole_text = tokens_.back().kind == kNone; is_whole_text) {
    blocks_.reserve(std::min(source_text_.size() / kBytesPerBlock, kMostBlocks));
  }
  return ParseBody(kEof);
}

const NativeBody* Parser::ParseFile(std::vector<NativeBlock>& blocks) {
  blocks_of_file_ = &blocks;
  blocks_ = std::move(blocks);
  return ParseBody(kEof);
}

const Expr* Parser::ParseWholeExpression() {
  const NewlineScope newlines(*this, false);
  const Expr* expr = ParseExpression();
  const Token& next = Peek();
  if (next.kind != kEof && !recovery_) {
    Error("Extra characters after expression",
          "An expression was successfully parsed, but extra characters were found after it.",
          SpanOf(next));
  }
  return expr;
}

const Expr* Parser::ParseWholeTemplate() {
  const Template parsed = ParseTemplate(kEof, false);
  if (parsed.single_interpolation) {
    return New<WrapExpr>(ExprKind::kTemplateWrap, parsed.span, parsed.parts.front());
  }
  return New<TemplateExpr>(ExprKind::kTemplate, parsed.span, parsed.parts);
}

const TraversalExpr* Parser::ParseWholeTraversal(bool partial) {
  const NewlineScope newlines(*this, false);
  const size_t errors_before = errors();
  const Token root = Read();
  if (root.kind != kIdent) {
    Error("Variable name required", "Must begin with a variable name.", SpanOf(root));
    return nullptr;
  }
  uint32_t end = root.end;
  steps_.clear();
  while (PeekKind() != kEof) {
    const Token first = Read();
    const auto context = [&](const Token& last) { return Between(SpanOf(root), SpanOf(last)); };
    if (first.kind == kDot) {
      const Token name = Read();
      if (name.kind != kIdent) {
        Error("Attribute name required",
              name.kind == kStar ? "Splat expressions (.*) may not be used here."
                                 : "Dot must be followed by attribute name.",
              SpanOf(name), context(name));
        return nullptr;
      }
      steps_.push_back(TraversalStep::Attribute(first.begin, name.end, Text(name)));
      end = name.end;
      continue;
    }
    if (first.kind != kOpenBracket) {
      Error("Invalid character", "Expected an attribute access or an index operator.",
            SpanOf(first), context(first));
      return nullptr;
    }
    const Value* key = nullptr;
    const Token inside = Peek();
    if (inside.kind == kNumber) {
      key = NumberValue(Read());
    } else if (inside.kind == kOpenQuote) {
      key = StringValue(ParseLabel().text);
    } else if (inside.kind == kStar && partial) {
      Read();
    } else if (inside.kind == kStar) {
      Error("Attribute name required", "Splat expressions ([*]) may not be used here.",
            SpanOf(inside), context(inside));
      return nullptr;
    } else {
      Error("Index value required",
            "Index brackets must contain either a literal number or a literal string.",
            SpanOf(inside), context(inside));
      return nullptr;
    }
    const Token close = Read();
    if (close.kind != kCloseBracket) {
      Error("Unclosed index brackets", "Index key must be followed by a closing bracket.",
            SpanOf(close), Between(SpanOf(first), SpanOf(close)));
    }
    if (errors() > errors_before) {
      return nullptr;
    }
    end = close.end;
    steps_.push_back(key != nullptr ? TraversalStep::Index(first.begin, end, key)
                                    : TraversalStep::Splat(first.begin, end));
  }
  if (errors() > errors_before) {
    return nullptr;
  }
  return New<TraversalExpr>(ExprKind::kTraversal, Span{root.begin, end}, Text(root),
                            std::span<const TraversalStep>(tree_.arena.CopySpan(steps_)), root.end);
}

// --- parse.h ---

const NativeBody* ParseNative(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags) {
  Parser parser(source, tree, LexMode::kNormal, diags);
  const NativeBody* body = parser.ParseFile();
  parser.ReportTokens();
  return body;
}

const NativeBody* ParseNative(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags,
                              ParseMode mode) {
  const size_t errors_before = diags.error_count();
  const NativeBody* body = ParseNative(source, tree, diags);
  if (mode == ParseMode::kStrict || diags.error_count() == errors_before) {
    return body;
  }
  Diagnostics already_reported = Diagnostics::Counting();
  Parser parser(source, tree, BalancedTokens(source->text()), already_reported);
  parser.KeepIncomplete();
  return parser.ParseFile();
}

const NativeBody* ParseNativeTokens(const SourceFile* source, std::vector<Token> tokens,
                                    SyntaxTree& tree, Diagnostics& diags) {
  Parser parser(source, tree, std::move(tokens), diags);
  return parser.ParseFile();
}

const Expr* ParseExpression(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags) {
  Parser parser(source, tree, LexMode::kNormal, diags);
  const Expr* expr = parser.ParseWholeExpression();
  parser.ReportTokens();
  return expr;
}

const Expr* ParseTemplate(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags) {
  Parser parser(source, tree, LexMode::kTemplate, diags);
  const Expr* expr = parser.ParseWholeTemplate();
  parser.ReportTokens();
  return expr;
}

const Expr* ParseTemplate(const SourceFile* source, SyntaxTree& tree, Diagnostics& diags,
                          ParseMode mode) {
  const size_t errors_before = diags.error_count();
  const Expr* expr = ParseTemplate(source, tree, diags);
  if (mode == ParseMode::kStrict || diags.error_count() == errors_before) {
    return expr;
  }
  Diagnostics already_reported = Diagnostics::Counting();
  Parser parser(source, tree, BalancedTemplateTokens(source->text()), already_reported);
  parser.KeepIncomplete();
  return parser.ParseWholeTemplate();
}

const TraversalExpr* ParseTraversal(const SourceFile* source, SyntaxTree& tree, bool partial,
                                    Diagnostics& diags) {
  const size_t errors_before = diags.error_count();
  Parser parser(source, tree, LexMode::kNormal, diags);
  const TraversalExpr* traversal = parser.ParseWholeTraversal(partial);
  parser.ReportTokens();
  return diags.error_count() > errors_before ? nullptr : traversal;
}

bool IsIdentifier(std::string_view name) {
  return text::IsIdentifier(name);
}

}  // namespace kinu::hcl
