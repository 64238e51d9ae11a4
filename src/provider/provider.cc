#include "provider/provider.h"

#include <algorithm>

namespace kinu::provider {

bool HasErrors(const Problems& problems) {
  return std::any_of(problems.begin(), problems.end(),
                     [](const Problem& p) { return p.severity == Severity::kError; });
}

}  // namespace kinu::provider
