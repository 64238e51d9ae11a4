// Credentials from the service of a container runtime (ECS, EKS). Ref: aws-sdk-go-v2
// credentials/endpointcreds, config resolve_credentials.go.
#include <algorithm>

#include "base/environment.h"
#include "base/files.h"
#include "cloud/aws_places.h"
#include "net/url.h"

namespace kinu::cloud {
namespace {

constexpr const char* kRelative = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
constexpr const char* kFull = "AWS_CONTAINER_CREDENTIALS_FULL_URI";

/// Whether a token may go there unencrypted: to this machine or the runtime's own addresses.
bool IsRuntimeHost(const std::string& host) {
  constexpr std::string_view kHosts[] = {"localhost", "[::1]", "169.254.170.2", "169.254.170.23",
                                         "[fd00:ec2::23]"};
  return host.starts_with("127.") || std::ranges::find(kHosts, host) != std::end(kHosts);
}

}  // namespace

bool HasAwsContainer() {
  return !Environment(kRelative).empty() || !Environment(kFull).empty();
}

Result<AwsCredentials> AwsContainerCredentials(const AwsSearch& search) {
  net::HttpRequest request;
  if (const std::string_view path = Environment(kRelative); !path.empty()) {
    request.url = "http://169.254.170.2" + std::string(path);
  } else {
    request.url = Environment(kFull);
  }
  KINU_TRY(const net::Url url, net::Url::Parse(request.url));
  if (url.scheme != "https" && !(url.scheme == "http" && IsRuntimeHost(url.HostName()))) {
    return Fail(ErrorCode::kInvalid, "the credentials of a container cannot come from \"" +
                                         url.Redacted() + "\": only https, or this machine");
  }
  std::string token(Environment("AWS_CONTAINER_AUTHORIZATION_TOKEN"));
  if (const std::string file(Environment("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE"));
      !file.empty()) {
    KINU_TRY(token, ReadFile(file));
  }
  if (token.find_first_of("\r\n") != std::string::npos) {
    return Fail(ErrorCode::kInvalid, "the authorization token of the container has line ends");
  }
  if (!token.empty()) {
    request.headers.Set("Authorization", token);
  }
  request.use_proxy = false;
  request.max_redirects = 0;
  constexpr std::chrono::seconds kPatience{5};
  request.timeout = kPatience;
  request.retry.retries = 2;
  KINU_TRY(const net::HttpResponse response, search.client.Send(request));
  if (response.status != 200) {
    return Fail(ErrorCode::kUnavailable,
                "the credentials of the container: " + response.StatusText());
  }
  return ReadAwsCredentials(response.body, "Token");
}

}  // namespace kinu::cloud
