// FlatMap: the hash map of this project. Looks up string keys by std::string_view without a copy.
// Never iterate one into output: its order is not defined.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

namespace kinu {

/// 64-bit hash of bytes (XXH3).
uint64_t HashBytes(std::string_view bytes);

/// Mixes two hashes into one.
constexpr uint64_t HashCombine(uint64_t a, uint64_t b) {
  a ^= b + 0x9E3779B97F4A7C15ULL + (a << 6) + (a >> 2);
  return a * 0xFF51AFD7ED558CCDULL;
}

/// Hash of strings (transparent), integers, enums and types with a `uint64_t Hash() const`.
struct DefaultHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return HashBytes(text); }
  size_t operator()(const std::string& text) const { return HashBytes(text); }
  template <typename T>
    requires std::integral<T>
  size_t operator()(T value) const {
    return HashCombine(0, static_cast<uint64_t>(value));
  }
  template <typename T>
    requires requires(const T& t) {
      { t.Hash() } -> std::convertible_to<uint64_t>;
    }
  size_t operator()(const T& value) const {
    return value.Hash();
  }
};

struct DefaultEqual {
  using is_transparent = void;
  template <typename A, typename B>
  bool operator()(const A& a, const B& b) const {
    return a == b;
  }
};

template <typename K, typename V>
using FlatMap = tsl::robin_map<K, V, DefaultHash, DefaultEqual>;
template <typename K>
using FlatSet = tsl::robin_set<K, DefaultHash, DefaultEqual>;

}  // namespace kinu
