// Access tokens of Google's services: given ones, those of service accounts and of users (the files
// of "application default credentials"), and those of the machine. Ref: golang.org/x/oauth2/google,
// cloud.google.com/go/auth.
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http.h"

namespace kinu::cloud {

/// A token and when it ends.
struct GoogleToken {
  std::string value;
  std::chrono::system_clock::time_point expires;
};

/// Where the tokens of an identity come from.
struct GoogleIdentityOptions {
  std::string token = {};  ///< used as it is, in place of all others
  std::string credentials =
      {};  ///< the text of a file with credentials, in place of the usual ones
  /// A service account that the identity acts as, and those on the way to it.
  std::string impersonate = {};
  std::vector<std::string> delegates = {};
  std::string universe = {};  ///< domain of Google's services; empty: googleapis.com
};

/// The tokens of one identity. They are kept in memory and renewed before they expire. Thread-safe.
class GoogleIdentity {
 public:
  /// `scope`: what the tokens are for, a URL. `credentials`: the text of a file with credentials in
  /// place of the usual ones. Nothing is read or sent before Token().
  GoogleIdentity(const net::HttpClient& client, std::string scope, std::string credentials = {})
      : client_(client), scope_(std::move(scope)) {
    options_.credentials = std::move(credentials);
  }
  GoogleIdentity(const net::HttpClient& client, std::string scope, GoogleIdentityOptions options)
      : client_(client), scope_(std::move(scope)), options_(std::move(options)) {}

  Result<std::string> Token();

 private:
  Result<GoogleToken> Find(const std::string& scope) const;
  Result<GoogleToken> Impersonate() const;

  const net::HttpClient& client_;
  std::string scope_;
  GoogleIdentityOptions options_;
  std::mutex mutex_;
  std::optional<GoogleToken> token_;
};

/// A signed assertion (JSON Web Token, RS256). `claims` are JSON; `key` is PEM.
Result<std::string> SignGoogleAssertion(std::string_view claims, std::string_view key,
                                        std::string_view key_id);

}  // namespace kinu::cloud
