// OfflineProviders: providers as far as they are known without a process: their schemas, from the
// cache, and what is built in.
#pragma once

#include "provider/provider.h"

namespace kinu::ide {

class OfflineProviders final : public provider::ProviderSource {
 public:
  /// `source` starts no process by itself, and outlives this.
  explicit OfflineProviders(provider::ProviderSource& source) : source_(source) {}

  Result<const schema::ProviderSchema*> Schema(std::string_view address) override {
    return source_.Schema(address);
  }
  /// A provider that finds nothing wrong with any configuration, and whose functions have unknown
  /// results. It does nothing else.
  Result<std::unique_ptr<provider::Provider>> Start(std::string_view address) override;

 private:
  provider::ProviderSource& source_;
};

}  // namespace kinu::ide
