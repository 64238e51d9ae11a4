#include "install/package_source.h"

#include <algorithm>
#include <array>

#include "addrs/provider_source.h"
#include "base/environment.h"
#include "base/files.h"
#include "install/oci_config.h"
#include "install/sources.h"

namespace kinu::install {
namespace {

/// The kinds of sources, by the block of the CLI configuration that describes them.
struct SourceKind {
  InstallMethodKind kind;
  std::unique_ptr<PackageSource> (*make)(const InstallMethod& method, Network& network);
};
constexpr std::array<SourceKind, 4> kSourceKinds = {{
    {InstallMethodKind::kDirect, MakeRegistrySource},
    {InstallMethodKind::kFilesystemMirror, MakeDirectoryMirror},
    {InstallMethodKind::kNetworkMirror, MakeNetworkMirror},
    {InstallMethodKind::kOciMirror, MakeOciMirror},
}};

InstallMethod Mirror(std::string directory) {
  InstallMethod method;
  method.kind = InstallMethodKind::kFilesystemMirror;
  method.location = std::move(directory);
  return method;
}

/// The directories that are searched unless the CLI configuration says otherwise.
std::vector<std::string> ImpliedDirectories(const std::string& original_directory) {
  std::vector<std::string> directories = {JoinPath(original_directory, "terraform.d/plugins")};
  const std::string home = HomeDirectory();
  if (!home.empty()) {
    directories.push_back(JoinPath(home, ".terraform.d/plugins"));
  }
  if (const std::string_view data = Environment("XDG_DATA_HOME"); !data.empty()) {
    directories.push_back(JoinPath(data, "opentofu/plugins"));
    directories.push_back(JoinPath(data, "terraform/plugins"));
  } else if (!home.empty()) {
    directories.push_back(JoinPath(home, ".local/share/terraform/plugins"));
  }
  const std::string_view shared = Environment("XDG_DATA_DIRS");
  for (std::string_view rest = shared.empty() ? "/usr/local/share:/usr/share" : shared;;) {
    const size_t colon = rest.find(':');
    directories.push_back(JoinPath(rest.substr(0, colon), "terraform/plugins"));
    if (colon == rest.npos) {
      return directories;
    }
    rest.remove_prefix(colon + 1);
  }
}

/// The providers of which a directory has packages, as include patterns.
std::vector<std::string> ProvidersIn(const std::string& directory) {
  std::vector<std::string> found;
  const auto names = [](const std::string& path) {
    auto listed = ListDirectory(path);
    return listed ? *listed : std::vector<std::string>();
  };
  for (const std::string& host : names(directory)) {
    for (const std::string& space : names(JoinPath(directory, host))) {
      for (const std::string& type : names(JoinPath(directory, host + '/' + space))) {
        if (!names(JoinPath(directory, host + '/' + space + '/' + type)).empty()) {
          found.push_back(host + '/' + space + '/' + type);
        }
      }
    }
  }
  return found;
}

}  // namespace

SourceError UnauthorizedError(const std::string& host, bool with_credentials) {
  return {.message = "host " + host +
                     (with_credentials ? " rejected the given authentication credentials"
                                       : " requires authentication credentials")};
}

SourceError RequestError(const std::string& prefix, const Error& error) {
  return {.problem = error.code == ErrorCode::kCancelled ? SourceProblem::kCancelled
                                                         : SourceProblem::kFailed,
          .message = prefix + error.message};
}

void SourceSet::Add(InstallMethod method, Network& network) {
  const auto* kind = std::ranges::find(kSourceKinds, method.kind, &SourceKind::kind);
  auto source = kind->make(method, network);
  entries_.push_back({std::move(method), std::move(source)});
}

SourceSet::SourceSet(const CliConfig& config, const std::vector<std::string>& forced_directories,
                     const std::string& original_directory, Network& network, SourceChoice choice)
    : network_(&network) {
  if (choice == SourceChoice::kDirectOnly) {
    Add(InstallMethod(), network);
    return;
  }
  if (!forced_directories.empty()) {
    for (const std::string& directory : forced_directories) {
      Add(Mirror(directory), network);
    }
    return;
  }
  if (config.installation &&
      (!config.installation->methods.empty() || config.installation->dev_overrides.empty())) {
    for (const InstallMethod& method : config.installation->methods) {
      Add(method, network);
    }
    return;
  }
  if (config.installation) {
    return;  // overrides only
  }
  // A provider that any directory has is not looked for in its registry.
  InstallMethod direct;
  for (std::string& directory : ImpliedDirectories(original_directory)) {
    if (IsDirectory(directory)) {
      for (std::string& provider : ProvidersIn(directory)) {
        direct.exclude.push_back(std::move(provider));
      }
      Add(Mirror(std::move(directory)), network);
    }
  }
  Add(std::move(direct), network);
}

std::unique_ptr<SourceSet> SourceSet::OfNetworkMirror(const std::string& url, Network& network) {
  std::unique_ptr<SourceSet> set(new SourceSet());
  set->network_ = &network;
  InstallMethod method;
  method.kind = InstallMethodKind::kNetworkMirror;
  method.location = url;
  set->Add(std::move(method), network);
  return set;
}

std::unique_ptr<SourceSet> SourceSet::OfOciMirror(const std::string& uri_template,
                                                  Network& network) {
  std::unique_ptr<SourceSet> set(new SourceSet());
  set->network_ = &network;
  InstallMethod method;
  method.kind = InstallMethodKind::kOciMirror;
  method.location = TemplateOfUri(uri_template);
  set->Add(std::move(method), network);
  return set;
}

std::unique_ptr<SourceSet> SourceSet::OfDirectory(const std::string& path, Network& network) {
  std::unique_ptr<SourceSet> set(new SourceSet());
  set->network_ = &network;
  set->Add(Mirror(path), network);
  return set;
}

std::vector<std::string> SourceSet::Names(const std::string& address) const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) {
    if (MethodApplies(entry.method, address)) {
      names.push_back(entry.source->Name(address));
    }
  }
  return names;
}

