// Which settings of the backend s3 are valid.
#include <algorithm>
#include <array>

#include "backend/s3_settings.h"
#include "backend/specs.h"
#include "base/environment.h"
#include "cloud/settings.h"
#include "text/duration.h"

namespace kinu::backend {
namespace {

using provider::Problems;

/// A problem of several settings at once, whose path is empty, has no source.
void Add(Problems& problems, Severity severity, std::string summary, std::string detail,
         Path path) {
  const bool sourceless = path.empty();
  problems.push_back({.severity = severity,
                      .summary = std::move(summary),
                      .detail = std::move(detail),
                      .attribute = std::move(path),
                      .sourceless = sourceless});
}

void AddError(Problems& problems, std::string summary, std::string detail, Path path) {
  Add(problems, Severity::kError, std::move(summary), std::move(detail), std::move(path));
}

void AddWarning(Problems& problems, std::string summary, std::string detail, Path path) {
  Add(problems, Severity::kWarning, std::move(summary), std::move(detail), std::move(path));
}

/// A problem of the whole block.
void AddForBlock(Problems& problems, Severity severity, std::string summary, std::string detail) {
  problems.push_back(
      {.severity = severity, .summary = std::move(summary), .detail = std::move(detail)});
}

Path At(std::string_view name) {
  return Path().Attribute(name);
}

bool IsHex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

constexpr size_t kUuidSize = 36;

/// Whether a text begins with a UUID of one of the versions 1 to 5, in lower case.
bool BeginsWithUuid(std::string_view text) {
  if (text.size() < kUuidSize) {
    return false;
  }
  constexpr std::array<size_t, 4> kHyphens = {8, 13, 18, 23};
  for (size_t i = 0; i < kUuidSize; ++i) {
    const bool is_hyphen = std::ranges::find(kHyphens, i) != kHyphens.end();
    if (is_hyphen ? text[i] != '-' : !IsHex(text.substr(i, 1))) {
      return false;
    }
  }
  constexpr size_t kVersion = 14;
  constexpr size_t kVariant = 19;
  return text[kVersion] >= '1' && text[kVersion] <= '5' &&
         std::string_view("89ab").find(text[kVariant]) != std::string_view::npos;
}

/// "mrk-" and 32 digits.
bool BeginsWithMultiRegionKey(std::string_view text) {
  constexpr size_t kSize = 36;
  return text.starts_with("mrk-") && text.size() >= kSize && IsHex(text.substr(4, kSize - 4));
}

/// "alias/" and a name.
bool IsAlias(std::string_view text) {
  constexpr std::string_view kPrefix = "alias/";
  return text.starts_with(kPrefix) && text.size() > kPrefix.size() &&
         std::ranges::all_of(text.substr(kPrefix.size()), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '/' || c == '_' || c == '-';
         });
}

/// The forms are alternatives of one pattern, whose anchors belong to the first and last one.
bool IsKmsKeyId(std::string_view text) {
  if (BeginsWithUuid(text)) {
    return true;
  }
  for (size_t at = 0; at < text.size(); ++at) {
    if (BeginsWithMultiRegionKey(text.substr(at)) || IsAlias(text.substr(at))) {
      return true;
    }
  }
  return false;
}

/// The resource in "arn:PARTITION:SERVICE:REGION:ACCOUNT:RESOURCE"; nothing if it is another text.
std::optional<std::string_view> ArnResource(std::string_view text) {
  if (!text.starts_with("arn:")) {
    return std::nullopt;
  }
  constexpr int kParts = 5;
  for (int i = 0; i < kParts; ++i) {
    const size_t colon = text.find(':');
    if (colon == text.npos) {
      return std::nullopt;
    }
    text.remove_prefix(colon + 1);
  }
  return text;
}

void CheckKmsKey(const std::string& key, Problems& problems) {
  const auto resource = ArnResource(key);
  if (!resource) {
    if (!IsKmsKeyId(key)) {
      AddError(problems, "Invalid KMS Key ID",
               "Value must be a valid KMS Key ID, got \"" + key + '"', At("kms_key_id"));
    }
    return;
  }
  constexpr std::string_view kPrefix = "key/";
  const std::string_view id =
      resource->starts_with(kPrefix) ? resource->substr(kPrefix.size()) : std::string_view();
  const bool is_key =
      id.size() == kUuidSize && (BeginsWithUuid(id) || BeginsWithMultiRegionKey(id));
  if (!is_key && !IsAlias(*resource)) {
    AddError(problems, "Invalid KMS Key ARN",
             "Value must be a valid KMS Key ARN, got \"" + key + '"', At("kms_key_id"));
  }
}

void CheckEncryption(const Value& settings, Problems& problems) {
  const std::string key = cloud::SettingText(settings, "kms_key_id");
  if (key.empty()) {
    return;
  }
  constexpr const char* kMeanings =
      " can be set: the former encrypts with a key of AWS's key service (SSE-KMS), the latter with "
      "a key of your own (SSE-C).";
  if (!cloud::SettingText(settings, "sse_customer_key").empty()) {
    AddError(problems, "Invalid encryption configuration",
             std::string("Only one of \"kms_key_id\" and \"sse_customer_key\"") + kMeanings,
             Path());
  } else if (!Environment("AWS_SSE_CUSTOMER_KEY").empty()) {
    AddError(problems, "Invalid encryption configuration",
             std::string("Only one of \"kms_key_id\" and the environment variable "
                         "\"AWS_SSE_CUSTOMER_KEY\"") +
                 kMeanings,
             Path());
  }
  CheckKmsKey(key, problems);
}

void CheckPlaces(const Value& settings, Problems& problems) {
  if (cloud::SettingText(settings, "bucket").empty()) {
    AddError(problems, "Invalid bucket value", "The \"bucket\" attribute value must not be empty.",
             At("bucket"));
  }
  const std::string key = cloud::SettingText(settings, "key");
  if (key.empty()) {
    AddError(problems, "Invalid key value", "The \"key\" attribute value must not be empty.",
             At("key"));
  } else if (key.starts_with('/') || key.ends_with('/')) {
    AddError(problems, "Invalid key value",
             "The \"key\" attribute value must not start or end with \"/\".", At("key"));
  }
  if (cloud::SettingText(settings, "region").empty() && Environment("AWS_REGION").empty() &&
      Environment("AWS_DEFAULT_REGION").empty()) {
    AddError(problems, "Missing region value",
             "The \"region\" attribute or the \"AWS_REGION\" or \"AWS_DEFAULT_REGION\" environment "
             "variables must be set.",
             At("region"));
  }
  CheckEncryption(settings, problems);
  const std::string prefix = cloud::SettingText(settings, "workspace_key_prefix");
  if (prefix.starts_with('/') || prefix.ends_with('/')) {
    AddError(problems, "Invalid workspace_key_prefix value",
             "The \"workspace_key_prefix\" attribute value must not start or end with \"/\".",
             At("workspace_key_prefix"));
  }
}

/// Reports an error if both attributes have values. A name with a dot is that of an attribute of an
/// object.
void CheckConflict(const Value& settings, std::string_view a, std::string_view b, const Path& path,
                   Problems& problems) {
  const auto is_set = [&](std::string_view name) {
    const size_t dot = name.find('.');
    const Value* value = cloud::FindSetting(settings, name.substr(0, dot));
    return value != nullptr &&
           (dot == name.npos || cloud::FindSetting(*value, name.substr(dot + 1)) != nullptr);
  };
  if (is_set(a) && is_set(b)) {
    AddError(problems, "Invalid Attribute Combination",
             "Only one of " + std::string(a) + ", " + std::string(b) + " can be set.", path);
  }
}

void CheckDeprecated(const Value& settings, std::string_view name, std::string_view instead,
                     Problems& problems) {
  if (cloud::FindSetting(settings, name) != nullptr) {
    AddWarning(problems, "Deprecated Parameter",
               "Parameter \"" + std::string(name) + "\" is deprecated. Use \"" +
                   std::string(instead) + "\" instead.",
               At(name));
  }
}

constexpr std::pair<std::string_view, std::string_view> kFlatRole[] = {
    {"assume_role_duration_seconds", "assume_role.duration"},
    {"assume_role_policy", "assume_role.policy"},
    {"assume_role_policy_arns", "assume_role.policy_arns"},
    {"assume_role_tags", "assume_role.tags"},
    {"assume_role_transitive_tag_keys", "assume_role.transitive_tag_keys"},
    {"external_id", "assume_role.external_id"},
    {"role_arn", "assume_role.role_arn"},
    {"session_name", "assume_role.session_name"}};

/// The flat settings of a role that are used, with what replaces them, a line each.
std::string UsedFlatRole(const Value& settings) {
  std::string lines;
  size_t width = 0;
  for (const auto& [name, instead] : kFlatRole) {
    width = cloud::FindSetting(settings, name) == nullptr ? width : std::max(width, name.size());
  }
  for (const auto& [name, instead] : kFlatRole) {
    if (cloud::FindSetting(settings, name) != nullptr) {
      lines += "  * " + std::string(name) + std::string(width - name.size(), ' ') + " -> " +
               std::string(instead) + '\n';
    }
  }
  return lines;
}

void CheckDuration(const Value& role, const Path& path, Problems& problems) {
  const std::string text = cloud::SettingText(role, "duration");
  if (cloud::FindSetting(role, "duration") == nullptr) {
    return;
  }
  constexpr int64_t kMinute = 60'000'000'000;
  constexpr int64_t kShortest = 15 * kMinute;
  constexpr int64_t kLongest = int64_t{12} * 60 * kMinute;
  const auto duration = text::ParseDuration(text);
  if (!duration) {
    AddError(problems, "Invalid Duration",
             "The value \"" + text + "\" cannot be parsed as a duration.",
             path.Attribute("duration"));
  } else if (*duration < kShortest || *duration > kLongest) {
    AddError(problems, "Invalid Duration",
             "Duration must be between 15m0s and 12h0m0s, had " + text, path.Attribute("duration"));
  }
}

/// What both kinds of roles have in common, but for the duration, which one checks first and the
/// other last.
void CheckRoleParts(const Value& role, const Path& path,
                    std::initializer_list<std::string_view> texts, Problems& problems) {
  for (const std::string_view name : texts) {
    const Value* value = cloud::FindSetting(role, name);
    if (value != nullptr && value->AsString().find_first_not_of(" \t\r\n") == std::string::npos) {
      AddError(problems, "Invalid Value", "The value cannot be empty or all whitespace",
               path.Attribute(name));
    }
  }
  for (const std::string& arn : cloud::SettingTexts(role, "policy_arns")) {
    const auto resource = ArnResource(arn);
    if (!resource) {
      AddError(problems, "Invalid ARN", "The value \"" + arn + "\" cannot be parsed as an ARN.",
               path.Attribute("policy_arns"));
      break;
    }
    if (!resource->starts_with("policy/")) {
      AddError(problems, "Invalid IAM Policy ARN",
               "Value must be a valid IAM Policy ARN, got \"" + arn + '"',
               path.Attribute("policy_arns"));
    }
  }
}

void CheckRoles(const Value& settings, Problems& problems) {
  const std::string flat = UsedFlatRole(settings);
  if (const Value* role = cloud::FindSetting(settings, "assume_role")) {
    const Path path = At("assume_role");
    if (cloud::SettingText(*role, "role_arn").empty()) {
      AddError(problems, "Missing Required Value",
               "The attribute \"assume_role.role_arn\" is required by the backend.",
               path.Attribute("role_arn"));
    }
    CheckDuration(*role, path, problems);
    CheckRoleParts(*role, path, {"external_id", "policy", "session_name"}, problems);
    if (!flat.empty()) {
      AddForBlock(problems, Severity::kError, "Conflicting Parameters",
                  "These deprecated parameters conflict with the parameter \"assume_role\". "
                  "Replace them as follows:\n" +
                      flat);
    }
  } else if (!flat.empty()) {
    AddForBlock(problems, Severity::kWarning, "Deprecated Parameters",
                "These parameters are deprecated. Replace them as follows:\n" + flat);
  }
  if (const Value* role = cloud::FindSetting(settings, "assume_role_with_web_identity")) {
    const Path path = At("assume_role_with_web_identity");
    CheckConflict(*role, "web_identity_token", "web_identity_token_file", path, problems);
    CheckRoleParts(*role, path, {"session_name", "policy"}, problems);
    CheckDuration(*role, path, problems);
  }
}

}  // namespace

