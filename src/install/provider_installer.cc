#include "install/provider_installer.h"

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "addrs/provider_source.h"
#include "base/file_replacement.h"
#include "base/files.h"
#include "codec/hash.h"
#include "codec/zip.h"
#include "install/package_hash.h"

namespace kinu::install {
namespace {

bool MatchesAny(const std::vector<std::string>& hashes, const std::string& hash) {
  return std::find(hashes.begin(), hashes.end(), hash) != hashes.end();
}

/// Removes a link, file or directory tree.
Result<void> RemoveAll(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error) {
    return Fail(ErrorCode::kIo, "failed to remove " + path + ": " + error.message());
  }
  return {};
}

Result<void> CopyTree(const std::string& from, const std::string& to) {
  std::error_code error;
  std::filesystem::copy(from, to, std::filesystem::copy_options::recursive, error);
  if (error) {
    return Fail(ErrorCode::kIo, "failed to copy " + from + " to " + to + ": " + error.message());
  }
  return {};
}

/// Whether a name in an archive stays inside the target directory.
bool IsSafeName(std::string_view name) {
  const std::string clean = CleanPath(name);
  return !name.empty() && name[0] != '/' && name.find('\\') == name.npos && clean != ".." &&
         !clean.starts_with("../");
}

/// Writes without fsync: packages are verified at every use.
Result<void> WriteNewFile(const std::string& path, std::string_view content, unsigned unix_mode) {
  const unsigned mode = unix_mode == 0 ? 0644 : unix_mode & 0777;
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, mode);
  bool written = fd >= 0 && WriteWhole(fd, content) && fchmod(fd, mode) == 0;
  const int error = errno;
  if (fd >= 0) {
    written = close(fd) == 0 && written;
  }
  return written ? Result<void>{}
                 : Fail(ErrorCode::kIo, "write " + path + ": " + SystemMessage(error));
}

Result<void> Unpack(const std::string& archive, const std::string& directory) {
  KINU_TRY(std::string bytes, ReadFile(archive));
  KINU_TRY(ZipReader zip, ZipReader::Open(bytes));
  for (const ZipReader::Entry& entry : zip.entries()) {
    if (!IsSafeName(entry.name)) {
      return Fail(ErrorCode::kInvalid,
                  "the package " + archive + " has a file outside of it: " + entry.name);
    }
    std::string path = JoinPath(directory, entry.name);
    if (entry.is_directory()) {
      if (auto made = MakeDirectories(path); !made) {
        return made;
      }
      continue;
    }
    KINU_TRY(std::string content, zip.Read(entry));
    if (auto made = MakeDirectories(DirName(path)); !made) {
      return made;
    }
    if (auto written = WriteNewFile(path, content, entry.unix_mode); !written) {
      return written;
    }
  }
  return {};
}

/// The state of one InstallProviders() call.
class Installer {
 public:
  Installer(const PackageSource& source, const InstallOptions& options, const InstallEvents& events,
            InstallResult& result)
      : source_(source), options_(options), events_(events), result_(result) {}

  /// Selects the version of a provider.
  void Select(const std::string& address, const VersionConstraints& constraints) {
    if (SplitProviderAddress(address).is_built_in()) {
      SelectBuiltIn(address, constraints);
      return;
    }
    if (MatchesAny(options_.unmanaged, address)) {
      return;
    }
    const ProviderLock* lock = result_.locks.Find(address);
    bool locked = lock != nullptr && !options_.upgrade;
    if (events_.query) {
      events_.query(address, constraints, locked);
    }
    if (locked && !constraints.AllowsProvider(lock->version)) {
      ReportFailure(address,
                    "locked provider " + address + ' ' + lock->version.ToText() +
                        " does not match configured version constraint " +
                        constraints.ToCanonicalText() +
                        "; must use tofu init -upgrade to allow selection of new versions",
                    InstallFailure::kNoVersion);
      return;
    }
    auto packages = source_.Find(address);
    const Package* best =
        packages ? SelectPackage(*packages, constraints, locked ? lock : nullptr) : nullptr;
    if (best != nullptr) {
      selected_.push_back({address, constraints, *best});
    } else if (locked && IsInstalled(address, *lock)) {
      // An installed and verified package needs no source.
      selected_.push_back({address, constraints, {lock->version, "", false}});
    } else if (!packages) {
      ReportFailure(address, packages.error().message, InstallFailure::kNotFound);
    } else if (locked) {
      ReportFailure(
          address,
          "the previously-selected version " + lock->version.ToText() + " is no longer available",
          InstallFailure::kNoVersion);
    } else {
      ReportFailure(
          address,
          "no available releases match the given constraints " + constraints.ToCanonicalText(),
          InstallFailure::kNoVersion);
    }
  }

