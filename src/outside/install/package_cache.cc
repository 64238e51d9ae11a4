#include "install/package_cache.h"

#include <algorithm>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/file_replacement.h"
#include "base/files.h"
#include "codec/base64.h"
#include "provider/schema_cache.h"

namespace kinu::install {
namespace {

constexpr const char* kSha256Prefix = "sha256";
constexpr const char* kSha512Prefix = "sha512";

/// A file of the cache, as its directory lists it.
struct Listed {
  std::string path;
  int64_t size = 0;
  timespec used{};
};

bool UsedBefore(const Listed& a, const Listed& b) {
  return a.used.tv_sec != b.used.tv_sec ? a.used.tv_sec < b.used.tv_sec
                                        : a.used.tv_nsec < b.used.tv_nsec;
}

}  // namespace

std::optional<ContentDigest> ContentDigest::Parse(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view name = text.substr(0, colon);
  const auto bytes = DecodeHex(text.substr(colon + 1));
  constexpr size_t kSha256Size = 32;
  constexpr size_t kSha512Size = 64;
  if (bytes && name == kSha256Prefix && bytes->size() == kSha256Size) {
    return ContentDigest{HashKind::kSha256, EncodeHex(*bytes)};
  }
  if (bytes && name == kSha512Prefix && bytes->size() == kSha512Size) {
    return ContentDigest{HashKind::kSha512, EncodeHex(*bytes)};
  }
  return std::nullopt;
}

std::string ContentDigest::FileName() const {
  return std::string(kind == HashKind::kSha512 ? kSha512Prefix : kSha256Prefix) + '-' + hex;
}

CachedFile::CachedFile(int fd) : fd_(fd), mapped_(json::MappedFile::Open(fd)) {
  struct stat info{};
  ok_ = mapped_ != nullptr;
  if (!ok_ && fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
    read_.resize(static_cast<size_t>(info.st_size));
    ok_ = pread(fd, read_.data(), read_.size(), 0) == info.st_size;
  }
}

CachedFile::~CachedFile() {
  close(fd_);
}

std::string PackageCacheDirectory() {
  const std::string caches = provider::CacheDirectory();
  return caches.empty() || Environment("KINU_MODULE_CACHE") == "0" ? std::string()
                                                                   : JoinPath(caches, "modules");
}

bool PackageCache::Usable(bool create) const {
  return is_on() && provider::IsOwnDirectory(DirName(directory_), create) &&
         provider::IsOwnDirectory(directory_, create);
}

std::unique_ptr<CachedFile> PackageCache::Open(const std::string& name) const {
  if (!Usable(false)) {
    return nullptr;
  }
  const int fd =
      open(JoinPath(directory_, name).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) {
    return nullptr;
  }
  struct stat info{};
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != geteuid() ||
      (info.st_mode & 022) != 0) {
    close(fd);
    Remove(name);  // or Store() would keep its mode
    return nullptr;
  }
  futimens(fd, nullptr);
  auto file = std::make_unique<CachedFile>(fd);
  return file->ok() ? std::move(file) : nullptr;
}

std::unique_ptr<CachedFile> PackageCache::Find(const ContentDigest& digest) const {
  auto file = Open(digest.FileName());
  if (file != nullptr && HexDigest(digest.kind, file->bytes()) != digest.hex) {
    Remove(digest.FileName());
    file = nullptr;
  }
  return file;
}

void PackageCache::Remove(const std::string& name) const {
  unlink(JoinPath(directory_, name).c_str());
}

void PackageCache::Store(const std::string& name, const std::function<bool(const Append&)>& write) {
  if (!Usable(true)) {
    return;
  }
  auto file = FileReplacement::Start(JoinPath(directory_, name), 0600);
  if (!file) {
    return;
  }
  int64_t size = 0;
  const Append append = [&](std::string_view bytes) {
    size += static_cast<int64_t>(bytes.size());
    if (size > limits_.file) {
      return false;
    }
    file->Write(bytes);
    return true;
  };
  if (write(append) && file->Commit()) {
    has_stored_ = true;
  }
}

void PackageCache::Store(const ContentDigest& digest, std::string_view content) {
  Store(digest.FileName(), [&](const Append& append) { return append(content); });
}

void PackageCache::StoreFile(const ContentDigest& digest, const std::string& path) {
  const int fd = is_on() ? open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
  if (fd < 0) {
    return;
  }
  const CachedFile file(fd);
  if (file.ok()) {
    Store(digest, file.bytes());
  }
}

PackageCache::~PackageCache() {
  if (has_stored_ && Usable(false)) {
    RemoveUnused();
  }
}

void PackageCache::RemoveUnused() const {
  std::vector<Listed> files;
  int64_t total = 0;
  const auto names = ListDirectory(directory_);
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    const std::string path = JoinPath(directory_, name);
    struct stat info{};
    if (lstat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
      continue;
    }
    if (name.starts_with('.')) {
      RemoveIfAbandoned(path);
      continue;
    }
    files.push_back({path, info.st_size, info.st_mtim});
    total += info.st_size;
  }
  std::ranges::sort(files, UsedBefore);
  for (const Listed& file : files) {
    if (total <= limits_.total) {
      return;
    }
    unlink(file.path.c_str());
    total -= file.size;
  }
}

}  // namespace kinu::install
