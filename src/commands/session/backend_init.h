// Initializes the backend as `init` does: adopts new settings, moves states to where they belong
// from now on, and writes the record that other commands compare with. Ref: opentofu
// internal/command/meta_backend.go.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/state_migration.h"

namespace kinu::session {

struct BackendInitRequest {
  std::vector<std::string> overrides;  ///< values of -backend-config
  bool reconfigure = false;
  bool migrate = false;  ///< -migrate-state
  MigrationOptions migration;
  EncryptionRef encryption = encryption::Encryption::Undecided();
};

/// Returns the backend that has the states from now on; nothing after an error.
std::optional<ConfiguredBackend> InitBackend(const Workspace& workspace, const Loaded& root,
                                             const BackendInitRequest& request, InitDialog& dialog,
                                             Diagnostics& diags);

}  // namespace kinu::session
