// RemoteStore: a store over the bytes of a remote client. Lineage, serial and what is worth writing
// are decided here, once for all services. Ref: opentofu internal/states/remote/state.go.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "backend/remote_client.h"
#include "state/sealer.h"
#include "state/store.h"

namespace kinu::backend {

class RemoteStore final : public state::Store {
 public:
  /// `sealer`: encrypts the state; null: nothing does.
  RemoteStore(std::unique_ptr<RemoteClient> client, state::SealerRef sealer)
      : client_(std::move(client)), sealer_(std::move(sealer)) {}
  RemoteStore(const RemoteStore&) = delete;
  RemoteStore& operator=(const RemoteStore&) = delete;
  /// Unlocks.
  ~RemoteStore() override;

  Result<void> Lock(const state::LockRequest& request) override;
  Result<void> Unlock() override;
  Result<void> ForceUnlock(std::string_view id) override;
  bool can_lock() const override { return client_->can_lock(); }
  Result<state::State> Read(std::shared_ptr<Program> program) override;
  Result<void> Write(state::State& state) override;
  Result<void> Replace(state::State& state, bool force) override;
  /// Objects are not recorded one by one: Write() stores the whole state.
  Result<void> Record(const state::ObjectRecord&) override { return {}; }
  /// TF_STATE_PERSIST_INTERVAL, or 20 seconds.
  std::optional<std::chrono::seconds> write_interval() const override;
  using Store::Flush;
  Result<void> Flush(state::Durability) override { return {}; }
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
  Result<void> Persist(state::State& state);

  std::unique_ptr<RemoteClient> client_;
  const state::SealerRef sealer_;
  std::string lock_id_;  // empty: not locked
  std::optional<Stored> stored_;
};

}  // namespace kinu::backend
