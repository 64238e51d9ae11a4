// Requests to one service of AWS, or to one that speaks its protocol: signed, and sent again after
// passing faults. Ref: aws-sdk-go-v2 aws/retry standard.go, retryable_error.go.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cloud/aws_credentials.h"
#include "cloud/aws_pace.h"
#include "net/http.h"

namespace kinu::cloud {

/// What the requests to all services of one configuration have in common.
struct AwsTransfer {
  int attempts = 5;               ///< of one request; at least one is made
  std::string extra_authorities;  ///< as in HttpRequest
  bool verify_certificates = true;
  net::Proxies proxies;  ///< as in HttpRequest
  /// Slows requests down after throttled ones. Null: it does not (retry mode "standard").
  std::shared_ptr<AwsPace> pace;
  /// Waits between attempts; false ends them. Empty: sleeps.
  std::function<bool(std::chrono::milliseconds)> wait;
};

/// The error that a service reports.
struct AwsFault {
  int status = 0;
  std::string code;  ///< "NoSuchKey"; empty: the response names none
  std::string message;

  /// "412 Precondition Failed: PreconditionFailed: MESSAGE"
  std::string ToText() const;
};

class AwsService {
 public:
  /// `endpoint`: a URL without a slash at its end. `name`: of the service in signatures ("s3"). All
  /// references must outlive the object.
  AwsService(const net::HttpClient& client, AwsIdentity& identity, const AwsTransfer& transfer,
             std::string name, std::string region, std::string endpoint)
      : client_(client),
        identity_(identity),
        transfer_(transfer),
        name_(std::move(name)),
        region_(std::move(region)),
        endpoint_(std::move(endpoint)) {}

  /// Sends a request whose URL is complete. A response of any status is a success.
  Result<net::HttpResponse> Send(net::HttpRequest request) const;
  /// Calls an operation of a service that speaks JSON and returns the body of the response.
  /// `protocol`: "1.0". `target`: the version of the service in the header X-Amz-Target.
  Result<std::string> CallJson(std::string_view protocol, std::string_view target,
                               std::string_view operation, std::string body) const;
  /// The error in a response of another status than 2xx, in XML or JSON.
  static AwsFault FaultOf(const net::HttpResponse& response);
  /// An error whose message begins with the name of the operation. kExists: a condition of the
  /// request does not hold.
  static Error ErrorOf(std::string_view operation, const net::HttpResponse& response);

  const std::string& endpoint() const { return endpoint_; }
  const std::string& region() const { return region_; }
  /// As AwsTransfer::wait.
  bool Wait(std::chrono::milliseconds time) const;

 private:
  const net::HttpClient& client_;
  AwsIdentity& identity_;
  const AwsTransfer& transfer_;
  std::string name_;
  std::string region_;
  std::string endpoint_;
};

/// The address of a service in a region as AWS publishes it: "https://s3.eu-west-1.amazonaws.com".
struct AwsEndpointKind {
  bool dualstack = false;
  bool fips = false;
};
std::string AwsEndpoint(std::string_view service, std::string_view region, AwsEndpointKind kind);
/// Whether a region is in the partitions that AWS publishes.
bool IsAwsRegion(std::string_view region);

}  // namespace kinu::cloud
