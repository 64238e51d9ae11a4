// Provisioners: run by `provisioner` blocks after an object is created or before it is destroyed.
// local-exec, file and remote-exec are built in. Ref: opentofu internal/builtin/provisioners,
// internal/communicator/shared.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>

#include "provider/provider.h"

namespace kinu::provisioners {

/// One run of a provisioner. Values have the types of the schemas and no marks.
struct ProvisionRequest {
  Value config;
  Value connection;  ///< null: there is no connection block
  /// Receives the output for users, line by line.
  std::function<void(std::string_view)> output;
  /// The run ends early once this is true.
  const std::atomic<bool>* stop = nullptr;
};

/// A provisioner type. Stateless.
class Provisioner {
 public:
  virtual ~Provisioner() = default;
  virtual const schema::Block& schema() const = 0;
  /// Reports configuration errors that can be found without a connection. Values may be unknown.
  virtual void Validate(const Value& config, provider::Problems& problems) const = 0;
  /// Runs the provisioner. Thread-safe.
  virtual void Run(const ProvisionRequest& request, provider::Problems& problems) const = 0;
};

/// Returns the provisioner `name`, or null.
const Provisioner* FindProvisioner(std::string_view name);

/// The schema of `connection` blocks, for all connection types.
const schema::Block& ConnectionSchema();

}  // namespace kinu::provisioners
