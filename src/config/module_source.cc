#include "config/module_source.h"

#include <algorithm>
#include <vector>

#include "addrs/provider_source.h"
#include "base/files.h"
#include "config/decode.h"
#include "config/remote_source.h"

namespace kinu::config {
namespace {

constexpr std::string_view kLocalPrefixes[] = {"./", "../", ".\\", "..\\"};

bool IsLocal(std::string_view text) {
  return std::any_of(std::begin(kLocalPrefixes), std::end(kLocalPrefixes),
                     [&](std::string_view prefix) { return text.starts_with(prefix); });
}

std::string NormalLocal(std::string_view text) {
  std::string path(text);
  std::replace(path.begin(), path.end(), '\\', '/');
  path = CleanPath(path);
  if (!path.starts_with("../")) {
    path.insert(0, "./");
  }
  return path;
}

bool IsAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Whether a name is valid as namespace or module in a registry.
bool IsRegistryName(std::string_view name) {
  constexpr size_t kLongest = 64;
  if (name.empty() || name.size() > kLongest || !IsAlphanumeric(name.front()) ||
      !IsAlphanumeric(name.back())) {
    return false;
  }
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_'; });
}

bool IsTargetSystem(std::string_view name) {
  constexpr size_t kLongest = 64;
  return !name.empty() && name.size() <= kLongest &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); });
}

Result<std::string> NormalRegistry(std::string_view text) {
  std::string_view package = text;
  std::string directory;
  if (const size_t at = text.find("//"); at != std::string_view::npos) {
    package = text.substr(0, at);
    directory = CleanPath(text.substr(at + 2));
    if (directory == ".." || directory.starts_with("../")) {
      return Fail(ErrorCode::kInvalid,
                  "the directory " + directory + " leads out of the module package");
    }
  }
  std::vector<std::string_view> parts = SplitSlashes(package);
  std::string host(kDefaultRegistryHost);
  if (parts.size() == 4) {
    auto name = ParseHostName(parts[0]);
    if (!name || name->find('.') == std::string::npos || *name == "github.com" ||
        *name == "bitbucket.org") {
      return Fail(ErrorCode::kInvalid,
                  "\"" + std::string(parts[0]) + "\" is not the host of a module registry");
    }
    host = *std::move(name);
    parts.erase(parts.begin());
  }
  if (parts.size() != 3 || !IsRegistryName(parts[0]) || !IsRegistryName(parts[1]) ||
      !IsTargetSystem(parts[2])) {
    return Fail(ErrorCode::kInvalid,
                "a module in a registry is called namespace/name/system, after a host name if the "
                "registry is not the usual one");
  }
  std::string normal = host;
  for (std::string_view part : parts) {
    normal += '/';
    normal += part;
  }
  if (!directory.empty() && directory != ".") {
    normal += "//" + directory;
  }
  return normal;
}

}  // namespace

Result<ModuleSource> ParseModuleSource(std::string_view text, bool registry_only) {
  if (IsLocal(text)) {
    if (registry_only) {
      return Fail(ErrorCode::kInvalid, "a local directory has no version");
    }
    return ModuleSource{ModuleSourceKind::kLocal, NormalLocal(text)};
  }
  Result<std::string> registry = NormalRegistry(text);
  if (registry) {
    return ModuleSource{ModuleSourceKind::kRegistry, *std::move(registry)};
  }
  if (registry_only) {
    return std::unexpected(registry.error());
  }
  KINU_TRY(std::string remote, NormalRemoteSource(text));
  return ModuleSource{ModuleSourceKind::kRemote, std::move(remote)};
}

std::optional<ModuleSource> ReadModuleSource(std::string_view text, bool registry_only,
                                             const SourceRange& range, Diagnostics& diags) {
  Result<ModuleSource> source = ParseModuleSource(text, registry_only);
  if (!source) {
    diags.Error(
        registry_only ? "Invalid registry module source address" : "Invalid module source address",
        Quoted(text) + " is not the address of a module" +
            (registry_only ? " in a registry, which a version is for: " : ": ") +
            source.error().message + ".",
        range);
    return std::nullopt;
  }
  return *std::move(source);
}

}  // namespace kinu::config
