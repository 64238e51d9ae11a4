#include "backend/s3_settings.h"

#include "backend/specs.h"
#include "base/environment.h"
#include "base/files.h"
#include "cloud/settings.h"
#include "codec/base64.h"
#include "text/duration.h"

namespace kinu::backend {
namespace {

using provider::Problems;

constexpr cloud::AwsEndpointNames kS3Endpoint{"s3", "endpoint", "AWS_ENDPOINT_URL_S3",
                                              "AWS_S3_ENDPOINT"};
constexpr cloud::AwsEndpointNames kDynamodbEndpoint{
    "dynamodb", "dynamodb_endpoint", "AWS_ENDPOINT_URL_DYNAMODB", "AWS_DYNAMODB_ENDPOINT"};

/// The customer's key as bytes, from the setting or the environment.
std::string CustomerKey(const Value& settings, Problems& problems) {
  const Value* value = cloud::FindSetting(settings, "sse_customer_key");
  constexpr const char* kVariable = "AWS_SSE_CUSTOMER_KEY";
  const std::string name = value != nullptr ? "sse_customer_key" : kVariable;
  const std::string text(value != nullptr ? value->AsString() : Environment(kVariable));
  if (value == nullptr && text.empty()) {
    return {};
  }
  constexpr size_t kSize = 44;
  const auto key = DecodeBase64(text);
  if (text.size() == kSize && key) {
    return *key;
  }
  provider::Problem problem{
      .summary = "Invalid " + name + " value",
      .detail = text.size() != kSize ? name + " must be 44 characters in length"
                                     : name + " must be base64 encoded: " + key.error().message};
  if (value != nullptr) {
    problem.attribute = Path().Attribute(name);
  } else {
    problem.sourceless = true;
  }
  problems.push_back(std::move(problem));
  return {};
}

S3Options ObjectsOf(const Value& settings, Problems& problems) {
  S3Options objects;
  objects.bucket = cloud::SettingText(settings, "bucket");
  objects.path_style = cloud::FindSetting(settings, "use_path_style") != nullptr
                           ? cloud::SettingFlag(settings, "use_path_style")
                           : cloud::SettingFlag(settings, "force_path_style");
  objects.checksums = !cloud::SettingFlag(settings, "skip_s3_checksum");
  objects.acl = cloud::SettingText(settings, "acl");
  objects.encrypt = cloud::SettingFlag(settings, "encrypt");
  objects.kms_key = cloud::SettingText(settings, "kms_key_id");
  objects.customer_key = CustomerKey(settings, problems);
  objects.state_tags = cloud::SettingMap(settings, "state_tags");
  objects.lock_tags = cloud::SettingMap(settings, "lock_tags");
  objects.lock_file = cloud::SettingFlag(settings, "use_lockfile");
  return objects;
}

}  // namespace

S3Settings ReadS3Settings(const Value& settings, Problems& problems) {
  S3Settings out;
  const std::string given = cloud::SettingText(settings, "region");
  if (!given.empty() && !cloud::SettingFlag(settings, "skip_region_validation") &&
      !cloud::IsAwsRegion(given)) {
    problems.push_back({.summary = "Invalid region value",
                        .detail = "invalid AWS Region: " + given,
                        .attribute = Path().Attribute("region")});
    return out;
  }
  out.login = cloud::ReadAwsLogin(settings, problems);
  out.objects = ObjectsOf(settings, problems);
  out.key = cloud::SettingText(settings, "key");
  out.workspace_prefix = cloud::FindSetting(settings, "workspace_key_prefix") == nullptr
                             ? "env:"
                             : cloud::SettingText(settings, "workspace_key_prefix");
  out.table = cloud::SettingText(settings, "dynamodb_table");
  out.s3_endpoint = cloud::AwsEndpointOf(settings, kS3Endpoint, out.login.region);
  out.dynamodb_endpoint = cloud::AwsEndpointOf(settings, kDynamodbEndpoint, out.login.region);
  return out;
}

}  // namespace kinu::backend
