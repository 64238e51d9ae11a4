#include "backend/remote_store.h"

#include <charconv>
#include <utility>

#include "backend/lock_wait.h"
#include "base/environment.h"
#include "base/files.h"
#include "base/program_name.h"

namespace kinu::backend {

RemoteStore::~RemoteStore() {
  if (!lock_id_.empty()) {
    (void)Unlock();
  }
}

Result<void> RemoteStore::Lock(const state::LockRequest& request) {
  state::LockInfo info = state::NewLockInfo(request.operation);
  info.info = request.info;
  std::string conflict;
  return WaitForLock(
      request, {},
      [&]() -> Result<bool> {
        Result<std::string> id = client_->Lock(info);
        if (id) {
          lock_id_ = *std::move(id);
          locked_ = true;
          return true;
        }
        if (id.error().code != ErrorCode::kExists) {
          return std::unexpected(std::move(id).error());
        }
        conflict = std::move(id).error().message;
        return false;
      },
      [&] { return conflict; });
}

Result<void> RemoteStore::Unlock() {
  locked_ = false;
  if (lock_id_.empty()) {
    return {};  // the client took no lock
  }
  const std::string id = std::exchange(lock_id_, {});
  Result<void> released = client_->Unlock(id);
  if (!released && released.error().code != ErrorCode::kInvalid) {
    return Fail(released.error().code,
                released.error().message +
                    Hint("\n\nThe lock may still be held. If it is, release it "
                         "with:\n  tofu force-unlock ") +
                    id);
  }
  return released;
}

std::optional<std::chrono::seconds> RemoteStore::write_interval() const {
  constexpr int kDefault = 20;
  const std::string_view text = Environment("TF_STATE_PERSIST_INTERVAL");
  int seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool given = error == std::errc() && end == text.data() + text.size() && seconds > 0;
  return client_->write_interval(std::chrono::seconds(given ? seconds : kDefault));
}

Result<void> RemoteStore::ForceUnlock(std::string_view id) {
  return client_->Unlock(id);
}

Result<RemoteStore::Stored> RemoteStore::Fetch(const std::shared_ptr<Program>& program) {
  KINU_TRY(std::optional<std::string> bytes, client_->Get());
  Stored stored;
  if (bytes) {
    KINU_TRY(state::Sealer::Opened opened, sealer_->Open(*std::move(bytes)));
    stored.outdated = opened.outdated;
    stored.text = std::make_shared<const std::string>(std::move(opened.document));
    KINU_TRY(const state::State state, state::ReadState(program, stored.text));
    stored.lineage = state.lineage;
    stored.serial = state.serial;
  }
  return stored;
}

Result<state::State> RemoteStore::Read(std::shared_ptr<Program> program) {
  KINU_TRY(Stored stored, Fetch(program));
  stored_ = std::move(stored);
  program_ = program;
  KINU_TRY(state::State state, stored_->text == nullptr ? state::ReadState(program, std::string())
                                                        : state::ReadState(program, stored_->text));
  const bool may_write = locked_ && !looks_only_;
  KINU_TRY(const RemoteJournal::Recovery recovery, journal_.Recover(state, may_write));
  if (recovery == RemoteJournal::Recovery::kUnstored && may_write) {
    if (Result<void> written = Write(state); !written) {
      return std::unexpected(std::move(written).error());
    }
  } else if (recovery == RemoteJournal::Recovery::kUnstored && !looks_only_) {
    unwritten_ = state.Clone();
  }
  return state;
}

Result<void> RemoteStore::StartRecording() {
  if (journal_.recording()) {
    return {};
  }
  if (program_ == nullptr) {
    program_ = std::make_shared<Program>();
  }
  if (unwritten_) {
    state::State state = *std::exchange(unwritten_, std::nullopt);
    if (Result<void> written = Write(state); !written) {
      return written;
    }
  }
  if (!stored_) {
    KINU_TRY(Stored stored, Fetch(program_));
    stored_ = std::move(stored);
  }
  if (stored_->lineage.empty()) {
    stored_->lineage = RandomUuid();
  }
  return journal_.Start({stored_->serial, stored_->lineage});
}

Result<state::State> RemoteStore::ViewOutputs(std::shared_ptr<Program> program) {
  Result<state::State> state = Read(std::move(program));
  return state ? std::move(state)
               : Fail(ErrorCode::kInvalid, "Failed to load state: " + state.error().message);
}

Result<void> RemoteStore::Record(const state::ObjectRecord& record) {
  if (Result<void> started = StartRecording(); !started) {
    return started;
  }
  journal_.Record(*program_, record);
  return {};
}

Result<void> RemoteStore::Persist(state::State& state, bool force) {
  if (Result<void> writable = state::CheckWritable(state); !writable) {
    return writable;
  }
  auto text =
      std::make_shared<const std::string>(state::WriteState(state, state::Layout::kCompact));
  const state::Snapshot snapshot{state.serial, state.lineage};
  KINU_TRY(const state::StoredBytes sealed, sealer_->Seal(*text, &snapshot));
  journal_.BeforeStoring(state.serial);
  if (Result<void> put = client_->PutState(sealed, state, force); !put) {
    return put;
  }
  stored_ = Stored{std::move(text), state.lineage, state.serial, false};
  unwritten_.reset();
  return journal_.AfterStoring();
}

Result<void> RemoteStore::Write(state::State& state) {
  if (!stored_ || stored_->text == nullptr) {
    KINU_TRY(Stored stored, Fetch(state.program));
    if (stored.text == nullptr && stored_) {
      stored.lineage = std::move(stored_->lineage);  // that of the journal
    }
    stored_ = std::move(stored);
  }
  state.lineage = stored_->lineage;
  state.serial = stored_->serial;
  if (stored_->text != nullptr) {
    KINU_TRY(const state::State base, state::ReadState(state.program, stored_->text));
    if (state::SameContent(state, base) && !stored_->outdated) {
      return journal_.AfterStoring();
    }
  }
  if (state.lineage.empty()) {
    state.lineage = RandomUuid();
  }
  ++state.serial;
  return Persist(state);
}

Result<void> RemoteStore::Replace(state::State& state, bool force) {
  if (!stored_ || stored_->text == nullptr) {
    KINU_TRY(Stored stored, Fetch(state.program));
    stored_ = std::move(stored);
  }
  if (stored_->text == nullptr) {
    // The first state of a workspace starts a lineage, wherever its content is from.
    state.lineage = RandomUuid();
    state.serial = 1;
    return Persist(state);
  }
  KINU_TRY(const state::State base, state::ReadState(state.program, stored_->text));
  if (!force) {
    if (Result<void> allowed = state::CheckReplacement(state, base); !allowed) {
      return allowed;
    }
  }
  if (state::SameContent(state, base) && state.lineage == stored_->lineage &&
      state.serial == stored_->serial) {
    return {};
  }
  ++state.serial;
  return Persist(state, force);
}

}  // namespace kinu::backend
