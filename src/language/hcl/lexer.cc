#include "hcl/lexer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "base/invariant.h"
#include "text/unicode.h"

namespace kinu::hcl {
namespace {

using enum TokenKind;

enum CharClass : uint8_t {
  kOther = 0,
  kIdentStart = 1,
  kIdentContinue = 2,
  kDigit = 4,
  kSpace = 8,
};

constexpr std::array<uint8_t, 256> kClasses = [] {
  std::array<uint8_t, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    uint8_t bits = kOther;
    if (letter) {
      bits |= kIdentStart;
    }
    if (letter || digit || c == '-') {
      bits |= kIdentContinue;
    }
    if (digit) {
      bits |= kDigit;
    }
    if (c == ' ' || c == '\t') {
      bits |= kSpace;
    }
    classes[static_cast<size_t>(c)] = bits;
  }
  return classes;
}();

/// Characters that are a token on their own, whatever follows them.
constexpr std::array<TokenKind, 256> kSymbols = [] {
  std::array<TokenKind, 256> symbols{};
  symbols['\n'] = kNewline;
  symbols['['] = kOpenBracket;
  symbols[']'] = kCloseBracket;
  symbols['('] = kOpenParen;
  symbols[')'] = kCloseParen;
  symbols[','] = kComma;
  symbols['*'] = kStar;
  symbols['%'] = kPercent;
  symbols['+'] = kPlus;
  symbols['-'] = kMinus;
  symbols['?'] = kQuestion;
  symbols['^'] = kBitwiseXor;
  symbols[';'] = kSemicolon;
  symbols['`'] = kBacktick;
  symbols['\''] = kApostrophe;
  return symbols;
}();

/// Characters that are a token on their own before white space and characters of identifiers.
constexpr std::array<TokenKind, 256> kOperators = [] {
  std::array<TokenKind, 256> operators{};
  operators['='] = kEqual;
  operators['.'] = kDot;
  operators[':'] = kColon;
  operators['<'] = kLess;
  operators['>'] = kGreater;
  operators['!'] = kBang;
  operators['/'] = kSlash;
  return operators;
}();

/// Length of the run of ASCII identifier characters at the start of `text`.
size_t NameLength(std::string_view text) {
  size_t at = 0;
  if constexpr (std::endian::native == std::endian::little) {
    // Eight bytes at a time: the high bit of each byte of `in_name` marks an identifier character.
    constexpr uint64_t kOnes = 0x0101010101010101;
    constexpr uint64_t kHigh = 0x80 * kOnes;
    const auto between = [](uint64_t bytes, uint64_t low, uint64_t high) {
      return (bytes + (0x80 - low) * kOnes) & ~(bytes + (0x7F - high) * kOnes);
    };
    for (; text.size() - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
      uint64_t bytes = 0;
      std::memcpy(&bytes, text.data() + at, sizeof bytes);
      const uint64_t low = bytes & ~kHigh;
      const uint64_t in_name = between(low | 0x20 * kOnes, 'a', 'z') | between(low, '0', '9') |
                               between(low, '_', '_') | between(low, '-', '-');
      if (const uint64_t stops = ~(in_name & ~bytes) & kHigh; stops != 0) {
        return at + static_cast<size_t>(std::countr_zero(stops)) / 8;
      }
    }
  }
  while (at < text.size() &&
         (kClasses[static_cast<unsigned char>(text[at])] & kIdentContinue) != 0) {
    ++at;
  }
  return at;
}

/// A table of the bytes that may end a run of literal text: `stops` and all non-ASCII bytes.
constexpr std::array<bool, 256> MakeStops(std::string_view stops) {
  std::array<bool, 256> table{};
  for (const char c : stops) {
    table[static_cast<unsigned char>(c)] = true;
  }
  for (size_t c = 0x80; c < 256; ++c) {
    table[c] = true;
  }
  return table;
}
constexpr std::array<bool, 256> kQuotedStops = MakeStops("$%\"\\\r\n");
constexpr std::array<bool, 256> kPlainStops = MakeStops("$%\r\n");

}  // namespace

