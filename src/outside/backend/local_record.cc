// What a local store does with journals: the one of this run, and those that ended runs left.
#include <utility>

#include "backend/local.h"
#include "base/files.h"

namespace kinu::backend {

/// Takes hold of the journal of an ended run, if there is one. False: its run is still at work.
Result<bool> LocalStore::ClaimLeftJournal() {
  if (left_journal_) {
    return true;
  }
  Result<std::optional<LeftJournal>> claimed = LeftJournal::Claim(JournalPath(paths_.write));
  if (!claimed) {
    return claimed.error().code == ErrorCode::kExists ? Result<bool>(false)
                                                      : std::unexpected(std::move(claimed).error());
  }
  left_journal_ = *std::move(claimed);
  left_is_replayed_ = false;
  return true;
}

/// Where a journal of an ended run lies and nobody holds the lock, the state with it is written
/// before it is looked at: other programs see it then too. What cannot be written is replayed by
/// each who reads.
void LocalStore::RecoverUnderLock() {
  if (locked_ || looks_only_ || left_journal_ || journal_ || paths_.read != paths_.write) {
    return;
  }
  Result<bool> claimed = ClaimLeftJournal();
  const bool left = left_journal_.has_value();
  left_journal_.reset();
  if (!claimed || !left) {
    return;
  }
  LocalStore other(paths_, std::make_shared<Program>(), sealer_);
  if (!other.Lock({.operation = "recovery"})) {
    return;
  }
  if (Result<state::State> state = other.Read(other.program_)) {
    recovery_note_ = other.recovery_note_;
  }
}

/// What the note about a recovery says of a journal that is damaged. Under a lock, which ends with
/// the journal's removal, a copy of it is kept.
std::string LocalStore::KeepDamagedJournal(size_t damaged) {
  std::string note = " " + std::to_string(damaged) +
                     " bytes of it are damaged: steps that they recorded are not in the state.";
  if (locked_) {
    if (const std::string copy = left_journal_->KeepCopy(); !copy.empty()) {
      note += " The file was kept as " + copy + ".";
    }
  }
  return note;
}

Result<void> LocalStore::RecoverJournal(state::State& state) {
  if (journal_) {
    return {};
  }
  const std::string path = JournalPath(paths_.write);
  Result<bool> claimed = looks_only_ ? false : ClaimLeftJournal();
  if (locked_ && !claimed) {
    return std::unexpected(std::move(claimed).error());
  }
  if (!left_journal_ && claimed && *claimed) {
    return {};
  }
  // A run that is still at work has done this much so far, and one that is only looked at.
  Result<Journal::Replayed> replayed = left_journal_ ? left_journal_->Replay(state, *sealer_)
                                                     : Journal::Replay(path, state, *sealer_);
  if (!replayed) {
    return std::unexpected(std::move(replayed).error());
  }
  std::string count = std::to_string(replayed->records);
  switch (replayed->outcome) {
    case Journal::Outcome::kReplayed:
      if (left_journal_) {
        recovery_note_ = "It could not save the state. " + count +
                         " completed steps were recovered from " + path + ".";
        if (replayed->damaged > 0) {
          recovery_note_ += KeepDamagedJournal(replayed->damaged);
        }
        left_is_replayed_ = true;
      } else {
        seen_ = state.Clone();
      }
      if (locked_) {
        return Write(state);
      }
      if (left_journal_) {
        unwritten_ = state.Clone();
      }
      return {};
    case Journal::Outcome::kForeign:
    case Journal::Outcome::kNoHeader:
    case Journal::Outcome::kSealed:
      recovery_note_ =
          replayed->NotApplied(path, "the state has been replaced by another program since");
      if (locked_ && left_journal_) {
        if (const std::string aside = left_journal_->SetAside(); !aside.empty()) {
          recovery_note_ += " The file was renamed to " + aside + ".";
        }
      }
      break;
    case Journal::Outcome::kNothing:
    case Journal::Outcome::kStored:
      if (locked_ && left_journal_) {
        left_journal_->RemoveOrKeep(*replayed);
      }
      break;
  }
  left_journal_.reset();
  return {};
}

/// The journal of an ended run beside a state that is written and not read (-state-out): the state
/// gets what it says before it becomes the backup of what is written next.
Result<void> LocalStore::RecoverTarget() {
  Result<bool> claimed = ClaimLeftJournal();
  if (!claimed) {
    return std::unexpected(std::move(claimed).error());
  }
  if (!*claimed) {
    return Fail(ErrorCode::kExists,
                "another run is changing this state: its journal is " + JournalPath(paths_.write));
  }
  if (!left_journal_ || left_is_replayed_) {
    return {};
  }
  KINU_TRY(Text text, ReadOpenFile());
  KINU_TRY(state::State state,
           state::ReadState(program_, text == nullptr ? std::string() : std::string(*text)));
  KINU_TRY(const Journal::Replayed replayed, left_journal_->Replay(state, *sealer_));
  if (replayed.outcome == Journal::Outcome::kReplayed) {
    ++state.serial;
    auto whole = std::make_shared<const std::string>(DocumentOf(state));
    if (Result<void> swapped = SwapIn(state, *whole); !swapped) {
      return swapped;
    }
    original_ = std::move(whole);
  }
  if (replayed.damaged > 0 || replayed.outcome == Journal::Outcome::kForeign ||
      replayed.outcome == Journal::Outcome::kNoHeader ||
      replayed.outcome == Journal::Outcome::kSealed) {
    (void)left_journal_->SetAside();
  } else {
    left_journal_->Remove();
  }
  left_journal_.reset();
  return {};
}

/// The base at paths_.write, when it stands elsewhere: a journal continues the snapshot beside it.
Result<void> LocalStore::WriteBaseToTarget() {
  if (paths_.read == paths_.write || base_is_written_) {
    return {};
  }
  KINU_TRY(state::State base, base_text_ == nullptr ? state::ReadState(program_, std::string())
                                                    : state::ReadState(program_, base_text_));
  is_first_ = base_text_ == nullptr;
  return WriteContent(base, Content::kBase);
}

/// Without a lock: that nobody has changed the state since it was read, or is about to.
Result<void> LocalStore::RequireUnchanged() {
  KINU_TRY(const bool claimed, ClaimLeftJournal());
  const bool unseen = left_journal_ && !left_is_replayed_;
  if (unseen) {
    left_journal_.reset();
  }
  if (!claimed) {
    return Fail(ErrorCode::kExists,
                "another run is changing this state: its journal is " + JournalPath(paths_.write));
  }
  KINU_TRY(const Text text, ReadOpenFile());
  const bool same =
      text == nullptr || base_text_ == nullptr ? text == base_text_ : *text == *base_text_;
  return same && !unseen ? Result<void>{}
                         : Fail(ErrorCode::kExists, "another run has changed the state " +
                                                        paths_.write + " since it was read");
}

/// Makes room for a journal. One that belongs to another snapshot than the base is kept.
Result<void> LocalStore::ClearJournal() {
  KINU_TRY(const bool claimed, ClaimLeftJournal());
  if (!claimed) {
    return Fail(ErrorCode::kExists,
                "another run is changing this state: its journal is " + JournalPath(paths_.write));
  }
  if (left_journal_) {
    state::State nothing;
    nothing.program = std::make_shared<Program>();
    nothing.lineage = lineage_;
    nothing.serial = serial_;
    KINU_TRY(const Journal::Replayed replayed, left_journal_->Replay(nothing, *sealer_));
    if (replayed.records > 0 && replayed.outcome != Journal::Outcome::kStored) {
      (void)left_journal_->SetAside();
    }
    left_journal_.reset();
  }
  return {};
}

Result<void> LocalStore::StartRecording() {
  if (recording_) {
    return {};
  }
  if (unwritten_) {
    state::State state = *std::exchange(unwritten_, std::nullopt);
    if (Result<void> written = Write(state); !written) {
      return written;
    }
  }
  if (!base_loaded_) {
    if (Result<void> loaded = LoadBase(program_); !loaded) {
      return loaded;
    }
  }
  if (Result<void> opened = OpenFile(); !opened) {
    return opened;
  }
  recording_ = true;
  if (!IsRegular()) {
    // Nobody could go on from what stands there.
    return {};
  }
  Result<void> ready = WriteBaseToTarget();
  if (ready && !locked_ && paths_.read == paths_.write) {
    ready = RequireUnchanged();
  }
  if (!ready) {
    recording_ = false;
    return ready;
  }
  if (base_text_ == nullptr && lineage_.empty()) {
    lineage_ = RandomUuid();
  }
  if (Result<void> cleared = ClearJournal(); !cleared) {
    recording_ = false;
    return cleared;
  }
  Result<Journal> journal = Journal::Open(JournalPath(paths_.write), {serial_, lineage_}, *sealer_);
  if (!journal) {
    recording_ = false;
    return std::unexpected(std::move(journal).error());
  }
  journal_ = *std::move(journal);
  Result<void> created = journal_->Create();
  if (!created) {
    journal_.reset();
    // As the reference does, where only the file of the state itself may be written.
    recording_ = created.error().code == ErrorCode::kUnavailable;
  }
  return recording_ ? Result<void>{} : created;
}

Result<void> LocalStore::Record(const state::ObjectRecord& record) {
  if (Result<void> started = StartRecording(); !started) {
    return started;
  }
  if (journal_) {
    journal_->Append(*program_, record);
  }
  return {};
}

void LocalStore::DropRecords() {
  if (journal_) {
    (void)std::exchange(journal_, std::nullopt)->Remove();
    recording_ = false;
  }
}

Result<void> LocalStore::Flush(state::Durability durability) {
  return journal_ ? journal_->Commit(durability) : Result<void>{};
}

}  // namespace kinu::backend
