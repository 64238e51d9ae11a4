#include "install/platform_locks.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/environment.h"
#include "base/files.h"
#include "install/package_placer.h"

namespace kinu::install {
namespace {

/// A directory below that for temporary files, which is removed with this object.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string base(Environment("TMPDIR"));
    path_ = JoinPath(base.empty() ? "/tmp" : base, "kinu-lock-XXXXXX");
    if (mkdtemp(path_.data()) == nullptr) {
      path_.clear();
    }
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty()) {
      std::filesystem::remove_all(path_, ignored);
    }
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

bool HasAll(const std::vector<std::string>& known, const std::vector<std::string>& hashes) {
  return std::ranges::all_of(hashes, [&](const std::string& hash) {
    return std::ranges::find(known, hash) != known.end();
  });
}

/// One call of LockPlatforms().
class PlatformLocker {
 public:
  PlatformLocker(const PlatformLockRequest& request, const LockFile& old, PackageSource& source,
                 Network& network, const PlatformLockEvents& events, Diagnostics& diags)
      : request_(request),
        old_(old),
        source_(source),
        events_(events),
        diags_(diags),
        placer_(network, cache_) {}

  /// Hashes the packages of all providers for a platform. Returns false after an error.
  bool HashPlatform(const std::string& platform);
  /// The old locks with the hashes of all platforms.
  PlatformLocks Merge();

 private:
  struct Hashed {
    std::string platform;
    Version version;
    std::vector<std::string> hashes;
  };

  Result<void> HashProvider(const std::string& address, const VersionConstraints& constraints,
                            const std::string& platform);

  const PlatformLockRequest& request_;
  const LockFile& old_;
  PackageSource& source_;
  const PlatformLockEvents& events_;
  Diagnostics& diags_;
  provider::SchemaCache cache_{""};  ///< packages are used once: nothing is remembered
  PackagePlacer placer_;
  TemporaryDirectory directory_;
  std::map<std::string, std::vector<Hashed>, ProviderAddressLess> hashed_;
};

Result<void> PlatformLocker::HashProvider(const std::string& address,
                                          const VersionConstraints& constraints,
                                          const std::string& platform) {
  const ProviderLock* lock = old_.Find(address);
  const auto offered = source_.Versions(address);
  if (!offered) {
    return Fail(ErrorCode::kUnavailable, offered.error().message);
  }
  const std::optional<Version> version = SelectVersion(*offered, constraints, lock);
  if (!version) {
    return Fail(ErrorCode::kNotFound, lock != nullptr
                                          ? "the previously-selected version " +
                                                lock->version.ToText() + " is no longer available"
                                          : "no available releases match the given constraints " +
                                                constraints.ToCanonicalText());
  }
  const auto offer = source_.Package(address, *version, platform);
  if (!offer) {
    return Fail(ErrorCode::kUnavailable, offer.error().message);
  }
  events_.fetching(address, *version, platform);
  if (directory_.path().empty()) {
    return Fail(ErrorCode::kIo, "cannot make a temporary directory");
  }
  const std::string place =
      JoinPath(directory_.path(), address + '/' + version->ToText() + '/' + platform);
  PackagePlacer::Options options;
  options.warn = request_.warn;
  KINU_TRY(const PlacedPackage placed, placer_.Place(address, *offer, place, {}, options));
  events_.fetched(address, *version, platform, placed.trust);
  RecordedHashes recorded = HashesToRecord(address, placed.trust);
  std::vector<std::string> hashes = std::move(recorded.verified);
  hashes.push_back(placed.hash);
  hashes.insert(hashes.end(), recorded.vouched.begin(), recorded.vouched.end());
  std::vector<Hashed>& hashed = hashed_[address];
  if (!hashed.empty() && hashed.front().version.ToText() != version->ToText()) {
    diags_.Error("Inconsistent provider versions",
                 "For " + address +
                     " the mirror has other versions on one platform than on another, "
                     "so no version suits all.");
  }
  Hashed found{platform, *version, std::move(hashes)};
  const auto before = std::ranges::find(hashed, platform, &Hashed::platform);
  if (before != hashed.end()) {  // the platform was given twice
    *before = std::move(found);
  } else {
    hashed.push_back(std::move(found));
  }
  return {};
}

bool PlatformLocker::HashPlatform(const std::string& platform) {
  std::string problems;
  for (const auto& [address, constraints] : request_.requirements) {
    if (auto done = HashProvider(address, constraints, platform); !done) {
      problems += "\n- " + address + ": " + done.error().message;
    }
  }
  if (!problems.empty()) {
    diags_.Error("Could not retrieve providers for locking",
                 "OpenTofu failed to fetch the requested providers for " + platform +
                     " in order to calculate their checksums: some providers could not be "
                     "installed:" +
                     problems + ".");
  }
  return !diags_.has_errors();
}

PlatformLocks PlatformLocker::Merge() {
  PlatformLocks out{.locks = old_};
  for (const auto& [address, all_hashed] : hashed_) {
    const ProviderLock* old = old_.Find(address);
    const std::vector<std::string> known =
        old != nullptr ? old->hashes : std::vector<std::string>();
    std::vector<std::string> hashes = known;
    for (const Hashed& hashed : all_hashed) {
      const bool is_new = old == nullptr || old->version.ToText() != hashed.version.ToText();
      HashNews news = HashNews::kNothing;
      if (is_new) {
        news = HashNews::kNewProvider;
      } else if (!HasAll(known, hashed.hashes)) {
        news = HashNews::kNewHashes;
      }
      out.changed |= news != HashNews::kNothing;
      events_.locked(address, hashed.platform, news);
      hashes.insert(hashes.end(), hashed.hashes.begin(), hashed.hashes.end());
    }
    out.locks.Set(address, Version(all_hashed.back().version),
                  request_.requirements.find(address)->second, std::move(hashes));
  }
  return out;
}

}  // namespace

std::optional<PlatformLocks> LockPlatforms(const PlatformLockRequest& request, const LockFile& old,
                                           PackageSource& source, Network& network,
                                           const PlatformLockEvents& events, Diagnostics& diags) {
  PlatformLocker locker(request, old, source, network, events, diags);
  const bool hashed = std::ranges::all_of(request.platforms, [&](const std::string& platform) {
    return locker.HashPlatform(platform);
  });
  return hashed ? std::optional(locker.Merge()) : std::nullopt;
}

}  // namespace kinu::install
