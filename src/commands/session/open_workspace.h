// OpenWorkspace: a workspace that a command opens in stages: the root module, the backend that it
// chooses, all modules, the providers; the state comes with what works on it. Each stage reports
// what is wrong with itself, so that commands report problems in the order of the reference, which
// loads the root module, the backend and the state before it looks at called modules. Ref: opentofu
// internal/command/meta_backend.go, internal/backend/local/backend_local.go localRunDirect.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "session/backend_choice.h"
#include "session/load.h"
#include "session/provider_set.h"

namespace kinu::session {

/// Members outlive everything that points into them.
struct OpenWorkspace {
  /// `the_workspace` outlives the object.
  explicit OpenWorkspace(const Workspace& the_workspace) : workspace(the_workspace) {}

  const Workspace& workspace;
  Loaded loaded;  ///< the configuration, after LoadModules()
  std::optional<ConfiguredBackend> backend;
  std::unique_ptr<ProviderSet> providers;

  /// Loads the configuration for all stages. What is wrong with it is kept for CheckRoot() and
  /// CheckModules(); what `request` refers to outlives these calls.
  void LoadModules(const LoadRequest& request);
  /// Loads it, and reports what is wrong with it at once, for commands that need all of it or
  /// nothing. Returns false after an error.
  bool LoadModules(const LoadRequest& request, Diagnostics& diags);
  /// Loads it, and reports what is wrong with it as if it had been loaded from the absolute path of
  /// the working directory: files of the root module are named so. Returns false after an error.
  /// Ref: opentofu internal/command/meta.go checkRequiredVersion.
  bool LoadByAbsolutePath(const LoadRequest& request, Diagnostics& diags);
  /// Drops what LoadModules() has loaded, and what was found wrong with it.
  void Unload();
  /// What is wrong with the configuration as a whole, the root module included.
  const Diagnostics& of_modules() const { return of_modules_; }

  /// Reports what is wrong with the parts of the root module that a backend needs. They are looked
  /// at alone only if anything is wrong with the configuration, and then in the trees that
  /// LoadModules() has. Returns false after an error.
  bool CheckRoot(Diagnostics& diags);
  /// What the backend is chosen from: the configuration or, if it has errors, the root module as
  /// CheckRoot() found it.
  const Loaded& root() const;
  /// Chooses the backend, after a CheckRoot() without errors. Returns false after an error.
  bool OpenBackend(const backend::StateFlags& flags, Diagnostics& diags,
                   BackendWarnings warnings = BackendWarnings::kBesideErrors);
  /// Reports what is wrong with the configuration, and takes `steps`, which need no more than
  /// root() and return false after an error. Where the configuration has errors, those of the root
  /// module alone come first, those of `steps` next, and all others only if there are none of
  /// these. Returns false after an error; `loaded` is then root().
  bool CheckModules(const std::function<bool(Diagnostics& diags)>& steps, Diagnostics& diags);
  /// Reads which providers there are. Returns false if there is any error by now.
  bool OpenProviders(Diagnostics& diags);

 private:
  LoadRequest request_;
  Diagnostics of_modules_;
  std::optional<Loaded> root_;  ///< of a configuration that is not clean, once it was looked at
  Diagnostics of_root_;
};

}  // namespace kinu::session
