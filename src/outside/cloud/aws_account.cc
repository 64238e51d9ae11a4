#include "cloud/aws_account.h"

#include "codec/xml.h"

namespace kinu::cloud {
namespace {

Result<XmlElement> Ask(const AwsService& service, const std::string& action,
                       std::string_view version) {
  net::HttpRequest request;
  request.method = "POST";
  request.url = service.endpoint() + "/";
  request.headers.Set("Content-Type", "application/x-www-form-urlencoded");
  request.body = "Action=" + action + "&Version=" + std::string(version);
  Result<net::HttpResponse> response = service.Send(std::move(request));
  if (!response) {
    return Fail(response.error().code, action + ": " + response.error().message);
  }
  if (!response->ok()) {
    return std::unexpected(AwsService::ErrorOf(action, *response));
  }
  return ReadXml(response->body);
}

/// The account in "arn:aws:iam::ACCOUNT:user/NAME"; empty if there is none.
std::string AccountOfArn(std::string_view arn) {
  constexpr int kColons = 4;
  for (int i = 0; i < kColons; ++i) {
    const size_t colon = arn.find(':');
    if (colon == arn.npos) {
      return {};
    }
    arn.remove_prefix(colon + 1);
  }
  return std::string(arn.substr(0, arn.find(':')));
}

/// The text of the first element of that name, at any depth.
std::string FirstText(const XmlElement& element, std::string_view name) {
  if (element.name == name) {
    return element.text;
  }
  for (const XmlElement& child : element.children) {
    if (std::string text = FirstText(child, name); !text.empty()) {
      return text;
    }
  }
  return {};
}

}  // namespace

Result<std::string> AwsCallerAccount(const AwsService& sts) {
  KINU_TRY(const XmlElement answer, Ask(sts, "GetCallerIdentity", "2011-06-15"));
  std::string account = AccountOfArn(FirstText(answer, "Arn"));
  if (account.empty()) {
    return Fail(ErrorCode::kInvalid, "GetCallerIdentity: the response has no account");
  }
  return account;
}

Result<std::string> AwsUserAccount(const AwsService& iam) {
  std::string faults;
  for (const char* action : {"GetUser", "ListRoles"}) {
    auto answer = Ask(iam, action, "2010-05-08");
    std::string account = answer ? AccountOfArn(FirstText(*answer, "Arn")) : std::string();
    if (!account.empty()) {
      return account;
    }
    faults +=
        (faults.empty() ? "" : "\n") +
        (answer ? std::string(action) + ": the response has no account" : answer.error().message);
  }
  return Fail(ErrorCode::kUnavailable, faults);
}

}  // namespace kinu::cloud
