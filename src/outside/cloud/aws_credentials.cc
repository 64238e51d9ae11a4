#include "cloud/aws_credentials.h"

#include <set>

#include "base/environment.h"
#include "cloud/aws_places.h"

namespace kinu::cloud {
namespace {

std::string FirstSet(const char* a, const char* b) {
  const std::string_view value = Environment(a);
  return std::string(value.empty() ? Environment(b) : value);
}

AwsCredentials EnvironmentCredentials() {
  return {.access_key = FirstSet("AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY"),
          .secret_key = FirstSet("AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY"),
          .session_token = std::string(Environment("AWS_SESSION_TOKEN")),
          .expires = {}};
}

bool HasKeys(const AwsCredentials& credentials) {
  return !credentials.access_key.empty() && !credentials.secret_key.empty();
}

std::string Setting(const AwsProfile& profile, std::string_view name) {
  const auto it = profile.find(name);
  return it == profile.end() ? std::string() : it->second;
}

AwsRole RoleOf(const AwsProfile& profile) {
  return {.arn = Setting(profile, "role_arn"),
          .session_name = Setting(profile, "role_session_name"),
          .external_id = Setting(profile, "external_id"),
          .duration_seconds = Setting(profile, "duration_seconds")};
}

Result<AwsCredentials> NamedPlace(const AwsSearch& search, const std::string& place) {
  if (place == "Environment") {
    return EnvironmentCredentials();
  }
  if (place == "Ec2InstanceMetadata") {
    return AwsMachineCredentials(search);
  }
  if (place == "EcsContainer") {
    return AwsContainerCredentials(search);
  }
  return Fail(ErrorCode::kInvalid,
              "credential_source must be EcsContainer, Ec2InstanceMetadata or "
              "Environment, not \"" +
                  place + '"');
}

/// The credentials of a profile; `seen`: those on the way, which must not come again.
Result<AwsCredentials> ProfileCredentials(const AwsSearch& search, const std::string& name,
                                          std::set<std::string> seen) {
  const auto it = search.profiles.find(name);
  const AwsProfile profile = it == search.profiles.end() ? AwsProfile() : it->second;
  const std::string source = Setting(profile, "source_profile");
  const AwsRole role = RoleOf(profile);
  AwsCredentials keys{.access_key = Setting(profile, "aws_access_key_id"),
                      .secret_key = Setting(profile, "aws_secret_access_key"),
                      .session_token = Setting(profile, "aws_session_token"),
                      .expires = {}};
  const bool is_repeated = !seen.insert(name).second;
  if (is_repeated && !HasKeys(keys)) {
    return Fail(ErrorCode::kInvalid, "the profile \"" + name + "\" is its own source_profile");
  }
  if (!role.arn.empty() && !Setting(profile, "mfa_serial").empty()) {
    return Fail(ErrorCode::kUnsupported,
                "the profile \"" + name + "\" needs the code of a device (mfa_serial)");
  }
  if (keys.access_key.empty() != keys.secret_key.empty()) {
    return Fail(ErrorCode::kUnsupported,
                "error fetching config from profile, " + name + ": it has half of the keys only");
  }
  Result<AwsCredentials> own = keys;
  if (!role.arn.empty() && !source.empty() && !is_repeated) {
    if (!search.profiles.contains(source)) {
      return Fail(ErrorCode::kUnsupported, "failed to get shared config profile, " + source);
    }
    own = ProfileCredentials(search, source, std::move(seen));
  } else if (HasKeys(keys)) {
    if (is_repeated) {
      return keys;
    }
  } else if (const std::string place = Setting(profile, "credential_source"); !place.empty()) {
    own = NamedPlace(search, place);
  } else if (const std::string file = Setting(profile, "web_identity_token_file"); !file.empty()) {
    return AssumeAwsRoleWithToken(search, {.role = role, .token = {}, .token_file = file});
  } else if (!Setting(profile, "sso_session").empty() ||
             !Setting(profile, "sso_start_url").empty()) {
    own = AwsSsoCredentials(search, profile);
  } else if (const std::string command = Setting(profile, "credential_process"); !command.empty()) {
    own = AwsProcessCredentials(search, command);
  } else {
    own = HasAwsContainer() ? AwsContainerCredentials(search) : AwsMachineCredentials(search);
  }
  return !own || role.arn.empty() ? own : AssumeAwsRole(search, *own, role);
}

Result<AwsCredentials> FindCredentials(const net::HttpClient& client,
                                       const AwsCredentialOptions& options) {
  if (options.keys && !HasKeys(*options.keys)) {
    return Fail(ErrorCode::kNotFound, "static credentials are empty");
  }
  const std::string profile = options.profile.empty() ? CurrentAwsProfile() : options.profile;
  const AwsSearch search{
      .client = client,
      .options = options,
      .profiles = LoadAwsProfiles(options.config_files, options.credentials_files),
      .region = options.region.empty() ? ConfiguredAwsRegion(profile) : options.region};
  const bool is_missing = profile != "default" && !search.profiles.contains(profile);
  if (options.keys) {
    if (is_missing) {
      return Fail(ErrorCode::kUnsupported,
                  "loading configuration: failed to get shared config profile, " + profile);
    }
    return *options.keys;
  }
  if (options.web_identity) {
    return AssumeAwsRoleWithToken(search, *options.web_identity);
  }
  if (!options.metadata_endpoint.empty()) {
    return AwsMachineCredentials(search);
  }
  if (is_missing) {
    return Fail(ErrorCode::kUnsupported, "failed to get shared config profile, " + profile);
  }
  if (options.profile.empty()) {
    if (AwsCredentials own = EnvironmentCredentials(); HasKeys(own)) {
      return own;
    }
    if (const std::string file(Environment("AWS_WEB_IDENTITY_TOKEN_FILE")); !file.empty()) {
      const AwsRole role{.arn = std::string(Environment("AWS_ROLE_ARN")),
                         .session_name = std::string(Environment("AWS_ROLE_SESSION_NAME")),
                         .external_id = "",
                         .duration_seconds = ""};
      return AssumeAwsRoleWithToken(search, {.role = role, .token = {}, .token_file = file});
    }
  }
  return ProfileCredentials(search, profile, {});
}

bool IsFresh(const std::optional<AwsCredentials>& credentials) {
  constexpr std::chrono::minutes kMargin{5};
  return credentials && (!credentials->expires ||
                         *credentials->expires - kMargin > std::chrono::system_clock::now());
}

}  // namespace

Result<AwsCredentials> AwsIdentity::LockedBase() {
  if (IsFresh(base_)) {
    return *base_;
  }
  KINU_TRY(AwsCredentials found, FindCredentials(client_, options_));
  if (!HasKeys(found)) {
    return Fail(ErrorCode::kNotFound, "no AWS credentials were found");
  }
  base_ = std::move(found);
  return *base_;
}

Result<AwsCredentials> AwsIdentity::Base() {
  const std::lock_guard lock(mutex_);
  return LockedBase();
}

Result<AwsCredentials> AwsIdentity::Get() {
  const std::lock_guard lock(mutex_);
  if (!options_.role) {
    return LockedBase();
  }
  if (!IsFresh(credentials_)) {
    KINU_TRY(const AwsCredentials own, LockedBase());
    const AwsSearch search{
        .client = client_, .options = options_, .profiles = {}, .region = options_.region};
    KINU_TRY(credentials_, AssumeAwsRole(search, own, *options_.role));
  }
  return *credentials_;
}

std::string ConfiguredAwsRegion(const std::string& profile) {
  if (std::string region = FirstSet("AWS_REGION", "AWS_DEFAULT_REGION"); !region.empty()) {
    return region;
  }
  const AwsProfiles profiles = LoadAwsProfiles();
  const auto it = profiles.find(profile.empty() ? CurrentAwsProfile() : profile);
  return it == profiles.end() ? std::string() : Setting(it->second, "region");
}

}  // namespace kinu::cloud
