// Provisioners: what a resource's `provisioner` blocks run after its object was created or before
// it is destroyed. They are part of the program: local-exec, file and remote-exec.
// Ref: opentofu internal/builtin/provisioners, internal/communicator/shared.
#pragma once

#include <atomic>
#include <functional>
#include <string_view>

#include "provider/provider.h"

namespace kinu::provider {

/// One run of a provisioner. Values carry no marks and are of the schemas' types.
struct ProvisionRequest {
  Value config;
  Value connection;  ///< null: there is no connection block
  /// Receives what people should see of the run, line by line.
  std::function<void(std::string_view)> output;
  /// Once true, the run ends early.
  const std::atomic<bool>* stop = nullptr;
};

class Provisioner {
 public:
  virtual ~Provisioner() = default;
  virtual const schema::Block& schema() const = 0;
  /// Problems that need no connection. Values may be unknown.
  virtual void Validate(const Value& config, Problems& problems) const = 0;
  /// Runs; called from several threads at once.
  virtual void Run(const ProvisionRequest& request, Problems& problems) const = 0;
};

/// The provisioner of that name, or null.
const Provisioner* FindProvisioner(std::string_view name);

/// What a `connection` block may contain, whatever its type.
const schema::Block& ConnectionSchema();

}  // namespace kinu::provider
