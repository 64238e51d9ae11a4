#include <algorithm>
#include <string>
#include <utility>

#include "hcl/parser.h"
#include "text/escape.h"
#include "text/hex.h"
#include "text/quote.h"
#include "text/suggest.h"
#include "text/unicode.h"

namespace kinu::hcl {

using enum TokenKind;

namespace {

std::string_view TrimSpaceLeft(std::string_view text) {
  const std::string_view trimmed = text::TrimSpace(text);
  return trimmed.empty() ? text.substr(text.size())
                         : text.substr(static_cast<size_t>(trimmed.data() - text.data()));
}

std::string_view TrimSpaceRight(std::string_view text) {
  const std::string_view trimmed = text::TrimSpace(text);
  return trimmed.empty()
             ? text.substr(0, 0)
             : text.substr(0, static_cast<size_t>(trimmed.data() - text.data()) + trimmed.size());
}

/// Replaces "$${" and "%%{" by "${" and "%{".
std::string ResolveSequenceEscapes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if ((c != '$' && c != '%') || at + 1 >= text.size() || text[at + 1] != c) {
      out += c;
      ++at;
    } else if (at + 2 < text.size() && text[at + 2] == '{') {
      out.append({c, '{'});
      at += 3;
    } else {
      out.append({c, c});
      at += 2;
    }
  }
  return out;
}

}  // namespace

Parser::Template Parser::ParseTemplate(TokenKind end, bool flush_heredoc) {
  const size_t first = parts_.size();
  Template result;
  result.span = ParseTemplateParts(end);
  if (flush_heredoc) {
    FlushHeredoc(first);
  }
  MergeTexts(first);
  result.single_interpolation =
      parts_.size() - first == 2 && parts_[first].kind == TemplatePart::Kind::kInterpolation;
  const size_t saved_cursor = std::exchange(part_, first);
  const size_t first_expr = exprs_.size();
  while (parts_[part_].kind != TemplatePart::Kind::kEnd) {
    exprs_.push_back(BuildPart());
  }
  result.parts = tree_.arena.CopySpan(std::span<const Expr* const>(exprs_).subspan(first_expr));
  exprs_.resize(first_expr);
  part_ = saved_cursor;
  parts_.resize(first);
  return result;
}

// --- Tokens to parts ---

Parser::Span Parser::ParseTemplateParts(TokenKind end) {
  const Span start = SpanOf(Peek());
  const size_t first = parts_.size();
  bool trim_left = false;
  bool can_trim = false;  // the previous part is a text
  Span end_span{};
  for (bool inside = true; inside;) {
    const Token token = Read();
    const bool trim_this = std::exchange(trim_left, false);
    const bool after_text = std::exchange(can_trim, false);
    if (token.kind == end) {
      end_span = SpanOf(token);
      break;
    }
    switch (token.kind) {
      case kPlainText:
      case kQuotedText: {
        const std::string_view text = TokenText(token);
        parts_.push_back({.kind = TemplatePart::Kind::kText,
                          .begin = token.begin,
                          .end = token.end,
                          .text = trim_this ? TrimSpaceLeft(text) : text});
        can_trim = true;
        break;
      }
      case kTemplateInterpolation:
        TrimBefore(token, after_text);
        trim_next_ = false;
        ParseInterpolation(token, end, start);
        trim_left = std::exchange(trim_next_, false);
        break;
      case kTemplateDirective: {
        TrimBefore(token, after_text);
        trim_next_ = false;
        const NewlineScope newlines(*this, false);
        const std::string keyword(Text(Peek()));
        if (ParseDirective(token)) {
          const Token close = Peek();
          if (close.kind != kTemplateEnd && !recovery_) {
            Error("Extra characters in " + keyword + " marker",
                  "Expected a closing brace to end the sequence, but found extra characters.",
                  SpanOf(close), Between(start, SpanOf(close)));
          }
          CloseSequence(close.kind == kTemplateEnd);
          trim_left = std::exchange(trim_next_, false);
        } else {
          Recover(kTemplateEnd);
        }
        break;
      }
      default:
        if (!recovery_) {
          Error("Unterminated template string", "No closing marker was found for the string.",
                SpanOf(token), Between(start, SpanOf(token)));
        }
        end_span = SpanOf(Recover(end));
        inside = false;
        break;
    }
  }
  if (parts_.size() == first) {
    parts_.push_back(
        {.kind = TemplatePart::Kind::kText, .begin = start.end, .end = start.end, .text = {}});
  }
  parts_.push_back(
      {.kind = TemplatePart::Kind::kEnd, .begin = end_span.begin, .end = end_span.end, .text = {}});
  return Between(start, end_span);
}

