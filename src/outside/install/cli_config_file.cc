// One file of the CLI configuration.
#include <algorithm>
#include <array>
#include <limits>

#include "addrs/provider_source.h"
#include "base/environment.h"
#include "base/files.h"
#include "install/cli_config.h"
#include "install/hcl1.h"
#include "install/hcl1_form.h"
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
    case Hcl1Value::Kind::kFloat:
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
        out.Key(item.key());
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

/// Why a text is no pattern of provider addresses; empty if it is one. Ref: opentofu
/// internal/getproviders ParseMultiSourceMatchingPatterns.
std::string PatternProblem(std::string_view pattern) {
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

constexpr Hcl1Form::Member kHostMembers[] = {{"services", &kHcl1AnyMap}};
constexpr Hcl1Form kHost{.type = Hcl1Form::Type::kBlock, .members = kHostMembers};
constexpr Hcl1Form kHosts{.type = Hcl1Form::Type::kMap, .element = &kHost};
constexpr Hcl1Form kCredentials{.type = Hcl1Form::Type::kMap, .element = &kHcl1AnyMap};
constexpr Hcl1Form::Member kHelperMembers[] = {{"args", &kHcl1Texts}};
constexpr Hcl1Form kHelper{.type = Hcl1Form::Type::kBlock, .members = kHelperMembers};
constexpr Hcl1Form kHelpers{.type = Hcl1Form::Type::kMap, .element = &kHelper};

constexpr Hcl1Form::Member kProtocolMembers[] = {{"retry_count", &kHcl1Integer},
                                                 {"request_timeout_seconds", &kHcl1Integer}};
constexpr Hcl1Form kProtocols{.type = Hcl1Form::Type::kBlock, .members = kProtocolMembers};

constexpr Hcl1Form::Member kMethodMembers[] = {{"path", &kHcl1Text},
                                               {"url", &kHcl1Text},
                                               {"repository_template", &kHcl1Text},
                                               {"include", &kHcl1Texts},
                                               {"exclude", &kHcl1Texts},
                                               {"download_retry_count", &kHcl1Integer},
                                               {"trust_all_hashes", &kHcl1Bool}};

/// A block type of provider_installation.
struct MethodType {
  std::string_view name;
  InstallMethodKind kind;
  std::string_view location;  ///< the argument that says where packages are; empty: nowhere
  std::array<std::string_view, 5> arguments;

  bool Has(std::string_view argument) const {
    return std::ranges::find(arguments, argument) != arguments.end();
  }
};
constexpr MethodType kMethodTypes[] = {
    {"direct", InstallMethodKind::kDirect, "", {"include", "exclude", "download_retry_count"}},
    {"filesystem_mirror",
     InstallMethodKind::kFilesystemMirror,
     "path",
     {"path", "include", "exclude"}},
    {"network_mirror",
     InstallMethodKind::kNetworkMirror,
     "url",
     {"url", "include", "exclude", "download_retry_count", "trust_all_hashes"}},
    {"oci_mirror",
     InstallMethodKind::kOciMirror,
     "repository_template",
     {"repository_template", "include", "exclude"}}};
constexpr Hcl1Form kOverrides{.type = Hcl1Form::Type::kMap, .element = &kHcl1Text};

/// Merges one file into a configuration. Of what several files say, the first counts; of hosts and
/// credentials the last.
class FileReader {
 public:
  FileReader(const std::string& path, bool json, CliConfig& config, Diagnostics& diags)
      : path_(path), json_(json), config_(config), diags_(diags) {}

  /// What follows an argument with a wrong value is not used.
  void Read(const Hcl1Value& root) {
    struct Argument {
      Hcl1Form::Member member;
      void (FileReader::*read)(const Hcl1Value& root);
    };
    static constexpr Argument kArguments[] = {
        {{"plugin_cache_dir", &kHcl1Text}, &FileReader::ReadCacheDirectory},
        {{"plugin_cache_may_break_dependency_lock_file", &kHcl1Bool}, &FileReader::ReadMayBreak},
        {{"host", &kHosts}, &FileReader::ReadHosts},
        {{"credentials", &kCredentials}, &FileReader::ReadCredentials},
        {{"credentials_helper", &kHelpers}, &FileReader::ReadHelpers}};
    const Hcl1Value flat = json_ ? FlattenedHcl1(root) : root;
    for (const Argument& argument : kArguments) {
      const Hcl1Form form{.type = Hcl1Form::Type::kBlock, .members = {&argument.member, 1}};
      if (const std::string problem = Hcl1Misfit(flat, form); !problem.empty()) {
        Error("Error parsing " + path_ + ": " + problem, {});
        return;
      }
      (this->*argument.read)(flat);
    }
    ReadRegistryProtocols(flat);
    for (const Hcl1Item& item : root.items) {
      if (item.key() == "provider_installation") {
        ReadInstallation(item);
      } else if (item.key() == "oci_default_credentials") {
        ReadOciDefaultCredentials(item, json_, path_, config_, diags_);
      } else if (item.key() == "oci_credentials") {
        ReadOciCredentials(item, json_, config_, diags_);
      }
      // Other items are unknown or not supported: both are ignored, as in OpenTofu.
    }
  }

 private:
  void ReadCacheDirectory(const Hcl1Value& root) {
    const Hcl1Value* directory = FindHcl1(root, "plugin_cache_dir");
    if (directory != nullptr && config_.plugin_cache_dir.empty()) {
      config_.plugin_cache_dir = ExpandEnvironment(directory->text);
    }
  }

  void ReadMayBreak(const Hcl1Value& root) {
    const Hcl1Value* may = FindHcl1(root, "plugin_cache_may_break_dependency_lock_file");
    if (may != nullptr && may->text == "true") {
      config_.plugin_cache_may_break_lock_file = true;
    }
  }

  void ReadHosts(const Hcl1Value& root) {
    ForEachLabel(root, "host", [&](const std::string& host, const Hcl1Value& body) {
      auto& services = config_.hosts[host];
      for (const Hcl1Value* given : Hcl1Values(body, "services")) {
        for (const Hcl1Item& service : given->items) {
          services[service.key()] = ServiceText(service.value);
        }
      }
    });
  }

  void ReadCredentials(const Hcl1Value& root) {
    ForEachLabel(root, "credentials", [&](const std::string& host, const Hcl1Value& body) {
      const Hcl1Value* token = body.Find("token");
      const bool is_text = token != nullptr && token->kind == Hcl1Value::Kind::kString;
      config_.credentials[host] = is_text ? token->text : "";
      config_.credentials_files[host] = path_;
    });
  }

  void ReadHelpers(const Hcl1Value& root) {
    ForEachLabel(root, "credentials_helper", [&](const std::string& name, const Hcl1Value& body) {
      if (config_.credentials_helper && config_.credentials_helper->name != name) {
        config_.repeated_blocks.insert("credentials_helper");
        return;
      }
      config_.credentials_helper = CredentialsHelper{name, Hcl1Texts(body, "args")};
    });
  }

  void ReadRegistryProtocols(const Hcl1Value& root) {
    constexpr const char* kSummary = "Invalid registry_protocols block";
    const Hcl1Item* first = nullptr;
    for (const Hcl1Item& item : root.items) {
      if (item.key() != "registry_protocols") {
        continue;
      }
      if (first != nullptr) {
        Error(
            "Duplicate registry_protocols block",
            "The settings of registry protocols are those of the block at " + first->Place() + ".");
        continue;
      }
      if (!item.value.is_object()) {
        Error(kSummary, "The registry_protocols item at " + item.Place() +
                            " must be a block: a brace comes after its type.");
        continue;
      }
      first = &item;
      if (const std::string problem = Hcl1Misfit(item.value, kProtocols); !problem.empty()) {
        Error(kSummary, "The registry_protocols block at " + item.Place() + ": " + problem + ".");
        continue;
      }
      SetNumber(item.value, "retry_count", config_.registry_retries);
      SetNumber(item.value, "request_timeout_seconds", config_.registry_timeout_seconds);
    }
  }

  /// Sets a number that is not set.
  static void SetNumber(const Hcl1Value& body, std::string_view name, std::optional<int>& number) {
    const std::optional<int64_t> given = Hcl1Number(body, name);
    if (given && *given >= 0 && *given <= std::numeric_limits<int>::max() && !number) {
      number = static_cast<int>(*given);
    }
  }

  void Error(std::string summary, std::string detail) {
    diags_.Error(std::move(summary), std::move(detail));
  }

  /// Calls `use` for each labelled block of a type; in JSON, and where the type is assigned, for
  /// each member of an object from labels to bodies.
  template <typename F>
  static void ForEachLabel(const Hcl1Value& root, std::string_view type, F&& use) {
    for (const Hcl1Item& item : root.items) {
      if (!IsSameHcl1Name(item.key(), type)) {
        continue;
      }
      if (!item.labels().empty()) {
        use(item.labels()[0].text, item.value);
        continue;
      }
      for (const Hcl1Item& inner : item.value.items) {
        use(inner.key(), inner.value);
      }
    }
  }

  void ReadInstallation(const Hcl1Item& block) {
    constexpr const char* kSummary = "Invalid provider_installation block";
    if ((block.assigned && !json_) || !block.value.is_object()) {
      Error(kSummary, "The provider_installation block at " + block.Place() +
                          " must not be introduced with an equals sign.");
      return;
    }
    if (!block.labels().empty()) {
      Error(kSummary,
            "The provider_installation block at " + block.Place() + " must not have any labels.");
    }
    ProviderInstallation installation;
    for (const Hcl1Item& method : block.value.items) {
      ReadMethod(block, method, installation);
    }
    if (config_.installation) {
      config_.repeated_blocks.insert("provider_installation");
    } else {
      config_.installation = std::move(installation);
    }
  }

  void ReadMethod(const Hcl1Item& block, const Hcl1Item& item, ProviderInstallation& installation) {
    if ((item.assigned && !json_) || !item.value.is_object()) {
      MethodError("The items inside the provider_installation block at " + block.Place() +
                  " must all be blocks.");
      return;
    }
    if (!item.labels().empty()) {
      MethodError("The blocks inside the provider_installation block at " + block.Place() +
                  " may not have any labels.");
    }
    if (item.key() == "dev_overrides") {
      if (!installation.methods.empty()) {
        MethodError("The dev_overrides block at " + item.Place() +
                    " must appear before all other installation methods: overrides always come "
                    "first.");
        return;
      }
      ReadDevOverrides(block, item, installation);
      return;
    }
    const auto* type = std::ranges::find(kMethodTypes, item.key(), &MethodType::name);
    if (type == std::end(kMethodTypes)) {
      MethodError("Unknown provider installation method " + Quoted(item.key()) + " at " +
                  item.Place() + ".");
      return;
    }
    if (std::optional<InstallMethod> method = MethodOf(*type, block, item)) {
      installation.methods.push_back(*std::move(method));
    }
  }

  void MethodError(const std::string& detail) {
    Error("Invalid provider_installation method block", detail);
  }
  void MethodError(const Hcl1Item& item, const Hcl1Item& block, const std::string& problem) {
    MethodError("Invalid " + item.key() + " block at " + block.Place() + ": " + problem + ".");
  }

  std::optional<InstallMethod> MethodOf(const MethodType& type, const Hcl1Item& block,
                                        const Hcl1Item& item) {
    const Hcl1Value& body = item.value;
    std::vector<Hcl1Form::Member> members;
    std::ranges::copy_if(kMethodMembers, std::back_inserter(members),
                         [&](const Hcl1Form::Member& member) { return type.Has(member.name); });
    const Hcl1Form form{.type = Hcl1Form::Type::kBlock, .members = members};
    if (const std::string problem = Hcl1Misfit(body, form); !problem.empty()) {
      MethodError(item, block, problem);
      return std::nullopt;
    }
    InstallMethod method{.kind = type.kind};
    if (!type.location.empty()) {
      const Hcl1Value* value = FindHcl1(body, type.location);
      method.location = value == nullptr ? "" : value->text;
      if (method.location.empty()) {
        MethodError(item, block, Quoted(type.location) + " argument is required");
        return std::nullopt;
      }
    }
    if (type.kind == InstallMethodKind::kNetworkMirror &&
        !method.location.starts_with("https://")) {
      Error("Invalid URL for provider installation source",
            "Cannot use " + Quoted(method.location) +
                " as a URL for a network provider mirror: the mirror must be at an https: URL.");
      return std::nullopt;
    }
    const size_t errors = diags_.error_count();
    method.include = ReadPatterns(body, "include");
    method.exclude = ReadPatterns(body, "exclude");
    if (type.kind == InstallMethodKind::kOciMirror && diags_.error_count() == errors) {
      CheckOciTemplate(method, item.Place(), config_, diags_);
    }
    if (diags_.error_count() != errors) {
      return std::nullopt;
    }
    if (type.Has("download_retry_count")) {
      SetNumber(body, "download_retry_count", method.download_retries);
    }
    const Hcl1Value* trust = FindHcl1(body, "trust_all_hashes");
    method.trust_all_hashes =
        type.Has("trust_all_hashes") && trust != nullptr && trust->text == "true";
    return method;
  }

  std::vector<std::string> ReadPatterns(const Hcl1Value& body, std::string_view name) {
    std::vector<std::string> patterns = Hcl1Texts(body, name);
    for (const std::string& pattern : patterns) {
      if (const std::string why = PatternProblem(pattern); !why.empty()) {
        Error(name == "include" ? "Invalid provider source inclusion patterns"
                                : "Invalid provider source exclusion patterns",
              "The pattern " + Quoted(pattern) + " is not valid: " + why + ".");
      }
    }
    return patterns;
  }

  void ReadDevOverrides(const Hcl1Item& block, const Hcl1Item& item,
                        ProviderInstallation& installation) {
    if (const std::string problem = Hcl1Misfit(item.value, kOverrides); !problem.empty()) {
      MethodError(item, block, problem);
      return;
    }
    for (const Hcl1Item& entry : item.value.items) {
      auto source = ParseProviderSource(entry.key());
      if (!source) {
        Error("Invalid provider installation dev overrides",
              "The entry " + Quoted(entry.key()) + " in " + block.Place() +
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

}  // namespace

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

}  // namespace kinu::install
