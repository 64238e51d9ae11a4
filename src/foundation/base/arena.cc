#include "base/arena.h"

#include <algorithm>

namespace kinu {

void Arena::Grow(size_t at_least) {
  // Doubling keeps the number of blocks small; the cap keeps waste small.
  constexpr size_t kFirst = 4096;
  constexpr size_t kLargest = size_t{256} << 10;
  size_t size = std::max(std::clamp(capacity_ * 2, kFirst, kLargest), at_least);
  blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
  current_ = blocks_.back().get();
  used_ = 0;
  capacity_ = size;
  reserved_ += size;
}

}  // namespace kinu
