// ValueWalk: steps over a value in a TokenStream, checks its grammar and shows its tokens to a
// visitor:
//
//   void Prepare(size_t tokens, uint32_t held)         at most `tokens` follow until the next call
//   void Scalar(const char* text, const uint32_t* at)  a string, number or word
//   void Name(const char* text, const uint32_t* at)    the name of a member
//   void Open(const char* text, const uint32_t* at)    '{' or '['
//   bool Close(const uint32_t* at)                     its end; false refuses the container
//
// A token begins at `text + at[0]`, the next one at `text + at[1]`. The held text begins at
// `text + held`.
#pragma once

#include <cstdint>
#include <vector>

#include "json/lex.h"
#include "json/token_stream.h"

namespace kinu::json {

/// One walk over one value.
template <typename Visitor>
class ValueWalk {
 public:
  /// Containers are refused that are nested deeper than `most_depth`.
  ValueWalk(TokenStream& stream, Visitor& visitor, size_t most_depth)
      : stream_(stream), visitor_(visitor), most_depth_(most_depth) {}

  /// Steps over the value at the current token. False when it is malformed or refused, and the
  /// stream has the problem.
  bool Run() {
    do {
      // Quickly() begins where a value begins.
      if (!after_value_) {
        const Result result = Quickly();
        if (result != Result::kUnsure) {
          return result == Result::kDone;
        }
      }
      if (!Carefully()) {
        return false;
      }
    } while (!after_value_ || depth_ > 0);
    return true;
  }

 private:
  enum class Result : uint8_t { kDone, kUnsure, kFailed };

  bool in_object() const { return (kinds_ & 1) != 0; }
  void Push(bool object);
  void Pop();
  Result Quickly();
  bool Carefully();
  bool TakeName();
  bool Begin();
  void Prepare() {
    visitor_.Prepare(static_cast<size_t>(stream_.end_ - stream_.next_),
                     static_cast<uint32_t>(stream_.held_));
  }
  bool Refuse() { return stream_.FailHere("a value has too many elements to be held in memory"); }

