// Provider processes that a command keeps from one walk to the next.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "addrs/address.h"
#include "provider/provider.h"

namespace kinu::engine {

/// Providers kept between the walks of one command, so that each process starts once. Thread-safe.
class ProviderPool {
 public:
  /// A provider of an earlier walk for this configuration, or null.
  std::unique_ptr<provider::Provider> Take(const ProviderConfig& address, size_t row);
  /// Counts a provider that was just started among those in use.
  void Use(provider::Provider& started);
  void Put(const ProviderConfig& address, size_t row, std::unique_ptr<provider::Provider> provider);
  /// Asks all providers that are in use to stop.
  void StopAll();
  void CloseAll();
  ~ProviderPool() { CloseAll(); }

 private:
  struct Entry {
    ProviderConfig address;
    size_t row = 0;
    std::unique_ptr<provider::Provider> provider;
  };
  std::mutex mutex_;
  std::vector<Entry> idle_;
  std::vector<provider::Provider*> in_use_;
};

}  // namespace kinu::engine
