#include "install/cli_config.h"

#include <algorithm>
#include <charconv>

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "addrs/provider_source.h"
#include "base/environment.h"
#include "base/files.h"
#include "install/hcl1.h"
#include "install/oci_config.h"
#include "json/writer.h"
#include "text/quote.h"

namespace kinu::install {
namespace {

using text::Quoted;

/// Replaces $NAME and ${NAME} by environment variables. Ref: Go os.ExpandEnv.
std::string ExpandEnvironment(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    std::string name;
    if (text[i + 1] == '{') {
      size_t end = text.find('}', i);
      if (end == text.npos) {
        out += text[i];
        continue;
      }
      name = text.substr(i + 2, end - i - 2);
      i = end;
    } else {
      auto is_name = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
      };
      size_t end = i + 1;
      while (end < text.size() && is_name(text[end])) {
        ++end;
      }
      if (end == i + 1) {
        out += text[i];
        continue;
      }
      name = text.substr(i + 1, end - i - 1);
      i = end - 1;
    }
    out += Environment(name.c_str());
  }
  return out;
}

/// The value of a service as discovery documents have it: the text of a URL, an object as JSON.
void WriteJson(JsonWriter& out, const Hcl1Value& value) {
  switch (value.kind) {
    case Hcl1Value::Kind::kString:
      out.String(value.text);
      break;
    case Hcl1Value::Kind::kNumber:
    case Hcl1Value::Kind::kBool:
      out.Raw(value.text);
      break;
    case Hcl1Value::Kind::kList:
      out.BeginArray();
      for (const Hcl1Value& element : value.list) {
        WriteJson(out, element);
      }
      out.EndArray();
      break;
    case Hcl1Value::Kind::kObject:
      out.BeginObject();
      for (const Hcl1Item& item : value.items) {
        out.Key(item.key);
        WriteJson(out, item.value);
      }
      out.EndObject();
      break;
  }
}

std::string ServiceText(const Hcl1Value& value) {
  if (!value.is_object()) {
    return value.text;
  }
  std::string text;
  JsonWriter out(text);
  WriteJson(out, value);
  return text;
}

/// Merges one file into a configuration.
class FileReader {
 public:
  FileReader(const std::string& path, bool json, CliConfig& config, Diagnostics& diags)
      : path_(path), json_(json), config_(config), diags_(diags) {}

  void Read(const Hcl1Value& root) {
    for (const Hcl1Item& item : root.items) {
      if (item.key == "plugin_cache_dir") {
        config_.plugin_cache_dir = ExpandEnvironment(ReadText(item));
      } else if (item.key == "plugin_cache_may_break_dependency_lock_file") {
        config_.plugin_cache_may_break_lock_file =
            config_.plugin_cache_may_break_lock_file || ReadText(item) == "true";
      } else if (item.key == "provider_installation") {
        ReadInstallation(item);
      } else if (item.key == "credentials") {
        ForEachLabel(item, [&](const std::string& host, const Hcl1Value& body) {
          const Hcl1Value* token = body.Find("token");
          config_.credentials[host] = token == nullptr ? "" : token->text;
          config_.credentials_files[host] = path_;
        });
      } else if (item.key == "host") {
        ForEachLabel(item, [&](const std::string& host, const Hcl1Value& body) {
          auto& services = config_.hosts[host];
          if (const Hcl1Value* given = body.Find("services"); given != nullptr) {
            for (const Hcl1Item& service : given->items) {
              services[service.key] = ServiceText(service.value);
            }
          }
        });
      } else if (item.key == "credentials_helper") {
        ForEachLabel(
            item, [&](const std::string& name, const Hcl1Value& body) { ReadHelper(name, body); });
      } else if (item.key == "registry_protocols" && item.value.is_object()) {
        ReadNumber(item.value, "retry_count", config_.registry_retries);
        ReadNumber(item.value, "request_timeout_seconds", config_.registry_timeout_seconds);
      } else if (item.key == "oci_default_credentials") {
        ReadOciDefaultCredentials(item, json_, path_, config_, diags_);
      } else if (item.key == "oci_credentials") {
        ReadOciCredentials(item, json_, config_, diags_);
      }
      // Other items are unknown or not supported: both are ignored, as in OpenTofu.
    }
  }

 private:
  void ReadHelper(const std::string& name, const Hcl1Value& body) {
    if (config_.credentials_helper) {
      Error("No more than one credentials_helper block may be specified", {});
      return;
    }
    CredentialsHelper& helper = config_.credentials_helper.emplace();
    helper.name = name;
    if (const Hcl1Value* arguments = body.Find("args"); arguments != nullptr) {
      for (const Hcl1Value& argument : arguments->list) {
        helper.arguments.push_back(argument.text);
      }
    }
  }

