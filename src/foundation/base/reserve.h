// Room in vectors that are filled part by part.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kinu {

/// Makes room for `more` elements at the end. A capacity that is too small at least doubles, so
/// that many calls move each element a few times only; reserve() would move all in each call.
template <typename T>
void ReserveMore(std::vector<T>& list, size_t more) {
  const size_t wanted = list.size() + more;
  if (wanted > list.capacity()) {
    list.reserve(std::max(wanted, 2 * list.capacity()));
  }
}

}  // namespace kinu
