// The local backend: states in files, one per workspace.
//
// A state file is replaced, never truncated (base/file_replacement.h). The lock is a lock on the
// state file itself, as OpenTofu takes it, so both programs exclude each other; since renaming
// changes the file behind the name, the new file is locked before it gets the name, and the old one
// stays locked until Unlock().
//
// A journal (backend/journal.h) is locked by the run that writes it. The next command applies the
// journal of an ended run to the state before anything else; the journal of a run that is still at
// work counts as a lock of the state.
// Ref: opentofu internal/backend/local/backend.go, internal/states/statemgr/filesystem.go.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.h"
#include "backend/journal.h"
#include "base/result.h"
#include "state/large_file.h"
#include "state/store.h"

namespace kinu::backend {

class LocalStore final : public state::Store {
 public:
  /// States are read into `program`.
  LocalStore(StateFiles paths, std::shared_ptr<Program> program, state::SealerRef sealer);
  LocalStore(const LocalStore&) = delete;
  LocalStore& operator=(const LocalStore&) = delete;
  /// Unlocks.
  ~LocalStore() override;

  /// Also fails if the stored state cannot be read, as the reference does.
  Result<void> Lock(const state::LockRequest& request) override;
  Result<void> Unlock() override;
  /// Always fails: the lock of a file is its process's.
  Result<void> ForceUnlock(std::string_view id) override;
  Result<void> Adopt(state::State& state) override;
  bool lock_ends_with_process() const override { return true; }
  /// Replays a journal that a killed run left. Where the state is or can be locked, the whole state
  /// is then written; else it is by StartRecording() and Write().
  Result<state::State> Read(std::shared_ptr<Program> program) override;
  /// Read() applies a journal without writing the state.
  void LookOnly() override { looks_only_ = true; }
  bool gave_part() const override { return in_part_ && !part_; }
  /// A large file is not copied.
  Result<state::State> View(std::shared_ptr<Program> program) override;
  Result<state::State> ViewOutputs(std::shared_ptr<Program> program) override;
  Result<state::State> ViewResource(std::shared_ptr<Program> program,
                                    const AbsResource& address) override;
  /// Returns nothing if the file is small.
  std::optional<state::StateNames> ViewNames(std::shared_ptr<Program> program) override;
  Result<void> Write(state::State& state) override;
  Result<void> Replace(state::State& state, bool force) override;
  /// Replaces the state with force, as the only write of this store: the serial counts it once.
  Result<void> ReplaceAlone(state::State& state);
  /// Writes the results of an ended run's journal first. kExists: another run is changing this
  /// state without a lock.
  Result<void> StartRecording() override;
  Result<void> Record(const state::ObjectRecord& record) override;
  using Store::Flush;
  Result<void> Flush(state::Durability durability) override;

  void DropRecords() override;
  std::string_view recovery_note() const override { return recovery_note_; }
  const StateFiles& paths() const { return paths_; }
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
  Result<Text> ReadOpenFile();
  Result<Text> Document(std::string bytes);
  std::string DocumentOf(const state::State& state) const;
  Result<state::StoredBytes> Sealed(const state::State& state, std::string document) const;
  Result<void> LoadBase(const std::shared_ptr<Program>& program);
  /// Loads the stored state, unless it is loaded.
  Result<void> NeedBase(const state::State& state);
  /// Writes `state` with its own lineage, and with its serial, or the next one if its content is
  /// not that of the stored state.
  Result<void> Overwrite(state::State& state);
  /// What is written: the base as it was read, or what comes after it.
  enum class Content : uint8_t { kBase, kNext };
  Result<void> WriteContent(state::State& state, Content content);
  Result<void> WriteBackup(const state::State& state, const state::State& base);
  Result<void> Persist(state::State& state, std::string lineage, uint64_t serial, bool changed);
  Result<void> SwapIn(const state::State& state, const std::string& document);
  bool IsRegular() const;
  Result<void> RecoverJournal(state::State& state);
  std::string KeepDamagedJournal(size_t damaged);
  void RecoverUnderLock();
  Result<void> RecoverTarget();
  Result<void> WriteBaseToTarget();
  Result<void> ClearJournal();
  Result<void> RequireUnchanged();
  /// Calls `read` with the file if there is no journal to apply.
  template <typename Reader>
  auto ViewFile(const Reader& read) -> decltype(read(0));
  void RemoveIfEmpty();
  void CloseRetired();
  void CloseFile();

  StateFiles paths_;
  const state::SealerRef sealer_;
  bool outdated_ = false;  // the stored state is worth encrypting anew
  std::string target_;     // paths_.write with symbolic links followed
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
  bool is_first_ = false;         // there was no state before: the next one counts
  Text original_;                 // content of target_ when it was opened: the backup
  bool backup_done_ = false;
  std::optional<state::State> parsed_;  // of base_text_, from Lock() to Read()
  bool in_part_ = false;                // under this lock only a part of the state has been read
  std::optional<state::State> part_;    // that part, from Lock() to Read()

  std::optional<Journal> journal_;
  std::optional<LeftJournal> left_journal_;  // of an ended run
  std::optional<state::State> unwritten_;    // the state with it, if it is not written yet
  std::optional<state::State> seen_;         // what was read while another run was at work
  bool left_is_replayed_ = false;            // the next write has the results of left_journal_
  bool recording_ = false;
  bool looks_only_ = false;
  bool other_run_ = false;  // the lock was refused since another run's journal is there
  std::string recovery_note_;
};

/// Settings of the backend block, empty: not given, and flags.
struct LocalOptions {
  std::string path;
  std::string workspace_dir;
  StateFlags flags;
};

class LocalBackend final : public Backend {
 public:
  explicit LocalBackend(LocalOptions options) : options_(std::move(options)) {}

  void Check(const Value& settings, provider::Problems& problems) const override;
  void Configure(const Value& settings, provider::Problems& problems) override;
  /// "default" first, then the others in byte order.
  Result<std::vector<std::string>> Workspaces() override;
  Result<void> DeleteWorkspace(std::string_view workspace) override;
  /// Making a workspace makes its directory.
  Result<std::unique_ptr<state::Store>> Open(std::string_view workspace,
                                             std::shared_ptr<Program> program,
                                             Opening opening = Opening::kMake) override;
  std::optional<StateFiles> Files(std::string_view workspace) const override;

 private:
  std::string WorkspaceDir() const;
  LocalOptions options_;
};

}  // namespace kinu::backend
