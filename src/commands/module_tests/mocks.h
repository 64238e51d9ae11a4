// Mocked providers and overridden resources: which objects of a run are answered for by the test,
// and with which values. Ref: opentofu internal/tofu/provider_for_test_framework.go.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "config/module_test_file.h"
#include "engine/request.h"

namespace kinu::module_tests {

/// Answers for objects of one run in place of their providers.
class Mocks final : public engine::Substitutes {
 public:
  Mocks();
  Mocks(const Mocks&) = delete;
  Mocks& operator=(const Mocks&) = delete;
  ~Mocks() override;

  /// A provider configuration is mocked.
  void Add(const ProviderConfig& address, const config::MockProvider& mock) {
    providers_[address] = &mock;
  }
  /// A resource has values of its own; null: generated ones.
  void Add(const ConfigResource& resource, const Value* values) { resources_[resource] = values; }
  bool empty() const { return providers_.empty() && resources_.empty(); }

  bool Unconfigured(const ProviderConfig& address) const override {
    return providers_.contains(address);
  }
  provider::Provider& For(const Program& program, const AbsResource& resource,
                          const ProviderConfig& address, provider::Provider& provider) override;

 private:
  FlatMap<ProviderConfig, const config::MockProvider*> providers_;
  FlatMap<ConfigResource, const Value*> resources_;
  std::mutex mutex_;  // of made_
  std::map<std::pair<const provider::Provider*, const Value*>, std::unique_ptr<provider::Provider>>
      made_;
};

}  // namespace kinu::module_tests
