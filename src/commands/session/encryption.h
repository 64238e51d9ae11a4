// The encryption of states and plans that the root module and TF_ENCRYPTION ask for.
#pragma once

#include <optional>
#include <span>

#include "encryption/encryption.h"
#include "session/load.h"

namespace kinu::session {

using encryption::EncryptionRef;

/// Makes the sealers that a loaded root module asks for. Nothing after an error, that of loading
/// the module included.
std::optional<EncryptionRef> SetUpEncryption(const Workspace& workspace, const Loaded& loaded,
                                             Diagnostics& diags);
/// The same for a root module that was loaded for LoadIntent::kInitialization, whose encryption
/// block is checked first.
std::optional<EncryptionRef> CheckEncryption(const Workspace& workspace, const Loaded& loaded,
                                             Diagnostics& diags);
/// The same for commands that need nothing else of the configuration. Loads it only if it may ask
/// for encryption.
std::optional<EncryptionRef> LoadEncryption(const Workspace& workspace,
                                            std::span<const config::VariableArgument> arguments,
                                            Diagnostics& diags);
/// The encryption for a state file that a flag names: `configured` where the file is encrypted, and
/// none where it is in the clear or absent.
EncryptionRef EncryptionOfFile(const std::string& path, const EncryptionRef& configured);

}  // namespace kinu::session
