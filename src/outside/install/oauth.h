// The client side of OAuth 2.0 for `login`: what a host says about its login service, the address
// of its login page, and the exchange of a grant for a token. Ref: RFC 6749, RFC 7636 (PKCE);
// opentofu svchost disco/oauth_client.go.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "install/network.h"

namespace kinu::install {

/// The service login.v1 of a host.
struct OAuthClient {
  std::string id;
  std::string authorization_url;  ///< empty if no grant type needs it
  std::string token_url;
  std::vector<std::string> grant_types;  ///< "authz_code", "password", and ones not known here
  int first_port = 1024;                 ///< where the browser may be redirected to
  int last_port = 65535;
  std::vector<std::string> scopes;

  bool Allows(std::string_view grant_type) const;
};

/// Reads the value of the service, whose URLs are relative to `base`. Error messages are parts of a
/// sentence.
Result<OAuthClient> ReadOAuthClient(std::string_view json, const net::Url& base);

/// A secret that proves that who exchanges a code has also asked for it.
struct ProofKey {
  std::string verifier;
  std::string challenge;  ///< of the verifier, method S256
};
ProofKey MakeProofKey();

/// The address of the login page, which redirects to `redirect` with a code and `state`.
std::string AuthorizationUrl(const OAuthClient& client, const std::string& redirect,
                             const std::string& state, const ProofKey& key);

/// The scopes as requests have them, separated by spaces.
std::string ScopeText(const OAuthClient& client);

/// Exchanges a grant, given as the form of RFC 6749 without client_id, for an access token.
Result<std::string> RequestToken(Network& network, const OAuthClient& client,
                                 net::QueryArguments form);

}  // namespace kinu::install
