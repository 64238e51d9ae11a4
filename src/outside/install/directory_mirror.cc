// The source that reads a directory with packages: DIR/HOST/NAMESPACE/TYPE/ holds archives or
// VERSION/PLATFORM/ directories. Ref: opentofu internal/getproviders filesystem_search.go,
// filesystem_mirror_source.go.
#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>

#include <sys/stat.h>
#include <sys/utsname.h>

#include "addrs/provider_source.h"
#include "base/files.h"
#include "install/sources.h"
#include "text/ascii_case.h"

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

std::string Resolved(const std::string& path) {
  char resolved[PATH_MAX];
  return realpath(path.c_str(), resolved) == nullptr ? path : std::string(resolved);
}

/// The platform that ends a text: "linux_amd64" of "1.0.0_linux_amd64". Empty if there is none.
std::string_view TrailingPlatform(std::string_view text) {
  const size_t last = text.rfind('_');
  const size_t before = last == std::string_view::npos || last == 0 ? std::string_view::npos
                                                                    : text.rfind('_', last - 1);
  return before == std::string_view::npos ? std::string_view() : text.substr(before + 1);
}

/// A package in a mirror directory.
struct MirrorPackage {
  Version version;
  std::string platform;
  std::string location;
  bool packed = false;
};

/// Reads one entry of the directory of a provider.
void ReadMirrorEntry(const std::string& directory, const std::string& name,
                     const std::string& prefix, std::vector<MirrorPackage>& packages) {
  constexpr std::string_view kSuffix = ".zip";
  const std::string path = JoinPath(directory, name);
  const std::string lower = text::AsciiLower(name);
  if (lower.starts_with(prefix) && lower.ends_with(kSuffix) &&
      lower.size() > prefix.size() + kSuffix.size() && IsRegularFile(path)) {
    const std::string_view middle(lower.data() + prefix.size(),
                                  lower.size() - prefix.size() - kSuffix.size());
    const std::string_view platform = TrailingPlatform(middle);
    if (platform.empty() || platform.size() + 1 >= middle.size()) {
      return;
    }
    if (auto version = Version::ParseExact(middle.substr(0, middle.size() - platform.size() - 1))) {
      packages.push_back({*version, std::string(platform), path, true});
    }
    return;
  }
  auto version = Version::ParseExact(name);
  if (!version || IsSymlink(path)) {
    return;
  }
  const auto platforms = ListDirectory(path);
  for (const std::string& platform : platforms ? *platforms : std::vector<std::string>()) {
    if (TrailingPlatform("_" + platform) == platform && IsDirectory(JoinPath(path, platform))) {
      packages.push_back({*version, platform, JoinPath(path, platform), false});
    }
  }
}

/// The directories in which a mirror may have packages of a provider: names of directories are read
/// as parts of addresses, in any case. Only the mirror directory and its packages may be symbolic
/// links.
std::vector<std::string> DirectoriesOf(const ProviderAddress& provider, const std::string& base) {
  const auto is_host = [&provider](const std::string& name) {
    const auto host = ParseHostName(name);
    return host && *host == provider.host;
  };
  std::vector<std::string> out = {base};
  const auto descend = [&out](const auto& is_part) {
    std::vector<std::string> inner;
    for (const std::string& directory : out) {
      const auto names = ListDirectory(directory);
      for (const std::string& name : names ? *names : std::vector<std::string>()) {
        if (is_part(name) && !IsSymlink(JoinPath(directory, name))) {
          inner.push_back(JoinPath(directory, name));
        }
      }
    }
    out = std::move(inner);
  };
  descend(is_host);
  for (const std::string& part : {provider.space, provider.type}) {
    descend([&part](const std::string& name) {
      const auto read = ParseProviderPart(name);
      return name == part || (read && *read == part);
    });
  }
  return out;
}

/// Lists the packages of a provider, sorted by name.
SourceResult<std::vector<MirrorPackage>> ListMirror(const std::string& directory,
                                                    const std::string& address) {
  std::vector<MirrorPackage> packages;
  const std::string base = Resolved(directory);
  if (!FileExists(base)) {
    return std::unexpected(SourceError{.message = "cannot search " + directory + ": lstat " +
                                                  directory + ": no such file or directory"});
  }
  const ProviderAddress provider = SplitProviderAddress(address);
  for (const std::string& at : DirectoriesOf(provider, base)) {
    const auto names = ListDirectory(at);
    for (const std::string& name : names ? *names : std::vector<std::string>()) {
      ReadMirrorEntry(at, name, "terraform-provider-" + provider.type + '_', packages);
    }
  }
  return packages;
}

class DirectoryMirror final : public PackageSource {
 public:
  explicit DirectoryMirror(std::string directory) : directory_(std::move(directory)) {}

  SourceResult<OfferedVersions> Versions(const std::string& address) override {
    KINU_TRY(const std::vector<MirrorPackage> packages, ListMirror(directory_, address));
    if (packages.empty()) {
      return std::unexpected(SourceError{.problem = SourceProblem::kNotFound});
    }
    OfferedVersions out;
    for (const MirrorPackage& package : packages) {
      out.versions.push_back(package.version);
    }
    if (std::ranges::any_of(out.versions, [](const Version& v) { return v.ToText() == "0.0.0"; })) {
      out.warnings.push_back(
          "Provider " + address +
          " has an unspecified (0.0.0) version available in the filesystem mirror, source at " +
          directory_ +
          ". It will not be used. \nA provider under development is used through dev_overrides of "
          "the CLI configuration, which need no version: "
          "https://opentofu.org/docs/cli/config/config-file/"
          "#development-overrides-for-provider-developers");
    }
    return out;
  }

  SourceResult<PackageOffer> Package(const std::string& address, const Version& version,
                                     const std::string& platform) override {
    KINU_TRY(const std::vector<MirrorPackage> packages, ListMirror(directory_, address));
    for (const MirrorPackage& package : packages) {
      if (package.version.ToText() == version.ToText() && package.platform == platform) {
        return PackageOffer{
            .version = version,
            .platform = platform,
            .form = package.packed ? PackageForm::kArchive : PackageForm::kDirectory,
            .location = package.location,
            .request = {},
            .evidence = {}};
      }
    }
    return std::unexpected(SourceError{.problem = SourceProblem::kPlatform});
  }

  std::string Name(const std::string&) const override { return directory_; }

 private:
  std::string directory_;
};

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
  return text::AsciiLower(names.sysname) + '_' + machine;
}

std::unique_ptr<PackageSource> MakeDirectoryMirror(const InstallMethod& method, Network&) {
  return std::make_unique<DirectoryMirror>(method.location);
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
