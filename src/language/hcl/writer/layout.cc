#include "hcl/writer/layout.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "text/unicode.h"

namespace kinu::hcl::writer {

using enum TokenKind;
using internal::Gap;
using internal::kKinds;

namespace {

constexpr int BracketChange(TokenKind kind) {
  switch (kind) {
    case kOpenBrace:
    case kOpenBracket:
    case kOpenParen:
    case kTemplateDirective:
    case kTemplateInterpolation:
      return 1;
    case kCloseBrace:
    case kCloseBracket:
    case kCloseParen:
    case kTemplateEnd:
      return -1;
    default:
      return 0;
  }
}

/// Whether text whose spaces must not change follows the token.
constexpr bool TextFollows(TokenKind kind) {
  return kind == kQuotedText || kind == kPlainText || kind == kOpenQuote || kind == kOpenHeredoc;
}
/// Whether text whose spaces must not change precedes the token.
constexpr bool TextPrecedes(TokenKind kind) {
  return kind == kQuotedText || kind == kPlainText || kind == kCloseQuote || kind == kCloseHeredoc;
}
constexpr bool IsSequenceStart(TokenKind kind) {
  return kind == kTemplateInterpolation || kind == kTemplateDirective;
}

/// The rules are in order of precedence. Ref: hclwrite spaceAfterToken.
constexpr Gap GapBetween(TokenKind first, TokenKind next) {
  if (next == kNewline || (first == kIdent && next == kOpenParen) ||
      (first == kIdent && next == kDoubleColon) || (first == kDoubleColon && next == kIdent) ||
      first == kDot || next == kDot || next == kComma || next == kEllipsis) {
    return Gap::kNone;
  }
  if (first == kComma) {
    return Gap::kSpace;
  }
  if (TextFollows(first) || TextPrecedes(next)) {
    return Gap::kNone;
  }
  const Gap none = first == kIdent ? Gap::kNoneUnlessIn : Gap::kNone;
  if (next == kOpenBracket && (first == kIdent || first == kNumber || BracketChange(first) < 0)) {
    return none;
  }
  if (first == kBang) {
    return Gap::kNone;
  }
  if (first == kMinus) {
    return Gap::kAfterMinus;
  }
  if (first == kOpenBrace || next == kCloseBrace) {
    return first == kOpenBrace && next == kCloseBrace ? Gap::kNone : Gap::kSpace;
  }
  if ((IsSequenceStart(first) && next == kOpenBrace) ||
      (first == kCloseBrace && next == kTemplateEnd)) {
    return Gap::kSpace;
  }
  if ((first == kTemplateEnd && IsSequenceStart(next)) || BracketChange(first) > 0) {
    return Gap::kNone;
  }
  return BracketChange(next) < 0 ? none : Gap::kSpace;
}

/// Whether a minus after such a token is a sign. kNone means that the minus begins the cell.
constexpr bool IsUnaryMinusAfter(TokenKind before) {
  switch (before) {
    case TokenKind::kNone:
    case kOpenParen:
    case kOpenBrace:
    case kOpenBracket:
    case kEqual:
    case kColon:
    case kComma:
    case kQuestion:
    case kPlus:
    case kStar:
    case kSlash:
    case kPercent:
    case kMinus:
    case kEqualOperator:
    case kNotEqual:
    case kGreater:
    case kGreaterEqual:
    case kLess:
    case kLessEqual:
    case kAnd:
    case kOr:
    case kBang:
      return true;
    default:
      return false;
  }
}

}  // namespace

constexpr std::array<std::array<Gap, kKinds>, kKinds> internal::kGaps = [] {
  std::array<std::array<Gap, kKinds>, kKinds> gaps{};
  for (size_t first = 0; first < kKinds; ++first) {
    for (size_t next = 0; next < kKinds; ++next) {
      gaps[first][next] = GapBetween(static_cast<TokenKind>(first), static_cast<TokenKind>(next));
    }
  }
  return gaps;
}();

constexpr std::array<bool, kKinds> internal::kAffectsLine = [] {
  std::array<bool, kKinds> affects{};
  for (size_t kind = 0; kind < kKinds; ++kind) {
    affects[kind] = BracketChange(static_cast<TokenKind>(kind)) != 0;
  }
  for (const TokenKind kind : {kEqual, kOpenHeredoc, kNewline, kComment}) {
    affects[static_cast<size_t>(kind)] = true;
  }
  return affects;
}();

void Layout::UpdateLine(TokenKind kind, size_t at) {
  switch (kind) {
    case kEqual:
      if (line_.assign == 0 && at > line_.begin) {
        line_.assign = at;
        brackets_at_assign_ = brackets_;
        indent_at_assign_ = indent_brackets_;
      }
      return;
    case kOpenHeredoc:
      in_heredoc_ = true;
      return;
    case kNewline:
      EndLine();
      return;
    case kComment:
      if (tokens_[at].text.ends_with('\n')) {
        EndLine();
      }
      return;
    default:
      brackets_ += BracketChange(kind);
      if (!in_heredoc_) {
        indent_brackets_ = brackets_;
      }
      return;
  }
}

bool Layout::HasSpace(Gap gap) const {
  return gap == Gap::kNoneUnlessIn ? before_last_ == kIdent && tokens_[count_ - 1].text == "in"
                                   : !IsUnaryMinusAfter(before_last_);
}

/// A line that opens more brackets than it closes adds one level of indentation, however many.
uint32_t Layout::Indentation(int64_t brackets) {
  while (brackets < 0 && !open_brackets_.empty()) {
    const int64_t closed = std::min<int64_t>(-brackets, open_brackets_.back());
    open_brackets_.back() -= static_cast<uint32_t>(closed);
    brackets += closed;
    if (open_brackets_.back() == 0) {
      open_brackets_.pop_back();
    }
  }
  const auto columns = static_cast<uint32_t>(2 * open_brackets_.size());
  if (brackets > 0) {
    open_brackets_.push_back(static_cast<uint32_t>(brackets));
  }
  return columns;
}

void Layout::EndLine() {
  if (line_.begin == count_) {
    return;
  }
  line_.end = line_.comment = count_;
  if (line_.end - line_.begin > 1 && last_ == kComment) {
    --line_.comment;
  }
  // A value that continues on the next line takes no part in alignment.
  const bool has_assign = line_.assign > line_.begin && brackets_ == brackets_at_assign_;
  if (!has_assign) {
    line_.assign = line_.comment;
  }
  if (tokens_[line_.begin].kind != kNewline) {
    tokens_[line_.begin].spaces = Indentation(has_assign ? indent_at_assign_ : indent_brackets_);
  }
  work_ += line_.end - line_.begin;
  lines_.push_back(line_);
  if (!line_.has_assign() && !line_.has_comment()) {
    WriteGroup();
  }
  BeginLine();
}

void Layout::BeginLine() {
  line_ = {.begin = count_, .assign = 0, .comment = 0, .end = 0};
  last_ = before_last_ = TokenKind::kNone;
  brackets_ = indent_brackets_ = 0;
  in_heredoc_ = false;
}

uint32_t Layout::Columns(size_t begin, size_t end) {
  size_t columns = 0;
  for (size_t i = begin; i < end; ++i) {
    const std::string_view text = tokens_[i].text;
    const bool plain =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' || c == '\t'; });
    columns += tokens_[i].spaces + (plain ? text.size() : text::GraphemeCount(text));
  }
  work_ += end - begin;
  return static_cast<uint32_t>(columns);
}

void Layout::Align(size_t Line::* cell, bool (Line::*has_cell)() const) {
  for (size_t first = 0; first < lines_.size(); ++first) {
    if (!(lines_[first].*has_cell)()) {
      continue;
    }
    size_t last = first + 1;
    while (last < lines_.size() && (lines_[last].*has_cell)()) {
      ++last;
    }
    widths_.clear();
    for (size_t i = first; i < last && last - first > 1; ++i) {
      widths_.push_back(Columns(lines_[i].begin, lines_[i].*cell));
    }
    tokens_[lines_[first].*cell].spaces = 1;
    if (!widths_.empty()) {
      const uint32_t widest = *std::max_element(widths_.begin(), widths_.end());
      for (size_t i = first; i < last; ++i) {
        tokens_[lines_[i].*cell].spaces = widest - widths_[i - first] + 1;
      }
    }
    first = last - 1;
  }
}

void Layout::WriteGroup() {
  if (lines_.size() > 1 || lines_[0].has_assign() || lines_[0].has_comment()) {
    Align(&Line::assign, &Line::has_assign);
    Align(&Line::comment, &Line::has_comment);
  }
  size_t bytes = 0;
  for (const SpacedToken *token = tokens_.data(), *end = token + count_; token != end; ++token) {
    bytes += token->spaces + token->text.size();
  }
  const size_t before = out_.size();
  if (out_.capacity() < before + bytes) {
    out_.reserve(std::max(before + bytes, 2 * out_.capacity()));
  }
  out_.resize_and_overwrite(before + bytes, [&](char* text, size_t size) {
    WriteTokens(text + before);
    return size;
  });
  work_ += count_;
  count_ = 0;
  lines_.clear();
}

void Layout::WriteTokens(char* to) const {
  // A run: consecutive tokens of the source whose spaces do not change; it is copied at once.
  const char* run = nullptr;
  const char* run_end = nullptr;
  size_t run_end_offset = SIZE_MAX / 2;  // in the source; beyond it if the token is not from there
  const auto write_run = [&] {
    if (run != run_end) {
      const auto size = static_cast<size_t>(run_end - run);
      std::memcpy(to, run, size);
      to += size;
    }
  };
  const auto source_begin = reinterpret_cast<uintptr_t>(source_.data());
  const auto is_blank = [](const char* text, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      if (text[i] != ' ') {
        return false;
      }
    }
    return true;
  };
  for (const SpacedToken *token = tokens_.data(), *end = token + count_; token != end; ++token) {
    const char* const text = token->text.data();
    const size_t offset = reinterpret_cast<uintptr_t>(text) - source_begin;
    if (offset != run_end_offset + token->spaces || !is_blank(run_end, token->spaces)) {
      write_run();
      std::memset(to, ' ', token->spaces);
      to += token->spaces;
      run = text;
    }
    run_end = text + token->text.size();
    run_end_offset = offset < source_.size() ? offset + token->text.size() : SIZE_MAX / 2;
  }
  write_run();
}

void Layout::Finish() {
  EndLine();
  if (!lines_.empty()) {
    WriteGroup();
  }
  BeginLine();
}

}  // namespace kinu::hcl::writer