/// Removes trailing white space from the text before "${~" or "%{~".
void Parser::TrimBefore(const Token& open, bool can_trim) {
  if (can_trim && source_text_[open.end - 1] == '~') {
    parts_.back().text = TrimSpaceRight(parts_.back().text);
  }
}

/// Reads the end of a sequence and sets trim_next_; after an error, skips to the end.
void Parser::CloseSequence(bool ok) {
  if (!ok) {
    Recover(kTemplateEnd);
    return;
  }
  trim_next_ = Text(Read()).starts_with('~');
}

void Parser::ParseInterpolation(const Token& open, TokenKind end, Span template_start) {
  const NewlineScope newlines(*this, false);
  const Expr* expr = ParseExpression();
  const Token close = Peek();
  if (close.kind != kTemplateEnd && !recovery_) {
    const bool quote_in_quotes =
        end == kCloseQuote && (close.kind == kCloseQuote || close.kind == kOpenQuote);
    if (close.kind == kEof || quote_in_quotes) {
      Error("Unclosed template interpolation sequence",
            "There is no closing brace for this interpolation sequence before the end of the " +
                std::string(close.kind == kEof ? "file" : "quoted template") +
                ". A bracket inside may be left open.",
            template_start);
    } else {
      Error("Extra characters after interpolation expression",
            close.kind == kColon ? "Template interpolation doesn't expect a colon at this "
                                   "location. If this is another language's syntax, "
                                   "write \"$${\" for the characters \"${\"."
                                 : "Expected a closing brace to end the interpolation expression, "
                                   "but found extra characters. If this is another language's "
                                   "syntax, write \"$${\" for the characters \"${\".",
            SpanOf(close), Between(template_start, SpanOf(close)));
    }
  }
  CloseSequence(close.kind == kTemplateEnd);
  parts_.push_back({.kind = TemplatePart::Kind::kInterpolation,
                    .begin = open.begin,
                    .end = close.end,
                    .text = {},
                    .expr = expr});
}

bool Parser::ParseDirective(const Token& open) {
  const Token keyword = Peek();
  if (keyword.kind != kIdent) {
    if (!recovery_) {
      Error("Invalid template directive",
            "A template directive keyword (\"if\", \"for\", etc) is expected at the beginning of a "
            "%{ sequence.",
            SpanOf(keyword), Between(SpanOf(open), SpanOf(keyword)));
    }
    return false;
  }
  Read();
  const std::string_view word = Text(keyword);
  if (word == "for") {
    return ParseForDirective(open);
  }
  TemplatePart part{.kind = TemplatePart::Kind::kElse, .begin = open.begin, .end = 0, .text = {}};
  if (word == "if") {
    part.kind = TemplatePart::Kind::kIf;
    part.expr = ParseExpression();
  } else if (word == "endif") {
    part.kind = TemplatePart::Kind::kEndIf;
  } else if (word == "endfor") {
    part.kind = TemplatePart::Kind::kEndFor;
  } else if (word != "else") {
    if (!recovery_) {
      constexpr std::string_view kKeywords[] = {"if", "for", "else", "endif", "endfor"};
      std::string detail = "\"" + std::string(word) + "\" is not a valid template control keyword.";
      if (const std::string_view near = text::SuggestName(word, kKeywords); !near.empty()) {
        detail += " Did you mean \"" + std::string(near) + "\"?";
      }
      Error("Invalid template control keyword", std::move(detail), SpanOf(keyword),
            Between(SpanOf(open), SpanOf(keyword)));
    }
    return false;
  }
  part.end = Peek().end;
  parts_.push_back(part);
  return true;
}

