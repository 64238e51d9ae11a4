// KeptProviders: the providers of plans that follow each other in one process, with what they
// answered. A process that was configured once stays, and is asked only what it was not asked
// before: an edit of one block costs the calls for that block.
//
// What a provider says of the world (objects, data sources, imports) is kept as well: plans that
// follow each other see the world as the first one did.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "provider/provider.h"

namespace kinu::session {

class KeptAnswers;

class KeptProviders final : public provider::ProviderSource {
 public:
  /// `source` finds and starts providers, and outlives this.
  explicit KeptProviders(provider::ProviderSource& source);
  KeptProviders(const KeptProviders&) = delete;
  KeptProviders& operator=(const KeptProviders&) = delete;
  /// Ends the processes.
  ~KeptProviders() override;

  Result<const schema::ProviderSchema*> Schema(std::string_view address) override {
    return source_.Schema(address);
  }
  /// A provider for one plan. It gets its process when it needs one: with its configuration, one
  /// that has that configuration already, or else a new one. What is built in is not kept.
  Result<std::unique_ptr<provider::Provider>> Start(std::string_view address) override;

  /// A plan is done, and all its providers are closed. Ends the processes that it had no use for
  /// and those that failed, and forgets the answers that it did not ask for. `planned`: it came to
  /// ask; otherwise all stay. Returns whether a process of an earlier plan has failed: it may have
  /// died meanwhile, and another plan would have a new one.
  bool EndPlan(bool planned);

 private:
  class Process;
  class Handle;
  friend class Handle;

  /// A process with that configuration that no provider of this plan has, or null.
  std::shared_ptr<Process> Configured(std::string_view address, const Value& config);
  /// A process has its configuration: later plans may use it.
  void Keep(Process& process, const Value& config);
  bool HasConfig(const Process& process, const Value& config);
  /// A process for what needs no configuration, started if there is none.
  Result<std::shared_ptr<Process>> Any(std::string_view address);
  /// A process that is not configured, started if there is none.
  Result<std::shared_ptr<Process>> Fresh(std::string_view address);
  Result<std::shared_ptr<Process>> Launch(std::string_view address);

  provider::ProviderSource& source_;
  std::mutex mutex_;  // of all below
  std::vector<std::shared_ptr<Process>> processes_;
  /// Of calls that need no configuration, by the address of the provider.
  std::map<std::string, std::shared_ptr<KeptAnswers>, std::less<>> answers_;
  uint64_t plan_ = 0;
};

}  // namespace kinu::session
