// Protocol 6 over the rows and functions of a provider.
#pragma once

#include <mutex>
#include <stop_token>
#include <string_view>
#include <vector>

#include <kinu/provider.h>

#include "sdk/level.h"
#include "sdk/server.h"

namespace kinu::sdk {

/// A row of the provider with the level of its schema.
template <typename Row>
struct Bound {
  const Row* row;
  Level level;
};
using BoundResource = Bound<v1::ManagedResource>;

/// The service tfplugin6.Provider. Thread-safe.
class ProviderService {
 public:
  /// `provider` must live as long as the service.
  explicit ProviderService(const v1::Provider& provider);

  /// Answers a call of a method ("ReadResource").
  Reply Answer(std::string_view method, std::string_view request);
  /// Asks the calls that run to stop.
  void Stop();

  const v1::Provider& provider() const { return provider_; }
  const Level& config() const { return config_; }
  const std::vector<BoundResource>& resources() const { return resources_; }
  const std::vector<Bound<v1::DataSource>>& data_sources() const { return data_sources_; }
  const std::vector<Bound<v1::EphemeralResource>>& ephemeral_resources() const {
    return ephemeral_resources_;
  }

 private:
  const v1::Provider& provider_;
  Level config_;
  std::vector<BoundResource> resources_;
  std::vector<Bound<v1::DataSource>> data_sources_;
  std::vector<Bound<v1::EphemeralResource>> ephemeral_resources_;
  std::mutex mutex_;
  std::stop_source stop_;  ///< of the calls that run
};

}  // namespace kinu::sdk
