// Bump arena: memory that is freed as a whole. Accepts only trivially destructible types, because
// it runs no destructors. Not thread-safe; objects in it may be read from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
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

  /// Frees all objects. The newest block is kept for the next ones.
  void Clear() {
    if (blocks_.size() > 1) {
      blocks_.erase(blocks_.begin(), blocks_.end() - 1);
    }
    used_ = 0;
    reserved_ = capacity_;
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

/// A list whose items are in an arena. The memory that it outgrows is freed with the arena.
template <typename T>
class ArenaList {
 public:
  /// Makes room for this many items. Those that are there may move.
  void Reserve(Arena& arena, size_t items) {
    if (items > capacity_) {
      Grow(arena, items);
    }
  }
  /// Appends an item. Others may move.
  T& Add(Arena& arena) {
    if (size_ == capacity_) {
      constexpr size_t kFirst = 4;
      Grow(arena, size_ == 0 ? kFirst : size_t{size_} * 2);
    }
    return *new (items_ + size_++) T();
  }
  /// Keeps the first items only.
  void Shorten(size_t size) { size_ = static_cast<uint32_t>(size); }

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  T* begin() { return items_; }
  T* end() { return items_ + size_; }
  const T* begin() const { return items_; }
  const T* end() const { return items_ + size_; }

 private:
  void Grow(Arena& arena, size_t capacity) {
    static_assert(std::is_trivially_destructible_v<T>, "nothing destroys arena objects");
    capacity_ = static_cast<uint32_t>(capacity);
    T* items = static_cast<T*>(arena.Allocate(sizeof(T) * capacity_, alignof(T)));
    std::uninitialized_copy(begin(), end(), items);
    items_ = items;
  }

  T* items_ = nullptr;
  uint32_t size_ = 0;
  uint32_t capacity_ = 0;
};

}  // namespace kinu
