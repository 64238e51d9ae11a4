#include "install/package_hash.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <thread>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "codec/base64.h"
#include "codec/hash.h"
#include "codec/zip.h"

namespace kinu::install {
namespace {

/// Limits the depth of directories, in case mounts form a loop.
constexpr int kMaxFolders = 64;

struct PackageFile {
  std::string name;  ///< relative, with slashes
  struct stat info;
};

Result<void> ListFiles(const std::string& root, const std::string& prefix, int depth,
                       std::vector<PackageFile>& files) {
  if (depth > kMaxFolders) {
    return Fail(ErrorCode::kInvalid, "the package directory " + root + " is nested too deeply");
  }
  KINU_TRY(auto names, ListDirectory(prefix.empty() ? root : JoinPath(root, prefix)));
  for (const std::string& name : names) {
    std::string relative = prefix.empty() ? name : prefix + '/' + name;
    std::string path = JoinPath(root, relative);
    PackageFile file{relative, {}};
    if (lstat(path.c_str(), &file.info) != 0) {
      return Fail(ErrorCode::kIo, "lstat " + path + ": " + SystemMessage(errno));
    }
    if (S_ISDIR(file.info.st_mode)) {
      if (auto listed = ListFiles(root, relative, depth + 1, files); !listed) {
        return listed;
      }
      continue;
    }
    if (S_ISLNK(file.info.st_mode) && stat(path.c_str(), &file.info) != 0) {
      return Fail(ErrorCode::kIo, "open " + path + ": " + SystemMessage(errno));
    }
    files.push_back(std::move(file));
  }
  return {};
}

Result<std::string> RealPath(const std::string& path) {
  char resolved[PATH_MAX];
  if (realpath(path.c_str(), resolved) == nullptr) {
    return Fail(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                "lstat " + path + ": " + SystemMessage(errno));
  }
  return std::string(resolved);
}

Result<std::string> HashFile(const std::string& path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return Fail(ErrorCode::kIo, "open " + path + ": " + SystemMessage(errno));
  }
  posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  constexpr size_t kPiece = size_t{256} * 1024;
  std::vector<char> buffer(kPiece);
  Hasher hasher(HashKind::kSha256);
  ssize_t size = 0;
  do {
    size = read(fd, buffer.data(), buffer.size());
    if (size > 0) {
      hasher.Update({buffer.data(), static_cast<size_t>(size)});
    }
  } while (size > 0 || (size < 0 && errno == EINTR));
  int error = errno;
  close(fd);
  if (size < 0) {
    return Fail(ErrorCode::kIo, "read " + path + ": " + SystemMessage(error));
  }
  return EncodeHex(hasher.Finish());
}

/// The hashed listing has one line per file, so that names must not contain newlines.
Result<void> CheckName(std::string_view name) {
  return name.find('\n') == std::string_view::npos
             ? Result<void>()
             : Fail(ErrorCode::kInvalid, "a file of the package has a name with a newline");
}

Result<std::string> HashFiles(const std::string& root, const std::vector<PackageFile>& files,
                              const FileDigests& known = {}) {
  std::vector<Result<std::string>> digests(files.size(), std::string());
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i = next++; i < files.size(); i = next++) {
      const auto found = known.find(files[i].name);
      digests[i] = found == known.end() ? HashFile(JoinPath(root, files[i].name)) : found->second;
    }
  };
  const size_t to_read = files.size() - std::min(files.size(), known.size());
  const size_t threads =
      std::min<size_t>(to_read, std::max(1U, std::thread::hardware_concurrency()));
  {
    std::vector<std::jthread> helpers;
    for (size_t i = 1; i < threads; ++i) {
      helpers.emplace_back(work);
    }
    work();
  }
  std::string listing;
  for (size_t i = 0; i < files.size(); ++i) {
    if (!digests[i]) {
      return std::unexpected(digests[i].error());
    }
    if (auto fits = CheckName(files[i].name); !fits) {
      return std::unexpected(std::move(fits).error());
    }
    listing += *digests[i] + "  " + files[i].name + '\n';
  }
  return "h1:" + EncodeBase64(Digest(HashKind::kSha256, listing));
}

Result<std::vector<PackageFile>> SortedFiles(const std::string& root) {
  std::vector<PackageFile> files;
  if (auto listed = ListFiles(root, "", 0, files); !listed) {
    return std::unexpected(listed.error());
  }
  std::sort(files.begin(), files.end(),
            [](const PackageFile& a, const PackageFile& b) { return a.name < b.name; });
  return files;
}

/// Nanoseconds after which a change has another time stamp.
constexpr int64_t kClockTick = 50'000'000;

