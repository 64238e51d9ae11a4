// The journal of a state that is stored elsewhere: what an apply has done since the state was
// stored last, in a file of the working directory. The next command that locks the state stores
// what a killed run has left.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backend/journal.h"
#include "state/sealer.h"
#include "state/store.h"

namespace kinu::backend {

class RemoteJournal {
 public:
  /// `path`: empty: there is no journal. `sealer`: that of the state.
  RemoteJournal(std::string path, state::SealerRef sealer)
      : path_(std::move(path)), sealer_(sealer) {}

  /// What Recover() has done to a state.
  enum class Recovery : uint8_t {
    kNone,
    kUnstored,  ///< the state has results that are not stored yet
  };
  /// Applies what an ended run has left to the state that it continues. What belongs to another
  /// state is renamed if `locked`.
  Result<Recovery> Recover(state::State& state, bool locked);
  /// What Recover() has found, for people; empty: nothing.
  const std::string& note() const { return note_; }

  /// Starts to record what follows the snapshot of that lineage and serial. kExists: another run is
  /// changing the state.
  Result<void> Start(const state::Snapshot& snapshot);
  bool recording() const { return journal_.has_value(); }
  void Record(const Program& program, const state::ObjectRecord& record);
  Result<void> Flush(state::Durability durability);
  /// The whole state is about to be stored with this serial.
  void BeforeStoring(uint64_t serial);
  /// The whole state is stored, with all results: removes the file.
  Result<void> AfterStoring();

 private:
  Result<void> Clear(const state::Snapshot& snapshot);

  std::string path_;
  state::SealerRef sealer_;
  std::optional<Journal> journal_;
  std::optional<LeftJournal> left_;  // whose results the state has
  std::string note_;
};

}  // namespace kinu::backend
