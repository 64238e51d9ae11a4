// Bump arena: memory that is freed as a whole. Accepts only trivially destructible types, because
// it runs no destructors. Not thread-safe; objects in it may be read from any thread.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kinu {

/// A bump allocator.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  Arena(Arena&&) = default;
  Arena& operator=(Arena&&) = default;

  /// Uninitialised memory of `size` bytes, aligned to `align` (a power of two, at most 16).
  void* Allocate(size_t size, size_t align) {
    size_t at = (used_ + align - 1) & ~(align - 1);
    if (at + size > capacity_) [[unlikely]] {
      Grow(size);
      at = 0;
    }
    used_ = at + size;
    return current_ + at;
  }

  /// One object, constructed in place.
  template <typename T, typename... Args>
  T* New(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>, "nothing destroys arena objects");
    return new (Allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  /// Gives back the memory of an object, if nothing was allocated after it.
  template <typename T>
  void GiveBack(const T* object) {
    const auto begin = static_cast<size_t>(reinterpret_cast<const char*>(object) - current_);
    if (begin + sizeof(T) == used_) {
      used_ = begin;
    }
  }

  /// A copy of `items` that lives as long as the arena.
  template <typename T>
  std::span<T> CopySpan(std::span<const T> items) {
    static_assert(std::is_trivially_destructible_v<T>, "nothing destroys arena objects");
    if (items.empty()) {
      return {};
    }
    T* out = static_cast<T*>(Allocate(sizeof(T) * items.size(), alignof(T)));
    std::uninitialized_copy(items.begin(), items.end(), out);
    return {out, items.size()};
  }
  template <typename T>
  std::span<T> CopySpan(const std::vector<T>& items) {
    return CopySpan(std::span<const T>(items));
  }

  /// A copy of `text` that lives as long as the arena.
  std::string_view CopyString(std::string_view text) {
    if (text.empty()) {
      return {};
    }
    char* out = static_cast<char*>(Allocate(text.size(), 1));
    std::memcpy(out, text.data(), text.size());
    return {out, text.size()};
  }

  /// Total size of the blocks in bytes, used or not.
  size_t reserved_bytes() const { return reserved_; }

 private:
  void Grow(size_t at_least);

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* current_ = nullptr;
  size_t used_ = 0;
  size_t capacity_ = 0;
  size_t reserved_ = 0;
};

}  // namespace kinu
