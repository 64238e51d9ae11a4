// SameText: equality of texts that are mostly short, such as names. A call of memcmp would cost
// more than to compare them here.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace kinu {

/// Equality of two texts that are mostly short and mostly equal.
inline bool SameText(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) {
    return false;
  }
  const auto word = [](const char* at) {
    uint64_t bits;
    std::memcpy(&bits, at, sizeof(bits));
    return bits;
  };
  if (a.size() < sizeof(uint64_t)) {
    unsigned different = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      different |= static_cast<unsigned char>(a[i] ^ b[i]);
    }
    return different == 0;
  }
  // The last word overlaps with the one before.
  const size_t last = a.size() - sizeof(uint64_t);
  for (size_t i = 0; i < last; i += sizeof(uint64_t)) {
    if (word(a.data() + i) != word(b.data() + i)) {
      return false;
    }
  }
  return word(a.data() + last) == word(b.data() + last);
}

}  // namespace kinu
