#include "provider/provider.h"

#include <algorithm>

#include "text/quote.h"

namespace kinu::provider {

bool HasErrors(const Problems& problems) {
  return std::any_of(problems.begin(), problems.end(),
                     [](const Problem& p) { return p.severity == Severity::kError; });
}

std::string SchemaFailure(std::string_view address, std::string_view cause) {
  return "failed to instantiate provider " + text::GoQuote(address) +
         " to obtain schema: " + std::string(cause);
}

std::string SchemaLoadFailure(std::string_view address, std::string_view cause) {
  return "Error while loading schemas for plugin components: " + SchemaFailure(address, cause) +
         ".";
}

}  // namespace kinu::provider
