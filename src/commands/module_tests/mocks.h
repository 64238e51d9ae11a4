// Mocked providers and overridden resources: which objects of a run are answered for by the test,
// and with which values. Ref: opentofu internal/tofu/provider_for_test_framework.go.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "config/module_test_file.h"
#include "engine/request.h"
#include "module_tests/overridden_instances.h"

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
  /// A block overrides instances of a resource. Of equal targets, the last one counts.
  void Add(const ConfigResource& resource, const config::ResourceOverride& block);
  bool empty() const { return providers_.empty() && resources_.empty(); }

  bool Unconfigured(const ProviderConfig& address) const override {
    return providers_.contains(address);
  }
  provider::Provider* For(const Program& program, const ResourceInstance& object,
                          const ProviderConfig& address, provider::Provider& provider,
                          Diagnostics& diags) override;

 private:
  struct Resource {
    OverriddenInstances instances;
    bool reported = false;  // that it mixes both forms of addresses
  };

  /// The values that a mocked provider has for an object; null: none.
  const Value* ValuesOf(const Program& program, const config::MockProvider& mock,
                        const ResourceInstance& object, Diagnostics& diags) const;

  FlatMap<ProviderConfig, const config::MockProvider*> providers_;
  FlatMap<ConfigResource, std::unique_ptr<Resource>> resources_;
  std::mutex mutex_;  // of made_ and of what was reported
  std::map<std::pair<const provider::Provider*, const Value*>, std::unique_ptr<provider::Provider>>
      made_;
};

}  // namespace kinu::module_tests
