// Which backend a working directory has: what its configuration asks for, what `init` recorded in
// the data directory, and whether the two agree.
//
// The record is the file that OpenTofu writes (version 3, type, settings, hash), and its hash is
// the same number, so that both programs take a directory that the other one initialized.
// Ref: opentofu internal/command/meta_backend.go, internal/command/clistate.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "backend/local.h"
#include "cli/operation.h"
#include "plan/plan_file.h"

namespace kinu::cli {

/// Settings of a backend by name; no text: the setting is null.
using BackendValues = std::map<std::string, std::optional<std::string>, std::less<>>;

/// What the data directory remembers.
struct BackendRecord {
  std::string type;         ///< empty: no backend was configured
  std::string config_json;  ///< the settings, as JSON
  uint64_t hash = 0;        ///< of the block in the configuration

  bool empty() const { return type.empty(); }
  /// The settings of a local backend.
  BackendValues Values() const;
};

/// The record of a data directory; an empty one when there is none.
Result<BackendRecord> ReadBackendRecord(const std::string& data_directory);
Result<void> WriteBackendRecord(const std::string& data_directory, const BackendRecord& record);

/// What the configuration says, with what the command line adds.
struct BackendSettings {
  std::string type;  ///< empty: there is no block
  SourceRange range;
  BackendValues values;     ///< of the block and the command line together
  uint64_t hash = 0;        ///< of the block alone
  bool overridden = false;  ///< the command line adds something
  bool complete = true;     ///< false: something in the block is wrong (see diagnostics)

  BackendRecord ToRecord() const;
};

/// Reads the backend block of a loaded root module. `overrides` are the values of -backend-config;
/// `for_init` chooses the words for types that do not exist. Problems with settings are left to
/// `init` unless `for_init`.
BackendSettings ReadBackendSettings(const Invocation& invocation, const Loaded& loaded,
                                    const std::vector<std::string>& overrides, bool for_init,
                                    Diagnostics& diags);

/// The root module alone, without what it calls: all that finding the backend needs.
Loaded LoadRootModule(const Invocation& invocation,
                      std::span<const config::VariableArgument> arguments, Diagnostics& diags,
                      std::string test_directory = {});
/// The same, as far as finding its backend needs it.
Loaded LoadForBackend(const Invocation& invocation,
                      std::span<const config::VariableArgument> arguments, Diagnostics& diags);

/// Puts the settings of a local backend into `options`.
void ApplyBackendValues(const BackendValues& values, backend::LocalOptions& options);
/// The same for the settings that a plan was made with. False with a diagnostic when they belong to
/// a backend that is not built.
bool PlannedBackend(const plan::BackendRecord& record, backend::LocalOptions& options,
                    Diagnostics& diags);
/// Settings as a plan file keeps them.
Value PlanBackendConfig(const backend::LocalOptions& options);

/// Whether these problems of a root module show as soon as its backend is asked for, so that
/// nothing below it is looked at. What stands twice shows only when everything is loaded.
bool StopsEarly(const Diagnostics& of_root);
/// Whether the files of the root module, and of the variables, have no such problem: they are
/// looked at even by commands that work on a file which has everything in it. Files that are those
/// of that plan (null: there is none) were right when it was made, and are not parsed again.
bool FilesAreRight(const Invocation& invocation,
                   std::span<const config::VariableArgument> arguments, const plan::PlanFile* plan,
                   Diagnostics& diags);

/// Whether the reference has a backend of that type, and this version has not.
bool IsRemoteBackend(std::string_view type);

}  // namespace kinu::cli
