// The local backend: states in files, one per workspace.
//
// A state file is replaced, never truncated (base/file_replacement.h). The lock is a lock on the
// state file itself, as OpenTofu takes it, so both programs exclude each other; since renaming
// changes the file behind the name, the new file is locked before it gets the name, and the old one
// stays locked until Unlock().
//
// A journal (backend/journal.h) is locked by the run that writes it. Who meets one whose run has
// ended writes the state with it before anything else; one whose run is still at work counts as a
// lock of the state.
// Ref: opentofu internal/backend/local/backend.go, internal/states/statemgr/filesystem.go.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/journal.h"
#include "base/result.h"
#include "state/large_file.h"
#include "state/store.h"

namespace kinu::backend {

/// Where one workspace's state is read and written, and where its backup goes (empty: nowhere).
struct LocalPaths {
  std::string read;
  std::string write;
  std::string backup;
};

class LocalStore final : public state::Store {
 public:
  /// States are read into `program`.
  LocalStore(LocalPaths paths, std::shared_ptr<Program> program);
  LocalStore(const LocalStore&) = delete;
  LocalStore& operator=(const LocalStore&) = delete;
  /// Unlocks.
  ~LocalStore() override;

  /// Also refuses a stored state that cannot be read, as the reference does.
  Result<void> Lock(const state::LockRequest& request) override;
  Result<void> Unlock() override;
  /// Replays a journal that a killed run left. Where the state is or can be locked, the whole state
  /// is then written; else it is by StartRecording() and Write().
  /// Under a lock for some resources the first call may give a state without the others, see
  /// gave_part(), and the next one gives all.
  Result<state::State> Read(std::shared_ptr<Program> program) override;
  /// From now on nothing is written, not even what a journal says: Read() shows the state with it.
  void LookOnly() { looks_only_ = true; }
  /// Whether Read() has left out resources.
  bool gave_part() const { return in_part_ && !part_; }
  /// The same for reading only: what is read is not written again. A large file is not copied.
  Result<state::State> View(std::shared_ptr<Program> program);
  /// The same where only outputs matter: resources may be missing.
  Result<state::State> ViewOutputs(std::shared_ptr<Program> program);
  /// The same where one resource matters: others may be missing.
  Result<state::State> ViewResource(std::shared_ptr<Program> program, const AbsResource& address);
  /// The names in a large file; nothing where it is to be viewed as a whole.
  std::optional<state::StateNames> ViewNames(std::shared_ptr<Program> program);
  Result<void> Write(state::State& state) override;
  Result<void> Replace(state::State& state, bool force) override;
  /// Writes first what a journal of an ended run says. kExists: another run is changing this state
  /// without a lock.
  Result<void> StartRecording() override;
  Result<void> Record(const state::ObjectRecord& record) override;
  using Store::Flush;
  Result<void> Flush(state::Durability durability) override;

  /// What Read() found in a journal, for people; empty when there was none.
  const std::string& recovery_note() const { return recovery_note_; }
  const LocalPaths& paths() const { return paths_; }
  /// The lock info file of a state file: ".NAME.lock.info" beside it.
  static std::string LockInfoPath(const std::string& state_path);
  static std::string JournalPath(const std::string& state_path);

 private:
  using Text = std::shared_ptr<const std::string>;

  Result<void> OpenFile();
  Result<void> TryLock(bool* held_by_other);
  Result<bool> ClaimLeftJournal();
  Result<void> AfterLock(const state::LockRequest& request);
  Result<void> WriteLockInfo(const state::LockRequest& request) const;
  Result<void> TakeOriginal();
  std::string ConflictMessage() const;
  Result<Text> ReadOpenFile() const;
  Result<void> LoadBase(const std::shared_ptr<Program>& program);
  Result<void> WriteBackup(const state::State& state, const state::State& base);
  Result<void> Persist(state::State& state, std::string lineage, uint64_t serial, bool changed);
  Result<void> SwapIn(std::string_view text);
  bool IsRegular() const;
  Result<void> RecoverJournal(state::State& state);
  void RecoverUnderLock();
  Result<void> RecoverTarget();
  Result<void> WriteBaseToTarget();
  Result<void> ClearJournal();
  Result<void> RequireUnchanged();
  /// What `read` makes of the file, when the file is all there is.
  template <typename Reader>
  auto ViewFile(const Reader& read) -> decltype(read(0));
  void RemoveIfEmpty();
  void CloseRetired();
  void CloseFile();

  LocalPaths paths_;
  std::string target_;  // paths_.write with symbolic links followed
  std::shared_ptr<Program> program_;
  int fd_ = -1;           // of target_, from opening on
  bool created_ = false;  // target_ did not exist before
  bool locked_ = false;
  std::vector<int> retired_;  // files that had the name under this lock; still locked

  bool base_loaded_ = false;
  Text base_text_;  // what Write() compares with; null: nothing stored
  std::string lineage_;
  uint64_t serial_ = 0;
  bool base_is_written_ = false;  // the base stands at paths_.write
  Text original_;                 // content of target_ when it was opened: the backup
  bool backup_done_ = false;
  std::optional<state::State> parsed_;  // of base_text_, from Lock() to Read()
  bool in_part_ = false;                // under this lock only a part of the state has been read
  std::optional<state::State> part_;    // that part, from Lock() to Read()

  std::optional<Journal> journal_;
  std::optional<LeftJournal> left_journal_;  // of an ended run
  std::optional<state::State> unwritten_;  // what it makes of the state, when nobody has written it
  std::optional<state::State> seen_;       // what was read while another run was at work
  bool left_is_replayed_ = false;          // what is written next has what left_journal_ says
  bool recording_ = false;
  bool looks_only_ = false;
  bool other_run_ = false;  // the lock was refused since another run's journal is there
  std::string recovery_note_;
};

/// Settings of the backend block and of the -state, -state-out and -backup flags; empty: not given.
struct LocalOptions {
  std::string path;
  std::string workspace_dir;
  std::string state;
  std::string state_out;
  std::string backup;  ///< "-": no backup
};

class LocalBackend {
 public:
  explicit LocalBackend(LocalOptions options) : options_(std::move(options)) {}

  LocalPaths Paths(std::string_view workspace) const;
  /// "default" first, then the others in byte order.
  Result<std::vector<std::string>> Workspaces() const;
  /// Makes the directory of a workspace; nothing to do for "default".
  Result<void> CreateWorkspace(std::string_view workspace) const;
  Result<void> DeleteWorkspace(std::string_view workspace) const;
  /// The store of a workspace, whose directory is made when it is missing.
  Result<std::unique_ptr<LocalStore>> Open(std::string_view workspace,
                                           std::shared_ptr<Program> program) const;

 private:
  std::string WorkspaceDir() const;
  LocalOptions options_;
};

/// Name of the current workspace: `override` (TF_WORKSPACE) unless empty, else what
/// `data_dir`/environment says, else "default".
std::string CurrentWorkspace(const std::string& data_dir, std::string_view override);
Result<void> SelectWorkspace(const std::string& data_dir, std::string_view workspace);
/// Whether a name needs no escaping as a path segment of a URL.
bool IsValidWorkspaceName(std::string_view name);

/// Saves a state that its store refused to `errored.tfstate` in the working directory.
Result<void> WriteErroredState(state::State& state);

}  // namespace kinu::backend
