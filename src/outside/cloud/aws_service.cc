#include "cloud/aws_service.h"

#include <algorithm>
#include <thread>

#include "base/files.h"
#include "codec/xml.h"
#include "json/reader.h"

namespace kinu::cloud {
namespace {

// Ref: aws-sdk-go-v2 aws/retry standard.go DefaultThrottleErrorCodes, DefaultRetryableErrorCodes.
constexpr std::string_view kPassingFaults[] = {"BandwidthLimitExceeded",
                                               "EC2ThrottledException",
                                               "LimitExceededException",
                                               "PriorRequestNotComplete",
                                               "ProvisionedThroughputExceededException",
                                               "RequestLimitExceeded",
                                               "RequestThrottled",
                                               "RequestThrottledException",
                                               "RequestTimeout",
                                               "RequestTimeoutException",
                                               "SlowDown",
                                               "ThrottledException",
                                               "Throttling",
                                               "ThrottlingException",
                                               "TooManyRequestsException",
                                               "TransactionInProgressException"};

struct Partition {
  std::string_view suffix;  ///< of host names
  std::string_view dualstack_suffix;
  std::string_view prefix;  ///< of its regions
};
// The first whose prefix fits counts; the last one is that of all other regions.
constexpr Partition kPartitions[] = {
    {"amazonaws.com.cn", "api.amazonwebservices.com.cn", "cn-"},
    {"amazonaws.eu", "api.amazonwebservices.eu", "eusc-"},
    {"c2s.ic.gov", "api.aws.ic.gov", "us-iso-"},
    {"sc2s.sgov.gov", "api.aws.scloud", "us-isob-"},
    {"cloud.adc-e.uk", "api.cloud-aws.adc-e.uk", "eu-isoe-"},
    {"csp.hci.ic.gov", "api.aws.hci.ic.gov", "us-isof-"},
    {"amazonaws.com", "api.aws", ""},
};

// Ref: aws-sdk-go-base endpoints/endpoints_gen.go.
constexpr std::string_view kRegions[] = {
    "af-south-1",     "ap-east-1",      "ap-east-2",      "ap-northeast-1",  "ap-northeast-2",
    "ap-northeast-3", "ap-south-1",     "ap-south-2",     "ap-southeast-1",  "ap-southeast-2",
    "ap-southeast-3", "ap-southeast-4", "ap-southeast-5", "ap-southeast-6",  "ap-southeast-7",
    "ca-central-1",   "ca-west-1",      "cn-north-1",     "cn-northwest-1",  "eu-central-1",
    "eu-central-2",   "eu-isoe-west-1", "eu-north-1",     "eu-south-1",      "eu-south-2",
    "eu-west-1",      "eu-west-2",      "eu-west-3",      "eusc-de-east-1",  "il-central-1",
    "me-central-1",   "me-south-1",     "mx-central-1",   "sa-east-1",       "us-east-1",
    "us-east-2",      "us-gov-east-1",  "us-gov-west-1",  "us-iso-east-1",   "us-iso-west-1",
    "us-isob-east-1", "us-isob-west-1", "us-isof-east-1", "us-isof-south-1", "us-west-1",
    "us-west-2"};

bool IsThrottled(const net::HttpResponse& response) {
  // Codes of kPassingFaults that do not say that there were too many requests.
  constexpr std::string_view kOthers[] = {"RequestTimeout", "RequestTimeoutException"};
  const AwsFault fault = AwsService::FaultOf(response);
  return std::ranges::find(kPassingFaults, fault.code) != std::end(kPassingFaults) &&
         std::ranges::find(kOthers, fault.code) == std::end(kOthers);
}

bool MayPass(const Result<net::HttpResponse>& response) {
  if (!response) {
    return response.error().code == ErrorCode::kUnavailable;
  }
  if (response->ok()) {
    return false;
  }
  const int status = response->status;
  return status == 429 || (status >= 500 && status <= 504 && status != 501) ||
         std::ranges::find(kPassingFaults, AwsService::FaultOf(*response).code) !=
             std::end(kPassingFaults);
}

/// A part of 2^attempt seconds, at most 20, that differs from one call to the next.
std::chrono::milliseconds Backoff(int attempt) {
  constexpr int64_t kLongest = 20'000;
  uint32_t random = 0;
  RandomBytes(&random, sizeof random);
  const int64_t limit = attempt > 4 ? kLongest : std::min(kLongest, int64_t{1000} << attempt);
  return std::chrono::milliseconds(limit * random / UINT32_MAX);
}

}  // namespace

std::string AwsFault::ToText() const {
  net::HttpResponse response;
  response.status = status;
  return response.StatusText() + (code.empty() ? "" : ": " + code) +
         (message.empty() ? "" : ": " + message);
}

bool AwsService::Wait(std::chrono::milliseconds time) const {
  if (transfer_.wait) {
    return transfer_.wait(time);
  }
  std::this_thread::sleep_for(time);
  return true;
}

Result<net::HttpResponse> AwsService::Send(net::HttpRequest request) const {
  request.max_redirects = 0;
  request.extra_authorities = transfer_.extra_authorities;
  request.verify_certificates = transfer_.verify_certificates;
  request.proxies = transfer_.proxies;
  for (int attempt = 1;; ++attempt) {
    KINU_TRY(const AwsCredentials credentials, identity_.Get());
    net::HttpRequest signed_request = request;
    if (auto done = SignAws(signed_request, credentials, {.region = region_, .service = name_});
        !done) {
      return std::unexpected(std::move(done).error());
    }
    if (transfer_.pace != nullptr) {
      const auto delay = transfer_.pace->Take(std::chrono::steady_clock::now());
      if (delay > delay.zero() && !Wait(delay)) {
        return Fail(ErrorCode::kCancelled, "interrupted");
      }
    }
    Result<net::HttpResponse> response = client_.Send(signed_request);
    if (transfer_.pace != nullptr) {
      transfer_.pace->Update(response && !response->ok() && IsThrottled(*response),
                             std::chrono::steady_clock::now());
    }
    if (attempt >= transfer_.attempts || !MayPass(response) || !Wait(Backoff(attempt - 1))) {
      return response;
    }
  }
}

Result<std::string> AwsService::CallJson(std::string_view protocol, std::string_view target,
                                         std::string_view operation, std::string body) const {
  net::HttpRequest request;
  request.method = "POST";
  request.url = endpoint_ + "/";
  request.headers.Set("Content-Type", "application/x-amz-json-" + std::string(protocol));
  request.headers.Set("X-Amz-Target", std::string(target) + "." + std::string(operation));
  request.body = std::move(body);
  Result<net::HttpResponse> response = Send(std::move(request));
  if (!response) {
    return Fail(response.error().code, std::string(operation) + ": " + response.error().message);
  }
  if (!response->ok()) {
    return std::unexpected(ErrorOf(operation, *response));
  }
  return std::move(response->body);
}

AwsFault AwsService::FaultOf(const net::HttpResponse& response) {
  AwsFault fault{.status = response.status, .code = {}, .message = {}};
  if (response.body.starts_with('{')) {
    const JsonDocument document = ParseJson(response.body);
    if (!document.ok() || !document.root().is_object()) {
      return fault;
    }
    for (const JsonMember& member : document.root().members()) {
      if (!member.value.is_string()) {
        continue;
      }
      if (member.name == "__type" || member.name == "code") {
        const std::string_view type = member.value.text();
        fault.code = type.substr(type.find('#') + 1);
      } else if (member.name == "message" || member.name == "Message") {
        fault.message = member.value.text();
      }
    }
    return fault;
  }
  const auto document = ReadXml(response.body);
  if (document) {
    const XmlElement* inner = document->Find("Error");
    const XmlElement& error = inner == nullptr ? *document : *inner;
    fault.code = error.Text("Code");
    fault.message = error.Text("Message");
  }
  return fault;
}

Error AwsService::ErrorOf(std::string_view operation, const net::HttpResponse& response) {
  const AwsFault fault = FaultOf(response);
  constexpr int kPreconditionFailed = 412;
  const bool exists = fault.status == kPreconditionFailed ||
                      fault.code.ends_with("ConditionalCheckFailedException");
  return {exists ? ErrorCode::kExists : ErrorCode::kUnavailable,
          std::string(operation) + ": " + fault.ToText()};
}

std::string AwsEndpoint(std::string_view service, std::string_view region, AwsEndpointKind kind) {
  const auto* const partition = std::ranges::find_if(
      kPartitions, [&](const Partition& each) { return region.starts_with(each.prefix); });
  const bool is_s3 = service == "s3";
  std::string host(service);
  host += kind.fips ? "-fips" : "";
  // S3 has its dual-stack addresses below the usual suffix.
  host += is_s3 && kind.dualstack ? ".dualstack" : "";
  host += '.' + std::string(region) + '.';
  host += kind.dualstack && !is_s3 ? partition->dualstack_suffix : partition->suffix;
  return "https://" + host;
}

bool IsAwsRegion(std::string_view region) {
  return std::ranges::find(kRegions, region) != std::end(kRegions);
}

}  // namespace kinu::cloud
