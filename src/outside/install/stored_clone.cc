#include "install/stored_clone.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_replacement.h"
#include "base/files.h"
#include "codec/hash.h"

namespace kinu::install {
namespace {

constexpr std::string_view kMagic = "kinu clone 1\n";
constexpr size_t kDigestSize = 32;  // SHA-256
constexpr std::string_view kRemoteMark = "\1remote\1";
constexpr std::string_view kShownMark = "\1shown\1";

enum class Kind : char {
  kDirectory = 'd',
  kFile = 'f',
  kProgram = 'x',   ///< an executable file
  kReadOnly = 'r',  ///< a file without write permission
  kLink = 'l',
};

/// The start of an entry. Name and content follow.
struct Header {
  char kind = 0;
  char has_marks = 0;  ///< 1: addresses in the content are marks
  uint16_t name_size = 0;
  uint32_t content_size = 0;
};
static_assert(sizeof(Header) == 8);

void ReplaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

/// Names in .git that a clone of a repository without submodules has.
bool IsKnownInGit(const std::string& name) {
  constexpr std::array<std::string_view, 12> kKnown = {
      "HEAD", "branches", "config",  "description", "hooks", "index",
      "info", "logs",     "objects", "packed-refs", "refs",  "ORIG_HEAD"};
  return std::ranges::find(kKnown, name) != kKnown.end();
}

/// Whether git writes the repository's address into a file.
bool HasAddress(std::string_view name) {
  return name == ".git/config" || name.starts_with(".git/logs/");
}

/// Whether a configuration file of a repository has only the sections of a clone: others, from a
/// template, may contain credentials.
bool HasCloneSections(std::string_view config) {
  constexpr std::array<std::string_view, 4> kSections = {"core]", "extensions]", "remote \"",
                                                         "branch \""};
  for (size_t at = config.find('['); at != std::string_view::npos; at = config.find('[', at + 1)) {
    const std::string_view rest = config.substr(at + 1);
    if (std::ranges::none_of(kSections, [&](auto name) { return rest.starts_with(name); })) {
      return false;
    }
  }
  return true;
}

/// Whether a file allows that the clone's content follows from its commit. Filters such as those of
/// Git LFS read the user's settings; submodules and alternates need another repository.
bool DependsOnCommitOnly(std::string_view name, std::string_view last, std::string_view content) {
  if (last == ".gitattributes" || name == ".git/info/attributes") {
    return !content.contains("filter");
  }
  return last != ".gitmodules" && name != ".git/objects/info/alternates";
}

/// Writes the entries of one clone.
class CloneWriter {
 public:
  CloneWriter(const FixedClone& clone, std::string root, const PackageCache::Append& append)
      : clone_(clone), root_(std::move(root)), append_(append) {}

  bool Run() {
    const auto head = ReadFile(JoinPath(root_, ".git/HEAD"));
    return head && *head == clone_.commit + '\n' && Put(kMagic) && PutDirectory("") && Flush() &&
           append_(hasher_.Finish());
  }

 private:
  bool Put(std::string_view bytes) {
    constexpr size_t kPiece = size_t{1} << 18;
    if (bytes.size() >= kPiece) {  // is not copied
      return Flush() && Add(bytes);
    }
    pending_ += bytes;
    return pending_.size() < kPiece || Flush();
  }

  bool Flush() {
    const bool added = Add(pending_);
    pending_.clear();
    return added;
  }

  bool Add(std::string_view bytes) {
    hasher_.Update(bytes);
    return append_(bytes);
  }

  bool PutEntry(Kind kind, const std::string& name, std::string_view content,
                bool has_marks = false) {
    if (name.size() > UINT16_MAX || content.size() > UINT32_MAX) {
      return false;
    }
    const Header header{static_cast<char>(kind), static_cast<char>(has_marks ? 1 : 0),
                        static_cast<uint16_t>(name.size()), static_cast<uint32_t>(content.size())};
    return Put({reinterpret_cast<const char*>(&header), sizeof header}) && Put(name) &&
           Put(content);
  }

  bool PutDirectory(const std::string& name) {
    const auto names = ListDirectory(JoinPath(root_, name));
    return names && std::ranges::all_of(*names, [&](const std::string& each) {
             return (name != ".git" || IsKnownInGit(each)) &&
                    Put(name.empty() ? each : name + '/' + each, each);
           });
  }

  /// The kind of a regular file.
  static Kind KindOf(const struct stat& info) {
    if ((info.st_mode & S_IXUSR) != 0) {
      return Kind::kProgram;
    }
    return (info.st_mode & S_IWUSR) == 0 ? Kind::kReadOnly : Kind::kFile;
  }

  bool Put(const std::string& name, const std::string& last) {
    const std::string path = JoinPath(root_, name);
    struct stat info{};
    if (lstat(path.c_str(), &info) != 0) {
      return false;
    }
    if (S_ISDIR(info.st_mode)) {
      return PutEntry(Kind::kDirectory, name, "") && PutDirectory(name);
    }
    if (S_ISLNK(info.st_mode)) {
      std::error_code error;
      const auto target = std::filesystem::read_symlink(path, error);
      return !error && PutEntry(Kind::kLink, name, target.string());
    }
    if (!S_ISREG(info.st_mode)) {
      return false;
    }
    const Kind kind = KindOf(info);
    if (HasAddress(name)) {
      auto text = ReadFile(path);
      return text && HideAddress(*text) && (name != ".git/config" || HasCloneSections(*text)) &&
             PutEntry(kind, name, *text, true);
    }
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) {
      return false;
    }
    const CachedFile file(fd);
    return file.ok() && DependsOnCommitOnly(name, last, file.bytes()) &&
           PutEntry(kind, name, file.bytes());
  }

