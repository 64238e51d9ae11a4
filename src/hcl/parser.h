// The recursive-descent parser of the native syntax: tokens to tree. Private to hcl; callers use
// parse.h.
//
// Errors: the first one in a construct is reported, then the parser is "in recovery", where it
// seeks a token from which it can go on and keeps quiet about what follows from the first error.
// Which error is reported where equals the reference, so the rules here are the reference's rules.
// Ref: hcl v2 hclsyntax/parser.go, parser_template.go, parser_traversal.go, peeker.go.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hcl/ast.h"
#include "hcl/body.h"
#include "hcl/lexer.h"

namespace kinu::hcl {

class Parser {
 public:
  Parser(const SourceFile* source, SyntaxTree& tree, LexMode mode, Diagnostics& diags);
  /// With all tokens, none of them a comment or invalid, instead of the lexer's.
  Parser(const SourceFile* source, SyntaxTree& tree, std::vector<Token> tokens, Diagnostics& diags);

  // One of these, once. ReportTokens() must follow.
  const NativeBody* ParseFile();
  const Expr* ParseWholeExpression();
  const Expr* ParseWholeTemplate();
  const TraversalExpr* ParseWholeTraversal(bool partial);

  /// Reports the invalid tokens of the source, before what parsing had to say.
  void ReportTokens();

 private:
  /// Levels of nesting (and links of operator or index chains) beyond which a text is refused.
  static constexpr uint32_t kMaxDepth = 10'000;
  /// Invalid tokens after which a text is none: a disk image, say.
  static constexpr size_t kMaxInvalidTokens = 10'000;

  struct Span {
    uint32_t begin, end;
  };
  static Span Between(Span from, Span to) { return {from.begin, to.end}; }
  static Span SpanOf(const Token& token) { return {token.begin, token.end}; }
  static Span SpanOf(const Expr& expr) { return {expr.begin, expr.end}; }

  /// Whether newlines are tokens, for the time of a scope.
  class NewlineScope {
   public:
    NewlineScope(Parser& parser, bool include) : parser_(parser), saved_(parser.include_newlines_) {
      parser.include_newlines_ = include;
    }
    NewlineScope(const NewlineScope&) = delete;
    NewlineScope& operator=(const NewlineScope&) = delete;
    ~NewlineScope() { parser_.include_newlines_ = saved_; }

   private:
    Parser& parser_;
    bool saved_;
  };

  /// One level deeper, for the time of a scope; ok() is false where the text nests too deep.
  class DepthScope {
   public:
    explicit DepthScope(Parser& parser) : parser_(parser), ok_(parser.Descend()) {}
    DepthScope(const DepthScope&) = delete;
    DepthScope& operator=(const DepthScope&) = delete;
    ~DepthScope() { --parser_.depth_; }
    bool ok() const { return ok_; }

   private:
    Parser& parser_;
    bool ok_;
  };

  /// An element of a template before its directives are matched up.
  struct TemplatePart {
    enum class Kind : uint8_t { kText, kInterpolation, kIf, kElse, kEndIf, kFor, kEndFor, kEnd };
    Kind kind;
    uint32_t begin, end;
    std::string_view text;        // kText: what it stands for, escapes resolved
    const Expr* expr = nullptr;   // the interpolated expression, condition or collection
    std::string_view key_name;    // kFor
    std::string_view value_name;  // kFor
  };

  // --- Tokens ---
  /// Index of the next token that counts.
  size_t NextIndex() {
    for (size_t next = next_;; ++next) {
      const TokenKind kind = tokens_.data()[next].kind;
      if (kind == TokenKind::kNone) {
        next = Refill(next);
      } else if (kind != TokenKind::kNewline || include_newlines_) {
        return next;
      }
    }
  }
  /// At the end mark of the buffer: drops what was read, appends more tokens. Returns the index
  /// before the one where reading goes on.
  size_t Refill(size_t at);
  /// The token stays valid until more tokens are looked at.
  const Token& Peek() {
    const size_t at = NextIndex();
    return tokens_.data()[at];
  }
  TokenKind PeekKind() { return Peek().kind; }
  Token Read() {
    const size_t at = NextIndex();
    previous_ = tokens_.data()[at];
    next_ = previous_.kind == TokenKind::kEof ? at : at + 1;
    return previous_;
  }
  /// The token read last, or the next one when none was read.
  Token Previous();
  std::string_view Text(const Token& token) const {
    return source_text_.substr(token.begin, token.end - token.begin);
  }
  bool PeekIsWord(std::string_view word) {
    const Token& token = Peek();
    return token.kind == TokenKind::kIdent && Text(token) == word;
  }

  // --- Errors and recovery ---
  SourceRange Range(Span span) const {
    return {source_, span.begin, span.end < span.begin ? span.begin : span.end};
  }
  SourceRange Range(const Token& token) const { return Range(SpanOf(token)); }
  void Error(std::string summary, std::string detail, Span subject);
  void Error(std::string summary, std::string detail, Span subject, Span context);
  size_t errors() const { return diags_.error_count(); }
  /// True when an error since `errors_before` left the parser somewhere odd.
  bool Lost(size_t errors_before) const { return recovery_ && errors() > errors_before; }
  bool Descend();
  void ReportTooDeep();
  /// Goes on to the end, quietly.
  void GiveUp();
  /// Reads on to the matching `end` and just behind it.
  Token Recover(TokenKind end);
  /// Reads on to the next `start` and behind what matches it.
  void RecoverOver(TokenKind start);
  void RecoverAfterBodyItem();

