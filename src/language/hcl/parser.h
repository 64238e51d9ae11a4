// The recursive-descent parser of the native syntax. Private to hcl; callers use parse.h.
//
// The parser reports the first error in a construct. Then it is in recovery: it skips to a token
// from which it can continue, and suppresses errors that may follow from the first one. The errors
// and their ranges equal the reference's, and so do the rules of recovery.
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
  /// A part of a file.
  struct Part {
    uint32_t begin, end;
  };
  /// Parses the text of the part, as if the file ended there.
  Parser(const SourceFile* source, SyntaxTree& tree, Part part, Diagnostics& diags);
  /// Parses the given tokens, which end with kEof and are neither comments nor invalid.
  Parser(const SourceFile* source, SyntaxTree& tree, std::vector<Token> tokens, Diagnostics& diags);
  /// Keeps all that can be read. For tokens whose brackets are balanced (balanced_tokens.h).
  void KeepIncomplete() { incomplete_ = true; }

  // Call exactly one of these, once, and then ReportTokens().
  const NativeBody* ParseFile();
  /// Parses a file, and puts its blocks into an empty list, none into the body.
  const NativeBody* ParseFile(std::vector<NativeBlock>& blocks);
  const Expr* ParseWholeExpression();
  const Expr* ParseWholeTemplate();
  const TraversalExpr* ParseWholeTraversal(bool partial);

  /// Reports the invalid tokens of the source, in front of the errors of the parser.
  void ReportTokens();

 private:
  /// Limit of nesting levels, and of the length of operator and index chains.
  static constexpr uint32_t kMaxDepth = 10'000;
  /// Parsing stops after this many invalid tokens: the file is not a text.
  static constexpr size_t kMaxInvalidTokens = 10'000;

  struct Span {
    uint32_t begin, end;
  };
  static Span Between(Span from, Span to) { return {from.begin, to.end}; }
  static Span SpanOf(const Token& token) { return {token.begin, token.end}; }
  static Span SpanOf(const Expr& expr) { return {expr.begin, expr.end}; }

  /// Sets whether newlines are tokens; restores the old setting at the end of the scope.
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

  /// One level of nesting for the duration of a scope; ok() is false if the text nests too deep.
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
    std::string_view text;        // kText: with escapes resolved
    const Expr* expr = nullptr;   // the interpolated expression, condition or collection
    std::string_view key_name;    // kFor
    std::string_view value_name;  // kFor
  };

  // --- Tokens ---
  /// Index of the next token, without newlines where they are ignored.
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
  /// At the end mark of the buffer: removes the tokens already read and appends more. Returns the
  /// index before the next token.
  size_t Refill(size_t at);
  /// The reference is valid until the next call of Peek(), PeekKind() or Read().
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
  /// The token read last; the next one if none was read.
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
  /// Whether an error since `errors_before` has put the parser into recovery. Never in incomplete
  /// mode, which keeps what was read before and after an error.
  bool FailedSince(size_t errors_before) const {
    return recovery_ && errors() > errors_before && !incomplete_;
  }
  bool Descend();
  void ReportTooDeep();
  /// Skips the rest of the text without further errors.
  void GiveUp();
  /// Skips to the matching `end` and reads it.
  Token Recover(TokenKind end);
  /// Skips to the next `start` and over the token that matches it.
  void RecoverOver(TokenKind start);
  void RecoverAfterBodyItem();

  // --- Bodies (parser_body.cc) ---
  const NativeBody* ParseBody(TokenKind end);
  void ParseBodyItem();
  void FinishAttribute(const Token& name, bool single_line, NativeAttribute& out);
  void FinishBlock(const Token& type);
  const NativeBody* ParseBlockBody(const Token& type, const Token& open_brace);
  const NativeBody* ParseSingleAttributeBody();
  /// Searches attributes_ in [first, end); null if none has that name.
  const NativeAttribute* FindAttribute(size_t first, size_t end, std::string_view name) const;
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
  /// Reads one `key = value`. False at the end of the object, whose last token is then in `close`.
  const Expr* ObjectKey(const Expr& key, bool in_parentheses);
  bool ParseObjectItem(const Token& open, std::vector<ObjectItem>& items, Token& close);
  const Expr* FinishFor(const Token& open);
  const Expr* FinishCall(const Token& name);
  /// Reads the arguments after "(" into exprs_; returns the closing token.
  Token ParseArguments(const Token& name, const Token& open, bool& expand_final);
  const Expr* ParseTraversals(const Expr* from);
  const Expr* ParseAttributeSplat(const Expr* source, const Expr* from, const Token& dot);
  const Expr* ParseFullSplat(const Expr* source, const Expr* from, const Token& open);
  const Expr* ParseIndex(const Expr* source, size_t first_step, const Expr* from,
                         const Token& open);
  const Value* ConstantKey(const Expr& key);
  void DropSteps(size_t first_step) {
    steps_.erase(steps_.begin() + static_cast<ptrdiff_t>(first_step), steps_.end());
  }
  const Expr* AppendSteps(const Expr* source, size_t first_step);
  /// Makes the step ".0"; reports ".0.0" at `subject`.
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
  /// Appends the parts of a template to parts_; the last one is kEnd.
  Span ParseTemplateParts(TokenKind end);
  void ParseInterpolation(const Token& open, TokenKind end, Span template_start);
  /// Reads a directive; false after an error.
  bool ParseDirective(const Token& open);
  bool ParseForDirective(const Token& open);
  void CloseSequence(bool ok);
  void TrimBefore(const Token& open, bool can_trim);
  void FlushHeredoc(size_t first);
  void MergeTexts(size_t first);
  const Expr* BuildPart();
  const Expr* BuildIf();
  /// Makes the node of an `if`, whose last parts are exprs_ from `first` on; `end` ends it.
  const Expr* FinishIf(const TemplatePart& open, size_t first, const Expr* when_true,
                       const TemplatePart& end);
  const Expr* FinishForDirective(const TemplatePart& open, size_t first, const TemplatePart& end);
  const Expr* BuildFor();
  const Expr* JoinParts(size_t first, Span if_empty);
  /// The text of a token with escapes resolved. Reports invalid escapes.
  std::string_view TokenText(const Token& token);
  std::string_view ResolveEscapes(const Token& token);
  void AppendEscape(const Token& token, size_t& at, std::string& out);

  // --- Texts with errors, in incomplete mode (parser_incomplete.cc) ---
  /// Skips the rest of an item with its newline, but no bracket that closes its body.
  void SkipItemRest();
  /// Skips what cannot be an item.
  void SkipNoItem();
  void AddNameAlone(const Token& name);
  /// Whether a list goes on after an item that began at `item`, an index of tokens_: reads a comma,
  /// or skips what is neither one nor an item.
  bool ContinueList(TokenKind closer, size_t item);
  Token ReadArguments(bool& expand_final);
  const Expr* ReadCall(const Token& name);
  bool ReadObjectItem(std::vector<ObjectItem>& items, Token& close);
  const Expr* ReadFor(const Token& open);
  /// Reads an expression if the word stands before it.
  const Expr* ReadAfterWord(std::string_view word);
  const Expr* ReadAfter(TokenKind kind);
  const Expr* NewMissing();

  // --- Nodes ---
  template <typename T, typename... Args>
  const T* New(ExprKind kind, Span span, Args&&... args) {
    const uint32_t end = span.end < span.begin ? span.begin : span.end;
    return tree_.New<T>(kind, SourceRange{source_, span.begin, end}, std::forward<Args>(args)...);
  }
  const Expr* NewPlaceholder(Span span);
  /// Whether the text is that of the source at `span`, and in ASCII.
  bool IsSource(std::string_view text, Span span) const;
  /// The text, which stands at `span`.
  const Expr* NewText(std::string_view text, Span span);
  const Value* StringValue(std::string_view text);

  const SourceFile* source_;
  std::string_view source_text_;
  SyntaxTree& tree_;
  Diagnostics& diags_;
  Lexer lexer_;
  std::vector<Token> tokens_;  // a window of the tokens; ends with kEof, or kNone as end mark
  size_t next_ = 0;
  Token previous_{};  // the token read last; kNone before the first
  size_t first_diagnostic_;
  std::vector<Token> invalid_tokens_;
  std::vector<uint32_t> cluster_breaks_;
  bool is_ascii_;
  bool include_newlines_ = true;
  bool recovery_ = false;
  bool incomplete_ = false;
  bool gave_up_ = false;    // GiveUp() was called
  bool trim_next_ = false;  // the last sequence ended with "~}"
  uint32_t depth_ = 0;
  const Value* true_ = nullptr;
  const Value* false_ = nullptr;
  const Value* null_ = nullptr;
  const Value* unknown_ = nullptr;

  // Scratch stacks: a construct appends its items after those of its parents, copies them to the
  // arena and removes them.
  std::vector<NativeAttribute> attributes_;
  std::vector<NativeBlock> blocks_;
  std::vector<Label> labels_;
  std::vector<TraversalStep> steps_;
  // Where ParseFile() puts the blocks of the file; null: into the body.
  std::vector<NativeBlock>* blocks_of_file_ = nullptr;
  std::vector<const Expr*> exprs_;
  std::vector<ObjectItem> items_;
  std::vector<TemplatePart> parts_;
  size_t part_ = 0;  // cursor of Build…() into parts_
};

}  // namespace kinu::hcl
