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

std::string ProvisionerFailure(std::string_view type) {
  const std::string quoted = text::GoQuote(type);
  return "failed to instantiate provisioner " + quoted +
         " to obtain schema: unavailable provisioner " + quoted;
}

std::string SchemaLoadFailure(std::span<const std::string> failures) {
  std::string text = "Error while loading schemas for plugin components: ";
  if (failures.size() == 1) {
    return text + failures[0] + ".";
  }
  text += std::to_string(failures.size()) + " problems:\n";
  for (const std::string& failure : failures) {
    text += "\n- " + failure;
  }
  return text + ".";
}

}  // namespace kinu::provider
