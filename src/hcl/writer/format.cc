#include "hcl/writer/format.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "hcl/parse.h"
#include "hcl/writer/layout.h"
#include "hcl/writer/tokens.h"

namespace kinu::hcl::writer {
namespace {

using enum TokenKind;

/// The tokens that begin in [begin, end), at least one, give way to `count` tokens of a list.
struct Edit {
  uint32_t begin, end;
  size_t first, count;
};

std::string Write(std::string_view text, std::span<const Edit> edits,
                  std::span<const SpacedToken> replacements) {
  constexpr size_t kTokensAtOnce = 512;
  std::string out;
  out.reserve(text.size() + text.size() / 16 + 64);
  Layout layout(out);
  Lexer lexer(text, LexMode::kNormal, Comments::kKeep);
  std::vector<Token> tokens;
  uint32_t last_end = 0;
  uint32_t skip_until = 0;
  for (;;) {
    tokens.clear();
    lexer.Append(kTokensAtOnce, tokens);
    for (const Token& token : tokens) {
      if (token.kind == kEof) {
        layout.Finish();
        // Blanks at the end of a text without a final newline stand in no line.
        out.append(token.begin - last_end, ' ');
        return out;
      }
      last_end = token.end;
      if (token.begin < skip_until) {
        continue;
      }
      if (!edits.empty() && token.begin >= edits.front().begin) [[unlikely]] {
        const Edit& edit = edits.front();
        layout.Add(replacements.subspan(edit.first, edit.count));
        skip_until = edit.end;
        edits = edits.subspan(1);
        continue;
      }
      layout.Add(token.kind, text.substr(token.begin, token.end - token.begin));
    }
  }
}

/// Collects the edits that give a file its present spelling.
class Modernizer {
 public:
  explicit Modernizer(std::string_view text) : text_(text) {}

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

  /// In order of the source.
  std::vector<Edit> TakeEdits() {
    std::sort(edits_.begin(), edits_.end(),
              [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    return std::move(edits_);
  }
  std::span<const SpacedToken> replacements() const { return replacements_.tokens(); }

 private:
  std::string_view Text(uint32_t begin, uint32_t end) const {
    return text_.substr(begin, end - begin);
  }
  /// Tokens of a part of the file, without kEof. Valid until the next call.
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
  TokenList replacements_;
  std::vector<Edit> edits_;
  std::vector<Token> tokens_;        // scratch of TokensOf
  std::vector<SpacedToken> spaced_;  // its result
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
    // Where types were strings, collections had elements that became strings.
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

/// Whether the tokens between "${ and }" are one expression and no template of several parts.
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
  // Newlines meant nothing between the braces; parentheses keep it so.
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

/// Nothing but blanks and plain quoted strings from the type to the last label.
bool Modernizer::LabelsAreCanonical(const NativeBlock& block) const {
  uint32_t at = block.type_end;
  for (const SourceRange& range : block.label_ranges) {
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
  Replace(block.type_end, block.label_ranges.back().end, [&] {
    for (const std::string_view label : block.labels) {
      AppendString(replacements_, Value::String(label).AsString());
    }
  });
}

}  // namespace

std::string Format(std::string_view text) {
  return Write(text, {}, {});
}

std::optional<std::string> FormatFile(const SourceFile* source, Diagnostics& diags) {
  SyntaxTree tree;
  const size_t errors = diags.error_count();
  const NativeBody* body = ParseNative(source, tree, diags);
  if (diags.error_count() > errors) {
    return std::nullopt;
  }
  Modernizer modernizer(source->text());
  modernizer.Visit(*body, /*in_variable=*/false, /*at_root=*/true);
  const std::vector<Edit> edits = modernizer.TakeEdits();
  return Write(source->text(), edits, modernizer.replacements());
}

}  // namespace kinu::hcl::writer
