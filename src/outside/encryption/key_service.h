// Key providers that ask a service: it encrypts each data key, and decrypts it later. Private to
// encryption.
#pragma once

#include <string>
#include <string_view>

#include "codec/base64.h"
#include "encryption/key_provider.h"
#include "net/http.h"

namespace kinu::encryption {

/// A new key, and what is stored so that the service finds it again.
struct DataKey {
  std::string key;
  std::string metadata;  ///< JSON
};

class KeyService {
 public:
  virtual ~KeyService() = default;
  /// Bytes of a key.
  virtual size_t key_size() const = 0;
  virtual Result<DataKey> Make() = 0;
  /// The key of stored metadata; empty if these name none. kUnsupported: they are not readable.
  virtual Result<std::string> Open(const std::string& metadata) = 0;
};

/// KeyProviderSpec::provide for such a service: a new key, or the one of the metadata.
Result<Provided> ProvideFrom(KeyService& service, const std::string* metadata);

/// {"NAME":"BASE64"}
std::string OneBase64Member(std::string_view name, std::string_view bytes);
/// The text of a member of an answer in JSON.
Result<std::string> TextMember(const std::string& answer, std::string_view name);
/// The bytes of a member in base64.
Result<std::string> Base64Member(const std::string& answer, std::string_view name);
/// The bytes of a member of stored metadata; empty if it is missing. kUnsupported: not readable.
Result<std::string> MetadataMember(const std::string& metadata, std::string_view name);

/// ": MESSAGE" of {"error": {"message": …}}; empty if a body is something else.
std::string ErrorMessageIn(const std::string& body);

Result<Provided> ProvideAwsKms(net::Transport& transport, const config::PartValues& values,
                               const std::string* metadata);
Result<Provided> ProvideGcpKms(net::Transport& transport, const config::PartValues& values,
                               const std::string* metadata);
Result<Provided> ProvideOpenBao(net::Transport& transport, const config::PartValues& values,
                                const std::string* metadata);
Result<Provided> ProvideAzureVault(net::Transport& transport, const config::PartValues& values,
                                   const std::string* metadata);

}  // namespace kinu::encryption
