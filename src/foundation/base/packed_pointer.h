// Pointers and lists whose alignment is four bytes. Beside numbers of 32 bits they need no padding.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>

namespace kinu {

/// As T*.
template <typename T>
class PackedPointer {
 public:
  PackedPointer() = default;
  PackedPointer(T* pointer)  // NOLINT(google-explicit-constructor)
      : words_(std::bit_cast<Words>(pointer)) {}

  T* get() const { return std::bit_cast<T*>(words_); }
  operator T*() const { return get(); }  // NOLINT(google-explicit-constructor)
  T* operator->() const { return get(); }

 private:
  struct Words {
    uint32_t words[sizeof(T*) / sizeof(uint32_t)];
  };
  Words words_{};
};

/// As std::span<const T>, of fewer than 2^32 items.
template <typename T>
class PackedSpan {
 public:
  PackedSpan() = default;
  PackedSpan(std::span<const T> items)  // NOLINT(google-explicit-constructor)
      : items_(items.data()), size_(static_cast<uint32_t>(items.size())) {}
  PackedSpan(std::span<T> items)  // NOLINT(google-explicit-constructor)
      : PackedSpan(std::span<const T>(items)) {}

  const T* data() const { return items_.get(); }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  const T& operator[](size_t at) const { return all()[at]; }
  const T& front() const { return all().front(); }
  const T& back() const { return all().back(); }
  std::span<const T> first(size_t count) const { return all().first(count); }
  std::span<const T> subspan(size_t first, size_t count = std::dynamic_extent) const {
    return all().subspan(first, count);
  }

 private:
  std::span<const T> all() const { return {data(), size()}; }

  PackedPointer<const T> items_;
  uint32_t size_ = 0;
};

/// As std::string_view, of fewer than 2^32 bytes.
class PackedText {
 public:
  PackedText() = default;
  PackedText(std::string_view text)  // NOLINT(google-explicit-constructor)
      : data_(text.data()), size_(static_cast<uint32_t>(text.size())) {}

  std::string_view view() const { return {data_.get(), size_}; }
  operator std::string_view() const { return view(); }  // NOLINT(google-explicit-constructor)
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  friend bool operator==(PackedText a, PackedText b) { return a.view() == b.view(); }
  friend bool operator==(PackedText a, std::string_view b) { return a.view() == b; }

 private:
  PackedPointer<const char> data_;
  uint32_t size_ = 0;
};

}  // namespace kinu
