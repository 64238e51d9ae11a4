#include "base/invariant.h"

#include <cstdio>
#include <cstdlib>

namespace kinu {

void InvariantFailed(const char* condition, std::string_view message, const char* file, int line) {
  std::fprintf(stderr, "kinu: internal error: %.*s (%s) at %s:%d\n",
               static_cast<int>(message.size()), message.data(), condition, file, line);
  std::abort();
}

}  // namespace kinu
