// Checks `encryption` and `cloud` blocks while loading, as commands with a state need it. Private
// to config. Ref: opentofu internal/encryption, internal/cloud/backend.go.
#pragma once

#include "config/static_value.h"

namespace kinu::config {

/// Puts an `encryption` configuration over that of a module, if it has one.
void MergeEncryption(Module& module, Encryption& over);
/// The same with a text in either syntax: the content of an `encryption` block. `name`: of the text
/// in diagnostics.
void MergeEncryptionText(Module& module, std::string_view name, std::string_view text,
                         Diagnostics& diags);

/// Checks that the methods and key providers in use are declared, have valid arguments, and refer
/// only to values known while loading. Creates no keys. False after an error, which stands after
/// the warnings of WarnOfUnencrypted().
bool CheckEncryption(const ConfigNode& root, const Encryption& encryption,
                     StaticEvaluator& evaluator, Diagnostics& diags);

}  // namespace kinu::config
