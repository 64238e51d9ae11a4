// Two sources that JSON values are read from: a text, and a tree of it. A reader asks for the kind
// of the next value and reads it, or opens it and iterates over what is inside.
//
// The text is read once, from its start to its end, without a tree. JsonTextSource reports only
// that something is wrong: the reader then parses the text into a tree to learn what. Private to
// cty.
#pragma once

#include <string_view>
#include <utility>

#include "base/arena.h"
#include "cty/json.h"
#include "json/lex.h"
#include "json/reader.h"
#include "text/unicode.h"

namespace kinu {

class JsonTextSource {
 public:
  using Kind = JsonNode::Kind;
  /// An array or object that is open.
  struct Frame {
    bool first = true;
  };

  /// How many times Pass() may pass one place, since each takes time.
  static constexpr int kMostPasses = 4;

  explicit JsonTextSource(std::string_view text)
      : at_(text.data()), end_(text.data() + text.size()) {}

  /// Whether all that is passed was checked before.
  static constexpr bool is_tree() { return false; }
  /// Whether the text is malformed; then there are no more values.
  bool failed() const { return failed_; }
  /// Whether the text ends here, but for space.
  bool AtEnd() { return Peek() == '\0' && at_ == end_ && !failed_; }

  /// The kind of the next value; kInvalid when there is none.
  Kind kind() {
    switch (Peek()) {
      case '"':
        return Kind::kString;
      case '{':
        return Kind::kObject;
      case '[':
        return Kind::kArray;
      case 't':
      case 'f':
        return json::PassNumberOrWord(at_, end_).ok ? Kind::kBool : Kind::kInvalid;
      case 'n':
        return json::PassNumberOrWord(at_, end_).ok ? Kind::kNull : Kind::kInvalid;
      case '-':
        return Kind::kNumber;
      default:
        return at_ != end_ && json::IsDigit(*at_) ? Kind::kNumber : Kind::kInvalid;
    }
  }

  // Each reads the next value, which must be of the kind, and moves behind it.
  void SkipNull() { at_ += 4; }
  bool ReadBool() {
    const bool value = *at_ == 't';
    at_ += value ? 4 : 5;
    return value;
  }
  /// As it is written; empty after a failure.
  std::string_view ReadNumber() {
    const json::Passed number = json::PassNumber(at_, end_);
    if (!number.ok) {
      return Fail();
    }
    const char* const begin = std::exchange(at_, number.at);
    return {begin, static_cast<size_t>(at_ - begin)};
  }
  /// Decoded; lives as long as the text and the source. Empty after a failure, too. `ascii`, when
  /// given, is set for a text that is ASCII.
  std::string_view ReadString(bool* ascii = nullptr) {
    const char* const begin = ++at_;
    at_ = json::FindByte < json::kStringStops | json::kNonAscii > (begin, end_);
    if (at_ == end_ || *at_ != '"') {
      return ReadEncoded(begin);
    }
    if (ascii != nullptr) {
      *ascii = true;
    }
    ++at_;
    return {begin, static_cast<size_t>(at_ - begin) - 1};
  }

  /// A place in front of a value or behind one.
  using Place = const char*;
  /// Moves to a place; returns the one that was left.
  Place GoTo(Place place) { return std::exchange(at_, place); }
  /// Moves behind the next value, whatever it is; returns where it begins. The value is not
  /// checked: who reads it later asks IsAt() whether it ended where it seemed to.
  Place Pass() {
    Peek();
    const Place begin = at_;
    at_ = json::EndOfValue(at_, end_);
    if (at_ == begin) {
      Fail();
    }
    return begin;
  }
  Place place() const { return at_; }
  bool IsAt(Place place) const { return at_ == place; }
  /// Reads the next value as the notation of a type.
  ValueResult<Type> ReadType() {
    const Place begin = Pass();
    return failed_ ? ValueFail("the text is malformed")
                   : TypeFromJson(std::string_view(begin, static_cast<size_t>(at_ - begin)));
  }

  Frame Open() {
    ++at_;
    return {};
  }
  /// Moves to the next element. False behind the last one, when the cursor is behind the array, and
  /// after a failure.
  bool NextElement(Frame& frame) { return Next(frame, ']'); }
  /// As NextElement, for an object; reads the next member's name.
  bool NextMember(Frame& frame, std::string_view* name) {
    if (!Next(frame, '}')) {
      return false;
    }
    if (Peek() != '"') {
      Fail();
      return false;
    }
    *name = ReadString();
    if (Peek() != ':') {
      Fail();
      return false;
    }
    ++at_;
    return true;
  }

 private:
  // The next character that is not white space; NUL at the end.
  char Peek() {
    at_ = json::SkipSpace(at_, end_);
    return at_ != end_ ? *at_ : '\0';
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

  // A string with escapes or characters beyond ASCII; `begin` is behind its opening quote.
  std::string_view ReadEncoded(const char* begin) {
    const json::Passed string = json::PassString(at_, end_);
    if (!string.ok) {
      return Fail();
    }
    at_ = string.at;
    const std::string_view content(begin, static_cast<size_t>(at_ - begin) - 1);
    if (content.find('\\') == std::string_view::npos && text::IsUtf8(content)) {
      return content;
    }
    return arena_.CopyString(json::DecodeString<json::Encoding::kUnchecked>(content));
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

  static constexpr int kMostPasses = kMaxValueDepth + 1;

  explicit JsonNodeSource(const JsonNode& root) : node_(&root) {}

  static constexpr bool is_tree() { return true; }
  bool failed() const { return false; }
  /// A value.
  using Place = const JsonNode*;
  Place GoTo(Place place) { return std::exchange(node_, place); }
  Place Pass() { return node_; }
  Place place() const { return node_; }
  bool IsAt(Place /*place*/) const { return true; }
  ValueResult<Type> ReadType() { return TypeFromJson(*node_); }

  Kind kind() const { return node_->kind(); }
  void SkipNull() {}
  bool ReadBool() { return node_->boolean(); }
  std::string_view ReadNumber() { return node_->text(); }
  std::string_view ReadString(bool* /*ascii*/ = nullptr) { return node_->text(); }

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
