// Signatures of requests to AWS, version 4. Ref: AWS Signature Version 4 signing process.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "net/http.h"

namespace kinu::cloud {

/// The keys of an AWS identity.
struct AwsCredentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;  ///< of temporary credentials
  std::optional<std::chrono::system_clock::time_point> expires;
};

/// For whom a signature is.
struct AwsScope {
  std::string region;
  std::string service;  ///< "s3", "sts"
  std::chrono::system_clock::time_point time = std::chrono::system_clock::now();
};

/// Adds the headers X-Amz-Date, X-Amz-Security-Token and Authorization, for S3 also
/// X-Amz-Content-Sha256. Signs the host, the body and all headers that no part of the way changes.
/// The URL must be encoded as AwsEscape() does it. Fails for an invalid URL.
Result<void> SignAws(net::HttpRequest& request, const AwsCredentials& credentials,
                     const AwsScope& scope);

/// Escapes all but unreserved characters; with `path` slashes stay.
std::string AwsEscape(std::string_view text, bool path = false);

}  // namespace kinu::cloud
