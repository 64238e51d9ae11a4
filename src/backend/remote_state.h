// States of other configurations, for the data source terraform_remote_state.
#pragma once

#include "provider/builtin.h"

namespace kinu::backend {

/// Reads states through the backends of this library. Takes no lock: a state is read as it is
/// stored.
class StoredStates final : public provider::RemoteStates {
 public:
  void Check(std::string_view backend, const Value& config, provider::Problems& problems) override;
  std::optional<std::vector<provider::RemoteOutput>> Read(std::string_view backend,
                                                          const Value& config,
                                                          std::string_view workspace,
                                                          provider::Problems& problems) override;
};

}  // namespace kinu::backend
