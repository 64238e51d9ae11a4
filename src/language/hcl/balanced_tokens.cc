#include "hcl/balanced_tokens.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/flat_map.h"
#include "hcl/line_shape.h"
#include "text/unicode.h"

namespace kinu::hcl {

using enum TokenKind;

namespace {

/// The bracket that the token closes, with interpolations for all sequences; kNone: it closes none.
TokenKind OpenerOf(TokenKind kind) {
  switch (kind) {
    case kCloseBrace:
      return kOpenBrace;
    case kCloseBracket:
      return kOpenBracket;
    case kCloseParen:
      return kOpenParen;
    case kCloseQuote:
      return kOpenQuote;
    case kCloseHeredoc:
      return kOpenHeredoc;
    case kTemplateEnd:
      return kTemplateInterpolation;
    default:
      return kNone;
  }
}

TokenKind CloserOf(TokenKind kind) {
  switch (kind) {
    case kOpenBrace:
      return kCloseBrace;
    case kOpenBracket:
      return kCloseBracket;
    case kOpenParen:
      return kCloseParen;
    case kOpenQuote:
      return kCloseQuote;
    case kOpenHeredoc:
      return kCloseHeredoc;
    default:
      return kTemplateEnd;
  }
}

/// The open brackets, innermost last.
class OpenBrackets {
 public:
  struct Bracket {
    TokenKind kind;
    uint32_t indentation;  // of the line that it stands on
    size_t previous;       // the next outer one of the kind
  };
  static constexpr size_t kNowhere = SIZE_MAX;

  bool empty() const { return brackets_.empty(); }
  size_t size() const { return brackets_.size(); }
  const Bracket& back() const { return brackets_.back(); }
  const Bracket& operator[](size_t at) const { return brackets_[at]; }
  size_t Innermost(TokenKind kind) const { return last_[Slot(kind)]; }

  void Push(TokenKind kind, uint32_t indentation) {
    size_t& last = last_[Slot(kind)];
    brackets_.push_back({kind, indentation, last});
    last = brackets_.size() - 1;
  }
  void Pop() {
    last_[Slot(brackets_.back().kind)] = brackets_.back().previous;
    brackets_.pop_back();
  }
  void Clear() {
    brackets_.clear();
    last_.fill(kNowhere);
  }

  /// The bracket that the token closes: not beyond a quote or heredoc, unless the token ends these.
  size_t ClosedBy(TokenKind kind) const {
    const size_t at = Innermost(OpenerOf(kind));
    const bool ends_text = kind == kCloseQuote || kind == kCloseHeredoc;
    return at == kNowhere || ends_text || IsReachable(at) ? at : kNowhere;
  }
  /// The innermost bracket like that at `at`, from there on, whose line has the indentation.
  size_t Aligned(size_t at, uint32_t indentation) const {
    constexpr int kMostTries = 64;
    for (int i = 0; i < kMostTries && at != kNowhere && IsReachable(at); ++i) {
      if (brackets_[at].indentation == indentation) {
        return at;
      }
      at = brackets_[at].previous;
    }
    return kNowhere;
  }

 private:
  /// Whether no quote or heredoc is open inside of the bracket.
  bool IsReachable(size_t at) const {
    const auto is_outside = [&](size_t text) { return text == kNowhere || text < at; };
    return is_outside(Innermost(kOpenQuote)) && is_outside(Innermost(kOpenHeredoc));
  }
  /// All sequences of templates share one.
  static size_t Slot(TokenKind kind) {
    return static_cast<size_t>(kind == kTemplateDirective ? kTemplateInterpolation : kind);
  }

  std::vector<Bracket> brackets_;
  std::array<size_t, static_cast<size_t>(kTemplateEnd)> last_ = [] {
    std::array<size_t, static_cast<size_t>(kTemplateEnd)> last{};
    last.fill(kNowhere);
    return last;
  }();
};

/// Where lines begin that look like headers of top-level blocks.
std::vector<uint32_t> HeaderLines(std::string_view text) {
  std::vector<uint32_t> headers;
  for (size_t at = 0; at < text.size();) {
    if (ShapeOfLine(text, at) == LineShape::kHeader) {
      headers.push_back(static_cast<uint32_t>(at));
    }
    const size_t newline = text.find('\n', at);
    at = newline == std::string_view::npos ? text.size() : newline + 1;
  }
  return headers;
}

/// The lines that begin and end heredocs, by marker.
class HeredocLines {
 public:
  explicit HeredocLines(std::string_view text) {
    for (size_t at = 0; at < text.size();) {
      const size_t newline = std::min(text.find('\n', at), text.size());
      AddLine(text.substr(at, newline - at), at);
      at = newline + 1;
    }
  }

