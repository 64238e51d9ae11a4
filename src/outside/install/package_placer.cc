#include "install/package_placer.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "addrs/provider_source.h"
#include "base/file_replacement.h"
#include "base/files.h"
#include "codec/base64.h"
#include "codec/hash.h"
#include "install/package_source.h"
#include "install/zip_package.h"
#include "trace/trace.h"

namespace kinu::install {
namespace {

/// Removes a link, file or directory tree.
Result<void> RemoveTree(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  if (error) {
    return Fail(ErrorCode::kIo, "failed to remove " + path + ": " + error.message());
  }
  return {};
}

/// A path that is removed with all below it when this object ends, unless it was renamed.
class TemporaryPath {
 public:
  explicit TemporaryPath(std::string path) : path_(std::move(path)) {}
  TemporaryPath(const TemporaryPath&) = delete;
  TemporaryPath& operator=(const TemporaryPath&) = delete;
  ~TemporaryPath() {
    if (!path_.empty()) {
      static_cast<void>(RemoveTree(path_));
    }
  }
  const std::string& get() const { return path_; }
  void Release() { path_.clear(); }

 private:
  std::string path_;
};

std::string FreshName(const std::string& directory) {
  return directory + '.' + RandomUuid().substr(0, 8) + ".new";
}

/// Renames `fresh` to `directory` atomically and removes what was there.
Result<void> ExchangePaths(const std::string& fresh, const std::string& directory) {
  for (;;) {
    if (renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, directory.c_str(), RENAME_NOREPLACE) == 0) {
      return {};
    }
    if (errno != EEXIST) {
      break;
    }
    if (renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, directory.c_str(), RENAME_EXCHANGE) == 0) {
      return RemoveTree(fresh);
    }
    if (errno != ENOENT) {
      break;
    }
  }
  // The file system cannot exchange two names.
  if (auto removed = RemoveTree(directory); !removed) {
    return removed;
  }
  if (rename(fresh.c_str(), directory.c_str()) != 0) {
    return Fail(ErrorCode::kIo, "rename " + fresh + ": " + SystemMessage(errno));
  }
  return {};
}

std::string ResolvedPath(const std::string& path) {
  char resolved[PATH_MAX];
  return AbsolutePath(realpath(path.c_str(), resolved) == nullptr ? path : resolved);
}

/// The lock of a package directory against other installations. Its file is never removed.
class DirectoryLock {
 public:
  DirectoryLock(const std::string& directory, const std::function<void()>& waiting,
                const std::atomic<bool>* stop)
      : fd_(open((directory + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    constexpr std::chrono::milliseconds kStep{20};
    constexpr std::chrono::seconds kPatience{5};
    const auto start = std::chrono::steady_clock::now();
    bool reported = false;
    while (fd_ >= 0 && !Acquire()) {
      if ((errno != EACCES && errno != EAGAIN) || (stop != nullptr && stop->load())) {
        return;
      }
      std::this_thread::sleep_for(kStep);
      if (!reported && std::chrono::steady_clock::now() - start > kPatience) {
        reported = true;
        waiting();
      }
    }
  }
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;
  ~DirectoryLock() {
    if (fd_ >= 0) {
      close(fd_);
    }
  }

 private:
  bool Acquire() const { return LockWholeFile(fd_); }
  int fd_;
};

/// Whether two paths lead to one directory entry, link or not: a cache that is the mirror.
bool IsSameEntry(const std::string& a, const std::string& b) {
  struct stat of_a{};
  struct stat of_b{};
  return lstat(a.c_str(), &of_a) == 0 && lstat(b.c_str(), &of_b) == 0 &&
         of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

constexpr const char* kWrongPackage =
    " doesn't match any of the checksums previously recorded in the dependency lock file";

}  // namespace

void RemoveLeftovers(const std::string& directory) {
  const Result<std::vector<std::string>> names = ListDirectory(DirName(directory));
  const std::string prefix = BaseName(directory) + '.';
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    if (name.starts_with(prefix) && name.ends_with(".new")) {
      static_cast<void>(RemoveTree(JoinPath(DirName(directory), name)));
    }
  }
}

bool MatchesAny(const std::vector<std::string>& hashes, const std::string& hash) {
  return std::ranges::find(hashes, hash) != hashes.end();
}

/// An archive on disk and what was unpacked from it.
struct PackagePlacer::Archive {
  std::string path;
  std::string checksum;  ///< SHA-256, hexadecimal
  int64_t size = 0;
  TemporaryPath download{""};
  TemporaryPath unpacked{""};
  std::string content_hash;

  explicit Archive(const std::string& directory)
      : download(FreshName(directory)), unpacked(FreshName(directory)) {}

