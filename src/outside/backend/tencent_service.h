// Requests to the services of Tencent Cloud that speak JSON, with signatures of version 3.
// Ref: tencentcloud-sdk-go common/client.go sendWithSignatureV3.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "net/http.h"

namespace kinu::backend {

/// The keys of an identity of Tencent Cloud.
struct TencentKeys {
  std::string secret_id;
  std::string secret_key;
  std::string token;  ///< of temporary keys
};

class TencentService {
 public:
  /// `name`: of the service in its address and in signatures ("tag"). `version`: of its interface.
  /// `client` must outlive the object.
  TencentService(const net::HttpClient& client, TencentKeys keys, std::string name,
                 std::string version, std::string region)
      : client_(client),
        keys_(std::move(keys)),
        name_(std::move(name)),
        version_(std::move(version)),
        region_(std::move(region)) {}

  /// Calls an operation and returns the response: JSON with the object "Response". `body`: a JSON
  /// object. The message of an error begins with the name of the operation; kExists: the
  /// service has what is to be made already.
  Result<std::string> Call(const std::string& operation, std::string body) const;

 private:
  const net::HttpClient& client_;
  TencentKeys keys_;
  std::string name_;
  std::string version_;
  std::string region_;
};

/// Adds the headers X-TC-Timestamp and Authorization to a request of a service.
void SignTencent(net::HttpRequest& request, const TencentKeys& keys, const std::string& service,
                 const std::string& host, std::chrono::system_clock::time_point time);

}  // namespace kinu::backend
