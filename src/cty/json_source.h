// Two sources that JSON values are read from: a text, and a tree of it. A reader asks for the kind
// of the value that comes next and takes it, or opens it and goes through what is inside.
//
// The text is read once, from its start to its end, without a tree. It has no words for what is
// wrong: who finds that it failed parses the text to learn why. Private to cty.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/arena.h"
#include "codec/json_reader.h"
#include "codec/json_string.h"
#include "text/unicode.h"

namespace kinu {

class JsonTextSource {
 public:
  using Kind = JsonNode::Kind;
  /// An array or object that is open.
  struct Frame {
    bool first = true;
  };

  explicit JsonTextSource(std::string_view text)
      : at_(text.data()), end_(text.data() + text.size()) {}

  /// Whether something was wrong; then nothing more comes.
  bool failed() const { return failed_; }
  /// Whether the text ends here, but for space.
  bool AtEnd() { return Peek() == '\0' && at_ == end_ && !failed_; }

  /// The kind of the value that comes next; kInvalid when there is none.
  Kind kind() {
    switch (Peek()) {
      case '"':
        return Kind::kString;
      case '{':
        return Kind::kObject;
      case '[':
        return Kind::kArray;
      case 't':
        return Has("true") ? Kind::kBool : Kind::kInvalid;
      case 'f':
        return Has("false") ? Kind::kBool : Kind::kInvalid;
      case 'n':
        return Has("null") ? Kind::kNull : Kind::kInvalid;
      case '-':
        return Kind::kNumber;
      default:
        return at_ != end_ && IsDigit(*at_) ? Kind::kNumber : Kind::kInvalid;
    }
  }

  // Each takes the value that comes next, which must be of the kind.
  void TakeNull() { at_ += 4; }
  bool TakeBool() {
    const bool value = *at_ == 't';
    at_ += value ? 4 : 5;
    return value;
  }
  /// As it is written; empty after a failure.
  std::string_view TakeNumber() {
    const char* const begin = at_;
    at_ += *at_ == '-' ? 1 : 0;
    if (at_ != end_ && *at_ == '0') {
      ++at_;
    } else if (!SkipDigits()) {
      return Fail();
    }
    if (at_ != end_ && *at_ == '.') {
      ++at_;
      if (!SkipDigits()) {
        return Fail();
      }
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      ++at_;
      at_ += at_ != end_ && (*at_ == '+' || *at_ == '-') ? 1 : 0;
      if (!SkipDigits()) {
        return Fail();
      }
    }
    return {begin, static_cast<size_t>(at_ - begin)};
  }
  /// Decoded; lives as long as the text and the source. Empty after a failure, too. `ascii`, when
  /// given, is set for a text that is ASCII.
  std::string_view TakeString(bool* ascii = nullptr) {
    const char* const begin = ++at_;
    for (uint64_t word = 0; static_cast<size_t>(end_ - at_) >= sizeof(word); at_ += sizeof(word)) {
      std::memcpy(&word, at_, sizeof(word));
      if ((JsonPlainEnds(word) | (word & kHighs)) != 0) {
        break;
      }
    }
    for (; at_ != end_; ++at_) {
      const auto c = static_cast<unsigned char>(*at_);
      if (c == '"') {
        if (ascii != nullptr) {
          *ascii = true;
        }
        ++at_;
        return {begin, static_cast<size_t>(at_ - begin) - 1};
      }
      if (c == '\\' || c < 0x20 || c >= 0x80) {
        break;
      }
    }
    return TakeLongWay(begin);
  }

  Frame Open() {
    ++at_;
    return {};
  }
  /// Goes to the next element. False behind the last one, when the array has been passed, and after
  /// a failure.
  bool NextElement(Frame& frame) { return Next(frame, ']'); }
  /// The same of an object: takes the next member's name.
  bool NextMember(Frame& frame, std::string_view* name) {
    if (!Next(frame, '}')) {
      return false;
    }
    if (Peek() != '"') {
      Fail();
      return false;
    }
    *name = TakeString();
    if (Peek() != ':') {
      Fail();
      return false;
    }
    ++at_;
    return true;
  }