  TokenStream& stream_;
  Visitor& visitor_;
  const size_t most_depth_;
  size_t depth_ = 0;
  uint64_t kinds_ = 0;             // a bit per container, set for objects, the innermost lowest
  std::vector<uint64_t> further_;  // the same of containers further out
  bool after_value_ = false;       // a value has ended; else one begins
};

template <typename Visitor>
void ValueWalk<Visitor>::Push(bool object) {
  constexpr size_t kBits = 64;
  if (depth_ > 0 && depth_ % kBits == 0) {
    further_.push_back(kinds_);
  }
  kinds_ = kinds_ << 1 | (object ? 1 : 0);
  ++depth_;
}

template <typename Visitor>
void ValueWalk<Visitor>::Pop() {
  constexpr size_t kBits = 64;
  --depth_;
  kinds_ >>= 1;
  if (depth_ > 0 && depth_ % kBits == 0) {
    kinds_ = further_.back();
    further_.pop_back();
  }
}

/// Steps over tokens as long as they are as expected. Stops before any other, for Carefully().
template <typename Visitor>
typename ValueWalk<Visitor>::Result ValueWalk<Visitor>::Quickly() {
  const uint32_t* at = stream_.next_;
  const char* text = stream_.text_;
  const auto stop = [&](Result how, bool after_value) {
    stream_.next_ = at;
    after_value_ = after_value;
    return how;
  };
  // Tokens up to TokenStream::kLookAhead are in the index.
  const auto ready = [&] {
    while (stream_.end_ - at <= TokenStream::kLookAhead) {
      if (stream_.problem_ || stream_.ended_) {
        return false;
      }
      stream_.next_ = at;
      stream_.ScanMore();
      at = stream_.next_;
      text = stream_.text_;
      Prepare();
    }
    return true;
  };
  Prepare();
  for (;;) {
    // Here a value begins.
    if (!ready()) [[unlikely]] {
      return stop(Result::kUnsure, false);
    }
    const char first = text[*at];
    if (first == '"') {
      visitor_.Scalar(text, at++);
    } else if (first == '{' || first == '[') {
      if (depth_ >= most_depth_) [[unlikely]] {
        return stop(Result::kUnsure, false);
      }
      const char second = text[at[1]];
      if (second == (first == '{' ? '}' : ']')) {
        visitor_.Open(text, at);
        visitor_.Close(at + 1);
        at += 2;
      } else if (first == '[') {
        Push(false);
        visitor_.Open(text, at++);
        continue;
      } else if (second == '"' && text[at[2]] == ':') {
        Push(true);
        visitor_.Open(text, at);
        visitor_.Name(text, at + 1);
        at += 3;
        continue;
      } else {
        return stop(Result::kUnsure, false);
      }
    } else {
      if (!TokenStream::IsPlainScalar(text + *at)) [[unlikely]] {
        return stop(Result::kUnsure, false);
      }
      visitor_.Scalar(text, at++);
    }
    // Here a value has ended.
    for (;;) {
      if (depth_ == 0) {
        return stop(Result::kDone, true);
      }
      if (!ready()) [[unlikely]] {
        return stop(Result::kUnsure, true);
      }
      const char separator = text[*at];
      if (separator == ',') {
        if (!in_object()) {
          ++at;
        } else {
          if (text[at[1]] != '"' || text[at[2]] != ':') [[unlikely]] {
            return stop(Result::kUnsure, true);
          }
          visitor_.Name(text, at + 1);
          at += 3;
        }
        break;
      }
      if (separator != (in_object() ? '}' : ']')) [[unlikely]] {
        return stop(Result::kUnsure, true);
      }
      if (!visitor_.Close(at)) [[unlikely]] {
        stop(Result::kFailed, true);
        Refuse();
        return Result::kFailed;
      }
      Pop();
      ++at;
    }
  }
}

/// Steps over one or two tokens and reports the error in them, if any.
template <typename Visitor>
bool ValueWalk<Visitor>::Carefully() {
  if (!after_value_) {
    return Begin();
  }
  const char separator = stream_.Peek();
  const char closer = in_object() ? '}' : ']';
  if (separator == closer) {
    if (!visitor_.Close(stream_.next_)) {
      return Refuse();
    }
    stream_.Advance();
    Pop();
    return true;
  }
  if (separator != ',') {
    return stream_.FailHere(closer == '}' ? "',' or '}' is expected" : "',' or ']' is expected");
  }
  stream_.Advance();
  after_value_ = false;
  return !in_object() || TakeName();
}

/// Steps over the beginning of a value.
template <typename Visitor>
bool ValueWalk<Visitor>::Begin() {
  const char first = stream_.Peek();
  Prepare();
  if (first == '"') {
    visitor_.Scalar(stream_.text_, stream_.next_);
    stream_.Advance();
  } else if (first == '{' || first == '[') {
    if (depth_ >= most_depth_) {
      return stream_.FailHere("values are nested too deep");
    }
    visitor_.Open(stream_.text_, stream_.next_);
    stream_.Advance();
    if (stream_.Peek() != (first == '{' ? '}' : ']')) {
      Push(first == '{');
      return first != '{' || TakeName();
    }
    Prepare();
    visitor_.Close(stream_.next_);
    stream_.Advance();
  } else {
    if (!stream_.TakeScalar()) {
      return false;
    }
    Prepare();
    visitor_.Scalar(stream_.text_, stream_.next_ - 1);
  }
  after_value_ = true;
  return true;
}

template <typename Visitor>
bool ValueWalk<Visitor>::TakeName() {
  if (stream_.Peek() != '"') {
    return stream_.FailHere("the name of a member is expected");
  }
  Prepare();
  visitor_.Name(stream_.text_, stream_.next_);
  stream_.Advance();
  return stream_.Take(':', "':' is expected");
}

}  // namespace kinu::json