  void InstallSelected() {
    for (const Selection& selection : selected_) {
      Install(selection.address, selection.constraints, selection.package);
    }
  }

 private:
  struct Selection {
    std::string address;
    VersionConstraints constraints;
    Package package;
  };

  void SelectBuiltIn(const std::string& address, const VersionConstraints& constraints) {
    std::string type = SplitProviderAddress(address).type;
    std::string error;
    if (type != "terraform") {
      error = "this release has no built-in provider named \"" + type + '"';
    } else if (!constraints.empty()) {
      error = "built-in providers do not support explicit version constraints";
    }
    if (!error.empty()) {
      ReportFailure(address, error, InstallFailure::kBuiltIn);
    } else if (events_.built_in) {
      events_.built_in(address);
    }
  }

  void ReportFailure(const std::string& address, const std::string& error, InstallFailure failure) {
    result_.errors[address] = error;
    if (events_.failed) {
      events_.failed(address, error, failure);
    }
  }

  /// Whether the locked package is installed and matches its hashes.
  bool IsInstalled(const std::string& address, const ProviderLock& lock) const {
    std::string directory = PackageDirectory(options_.providers_directory, address, lock.version);
    std::vector<std::string> wanted = lock.PreferredHashes();
    if (wanted.empty() || !IsDirectory(directory)) {
      return false;
    }
    auto hash = RememberedPackageHash(directory, cache_);
    return hash && MatchesAny(wanted, *hash);
  }

  void Install(const std::string& address, const VersionConstraints& constraints,
               const Package& package) {
    const ProviderLock* lock = result_.locks.Find(address);
    bool same = lock != nullptr && lock->version.ToText() == package.version.ToText();
    if (same && IsInstalled(address, *lock)) {
      if (events_.already_installed) {
        events_.already_installed(address, lock->version);
      }
      result_.locks.Set(address, Version(lock->version), constraints,
                        std::vector<std::string>(lock->hashes));
      return;
    }
    std::vector<std::string> hashes = same ? lock->hashes : std::vector<std::string>();
    std::vector<std::string> wanted = same ? lock->PreferredHashes() : std::vector<std::string>();
    if (events_.installing) {
      events_.installing(address, package.version, !options_.plugin_cache_directory.empty());
    }
    std::string directory =
        PackageDirectory(options_.providers_directory, address, package.version);
    auto placed = options_.plugin_cache_directory.empty()
                      ? Place(address, package, directory, wanted)
                      : PlaceThroughCache(address, package, directory, wanted);
    auto hash = placed ? RememberedPackageHash(directory, cache_)
                       : Result<std::string>(std::unexpected(placed.error()));
    if (hash) {
      auto executable = FindExecutable(directory, SplitProviderAddress(address).type);
      if (!executable) {
        hash =
            Fail(ErrorCode::kNotFound, "provider binary not found: " + executable.error().message);
      }
    }
    if (!hash) {
      ReportFailure(address, hash.error().message, InstallFailure::kInstallation);
      return;
    }
    hashes.push_back(*hash);
    if (package.packed) {
      if (auto archive = ReadFile(package.location)) {
        hashes.push_back("zh:" + HexDigest(HashKind::kSha256, *archive));
      }
    }
    result_.incomplete_hashes.push_back(address);
    if (events_.installed) {
      events_.installed(address, package.version, !package.packed);
    }
    result_.locks.Set(address, Version(package.version), constraints, std::move(hashes));
  }