 private:
  static constexpr uint64_t kHighs = 0x8080808080808080;

  static bool IsDigit(char c) { return c >= '0' && c <= '9'; }
  // The next character that is not white space; NUL at the end.
  char Peek() {
    while (at_ != end_) {
      const char c = *at_;
      if (static_cast<unsigned char>(c) > ' ' ||
          (c != ' ' && c != '\n' && c != '\r' && c != '\t')) {
        return c;
      }
      ++at_;
    }
    return '\0';
  }
  bool Has(std::string_view word) const {
    return static_cast<size_t>(end_ - at_) >= word.size() &&
           std::memcmp(at_, word.data(), word.size()) == 0;
  }
  bool SkipDigits() {
    const char* const begin = at_;
    while (at_ != end_ && IsDigit(*at_)) {
      ++at_;
    }
    return at_ != begin;
  }
  bool Next(Frame& frame, char close) {
    char c = Peek();
    if (!frame.first && c == ',') {
      ++at_;
      c = Peek();
      if (c == close) {
        Fail();
      }
      return c != close;
    }
    if (c == close) {
      ++at_;
      return false;
    }
    if (!frame.first) {
      Fail();
    }
    return std::exchange(frame.first, false);
  }
  std::string_view Fail() {
    failed_ = true;
    at_ = end_;
    return {};
  }

  // A string with escapes or characters beyond ASCII.
  std::string_view TakeLongWay(const char* begin) {
    bool escapes = false;
    for (; at_ != end_ && *at_ != '"'; ++at_) {
      if (static_cast<unsigned char>(*at_) < 0x20) {
        return Fail();
      }
      if (*at_ == '\\') {
        escapes = true;
        if (++at_ == end_) {
          return Fail();
        }
      }
    }
    if (at_ == end_) {
      return Fail();
    }
    ++at_;
    const std::string_view token(begin - 1, static_cast<size_t>(at_ - begin) + 1);
    const std::string_view content = token.substr(1, token.size() - 2);
    if (escapes && FindJsonStringError(token) != std::string_view::npos) {
      return Fail();
    }
    if (!escapes && text::IsUtf8(content)) {
      return content;
    }
    return arena_.CopyString(DecodeJsonString(content));
  }

  const char* at_;
  const char* end_;
  bool failed_ = false;
  Arena arena_;  // of decoded strings
};

class JsonNodeSource {
 public:
  using Kind = JsonNode::Kind;
  struct Frame {
    const JsonNode* container;
    size_t next = 0;
  };

  explicit JsonNodeSource(const JsonNode& root) : node_(&root) {}

  bool failed() const { return false; }
  /// The value that comes next.
  const JsonNode& node() const { return *node_; }
  void GoTo(const JsonNode& node) { node_ = &node; }

  Kind kind() const { return node_->kind(); }
  void TakeNull() {}
  bool TakeBool() { return node_->boolean(); }
  std::string_view TakeNumber() { return node_->text(); }
  std::string_view TakeString(bool* /*ascii*/ = nullptr) { return node_->text(); }

  Frame Open() { return {node_}; }
  bool NextElement(Frame& frame) {
    const std::span<const JsonNode> elements = frame.container->elements();
    if (frame.next == elements.size()) {
      return false;
    }
    node_ = &elements[frame.next++];
    return true;
  }
  bool NextMember(Frame& frame, std::string_view* name) {
    const std::span<const JsonMember> members = frame.container->members();
    if (frame.next == members.size()) {
      return false;
    }
    const JsonMember& member = members[frame.next++];
    *name = member.name;
    node_ = &member.value;
    return true;
  }

 private:
  const JsonNode* node_;
};

}  // namespace kinu