  static void ReadNumber(const Hcl1Value& body, std::string_view name, int& number) {
    const Hcl1Value* value = body.Find(name);
    int given = 0;
    if (value != nullptr &&
        std::from_chars(value->text.data(), value->text.data() + value->text.size(), given).ec ==
            std::errc() &&
        given >= 0) {
      number = given;
    }
  }

  void Error(std::string summary, std::string detail) {
    diags_.Error(std::move(summary), std::move(detail));
  }

  std::string ReadText(const Hcl1Item& item) {
    using Kind = Hcl1Value::Kind;
    if (item.value.kind == Kind::kList || item.value.kind == Kind::kObject) {
      Error("Error parsing " + path_ + ": \"" + item.key + "\" must be a single value", {});
      return {};
    }
    return item.value.text;
  }

  /// Calls `use` for a labelled block; in JSON for each member of an object from labels to bodies.
  template <typename F>
  static void ForEachLabel(const Hcl1Item& item, F&& use) {
    if (!item.labels.empty()) {
      use(item.labels[0], item.value);
      return;
    }
    for (const Hcl1Item& inner : item.value.items) {
      use(inner.key, inner.value);
    }
  }

  void ReadInstallation(const Hcl1Item& block) {
    constexpr const char* kSummary = "Invalid provider_installation block";
    if ((block.assigned && !json_) || !block.value.is_object()) {
      Error(kSummary, "The provider_installation block at " + PlaceOf(block) +
                          " must not be introduced with an equals sign.");
      return;
    }
    if (!block.labels.empty()) {
      Error(kSummary,
            "The provider_installation block at " + PlaceOf(block) + " must not have any labels.");
    }
    if (config_.installation) {
      Error("No more than one provider_installation block may be specified", {});
      return;
    }
    ProviderInstallation& installation = config_.installation.emplace();
    for (const Hcl1Item& method : block.value.items) {
      ReadMethod(block, method, installation);
    }
  }

  void ReadMethod(const Hcl1Item& block, const Hcl1Item& item, ProviderInstallation& installation) {
    constexpr const char* kSummary = "Invalid provider_installation method block";
    if ((item.assigned && !json_) || !item.value.is_object()) {
      Error(kSummary, "The items inside the provider_installation block at " + PlaceOf(block) +
                          " must all be blocks.");
      return;
    }
    if (!item.labels.empty()) {
      Error(kSummary, "The blocks inside the provider_installation block at " + PlaceOf(block) +
                          " may not have any labels.");
    }
    if (item.key == "dev_overrides") {
      if (!installation.methods.empty()) {
        Error(kSummary, "The dev_overrides block at " + PlaceOf(item) +
                            " must appear before all other installation methods: overrides always "
                            "come first.");
        return;
      }
      ReadDevOverrides(block, item, installation);
      return;
    }
    InstallMethod method;
    const char* location = nullptr;
    if (item.key == "direct") {
      method.kind = InstallMethodKind::kDirect;
    } else if (item.key == "filesystem_mirror") {
      method.kind = InstallMethodKind::kFilesystemMirror;
      location = "path";
    } else if (item.key == "network_mirror") {
      method.kind = InstallMethodKind::kNetworkMirror;
      location = "url";
    } else if (item.key == "oci_mirror") {
      method.kind = InstallMethodKind::kOciMirror;
      location = "repository_template";
    } else {
      Error(kSummary, "Unknown provider installation method " + Quoted(item.key) + " at " +
                          PlaceOf(item) + ".");
      return;
    }
    if (location != nullptr) {
      const Hcl1Value* value = item.value.Find(location);
      method.location = value == nullptr ? "" : value->text;
      if (method.location.empty()) {
        Error(kSummary, "Invalid " + item.key + " block at " + PlaceOf(block) + ": " +
                            Quoted(location) + " argument is required.");
        return;
      }
    }
    if (method.kind == InstallMethodKind::kNetworkMirror &&
        !method.location.starts_with("https://")) {
      Error("Invalid URL for provider installation source",
            "Cannot use " + Quoted(method.location) +
                " as a URL for a network provider mirror: the mirror must be at an https: URL.");
      return;
    }
    const size_t errors = diags_.error_count();
    for (const char* name : {"include", "exclude"}) {
      if (const Hcl1Value* list = item.value.Find(name);
          list != nullptr && list->kind != Hcl1Value::Kind::kList) {
        Error(kSummary, "Invalid " + item.key + " block at " + PlaceOf(item) + ": " + Quoted(name) +
                            " must be a list.");
        return;
      }
    }
    method.include = ReadPatterns(item.value, "include");
    method.exclude = ReadPatterns(item.value, "exclude");
    if (method.kind == InstallMethodKind::kOciMirror && diags_.error_count() == errors) {
      CheckOciTemplate(method, PlaceOf(item), config_, diags_);
    }
    if (diags_.error_count() != errors) {
      return;
    }
    if (method.kind == InstallMethodKind::kDirect ||
        method.kind == InstallMethodKind::kNetworkMirror) {
      ReadNumber(item.value, "download_retry_count", method.download_retries);
    }
    if (const Hcl1Value* trust = item.value.Find("trust_all_hashes"); trust != nullptr) {
      method.trust_all_hashes = trust->text == "true";
    }
    installation.methods.push_back(std::move(method));
  }

