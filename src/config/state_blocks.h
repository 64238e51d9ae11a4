// The blocks `encryption` and `cloud`, evaluated while loading as commands with a state do. Private
// to config. Ref: opentofu internal/encryption, internal/cloud/backend.go.
#pragma once

#include "config/static_value.h"

namespace kinu::config {

/// Checks that the methods and key providers in use are declared, have the arguments that their
/// types want, and refer to nothing but what is known while loading. No key is made. False after an
/// error.
bool CheckEncryption(const ConfigNode& root, const Encryption& encryption,
                     StaticEvaluator& evaluator, Diagnostics& diags);

/// The same for the arguments of a `cloud` block.
bool CheckCloud(const ConfigNode& root, const Cloud& cloud, StaticEvaluator& evaluator,
                Diagnostics& diags);

}  // namespace kinu::config
