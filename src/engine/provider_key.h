// Keys that choose one instance of a provider with for_each. Ref: opentofu
// internal/tofu/eval_provider.go resolveProviderInstance.
#pragma once

#include <string>

#include "engine/instances.h"
#include "engine/walk.h"

namespace kinu::engine {

/// Evaluates a key expression in a module instance. Returns none, with an error, if its value is no
/// key: unknown, null, sensitive, ephemeral or no text. `user`: who needs it, for messages.
InstanceKey ReadProviderKey(const Walk& walk, const std::string& user, const hcl::Expr& expr,
                            const ModuleInstance& instance, const Repetition& repetition,
                            Diagnostics& diags);
/// As above, the key that a call passes to `called` or a module in it.
InstanceKey ReadPassedKey(const Walk& walk, const std::string& user, const config::PassedKey& key,
                          const ModuleInstance& called, Diagnostics& diags);

}  // namespace kinu::engine
