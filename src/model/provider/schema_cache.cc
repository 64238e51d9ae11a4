#include "provider/schema_cache.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/files.h"
#include "base/flat_map.h"

namespace kinu::provider {
namespace {

/// The header of each file. The number in `magic` changes with the layout.
struct Header {
  char magic[12] = {'k', 'i', 'n', 'u', ' ', 's', 'c', 'h', 'e', 'm', 'a', '1'};
  uint32_t protocol = 0;
  uint64_t schema_size = 0;
  uint64_t identities_size = 0;
  uint64_t hash_size = 0;
};
static_assert(sizeof(Header) == 40);

std::string FileName(std::string_view key, std::string_view suffix) {
  // Two hashes of the key form a file name of 128 bits. The file also contains the key, which is
  // compared.
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string name;
  for (uint64_t hash : {HashBytes(key), HashBytes(std::string("kinu:") + std::string(key))}) {
    for (int shift = 60; shift >= 0; shift -= 4) {
      name += kDigits[hash >> shift & 15];
    }
  }
  return name += suffix;
}

/// A read-only mapping of a whole file.
class Mapping {
 public:
  Mapping(void* data, size_t size) : data_(data), size_(size) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { munmap(data_, size_); }
  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_;
  size_t size_;
};

std::shared_ptr<Mapping> MapFile(const std::string& path) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) {
    return nullptr;
  }
  struct stat info = {};
  std::shared_ptr<Mapping> mapping;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
      info.st_size > 0) {
    auto size = static_cast<size_t>(info.st_size);
    void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data != MAP_FAILED) {
      mapping = std::make_shared<Mapping>(data, size);
    }
  }
  close(fd);
  return mapping;
}

}  // namespace

std::string CacheDirectory() {
  if (std::string_view cache = Environment("XDG_CACHE_HOME"); cache.starts_with('/')) {
    return JoinPath(cache, "kinu");
  }
  if (std::string_view home = Environment("HOME"); !home.empty()) {
    return JoinPath(home, ".cache/kinu");
  }
  return {};
}

bool IsOwnDirectory(const std::string& directory, bool create) {
  struct stat info = {};
  if (stat(directory.c_str(), &info) != 0) {
    if (!create || !MakeDirectories(DirName(directory)) ||
        (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) ||
        stat(directory.c_str(), &info) != 0) {
      return false;
    }
  }
  return S_ISDIR(info.st_mode) && info.st_uid == geteuid() && (info.st_mode & 022) == 0;
}

bool SchemaCache::Usable(bool create) const {
  return !directory_.empty() && IsOwnDirectory(directory_, create);
}

std::optional<RawSchema> SchemaCache::Find(std::string_view package_hash) const {
  if (!Usable(false)) {
    return std::nullopt;
  }
  auto mapping = MapFile(JoinPath(directory_, FileName(package_hash, ".schema")));
  if (mapping == nullptr || mapping->bytes().size() < sizeof(Header)) {
    return std::nullopt;
  }
  std::string_view bytes = mapping->bytes();
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  bytes.remove_prefix(sizeof header);
  if (std::memcmp(header.magic, Header().magic, sizeof header.magic) != 0 ||
      (header.protocol != 5 && header.protocol != 6) || header.hash_size > bytes.size() ||
      header.schema_size > bytes.size() || header.identities_size > bytes.size() ||
      header.hash_size + header.schema_size + header.identities_size != bytes.size() ||
      bytes.substr(0, header.hash_size) != package_hash) {
    return std::nullopt;
  }
  bytes.remove_prefix(header.hash_size);
  RawSchema raw;
  raw.protocol = static_cast<int>(header.protocol);
  raw.schema = bytes.substr(0, header.schema_size);
  raw.identities = bytes.substr(header.schema_size);
  raw.owner = mapping;
  return raw;
}

void SchemaCache::Store(std::string_view package_hash, const RawSchema& raw) const {
  if (!Usable(true)) {
    return;
  }
  Header header;
  header.protocol = static_cast<uint32_t>(raw.protocol);
  header.schema_size = raw.schema.size();
  header.identities_size = raw.identities.size();
  header.hash_size = package_hash.size();
  std::string content(sizeof header, '\0');
  std::memcpy(content.data(), &header, sizeof header);
  content.append(package_hash).append(raw.schema).append(raw.identities);
  static_cast<void>(
      ReplaceFile(JoinPath(directory_, FileName(package_hash, ".schema")), content, 0600));
}

std::optional<std::string> SchemaCache::FindNote(std::string_view key) const {
  if (!Usable(false)) {
    return std::nullopt;
  }
  auto mapping = MapFile(JoinPath(directory_, FileName(key, ".note")));
  if (mapping == nullptr || !mapping->bytes().starts_with(key) ||
      mapping->bytes().size() <= key.size() || mapping->bytes()[key.size()] != '\0') {
    return std::nullopt;
  }
  return std::string(mapping->bytes().substr(key.size() + 1));
}

void SchemaCache::StoreNote(std::string_view key, std::string_view text) const {
  if (!Usable(true)) {
    return;
  }
  std::string content(key);
  content.push_back('\0');
  content.append(text);
  static_cast<void>(ReplaceFile(JoinPath(directory_, FileName(key, ".note")), content, 0600));
}

}  // namespace kinu::provider