  /// Unpacks, once, and hashes the content.
  Result<std::string> Unpack() {
    if (!content_hash.empty()) {
      return content_hash;
    }
    if (auto made = MakeDirectories(unpacked.get()); !made) {
      return std::unexpected(made.error());
    }
    FileDigests digests;
    if (auto done = UnpackPackage(path, unpacked.get(), "zip", &digests); !done) {
      return std::unexpected(done.error());
    }
    KINU_TRY(content_hash, HashPackage(unpacked.get(), digests));
    return content_hash;
  }
};

Result<void> PackagePlacer::Link(const std::string& target, const std::string& directory) {
  if (auto made = MakeDirectories(DirName(directory)); !made) {
    return made;
  }
  char present[PATH_MAX];
  const ssize_t size = readlink(directory.c_str(), present, sizeof present);
  if (size > 0 && std::string_view(present, static_cast<size_t>(size)) == target) {
    return {};
  }
  TemporaryPath fresh(FreshName(directory));
  if (symlink(target.c_str(), fresh.get().c_str()) != 0) {
    std::error_code error;
    std::filesystem::copy(target, fresh.get(), std::filesystem::copy_options::recursive, error);
    if (error) {
      return Fail(ErrorCode::kIo,
                  "failed to copy " + target + " to " + fresh.get() + ": " + error.message());
    }
  }
  auto done = ExchangePaths(fresh.get(), directory);
  if (done) {
    fresh.Release();
  }
  return done;
}

std::string PackagePlacer::PresentHash(const std::string& directory) const {
  struct stat info{};
  if (lstat(directory.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return {};
  }
  return RememberedPackageHash(directory, cache_).value_or("");
}

Result<PlacedPackage> PackagePlacer::PlaceDirectory(const std::string& address,
                                                    const PackageOffer& offer,
                                                    const std::string& directory,
                                                    const std::vector<std::string>& allowed) {
  if (IsSameEntry(offer.location, directory)) {
    return Fail(ErrorCode::kInvalid,
                "cannot install existing provider directory " + directory + " to itself");
  }
  PlacedPackage placed;
  const bool verifiable =
      std::ranges::any_of(allowed, [](const std::string& hash) { return hash.starts_with("h1:"); });
  if (verifiable) {
    KINU_TRY(placed.hash, RememberedPackageHash(offer.location, cache_));
    if (!MatchesAny(allowed, placed.hash)) {
      return Fail(ErrorCode::kInvalid,
                  "the local package for " + address + ' ' + offer.version.ToText() +
                      kWrongPackage +
                      " (this might be because the available checksums are for packages "
                      "targeting different platforms)");
    }
  }
  // Links in the mirror stay, so that another package can take the place of this one there.
  if (auto linked = Link(AbsolutePath(offer.location), directory); !linked) {
    return std::unexpected(linked.error());
  }
  if (placed.hash.empty()) {
    KINU_TRY(placed.hash, RememberedPackageHash(directory, cache_));
  }
  return placed;
}

/// Streams a response into a file, and hashes it on the way.
Result<void> PackagePlacer::Download(const PackageOffer& offer, Archive& archive,
                                     const Options& options) {
  net::HttpRequest download = offer.request;
  Hasher hasher(HashKind::kSha256);
  const int fd = open(archive.download.get().c_str(),
                      O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0) {
    return Fail(ErrorCode::kIo, "open " + archive.download.get() + ": " + SystemMessage(errno));
  }
  int write_error = 0;
  uint64_t size = 0;
  download.announce = [&](uint64_t announced) { size = announced; };
  download.sink = [&](std::string_view piece) {
    hasher.Update(piece);
    archive.size += static_cast<int64_t>(piece.size());
    if (!WriteWhole(fd, piece)) {
      write_error = errno;
      return false;
    }
    options.received(static_cast<uint64_t>(archive.size), size);
    return true;
  };
  auto response = offer.send ? offer.send(download) : network_.client().Send(download);
  const bool closed = close(fd) == 0;
  if (write_error != 0 || !closed) {
    return Fail(ErrorCode::kIo, "write " + archive.download.get() + ": " +
                                    SystemMessage(write_error == 0 ? EIO : write_error));
  }
  const auto url = net::Url::Parse(offer.request.url);
  if (!response) {
    return Fail(response.error().code, (url ? url->host + ": " : "") + response.error().message);
  }
  if (response->status != 200) {
    const std::string shown = url ? url->Redacted() : offer.request.url;
    // A server that may recover is reported alike whether retries are on or off.
    const bool may_pass = response->status == 429 || response->status >= 500;
    return Fail(ErrorCode::kUnavailable,
                (may_pass ? download.method + ' ' + shown + " giving up after 1 attempt(s): "
                          : "unsuccessful request to " + shown + ": ") +
                    response->StatusText());
  }
  archive.path = archive.download.get();
  archive.checksum = EncodeHex(hasher.Finish());
  return {};
}

Result<PackageTrust> PackagePlacer::Obtain(const std::string& address, const PackageOffer& offer,
                                           Archive& archive, const Options& options) {
  if (auto taken = Take(offer, archive, options); !taken) {
    return std::unexpected(std::move(taken).error());
  }
  return Authenticate(offer.evidence,
                      {.address = address,
                       .platform = offer.platform,
                       .checksum = archive.checksum,
                       .size = archive.size,
                       .content_hash = [&] { return archive.Unpack(); }},
                      options.warn);
}

Result<void> PackagePlacer::Take(const PackageOffer& offer, Archive& archive,
                                 const Options& options) {
  if (offer.form == PackageForm::kRemote) {
    trace::Span span("kinu/install", "Install (http)");
    if (const auto url = net::Url::Parse(offer.request.url); span.on() && url) {
      span.Set("url.full", url->Redacted());
    }
    auto done = Download(offer, archive, options);
    if (span.on() && !done) {
      span.Fail(done.error().message);
    }
    return done;
  }
  archive.path = ResolvedPath(offer.location);
  KINU_TRY(const std::string bytes, ReadFile(archive.path));
  archive.checksum = HexDigest(HashKind::kSha256, bytes);
  archive.size = static_cast<int64_t>(bytes.size());
  return {};
}

Result<PlacedPackage> PackagePlacer::PlaceArchive(const std::string& address,
                                                  const PackageOffer& offer,
                                                  const std::string& directory,
                                                  const std::vector<std::string>& allowed,
                                                  const Options& options) {
  RemoveLeftovers(directory);
  // Another process may have placed it in the meantime.
  const std::string present = PresentHash(directory);
  if (!present.empty() &&
      (allowed.empty() ? options.trust_present : MatchesAny(allowed, present))) {
    PlacedPackage placed{.hash = present, .trust = {}};
    if (!allowed.empty()) {
      placed.trust.hashes[present].verified = true;
    }
    return placed;
  }
  Archive archive(directory);
  PlacedPackage placed;
  KINU_TRY(placed.trust, Obtain(address, offer, archive, options));
  const bool known = allowed.empty() || MatchesAny(allowed, "zh:" + archive.checksum);
  KINU_TRY(placed.hash, archive.Unpack());
  if (!known && !MatchesAny(allowed, placed.hash)) {
    return Fail(ErrorCode::kInvalid, "the current package for " + address + ' ' +
                                         offer.version.ToText() + kWrongPackage +
                                         "; for more information: "
                                         "https://opentofu.org/docs/language/files/dependency-lock/"
                                         "#checksum-verification");
  }
  if (present == placed.hash) {
    return placed;
  }
  if (auto done = ExchangePaths(archive.unpacked.get(), directory); !done) {
    return std::unexpected(done.error());
  }
  archive.unpacked.Release();
  unpacked_.Add(directory, placed.hash);
  return placed;
}

Result<PackagePlacer::FetchedArchive> PackagePlacer::Fetch(const std::string& address,
                                                           const PackageOffer& offer,
                                                           const std::string& path,
                                                           const Options& options) {
  Archive archive(path);
  FetchedArchive fetched;
  KINU_TRY(fetched.trust, Obtain(address, offer, archive, options));
  fetched.checksum = archive.checksum;
  if (offer.form == PackageForm::kRemote) {
    if (rename(archive.download.get().c_str(), path.c_str()) != 0) {
      return Fail(ErrorCode::kIo, "rename " + archive.download.get() + ": " + SystemMessage(errno));
    }
    archive.download.Release();
    chmod(path.c_str(), 0644);
    return fetched;
  }
  KINU_TRY(const std::string bytes, ReadFile(archive.path));
  if (auto written = ReplaceFile(path, bytes, 0644); !written) {
    return std::unexpected(written.error());
  }
  return fetched;
}

Result<PlacedPackage> PackagePlacer::Place(const std::string& address, const PackageOffer& offer,
                                           const std::string& directory,
                                           const std::vector<std::string>& allowed,
                                           const Options& options) {
  if (auto made = MakeDirectories(DirName(directory)); !made) {
    return std::unexpected(made.error());
  }
  const DirectoryLock lock(directory, options.waiting, network_.stop());
  Result<PlacedPackage> placed = offer.form == PackageForm::kDirectory
                                     ? PlaceDirectory(address, offer, directory, allowed)
                                     : PlaceArchive(address, offer, directory, allowed, options);
  if (!placed) {
    return placed;
  }
  if (auto program = FindExecutable(directory, SplitProviderAddress(address).type); !program) {
    return Fail(program.error().code, "provider binary not found: " + program.error().message);
  }
  return placed;
}

}  // namespace kinu::install