  /// Places the package in the plugin cache, unless it is there and matches, and links it.
  Result<void> PlaceThroughCache(const std::string& address, const Package& package,
                                 const std::string& directory,
                                 const std::vector<std::string>& wanted) {
    std::string shared =
        AbsolutePath(PackageDirectory(options_.plugin_cache_directory, address, package.version));
    auto hash =
        IsDirectory(shared) ? RememberedPackageHash(shared, cache_) : Result<std::string>("");
    if (!hash || !MatchesAny(wanted, *hash)) {
      if (auto placed = Place(address, package, shared, wanted); !placed) {
        return placed;
      }
    }
    return PlaceLink(shared, directory);
  }

  /// Other processes may use the directory at the same time: a correct package stays, and any other
  /// content is replaced atomically.
  Result<void> Place(const std::string& address, const Package& package,
                     const std::string& directory, const std::vector<std::string>& wanted) {
    if (auto made = MakeDirectories(DirName(directory)); !made) {
      return made;
    }
    KINU_TRY(const std::string hash, HashOrigin(package, wanted));
    if (!wanted.empty() && !Verified(package, hash, wanted)) {
      return Fail(ErrorCode::kInvalid,
                  "the local package for " + address + ' ' + package.version.ToText() +
                      " doesn't match any of the checksums previously recorded in the dependency "
                      "lock file (this might be because the available checksums are for packages "
                      "targeting different platforms)");
    }
    if (!package.packed) {
      return PlaceLink(RealPath(package.location), directory);
    }
    if (ContainsPackage(directory, hash)) {
      return {};
    }
    // Locks the package against other installations. The lock file is never removed.
    const int guard = open((directory + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (guard >= 0) {
      struct flock region = {};
      region.l_type = F_WRLCK;
      fcntl(guard, F_SETLKW, &region);
    }
    // Another process may have placed it in the meantime.
    Result<void> placed = ContainsPackage(directory, hash)
                              ? Result<void>{}
                              : PlaceArchive(package.location, directory);
    if (guard >= 0) {
      close(guard);
    }
    return placed;
  }

  /// The h1 hash of the package at its source. Empty if no lock needs it.
  Result<std::string> HashOrigin(const Package& package,
                                 const std::vector<std::string>& wanted) const {
    if (package.packed) {
      return RememberedArchiveHash(package.location, cache_);
    }
    const bool verifiable = std::any_of(wanted.begin(), wanted.end(),
                                        [](const auto& hash) { return hash.starts_with("h1:"); });
    return verifiable ? RememberedPackageHash(package.location, cache_) : Result<std::string>("");
  }

  static bool Verified(const Package& package, const std::string& hash,
                       const std::vector<std::string>& wanted) {
    if (hash.empty() || MatchesAny(wanted, hash)) {
      return true;
    }
    const Result<std::string> archive = package.packed ? ReadFile(package.location) : "";
    return package.packed && archive &&
           MatchesAny(wanted, "zh:" + HexDigest(HashKind::kSha256, *archive));
  }

  /// Whether `directory` is a directory, not a link, and contains the package with this hash.
  bool ContainsPackage(const std::string& directory, const std::string& hash) const {
    struct stat info{};
    if (lstat(directory.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
      return false;
    }
    const auto present = RememberedPackageHash(directory, cache_);
    return present && *present == hash;
  }

  /// Makes `directory` a link to `target`, or a copy if the file system has no links.
  static Result<void> PlaceLink(const std::string& target, const std::string& directory) {
    if (auto made = MakeDirectories(DirName(directory)); !made) {
      return made;
    }
    char present[PATH_MAX];
    const ssize_t size = readlink(directory.c_str(), present, sizeof present);
    if (size > 0 && std::string_view(present, static_cast<size_t>(size)) == target) {
      return {};
    }
    const std::string fresh = FreshName(directory);
    if (symlink(target.c_str(), fresh.c_str()) != 0) {
      if (auto copied = CopyTree(target, fresh); !copied) {
        static_cast<void>(RemoveAll(fresh));
        return copied;
      }
    }
    return Exchange(fresh, directory);
  }

  static Result<void> PlaceArchive(const std::string& archive, const std::string& directory) {
    RemoveLeftovers(directory);
    const std::string fresh = FreshName(directory);
    auto done = MakeDirectories(fresh);
    if (done) {
      done = Unpack(archive, fresh);
    }
    if (!done) {
      static_cast<void>(RemoveAll(fresh));
      return done;
    }
    return Exchange(fresh, directory);
  }

  static std::string FreshName(const std::string& directory) {
    return directory + '.' + RandomUuid().substr(0, 8) + ".new";
  }

  /// Removes files of killed installations. The caller holds the lock of the directory.
  static void RemoveLeftovers(const std::string& directory) {
    const Result<std::vector<std::string>> names = ListDirectory(DirName(directory));
    const std::string prefix = BaseName(directory) + '.';
    for (const std::string& name : names ? *names : std::vector<std::string>()) {
      if (name.starts_with(prefix) && name.ends_with(".new")) {
        static_cast<void>(RemoveAll(JoinPath(DirName(directory), name)));
      }
    }
  }

  /// Renames `fresh` to `directory` atomically and removes what was there.
  static Result<void> Exchange(const std::string& fresh, const std::string& directory) {
    for (;;) {
      if (renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, directory.c_str(), RENAME_NOREPLACE) == 0) {
        return {};
      }
      if (errno != EEXIST) {
        break;
      }
      if (renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, directory.c_str(), RENAME_EXCHANGE) == 0) {
        return RemoveAll(fresh);
      }
      if (errno != ENOENT) {
        break;
      }
    }
    // The file system cannot exchange two names.
    if (auto removed = RemoveAll(directory); !removed) {
      return removed;
    }
    if (rename(fresh.c_str(), directory.c_str()) != 0) {
      return Fail(ErrorCode::kIo, "rename " + fresh + ": " + SystemMessage(errno));
    }
    return {};
  }

  static std::string RealPath(const std::string& path) {
    char resolved[PATH_MAX];
    return AbsolutePath(realpath(path.c_str(), resolved) == nullptr ? path : resolved);
  }

  const PackageSource& source_;
  const InstallOptions& options_;
  const InstallEvents& events_;
  InstallResult& result_;
  provider::SchemaCache cache_{options_.cache_directory};
  std::vector<Selection> selected_;
};

}  // namespace

std::string PackageDirectory(const std::string& providers_directory, std::string_view address,
                             const Version& version) {
  return JoinPath(JoinPath(JoinPath(providers_directory, address), version.ToText()),
                  CurrentPlatform());
}

InstallResult InstallProviders(const ProviderRequirements& requirements, const LockFile& locks,
                               const PackageSource& source, const InstallOptions& options,
                               const InstallEvents& events) {
  InstallResult result;
  result.locks = locks;
  Installer installer(source, options, events, result);
  // Built-in providers are reported before all others.
  for (const bool built_in : {true, false}) {
    for (const auto& [address, constraints] : requirements) {
      if (SplitProviderAddress(address).is_built_in() == built_in) {
        installer.Select(address, constraints);
      }
    }
  }
  installer.InstallSelected();
  std::erase_if(result.locks.providers,
                [&](const auto& entry) { return !requirements.contains(entry.first); });
  return result;
}

}  // namespace kinu::install