/// Whether a text is a hash of a package: "h1:" and the base64 of a SHA-256.
bool IsPackageHash(std::string_view text) {
  constexpr size_t kDigestSize = 32;
  const auto digest = text.starts_with("h1:") ? DecodeBase64(text.substr(3)) : std::string();
  return digest && digest->size() == kDigestSize;
}

/// Whether a file changed so recently that another change could have the same time stamp.
bool ChangedJustNow(const std::vector<PackageFile>& files) {
  constexpr int64_t kNanoseconds = 1'000'000'000;
  timespec now = {};
  clock_gettime(CLOCK_REALTIME, &now);
  auto nanoseconds = [](const timespec& t) { return t.tv_sec * kNanoseconds + t.tv_nsec; };
  return std::any_of(files.begin(), files.end(), [&](const PackageFile& file) {
    return nanoseconds(file.info.st_ctim) > nanoseconds(now) - kClockTick;
  });
}

/// Adds what changes with every change of the file: device, inode, size and times.
void AddIdentity(const PackageFile& file, std::string& key) {
  const struct stat& info = file.info;
  key += '\n' + file.name;
  for (int64_t number :
       {static_cast<int64_t>(info.st_dev), static_cast<int64_t>(info.st_ino),
        static_cast<int64_t>(info.st_size), static_cast<int64_t>(info.st_mtim.tv_sec),
        static_cast<int64_t>(info.st_mtim.tv_nsec), static_cast<int64_t>(info.st_ctim.tv_sec),
        static_cast<int64_t>(info.st_ctim.tv_nsec)}) {
    key += ' ' + std::to_string(number);
  }
}

/// The files of a package, and the key of its hash in the cache.
struct PackageState {
  std::string root;
  std::vector<PackageFile> files;
  std::string key;

  static Result<PackageState> Read(const std::string& directory) {
    PackageState out;
    KINU_TRY(out.root, RealPath(directory));
    KINU_TRY(out.files, SortedFiles(out.root));
    out.key = "package " + out.root;
    for (const PackageFile& file : out.files) {
      AddIdentity(file, out.key);
    }
    return out;
  }
};

}  // namespace

Result<std::string> HashPackage(const std::string& directory, const FileDigests& known) {
  KINU_TRY(std::string root, RealPath(directory));
  KINU_TRY(auto files, SortedFiles(root));
  return HashFiles(root, files, known);
}

Result<std::string> HashArchive(std::string_view archive) {
  KINU_TRY(ZipReader zip, ZipReader::Open(archive));
  std::vector<std::pair<std::string, std::string>> digests;
  for (const ZipReader::Entry& entry : zip.entries()) {
    if (!entry.is_directory()) {
      KINU_TRY(std::string content, zip.Read(entry));
      digests.emplace_back(entry.name, HexDigest(HashKind::kSha256, content));
    }
  }
  std::sort(digests.begin(), digests.end());
  std::string listing;
  for (const auto& [name, digest] : digests) {
    if (auto fits = CheckName(name); !fits) {
      return std::unexpected(std::move(fits).error());
    }
    listing += digest + "  " + name + '\n';
  }
  return "h1:" + EncodeBase64(Digest(HashKind::kSha256, listing));
}

Result<std::string> RememberedPackageHash(const std::string& directory,
                                          const provider::SchemaCache& cache) {
  KINU_TRY(const PackageState package, PackageState::Read(directory));
  // A note of another shape is that of another version of kinu.
  if (auto known = cache.FindNote(package.key); known && IsPackageHash(*known)) {
    return *known;
  }
  const bool fresh = ChangedJustNow(package.files);
  KINU_TRY(std::string hash, HashFiles(package.root, package.files));
  if (!fresh) {
    cache.StoreNote(package.key, hash);
  }
  return hash;
}

void UnpackedHashes::Add(const std::string& directory, const std::string& hash) {
  if (auto package = PackageState::Read(directory)) {
    const std::lock_guard lock(mutex_);
    packages_.push_back({directory, std::move(package->key), hash});
  }
}

void UnpackedHashes::Store() {
  const std::lock_guard lock(mutex_);
  for (const Package& unpacked : packages_) {
    auto package = PackageState::Read(unpacked.directory);
    if (package && package->key == unpacked.state && ChangedJustNow(package->files)) {
      std::this_thread::sleep_for(std::chrono::nanoseconds(kClockTick));
      package = PackageState::Read(unpacked.directory);
    }
    if (package && package->key == unpacked.state) {
      cache_.StoreNote(package->key, unpacked.hash);
    }
  }
  packages_.clear();
}

}  // namespace kinu::install
