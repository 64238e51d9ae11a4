// RemoteStore: a store over the bytes of a remote client. Lineage, serial and what is worth writing
// are decided here, once for all services. Ref: opentofu internal/states/remote/state.go.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "backend/backend.h"
#include "backend/remote_client.h"
#include "backend/remote_journal.h"
#include "state/sealer.h"
#include "state/store.h"

namespace kinu::backend {

class RemoteStore final : public state::Store {
 public:
  RemoteStore(std::unique_ptr<RemoteClient> client, Storing storing)
      : client_(std::move(client)),
        sealer_(storing.sealer),
        journal_(std::move(storing.journal), storing.sealer) {}
  RemoteStore(const RemoteStore&) = delete;
  RemoteStore& operator=(const RemoteStore&) = delete;
  /// Unlocks.
  ~RemoteStore() override;

  Result<void> Lock(const state::LockRequest& request) override;
  Result<void> Unlock() override;
  Result<void> ForceUnlock(std::string_view id) override;
  bool can_lock() const override { return client_->can_lock(); }
  /// Stores what a killed run has left, if the state is locked.
  Result<state::State> Read(std::shared_ptr<Program> program) override;
  /// Its error names what failed. Ref: opentofu states/remote State.GetRootOutputValues.
  Result<state::State> ViewOutputs(std::shared_ptr<Program> program) override;
  void LookOnly() override { looks_only_ = true; }
  Result<void> Write(state::State& state) override;
  Result<void> Replace(state::State& state, bool force) override;
  Result<void> StartRecording() override;
  Result<void> Record(const state::ObjectRecord& record) override;
  /// TF_STATE_PERSIST_INTERVAL, or 20 seconds, unless the client says otherwise.
  std::optional<std::chrono::seconds> write_interval() const override;
  using Store::Flush;
  Result<void> Flush(state::Durability durability) override { return journal_.Flush(durability); }
  void DropRecords() override { (void)journal_.AfterStoring(); }
  std::string_view recovery_note() const override { return journal_.note(); }
  bool exports_absent_state() const override { return true; }

 private:
  /// What is stored, as the last Read() or Write() saw it.
  struct Stored {
    std::shared_ptr<const std::string> text;  ///< the document; null: nothing is stored
    std::string lineage;
    uint64_t serial = 0;
    bool outdated = false;  ///< it is worth encrypting anew
  };

  Result<Stored> Fetch(const std::shared_ptr<Program>& program);
  Result<void> Persist(state::State& state, bool force = false);

  std::unique_ptr<RemoteClient> client_;
  const state::SealerRef sealer_;
  RemoteJournal journal_;
  std::string lock_id_;  // empty: not locked, or by a client that has no locks
  bool locked_ = false;
  bool looks_only_ = false;
  std::optional<Stored> stored_;
  std::shared_ptr<Program> program_;       // of the state that was read
  std::optional<state::State> unwritten_;  // what was read, with what a killed run has left
};

}  // namespace kinu::backend