  /// False if another address may be left.
  bool HideAddress(std::string& text) const {
    if (text.contains('\1')) {
      return false;
    }
    ReplaceAll(text, clone_.remote, kRemoteMark);
    ReplaceAll(text, clone_.shown, kShownMark);
    return !text.contains("://");
  }

  const FixedClone& clone_;
  std::string root_;
  const PackageCache::Append& append_;
  Hasher hasher_{HashKind::kSha256};
  std::string pending_;  // neither in the digest nor appended
};

/// Whether a stored name stays below the directory of the clone.
bool StaysBelow(std::string_view name) {
  const std::string slashes = '/' + std::string(name) + '/';
  return !slashes.contains("//") && !slashes.contains("/../") && !slashes.contains('\0');
}

/// Makes a clone from its file, whose digest is right.
class CloneReader {
 public:
  CloneReader(const FixedClone& clone, std::string target, std::string_view bytes)
      : clone_(clone), target_(std::move(target)), rest_(bytes) {}

  bool Run() {
    if (mkdir(target_.c_str(), 0777) != 0) {
      return false;
    }
    while (!rest_.empty()) {
      if (!TakeEntry()) {
        return false;
      }
    }
    // Last, so that no file is written through one.
    return std::ranges::all_of(links_, [](const auto& link) {
      return symlink(link.second.c_str(), link.first.c_str()) == 0;
    });
  }

 private:
  std::string_view Take(size_t size) {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  bool TakeEntry() {
    Header header;
    if (rest_.size() < sizeof header) {
      return false;
    }
    std::memcpy(&header, Take(sizeof header).data(), sizeof header);
    if (rest_.size() < size_t{header.name_size} + header.content_size) {
      return false;
    }
    const std::string_view name = Take(header.name_size);
    const std::string_view content = Take(header.content_size);
    if (!StaysBelow(name)) {
      return false;
    }
    const std::string path = target_ + '/' + std::string(name);
    switch (static_cast<Kind>(header.kind)) {
      case Kind::kDirectory:
        return mkdir(path.c_str(), 0777) == 0;
      case Kind::kLink:
        links_.emplace_back(path, content);
        return true;
      case Kind::kFile:
        return MakeFile(path, 0666, content, header.has_marks != 0);
      case Kind::kProgram:
        return MakeFile(path, 0777, content, header.has_marks != 0);
      case Kind::kReadOnly:
        return MakeFile(path, 0444, content, header.has_marks != 0);
    }
    return false;
  }

  bool MakeFile(const std::string& path, mode_t mode, std::string_view content,
                bool has_marks) const {
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd < 0) {
      return false;
    }
    std::string text;
    if (has_marks) {
      text = content;
      ReplaceAll(text, kRemoteMark, clone_.remote);
      ReplaceAll(text, kShownMark, clone_.shown);
      content = text;
    }
    const bool written = WriteWhole(fd, content);
    return close(fd) == 0 && written;
  }

  const FixedClone& clone_;
  std::string target_;
  std::string_view rest_;
  std::vector<std::pair<std::string, std::string>> links_;  // path and what it points to
};

/// The entries of a file whose digest is right.
std::optional<std::string_view> EntriesOf(std::string_view bytes) {
  if (bytes.size() < kMagic.size() + kDigestSize || !bytes.starts_with(kMagic)) {
    return std::nullopt;
  }
  const std::string_view content = bytes.substr(0, bytes.size() - kDigestSize);
  if (Digest(HashKind::kSha256, content) != bytes.substr(content.size())) {
    return std::nullopt;
  }
  return content.substr(kMagic.size());
}

}  // namespace

std::optional<FixedClone> FixedClone::Of(net::Url remote, const std::string& reference) {
  constexpr size_t kSha1Digits = 40;
  constexpr size_t kSha256Digits = 64;
  const bool is_commit = (reference.size() == kSha1Digits || reference.size() == kSha256Digits) &&
                         reference.find_first_not_of("0123456789abcdef") == std::string::npos;
  FixedClone clone{.commit = reference, .remote = remote.ToText(), .shown = {}};
  // In .git/config some characters are escaped.
  const bool is_plain = std::ranges::all_of(clone.remote, [](char c) {
    return c > ' ' && c <= '~' && c != '"' && c != '\\' && c != ';' && c != '#';
  });
  if (!is_commit || !is_plain || !clone.remote.contains("://") || remote.has_query) {
    return std::nullopt;
  }
  remote.user.clear();
  clone.shown = remote.ToText();
  return clone;
}

std::string FixedClone::FileName() const {
  return "git-" + HexDigest(HashKind::kSha256, commit + ' ' + shown);
}

void StoreClone(PackageCache& cache, const FixedClone& clone, const std::string& directory) {
  cache.Store(clone.FileName(), [&](const PackageCache::Append& append) {
    return CloneWriter(clone, directory, append).Run();
  });
}

bool RestoreClone(const PackageCache& cache, const FixedClone& clone, const std::string& target) {
  const auto file = cache.Open(clone.FileName());
  if (file == nullptr) {
    return false;
  }
  const auto entries = EntriesOf(file->bytes());
  if (entries && CloneReader(clone, target, *entries).Run()) {
    return true;
  }
  if (!entries) {
    cache.Remove(clone.FileName());
  }
  std::error_code ignored;
  std::filesystem::remove_all(target, ignored);
  return false;
}

}  // namespace kinu::install
