// The shared files of AWS programs: ~/.aws/config and ~/.aws/credentials. Ref: aws-sdk-go-v2 config
// shared_config.go, internal/ini.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu::cloud {

/// The settings of a profile by their names in lower case.
using AwsProfile = std::map<std::string, std::string, std::less<>>;
/// Profiles by name.
using AwsProfiles = std::map<std::string, AwsProfile, std::less<>>;

/// The prefixes of the names under which the sections "[sso-session NAME]" and "[services NAME]"
/// are kept.
inline constexpr std::string_view kSsoSessionPrefix = "sso-session ";
inline constexpr std::string_view kServicesPrefix = "services ";

/// Adds the sections of a file. `is_config`: profiles are "[profile NAME]", except the default one;
/// otherwise "[NAME]". Lines that are neither sections nor settings are ignored. A setting below a
/// setting is called "SETTING.NAME".
void ReadAwsProfiles(std::string_view text, bool is_config, AwsProfiles& profiles);

/// The profiles of both files of this user, or of those that AWS_CONFIG_FILE and
/// AWS_SHARED_CREDENTIALS_FILE name, or of the given ones ("~/" is the home directory). Settings of
/// the credentials files win. Missing files are empty.
AwsProfiles LoadAwsProfiles(std::span<const std::string> config_files = {},
                            std::span<const std::string> credentials_files = {});
/// AWS_PROFILE, AWS_DEFAULT_PROFILE or "default".
std::string CurrentAwsProfile();
/// The URL that the user has set for a service ("s3"), without a slash at its end; empty: none.
/// The first of AWS_ENDPOINT_URL_SERVICE, AWS_ENDPOINT_URL, the section "[services NAME]" of the
/// profile ("": the current one) and its endpoint_url counts.
std::string ConfiguredAwsEndpoint(const AwsProfiles& profiles, const std::string& profile,
                                  std::string_view service);

}  // namespace kinu::cloud
