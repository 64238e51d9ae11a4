// Credentials from the metadata service of an EC2 machine. Ref: aws-sdk-go-v2 feature/ec2/imds,
// credentials/ec2rolecreds.
#include "base/environment.h"
#include "cloud/aws_places.h"

namespace kinu::cloud {
namespace {

std::string Endpoint(const AwsSearch& search) {
  std::string endpoint = search.options.metadata_endpoint;
  if (endpoint.empty()) {
    endpoint = search.options.machine_endpoint;
  }
  if (endpoint.empty()) {
    endpoint = Environment("AWS_EC2_METADATA_SERVICE_ENDPOINT");
  }
  if (endpoint.empty()) {
    const std::string_view mode = search.options.machine_mode.empty()
                                      ? Environment("AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE")
                                      : std::string_view(search.options.machine_mode);
    endpoint =
        mode == "IPv6" || mode == "ipv6" ? "http://[fd00:ec2::254]" : "http://169.254.169.254";
  }
  while (endpoint.ends_with('/')) {
    endpoint.pop_back();
  }
  return endpoint;
}

net::HttpRequest MetadataRequest(const std::string& url) {
  net::HttpRequest request;
  request.url = url;
  request.use_proxy = false;
  request.max_redirects = 0;
  constexpr std::chrono::seconds kPatience{2};
  request.timeout = kPatience;
  return request;
}

}  // namespace

Result<AwsCredentials> AwsMachineCredentials(const AwsSearch& search) {
  constexpr const char* kNone = "no AWS credentials were found, and the machine has none: ";
  const bool is_used =
      search.options.use_machine.value_or(!search.options.metadata_endpoint.empty() ||
                                          Environment("AWS_EC2_METADATA_DISABLED") != "true");
  if (!is_used) {
    return Fail(ErrorCode::kNotFound, std::string(kNone) + "its metadata service is not used");
  }
  const std::string base = Endpoint(search);
  net::HttpRequest token_request = MetadataRequest(base + "/latest/api/token");
  token_request.method = "PUT";
  token_request.headers.Set("X-aws-ec2-metadata-token-ttl-seconds", "300");
  const auto token = search.client.Send(token_request);
  if (!token) {
    return Fail(token.error().code, kNone + token.error().message);
  }
  const bool may_go_without = Environment("AWS_EC2_METADATA_V1_DISABLED") != "true";
  if (token->status != 200 && !may_go_without) {
    return Fail(ErrorCode::kUnavailable, kNone + token->StatusText());
  }
  const auto get = [&](const std::string& path) {
    net::HttpRequest request = MetadataRequest(base + path);
    if (token->status == 200) {
      request.headers.Set("X-aws-ec2-metadata-token", token->body);
    }
    return search.client.Send(request);
  };
  const std::string directory = "/latest/meta-data/iam/security-credentials/";
  KINU_TRY(const net::HttpResponse roles, get(directory));
  const std::string role = roles.body.substr(0, roles.body.find_first_of("\r\n"));
  if (roles.status != 200 || role.empty()) {
    return Fail(ErrorCode::kNotFound, std::string(kNone) + "it has no role");
  }
  KINU_TRY(const net::HttpResponse keys, get(directory + AwsEscape(role)));
  if (keys.status != 200) {
    return Fail(ErrorCode::kUnavailable, kNone + keys.StatusText());
  }
  return ReadAwsCredentials(keys.body, "Token");
}

}  // namespace kinu::cloud
