// Functions of providers in expressions: `provider::name::f` and `provider::name::alias::f`, where
// `name` is among the module's required providers. Ref: opentofu
// internal/tofu/context_functions.go, transform_provider.go ProviderFunctionTransformer.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "config/config.h"
#include "functions/function.h"

namespace kinu::engine {

class Walk;
struct ModuleInstance;

/// The parts of the name of a called function.
struct ProviderFunctionName {
  std::string_view provider;
  std::string_view alias;  ///< empty: none
  std::string_view function;
};
/// Nothing if the name has another form.
std::optional<ProviderFunctionName> ParseProviderFunction(std::string_view name);
/// Reports a call of a function whose provider is not among the module's required providers.
void ReportUnknownFunctionProvider(const hcl::CallExpr& call, const ProviderFunctionName& name,
                                   Diagnostics& diags);

/// Says of a call that its provider has no such function.
void ExplainMissingFunction(const hcl::CallExpr& call, Diagnostic& diagnostic);
/// Reports such a call.
void ReportMissingFunction(const hcl::CallExpr& call, Diagnostics& diags);

/// The functions that the expressions of a walk call. Thread-safe.
class ProviderFunctions {
 public:
  /// `walk` outlives this.
  explicit ProviderFunctions(Walk& walk);
  ~ProviderFunctions();
  /// The function with this name in a module instance, or null. Its provider has been started;
  /// validation and the console start it at the first call of one of its functions and do not
  /// configure it. `problems` gets why no instance of a provider with for_each can be called.
  const functions::Callable* Find(const ModuleInstance& instance, std::string_view name,
                                  Diagnostics& problems);
  /// Reports a call in a module whose function does not exist in any instance of the module.
  void Check(const config::ConfigNode& node, const hcl::CallExpr& call, Diagnostics& diags);

 private:
  class Function;
  /// What a name means in a module.
  struct Named {
    ProviderFunctionName parts;
    std::optional<uint32_t> provider;
    bool keyed = false;     ///< a key chooses one of its started instances
    config::PassedKey key;  ///< that the module gets, if it gets one
    std::map<std::string, std::unique_ptr<Function>> functions;  ///< by the text of the key
  };

  Named* NameIn(const config::ConfigNode& node, std::string_view name);
  const functions::Callable* Start(const config::ConfigNode& node, std::string_view name,
                                   Named& named, const InstanceKey& key);
  /// Starts the provider of a function whose signature may be missing; null: there is no such
  /// function.
  std::unique_ptr<Function> Start(uint32_t index, std::string_view name,
                                  const ProviderFunctionName& parts, const InstanceKey& key);

  Walk& walk_;
  std::mutex mutex_;
  std::map<std::pair<uint32_t, std::string>, Named> known_;
};

}  // namespace kinu::engine
