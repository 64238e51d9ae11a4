// OfflineSchemas: the schemas that are known without any process: given ones, those that the cache
// has of the locked versions, and else those of the newest version that the cache knows.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "session/provider_set.h"

namespace kinu::session {

/// Safe to use from several threads.
class OfflineSchemas final : public provider::ProviderSource {
 public:
  /// Returns a given schema, or null. Valid as long as this.
  using Given = std::function<const schema::ProviderSchema*(std::string_view address)>;

  /// `providers` starts no processes, and outlives this.
  OfflineSchemas(ProviderSet& providers, Given given)
      : providers_(providers), given_(std::move(given)) {}

  Result<const schema::ProviderSchema*> Schema(std::string_view address) override;
  /// Only what is built in.
  Result<std::unique_ptr<provider::Provider>> Start(std::string_view address) override;

  /// Reports each provider of the configuration and the state whose schema is not known. Warns of
  /// those whose version is not locked. False after an error.
  bool Require(const config::Config& config, const state::State& state, Diagnostics& diags);

 private:
  /// Whether the version of a schema is that of the lock file, or the schema was given.
  bool IsSettled(std::string_view address) const;

  ProviderSet& providers_;
  const Given given_;
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const schema::ProviderSchema>, std::less<>> assumed_;
};

}  // namespace kinu::session