  /// Why a text is no pattern of provider addresses; empty if it is one. Ref: opentofu
  /// internal/getproviders ParseMultiSourceMatchingPatterns.
  static std::string PatternProblem(std::string_view pattern) {
    std::vector<std::string_view> parts;
    for (size_t slash = pattern.find('/'); slash != std::string_view::npos;
         slash = pattern.find('/')) {
      parts.push_back(pattern.substr(0, slash));
      pattern.remove_prefix(slash + 1);
    }
    parts.push_back(pattern);
    if (parts.size() != 2 && parts.size() != 3) {
      return "it must have the form \"[hostname/]namespace/type\"";
    }
    const std::string_view space = parts[parts.size() - 2];
    const std::string_view type = parts.back();
    const auto is_name = [](std::string_view part) {
      return part == "*" || ParseProviderPart(part).has_value();
    };
    if (!is_name(space) || !is_name(type)) {
      return "namespace and type must be names, or \"*\"";
    }
    if (parts.size() == 3 && parts[0] == "*") {
      return space == "*" && type == "*" ? ""
                                         : "the hostname can be a wildcard only if namespace and "
                                           "type are wildcards as well";
    }
    if (parts.size() == 3 && !ParseHostName(parts[0])) {
      return "the hostname is not valid";
    }
    return space == "*" && type != "*"
               ? "the namespace can be a wildcard only if the type is a wildcard as well"
               : "";
  }

  std::vector<std::string> ReadPatterns(const Hcl1Value& body, std::string_view name) {
    std::vector<std::string> patterns;
    if (const Hcl1Value* list = body.Find(name); list != nullptr) {
      for (const Hcl1Value& element : list->list) {
        patterns.push_back(element.text);
        if (const std::string why = PatternProblem(element.text); !why.empty()) {
          Error(name == "include" ? "Invalid provider source inclusion patterns"
                                  : "Invalid provider source exclusion patterns",
                "The pattern " + Quoted(element.text) + " is not valid: " + why + ".");
        }
      }
    }
    return patterns;
  }

  void ReadDevOverrides(const Hcl1Item& block, const Hcl1Item& item,
                        ProviderInstallation& installation) {
    for (const Hcl1Item& entry : item.value.items) {
      auto source = ParseProviderSource(entry.key);
      if (!source) {
        Error("Invalid provider installation dev overrides",
              "The entry " + Quoted(entry.key) + " in " + PlaceOf(block) +
                  " is not a valid provider source address.\n\n" + source.error().detail);
        continue;
      }
      installation.dev_overrides[source->ToText()] = CleanPath(entry.value.text);
    }
  }

  const std::string& path_;
  bool json_;
  CliConfig& config_;
  Diagnostics& diags_;
};

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

void ReadCliConfigFile(const std::string& path, CliConfig& config, Diagnostics& diags) {
  auto text = ReadFile(path);
  if (!text) {
    diags.Error("Error reading " + path + ": " + text.error().message, {});
    return;
  }
  size_t start = text->find_first_not_of(" \t\r\n");
  bool json = start != text->npos && (*text)[start] == '{';
  auto root = json ? ParseHcl1Json(*text) : ParseHcl1(*text);
  if (!root) {
    diags.Error("Error parsing " + path + ": " + root.error().message, {});
    return;
  }
  FileReader(path, json, config, diags).Read(*root);
}

namespace {

/// Reports blocks whose label is no host name. Ref: opentofu internal/command/cliconfig Validate.
void CheckHostNames(const CliConfig& config, Diagnostics& diags) {
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
}

}  // namespace

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
  struct stat info = {};
  if (!config.plugin_cache_dir.empty() && stat(config.plugin_cache_dir.c_str(), &info) != 0) {
    diags.Error("The specified plugin cache dir " + config.plugin_cache_dir +
                    " cannot be opened: stat " + config.plugin_cache_dir + ": " +
                    SystemMessage(errno),
                {});
  }
  CheckHostNames(config, diags);
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
