#include "base/flat_map.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace kinu {

uint64_t HashBytes(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace kinu