std::string SourceSet::Name(const std::string& address) const {
  std::string out;
  for (const std::string& name : Names(address)) {
    out += (out.empty() ? "" : ", ") + name;
  }
  return out;
}

SourceResult<OfferedVersions> SourceSet::Versions(const std::string& address) {
  OfferedVersions all;
  std::optional<SourceError> unknown;
  for (const Entry& entry : entries_) {
    if (!MethodApplies(entry.method, address)) {
      continue;
    }
    auto offered = entry.source->Versions(address);
    if (!offered) {
      if (offered.error().problem == SourceProblem::kUnknownProvider) {
        unknown = std::move(offered).error();
        continue;
      }
      if (offered.error().problem == SourceProblem::kNotFound) {
        continue;
      }
      return offered;
    }
    std::ranges::move(offered->versions, std::back_inserter(all.versions));
    std::ranges::move(offered->warnings, std::back_inserter(all.warnings));
  }
  if (!all.versions.empty() || entries_.empty()) {
    return all;
  }
  return std::unexpected(
      unknown ? *std::move(unknown)
              : SourceError{.problem = SourceProblem::kNotFound,
                            .message = "provider " + address +
                                       " was not found in any of the search locations",
                            .sources = Names(address)});
}

SourceResult<PackageOffer> SourceSet::Package(const std::string& address, const Version& version,
                                              const std::string& platform) {
  // With a single source its own answer is the best description.
  for (const Entry& entry : entries_) {
    if (!MethodApplies(entry.method, address)) {
      continue;
    }
    auto offer = entry.source->Package(address, version, platform);
    const bool next = !offer && (offer.error().problem == SourceProblem::kNotFound ||
                                 offer.error().problem == SourceProblem::kUnknownProvider ||
                                 offer.error().problem == SourceProblem::kPlatform);
    if (!next) {
      return offer;
    }
  }
  return std::unexpected(SourceError{.problem = SourceProblem::kPlatform,
                                     .message = "provider " + address + ' ' + version.ToText() +
                                                " is not available for " + platform});
}

std::string SourceSet::Suggestion(const std::string& address,
                                  const std::vector<std::string>& required) {
  const ProviderAddress provider = SplitProviderAddress(address);
  if (!provider.is_default()) {
    return {};
  }
  for (const std::string& other : required) {
    if (other != address && SplitProviderAddress(other).type == provider.type) {
      return other;
    }
  }
  const bool direct = std::ranges::any_of(entries_, [&](const Entry& entry) {
    return entry.method.kind == InstallMethodKind::kDirect && MethodApplies(entry.method, address);
  });
  const std::string space = direct ? LegacyNamespace(*network_, provider.type) : "";
  return space.empty() || space == provider.space
             ? std::string()
             : provider.host + '/' + space + '/' + provider.type;
}

}  // namespace kinu::install
