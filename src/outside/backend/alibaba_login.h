// The keys of the backend oss, and the address of its object store.
// Ref: opentofu internal/backend/remote-state/oss/backend.go; alibaba-cloud-sdk-go
// sdk/auth/rpc_signature_composer.go.
#pragma once

#include <string>

#include "cty/value.h"
#include "net/http.h"

namespace kinu::backend {

/// The keys of an identity of Alibaba Cloud.
struct AlibabaKeys {
  std::string access_key;
  std::string secret_key;
  std::string security_token;  ///< of temporary keys
};

/// What the settings, the profile they name, and the services behind them say.
struct AlibabaLogin {
  AlibabaKeys keys;
  std::string endpoint;  ///< URL of the object store, without a slash at its end
};

/// Finds the keys: those of the settings or the profile, else those of the machine's role; then
/// those of the role to assume. Asks for the address of the object store where none is set.
Result<AlibabaLogin> FindAlibabaLogin(const net::HttpClient& client, const Value& settings);

}  // namespace kinu::backend