size_t Lexer::SequenceLength(size_t index) const {
  const unsigned char lead = At(index);
  size_t length = 0;
  if (lead < 0x80) {
    return index < size_ ? 1 : 0;
  }
  if (lead >= 0xC0 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
  } else if (lead >= 0xF0 && lead <= 0xF7) {
    length = 4;
  } else {
    return 0;
  }
  if (index + length > size_) {
    return 0;
  }
  for (size_t i = 1; i < length; ++i) {
    if ((At(index + i) & 0xC0) != 0x80) {
      return 0;
    }
  }
  return length;
}

size_t Lexer::IdentStartLength(size_t index) const {
  const unsigned char c = At(index);
  if (c < 0x80) {
    return (kClasses[c] & kIdentStart) != 0 && index < size_ ? 1 : 0;
  }
  const text::Decoded decoded = text::DecodeUtf8(text_, index);
  return decoded.ok && text::IsIdentifierStart(decoded.point) ? decoded.size : 0;
}

size_t Lexer::IdentEnd(size_t index) const {
  while (index < size_) {
    const unsigned char c = At(index);
    if (c < 0x80) {
      if ((kClasses[c] & kIdentContinue) == 0) {
        break;
      }
      ++index;
      continue;
    }
    const text::Decoded decoded = text::DecodeUtf8(text_, index);
    if (!decoded.ok || !text::IsIdentifierContinue(decoded.point)) {
      break;
    }
    index += decoded.size;
  }
  return index;
}

void Lexer::LexNumber() {
  // Digits, dots and exponents in any order, without trailing dots: "1.2.3" is one (malformed)
  // number, "1.." is a number and two dots.
  size_t end = at_ + 1;
  size_t scan = end;
  while (scan < size_) {
    const unsigned char c = At(scan);
    if ((kClasses[c] & kDigit) != 0) {
      end = ++scan;
    } else if (c == '.') {
      ++scan;
    } else if (c == 'e' || c == 'E') {
      const size_t digit = Is(scan + 1, '+') || Is(scan + 1, '-') ? scan + 2 : scan + 1;
      if (digit >= size_ || (kClasses[At(digit)] & kDigit) == 0) {
        break;
      }
      end = scan = digit + 1;
    } else {
      break;
    }
  }
  Emit(kNumber, end);
}

void Lexer::FinishComment(size_t end) {
  if (keep_comments_) {
    Emit(kComment, end);
  } else if (text_[end - 1] == '\n') {
    Emit(kNewline, end);
  } else {
    at_ = end;
  }
}

void Lexer::LexLineComment() {
  const size_t newline = text_.find('\n', at_);
  FinishComment(newline == std::string_view::npos ? size_ : newline + 1);
}

bool Lexer::LexBlockComment() {
  if (at_ >= no_comment_end_from_) {
    return false;
  }
  const size_t close = text_.find("*/", at_ + 2);
  if (close == std::string_view::npos) {
    no_comment_end_from_ = at_;
    return false;
  }
  FinishComment(close + 2);
  return true;
}

bool Lexer::LexHeredocStart() {
  size_t name = at_ + 2;
  if (Is(name, '-')) {
    ++name;
  }
  const size_t start_length = IdentStartLength(name);
  if (start_length == 0) {
    return false;
  }
  const size_t name_end = IdentEnd(name + start_length);
  const size_t newline = Is(name_end, '\r') ? name_end + 1 : name_end;
  if (!Is(newline, '\n')) {
    return false;
  }
  Emit(kOpenHeredoc, newline + 1);
  heredocs_.push_back({text_.substr(name, name_end - name)});
  Push(State::kHeredoc);
  return true;
}

void Lexer::LexCloseBrace() {
  const bool ends_sequence = !return_braces_.empty() && return_braces_.back() == braces_;
  Emit(ends_sequence ? kTemplateEnd : kCloseBrace, at_ + 1);
  --braces_;
  if (ends_sequence) {
    return_braces_.pop_back();
    Pop();
  }
}

void Lexer::LexTildeBrace() {
  // Always ends a sequence, even if none is open; the parser reports that error.
  Emit(kTemplateEnd, at_ + 2);
  if (!return_braces_.empty() && return_braces_.back() == braces_) {
    return_braces_.pop_back();
    Pop();
  }
  --braces_;
}

