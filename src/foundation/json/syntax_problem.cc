#include "json/syntax_problem.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "json/lex.h"
#include "json/token_stream.h"
#include "text/hex.h"
#include "text/quote.h"

namespace kinu::json {
namespace {

/// Reads a text from its start to what is wrong with it.
class SyntaxCheck {
 public:
  explicit SyntaxCheck(std::string_view text) : text_(text) {}

  std::string Run() {
    while (problem_.empty()) {
      SkipSpace();
      if (AtEnd()) {
        return expected_ == Expected::kEnd ? std::string() : kEndOfText;
      }
      TakeNext();
    }
    return std::move(problem_);
  }

 private:
  enum class Expected : uint8_t { kValue, kFirstElement, kKey, kFirstKey, kColon, kNext, kEnd };
  static constexpr const char* kEndOfText = "unexpected end of JSON input";

  bool AtEnd() const { return at_ == text_.size(); }
  void SkipSpace() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  /// Reports the next character. The end of the text is a space, as to the reference.
  void Refuse(std::string_view where) {
    const unsigned char shown = AtEnd() ? ' ' : static_cast<unsigned char>(text_[at_]);
    problem_ = "invalid character " + text::GoQuoteRune(shown) + " " + std::string(where);
  }

  /// Takes one character of a set, or reports the next one.
  bool Take(bool fits, std::string_view where) {
    if (AtEnd() || !fits) {
      Refuse(where);
      return false;
    }
    ++at_;
    return true;
  }

  /// The character at the place, or a zero byte at the end.
  char Next() const { return AtEnd() ? '\0' : text_[at_]; }

  void TakeNext() {
    switch (expected_) {
      case Expected::kFirstElement:
        if (Next() == ']') {
          return Close();
        }
        return TakeValue();
      case Expected::kValue:
        return TakeValue();
      case Expected::kFirstKey:
        if (Next() == '}') {
          return Close();
        }
        return TakeKey();
      case Expected::kKey:
        return TakeKey();
      case Expected::kColon:
        if (Take(Next() == ':', "after object key")) {
          expected_ = Expected::kValue;
        }
        return;
      case Expected::kNext:
        return TakeSeparator();
      case Expected::kEnd:
        return Refuse("after top-level value");
    }
  }

  void TakeKey() {
    if (Next() != '"') {
      return Refuse("looking for beginning of object key string");
    }
    TakeString();
    expected_ = Expected::kColon;
  }

  void TakeSeparator() {
    const bool in_object = in_objects_.back();
    if (Next() == (in_object ? '}' : ']')) {
      return Close();
    }
    if (Take(Next() == ',', in_object ? "after object key:value pair" : "after array element")) {
      expected_ = in_object ? Expected::kKey : Expected::kValue;
    }
  }

  void TakeValue() {
    switch (Next()) {
      case '{':
        return Open(true);
      case '[':
        return Open(false);
      case '"':
        TakeString();
        break;
      case 't':
        TakeLiteral("true");
        break;
      case 'f':
        TakeLiteral("false");
        break;
      case 'n':
        TakeLiteral("null");
        break;
      default:
        if (Next() != '-' && !IsDigit(Next())) {
          return Refuse("looking for beginning of value");
        }
        TakeNumber();
    }
    EndValue();
  }

  void Open(bool object) {
    if (in_objects_.size() == kMaxDepth) {
      return Refuse("exceeded max depth");
    }
    ++at_;
    in_objects_.push_back(object);
    expected_ = object ? Expected::kFirstKey : Expected::kFirstElement;
  }

  void Close() {
    ++at_;
    in_objects_.pop_back();
    EndValue();
  }

  void EndValue() { expected_ = in_objects_.empty() ? Expected::kEnd : Expected::kNext; }

  void TakeLiteral(std::string_view word) {
    for (size_t i = 0; i < word.size(); ++i) {
      const bool fits = Next() == word[i];
      if (!Take(fits, "in literal " + std::string(word) + " (expecting '" + word[i] + "')")) {
        return;
      }
    }
  }

  void TakeDigits() {
    while (IsDigit(Next())) {
      ++at_;
    }
  }

  void TakeNumber() {
    if (Next() == '-') {
      ++at_;
    }
    if (Next() == '0') {
      ++at_;
    } else if (Take(IsDigit(Next()), "in numeric literal")) {
      TakeDigits();
    } else {
      return;
    }
    if (Next() == '.') {
      ++at_;
      if (!Take(IsDigit(Next()), "after decimal point in numeric literal")) {
        return;
      }
      TakeDigits();
    }
    if (Next() == 'e' || Next() == 'E') {
      ++at_;
      if (Next() == '+' || Next() == '-') {
        ++at_;
      }
      if (Take(IsDigit(Next()), "in exponent of numeric literal")) {
        TakeDigits();
      }
    }
  }

  void TakeString() {
    ++at_;
    while (!AtEnd() && Next() != '"') {
      if (Next() == '\\') {
        TakeEscape();
      } else {
        Take(static_cast<unsigned char>(Next()) >= ' ', "in string literal");
      }
      if (!problem_.empty()) {
        return;
      }
    }
    if (AtEnd()) {
      problem_ = kEndOfText;
    } else {
      ++at_;
    }
  }

  void TakeEscape() {
    constexpr std::string_view kEscapes = "bfnrt\\/\"u";
    ++at_;
    const bool hex = Next() == 'u';
    if (!Take(kEscapes.contains(Next()), "in string escape code") || !hex) {
      return;
    }
    for (int i = 0; i < 4 && problem_.empty(); ++i) {
      Take(text::HexDigit(Next()) >= 0, "in \\u hexadecimal character escape");
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  Expected expected_ = Expected::kValue;
  std::vector<bool> in_objects_;  ///< of each open object and array: whether it is an object
  std::string problem_;
};

}  // namespace

std::string SyntaxProblem(std::string_view text) {
  return SyntaxCheck(text).Run();
}

}  // namespace kinu::json
