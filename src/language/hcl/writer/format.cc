#include "hcl/writer/format.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/flat_map.h"
#include "base/invariant.h"
#include "hcl/parse.h"
#include "hcl/parse_tokens.h"
#include "hcl/writer/layout.h"
#include "hcl/writer/tokens.h"

namespace kinu::hcl::writer {
namespace {

using enum TokenKind;

constexpr size_t kTokensAtOnce = 512;
constexpr size_t kPieceBytes = 16 << 10;

/// Replaces the tokens that begin in [begin, end), at least one, by `count` tokens of a list.
struct Edit {
  uint32_t begin, end;
  size_t first, count;
};

/// Adds the tokens to a layout, with the edits applied.
void Write(std::string_view text, std::span<const Token> tokens, std::span<const Edit> edits,
           std::span<const SpacedToken> replacements, Layout& layout) {
  const Token* token = tokens.data();
  const Token* const end = token + tokens.size();
  for (const Edit& edit : edits) {
    for (; token != end && token->begin < edit.begin; ++token) {
      layout.Add(token->kind, {text.data() + token->begin, token->end - token->begin});
    }
    layout.Add(replacements.subspan(edit.first, edit.count));
    while (token != end && token->begin < edit.end) {
      ++token;
    }
  }
  for (; token != end; ++token) {
    layout.Add(token->kind, {text.data() + token->begin, token->end - token->begin});
  }
}

std::string EmptyOutput(std::string_view text) {
  std::string out;
  out.reserve(text.size() + text.size() / 16 + 64);
  return out;
}

/// Finishes the layout. Keeps the blanks between the last token and the end of a text without a
/// final newline, which belong to no token.
void WriteEnd(const Token& end, uint32_t last_end, Layout& layout, std::string& out) {
  layout.Finish();
  out.append(end.begin - last_end, ' ');
}

/// Collects the edits that replace outdated syntax.
class Modernizer {
 public:
  /// `replacements` receives the tokens that the edits insert.
  Modernizer(std::string_view text, TokenList& replacements)
      : text_(text), replacements_(replacements) {}

  void Visit(const NativeBody& body, bool in_variable, bool at_root) {
    for (const NativeAttribute& attribute : body.attributes) {
      if (in_variable && attribute.name == "type") {
        VisitType(*attribute.expr);
      } else {
        VisitValue(*attribute.expr);
      }
    }
    for (const NativeBlock& block : body.blocks) {
      VisitLabels(block);
      Visit(*block.body, at_root && block.type == "variable", false);
    }
  }

