#include "install/package_source.h"

#include <array>
#include <climits>
#include <cstdlib>

#include <sys/stat.h>
#include <sys/utsname.h>

#include "addrs/provider_source.h"
#include "base/environment.h"
#include "base/files.h"

namespace kinu::install {
namespace {

bool IsRegularFile(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

bool IsSymlink(const std::string& path) {
  struct stat info = {};
  return lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode);
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

std::string Resolved(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) == nullptr ? path : std::string(resolved);
}

InstallMethod Mirror(std::string directory) {
  InstallMethod method;
  method.kind = InstallMethodKind::kFilesystemMirror;
  method.location = std::move(directory);
  return method;
}

std::string RefusalOf(const InstallMethod& method, std::string_view address) {
  switch (method.kind) {
    case InstallMethodKind::kNetworkMirror:
      return "the network mirror " + method.location + " would have to be asked for " +
             ProviderForDisplay(address) +
             ", but this version does not download providers: use a filesystem_mirror";
    case InstallMethodKind::kOciMirror:
      return "the OCI mirror " + method.location + " would have to be asked for " +
             ProviderForDisplay(address) +
             ", but this version does not download providers: use a filesystem_mirror";
    case InstallMethodKind::kDirect:
    case InstallMethodKind::kFilesystemMirror:
      break;
  }
  return "the registry " + SplitProviderAddress(address).host + " would have to be asked for " +
         ProviderForDisplay(address) +
         ", but this version does not download providers: put the package into a "
         "filesystem_mirror";
}

}  // namespace

std::string CurrentPlatform() {
  utsname names = {};
  uname(&names);
  std::string machine = names.machine;
  struct Architecture {
    std::string_view machine;
    std::string_view name;
  };
  constexpr std::array<Architecture, 5> kArchitectures = {{{"x86_64", "amd64"},
                                                           {"aarch64", "arm64"},
                                                           {"i686", "386"},
                                                           {"armv7l", "arm"},
                                                           {"armv6l", "arm"}}};
  for (const Architecture& architecture : kArchitectures) {
    if (machine == architecture.machine) {
      machine = architecture.name;
    }
  }
  return Lower(names.sysname) + '_' + machine;
}

Result<std::vector<Package>> ListMirror(const std::string& directory, std::string_view address,
                                        std::string_view platform) {
  std::vector<Package> packages;
  std::string base = Resolved(directory);
  if (!IsDirectory(base)) {
    return Fail(ErrorCode::kNotFound, "cannot search " + directory);
  }
  ProviderAddress provider = SplitProviderAddress(address);
  std::string at = base;
  // Only the mirror directory and its packages may be symbolic links.
  for (const std::string& part : {provider.host, provider.space, provider.type}) {
    at = JoinPath(at, part);
    if (IsSymlink(at)) {
      return packages;
    }
  }
  auto names = ListDirectory(at);
  if (!names) {
    return packages;
  }
  std::string prefix = "terraform-provider-" + provider.type + '_';
  std::string suffix = '_' + std::string(platform) + ".zip";
  for (const std::string& name : *names) {
    std::string path = JoinPath(at, name);
    std::string lower = Lower(name);
    if (lower.starts_with(prefix) && lower.ends_with(suffix) &&
        lower.size() > prefix.size() + suffix.size() && IsRegularFile(path)) {
      auto version = Version::ParseExact(
          lower.substr(prefix.size(), lower.size() - prefix.size() - suffix.size()));
      if (version) {
        packages.push_back({*version, path, true});
      }
      continue;
    }
    auto version = Version::ParseExact(name);
    std::string package = JoinPath(path, platform);
    if (version && !IsSymlink(path) && IsDirectory(package)) {
      packages.push_back({*version, package, false});
    }
  }
  return packages;
}

const Package* SelectPackage(const std::vector<Package>& packages,
                             const VersionConstraints& constraints, const ProviderLock* lock) {
  const Package* best = nullptr;
  for (const Package& package : packages) {
    const bool acceptable = lock != nullptr ? package.version.ToText() == lock->version.ToText()
                                            : constraints.AllowsProvider(package.version);
    if (acceptable && (best == nullptr || best->version < package.version)) {
      best = &package;
    }
  }
  return best;
}

std::string WantedPackage(const std::string& address, const VersionConstraints& constraints,
                          const ProviderLock* lock) {
  if (lock != nullptr) {
    return address + " " + lock->version.ToText();
  }
  return address + (constraints.empty() ? "" : " " + constraints.ToCanonicalText());
}

PackageSource::PackageSource(const CliConfig& config,
                             const std::vector<std::string>& forced_directories,
                             const std::string& original_directory) {
  if (!forced_directories.empty()) {
    for (const std::string& directory : forced_directories) {
      methods_.push_back(Mirror(directory));
    }
    return;
  }
  if (config.installation) {
    methods_ = config.installation->methods;
    return;
  }
  implicit_ = true;
  std::vector<std::string> directories = {JoinPath(original_directory, "terraform.d/plugins")};
  std::string home = HomeDirectory();
  if (!home.empty()) {
    directories.push_back(JoinPath(home, ".terraform.d/plugins"));
  }
  if (std::string_view data = Environment("XDG_DATA_HOME"); !data.empty()) {
    directories.push_back(JoinPath(data, "opentofu/plugins"));
    directories.push_back(JoinPath(data, "terraform/plugins"));
  } else if (!home.empty()) {
    directories.push_back(JoinPath(home, ".local/share/terraform/plugins"));
  }
  std::string_view shared = Environment("XDG_DATA_DIRS");
  for (std::string_view rest = shared.empty() ? "/usr/local/share:/usr/share" : shared;;) {
    size_t colon = rest.find(':');
    directories.push_back(JoinPath(rest.substr(0, colon), "terraform/plugins"));
    if (colon == rest.npos) {
      break;
    }
    rest.remove_prefix(colon + 1);
  }
  for (std::string& directory : directories) {
    if (IsDirectory(directory)) {
      methods_.push_back(Mirror(std::move(directory)));
    }
  }
  methods_.emplace_back();  // the registry
}

Result<std::vector<Package>> PackageSource::Find(std::string_view address,
                                                 std::string_view platform) const {
  std::vector<Package> found;
  if (methods_.empty()) {
    return found;  // the CLI configuration has overrides only
  }
  std::string refusal;
  bool asked = false;
  for (const InstallMethod& method : methods_) {
    if (!MethodApplies(method, address)) {
      continue;
    }
    if (method.kind != InstallMethodKind::kFilesystemMirror) {
      refusal = refusal.empty() ? RefusalOf(method, address) : refusal;
      continue;
    }
    asked = true;
    KINU_TRY(auto packages, ListMirror(method.location, address, platform));
    found.insert(found.end(), std::make_move_iterator(packages.begin()),
                 std::make_move_iterator(packages.end()));
  }
  if (!found.empty()) {
    return found;
  }
  if (!refusal.empty()) {
    return Fail(ErrorCode::kUnsupported, refusal);
  }
  if (!asked) {
    return Fail(ErrorCode::kNotFound,
                "provider " + std::string(address) +
                    " was not found in any of the search locations\n\n"
                    "No installation method of the CLI configuration applies to it");
  }
  std::string places;
  for (const InstallMethod& method : methods_) {
    if (MethodApplies(method, address)) {
      places += "\n  - " + method.location;
    }
  }
  return Fail(ErrorCode::kNotFound, "provider " + std::string(address) +
                                        " was not found in any of the search locations\n" + places);
}

Result<std::string> FindExecutable(const std::string& directory, std::string_view type) {
  auto names = ListDirectory(directory);
  if (!names) {
    return Fail(names.error().code, "could not read package directory: " + names.error().message);
  }
  std::string prefix = "terraform-provider-" + std::string(type);
  for (const std::string& name : *names) {
    if (!name.starts_with(prefix)) {
      continue;
    }
    std::string_view rest = std::string_view(name).substr(prefix.size());
    if (!rest.empty() && rest[0] != '_' && rest[0] != '.') {
      continue;
    }
    std::string path = JoinPath(directory, name);
    if (!IsDirectory(path)) {
      return path;
    }
  }
  return Fail(ErrorCode::kNotFound, "could not find executable file starting with " + prefix);
}

}  // namespace kinu::install
