#include "base/flat_map.h"

#define XXH_INLINE_ALL
// Words are read as packed ones: checked calls of memcpy would not be inlined.
#define XXH_FORCE_MEMORY_ACCESS 1
#include <xxhash.h>

namespace kinu {

uint64_t HashBytes(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

}  // namespace kinu