bool Parser::ParseForDirective(const Token& open) {
  TemplatePart part{.kind = TemplatePart::Kind::kFor, .begin = open.begin, .end = 0, .text = {}};
  const auto fail = [&](std::string detail) {
    if (!recovery_) {
      Error("Invalid 'for' directive", std::move(detail), SpanOf(Peek()));
    }
    if (incomplete_) {
      part.expr = NewMissing();
      part.end = Peek().end;
      parts_.push_back(part);
    }
    return incomplete_;
  };
  if (PeekKind() != kIdent) {
    return fail("For directive requires variable name after 'for'.");
  }
  part.value_name = Text(Read());
  if (PeekKind() == kComma) {
    Read();
    part.key_name = part.value_name;
    if (PeekKind() != kIdent) {
      return fail("For directive requires value variable name after comma.");
    }
    part.value_name = Text(Read());
  }
  if (!PeekIsWord("in")) {
    return fail("For directive requires 'in' keyword after names.");
  }
  Read();
  part.expr = ParseExpression();
  part.end = Peek().end;
  parts_.push_back(part);
  return true;
}

/// Removes the common indentation from all lines of a "<<-" heredoc. Blank lines do not count.
/// Ref: hclsyntax flushHeredocTemplateParts.
void Parser::FlushHeredoc(size_t first) {
  size_t indentation = SIZE_MAX;
  std::vector<size_t> line_starts;
  bool at_line_start = true;
  for (size_t i = first; i < parts_.size(); ++i) {
    const TemplatePart& part = parts_[i];
    const bool is_text = part.kind == TemplatePart::Kind::kText;
    if (at_line_start) {
      at_line_start = false;
      size_t spaces = 0;
      if (is_text) {
        const std::string_view trimmed = TrimSpaceLeft(part.text);
        if (trimmed.empty() && part.text.ends_with('\n')) {
          spaces = SIZE_MAX;
        } else {
          spaces = text::GraphemeCount(part.text.substr(0, part.text.size() - trimmed.size()));
          line_starts.push_back(i);
        }
      } else if (part.kind == TemplatePart::Kind::kEnd) {
        break;
      }
      indentation = std::min(indentation, spaces);
    }
    at_line_start = at_line_start || (is_text && part.text.ends_with('\n'));
  }
  for (const size_t i : line_starts) {
    std::string_view& text = parts_[i].text;
    size_t cut = 0;
    for (size_t n = 0; n < indentation && cut < text.size(); ++n) {
      cut = text::NextGrapheme(text, cut);
    }
    text.remove_prefix(cut);
    parts_[i].begin += static_cast<uint32_t>(cut);
  }
}

/// Merges adjacent texts.
void Parser::MergeTexts(size_t first) {
  size_t out = first;
  for (size_t i = first; i < parts_.size(); ++out) {
    parts_[out] = parts_[i++];
    if (parts_[out].kind != TemplatePart::Kind::kText) {
      continue;
    }
    TemplatePart& text = parts_[out];
    std::string joined;
    bool is_joined = false;
    for (; parts_[i].kind == TemplatePart::Kind::kText; ++i) {
      const TemplatePart& next = parts_[i];
      if (!is_joined && text.text.data() + text.text.size() == next.text.data()) {
        text.text = {text.text.data(), text.text.size() + next.text.size()};
      } else {
        if (!is_joined) {
          joined = text.text;
          is_joined = true;
        }
        joined += next.text;
      }
      text.end = next.end;
    }
    if (is_joined) {
      text.text = tree_.arena.CopyString(joined);
    }
  }
  parts_.resize(out);
}

// --- Parts to expressions ---

const Expr* Parser::BuildPart() {
  const TemplatePart part = parts_[part_];
  const Span span{part.begin, part.end};
  std::string word;  // of a directive that must follow another one
  switch (part.kind) {
    case TemplatePart::Kind::kText:
      ++part_;
      return NewText(part.text, span);
    case TemplatePart::Kind::kInterpolation:
      ++part_;
      return part.expr;
    case TemplatePart::Kind::kIf:
      return BuildIf();
    case TemplatePart::Kind::kFor:
      return BuildFor();
    case TemplatePart::Kind::kEnd:
      return NewPlaceholder(span);
    case TemplatePart::Kind::kElse:
      word = "else";
      break;
    case TemplatePart::Kind::kEndIf:
      word = "endif";
      break;
    case TemplatePart::Kind::kEndFor:
      word = "endfor";
      break;
  }
  ++part_;
  Error("Unexpected " + word + " directive",
        "The control directives within this template are unbalanced.", span);
  return NewPlaceholder(span);
}

