// The values of `encryption` blocks: which methods a target has, and the arguments of a method and
// of the key providers that it needs. Ref: opentofu internal/encryption/methods.go, keyprovider.go.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/static_value.h"
#include "schema/schema.h"

namespace kinu::config {

/// A key provider or method with the values of its arguments by name. Null arguments are left out,
/// marks are removed. Keys and authenticated data are numbers of bytes.
struct PartValues {
  const EncryptionPart* part = nullptr;
  std::map<std::string, Value, std::less<>> arguments;
};

/// Returns the value of a key provider: an object with `encryption_key` and `decryption_key`, lists
/// of the bytes of keys. Nothing after an error, which it reports.
using KeyMaker = std::function<std::optional<Value>(const PartValues&, Diagnostics&)>;

/// The type of encryption_key and decryption_key.
Type KeyType();

/// The declared methods of a target.
struct TargetMethods {
  const EncryptionPart& method;                  ///< for writing
  std::vector<const EncryptionPart*> fallbacks;  ///< for reading older files
};
/// Finds the methods of a target. Nothing after an error.
std::optional<TargetMethods> MethodsOf(const ConfigNode& root, const Encryption& encryption,
                                       const EncryptionTarget& target, StaticEvaluator& evaluator,
                                       Diagnostics& diags);

/// Checks that the methods and key providers in use are declared, have valid arguments, and refer
/// only to values known while loading. Creates no keys. False after an error, which stands after
/// the warnings of WarnOfUnencrypted().
bool CheckEncryption(const ConfigNode& root, const Encryption& encryption,
                     StaticEvaluator& evaluator, Diagnostics& diags);

/// Warns of each method that does not encrypt.
void WarnOfUnencrypted(const Encryption& encryption, Diagnostics& diags);

/// Evaluates the arguments of a method, and first each key provider that they refer to. Nothing
/// after an error.
std::optional<PartValues> EvaluateMethod(const ConfigNode& root, const Encryption& encryption,
                                         const EncryptionPart& method, StaticEvaluator& evaluator,
                                         const KeyMaker& make_key, Diagnostics& diags);

/// The arguments and blocks of a `key_provider` or `method` block by its type, or null.
const schema::Block* EncryptionSchema(std::string_view block, std::string_view type);

}  // namespace kinu::config
