#include "base/environment.h"

#include <cstdlib>

namespace kinu {

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing writes to it
  return value == nullptr ? std::string_view() : value;
}

}  // namespace kinu