/// Makes a template of exprs_ from `first` on, and removes these from exprs_. If there are none,
/// the template is an empty text at `if_empty`.
const Expr* Parser::JoinParts(size_t first, Span if_empty) {
  if (exprs_.size() == first) {
    exprs_.push_back(NewText({}, if_empty));
  }
  const auto parts = tree_.arena.CopySpan(std::span<const Expr* const>(exprs_).subspan(first));
  exprs_.resize(first);
  return New<TemplateExpr>(ExprKind::kTemplate,
                           Between(SpanOf(*parts.front()), SpanOf(*parts.back())),
                           std::span<const Expr* const>(parts));
}

const Expr* Parser::FinishIf(const TemplatePart& open, size_t first, const Expr* when_true,
                             const TemplatePart& end) {
  const bool has_else = when_true != nullptr;
  const Expr* last =
      JoinParts(first, has_else ? Span{end.begin, end.begin} : Span{open.end, open.end});
  const Expr* when_false = last;
  if (!has_else) {
    when_true = last;
    when_false = JoinParts(first, {end.begin, end.begin});
  }
  return New<ConditionalExpr>(ExprKind::kConditional, Span{open.begin, end.end}, open.expr,
                              when_true, when_false);
}

const Expr* Parser::FinishForDirective(const TemplatePart& open, size_t first,
                                       const TemplatePart& end) {
  const Expr* content = JoinParts(first, {open.end, open.end});
  const Span whole{open.begin, end.end};
  const Expr* loop = New<ForExpr>(ExprKind::kFor, whole, open.key_name, open.value_name, open.expr,
                                  nullptr, content, nullptr, false, open.end, end.begin);
  return New<WrapExpr>(ExprKind::kTemplateJoin, whole, loop);
}

const Expr* Parser::BuildIf() {
  const DepthScope depth(*this);
  const TemplatePart open = parts_[part_++];
  const Span open_span{open.begin, open.end};
  if (!depth.ok()) {
    part_ = parts_.size() - 1;
    return NewPlaceholder(open_span);
  }
  const size_t first = exprs_.size();
  const Expr* when_true = nullptr;
  for (;;) {
    const TemplatePart next = parts_[part_];
    const Span span{next.begin, next.end};
    if (incomplete_ &&
        (next.kind == TemplatePart::Kind::kEnd || next.kind == TemplatePart::Kind::kEndFor)) {
      return FinishIf(open, first, when_true, next);
    }
    switch (next.kind) {
      case TemplatePart::Kind::kEnd:
        if (gave_up_) {
          break;
        }
        Error("Unexpected end of template",
              "The if directive at " + ToText(Range(open_span)) +
                  " is missing its corresponding endif directive.",
              span);
        break;
      case TemplatePart::Kind::kElse:
        ++part_;
        if (when_true == nullptr) {
          when_true = JoinParts(first, {open.end, open.end});
          continue;
        }
        if (incomplete_) {
          continue;
        }
        Error("Unexpected else directive",
              "Already in the else clause for the if started at " + ToText(Range(open_span)) + ".",
              span);
        break;
      case TemplatePart::Kind::kEndIf:
        ++part_;
        return FinishIf(open, first, when_true, next);
      case TemplatePart::Kind::kEndFor:
        ++part_;
        Error(
            "Unexpected endfor directive",
            "Expecting an endif directive for the if started at " + ToText(Range(open_span)) + ".",
            span);
        break;
      default:
        exprs_.push_back(BuildPart());
        continue;
    }
    exprs_.resize(first);
    return NewPlaceholder(span);
  }
}