  // --- Bodies (parser_body.cc) ---
  const NativeBody* ParseBody(TokenKind end);
  void ParseBodyItem();
  void FinishAttribute(const Token& name, bool single_line, NativeAttribute& out);
  void FinishBlock(const Token& type);
  const NativeBody* ParseBlockBody(const Token& type, const Token& open_brace);
  const NativeBody* ParseSingleAttributeBody();
  /// Among the attributes from `first` up to `end`; null when there is none of that name.
  const NativeAttribute* FindAttribute(size_t first, size_t end, std::string_view name) const;
  struct Label {
    std::string_view text;
    Span span;
  };
  /// A quoted string without template sequences.
  Label ParseLabel();
  NativeBody* NewBody(Span source, uint32_t end);

  // --- Expressions (parser_expression.cc) ---
  const Expr* ParseExpression();
  const Expr* ParseBinary(int minimum_precedence);
  const Expr* ParseTermWithTraversals();
  const Expr* ParseTerm();
  const Expr* ParseUnary(UnaryOperator op);
  const Expr* ParseParentheses();
  const Expr* ParseQuoted();
  const Expr* ParseWord();
  const Expr* ParseTuple();
  const Expr* ParseObject();
  /// One `key = value`; false when the object ends here (`close` is set).
  bool ParseObjectItem(const Token& open, std::vector<ObjectItem>& items, Token& close);
  const Expr* FinishFor(const Token& open);
  const Expr* FinishCall(const Token& name);
  /// The arguments behind "("; returns the closing token.
  Token ParseArguments(const Token& name, const Token& open, bool& expand_final);
  const Expr* ParseTraversals(const Expr* from);
  const Expr* ParseAttributeSplat(const Expr* source, const Expr* from, const Token& dot);
  const Expr* ParseFullSplat(const Expr* source, const Expr* from, const Token& open);
  const Expr* ParseIndex(const Expr* source, size_t first_step, const Expr* from,
                         const Token& open);
  const Expr* AppendSteps(const Expr* source, size_t first_step);
  /// The step ".0"; reports ".0.0" at `subject`.
  TraversalStep LegacyIndex(const Token& dot, const Token& number, const Token& subject);
  const Value* NumberValue(const Token& token);
  const Expr* InvalidSince(size_t first_diagnostic, Span span);

  // --- Templates (parser_template.cc) ---
  struct Template {
    std::span<const Expr* const> parts;
    bool single_interpolation = false;
    Span span;
  };
  Template ParseTemplate(TokenKind end, bool flush_heredoc);
  /// Appends to parts_ up to and with a kEnd part.
  Span ParseTemplateParts(TokenKind end);
  void ParseInterpolation(const Token& open, TokenKind end, Span template_start);
  /// False when the directive was skipped after an error.
  bool ParseDirective(const Token& open);
  bool ParseForDirective(const Token& open);
  void CloseSequence(bool ok);
  void TrimBefore(const Token& open, bool can_trim);
  void FlushHeredoc(size_t first);
  void MeldTexts(size_t first);
  const Expr* BuildPart();
  const Expr* BuildIf();
  const Expr* BuildFor();
  const Expr* JoinParts(size_t first, Span if_empty);
  /// What a text token stands for. Reports bad escapes.
  std::string_view TokenText(const Token& token);
  std::string_view ResolveEscapes(const Token& token);
  void AppendEscape(const Token& token, size_t& at, std::string& out);

  // --- Nodes ---
  template <typename T, typename... Args>
  const T* New(ExprKind kind, Span span, Args&&... args) {
    const uint32_t end = span.end < span.begin ? span.begin : span.end;
    return tree_.arena.New<T>(Expr{kind, span.begin, end, source_}, std::forward<Args>(args)...);
  }
  const Expr* Placeholder(Span span);
  const Expr* TextLiteral(std::string_view text, Span span);
  const Value* StringValue(std::string_view text);

  const SourceFile* source_;
  std::string_view source_text_;
  SyntaxTree& tree_;
  Diagnostics& diags_;
  Lexer lexer_;
  std::vector<Token> tokens_;  // a window on the tokens, ending in kEof or a kNone as end mark
  size_t next_ = 0;
  Token previous_{};  // read last; kNone when none was
  size_t first_diagnostic_;
  std::vector<Token> invalid_tokens_;
  std::vector<uint32_t> cluster_breaks_;
  bool is_ascii_;
  bool include_newlines_ = true;
  bool recovery_ = false;
  bool gave_up_ = false;    // the rest of the text is not read
  bool trim_next_ = false;  // the sequence just closed ended in "~}"
  uint32_t depth_ = 0;
  const Value* true_ = nullptr;
  const Value* false_ = nullptr;
  const Value* null_ = nullptr;
  const Value* unknown_ = nullptr;

  // Scratch stacks: a construct appends behind what its parents have there, copies its own part to
  // the arena and cuts it off again.
  std::vector<NativeAttribute> attributes_;
  std::vector<NativeBlock> blocks_;
  std::vector<std::string_view> labels_;
  std::vector<SourceRange> label_ranges_;
  std::vector<TraversalStep> steps_;
  std::vector<const Expr*> exprs_;
  std::vector<ObjectItem> items_;
  std::vector<TemplatePart> parts_;
  size_t part_ = 0;  // cursor of Build…() into parts_
};

}  // namespace kinu::hcl
