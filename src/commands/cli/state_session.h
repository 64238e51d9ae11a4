// StateSession: the run of a command on a stored state: the workspace's store, the lock and the
// state.
#pragma once

#include <memory>
#include <string>

#include "cli/command_run.h"
#include "session/state_handle.h"

namespace kinu::cli {

struct StateSession : CommandRun {
  using CommandRun::CommandRun;
  ~StateSession() override { (void)Close(); }

  std::optional<session::StateHandle> handle;
  state::State state;
  state::SealerRef sealer = state::Undecided();  ///< of where the state is, after Open()

  /// When set, before Open(): only this resource is wanted, and nothing is written.
  const AbsResource* only = nullptr;
  /// When set, before Open(): these resources are looked at first, and nothing is written. A large
  /// state may then have no others: see ReadAll().
  const std::vector<ConfigResource>* first = nullptr;
  /// How a problem with the state is reported: its text stands behind `prefix`, in the summary or
  /// (with `summary`) in the detail.
  struct StateProblem {
    std::string summary;
    std::string prefix;
  };
  /// For a state that cannot be read, before Open().
  StateProblem unreadable = {"Failed to load state", ""};
  /// For a backend that has no such state, before Open().
  StateProblem unopened = {"Error loading the state", ""};
  /// When set, before Open(): the warnings that ChooseBackend() leaves out stand beside the problem
  /// of a state that cannot be read.
  bool warns_beside_unreadable = false;
  /// When set, before Open(): what there is to say of the backend is shown before the state is
  /// looked at.
  bool shows_backend_first = false;
  /// When it has errors, before Open(): they are reported once the backend can be used, and the
  /// state is not looked at.
  Diagnostics refusal;
  /// When set, before Open(): without a stored state there is nothing to do.
  bool needs_state = false;
  /// When set, before Open(): each change leaves a copy of the state before it, named by the time
  /// unless -backup names it, and problems on the way to the state are one error.
  bool edits_state = false;
  /// Opens the workspace's store and reads the state, under a lock when `lock` names its reason.
  /// `open` is as for ChooseBackend().
  bool Open(std::string_view lock = {}, OpenWorkspace* open = nullptr);
  state::Store& store() { return handle->store(); }
  /// Whether `state` lacks resources that were not asked for.
  bool in_part() const { return handle && handle->store().gave_part(); }
  /// All of the state, after Open(). What is wrong with it is in `diags`.
  std::optional<state::State> ReadAll();
  /// Opens the store anew, after an Open() without a lock, and reads all of the state.
  std::optional<state::State> OpenAgain(const session::ConfiguredBackend& chosen);
  /// Releases the lock first.
  int Fail() override;
  using CommandRun::Fail;
  /// Releases the lock.
  bool Close() { return !handle || handle->Unlock(diags); }
  /// Whether the backend of the configuration can be used, where -state names a file instead: the
  /// reference asks it for schemas before it writes the file.
  bool CheckBackend();
  /// Replaces the stored state by `state`.
  bool Save(std::string_view summary = "Error saving the state");

 private:
  /// Shows or reports that the service of the state runs another version. False after an error.
  bool CheckVersion(const session::ConfiguredBackend& chosen);
  void ReportUnreadableState(const Error& error);
  void Report(const StateProblem& problem, const std::string& text);
  /// Whether a copy has a place of its own, where the backend must be one that works on files.
  bool NamesCopies() const;
  std::optional<session::ConfiguredBackend> FindBackend(OpenWorkspace* open);
  /// The state file that -state names, wherever the configuration keeps its state.
  std::optional<session::ConfiguredBackend> NamedFile(const backend::StateFlags& state_flags);
  bool file_is_named_ = false;  ///< and the backend is not checked yet
  /// Whether the backend can have the copies that -backup and -backup-out of `state mv` ask for.
  bool CopiesFit(const session::ConfiguredBackend& chosen);
};

/// Reports that there is no stored state, for commands that need one.
void ReportNoState(Diagnostics& diags);

/// The path of the copy of a state file that is about to be edited.
std::string CopyNameOf(const std::string& state_path);

}  // namespace kinu::cli