const Expr* Parser::BuildFor() {
  const DepthScope depth(*this);
  const TemplatePart open = parts_[part_++];
  const Span open_span{open.begin, open.end};
  if (!depth.ok()) {
    part_ = parts_.size() - 1;
    return NewPlaceholder(open_span);
  }
  const size_t first = exprs_.size();
  for (;;) {
    const TemplatePart next = parts_[part_];
    const Span span{next.begin, next.end};
    if (incomplete_ &&
        (next.kind == TemplatePart::Kind::kEnd || next.kind == TemplatePart::Kind::kElse ||
         next.kind == TemplatePart::Kind::kEndIf)) {
      return FinishForDirective(open, first, next);
    }
    switch (next.kind) {
      case TemplatePart::Kind::kEnd:
        if (gave_up_) {
          break;
        }
        Error("Unexpected end of template",
              "The for directive at " + ToText(Range(open_span)) +
                  " is missing its corresponding endfor directive.",
              span);
        break;
      case TemplatePart::Kind::kElse:
        ++part_;
        Error("Unexpected else directive", "An else clause is not expected for a for directive.",
              span);
        break;
      case TemplatePart::Kind::kEndIf:
        ++part_;
        Error("Unexpected endif directive",
              "Expecting an endfor directive corresponding to the for directive at " +
                  ToText(Range(open_span)) + ".",
              span);
        break;
      case TemplatePart::Kind::kEndFor:
        ++part_;
        return FinishForDirective(open, first, next);
      default:
        exprs_.push_back(BuildPart());
        continue;
    }
    exprs_.resize(first);
    return NewPlaceholder(span);
  }
}

// --- Text ---

std::string_view Parser::TokenText(const Token& token) {
  const std::string_view text = Text(token);
  if (text.size() > 2 && (text[0] == '$' || text[0] == '%') && text[1] == text[0] &&
      text[2] == '{') {
    return text.substr(1);  // "$${" stands for "${"
  }
  if (token.kind == kQuotedText && text.find('\\') != std::string_view::npos) {
    return ResolveEscapes(token);
  }
  if (token.kind == kPlainText && text.starts_with('\r')) {
    // Only the text after a lone carriage return may contain escapes that are not its start.
    return tree_.arena.CopyString(ResolveSequenceEscapes(text));
  }
  return text;
}

std::string_view Parser::ResolveEscapes(const Token& token) {
  const std::string_view text = Text(token);
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t backslash = std::min(text.find('\\', at), text.size());
    out.append(text, at, backslash - at);
    at = backslash;
    if (at < text.size()) {
      AppendEscape(token, at, out);
    }
  }
  return tree_.arena.CopyString(out);
}

/// At the backslash of an escape sequence: appends its character and moves `at` after it.
void Parser::AppendEscape(const Token& token, size_t& at, std::string& out) {
  const std::string_view text = Text(token);
  const size_t begin = at;
  const auto fail = [&](std::string detail) {
    Error("Invalid escape sequence", std::move(detail),
          {token.begin + static_cast<uint32_t>(begin), token.begin + static_cast<uint32_t>(at)});
  };
  const char selector = begin + 1 < text.size() ? text[begin + 1] : '\0';
  switch (selector) {
    case 'n':
    case 'r':
    case 't':
    case '"':
    case '\\':
      out += text::EscapedCharacter(selector);
      at += 2;
      return;
    case 'u':
    case 'U': {
      const size_t wanted = selector == 'u' ? 4 : 8;
      uint32_t point = 0;
      for (at += 2; at < text.size() && at < begin + 2 + wanted && text::HexDigit(text[at]) >= 0;
           ++at) {
        point = point * 16 + static_cast<uint32_t>(text::HexDigit(text[at]));
      }
      if (at - begin != 2 + wanted) {
        fail(std::string("The \\") + selector + " escape sequence must be followed by " +
             (selector == 'u' ? "four" : "eight") + " hexadecimal digits.");
      } else if (point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) {
        fail("There is no such character in Unicode.");
      } else {
        text::AppendUtf8(out, point);
        return;
      }
      out.append(text, begin, at - begin);
      return;
    }
    default: {
      // The selector may be a character of several bytes.
      at = begin + 2;
      while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) {
        ++at;
      }
      const std::string_view symbol = text.substr(begin + 1, at - begin - 1);
      fail("The symbol " + text::GoQuote(symbol) + " is not a valid escape sequence selector.");
      out += symbol;
      return;
    }
  }
}

}  // namespace kinu::hcl
