#include "install/cli_config.h"

#include <algorithm>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "addrs/provider_source.h"
#include "base/environment.h"
#include "base/files.h"
#include "text/quote.h"

namespace kinu::install {
namespace {

using text::Quoted;

std::string ConfigFileOverride() {
  std::string_view path = Environment("TF_CLI_CONFIG_FILE");
  return std::string(path.empty() ? Environment("TERRAFORM_CONFIG") : path);
}

std::string DefaultConfigFile() {
  std::string home = HomeDirectory();
  if (home.empty()) {
    return {};
  }
  std::string own = JoinPath(home, ".tofurc");
  std::string legacy = JoinPath(home, ".terraformrc");
  if (FileExists(own)) {
    return own;
  }
  if (FileExists(legacy)) {
    return legacy;
  }
  std::string_view xdg = Environment("XDG_CONFIG_HOME");
  return xdg.empty() ? own : JoinPath(xdg, "opentofu/tofurc");
}

}  // namespace

std::string ConfigDirectory() {
  std::string home = HomeDirectory();
  std::string directory = home.empty() ? "" : JoinPath(home, ".terraform.d");
  std::string_view xdg = Environment("XDG_CONFIG_HOME");
  if (!xdg.empty() && !FileExists(directory)) {
    directory = JoinPath(xdg, "opentofu");
  }
  return directory;
}

const std::map<std::string, std::string, ProviderAddressLess>& CliConfig::dev_overrides() const {
  static const std::map<std::string, std::string, ProviderAddressLess> kNone;
  return installation ? installation->dev_overrides : kNone;
}

std::string HomeDirectory() {
  std::string_view home = Environment("HOME");
  if (!home.empty()) {
    return std::string(home);
  }
  passwd entry = {};
  passwd* found = nullptr;
  std::vector<char> buffer(size_t{16} * 1024);
  if (getpwuid_r(getuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr &&
      found->pw_dir != nullptr) {
    return found->pw_dir;
  }
  return {};
}

void CheckCliBlocks(const CliConfig& config, Diagnostics& diags) {
  auto check = [&](std::string_view block, const std::string& name) {
    if (auto host = ParseHostName(name); !host) {
      diags.Error("The " + std::string(block) + " " + Quoted(name) +
                      " block has an invalid hostname: " + host.error(),
                  {});
    }
  };
  for (const auto& [name, services] : config.hosts) {
    check("host", name);
  }
  for (const auto& [name, token] : config.credentials) {
    check("credentials", name);
  }
  for (const std::string& name : config.repeated_blocks) {
    diags.Error("No more than one " + name + " block may be specified", {});
  }
}

CliConfig LoadCliConfig(Diagnostics& diags) {
  CliConfig config;
  std::string given = ConfigFileOverride();
  std::string path = given.empty() ? DefaultConfigFile() : given;
  if (!path.empty() && FileExists(path)) {
    ReadCliConfigFile(path, config, diags);
  } else if (!given.empty()) {
    diags.Warning("Unable to open CLI configuration file",
                  "The CLI configuration file at " + Quoted(path) + " does not exist.");
  }
  if (given.empty()) {
    std::string directory = ConfigDirectory();
    if (auto names = ListDirectory(directory); !directory.empty() && names) {
      for (const std::string& name : *names) {
        if (name.ends_with(".tfrc") || name.ends_with(".tfrc.json")) {
          ReadCliConfigFile(JoinPath(directory, name), config, diags);
        }
      }
    }
  }
  if (std::string_view cache = Environment("TF_PLUGIN_CACHE_DIR"); !cache.empty()) {
    config.plugin_cache_dir = cache;
  }
  std::string_view may_break = Environment("TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE");
  if (!may_break.empty() && may_break != "0") {
    config.plugin_cache_may_break_lock_file = true;
  }
  CheckCliBlocks(config, diags);
  struct stat info = {};
  if (!config.plugin_cache_dir.empty() && stat(config.plugin_cache_dir.c_str(), &info) != 0) {
    diags.Error("The specified plugin cache dir " + config.plugin_cache_dir +
                    " cannot be opened: stat " + config.plugin_cache_dir + ": " +
                    SystemMessage(errno),
                {});
  }
  return config;
}

bool MatchesProviderPattern(std::string_view pattern, std::string_view address) {
  std::string full(pattern);
  if (std::count(full.begin(), full.end(), '/') == 1) {
    full = std::string(kDefaultRegistryHost) + "/" + full;
  }
  std::string_view rest = full;
  // Compares part by part from the left. `*` matches any part.
  while (true) {
    size_t slash = rest.find('/');
    size_t address_slash = address.find('/');
    std::string_view part = rest.substr(0, slash);
    if (part != "*" && part != address.substr(0, address_slash)) {
      return false;
    }
    if (slash == rest.npos || address_slash == address.npos) {
      return slash == rest.npos && address_slash == address.npos;
    }
    rest.remove_prefix(slash + 1);
    address.remove_prefix(address_slash + 1);
  }
}

bool MethodApplies(const InstallMethod& method, std::string_view address) {
  auto matches = [&](const std::string& pattern) {
    return MatchesProviderPattern(pattern, address);
  };
  bool included =
      method.include.empty() || std::any_of(method.include.begin(), method.include.end(), matches);
  return included && std::none_of(method.exclude.begin(), method.exclude.end(), matches);
}

}  // namespace kinu::install
