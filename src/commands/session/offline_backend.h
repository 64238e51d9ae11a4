// The backend of a run that uses neither the network nor other programs.
#pragma once

#include <optional>

#include "session/backend_choice.h"

namespace kinu::session {

/// Returns the local backend that the configuration has or implies, initialized or not; for all
/// other configurations one that reads the file of -state. Returns nothing, with a diagnostic, if
/// there is no such file, or if a state can be decrypted only with the help of others.
std::optional<ConfiguredBackend> ChooseOfflineBackend(const Workspace& workspace,
                                                      const Loaded& loaded,
                                                      const backend::StateFlags& flags,
                                                      Diagnostics& diags);

}  // namespace kinu::session