  /// Whether the heredoc, whose text begins at the offset, has the line in its text: it ends behind
  /// that, and before another one of its marker begins.
  bool Has(size_t line, std::string_view marker, size_t text_begin) const {
    const size_t end = Next(ends_, marker, text_begin);
    return end != SIZE_MAX && end > line && end < Next(begins_, marker, text_begin);
  }

 private:
  using Lines = FlatMap<std::string_view, std::vector<size_t>>;

  static size_t Next(const Lines& lines, std::string_view marker, size_t at) {
    const auto found = lines.find(marker);
    if (found == lines.end()) {
      return SIZE_MAX;
    }
    const auto next = std::lower_bound(found->second.begin(), found->second.end(), at);
    return next == found->second.end() ? SIZE_MAX : *next;
  }

  void AddLine(std::string_view line, size_t at) {
    const std::string_view trimmed = text::TrimSpace(line);
    if (const size_t open = trimmed.rfind("<<"); open != std::string_view::npos) {
      std::string_view marker = trimmed.substr(open + 2);
      marker.remove_prefix(marker.starts_with('-') ? 1 : 0);
      begins_[marker].push_back(at);
    } else if (!trimmed.empty() && trimmed.find(' ') == std::string_view::npos) {
      ends_[trimmed].push_back(at);
    }
  }

  Lines begins_, ends_;
};

class Balancer {
 public:
  explicit Balancer(std::string_view text)
      : text_(text),
        lexer_(text, LexMode::kNormal),
        headers_(HeaderLines(text)),
        budget_(kLookAhead * (text.size() + 1)) {
    lexer_.EndOpenTextWithLines();
    out_.reserve(text.size() / kBytesPerToken);
    BeginUnit();
  }

  std::vector<Token> Run() {
    while (Take(Next())) {
    }
    return std::move(out_);
  }

 private:
  static constexpr size_t kBytesPerToken = 5;
  static constexpr size_t kLeastChunk = 32;
  static constexpr size_t kMostChunk = 1024;
  /// How many tokens per byte may be read again because a look ahead was in vain.
  static constexpr size_t kLookAhead = 8;

  enum class Layout : uint8_t { kUnknown, kIndented, kFlat };
  /// A header inside of a unit. It may be a nested block that is not indented: then the brackets
  /// of the unit match.
  struct Candidate {
    size_t header;  // in headers_
    size_t tokens;  // how many were before it
  };

  /// A unit whose last bracket, which begins a line, stands deeper than its first line: a bracket
  /// may be missing inside.
  struct EarlyEnd {
    size_t unit;
    uint32_t indentation;  // of the line of its first token
    uint32_t outermost;    // of the line of its outermost bracket
  };

  // A unit is what stands between two places outside of all brackets.
  void BeginUnit() {
    unit_ = out_.size();
    unit_indentation_ = indentation_;
    open_.Clear();
    layout_ = Layout::kUnknown;
    is_broken_ = false;
    candidate_.reset();
  }

  Token Next() {
    if (next_ == chunk_.size()) {
      chunk_.clear();
      next_ = 0;
      lexer_.Append(chunk_size_, chunk_);
      chunk_size_ = std::min(chunk_size_ * 2, kMostChunk);
    }
    return chunk_[next_++];
  }
  void RestartAt(uint32_t offset) {
    lexer_.RestartAt(offset);
    chunk_.clear();
    next_ = 0;
    chunk_size_ = kLeastChunk;
  }

  /// Takes a token; false after the last one.
  bool Take(const Token& token);
  bool CutsAtHeader(const Token& token);
  void Cut(size_t header);
  bool EndsTemplates(const Token& token) const;
  void EndTemplates(const Token& token);
  void NoteLine(const Token& token);
  bool IsHeredocText(uint32_t line);
  std::string_view HeredocMarker() const;
  bool EndsHeredoc(const Token& token) const;
  void EndHeredoc(const Token& marker);
  void TakeStray(const Token& closer);
  void CloseUnit();

