#include "cloud/aws_profiles.h"

#include <algorithm>
#include <vector>

#include "base/environment.h"
#include "base/files.h"

namespace kinu::cloud {
namespace {

std::string_view Stripped(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  return text.substr(0, text.find_last_not_of(kBlank) + 1);
}

/// The name of the profile that a section describes; empty if it describes something else.
std::string ProfileOfSection(std::string_view section, bool is_config) {
  section = Stripped(section);
  constexpr std::string_view kPrefix = "profile";
  for (const std::string_view other : {kSsoSessionPrefix, kServicesPrefix}) {
    if (is_config && section.starts_with(other)) {
      return std::string(other) + std::string(Stripped(section.substr(other.size())));
    }
  }
  if (is_config && section != "default") {
    if (!section.starts_with(kPrefix) || section.size() == kPrefix.size() ||
        (section[kPrefix.size()] != ' ' && section[kPrefix.size()] != '\t')) {
      return {};
    }
    section = Stripped(section.substr(kPrefix.size()));
  }
  return std::string(section);
}

/// A value without a comment, which a blank precedes.
std::string_view WithoutComment(std::string_view value) {
  for (size_t i = 1; i < value.size(); ++i) {
    if ((value[i] == '#' || value[i] == ';') && (value[i - 1] == ' ' || value[i - 1] == '\t')) {
      return Stripped(value.substr(0, i));
    }
  }
  return value;
}

/// Adds the given files, or else the one that a variable names, or else the usual one.
void AddFiles(std::span<const std::string> given, const char* variable, std::string_view name,
              AwsProfiles& profiles) {
  const std::string home(Environment("HOME"));
  std::vector<std::string> paths(given.begin(), given.end());
  if (paths.empty()) {
    const std::string_view path = Environment(variable);
    paths.push_back(path.empty() ? JoinPath(home, ".aws/" + std::string(name)) : std::string(path));
  }
  for (std::string& path : paths) {
    if (path.starts_with("~/")) {
      path = JoinPath(home, path.substr(2));
    }
    if (const auto text = ReadFile(path)) {
      ReadAwsProfiles(*text, name == "config", profiles);
    }
  }
}

}  // namespace

void ReadAwsProfiles(std::string_view text, bool is_config, AwsProfiles& profiles) {
  AwsProfile* profile = nullptr;
  std::string above;  // the last setting that is not below another one
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view whole = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view line = Stripped(whole);
    if (line.empty() || line[0] == '#' || line[0] == ';') {
      continue;
    }
    if (line[0] == '[') {
      const size_t close = line.find(']');
      const std::string name = close == std::string_view::npos
                                   ? ""
                                   : ProfileOfSection(line.substr(1, close - 1), is_config);
      profile = name.empty() ? nullptr : &profiles[name];
      above.clear();
      continue;
    }
    const size_t equals = line.find('=');
    const bool is_below = whole[0] == ' ' || whole[0] == '\t';
    if (profile == nullptr || equals == std::string_view::npos || (is_below && above.empty())) {
      continue;
    }
    std::string name(Stripped(line.substr(0, equals)));
    std::ranges::transform(name, name.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    });
    const std::string_view value = WithoutComment(Stripped(line.substr(equals + 1)));
    if (is_below) {
      (*profile)[above + '.' + name] = value;
      continue;
    }
    above = name;
    if (!value.empty()) {
      (*profile)[name] = value;
    }
  }
}

AwsProfiles LoadAwsProfiles(std::span<const std::string> config_files,
                            std::span<const std::string> credentials_files) {
  AwsProfiles profiles;
  AddFiles(config_files, "AWS_CONFIG_FILE", "config", profiles);
  AddFiles(credentials_files, "AWS_SHARED_CREDENTIALS_FILE", "credentials", profiles);
  return profiles;
}

std::string CurrentAwsProfile() {
  for (const char* variable : {"AWS_PROFILE", "AWS_DEFAULT_PROFILE"}) {
    if (const std::string_view name = Environment(variable); !name.empty()) {
      return std::string(name);
    }
  }
  return "default";
}

std::string ConfiguredAwsEndpoint(const AwsProfiles& profiles, const std::string& profile,
                                  std::string_view service) {
  const auto setting = [&](const std::string& section, const std::string& name) {
    const auto it = profiles.find(section);
    const auto found = it == profiles.end() ? AwsProfile::const_iterator() : it->second.find(name);
    return it == profiles.end() || found == it->second.end() ? std::string() : found->second;
  };
  const std::string current = profile.empty() ? CurrentAwsProfile() : profile;
  if (Environment("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS") == "true" ||
      setting(current, "ignore_configured_endpoint_urls") == "true") {
    return {};
  }
  std::string variable = "AWS_ENDPOINT_URL_";
  std::ranges::transform(service, std::back_inserter(variable), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  });
  const std::string services = std::string(kServicesPrefix) + setting(current, "services");
  std::string url;
  for (std::string said :
       {std::string(Environment(variable.c_str())), std::string(Environment("AWS_ENDPOINT_URL")),
        setting(services, std::string(service) + ".endpoint_url"),
        setting(current, "endpoint_url")}) {
    if (url.empty()) {
      url = std::move(said);
    }
  }
  while (url.ends_with('/')) {
    url.pop_back();
  }
  return url;
}

}  // namespace kinu::cloud
