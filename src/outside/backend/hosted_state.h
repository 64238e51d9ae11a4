// HostedStateClient: the state of a workspace that a service keeps as a row of versions.
// Ref: opentofu internal/backend/remote/backend_state.go, internal/cloud/state.go.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "backend/organization.h"
#include "backend/remote_client.h"

namespace kinu::backend {

/// When states are stored while an apply runs.
enum class MidwayStoring : uint8_t {
  kAlways,
  kNever,
  kWhenAsked,  ///< as often as the service asks for it
};

/// Locks belong to the service's user: their id is "ORGANIZATION/WORKSPACE".
class HostedStateClient final : public RemoteClient {
 public:
  HostedStateClient(std::shared_ptr<const Organization> organization, HostedWorkspace workspace,
                    MidwayStoring midway);

  Result<std::optional<std::string>> Get() override;
  Result<void> PutState(const state::StoredBytes& stored, const state::State& state,
                        bool force) override;
  Result<void> Delete() override { return organization_->Delete(workspace_.name, false); }
  /// The message of a conflict has what the service knows of the holder.
  Result<std::string> Lock(const state::LockInfo& info) override;
  /// Does nothing after a state that could not be stored: nobody else may change what is newer than
  /// the stored state.
  Result<void> Unlock(std::string_view id) override;
  std::optional<std::chrono::seconds> write_interval(std::chrono::seconds usual) const override;

 private:
  std::string LockId() const { return organization_->name() + '/' + workspace_.name; }
  std::string PathOf(std::string_view what) const;
  /// Who holds the lock, as lock info.
  std::string Holder() const;
  void ReadInterval(const net::HttpResponse& response);
  Result<void> Store(const state::StoredBytes& stored, const state::State& state, bool force);

  std::shared_ptr<const Organization> organization_;
  HostedWorkspace workspace_;
  MidwayStoring midway_;
  std::optional<std::chrono::seconds> asked_interval_;
  std::string lock_id_;    // empty: not locked
  bool unstored_ = false;  // the newest state could not be stored
};

/// The outputs of a state as a JSON object, with the values of secret ones.
std::string OutputsDocument(const state::State& state);

}  // namespace kinu::backend
