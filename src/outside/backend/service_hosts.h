// ServiceHosts: where hosts have their services, and which tokens they take. Backends that keep
// states in a service reach it through this; session/ implements it.
#pragma once

#include <atomic>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu::backend {

/// Thread-safe.
class ServiceHosts {
 public:
  virtual ~ServiceHosts() = default;
  /// The URL of a service ("tfe.v2") of a host. The error is a whole message.
  virtual Result<std::string> Service(const std::string& host, std::string_view id) = 0;
  /// The token for a host; empty if there is none.
  virtual Result<std::string> Token(const std::string& host) = 0;
  /// Becomes true when the user interrupts. Null: never.
  virtual const std::atomic<bool>* stop() const { return nullptr; }
  /// Tells the user about a request that takes long.
  virtual void Report(const std::string& /*text*/) {}
};

}  // namespace kinu::backend
