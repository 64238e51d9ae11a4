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

/// The parts of a name as it is called.
struct ProviderFunctionName {
  std::string_view provider;
  std::string_view alias;  ///< empty: none
  std::string_view function;
};
/// Nothing when the name is not of that form.
std::optional<ProviderFunctionName> ParseProviderFunction(std::string_view name);

/// The functions that a walk has met. Thread-safe.
class ProviderFunctions {
 public:
  /// `walk` outlives this.
  explicit ProviderFunctions(Walk& walk);
  ~ProviderFunctions();
  /// The function that a name means in a module, or null. Its provider has been started, unless the
  /// walk validates.
  const functions::Callable* Find(const config::ConfigNode& node, std::string_view name);

 private:
  class Function;
  Walk& walk_;
  std::mutex mutex_;
  std::map<std::pair<uint32_t, std::string>, std::unique_ptr<Function>> known_;
};

}  // namespace kinu::engine
