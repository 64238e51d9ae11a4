// JSON as text: a validating cursor over a whole document and laying a value out again, both
// without making values. This is what lets a state of 100 MB be read and written in a fraction of a
// second: attributes stay the bytes they are.
//
// The byte after the text must be readable and must not continue a JSON value (a std::string's
// terminating NUL, or what follows a complete value inside a larger document).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace kinu::state {

/// Walks through a document and validates what it passes. After the first syntax error every
/// question answers as at the end of the text.
class JsonCursor {
 public:
  /// A byte of any kind must be readable behind `text` (as in every string).
  explicit JsonCursor(std::string_view text)
      : begin_(text.empty() ? "" : text.data()), at_(begin_), end_(begin_ + text.size()) {}

  /// The next character that is not white space; NUL at the end or after an error.
  char Peek() { return at_ < end_ && static_cast<uint8_t>(*at_) > ' ' ? *at_ : PeekBehindSpace(); }
  /// Passes the next character when it is `c`.
  bool Take(char c) {
    if (Peek() != c) {
      return false;
    }
    ++at_;
    return true;
  }
  /// Passes one whole value of any kind; its text without surrounding space. Empty after an error.
  std::string_view Value();
  /// Passes a string; what stands between the quotes, escapes as they are.
  std::string_view StringBody();

  /// Iterates over an object: `{` taken first, then true per member with the key's body, until the
  /// closing brace has been passed. `first` starts true.
  bool NextMember(bool* first, std::string_view* key_body);
  /// The same for an array.
  bool NextElement(bool* first);

  /// Bytes in front of the cursor.
  size_t position() const { return static_cast<size_t>(at_ - begin_); }
  /// Goes on behind a value that somebody else has passed.
  void GoTo(size_t position) { at_ = begin_ + position; }

  bool failed() const { return failed_; }
  /// Number of bytes up to and including the offending one. Ref: encoding/json SyntaxError.Offset.
  size_t error_offset() const { return error_offset_; }
  /// Records a syntax error at the current place.
  void Fail();
  bool AtEnd() { return Peek() == 0 && at_ == end_; }

 private:
  char PeekBehindSpace();
  void SkipSpace();
  bool SkipString();
  bool SkipNumber();
  bool SkipLiteral(std::string_view word);
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
/// `depth` is the nesting at which it stands for two-space indentation; negative: compact.
void AppendJson(std::string& out, std::string_view json, int depth);

/// A state as written in one line, with another lineage and serial in its header: how it begins,
/// and the rest, which is a part of `text`.
std::pair<std::string, std::string_view> Relabel(std::string_view text, std::string_view lineage,
                                                 uint64_t serial);

}  // namespace kinu::state
