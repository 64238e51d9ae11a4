// Key providers: where the keys of an `encryption` block come from. One file and one row each. Ref:
// opentofu internal/encryption/keyprovider.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/encryption_values.h"

namespace kinu::encryption {

/// The most bytes of an answer with a key: 64 of them are one, and each becomes a value.
constexpr uint64_t kMostOfAnswer = uint64_t{1} << 20;

/// The keys of a key provider; empty: it has none.
struct Keys {
  std::string encryption;
  std::string decryption;
};

struct Provided {
  Keys keys;
  std::string metadata;  ///< JSON that is stored beside the data; empty: none
};

struct KeyProviderSpec {
  std::string_view type;
  /// Makes keys: one for encryption, and from the metadata of stored data the one that decrypts it.
  /// `metadata` is null if there is none; the encryption key is then of use, and else only its
  /// length. kInvalid: the arguments are not valid. kUnsupported: the metadata is not readable.
  Result<Provided> (*provide)(const config::PartValues& values,
                              const std::string* metadata) = nullptr;
  /// Of a provider whose keys take time and, with arguments that pass, cannot fail: checks the
  /// arguments. The encryption key of the result has only its length. Null: there is no such check.
  Result<Provided> (*check)(const config::PartValues& values) = nullptr;
};

/// The key provider of a type that the checked configuration names.
const KeyProviderSpec& KeyProviderOf(std::string_view type);

/// The bytes whose numbers are in a value that the checked configuration has.
std::string BytesIn(const Value& list);
/// The keys in the value of an argument that refers to a key provider.
Keys KeysOf(const Value& value);
/// The value of a key provider with these keys.
Value ToValue(const Keys& keys);

/// The text (number) of an argument; nothing if it is not given.
std::optional<std::string> TextArgument(const config::PartValues& values, std::string_view name);
std::optional<int64_t> NumberArgument(const config::PartValues& values, std::string_view name);
/// The elements of a list of texts.
std::vector<std::string> TextsArgument(const config::PartValues& values, std::string_view name);

extern const KeyProviderSpec kPbkdf2;
extern const KeyProviderSpec kExternalKeys;
extern const KeyProviderSpec kOpenBao;
extern const KeyProviderSpec kAwsKms;
extern const KeyProviderSpec kGcpKms;
extern const KeyProviderSpec kAzureVault;

}  // namespace kinu::encryption
