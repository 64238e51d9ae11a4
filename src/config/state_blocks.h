// Checks `encryption` and `cloud` blocks while loading, as commands with a state need it. Private
// to config. Ref: opentofu internal/encryption, internal/cloud/backend.go.
#pragma once

#include "config/static_value.h"

namespace kinu::config {

/// Checks that the methods and key providers in use are declared, have valid arguments, and refer
/// only to values known while loading. Creates no keys. False after an error.
bool CheckEncryption(const ConfigNode& root, const Encryption& encryption,
                     StaticEvaluator& evaluator, Diagnostics& diags);

/// Checks the arguments of a `cloud` block: all that `init` needs, or for other commands the names
/// and secrets alone. False after an error.
bool CheckCloud(const ConfigNode& root, const Cloud& cloud, StaticEvaluator& evaluator,
                bool for_init, Diagnostics& diags);

}  // namespace kinu::config
