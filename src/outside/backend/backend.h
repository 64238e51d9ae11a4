// Backend: where the states of a configuration's workspaces are kept.
//
// Each backend is one file with its class and its row, `backends.cc` lists the rows. A backend says
// which workspaces there are and opens the store of one (state/store.h), which reads, writes and
// locks the state. Nothing outside backend/ and session/ names a backend.
// Ref: opentofu internal/backend/backend.go.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/service_hosts.h"
#include "provider/provider.h"
#include "schema/schema.h"
#include "state/sealer.h"
#include "state/store.h"

namespace kinu::backend {

inline constexpr std::string_view kDefaultWorkspace = "default";

/// -state, -state-out and -backup; empty: not given. Only a backend with states in local files
/// uses them.
struct StateFlags {
  std::string state;
  std::string state_out;
  std::string backup;  ///< "-": no backup
};

/// Where the state of a workspace is read and written, and where its backup goes (empty: nowhere).
struct StateFiles {
  std::string read;
  std::string write;
  std::string backup;
};

enum class Opening : uint8_t {
  kMake,  ///< a workspace that does not exist yet is made
  kLook,  ///< nothing is made: a workspace that does not exist has an empty state
};

/// How a store of a state elsewhere works.
struct Storing {
  state::SealerRef sealer;
  std::string journal;  ///< path of its journal; empty: it has none
};

class HostedRuns;

class Backend {
 public:
  virtual ~Backend() = default;
  /// Reports invalid settings. Reaches no service and reads no files. The attribute of a problem is
  /// that of the setting.
  virtual void Check(const Value&, provider::Problems&) const {}
  /// Sets the settings: a value that SettingsObject() made and that Check() accepted. Called once,
  /// before all others but Check().
  virtual void Configure(const Value& settings, provider::Problems& problems) = 0;
  /// The names of the workspaces that exist, in the order in which they are listed. kUnsupported:
  /// the backend has one state only, that of the default workspace.
  virtual Result<std::vector<std::string>> Workspaces() = 0;
  /// Deletes a workspace with its state. Refuses the default one.
  virtual Result<void> DeleteWorkspace(std::string_view name) = 0;
  /// Deletes a workspace unless the service knows that it manages objects.
  virtual Result<void> DeleteUnusedWorkspace(std::string_view name) {
    return DeleteWorkspace(name);
  }
  /// The store of a workspace. States are read into `program`.
  virtual Result<std::unique_ptr<state::Store>> Open(std::string_view workspace,
                                                     std::shared_ptr<Program> program,
                                                     Opening opening = Opening::kMake) = 0;
  /// The only workspace where it is not the default one; empty: there may be several.
  virtual std::string OnlyWorkspace() const { return {}; }
  /// How the service calls workspaces: their names stand for the "*".
  virtual std::string NamePattern() const { return "*"; }
  /// The files of a workspace's state, if the backend keeps states in local files.
  virtual std::optional<StateFiles> Files(std::string_view) const { return std::nullopt; }
  /// Whether plans and applies of a workspace run in the service.
  virtual Result<bool> RunsRemotely(std::string_view) { return false; }
  /// Those runs, where RunsRemotely(). Null otherwise. Without a workspace: to look at runs only.
  virtual Result<std::shared_ptr<const HostedRuns>> Runs(std::string_view) { return nullptr; }
  /// Reports that the service runs a workspace with a version of the program that this one's states
  /// may not suit: an error, or a warning if the user wants to go on.
  virtual void CheckVersion(std::string_view, bool /*go_on*/, provider::Problems&) {}
  /// Lets the backend find services of hosts. Before Configure().
  void Reach(std::shared_ptr<ServiceHosts> hosts) { hosts_ = std::move(hosts); }
  /// How stores protect states from now on. Until then they neither store nor read any.
  void Seal(state::SealerRef sealer) { sealer_ = sealer; }
  /// From now on stores of states elsewhere keep journals in that directory.
  void KeepJournals(std::string directory) { journal_directory_ = std::move(directory); }

 protected:
  /// Null: hosts cannot be reached.
  const std::shared_ptr<ServiceHosts>& hosts() const { return hosts_; }
  const state::SealerRef& sealer() const { return sealer_; }
  Storing StoringOf(std::string_view workspace) const {
    return {sealer_, journal_directory_.empty()
                         ? std::string()
                         : journal_directory_ + '/' + std::string(workspace) + ".journal"};
  }

