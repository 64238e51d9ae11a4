// JSON as text: a cursor that walks through a document and validates it, and the layout of JSON
// text. Both work without values, so that a state of 100 MB is read and written in a fraction of a
// second: attributes stay the bytes that they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "json/lex.h"

namespace kinu::state {

/// Walks through a document and validates what it passes. After the first syntax error every
/// function behaves as at the end of the text.
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text)
      : begin_(text.empty() ? "" : text.data()), at_(begin_), end_(begin_ + text.size()) {}

  /// The next character that is not white space; NUL at the end or after an error.
  char Peek() { return at_ < end_ && static_cast<uint8_t>(*at_) > ' ' ? *at_ : PeekBehindSpace(); }
  /// Moves behind the next character if it is `c`.
  bool Take(char c) {
    if (Peek() != c) {
      return false;
    }
    ++at_;
    return true;
  }
  /// Passes one whole value of any kind. Returns its text without surrounding white space; empty
  /// after an error.
  std::string_view Value();
  /// Passes one whole value of a text that is known to be well formed.
  void Skip() {
    (void)Peek();
    at_ = json::EndOfValue(at_, end_);
  }
  /// Passes a string. Returns the bytes between the quotes, escapes as they are.
  std::string_view StringBody();

  /// Iterates over an object. The caller moves behind `{` first; then this returns true per member
  /// with the body of its key, and false behind the closing brace. `first` starts true.
  bool NextMember(bool* first, std::string_view* key_body);
  /// Iterates over an array, as NextMember() does over an object.
  bool NextElement(bool* first);

  /// Number of bytes before the cursor.
  size_t position() const { return static_cast<size_t>(at_ - begin_); }
  /// Moves to a place, for example behind a value that was read in another way.
  void GoTo(size_t position) { at_ = begin_ + position; }

  bool failed() const { return failed_; }
  /// Number of bytes up to and including the offending one. Ref: encoding/json SyntaxError.Offset.
  size_t error_offset() const { return error_offset_; }
  /// Records a syntax error at the current place.
  void Fail();
  bool AtEnd() { return Peek() == 0 && at_ == end_; }

 private:
  char PeekBehindSpace();
  /// Moves behind a token, or fails where it is wrong.
  bool MoveBehind(const json::Passed& token);
  bool SkipKey();

  const char* begin_;
  const char* at_;
  const char* end_;
  bool failed_ = false;
  size_t error_offset_ = 0;
};

/// The text of a string whose body (between the quotes) was accepted by a cursor: escapes resolved,
/// bytes that are not UTF-8 and lone surrogates replaced by U+FFFD. Ref: encoding/json unquote.
std::string DecodeStringBody(std::string_view body);

/// Appends a valid JSON text laid out again with Go's escaping of `<`, `>`, `&`, U+2028 and U+2029.
/// `depth` is its nesting, for indentation by two spaces; negative: compact.
void AppendJson(std::string& out, std::string_view json, int depth);

/// A state as written in one line, with another lineage and serial in its header. Returns the new
/// beginning, and the rest, which is a part of `text`.
std::pair<std::string, std::string_view> Relabel(std::string_view text, std::string_view lineage,
                                                 uint64_t serial);

}  // namespace kinu::state
