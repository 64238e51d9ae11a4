// TokenStream: the tokens of a JSON text in order, with the grammar checked on the way, from memory
// or from a file that is read in pieces. It keeps a window of the text around the current
// token, so a text of any size costs the same memory, unless a caller holds more (Hold).
//
// Numbers and strings are not converted: a token is its bytes. Every failure has a byte offset.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "json/lex.h"
#include "json/mapped_file.h"
#include "json/scanner.h"

namespace kinu::json {

/// Nesting beyond this is refused.
inline constexpr size_t kMaxDepth = 10000;

/// Fills a buffer with the next bytes of a text. Returns how many; 0 at the end, negative on
/// failure.
using ByteSource = std::function<int64_t(char* buffer, size_t size)>;

class TokenStream {
 public:
  /// A text in memory, which must outlive the stream. (A std::string, for the zero byte behind it.)
  explicit TokenStream(const std::string& text);
  explicit TokenStream(std::string&& text) = delete;
  /// A container inside of a text that was read before and outlives the stream. Peek() does not
  /// return '\0' behind it.
  struct Container {
    std::string_view text;
  };
  explicit TokenStream(Container container);
  /// A text that is read when it is needed.
  explicit TokenStream(ByteSource source);
  /// A file, which must outlive the stream, from one of its bytes on.
  explicit TokenStream(MappedFile& file, size_t from = 0);
  TokenStream(const TokenStream&) = delete;
  TokenStream& operator=(const TokenStream&) = delete;

  /// First byte of the current token: a bracket, ':', ',', '"', or the start of a number or word;
  /// '\0' at the end of the text and after a failure.
  char Peek() {
    if (next_ + 1 >= end_) [[unlikely]] {
      Refill();
    }
    return text_[*next_];
  }
  /// The bytes of the current token, valid until the stream moves on. Quotes are inside.
  std::string_view Text() {
    Peek();
    uint32_t end = next_[1];
    while (end > *next_ && IsSpace(text_[end - 1])) {
      --end;
    }
    return {text_ + *next_, end - *next_};
  }
  /// Whether the current string token holds escapes.
  bool HasEscapes() { return MayHaveEscapes() && Text().find('\\') != std::string_view::npos; }
  /// False when there are none anywhere near the token that Text() returned.
  bool MayHaveEscapes() const { return (backslashes_ & kUnread) != 0; }
  void Advance() { ++next_; }
  /// Offset of the current token in the whole text.
  uint64_t Offset() {
    Peek();
    return base_ + *next_;
  }

  /// Steps over the current token, which must be this bracket or separator.
  bool Take(char expected, const char* otherwise) {
    if (Peek() != expected) [[unlikely]] {
      return FailHere(otherwise);
    }
    Advance();
    return true;
  }
  /// Steps over a number, `true`, `false` or `null`, checking its spelling.
  bool TakeScalar();
  /// Steps over a whole value, checking its grammar.
  bool SkipValue();
  /// Checks that nothing follows.
  bool TakeEnd();

  /// Keeps the text from the current token on until Release(). One hold at a time.
  void Hold();
  /// The text from the held token to just behind the last token that was stepped over.
  std::string_view Held();
  /// Where the held text begins in the whole text.
  uint64_t held_offset() const { return base_ + held_; }
  void Release() { held_ = kNotHeld; }
  /// Offset of the current token in the held text.
  uint32_t OffsetInHeld() const { return *next_ - static_cast<uint32_t>(held_); }

  /// Records a failure at the current token, unless there is one already. Returns false.
  bool FailHere(const char* message);
  bool FailAt(uint64_t offset, const char* message);
  const Problem& problem() const { return problem_; }
  /// How many bytes have been read.
  uint64_t bytes_read() const { return base_ + size_; }

 private:
  static constexpr uint64_t kNotHeld = ~uint64_t{0};

  template <typename Visitor>
  friend class ValueWalk;
  /// How many tokens a ValueWalk looks ahead.
  static constexpr ptrdiff_t kLookAhead = 4;
  /// The pieces that unread tokens may be in, as bits of `backslashes_`.
  static constexpr uint32_t kUnread = (1U << (kLookAhead + 1)) - 1;

  /// Whether a word or a well-formed integer begins here, and something else than a string or the
  /// end of the text follows. A zero byte must follow the text.
  [[gnu::always_inline]] static bool IsPlainScalar(const char* at) {
    const Passed scalar = PassNumberOrWord<NumberPart::kInteger>(at, Terminated());
    return scalar.ok && IsIn(*scalar.at, kSpace | kStructure);
  }

  void MakeIndex(size_t bytes);
  void Refill();
  /// Drops the bytes that are no longer needed and makes more of the text available.
  void ReadMore();
  void ScanMore();
  void MoveWindow();
  bool CheckUtf8(size_t to);
  bool AtEnd() const { return ended_ && *next_ == size_; }

  ByteSource source_;
  std::unique_ptr<char[]> buffer_;  // with a source
  size_t capacity_ = 0;
  const char* text_ = nullptr;  // the window
  size_t size_ = 0;             // bytes of the window
  size_t scanned_ = 0;          // of these, scanned
  size_t checked_ = 0;          // of these, known to be UTF-8
  uint64_t base_ = 0;           // where the window begins in the whole text
  std::string_view rest_;       // in memory: what lies behind the window
  MappedFile* file_ = nullptr;  // whose text that is
  bool at_end_ = false;         // the window reaches the end of the text
  bool ended_ = false;          // the index has the end of the text as a token
  bool dead_ = false;           // there are no tokens up to the problem any more
  uint64_t held_ = kNotHeld;    // offset in the window
  uint32_t backslashes_ = 0;  // a bit per piece that was scanned, the last one lowest: has it any?

  StructureScanner scanner_;
  std::unique_ptr<uint32_t[]> index_;
  const uint32_t* next_ = nullptr;
  uint32_t* end_ = nullptr;
  Problem problem_;
};

}  // namespace kinu::json
