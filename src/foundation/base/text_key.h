// A text that is compared with many others.
#pragma once

#include <compare>
#include <cstdint>
#include <string_view>

namespace kinu {

/// A text and its first bytes as a number, which decide most comparisons without reading the text.
/// The order is that of the bytes.
class TextKey {
 public:
  explicit TextKey(std::string_view text) : text_(text) {
    for (size_t i = 0; i < sizeof(head_); ++i) {
      head_ = head_ << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0);
    }
  }
  std::string_view text() const { return text_; }

  friend bool operator==(const TextKey& a, const TextKey& b) {
    return a.head_ == b.head_ && a.text_ == b.text_;
  }
  friend std::strong_ordering operator<=>(const TextKey& a, const TextKey& b) {
    return a.head_ != b.head_ ? a.head_ <=> b.head_ : a.text_ <=> b.text_;
  }

 private:
  uint64_t head_ = 0;  ///< the first byte highest
  std::string_view text_;
};

}  // namespace kinu
