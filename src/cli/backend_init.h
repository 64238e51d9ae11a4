// What `init` does about the backend: it takes up new settings, moves states to where they belong
// from now on, and writes the record that other commands compare with.
// Ref: opentofu internal/command/meta_backend.go, meta_backend_migrate.go.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/backend_settings.h"
#include "cli/narrator.h"

namespace kinu::cli {

struct BackendInitRequest {
  std::vector<std::string> overrides;  ///< values of -backend-config
  bool reconfigure = false;
  bool migrate = false;     ///< -migrate-state
  bool force_copy = false;  ///< questions about copying states count as answered with yes
  bool input = true;        ///< questions may be asked
  bool lock = true;
  std::chrono::milliseconds lock_timeout{0};
};

/// Where states are from now on; nothing after an error.
std::optional<backend::LocalOptions> InitBackend(const Invocation& invocation, const Loaded& root,
                                                 const BackendInitRequest& request,
                                                 Narrator& narrator, Diagnostics& diags);
/// Where states are by the record alone (-backend=false).
std::optional<backend::LocalOptions> RecordedBackend(const Invocation& invocation,
                                                     Diagnostics& diags);

}  // namespace kinu::cli
