// Journal: what an apply has done since the last whole state was written, so that a killed run
// loses nothing. A file beside the state: a header that names the snapshot it continues, then one
// checksummed frame per record. The next command replays it onto the state, writes the whole state
// and removes it. A torn tail is what a kill leaves: it is ignored.
//
// A journal belongs to one thread: Append() collects, Commit() writes and syncs everything
// collected with one system call each.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "state/state.h"
#include "state/store.h"

namespace kinu::backend {

class Journal {
 public:
  enum class Outcome : uint8_t {
    kNothing,  ///< no journal, or one without a complete record
    kReplayed,
    kStored,   ///< the state has it all: the run was killed between writing and removing
    kForeign,  ///< it continues another snapshot than this state
  };
  struct Replayed {
    Outcome outcome = Outcome::kNothing;
    size_t records = 0;
  };

  /// Starts a journal that continues the snapshot of that lineage and serial. What was at `path` is
  /// lost. The file appears with the first Commit().
  static Journal Open(std::string path, std::string_view lineage, uint64_t serial);
  /// Applies the journal at `path` to `state`.
  static Result<Replayed> Replay(const std::string& path, state::State& state);
  /// As above, of a journal's bytes.
  static Replayed ReplayBytes(std::string_view bytes, state::State& state);

  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  Journal(Journal&& other) noexcept;
  Journal& operator=(Journal&& other) noexcept;
  ~Journal();

  void Append(const Program& program, const state::ObjectRecord& record);
  /// Notes that a snapshot with all that came before is about to replace the state.
  void AppendSnapshot(uint64_t serial);
  /// Makes everything appended durable.
  Result<void> Commit(state::Durability durability = state::Durability::kPowerLoss);
  /// Removes the file.
  Result<void> Remove();

 private:
  explicit Journal(std::string path) : path_(std::move(path)) {}
  void Close();

  std::string path_;
  std::string pending_;
  size_t committed_ = 0;  ///< bytes of whole frames in the file
  int fd_ = -1;
  bool unsynced_ = false;
};

}  // namespace kinu::backend
