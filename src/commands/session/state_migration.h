// Moves the states of one backend to another, as `init -migrate-state` does.
// Ref: opentofu internal/command/meta_backend_migrate.go.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "session/narrator.h"
#include "session/state_handle.h"

namespace kinu::session {

/// Shows steps to the user and asks questions while a directory is initialized.
class InitDialog : public Narrator {
 public:
  struct Question {
    std::string query;
    std::string description;  ///< may have several lines
  };
  /// Prints the reason of a refusal that is no diagnostic.
  virtual void Refuse(std::string_view text) = 0;
  virtual Result<std::string> Ask(const Question& question) = 0;
  virtual Result<bool> Confirm(const Question& question) = 0;
};

struct MigrationOptions {
  bool force_copy = false;    ///< answer questions about copying states with yes
  bool input = true;          ///< questions may be asked
  bool input_by_flag = true;  ///< false: -input=false forbids them, and not the environment
  bool lock = true;
  bool ignore_version = false;  ///< whatever version runs the workspaces of the destination
  std::chrono::milliseconds lock_timeout{0};
};

/// Whether the files of a directory without a backend have any state. All are read; nothing after
/// an error.
std::optional<bool> HasLocalStates(const ConfiguredBackend& local, Diagnostics& diags);

class StateMigration {
 public:
  StateMigration(const Workspace& workspace, const MigrationOptions& options,
                 const ConfiguredBackend& from, const ConfiguredBackend& to, InitDialog& dialog,
                 Diagnostics& diags)
      : workspace_(workspace),
        options_(options),
        from_(from),
        to_(to),
        dialog_(dialog),
        diags_(diags) {}

  /// Copies the states of all workspaces that are not empty. Returns false after an error.
  bool Run();
  /// Empties the files that states were copied from; backups keep their content. Does nothing for
  /// backends without files.
  bool EraseSources();

 private:
  /// Run() to the backend of a `cloud` block. `names`: the workspaces of the source; nothing where
  /// it has one state only.
  bool RunToCloud(const std::optional<std::vector<std::string>>& names);
  bool CopyOneToCloud();
  bool CopyAllToCloud(std::vector<std::string> names);
  /// A name for the copy of the default workspace. Nothing after an error.
  std::optional<std::string> AskForName();
  /// How workspaces are called in the cloud, with "*" for their name. Nothing after an error.
  std::optional<std::string> AskForPattern();
  /// Selects the copy of the current workspace, and lists all.
  bool SelectCopy(const std::string& copy);
  bool is_to_cloud() const { return to_.type == backend::kCloudBackend; }
  /// Reports workspaces of the destination that another version runs.
  bool CheckVersions(std::vector<std::string> names);
  /// Opens the destination; asks for a name where it has no default workspace. Null after an error.
  std::unique_ptr<state::Store> OpenTarget(std::string_view name);
  /// Copies the state of a workspace to one of the other backend.
  bool CopyWorkspace(const std::string& workspace, std::string_view target_name, bool confirmed);
  /// Copies the current workspace to the only state of the other backend, and selects the default
  /// one.
  bool CopyCurrentWorkspace();
  /// Asks unless copies are forced. Returns false, with an error, unless the answer is yes.
  bool Agree(const InitDialog::Question& question);
  /// The workspaces of a backend. Returns nothing where it has one state only, and after an error.
  std::optional<std::vector<std::string>> WorkspacesOf(const ConfiguredBackend& backend);
  /// Copies without a question, with errors that name the workspace.
  bool CopyOneOfSeveral(const std::string& workspace, std::string_view target_name);
  /// Stores `ours` where `theirs` is.
  bool CopyState(state::Store& target, const state::State& ours, const state::State& theirs,
                 bool confirmed);
  std::optional<bool> ConfirmOverwrite(const state::State& ours, const state::State& theirs);
  std::optional<state::State> Read(state::Store& store);
  /// Reads the state of a workspace without making it.
  std::optional<state::State> Peek(const std::string& workspace);
  bool Error(std::string summary, std::string detail) {
    diags_.Error(std::move(summary), std::move(detail));
    return false;
  }
  std::string LoadProblem() const {
    return "Error loading default state from the \"" + from_.type + "\" backend:";
  }

  const Workspace& workspace_;
  const MigrationOptions& options_;
  const ConfiguredBackend& from_;
  const ConfiguredBackend& to_;
  InitDialog& dialog_;
  Diagnostics& diags_;
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
};

}  // namespace kinu::session
