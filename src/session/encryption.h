// The encryption of states and plans that the root module and TF_ENCRYPTION ask for.
#pragma once

#include <memory>
#include <span>

#include "encryption/encryption.h"
#include "session/load.h"

namespace kinu::session {

/// Never null, except after an error.
using EncryptionRef = std::shared_ptr<const encryption::Encryption>;
/// Nothing is encrypted.
EncryptionRef NoEncryption();

/// Makes the keys that a loaded root module asks for. Null after an error.
EncryptionRef SetUpEncryption(const Workspace& workspace, const Loaded& loaded, Diagnostics& diags);
/// The same for a root module that was loaded for LoadIntent::kInitialization, whose encryption
/// block is checked first.
EncryptionRef CheckEncryption(const Workspace& workspace, const Loaded& loaded, Diagnostics& diags);
/// The same for commands that need nothing else of the configuration. Loads it only if it may ask
/// for encryption.
EncryptionRef LoadEncryption(const Workspace& workspace,
                             std::span<const config::VariableArgument> arguments,
                             Diagnostics& diags);

}  // namespace kinu::session