  /// The edits in source order.
  std::vector<Edit> TakeEdits() {
    std::sort(edits_.begin(), edits_.end(),
              [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    return std::move(edits_);
  }

 private:
  std::string_view Text(uint32_t begin, uint32_t end) const {
    return text_.substr(begin, end - begin);
  }
  /// Tokens of an expression, without kEof. Valid until the next call.
  std::span<const SpacedToken> TokensOf(const Expr& expr) {
    tokens_.clear();
    spaced_.clear();
    const std::string_view text = Text(expr.begin, expr.end);
    Lexer lexer(text, LexMode::kNormal, Comments::kKeep);
    while (tokens_.empty() || tokens_.back().kind != kEof) {
      lexer.Append(text.size(), tokens_);
    }
    tokens_.pop_back();
    for (const Token& token : tokens_) {
      spaced_.push_back({token.kind, 0, text.substr(token.begin, token.end - token.begin)});
    }
    return spaced_;
  }
  template <typename Fill>
  void Replace(uint32_t begin, uint32_t end, Fill&& fill) {
    const size_t first = replacements_.size();
    fill();
    edits_.push_back({begin, end, first, replacements_.size() - first});
  }

  void VisitType(const Expr& expr);
  void VisitValue(const Expr& expr);
  void VisitLabels(const NativeBlock& block);
  bool LabelsAreCanonical(const NativeBlock& block) const;

  std::string_view text_;
  TokenList& replacements_;
  std::vector<Edit> edits_;
  std::vector<Token> tokens_;        // scratch of TokensOf()
  std::vector<SpacedToken> spaced_;  // result of TokensOf()
};

/// Ref: FmtCommand.formatTypeExpr.
void Modernizer::VisitType(const Expr& expr) {
  const std::span<const SpacedToken> tokens = TokensOf(expr);
  std::string_view keyword;
  std::string_view element;
  if (tokens.size() == 1 && tokens[0].kind == kIdent) {
    keyword = tokens[0].text;
    element = keyword == "list" || keyword == "map" || keyword == "set" ? "any" : "";
  } else if (tokens.size() == 3 && tokens[0].kind == kOpenQuote && tokens[1].kind == kQuotedText &&
             tokens[2].kind == kCloseQuote) {
    // In the old quoted syntax, the elements of collections were strings.
    keyword = tokens[1].text;
    element = keyword == "list" || keyword == "map" ? "string" : "";
    if (keyword == "string") {
      Replace(expr.begin, expr.end, [&] { replacements_.AddView(kIdent, keyword); });
    }
  }
  if (!element.empty()) {
    Replace(expr.begin, expr.end, [&] {
      replacements_.AddView(kIdent, keyword);
      replacements_.AddView(kOpenParen, "(");
      replacements_.AddView(kIdent, element);
      replacements_.AddView(kCloseParen, ")");
    });
  }
}

/// Whether the tokens between "${ and }" are one expression, not a template of several parts.
bool IsOneExpression(std::span<const SpacedToken> tokens) {
  int64_t quotes = 0;
  for (const SpacedToken& token : tokens) {
    if (token.kind == kOpenQuote) {
      ++quotes;
    } else if (token.kind == kCloseQuote) {
      --quotes;
    } else if (quotes <= 0 && (token.kind == kTemplateInterpolation || token.kind == kTemplateEnd ||
                               token.kind == kQuotedText)) {
      return false;
    }
  }
  return true;
}

/// Ref: FmtCommand.formatValueExpr.
void Modernizer::VisitValue(const Expr& expr) {
  const std::string_view text = Text(expr.begin, expr.end);
  if (!text.starts_with("\"${") || !text.ends_with("}\"")) {
    return;
  }
  std::span<const SpacedToken> tokens = TokensOf(expr);
  if (tokens.size() < 5 || tokens[1].kind != kTemplateInterpolation ||
      tokens[tokens.size() - 2].kind != kTemplateEnd || tokens.back().kind != kCloseQuote) {
    return;
  }
  tokens = tokens.subspan(2, tokens.size() - 4);
  if (!IsOneExpression(tokens)) {
    return;
  }
  while (!tokens.empty() && tokens.front().kind == kNewline) {
    tokens = tokens.subspan(1);
  }
  while (!tokens.empty() && tokens.back().kind == kNewline) {
    tokens = tokens.first(tokens.size() - 1);
  }
  if (tokens.empty()) {
    return;
  }
  // The braces made newlines insignificant; parentheses do the same.
  const bool has_newline =
      std::any_of(tokens.begin() + (tokens.front().kind == kOpenParen ? 1 : 0), tokens.end(),
                  [](const SpacedToken& token) { return token.kind == kNewline; });
  const bool in_parentheses =
      tokens.size() > 1 && tokens.front().kind == kOpenParen && tokens.back().kind == kCloseParen;
  Replace(expr.begin, expr.end, [&] {
    const bool wrap = has_newline && !in_parentheses;
    if (wrap) {
      replacements_.AddView(kOpenParen, "(");
    }
    for (const SpacedToken& token : tokens) {
      replacements_.AddView(token.kind, token.text);
    }
    if (wrap) {
      replacements_.AddView(kCloseParen, ")");
    }
  });
}

/// Whether there are only blanks and plain quoted strings from the type to the last label.
bool Modernizer::LabelsAreCanonical(const NativeBlock& block) const {
  uint32_t at = block.type_end();
  for (const Label& range : block.labels) {
    const std::string_view gap = Text(at, range.begin);
    const std::string_view label = Text(range.begin, range.end);
    const bool blank = gap.find_first_not_of(" \t") == std::string_view::npos;
    const bool plain =
        label.size() >= 2 && label.front() == '"' &&
        std::all_of(label.begin() + 1, label.end() - 1, [](char c) {
          return c >= ' ' && c < 0x7F && c != '\\' && c != '$' && c != '%' && c != '"';
        });
    if (!blank || !plain) {
      return false;
    }
    at = range.end;
  }
  return true;
}

void Modernizer::VisitLabels(const NativeBlock& block) {
  if (block.labels.empty() || LabelsAreCanonical(block)) {
    return;
  }
  Replace(block.type_end(), block.header_end(), [&] {
    for (const std::string_view label : block.labels) {
      AppendString(replacements_, Value::String(label).AsString());
    }
  });
}

/// Change of the nesting depth of constructs in which a newline does not end an item.
constexpr int DepthChange(TokenKind kind) {
  switch (kind) {
    case kOpenBrace:
    case kOpenBracket:
    case kOpenParen:
    case kOpenQuote:
    case kOpenHeredoc:
    case kTemplateInterpolation:
    case kTemplateDirective:
      return 1;
    case kCloseBrace:
    case kCloseBracket:
    case kCloseParen:
    case kCloseQuote:
    case kCloseHeredoc:
    case kTemplateEnd:
      return -1;
    default:
      return 0;
  }
}

constexpr std::array<int8_t, internal::kKinds> kDepthChanges = [] {
  std::array<int8_t, internal::kKinds> changes{};
  for (size_t kind = 0; kind < changes.size(); ++kind) {
    changes[kind] = static_cast<int8_t>(DepthChange(static_cast<TokenKind>(kind)));
  }
  return changes;
}();

/// Formats a file in pieces of some whole items, so that only one piece at a time has a syntax
/// tree. Returns nothing if a piece has an error; the caller then parses the whole file to report
/// it.
class PieceFormatter {
 public:
  explicit PieceFormatter(const SourceFile* source)
      : source_(source), text_(source->text()), out_(EmptyOutput(text_)) {}

  std::optional<std::string> Run() {
    Lexer lexer(text_, LexMode::kNormal, Comments::kKeep);
    int64_t depth = 0;
    // A buffer in front of significant_.
    std::array<Token, kTokensAtOnce> significant;
    size_t count = 0;
    const auto flush = [&] {
      significant_.insert(significant_.end(), significant.data(), significant.data() + count);
      count = 0;
    };
    for (size_t next = 0;;) {
      if (next == tokens_.size()) {
        lexer.Append(kTokensAtOnce, tokens_);
      }
      const Token token = tokens_.data()[next++];
      depth += kDepthChanges.data()[static_cast<size_t>(token.kind)];
      if (depth < 0 || IsInvalid(token.kind)) {
        return std::nullopt;
      }
      if (count == significant.size()) {
        flush();
      }
      bool ends_line = token.kind == kNewline;
      if (token.kind != kComment) {
        significant.data()[count++] = token;
      } else if (text_[token.end - 1] == '\n') {
        ends_line = true;
        significant.data()[count++] = {kNewline, token.begin, token.end};
      }
      if (token.kind == kEof) {
        flush();
        if (depth != 0 || !WritePiece(next - 1)) {
          return std::nullopt;
        }
        WriteEnd(token, last_end_, layout_, out_);
        return std::move(out_);
      }
      if (ends_line && depth == 0 && token.end - piece_begin_ >= kPieceBytes) {
        flush();
        significant_.push_back({kEof, token.end, token.end});
        if (!WritePiece(next)) {
          return std::nullopt;
        }
        piece_begin_ = token.end;
        tokens_.erase(tokens_.begin(), tokens_.begin() + static_cast<std::ptrdiff_t>(next));
        next = 0;
      }
    }
  }

 private:
  /// Formats the first `count` tokens; false after an error.
  bool WritePiece(size_t count) {
    SyntaxTree tree;
    Diagnostics diags;
    const size_t capacity = significant_.capacity();
    const NativeBody* body = ParseNativeTokens(source_, std::move(significant_), tree, diags);
    significant_ = {};
    significant_.reserve(capacity);
    if (diags.has_errors()) {
      return false;
    }
    for (const NativeAttribute& attribute : body->attributes) {
      if (!names_.insert(std::string(attribute.name)).second) {
        return false;
      }
    }
    Modernizer modernizer(text_, replacements_);
    modernizer.Visit(*body, /*in_variable=*/false, /*at_root=*/true);
    const std::span<const Token> piece = std::span<const Token>(tokens_).first(count);
    Write(text_, piece, modernizer.TakeEdits(), replacements_.tokens(), layout_);
    last_end_ = piece.empty() ? last_end_ : piece.back().end;
    return true;
  }

  const SourceFile* source_;
  std::string_view text_;
  std::string out_;
  Layout layout_{out_, text_};
  TokenList replacements_;          // of all pieces, because the layout buffers lines
  std::vector<Token> tokens_;       // of the piece and of following text
  std::vector<Token> significant_;  // of the piece, without comments
  uint32_t piece_begin_ = 0;
  uint32_t last_end_ = 0;       // end of the last written token
  FlatSet<std::string> names_;  // of the arguments of all pieces, to find duplicates
};

}  // namespace

std::string Format(std::string_view text) {
  std::string out = EmptyOutput(text);
  Layout layout(out, text);
  Lexer lexer(text, LexMode::kNormal, Comments::kKeep);
  std::vector<Token> tokens;
  uint32_t last_end = 0;
  for (;;) {
    tokens.clear();
    lexer.Append(kTokensAtOnce, tokens);
    const Token end = tokens.back();
    if (end.kind == kEof) {
      tokens.pop_back();
    }
    Write(text, tokens, {}, {}, layout);
    last_end = tokens.empty() ? last_end : tokens.back().end;
    if (end.kind == kEof) {
      WriteEnd(end, last_end, layout, out);
      return out;
    }
  }
}

std::optional<std::string> FormatFile(const SourceFile* source, Diagnostics& diags) {
  if (std::optional<std::string> out = PieceFormatter(source).Run()) {
    return out;
  }
  SyntaxTree tree;
  const size_t errors = diags.error_count();
  ParseNative(source, tree, diags);
  KINU_INVARIANT(diags.error_count() > errors, "a piece of a valid file has a syntax error");
  return std::nullopt;
}

}  // namespace kinu::hcl::writer