void Lexer::LexOpenSequence() {
  const TokenKind kind = text_[at_] == '$' ? kTemplateInterpolation : kTemplateDirective;
  Emit(kind, Is(at_ + 2, '~') ? at_ + 3 : at_ + 2);
  return_braces_.push_back(++braces_);
  if (!heredocs_.empty()) {
    heredocs_.back().at_line_start = false;
  }
  Push(State::kMain);
}

void Lexer::LexMain() {
  const auto* const text = reinterpret_cast<const unsigned char*>(text_.data());
  const size_t size = size_;
  size_t at = at_;  // here, so that they stay in registers
  Token* next = next_;
  const auto emit = [&](TokenKind kind, size_t end) {
    *next++ = {kind, static_cast<uint32_t>(at), static_cast<uint32_t>(end)};
    at = end;
  };
  while (next < enough_) {
    while (at < size && (kClasses[text[at]] & kSpace) != 0) {
      ++at;
    }
    if (at >= size) {
      break;
    }
    const unsigned char c = text[at];
    const uint8_t char_class = kClasses[c];
    if ((char_class & kIdentStart) != 0) {
      const size_t end = at + 1 + NameLength(text_.substr(at + 1));
      emit(kIdent, end < size && text[end] >= 0x80 ? IdentEnd(end) : end);
    } else if (const TokenKind symbol = kSymbols[c]; symbol != kNone) {
      emit(symbol, at + 1);
    } else if (const TokenKind single = kOperators[c];
               single != kNone && at + 1 < size && kClasses[text[at + 1]] != kOther) {
      emit(single, at + 1);
    } else {
      at_ = at;
      next_ = next;
      if ((char_class & kDigit) != 0) {
        LexNumber();
      } else {
        LexSymbol(static_cast<char>(c));
      }
      at = at_;
      next = next_;
      if (state_ != State::kMain) {
        return;
      }
    }
  }
  at_ = at;
  next_ = next;
}

void Lexer::LexSymbol(char c) {
  const auto pick = [&](char second, TokenKind both, TokenKind single) {
    const bool is_both = Is(at_ + 1, second);
    Emit(is_both ? both : single, at_ + (is_both ? 2 : 1));
  };
  switch (c) {
    case '\r':
      pick('\n', kNewline, kInvalid);
      return;
    case '"':
      Emit(kOpenQuote, at_ + 1);
      Push(State::kQuoted);
      return;
    case '{':
      Emit(kOpenBrace, at_ + 1);
      ++braces_;
      return;
    case '}':
      LexCloseBrace();
      return;
    case '~':
      if (Is(at_ + 1, '}')) {
        LexTildeBrace();
      } else {
        Emit(kBitwiseNot, at_ + 1);
      }
      return;
    case '#':
      LexLineComment();
      return;
    case '/':
      if (Is(at_ + 1, '/')) {
        LexLineComment();
      } else if (!Is(at_ + 1, '*')) {
        Emit(kSlash, at_ + 1);
      } else if (LexBlockComment()) {
        return;
      } else if (open_text_ends_with_lines_) {
        LexLineComment();
      } else {
        Emit(kSlash, at_ + 1);
      }
      return;
    case '<':
      if (!Is(at_ + 1, '<') || !LexHeredocStart()) {
        pick('=', kLessEqual, kLess);
      }
      return;
    case '=':
      if (Is(at_ + 1, '>')) {
        Emit(kFatArrow, at_ + 2);
      } else {
        pick('=', kEqualOperator, kEqual);
      }
      return;
    case '>':
      pick('=', kGreaterEqual, kGreater);
      return;
    case '!':
      pick('=', kNotEqual, kBang);
      return;
    case '&':
      pick('&', kAnd, kBitwiseAnd);
      return;
    case '|':
      pick('|', kOr, kBitwiseOr);
      return;
    case ':':
      pick(':', kDoubleColon, kColon);
      return;
    case '.':
      if (Is(at_ + 1, '.') && Is(at_ + 2, '.')) {
        Emit(kEllipsis, at_ + 3);
      } else {
        Emit(kDot, at_ + 1);
      }
      return;
    default:
      break;
  }
  if (const size_t start_length = IdentStartLength(at_); start_length > 0) {
    Emit(kIdent, IdentEnd(at_ + start_length));
    return;
  }
  const size_t length = SequenceLength(at_);
  Emit(length == 0 ? kBadUtf8 : kInvalid, at_ + (length == 0 ? 1 : length));
}

