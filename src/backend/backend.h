// Backend: where the states of a configuration's workspaces are kept.
//
// Each backend is one file with its class and its row, `backends.cc` lists the rows. A backend says
// which workspaces there are and opens the store of one (state/store.h); what is read, written and
// locked there is the store's matter. Nothing outside backend/ and session/ names a backend.
// Ref: opentofu internal/backend/backend.go.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "provider/provider.h"
#include "state/store.h"

namespace kinu::backend {

inline constexpr std::string_view kDefaultWorkspace = "default";

/// -state, -state-out and -backup; empty: not given. Only a backend with states in local files
/// heeds them.
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

class Backend {
 public:
  virtual ~Backend() = default;
  /// Adopts settings: an object of SettingsType(). Called once, before all others. The attribute
  /// of a problem is that of the setting.
  virtual void Configure(const Value& settings, provider::Problems& problems) = 0;
  /// The names of the workspaces that exist, in the order in which they are listed.
  virtual Result<std::vector<std::string>> Workspaces() = 0;
  /// Deletes a workspace with its state. Refuses the default one.
  virtual Result<void> DeleteWorkspace(std::string_view name) = 0;
  /// The store of a workspace. States are read into `program`.
  virtual Result<std::unique_ptr<state::Store>> Open(std::string_view workspace,
                                                     std::shared_ptr<Program> program,
                                                     Opening opening = Opening::kMake) = 0;
  /// The files of a workspace's state, where it is in files of this machine.
  virtual std::optional<StateFiles> Files(std::string_view) const { return std::nullopt; }
};

enum class SettingType : uint8_t { kString, kBool, kNumber };

/// One argument of a backend's block.
struct Setting {
  std::string_view name;
  std::string_view docs;
  SettingType type = SettingType::kString;
  /// Variables of the environment that give the value where the block has none; the first that is
  /// set counts.
  std::span<const std::string_view> environment = {};
  bool sensitive = false;

  Type value_type() const;
};

/// A row of the table of backends.
struct BackendSpec {
  std::string_view type;                   ///< label of its block
  std::string_view docs;                   ///< one line
  std::span<const Setting> settings = {};  ///< sorted by name
  /// Null: the reference has such a backend, and this version has not.
  std::unique_ptr<Backend> (*make)(const StateFlags& flags) = nullptr;

  const Setting* Find(std::string_view name) const;
};

/// All backends, by type.
std::span<const BackendSpec* const> Backends();
/// Null when there is no such type.
const BackendSpec* FindBackend(std::string_view type);

/// The backend of a directory whose configuration has no block for one.
inline constexpr std::string_view kImpliedBackend = "local";

/// The settings of an object by name as an object that has all settings of `spec`: those that
/// `given` lacks are null, and what `spec` lacks is left out.
Value SettingsObject(const BackendSpec& spec, const Value& given);
/// A configured backend: settings that are null get the values that the environment gives them.
/// `spec.make` must not be null.
std::unique_ptr<Backend> MakeBackend(const BackendSpec& spec, const Value& settings,
                                     const StateFlags& flags, provider::Problems& problems);

}  // namespace kinu::backend