 private:
  std::shared_ptr<ServiceHosts> hosts_;
  state::SealerRef sealer_ = state::Undecided();
  std::string journal_directory_;
};

enum class SettingType : uint8_t {
  kString,
  kBool,
  kNumber,
  kStringList,
  kStringSet,
  kStringMap,
  kObject,     ///< an attribute: an object of `parts`
  kBlock,      ///< a block of `parts`: an object, null when it is not written
  kBlockList,  ///< at most one block of `parts`: a list of objects
  kBlockSet,   ///< at most one block of `parts`: a set of objects
};

/// How a setting that is no text is read from a variable of the environment.
enum class EnvironmentForm : uint8_t {
  kConverted,  ///< as a text in the block; another one is an error
  kBool,       ///< as text::ParseBool() reads it; another one is an error
  kIfNumber,   ///< another text than a number counts as none
};

/// One argument or nested block of a backend's block.
struct Setting {
  std::string_view name;
  std::string_view docs;
  SettingType type = SettingType::kString;
  /// Environment variables with the value for blocks that have none; the first that is set
  /// counts. Of scalar settings that are no parts.
  std::span<const std::string_view> environment = {};
  EnvironmentForm form = EnvironmentForm::kConverted;
  bool sensitive = false;
  /// A missing value is asked for or refused, unless the environment has it.
  bool required = false;
  /// The advice of the warning for blocks that have this; empty: it is not deprecated.
  std::string_view deprecated = {};
  /// Of an object or a block; sorted by name.
  std::span<const Setting> parts = {};

  bool is_block() const { return type >= SettingType::kBlock; }
  /// The parts of objects that are not required may be missing in a value that is converted to it.
  Type value_type() const;
};

/// A row of the table of backends.
struct BackendSpec {
  std::string_view type;                                      ///< label of its block
  std::string_view docs;                                      ///< one line
  std::span<const Setting> settings = {};                     ///< sorted by name
  std::unique_ptr<Backend> (*make)(const StateFlags& flags);  ///< never null
  /// Backend::Configure() reports missing settings itself.
  bool checks_required = false;
  /// The error of a backend whose missing settings nobody gave when asked; empty: none.
  std::string_view unanswered = {};

  const Setting* Find(std::string_view name) const;
};

/// The settings as a schema, in which nothing is required. Made at first use.
const schema::Block& SchemaOf(const BackendSpec& spec);
/// Whether a value has to be asked for: a required scalar that neither `settings` nor the
/// environment has.
bool IsMissing(const Setting& setting, const Value& settings);

/// All backends, by type.
std::span<const BackendSpec* const> Backends();
/// Null when there is no such type.
const BackendSpec* FindBackend(std::string_view type);

/// The type of the backend that a `cloud` block describes.
inline constexpr std::string_view kCloudBackend = "cloud";

/// The error of backends that have one state only.
inline std::unexpected<Error> NoWorkspaces() {
  return Fail(ErrorCode::kUnsupported, "workspaces not supported");
}

/// The error of backends without a default workspace.
inline std::unexpected<Error> NoDefaultWorkspace() {
  return Fail(ErrorCode::kNotFound,
              "default workspace not supported\n"
              "You can create a new workspace with the \"workspace new\" command.");
}

/// The backend of a directory whose configuration has no block for one.
inline constexpr std::string_view kImpliedBackend = "local";

/// Makes an object with all settings of `spec` from the attributes of `given`: missing ones are
/// null (repeated blocks: empty), and attributes that are no settings are dropped.
Value SettingsObject(const BackendSpec& spec, const Value& given);
/// Reports invalid settings without reaching any service. `spec.make` must not be null.
void CheckSettings(const BackendSpec& spec, const Value& settings, provider::Problems& problems);
/// Makes a configured backend. Settings that are null get their values from the environment.
/// Required ones that are still missing are problems; then the backend must not be used.
/// `spec.make` must not be null.
std::unique_ptr<Backend> MakeBackend(const BackendSpec& spec, const Value& settings,
                                     const StateFlags& flags, provider::Problems& problems,
                                     std::shared_ptr<ServiceHosts> hosts = nullptr);

}  // namespace kinu::backend
