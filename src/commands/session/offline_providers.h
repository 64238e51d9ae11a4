// OfflineProviders: providers as far as they are known without a process: their schemas, what a
// state knows of their objects, and what is built in.
#pragma once

#include <memory>

#include "provider/builtin.h"
#include "provider/provider.h"
#include "session/stored_data.h"

namespace kinu::session {

class OfflineProviders final : public provider::ProviderSource {
 public:
  /// `schemas` starts no process by itself, and outlives this.
  explicit OfflineProviders(provider::ProviderSource& schemas) : schemas_(schemas) {}

  /// From now on providers plan: they keep objects whose configuration is unchanged, and propose
  /// what the configuration says otherwise, with unknown values for what they would compute. Data
  /// sources are those of `state`, which outlives this.
  void PlanFrom(const state::State& state);

  Result<const schema::ProviderSchema*> Schema(std::string_view address) override {
    return schemas_.Schema(address);
  }
  /// A provider that finds nothing wrong with any configuration, and whose functions have unknown
  /// results. It does nothing else until PlanFrom().
  Result<std::unique_ptr<provider::Provider>> Start(std::string_view address) override;

 private:
  provider::ProviderSource& schemas_;
  std::shared_ptr<const StoredData> stored_;  ///< null: nothing is planned
  std::shared_ptr<provider::RemoteStates> remote_states_;
};

}  // namespace kinu::session
