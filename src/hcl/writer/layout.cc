#include "hcl/writer/layout.h"

#include <algorithm>
#include <array>

#include "text/unicode.h"

namespace kinu::hcl::writer {
namespace {

using enum TokenKind;

constexpr size_t kKinds = static_cast<size_t>(kBadUtf8) + 1;
constexpr size_t Index(TokenKind kind) {
  return static_cast<size_t>(kind);
}

/// +1 for what opens, -1 for what closes.
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

constexpr std::array<int8_t, kKinds> kBracketChanges = [] {
  std::array<int8_t, kKinds> changes{};
  for (size_t kind = 0; kind < kKinds; ++kind) {
    changes[kind] = static_cast<int8_t>(BracketChange(static_cast<TokenKind>(kind)));
  }
  return changes;
}();

/// What stands between a token and the next one.
enum class Gap : uint8_t {
  kNone,
  kSpace,
  kNoneUnlessIn,  ///< a space if the first one is the keyword `in` behind a name
  kAfterMinus,    ///< a space if the minus subtracts
};

/// Inside quotes and heredocs nothing may change.
constexpr bool TextFollows(TokenKind kind) {
  return kind == kQuotedText || kind == kPlainText || kind == kOpenQuote || kind == kOpenHeredoc;
}
constexpr bool TextPrecedes(TokenKind kind) {
  return kind == kQuotedText || kind == kPlainText || kind == kCloseQuote || kind == kCloseHeredoc;
}
constexpr bool IsSequenceStart(TokenKind kind) {
  return kind == kTemplateInterpolation || kind == kTemplateDirective;
}

/// Rules in order of precedence. Ref: hclwrite spaceAfterToken.
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

using GapTable = std::array<std::array<Gap, kKinds>, kKinds>;
constexpr GapTable kGaps = [] {
  GapTable gaps{};
  for (size_t first = 0; first < kKinds; ++first) {
    for (size_t next = 0; next < kKinds; ++next) {
      gaps[first][next] = GapBetween(static_cast<TokenKind>(first), static_cast<TokenKind>(next));
    }
  }
  return gaps;
}();

/// Whether a minus behind such a token can only be a sign. kNone: it begins the cell.
constexpr bool MakesSign(TokenKind before) {
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

bool HasSpace(TokenKind before, const SpacedToken& first, TokenKind next) {
  switch (kGaps[Index(first.kind)][Index(next)]) {
    case Gap::kNone:
      return false;
    case Gap::kSpace:
      return true;
    case Gap::kNoneUnlessIn:
      return before == kIdent && first.text == "in";
    case Gap::kAfterMinus:
      return !MakesSign(before);
  }
  return false;
}

}  // namespace

Layout::Line Layout::SplitCells(size_t begin, size_t end) {
  size_t comment = end;
  if (end - begin > 1 && tokens_[end - 1].kind == kComment) {
    --comment;
  }
  size_t assign = begin + 1;
  while (assign < comment && tokens_[assign].kind != kEqual) {
    ++assign;
  }
  // A value that goes on in the next line is aligned with nothing.
  int64_t brackets = 0;
  for (size_t i = assign; i < comment; ++i) {
    brackets += kBracketChanges[Index(tokens_[i].kind)];
  }
  work_ += end - begin;
  return {begin, brackets == 0 ? std::min(assign, comment) : comment, comment, end};
}

/// A line that opens more than it closes is one level of indentation, however much it opens.
void Layout::Indent(const Line& line) {
  if (tokens_[line.begin].kind == kNewline) {
    return;
  }
  int64_t brackets = 0;
  for (size_t i = line.begin; i < line.assign; ++i) {
    brackets += kBracketChanges[Index(tokens_[i].kind)];
    if (tokens_[i].kind == kOpenHeredoc) {
      break;
    }
  }
  for (size_t i = line.assign; i < line.comment; ++i) {
    brackets += kBracketChanges[Index(tokens_[i].kind)];
  }
  work_ += line.comment - line.begin;
  while (brackets < 0 && !open_brackets_.empty()) {
    const int64_t closed = std::min<int64_t>(-brackets, open_brackets_.back());
    open_brackets_.back() -= static_cast<uint32_t>(closed);
    brackets += closed;
    if (open_brackets_.back() == 0) {
      open_brackets_.pop_back();
    }
  }
  tokens_[line.begin].spaces = static_cast<uint32_t>(2 * open_brackets_.size());
  if (brackets > 0) {
    open_brackets_.push_back(static_cast<uint32_t>(brackets));
  }
}

void Layout::SpaceCell(size_t begin, size_t end) {
  TokenKind before = TokenKind::kNone;
  for (size_t i = begin; i + 1 < end; ++i) {
    tokens_[i + 1].spaces = HasSpace(before, tokens_[i], tokens_[i + 1].kind) ? 1 : 0;
    before = tokens_[i].kind;
  }
  work_ += end - begin;
}

void Layout::EndLine() {
  const size_t end = tokens_.size();
  if (line_begin_ == end) {
    return;
  }
  const Line line = SplitCells(line_begin_, end);
  line_begin_ = end;
  Indent(line);
  SpaceCell(line.begin, line.assign);
  SpaceCell(line.assign, line.comment);
  lines_.push_back(line);
  if (!line.has_assign() && !line.has_comment()) {
    WriteGroup();
  }
}

uint32_t Layout::Columns(size_t begin, size_t end) {
  size_t columns = 0;
  for (size_t i = begin; i < end; ++i) {
    const std::string_view text = tokens_[i].text;
    const bool plain = text::IsAscii(text) && text.find('\r') == std::string_view::npos;
    columns += tokens_[i].spaces + (plain ? text.size() : text::GraphemeCount(text));
  }
  work_ += end - begin;
  return static_cast<uint32_t>(columns);
}

void Layout::AlignAssigns() {
  std::vector<uint32_t> widths;
  for (size_t first = 0; first < lines_.size();) {
    size_t last = first;
    while (last < lines_.size() && lines_[last].has_assign()) {
      ++last;
    }
    if (last - first <= 1) {  // nothing to align with
      if (last > first) {
        tokens_[lines_[first].assign].spaces = 1;
      }
      first = std::max(last, first + 1);
      continue;
    }
    widths.clear();
    for (size_t i = first; i < last; ++i) {
      widths.push_back(Columns(lines_[i].begin, lines_[i].assign));
    }
    const uint32_t widest = *std::max_element(widths.begin(), widths.end());
    for (size_t i = first; i < last; ++i) {
      tokens_[lines_[i].assign].spaces = widest - widths[i - first] + 1;
    }
    first = last;
  }
}

void Layout::AlignComments() {
  std::vector<uint32_t> widths;
  for (size_t first = 0; first < lines_.size();) {
    size_t last = first;
    while (last < lines_.size() && lines_[last].has_comment()) {
      ++last;
    }
    if (last - first <= 1) {
      if (last > first) {
        tokens_[lines_[first].comment].spaces = 1;
      }
      first = std::max(last, first + 1);
      continue;
    }
    widths.clear();
    for (size_t i = first; i < last; ++i) {
      widths.push_back(Columns(lines_[i].begin, lines_[i].comment));
    }
    const uint32_t widest = *std::max_element(widths.begin(), widths.end());
    for (size_t i = first; i < last; ++i) {
      tokens_[lines_[i].comment].spaces = widest - widths[i - first] + 1;
    }
    first = last;
  }
}

void Layout::WriteGroup() {
  if (lines_.size() > 1 || lines_[0].has_assign() || lines_[0].has_comment()) {
    AlignAssigns();
    AlignComments();
  }
  for (const SpacedToken& token : tokens_) {
    out_.append(token.spaces, ' ');
    out_ += token.text;
  }
  work_ += tokens_.size();
  tokens_.clear();
  lines_.clear();
  line_begin_ = 0;
}

void Layout::Finish() {
  EndLine();
  if (!lines_.empty()) {
    WriteGroup();
  }
}

}  // namespace kinu::hcl::writer
