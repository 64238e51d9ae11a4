// Workspace: a working directory as all commands see it. Which directory has the configuration,
// where `init` keeps what it made, which workspace is selected, what the user's CLI configuration
// says.
//
// A process may have several, each for as long as it likes: nothing here assumes that the process
// ends after one command.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "install/cli_config.h"
#include "plugin/handshake.h"

namespace kinu::session {

/// Objects that others point into, kept until their owner drops them: diagnostics refer to sources,
/// which belong to a loaded configuration. Safe to use from several threads.
class KeptObjects {
 public:
  void Add(std::shared_ptr<const void> object);
  /// Drops all. No diagnostic of an earlier load may be used after that.
  void Clear();

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<const void>> objects_;
};

struct Workspace {
  std::string directory = ".";     ///< of the root module, relative to that of the process
  std::string original_directory;  ///< where the user was, for `path.cwd`
  std::string data_directory = ".terraform";
  install::CliConfig cli_config;
  /// Provider processes that the user has started (TF_REATTACH_PROVIDERS).
  plugin::Attachments attachments;
  std::string chosen;  ///< name of the workspace that counts whatever is selected; empty: none
  /// Becomes true when the user interrupts; ends what waits for the network. Null: never.
  const std::atomic<bool>* stop = nullptr;
  /// Tells the user about requests that take long: a line without its end. Empty: nobody is told.
  std::function<void(std::string_view line)> report;
  bool stopped() const { return stop != nullptr && stop->load(); }
  /// What diagnostics about this workspace point into.
  std::shared_ptr<KeptObjects> kept = std::make_shared<KeptObjects>();

  /// Name of the current workspace: `chosen`, or what Select() has stored, or "default".
  std::string Name() const;
  /// Makes a workspace the current one from now on.
  Result<void> Select(std::string_view name) const;
  std::string manifest_path() const { return data_directory + "/modules/modules.json"; }
  std::string providers_directory() const { return data_directory + "/providers"; }
  std::string lock_file_path() const;
};

/// The directory of what `init` makes: TF_DATA_DIR, or ".terraform".
std::string DataDirectory();

/// Whether a name of a workspace needs no escaping as a path segment of a URL.
bool IsValidWorkspaceName(std::string_view name);

}  // namespace kinu::session