  void Repair();
  void RepairLine(const Token& token);
  void RepairCloser(const Token& token, bool begins_line);
  void CloseDownTo(size_t depth);
  void CloseAt(uint32_t offset, size_t depth);
  /// Whether the next token is the first of its line, which begins at LineBegin().
  bool BeginsLine() const { return out_.empty() || out_.back().kind == kNewline; }
  uint32_t LineBegin() const { return out_.empty() ? 0 : out_.back().end; }

  std::string_view text_;
  Lexer lexer_;
  std::optional<EarlyEnd> too_early_;  // only lines that are deeper followed
  std::vector<uint32_t> headers_;
  size_t header_ = 0;  // the next one
  std::optional<HeredocLines> heredocs_;
  size_t budget_;
  std::vector<Token> chunk_;
  size_t next_ = 0;  // in chunk_
  size_t chunk_size_ = kLeastChunk;
  std::vector<Token> out_;
  uint32_t indentation_ = 0;  // of the current line
  size_t heredoc_ = 0;        // the token of the last heredoc outside of others
  // The unit:
  size_t unit_ = 0;                // its first token
  uint32_t unit_indentation_ = 0;  // of the line of that
  OpenBrackets open_;
  Layout layout_ = Layout::kUnknown;
  bool is_broken_ = false;  // brackets do not match
  std::optional<Candidate> candidate_;
};

bool Balancer::Take(const Token& token) {
  if (CutsAtHeader(token)) {
    return true;
  }
  if (token.kind == kEof) {
    if (candidate_) {
      Cut(candidate_->header);
      return true;
    }
    if (!open_.empty() || is_broken_) {
      Repair();
      CloseAt(token.begin, 0);
    }
    out_.push_back(token);
    return false;
  }
  if (EndsHeredoc(token)) {
    EndHeredoc(token);
    return true;
  }
  if (EndsTemplates(token)) {
    EndTemplates(token);
    return true;
  }
  NoteLine(token);
  if (IsOpener(token.kind)) {
    if (token.kind == kOpenHeredoc && open_.Innermost(kOpenHeredoc) == OpenBrackets::kNowhere) {
      heredoc_ = out_.size();
    }
    open_.Push(token.kind, indentation_);
  } else if (IsCloser(token.kind)) {
    if (open_.empty()) {
      TakeStray(token);
      return true;
    }
    const size_t closed = open_.ClosedBy(token.kind);
    is_broken_ = is_broken_ || closed != open_.size() - 1;
    if (is_broken_ && candidate_) {
      Cut(candidate_->header);
      return true;
    }
    const bool ends_unit = closed == 0;
    if (ends_unit && !is_broken_ && BeginsLine() && indentation_ > open_[0].indentation) {
      too_early_ = EarlyEnd{unit_, unit_indentation_, open_[0].indentation};
    }
    while (closed != OpenBrackets::kNowhere && open_.size() > closed) {
      open_.Pop();
    }
  }
  out_.push_back(token);
  if (open_.empty()) {
    CloseUnit();
  }
  return true;
}

/// Takes a closing bracket outside of all brackets, which is left out. But if it is aligned with
/// the beginning of a unit that ended too early, that unit ends here.
void Balancer::TakeStray(const Token& closer) {
  if (!too_early_ || !BeginsLine() || indentation_ != too_early_->outermost) {
    return;
  }
  unit_ = too_early_->unit;
  unit_indentation_ = too_early_->indentation;
  layout_ = Layout::kIndented;
  is_broken_ = true;
  too_early_.reset();
  out_.push_back(closer);
  CloseUnit();
}

void Balancer::CloseUnit() {
  if (is_broken_) {
    Repair();
    CloseDownTo(0);
  }
  BeginUnit();
}

/// Keeps track of where lines begin and of the layout of the unit.
void Balancer::NoteLine(const Token& token) {
  if (!BeginsLine() || token.kind == kNewline) {
    return;
  }
  indentation_ = token.begin - LineBegin();
  if (too_early_ && !IsCloser(token.kind) && indentation_ <= too_early_->outermost) {
    too_early_.reset();
  }
  if (!open_.empty() && layout_ == Layout::kUnknown && !IsCloser(token.kind)) {
    layout_ = indentation_ > open_[0].indentation ? Layout::kIndented : Layout::kFlat;
  }
}

bool Balancer::CutsAtHeader(const Token& token) {
  while (header_ < headers_.size() && headers_[header_] < token.begin) {
    ++header_;  // in a comment, or in white space
  }
  if (header_ == headers_.size() || headers_[header_] >= token.end) {
    return false;
  }
  if (open_.empty()) {
    ++header_;
    return false;
  }
  if (token.kind == kPlainText) {
    if (!IsHeredocText(headers_[header_])) {
      Cut(header_);
      return true;
    }
  } else if (token.kind == kIdent && token.begin == headers_[header_]) {
    if (is_broken_ || budget_ == 0) {
      Cut(candidate_ ? candidate_->header : header_);
      return true;
    }
    if (!candidate_) {
      candidate_ = Candidate{header_, out_.size()};
    }
  }
  ++header_;
  return false;
}

bool Balancer::IsHeredocText(uint32_t line) {
  if (!heredocs_) {
    heredocs_.emplace(text_);
  }
  return heredocs_->Has(line, HeredocMarker(), out_[heredoc_].end);
}

std::string_view Balancer::HeredocMarker() const {
  const Token& open = out_[heredoc_];
  std::string_view marker = text_.substr(open.begin + 2, open.end - open.begin - 2);
  marker.remove_prefix(marker.starts_with('-') ? 1 : 0);
  return text::TrimSpace(marker);
}

/// Whether the token, which is in a sequence of a heredoc, is the end of the heredoc: the sequence
/// has no end.
bool Balancer::EndsHeredoc(const Token& token) const {
  const size_t heredoc = open_.Innermost(kOpenHeredoc);
  if (token.kind != kIdent || heredoc == OpenBrackets::kNowhere || !BeginsLine() ||
      open_[heredoc].previous != OpenBrackets::kNowhere ||
      text_.substr(token.begin, token.end - token.begin) != HeredocMarker()) {
    return false;
  }
  const size_t quote = open_.Innermost(kOpenQuote);
  const size_t after = text_.find_first_not_of(" \t\r", token.end);
  return (quote == OpenBrackets::kNowhere || quote > heredoc) &&
         (after == std::string_view::npos || text_[after] == '\n');
}

void Balancer::EndHeredoc(const Token& marker) {
  while (out_.back().kind == kNewline) {
    out_.pop_back();
  }
  const size_t heredoc = open_.Innermost(kOpenHeredoc);
  CloseAt(out_.back().end, heredoc + 1);
  open_.Pop();
  out_.push_back({kCloseHeredoc, marker.begin, marker.end});
  RestartAt(marker.end);
  if (open_.empty()) {
    CloseUnit();
  }
}

/// Ends the unit in front of the header, which begins the next one.
void Balancer::Cut(size_t header) {
  if (candidate_ && candidate_->header == header) {
    const size_t wasted = out_.size() - candidate_->tokens;
    budget_ -= std::min(budget_, wasted);
    out_.resize(candidate_->tokens);
  }
  header_ = header;
  Repair();
  CloseDownTo(0);
  const uint32_t offset = headers_[header];
  if (!BeginsLine()) {
    out_.push_back({kNewline, offset, offset});
  }
  RestartAt(offset);
  BeginUnit();
}

/// Whether the token begins an item and so ends the sequence in a quote that it stands in.
bool Balancer::EndsTemplates(const Token& token) const {
  return token.kind == kIdent && !open_.empty() && open_.back().kind != kOpenBrace &&
         open_.Innermost(kTemplateInterpolation) != OpenBrackets::kNowhere &&
         open_.Innermost(kOpenHeredoc) == OpenBrackets::kNowhere && BeginsLine() &&
         ShapeOfLine(text_, token.begin) != LineShape::kOther;
}

void Balancer::EndTemplates(const Token& token) {
  size_t outermost = open_.Innermost(kOpenQuote);
  while (open_[outermost].previous != OpenBrackets::kNowhere) {
    outermost = open_[outermost].previous;
  }
  CloseDownTo(outermost);
  RestartAt(token.begin);
  if (open_.empty()) {
    CloseUnit();
  }
}

// --- Units whose brackets do not match ---

/// Adds and leaves out brackets in the tokens of the unit. Leaves open what is open at its end.
void Balancer::Repair() {
  const std::vector<Token> tokens(out_.begin() + static_cast<ptrdiff_t>(unit_), out_.end());
  out_.resize(unit_);
  open_.Clear();
  indentation_ = unit_indentation_;
  for (const Token& token : tokens) {
    const bool begins_line = BeginsLine();
    if (begins_line && token.kind != kNewline) {
      indentation_ = token.begin - LineBegin();
    }
    if (IsCloser(token.kind)) {
      RepairCloser(token, begins_line);
      continue;
    }
    if (begins_line && token.kind == kIdent) {
      RepairLine(token);
    }
    if (IsOpener(token.kind)) {
      open_.Push(token.kind, indentation_);
    }
    out_.push_back(token);
  }
}

/// Closes what an item that begins with the token cannot stand in.
void Balancer::RepairLine(const Token& token) {
  if (open_.empty() || ShapeOfLine(text_, token.begin) == LineShape::kOther) {
    return;
  }
  while (!open_.empty()) {
    const OpenBrackets::Bracket& innermost = open_.back();
    const bool is_text = innermost.kind == kOpenQuote || innermost.kind == kOpenHeredoc;
    const bool is_outside = layout_ == Layout::kIndented && indentation_ <= innermost.indentation;
    if (is_text || (innermost.kind == kOpenBrace && !is_outside)) {
      return;
    }
    CloseDownTo(open_.size() - 1);
  }
}

void Balancer::RepairCloser(const Token& token, bool begins_line) {
  size_t closed = open_.ClosedBy(token.kind);
  if (closed == OpenBrackets::kNowhere) {
    return;
  }
  if (begins_line && layout_ == Layout::kIndented) {
    const size_t aligned = open_.Aligned(closed, indentation_);
    if (aligned == OpenBrackets::kNowhere && indentation_ > open_[closed].indentation) {
      return;  // closes a bracket that is missing
    }
    closed = aligned == OpenBrackets::kNowhere ? closed : aligned;
  }
  CloseDownTo(closed + 1);
  open_.Pop();
  out_.push_back(token);
}

/// Closes all but the outermost `depth` brackets, in front of a newline that was the last token.
void Balancer::CloseDownTo(size_t depth) {
  if (open_.size() <= depth) {
    return;
  }
  if (out_.back().kind != kNewline) {
    CloseAt(out_.back().end, depth);
    return;
  }
  const Token newline = out_.back();
  out_.pop_back();
  CloseAt(newline.begin, depth);
  out_.push_back(newline);
}

void Balancer::CloseAt(uint32_t offset, size_t depth) {
  while (open_.size() > depth) {
    out_.push_back({CloserOf(open_.back().kind), offset, offset});
    open_.Pop();
  }
}

}  // namespace

std::vector<Token> BalancedTokens(std::string_view text) {
  return Balancer(text).Run();
}

std::vector<Token> BalancedTemplateTokens(std::string_view text) {
  Lexer lexer(text, LexMode::kTemplate);
  lexer.EndOpenTextWithLines();
  std::vector<Token> all;
  do {
    lexer.Append(std::max<size_t>(all.size(), 32), all);
  } while (all.back().kind != kEof);
  std::vector<Token> out;
  OpenBrackets open;
  const auto close_down_to = [&](size_t depth, uint32_t offset) {
    for (; open.size() > depth; open.Pop()) {
      out.push_back({CloserOf(open.back().kind), offset, offset});
    }
  };
  for (const Token& token : all) {
    if (IsOpener(token.kind)) {
      open.Push(token.kind, 0);
    } else if (IsCloser(token.kind)) {
      const size_t closed = open.ClosedBy(token.kind);
      if (closed == OpenBrackets::kNowhere) {
        continue;
      }
      close_down_to(closed + 1, token.begin);
      open.Pop();
    } else if (token.kind == kEof) {
      close_down_to(0, token.begin);
    }
    out.push_back(token);
  }
  return out;
}

}  // namespace kinu::hcl