/// At a "$" or "%" that opens no sequence: emits an escape ("$${") or the character.
void Lexer::LexEscapedSequence() {
  if (Is(at_ + 1, text_[at_]) && Is(at_ + 2, '{')) {
    Emit(kQuotedText, Is(at_ + 3, '~') ? at_ + 4 : at_ + 3);
  } else {
    Emit(kQuotedText, at_ + 1);
  }
}

/// The same in a heredoc or standalone template. Returns whether the scanner is then at the start
/// of a line. As in the reference's scanner, a single byte between the symbol and a newline joins
/// the token, and the newline that follows counts as read although it is not.
bool Lexer::LexEscapedSequenceInLine() {
  if (Is(at_ + 1, text_[at_]) && Is(at_ + 2, '{')) {
    const size_t end = Is(at_ + 3, '~') ? at_ + 4 : at_ + 3;
    const size_t line_end = Is(end, '\r') ? end + 1 : end;
    const bool ends_line = Is(line_end, '\n');
    Emit(kPlainText, ends_line ? line_end + 1 : end);
    return ends_line;
  }
  const bool carriage_return = Is(at_ + 2, '\r');
  const bool ends_line = Is(carriage_return ? at_ + 3 : at_ + 2, '\n');
  Emit(kPlainText, ends_line || carriage_return ? at_ + 2 : at_ + 1);
  return ends_line;
}

void Lexer::LexQuoted() {
  const char c = text_[at_];
  switch (c) {
    case '"':
      Emit(kCloseQuote, at_ + 1);
      Pop();
      return;
    case '$':
    case '%':
      if (Is(at_ + 1, '{')) {
        LexOpenSequence();
      } else if (at_ + 1 >= size_) {
        Emit(kInvalid, at_ + 1);
      } else {
        LexEscapedSequence();
      }
      return;
    case '\r':
    case '\n': {
      if (open_text_ends_with_lines_) {
        Emit(kCloseQuote, at_);
        Pop();
        return;
      }
      size_t end = at_ + 1;
      while (Is(end, '\r') || Is(end, '\n')) {
        ++end;
      }
      Emit(kQuotedNewline, end);
      return;
    }
    default:
      break;
  }
  const auto* const text = reinterpret_cast<const unsigned char*>(text_.data());
  size_t end = at_;
  while (true) {
    while (end < size_ && !kQuotedStops[text[end]]) {
      ++end;
    }
    if (end >= size_) {
      break;
    }
    const unsigned char byte = text[end];
    if (byte == '\\') {
      const size_t length = SequenceLength(end + 1);
      if (length == 0 || Is(end + 1, '\r') || Is(end + 1, '\n')) {
        break;
      }
      end += 1 + length;
    } else if (byte >= 0x80) {
      const size_t length = SequenceLength(end);
      if (length == 0) {
        break;
      }
      end += length;
    } else {
      break;
    }
  }
  if (end > at_) {
    Emit(kQuotedText, end);
  } else {
    Emit(c == '\\' ? kInvalid : kBadUtf8, at_ + 1);
  }
}

size_t Lexer::PlainTextEnd() const {
  size_t end = at_;
  while (end < size_) {
    const unsigned char byte = At(end);
    if (!kPlainStops[byte]) {
      ++end;
      continue;
    }
    const size_t length = byte >= 0x80 ? SequenceLength(end) : 0;
    if (length == 0) {
      break;
    }
    end += length;
  }
  return end;
}

