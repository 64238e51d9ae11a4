#include "cli/not_built.h"

#include <algorithm>

namespace kinu::cli {

void RefuseImports(const config::Config& config, const state::State& state, Diagnostics& diags) {
  for (const auto& node : config.nodes) {
    for (const config::Import& import : node->module->imports) {
      const state::Resource* resource =
          import.instance ? state.Find(import.instance->resource) : nullptr;
      if (resource == nullptr || resource->Find(import.instance->key) == nullptr) {
        diags.Error("Import is not built yet",
                    "This version cannot bring existing objects into the state, and will not "
                    "create new ones instead.",
                    import.range);
      }
    }
  }
}

}  // namespace kinu::cli
