// Journal: the results of an apply since the last whole state was written, so that a killed run
// loses nothing. A file beside the state: a header that names the snapshot it continues, then one
// checksummed frame per record; of an encrypted state, the records are encrypted. The next command
// replays it onto the state, writes the whole state and removes it. An incomplete last frame, which
// a kill leaves, is ignored. Damage with whole records behind it is skipped and counted.
//
// A journal belongs to one thread: Append() collects, Commit() writes and syncs everything
// collected with one system call each. Its file is locked while its run lives, whether the state is
// locked or not, and is never opened through a symbolic link.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "backend/journal_cipher.h"
#include "base/result.h"
#include "state/sealer.h"
#include "state/state.h"
#include "state/store.h"

namespace kinu::backend {

class Journal {
 public:
  enum class Outcome : uint8_t {
    kNothing,  ///< no journal, or one without a complete record
    kReplayed,
    kStored,    ///< the state has all of it: the run was killed before it removed the journal
    kForeign,   ///< it continues another snapshot than this state
    kNoHeader,  ///< it has whole records, but its header is damaged
    kSealed,    ///< it has whole records, but they cannot be decrypted, or should be encrypted
  };
  struct Replayed {
    Outcome outcome = Outcome::kNothing;
    size_t records = 0;
    size_t damaged = 0;   ///< bytes that cannot be read and have whole records behind them
    std::string problem;  ///< kSealed: why

    /// What a person reads of a journal that was not applied. `foreign`: the reason for kForeign,
    /// without a full stop.
    std::string NotApplied(std::string_view path, std::string_view foreign) const;
  };

  /// Starts a journal that continues the snapshot. The file appears with Create() or the first
  /// Commit(), which replaces a journal that an ended run left at `path`. `sealer`: that of the
  /// state; if it encrypts, the records are encrypted. Fails if it has no key.
  static Result<Journal> Open(std::string path, const state::Snapshot& snapshot,
                              const state::Sealer& sealer);
  /// Applies the journal at `path` to `state`. `sealer`: that of the state; records in the clear
  /// count only where it takes a state in the clear.
  static Result<Replayed> Replay(const std::string& path, state::State& state,
                                 const state::Sealer& sealer);
  /// Applies the journal at `path`, whose bytes are given, to `state`. Fails if its format is that
  /// of another version of kinu.
  static Result<Replayed> ReplayFile(const std::string& path, std::string_view bytes,
                                     state::State& state, const state::Sealer& sealer);
  /// Applies a journal that is in memory to `state`.
  static Replayed ReplayBytes(std::string_view bytes, state::State& state,
                              const state::Sealer& sealer);

  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&& other) noexcept;
  ~Journal();

  /// Makes the file. kExists: another run's journal is there, and that run is still at work;
  /// kUnavailable: there can be no file in that directory.
  Result<void> Create();
  void Append(const Program& program, const state::ObjectRecord& record);
  /// Records that a snapshot with all earlier results is about to replace the state.
  void AppendSnapshot(uint64_t serial);
  /// Makes everything appended durable.
  Result<void> Commit(state::Durability durability = state::Durability::kPowerLoss);
  /// Removes the file.
  Result<void> Remove();

 private:
  explicit Journal(std::string path) : path_(std::move(path)) {}
  void Close();
  void AppendMessage(std::string_view message);

  std::string path_;
  std::optional<JournalCipher> cipher_;
  std::string pending_;
  Result<void> encrypted_;  ///< fails: a record of this run is missing
  size_t committed_ = 0;    ///< bytes of whole frames in the file
  int fd_ = -1;
  bool unsynced_ = false;
  bool named_ = false;  ///< the directory is synced with the file's name in it
};

/// The journal of a run that has ended, locked while this object lives.
class LeftJournal {
 public:
  /// Returns nothing if there is none. kExists: its run is still at work, or another process has
  /// it.
  static Result<std::optional<LeftJournal>> Claim(const std::string& path);
  LeftJournal(LeftJournal&& other) noexcept;
  LeftJournal& operator=(LeftJournal&& other) noexcept;
  ~LeftJournal();

  Result<Journal::Replayed> Replay(state::State& state, const state::Sealer& sealer) const;
  void Remove() const;
  /// Removes the file of a journal that nothing is to be taken from, or sets it aside if it has
  /// bytes that could not be read.
  void RemoveOrKeep(const Journal::Replayed& replayed) const;
  /// Renames the file. Returns the new name; empty if that fails.
  std::string SetAside() const;
  /// Links the file under a second name. Returns that name; empty if that fails.
  std::string KeepCopy() const;

 private:
  LeftJournal(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  std::string path_;
  int fd_ = -1;
};

}  // namespace kinu::backend
