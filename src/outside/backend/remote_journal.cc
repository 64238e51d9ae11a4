#include "backend/remote_journal.h"

#include <utility>

namespace kinu::backend {

Result<RemoteJournal::Recovery> RemoteJournal::Recover(state::State& state, bool locked) {
  if (path_.empty() || journal_ || left_) {
    return Recovery::kNone;
  }
  Result<std::optional<LeftJournal>> claimed = LeftJournal::Claim(path_);
  if (!claimed && claimed.error().code == ErrorCode::kExists) {
    return Recovery::kNone;  // its run is still at work
  }
  if (!claimed) {
    return std::unexpected(std::move(claimed).error());
  }
  std::optional<LeftJournal> left = *std::move(claimed);
  if (!left) {
    return Recovery::kNone;
  }
  KINU_TRY(const Journal::Replayed replayed, left->Replay(state, *sealer_));
  const std::string count = std::to_string(replayed.records);
  switch (replayed.outcome) {
    case Journal::Outcome::kReplayed:
      note_ = "It could not save the state. " + count + " completed steps were recovered from " +
              path_ + ".";
      if (replayed.damaged > 0) {
        note_ += " " + std::to_string(replayed.damaged) +
                 " bytes of it are damaged: steps that they recorded are not in the state.";
        if (const std::string copy = locked ? left->KeepCopy() : ""; !copy.empty()) {
          note_ += " The file was kept as " + copy + ".";
        }
      }
      left_ = std::move(left);
      return Recovery::kUnstored;
    case Journal::Outcome::kForeign:
    case Journal::Outcome::kNoHeader:
    case Journal::Outcome::kSealed:
      note_ = replayed.NotApplied(path_, "the stored state is not the one that they continue");
      if (const std::string aside = locked ? left->SetAside() : ""; !aside.empty()) {
        note_ += " The file was renamed to " + aside + ".";
      }
      return Recovery::kNone;
    case Journal::Outcome::kNothing:
    case Journal::Outcome::kStored:
      if (locked) {
        left->RemoveOrKeep(replayed);
      }
      return Recovery::kNone;
  }
  return Recovery::kNone;
}

/// Makes room for a journal. One with results that are not stored is kept.
Result<void> RemoteJournal::Clear(const state::Snapshot& snapshot) {
  left_.reset();
  Result<std::optional<LeftJournal>> claimed = LeftJournal::Claim(path_);
  if (!claimed) {
    return claimed.error().code == ErrorCode::kExists
               ? Fail(ErrorCode::kExists,
                      "another run is changing this state: its journal is " + path_)
               : std::unexpected(std::move(claimed).error());
  }
  if (const std::optional<LeftJournal>& left = *claimed) {
    state::State nothing;
    nothing.program = std::make_shared<Program>();
    nothing.lineage = snapshot.lineage;
    nothing.serial = snapshot.serial;
    KINU_TRY(const Journal::Replayed replayed, left->Replay(nothing, *sealer_));
    if (replayed.records > 0 && replayed.outcome != Journal::Outcome::kStored) {
      (void)left->SetAside();
    }
  }
  return {};
}

Result<void> RemoteJournal::Start(const state::Snapshot& snapshot) {
  if (path_.empty() || journal_) {
    return {};
  }
  if (Result<void> cleared = Clear(snapshot); !cleared) {
    return cleared;
  }
  KINU_TRY(journal_, Journal::Open(path_, snapshot, *sealer_));
  Result<void> created = journal_->Create();
  if (!created) {
    journal_.reset();
  }
  // Where there can be no file, the state is stored from time to time.
  return !created && created.error().code == ErrorCode::kUnavailable ? Result<void>{} : created;
}

void RemoteJournal::Record(const Program& program, const state::ObjectRecord& record) {
  if (journal_) {
    journal_->Append(program, record);
  }
}

Result<void> RemoteJournal::Flush(state::Durability durability) {
  return journal_ ? journal_->Commit(durability) : Result<void>{};
}

void RemoteJournal::BeforeStoring(uint64_t serial) {
  if (journal_) {
    journal_->AppendSnapshot(serial);
    // Where the journal cannot grow, the whole state may still find its place.
    (void)journal_->Commit();
  }
}

Result<void> RemoteJournal::AfterStoring() {
  if (left_) {
    left_->Remove();
    left_.reset();
  }
  return journal_ ? std::exchange(journal_, std::nullopt)->Remove() : Result<void>{};
}

}  // namespace kinu::backend