void Lexer::LexHeredocText() {
  Heredoc& heredoc = heredocs_.back();
  const unsigned char first = At(at_);
  if (first == '$' || first == '%') {
    if (Is(at_ + 1, '{')) {
      LexOpenSequence();
      return;
    }
    if (at_ + 1 >= size_) {
      Emit(kInvalid, size_);
      return;
    }
    heredoc.at_line_start = LexEscapedSequenceInLine();
    return;
  }
  const size_t end = PlainTextEnd();
  const size_t newline = Is(end, '\r') && Is(end + 1, '\n') ? end + 1 : end;
  if (Is(newline, '\n')) {
    if (heredoc.at_line_start && text::TrimSpace(text_.substr(at_, end - at_)) == heredoc.marker) {
      Emit(kCloseHeredoc, end);
      Emit(kNewline, newline + 1);
      heredocs_.pop_back();
      Pop();
      return;
    }
    heredoc.at_line_start = true;
    Emit(kPlainText, newline + 1);
    return;
  }
  if (end > at_) {
    heredoc.at_line_start = false;
    Emit(kPlainText, end);
  } else if (first == '\r') {
    // A heredoc cannot contain a lone carriage return; the reference makes the rest invalid.
    Emit(kInvalid, size_);
  } else {
    Emit(kBadUtf8, at_ + 1);
  }
}

void Lexer::LexBareText() {
  const unsigned char first = At(at_);
  if (first == '$' || first == '%') {
    if (Is(at_ + 1, '{')) {
      LexOpenSequence();
    } else {
      LexEscapedSequenceInLine();
    }
    return;
  }
  const size_t end = PlainTextEnd();
  const size_t newline = Is(end, '\r') && Is(end + 1, '\n') ? end + 1 : end;
  if (Is(newline, '\n')) {
    Emit(kPlainText, newline + 1);
  } else if (end > at_) {
    Emit(kPlainText, end);
  } else if (first == '\r') {
    Emit(kPlainText, size_);
  } else {
    Emit(kBadUtf8, at_ + 1);
  }
}

Lexer::Lexer(std::string_view text, LexMode mode, Comments comments, size_t begin)
    : text_(text),
      size_(text.size()),
      keep_comments_(comments == Comments::kKeep),
      at_(begin == 0 && text.starts_with("\xEF\xBB\xBF") ? 3 : begin),
      state_(mode == LexMode::kTemplate ? State::kBare : State::kMain) {
  KINU_INVARIANT(text.size() < UINT32_MAX, "sources are limited to 4 GiB");
}

void Lexer::RestartAt(size_t offset) {
  at_ = offset;
  state_ = State::kMain;
  stack_.clear();
  heredocs_.clear();
  braces_ = 0;
  return_braces_.clear();
}

void Lexer::Step() {
  switch (state_) {
    case State::kMain:
      LexMain();
      break;
    case State::kQuoted:
      LexQuoted();
      break;
    case State::kHeredoc:
      LexHeredocText();
      break;
    case State::kBare:
      LexBareText();
      break;
  }
}

void Lexer::Append(size_t count, std::vector<Token>& out) {
  constexpr size_t kAtOnce = 512;
  constexpr size_t kMore = 2;  // a last step may emit two tokens, and kEof follows
  std::array<Token, kAtOnce + kMore> tokens;
  for (size_t left = count;;) {
    next_ = tokens.data();
    enough_ = tokens.data() + std::min(left, kAtOnce);
    while (at_ < size_ && next_ < enough_) {
      Step();
    }
    const bool ends = at_ >= size_;
    if (ends) {
      Emit(kEof, size_);
    }
    const auto made = static_cast<size_t>(next_ - tokens.data());
    out.insert(out.end(), tokens.data(), next_);
    if (ends || made >= left) {
      return;
    }
    left -= made;
  }
}

std::vector<Token> Lex(std::string_view text, LexMode mode, Comments comments) {
  std::vector<Token> tokens;
  tokens.reserve(text.size() / 5 + 16);
  Lexer(text, mode, comments).Append(SIZE_MAX, tokens);
  return tokens;
}

void AppendClusterBreaks(std::string_view text, std::span<const Token> tokens,
                         std::vector<uint32_t>& breaks) {
  for (const Token& token : tokens) {
    if (token.begin < text.size() && static_cast<unsigned char>(text[token.begin]) >= 0x80) {
      breaks.push_back(token.begin);
    }
  }
}

}  // namespace kinu::hcl
