#include "install/platform_locks.h"

#include <algorithm>

#include "base/files.h"
#include "codec/hash.h"
#include "install/package_hash.h"

namespace kinu::install {
namespace {

Result<std::vector<std::string>> HashesOf(const Package& package) {
  if (!package.packed) {
    KINU_TRY(std::string hash, HashPackage(package.location));
    return std::vector<std::string>{hash};
  }
  KINU_TRY(std::string archive, ReadFile(package.location));
  KINU_TRY(std::string hash, HashArchive(archive));
  return std::vector<std::string>{hash, "zh:" + HexDigest(HashKind::kSha256, archive)};
}

bool HasAll(const std::vector<std::string>& known, const std::vector<std::string>& hashes) {
  return std::ranges::all_of(hashes, [&](const std::string& hash) {
    return std::ranges::find(known, hash) != known.end();
  });
}

/// One call of LockPlatforms().
class PlatformLocker {
 public:
  PlatformLocker(const PlatformLockRequest& request, const LockFile& old,
                 const PlatformLockEvents& events, Diagnostics& diags)
      : request_(request), old_(old), events_(events), diags_(diags) {}

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
  const PlatformLockEvents& events_;
  Diagnostics& diags_;
  std::map<std::string, std::vector<Hashed>, ProviderAddressLess> hashed_;
};

Result<void> PlatformLocker::HashProvider(const std::string& address,
                                          const VersionConstraints& constraints,
                                          const std::string& platform) {
  if (request_.mirror.empty()) {
    return Fail(ErrorCode::kUnsupported,
                "this version does not download providers: name a mirror with -fs-mirror");
  }
  const ProviderLock* lock = old_.Find(address);
  KINU_TRY(const std::vector<Package> packages, ListMirror(request_.mirror, address, platform));
  const Package* package = SelectPackage(packages, constraints, lock);
  if (package == nullptr) {
    return Fail(ErrorCode::kNotFound, "the mirror has no package for " +
                                          WantedPackage(address, constraints, lock) + " on " +
                                          platform);
  }
  events_.fetching(address, package->version, platform);
  KINU_TRY(std::vector<std::string> hashes, HashesOf(*package));
  events_.fetched(address, package->version, platform);
  std::vector<Hashed>& hashed = hashed_[address];
  if (!hashed.empty() && hashed.front().version.ToText() != package->version.ToText()) {
    diags_.Error("Inconsistent provider versions",
                 "For " + address +
                     " the mirror has other versions on one platform than on another, "
                     "so no version suits all.");
  }
  hashed.push_back({platform, package->version, std::move(hashes)});
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
                 "Not all packages for " + platform + " could be had:" + problems);
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
      const HashNews news = is_new                         ? HashNews::kNewProvider
                            : HasAll(known, hashed.hashes) ? HashNews::kNothing
                                                           : HashNews::kNewHashes;
      out.changed |= is_new || !HasAll(known, hashed.hashes);
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
                                           const PlatformLockEvents& events, Diagnostics& diags) {
  PlatformLocker locker(request, old, events, diags);
  const bool hashed = std::ranges::all_of(request.platforms, [&](const std::string& platform) {
    return locker.HashPlatform(platform);
  });
  return hashed ? std::optional(locker.Merge()) : std::nullopt;
}

}  // namespace kinu::install
