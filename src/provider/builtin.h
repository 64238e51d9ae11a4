// The provider that is part of the program: `terraform.io/builtin/terraform`, with the resource
// type terraform_data, the data source terraform_remote_state and three functions. Ref: opentofu
// internal/builtin/providers/tf.
#pragma once

#include <memory>

#include "provider/provider.h"

namespace kinu::provider {

/// A root output in the state of another configuration.
struct RemoteOutput {
  std::string name;
  Value value;
  std::string deprecated;  ///< its author's message, or nothing
};

/// Where terraform_remote_state finds states: whoever knows the backends. Called from any thread.
class RemoteStates {
 public:
  virtual ~RemoteStates() = default;
  /// Whether there is such a backend and whether its configuration (an object) makes sense; a
  /// problem names the attribute `backend` or `config`.
  virtual void Check(std::string_view backend, const Value& config, Problems& problems) = 0;
  /// The root outputs; nothing and no problem when there is no state.
  virtual std::optional<std::vector<RemoteOutput>> Read(std::string_view backend,
                                                        const Value& config,
                                                        std::string_view workspace,
                                                        Problems& problems) = 0;
};

const schema::ProviderSchema& BuiltInSchema();
/// Without `states` every read of a remote state fails.
std::unique_ptr<Provider> MakeBuiltInProvider(std::shared_ptr<RemoteStates> states = nullptr);

/// A call of one of the provider's functions, as Provider::CallFunction.
std::expected<Value, std::string> CallBuiltInFunction(std::string_view name,
                                                      std::span<const Value> arguments,
                                                      int* argument);

}  // namespace kinu::provider
