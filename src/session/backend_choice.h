// Which backend a directory has: what its configuration asks for, what `init` recorded in the data
// directory, and whether the two agree. Ref: opentofu internal/command/meta_backend.go.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/backend.h"
#include "plan/plan.h"
#include "session/backend_record.h"
#include "session/load.h"

namespace kinu::session {

/// A backend that is ready for use.
struct ConfiguredBackend {
  std::string type;
  Value settings;  ///< as records and plan files keep them
  std::shared_ptr<backend::Backend> backend;
};

/// What the configuration says, with what the command line adds.
struct BackendSettings {
  std::string type;  ///< empty: there is no block
  SourceRange range;
  Value settings = Value::EmptyObject();     ///< of the block and the command line together
  std::map<std::string, SourceRange> given;  ///< where the block has its settings
  uint64_t hash = 0;                         ///< of the block alone
  bool overridden = false;                   ///< the command line adds something
  bool complete = true;  ///< false: something in the block is wrong (see diagnostics)
};

/// Whether the reference has a backend of that type, and this version has not.
bool IsUnbuiltBackend(std::string_view type);

/// Reads the backend block of a loaded root module. `overrides` are the values of -backend-config;
/// `for_init` chooses the words for types that do not exist. Problems with settings are left to
/// `init` unless `for_init`.
BackendSettings ReadBackendSettings(const Workspace& workspace, const Loaded& loaded,
                                    const std::vector<std::string>& overrides, bool for_init,
                                    Diagnostics& diags);

/// The backend of a type that is built, with these settings. Nothing after an error; `settings`
/// says where the setting stands that is wrong, if it stands anywhere.
std::optional<ConfiguredBackend> Configure(const std::string& type, const Value& values,
                                           const backend::StateFlags& flags, Diagnostics& diags,
                                           const BackendSettings* settings = nullptr);
/// The backend of a directory whose configuration names none.
ConfiguredBackend ImpliedBackend(const backend::StateFlags& flags = {});

/// The backend that the directory was initialized with. Nothing, with a diagnostic, when the root
/// module asks for another one than init recorded, or for one that is not built.
std::optional<ConfiguredBackend> ChooseBackend(const Workspace& workspace, const Loaded& loaded,
                                               const backend::StateFlags& flags,
                                               Diagnostics& diags);
/// The same for commands that need nothing else of the configuration. A directory without
/// configuration will do.
std::optional<ConfiguredBackend> ChooseBackend(const Workspace& workspace,
                                               std::span<const config::VariableArgument> arguments,
                                               const backend::StateFlags& flags,
                                               Diagnostics& diags);
/// The backend that a plan was made with. Nothing, with a diagnostic, when it is not built.
std::optional<ConfiguredBackend> PlannedBackend(const plan::BackendRecord& record,
                                                const backend::StateFlags& flags,
                                                Diagnostics& diags);
/// The backend by the record alone (`init -backend=false`).
std::optional<ConfiguredBackend> RecordedBackend(const Workspace& workspace, Diagnostics& diags);

/// The workspaces of the backend that the configuration describes, initialized or not; none when
/// anything is wrong. For completion.
std::vector<std::string> WorkspaceNames(const Workspace& workspace);

}  // namespace kinu::session