void CheckS3Settings(const Value& settings, Problems& problems) {
  CheckPlaces(settings, problems);
  CheckConflict(settings, "shared_credentials_file", "shared_credentials_files", Path(), problems);
  CheckDeprecated(settings, "shared_credentials_file", "shared_credentials_files", problems);
  CheckDeprecated(settings, "force_path_style", "use_path_style", problems);
  CheckConflict(settings, "force_path_style", "use_path_style", Path(), problems);
  CheckRoles(settings, problems);
  CheckConflict(settings, "allowed_account_ids", "forbidden_account_ids", Path(), problems);
  if (const Value* mode = cloud::FindSetting(settings, "retry_mode");
      mode != nullptr && mode->AsString() != "standard" && mode->AsString() != "adaptive") {
    AddError(problems, "Invalid retry mode", "Valid values are \"standard\" and \"adaptive\".",
             At("retry_mode"));
  }
  CheckConflict(settings, "endpoints.s3", "endpoint", Path(), problems);
  CheckConflict(settings, "endpoints.iam", "iam_endpoint", Path(), problems);
  CheckConflict(settings, "endpoints.sts", "sts_endpoint", Path(), problems);
  CheckConflict(settings, "endpoints.dynamodb", "dynamodb_endpoint", Path(), problems);
}

}  // namespace kinu::backend
