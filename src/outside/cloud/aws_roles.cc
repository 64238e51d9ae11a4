// Credentials from AWS's security token service.
#include "base/files.h"
#include "cloud/aws_places.h"
#include "codec/xml.h"
#include "net/url.h"

namespace kinu::cloud {
namespace {

std::string TokenServiceUrl(const AwsSearch& search) {
  if (!search.options.sts_endpoint.empty()) {
    return search.options.sts_endpoint;
  }
  if (std::string url = ConfiguredAwsEndpoint(search.profiles, search.options.profile, "sts");
      !url.empty()) {
    return url;
  }
  const bool is_china = search.region.starts_with("cn-");
  return "https://sts." + (search.region.empty() ? "us-east-1" : search.region) + ".amazonaws.com" +
         (is_china ? ".cn" : "") + "/";
}

/// Adds what restricts a role's session, and its tags.
void AddRestrictions(const AwsRole& role, net::QueryArguments& arguments) {
  if (!role.policy.empty()) {
    arguments.emplace_back("Policy", role.policy);
  }
  int number = 0;
  for (const std::string& arn : role.policy_arns) {
    arguments.emplace_back("PolicyArns.member." + std::to_string(++number) + ".arn", arn);
  }
  number = 0;
  for (const auto& [name, value] : role.tags) {
    const std::string prefix = "Tags.member." + std::to_string(++number);
    arguments.emplace_back(prefix + ".Key", name);
    arguments.emplace_back(prefix + ".Value", value);
  }
  number = 0;
  for (const std::string& name : role.transitive_tag_keys) {
    arguments.emplace_back("TransitiveTagKeys.member." + std::to_string(++number), name);
  }
}

Result<AwsCredentials> CallTokenService(const AwsSearch& search, const std::string& action,
                                        net::QueryArguments arguments, const AwsRole& role,
                                        const AwsCredentials* own) {
  arguments.emplace_back("Action", action);
  arguments.emplace_back("Version", "2011-06-15");
  arguments.emplace_back("RoleArn", role.arn);
  arguments.emplace_back("RoleSessionName",
                         role.session_name.empty() ? "kinu-" + RandomUuid() : role.session_name);
  if (!role.external_id.empty()) {
    arguments.emplace_back("ExternalId", role.external_id);
  }
  if (!role.duration_seconds.empty()) {
    arguments.emplace_back("DurationSeconds", role.duration_seconds);
  }
  AddRestrictions(role, arguments);
  net::HttpRequest request;
  request.method = "POST";
  request.url = TokenServiceUrl(search);
  request.body = net::EncodeQuery(std::move(arguments));
  request.headers.Set("Content-Type", "application/x-www-form-urlencoded");
  request.max_redirects = 0;
  if (own != nullptr) {
    const AwsScope scope{.region = search.region.empty() ? "us-east-1" : search.region,
                         .service = "sts"};
    if (auto done = SignAws(request, *own, scope); !done) {
      return std::unexpected(done.error());
    }
  }
  KINU_TRY(const net::HttpResponse response, search.client.Send(request));
  const auto document = ReadXml(response.body);
  if (response.status != 200) {
    const XmlElement* error = document ? document->Find("Error") : nullptr;
    return Fail(ErrorCode::kUnavailable,
                action + " of " + role.arn + ": " + response.StatusText() +
                    (error == nullptr ? ""
                                      : ": " + std::string(error->Text("Code")) + ": " +
                                            std::string(error->Text("Message"))));
  }
  if (!document) {
    return std::unexpected(document.error());
  }
  const XmlElement* result = document->Find(action + "Result");
  const XmlElement* keys = result == nullptr ? nullptr : result->Find("Credentials");
  if (keys == nullptr) {
    return Fail(ErrorCode::kInvalid, action + ": the response has no credentials");
  }
  return AwsCredentials{.access_key = std::string(keys->Text("AccessKeyId")),
                        .secret_key = std::string(keys->Text("SecretAccessKey")),
                        .session_token = std::string(keys->Text("SessionToken")),
                        .expires = ParseAwsTime(keys->Text("Expiration"))};
}

}  // namespace

Result<AwsCredentials> AssumeAwsRole(const AwsSearch& search, const AwsCredentials& own,
                                     const AwsRole& role) {
  AwsRole asked = role;
  if (asked.duration_seconds.empty()) {
    asked.duration_seconds = "900";  // Ref: aws-sdk-go-v2 credentials/stscreds
  }
  return CallTokenService(search, "AssumeRole", {}, asked, &own);
}

Result<AwsCredentials> AssumeAwsRoleWithToken(const AwsSearch& search,
                                              const AwsWebIdentity& identity) {
  if (identity.role.arn.empty()) {
    return Fail(ErrorCode::kInvalid, "a web identity token needs a role (AWS_ROLE_ARN)");
  }
  std::string token = identity.token;
  if (token.empty()) {
    KINU_TRY(token, ReadFile(identity.token_file));
  }
  return CallTokenService(search, "AssumeRoleWithWebIdentity", {{"WebIdentityToken", token}},
                          identity.role, nullptr);
}

}  // namespace kinu::cloud
