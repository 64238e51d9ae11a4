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

namespace {

constexpr std::string_view kRedacted = "REDACTED";

/// Whether the value of a query argument signs or authorizes a request.
bool IsSecretArgument(std::string name) {
  std::ranges::transform(name, name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  constexpr std::string_view kNames[] = {"aws_access_key_secret",
                                         "aws_access_token",
                                         "sshkey",
                                         "signature",
                                         "sig",
                                         "token",
                                         "access_token",
                                         "private_token",
                                         "x-amz-signature",
                                         "x-amz-security-token",
                                         "x-goog-signature"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

/// The user part of an address, "name:password", without what is secret. A name alone is a token
/// when the scheme is HTTP.
std::string UserWithoutSecrets(std::string_view user, bool is_http) {
  const size_t colon = user.find(':');
  if (colon == std::string_view::npos) {
    return std::string(is_http && user != "git" ? kRedacted : user);
  }
  return std::string(user.substr(0, colon + 1)) + std::string(kRedacted);
}

std::string QueryWithoutSecrets(std::string_view query) {
  std::string out;
  while (!query.empty()) {
    const std::string_view argument = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(argument.size() + 1, query.size()));
    const size_t equals = argument.find('=');
    out += out.empty() ? "" : "&";
    if (equals != std::string_view::npos &&
        IsSecretArgument(std::string(argument.substr(0, equals)))) {
      out.append(argument.substr(0, equals + 1)).append(kRedacted);
    } else {
      out += argument;
    }
  }
  return out;
}

}  // namespace

std::string WithoutSecrets(std::string_view source) {
  std::string out;
  std::string_view rest = source;
  if (const size_t scheme = source.find("://"); scheme != std::string_view::npos) {
    const std::string_view authority =
        source.substr(scheme + 3, source.find_first_of("/?#", scheme + 3) - (scheme + 3));
    const size_t at = authority.rfind('@');
    if (at != std::string_view::npos) {
      const bool is_http =
          source.substr(0, scheme).ends_with("http") || source.substr(0, scheme).ends_with("https");
      out = source.substr(0, scheme + 3);
      out += UserWithoutSecrets(authority.substr(0, at), is_http);
      rest = source.substr(scheme + 3 + at);
    }
  }
  const size_t query = rest.find('?');
  out += rest.substr(0, query);
  if (query != std::string_view::npos) {
    out += '?' + QueryWithoutSecrets(rest.substr(query + 1));
  }
  return out;
}

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
