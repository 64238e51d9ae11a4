// `encryption` blocks that lie over each other. Private to config. Ref: opentofu
// internal/encryption.
#pragma once

#include "config/static_value.h"

namespace kinu::config {

/// Puts an `encryption` configuration over that of a module, if it has one.
void MergeEncryption(Module& module, const Encryption& over);
/// Puts the content of an `encryption` block, a text in either syntax, over that of a module.
/// `name`: of the text in diagnostics.
void MergeEncryptionText(Module& module, std::string_view name, std::string_view text,
                         Diagnostics& diags);

}  // namespace kinu::config
