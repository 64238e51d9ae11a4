#include "json/token_stream.h"

#include <algorithm>
#include <cstring>

#include "json/lex.h"
#include "json/value_walk.h"
#include "text/unicode.h"

namespace kinu::json {
namespace {

/// How much is scanned at once: small enough for the offsets to stay in the cache.
constexpr size_t kScanBytes = size_t{64} << 10;
/// How much is read at once.
constexpr size_t kReadBytes = size_t{128} << 10;
/// How much of a text in memory is one window: offsets have 32 bits.
constexpr size_t kMemoryWindow = size_t{1} << 30;
/// How much of a mapped file is brought into memory at once.
constexpr size_t kMappedBytes = size_t{2} << 20;
/// How often the index has the end, so that code may look that far ahead without a check.
constexpr size_t kEnds = 6;
constexpr size_t kMostHeld = size_t{0xF0000000};
constexpr const char* kEndOfText = "the text ends too early";

}  // namespace

TokenStream::TokenStream(const std::string& text) : TokenStream(Container{text}) {
}

// What follows a container is not part of a number or word in it.
TokenStream::TokenStream(Container container)
    : text_(container.text.data()), rest_(container.text) {
  MakeIndex(std::min(container.text.size(), kScanBytes));
}

TokenStream::TokenStream(ByteSource source) : source_(std::move(source)) {
  MakeIndex(kScanBytes);
  capacity_ = 2 * kReadBytes;
  buffer_ = std::make_unique_for_overwrite<char[]>(capacity_);
  text_ = buffer_.get();
}

TokenStream::TokenStream(MappedFile& file, size_t from)
    : text_(file.text().data() + from), base_(from), rest_(file.text().substr(from)), file_(&file) {
  MakeIndex(kScanBytes);
}

/// Makes room for the tokens of a piece of that size, and for those that are unread before it.
void TokenStream::MakeIndex(size_t bytes) {
  index_ = std::make_unique_for_overwrite<uint32_t[]>(bytes + 2 * StructureScanner::kBlock);
  next_ = end_ = index_.get();
}

void TokenStream::ReadMore() {
  if (!source_) {
    // The window grows into the text that lies behind it.
    size_t more = std::min(rest_.size(), file_ != nullptr ? kMappedBytes : kMemoryWindow);
    if (file_ != nullptr && !file_->Provide(base_ + size_, more)) {
      FailAt(base_ + size_, "the text cannot be read");
      more = 0;
      rest_ = {};
    }
    size_ += more;
    rest_.remove_prefix(more);
    at_end_ = rest_.empty();
    return;
  }
  if (size_ + kReadBytes >= capacity_) {
    capacity_ = std::max(2 * capacity_, size_ + 2 * kReadBytes);
    auto bigger = std::make_unique_for_overwrite<char[]>(capacity_);
    std::memcpy(bigger.get(), buffer_.get(), size_);
    buffer_ = std::move(bigger);
    text_ = buffer_.get();
  }
  // One byte is reserved for the zero at the end.
  const int64_t got = source_(buffer_.get() + size_, capacity_ - size_ - 1);
  if (got < 0) {
    FailAt(base_ + size_, "the text cannot be read");
  }
  at_end_ = got <= 0;
  size_ += got > 0 ? static_cast<size_t>(got) : 0;
  buffer_[size_] = '\0';
}

/// Drops the part of the window that is no longer needed.
void TokenStream::MoveWindow() {
  const size_t keep = std::min<uint64_t>(next_ < end_ ? *next_ : scanned_, held_);
  if (source_) {
    std::memmove(buffer_.get(), text_ + keep, size_ - keep);
  } else {
    text_ += keep;
  }
  base_ += keep;
  if (file_ != nullptr) {
    file_->Release(base_);
  }
  size_ -= keep;
  scanned_ -= keep;
  checked_ -= keep;
  if (held_ != kNotHeld) {
    held_ -= keep;
  }
  for (uint32_t* at = end_; at > next_;) {
    *--at -= static_cast<uint32_t>(keep);
  }
}

bool TokenStream::CheckUtf8(size_t to) {
  // A character may go on behind `to`.
  if (to < size_) {
    for (int i = 0; i < 4 && to > checked_ && (text_[to] & 0xC0) == 0x80; ++i) {
      --to;
    }
  }
  const std::string_view part(text_ + checked_, to - checked_);
  const size_t invalid = text::FindInvalidUtf8(part);
  if (invalid < part.size()) {
    return FailAt(base_ + checked_ + invalid, "bytes that are not UTF-8");
  }
  checked_ = to;
  return true;
}

void TokenStream::ScanMore() {
  constexpr size_t kWanted = kScanBytes + StructureScanner::kLookahead;
  if (!at_end_ && size_ - scanned_ < kWanted) {
    MoveWindow();
    while (!at_end_ && size_ - scanned_ < kWanted) {
      ReadMore();
    }
  }
  if (size_ > kMostHeld) {
    FailAt(base_, "a value is too large to be held in memory");
    return;
  }
  const size_t ready = size_ - scanned_;
  size_t amount = std::min(ready, kScanBytes);
  if (!(at_end_ && amount == ready)) {
    amount -= amount % StructureScanner::kBlock;
  }
  const size_t to = scanned_ + amount;
  // Unread entries of the index move to its front.
  const auto left = static_cast<size_t>(end_ - next_);
  std::memmove(index_.get(), next_, left * sizeof(uint32_t));
  next_ = index_.get();
  end_ = index_.get() + left;
  const size_t found = scanner_.Scan({text_, size_}, scanned_, to, end_);
  const bool is_utf8 = !scanner_.TakeUncheckedSeen();
  if (is_utf8 && checked_ == scanned_) {
    checked_ = to;
  } else if (!CheckUtf8(to)) {
    return;
  }
  const uint32_t seen = scanner_.TakeBackslashSeen() ? 1 : 0;
  // A piece without tokens belongs to the string that goes through it.
  backslashes_ = (found == 0 ? backslashes_ : backslashes_ << 1) | seen;
  end_ += found;
  scanned_ = to;
  if (scanner_.problem()) {
    // Nothing of a malformed string may be seen: the token before the last one is complete.
    while (end_ > next_ && end_[-1] > scanner_.problem().offset) {
      --end_;
    }
    FailAt(base_ + scanner_.problem().offset, scanner_.problem().message);
  } else if (at_end_ && to == size_) {
    if (scanner_.in_string()) {
      FailAt(base_ + size_, "the text ends inside a string");
      return;
    }
    ended_ = true;
    for (size_t i = 0; i < kEnds; ++i) {
      *end_++ = static_cast<uint32_t>(size_);
    }
  }
}

void TokenStream::Refill() {
  // A token is complete only when the next one is known.
  while (next_ + 1 >= end_ && !problem_) {
    ScanMore();
  }
  if (next_ + 1 >= end_) {
    dead_ = true;
    text_ = "";
    held_ = kNotHeld;
    std::fill_n(index_.get(), kEnds, 0U);
    next_ = index_.get();
    end_ = index_.get() + kEnds;
  }
}

bool TokenStream::FailAt(uint64_t offset, const char* message) {
  if (!problem_ || offset < problem_.offset) {
    problem_ = {offset, message};
  }
  return false;
}

bool TokenStream::FailHere(const char* message) {
  Peek();
  if (dead_) {
    return false;
  }
  return FailAt(base_ + *next_, AtEnd() ? kEndOfText : message);
}

bool TokenStream::TakeScalar() {
  const char first = Peek();
  if (IsPlainScalar(text_ + *next_)) {
    Advance();
    return true;
  }
  const std::string_view text = Text();
  bool good = false;
  if (first == '-' || IsDigit(first)) {
    good = IsNumber(text);
    if (!good) [[unlikely]] {
      return FailHere("a number is misspelt");
    }
  } else {
    good = text == "true" || text == "false" || text == "null";
  }
  if (!good) [[unlikely]] {
    return FailHere("a value is expected");
  }
  Advance();
  return true;
}

namespace {

/// Sees nothing.
struct Nobody {
  void Prepare(size_t, uint32_t) {}
  void Scalar(const char*, const uint32_t*) {}
  void Name(const char*, const uint32_t*) {}
  void Open(const char*, const uint32_t*) {}
  bool Close(const uint32_t*) { return true; }
};

}  // namespace

bool TokenStream::SkipValue() {
  Nobody nobody;
  return ValueWalk<Nobody>(*this, nobody, kMaxDepth).Run();
}

bool TokenStream::TakeEnd() {
  Peek();
  if (problem_ || !AtEnd()) {
    return FailHere("something follows the value");
  }
  return true;
}

void TokenStream::Hold() {
  Peek();
  held_ = *next_;
}

std::string_view TokenStream::Held() {
  Peek();
  if (held_ == kNotHeld) {
    return {};  // a problem let go of it
  }
  uint32_t end = *next_;
  while (end > held_ && IsSpace(text_[end - 1])) {
    --end;
  }
  return {text_ + held_, end - static_cast<size_t>(held_)};
}

}  // namespace kinu::json
