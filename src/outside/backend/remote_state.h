// States of other configurations, for the data source terraform_remote_state.
#pragma once

#include <functional>
#include <memory>

#include "backend/service_hosts.h"
#include "provider/builtin.h"
#include "state/sealer.h"

namespace kinu::backend {

/// Reads states through the backends of this library. Takes no lock: a state is read as it is
/// stored.
class StoredStates final : public provider::RemoteStates {
 public:
  /// Returns what decrypts the state of a data source. `name`: its address without
  /// "data.terraform_remote_state." and a leading "module.".
  using SealerOf = std::function<state::SealerRef(std::string_view name)>;
  /// Before the first Read(), which fails otherwise.
  void Decrypt(SealerOf sealer_of) { sealer_of_ = std::move(sealer_of); }

  /// Before the first Read(): states may be in services of hosts.
  void Reach(std::shared_ptr<ServiceHosts> hosts) { hosts_ = std::move(hosts); }

  void Check(std::string_view backend, const Value& config, provider::Problems& problems) override;
  std::optional<std::vector<provider::RemoteOutput>> Read(std::string_view address,
                                                          std::string_view backend,
                                                          const Value& config,
                                                          std::string_view workspace,
                                                          provider::Problems& problems) override;

 private:
  SealerOf sealer_of_ = [](std::string_view) { return state::Undecided(); };
  std::shared_ptr<ServiceHosts> hosts_;
};

}  // namespace kinu::backend
