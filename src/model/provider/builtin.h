// The built-in provider `terraform.io/builtin/terraform`: the resource type terraform_data, the
// data source terraform_remote_state and three functions. Ref: opentofu
// internal/builtin/providers/tf.
#pragma once

#include <memory>

#include "provider/provider.h"

namespace kinu::provider {

/// A root output in the state of another configuration.
struct RemoteOutput {
  std::string name;
  Value value;
  std::string deprecated;  ///< deprecation message of the output, or empty
};

/// Reads states for terraform_remote_state. Implemented where the backends are known. Thread-safe.
class RemoteStates {
 public:
  virtual ~RemoteStates() = default;
  /// Checks that the backend exists and accepts the configuration (an object). Problems name the
  /// attribute `backend` or `config`.
  virtual void Check(std::string_view backend, const Value& config, Problems& problems) = 0;
  /// The root outputs, for the data source at `address`. Nothing, without a problem, if there is no
  /// state.
  virtual std::optional<std::vector<RemoteOutput>> Read(std::string_view address,
                                                        std::string_view backend,
                                                        const Value& config,
                                                        std::string_view workspace,
                                                        Problems& problems) = 0;
  /// As those of Provider.
  virtual bool defers_reads() const { return false; }
  virtual bool DefersRead(std::string_view /*address*/, const Value& /*config*/) { return false; }
};

/// The schema of the built-in provider. Valid as long as the process.
const schema::ProviderSchema& BuiltInSchema();
/// Without `states` every read of a remote state fails.
std::unique_ptr<Provider> MakeBuiltInProvider(std::shared_ptr<RemoteStates> states = nullptr);

/// Calls a function of the provider. As Provider::CallFunction.
std::expected<Value, std::string> CallBuiltInFunction(std::string_view name,
                                                      std::span<const Value> arguments,
                                                      int* argument);

}  // namespace kinu::provider
