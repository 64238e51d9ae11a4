// PackageCache: packages of modules whose addresses fix their content, kept between runs as one
// file each, below the directory of caches.
//
// The cache belongs to one user, as that of schemas (provider/schema_cache.h). Every failure is
// silent: the package is then fetched. Whoever opens a file of the cache compares its digest before
// anything of it is used.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "codec/hash.h"
#include "json/mapped_file.h"

namespace kinu::install {

/// A digest that names content: SHA-256 or SHA-512.
struct ContentDigest {
  HashKind kind = HashKind::kSha256;
  std::string hex;  ///< lower case

  /// Reads "sha256:HEX" or "sha512:HEX"; nothing for other kinds of digests.
  static std::optional<ContentDigest> Parse(std::string_view text);
  /// The name of a file with this content: "sha256-HEX".
  std::string FileName() const;
};

/// An open file of the cache. It stays readable when it is removed meanwhile.
class CachedFile {
 public:
  /// Takes a file descriptor over. Check ok().
  explicit CachedFile(int fd);
  CachedFile(const CachedFile&) = delete;
  CachedFile& operator=(const CachedFile&) = delete;
  ~CachedFile();

  bool ok() const { return ok_; }
  std::string_view bytes() const { return mapped_ ? mapped_->text() : std::string_view(read_); }
  /// A path that opens this very file.
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

 private:
  int fd_;
  bool ok_ = false;
  std::unique_ptr<json::MappedFile> mapped_;  // null: in read_
  std::string read_;
};

/// Thread-safe; other processes may use the same directory.
class PackageCache {
 public:
  struct Limits {
    int64_t file = int64_t{256} << 20;  ///< bytes; larger files are not stored
    int64_t total = int64_t{1} << 30;   ///< bytes of all files that the end of a run leaves
  };
  /// Appends bytes to a file that is being stored. False when it becomes too large.
  using Append = std::function<bool(std::string_view)>;

  /// With an empty name nothing is found or stored.
  explicit PackageCache(std::string directory) : PackageCache(std::move(directory), Limits()) {}
  PackageCache(std::string directory, Limits limits)
      : directory_(std::move(directory)), limits_(limits) {}
  /// Removes the files whose last use is the longest ago, if this object has stored some.
  ~PackageCache();
  PackageCache(const PackageCache&) = delete;
  PackageCache& operator=(const PackageCache&) = delete;

  bool is_on() const { return !directory_.empty(); }

  /// Opens a file, and notes its use. Its content is not verified. Null: there is none.
  std::unique_ptr<CachedFile> Open(const std::string& name) const;
  /// The file with this content. One with other content is removed.
  std::unique_ptr<CachedFile> Find(const ContentDigest& digest) const;
  /// Removes a file that is damaged.
  void Remove(const std::string& name) const;

  /// Stores what `write` appends, unless it returns false.
  void Store(const std::string& name, const std::function<bool(const Append&)>& write);
  /// Stores content that has this digest.
  void Store(const ContentDigest& digest, std::string_view content);
  /// Stores the content of a file, which has this digest.
  void StoreFile(const ContentDigest& digest, const std::string& path);

 private:
  bool Usable(bool create) const;
  void RemoveUnused() const;

  std::string directory_;
  Limits limits_;
  std::atomic<bool> has_stored_ = false;
};

/// The directory of the cache: "modules" in that of caches. Empty when KINU_MODULE_CACHE is "0".
std::string PackageCacheDirectory();

}  // namespace kinu::install
