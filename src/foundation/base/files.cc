#include "base/files.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/environment.h"

namespace kinu {
namespace {

std::unexpected<Error> SystemError(std::string_view what, const std::string& path) {
  int err = errno;
  std::string message(what);
  message += ' ';
  message += path;
  message += ": ";
  message += SystemMessage(err);
  ErrorCode code = ErrorCode::kIo;
  if (err == ENOENT) {
    code = ErrorCode::kNotFound;
  } else if (err == EEXIST) {
    code = ErrorCode::kExists;
  }
  return Fail(code, std::move(message));
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { Close(); }
  int get() const { return fd_; }
  bool ok() const { return fd_ >= 0; }
  void Close() {
    if (fd_ >= 0) {
      ::close(fd_);
      fd_ = -1;
    }
  }

 private:
  int fd_;
};

/// The path up to and including its last slash.
std::string DirectoryPart(const std::string& path) {
  return path.substr(0, path.rfind('/') + 1);
}

}  // namespace

std::string SystemMessage(int err) {
  std::string text = ::strerrordesc_np(err) != nullptr ? ::strerrordesc_np(err) : "unknown error";
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])) != 0) {
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  }
  return text;
}

Result<std::string> ReadFile(const std::string& path) {
  FileDescriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.ok()) {
    return SystemError("open", path);
  }
  struct stat info{};
  std::string out;
  constexpr size_t kPiece = 16384;
  if (::fstat(fd.get(), &info) == 0 && info.st_size > 0) {
    // Includes room for the read that returns 0, so that the string is never reallocated.
    out.reserve(static_cast<size_t>(info.st_size) + kPiece);
  }
  for (;;) {
    size_t have = out.size();
    size_t room = std::max(out.capacity() - have, kPiece);
    ssize_t n = 0;
    out.resize_and_overwrite(have + room, [&](char* data, size_t) {
      do {
        n = ::read(fd.get(), data + have, room);
      } while (n < 0 && errno == EINTR);
      return have + static_cast<size_t>(std::max<ssize_t>(n, 0));
    });
    if (n < 0) {
      return Fail(ErrorCode::kUnreadable, SystemError("read", path).error().message);
    }
    if (n == 0) {
      return out;
    }
  }
}

std::string FollowLinks(const std::string& path) {
  constexpr int kMostLinks = 40;  // the kernel's limit
  std::string at = path;
  for (int i = 0; i < kMostLinks; ++i) {
    char link[PATH_MAX];
    const ssize_t size = ::readlink(at.c_str(), link, sizeof link);
    if (size < 0 || size == static_cast<ssize_t>(sizeof link)) {
      return at;
    }
    const std::string_view target(link, static_cast<size_t>(size));
    // No lexical clean-up: "a/.." is not "." if a is a link.
    at = target.starts_with('/') ? std::string(target) : DirectoryPart(at) + std::string(target);
  }
  return path;
}

Result<std::string> EvaluateLinks(const std::string& path, std::string_view base) {
  constexpr int kMostLinks = 255;
  std::string rest = path;  // what is not followed yet, from `at`
  size_t at = 0;
  std::string done = path.starts_with('/') ? "/" : "";
  int links = 0;
  while ((at = rest.find_first_not_of('/', at)) != std::string::npos) {
    const size_t end = std::min(rest.find('/', at), rest.size());
    const std::string_view part = std::string_view(rest).substr(at, end - at);
    at = end;
    // `done` has no links, so that ".." leads to its parent.
    std::string next = JoinPath(done, part);
    const std::string on_disk = base.empty() || next.starts_with('/') ? next : JoinPath(base, next);
    struct stat info{};
    if (part == "." || part == "..") {
      done = std::move(next);
      continue;
    }
    if (::lstat(on_disk.c_str(), &info) != 0) {
      return SystemError("lstat", next);
    }
    if (!S_ISLNK(info.st_mode)) {
      if (!S_ISDIR(info.st_mode) && end < rest.size()) {
        return Fail(ErrorCode::kIo, next + ": " + SystemMessage(ENOTDIR));
      }
      done = std::move(next);
      continue;
    }
    char link[PATH_MAX];
    const ssize_t size = ++links > kMostLinks ? -1 : ::readlink(on_disk.c_str(), link, sizeof link);
    if (size < 0) {
      return links > kMostLinks ? Fail(ErrorCode::kIo, path + ": " + SystemMessage(ELOOP))
                                : SystemError("readlink", next);
    }
    rest.replace(0, end, std::string_view(link, static_cast<size_t>(size)));
    at = 0;
    done = rest.starts_with('/') ? "/" : done;
  }
  return done.empty() ? "." : done;
}

void OpenStandardStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0 || errno != EBADF) {
      continue;
    }
    // open() returns the lowest free number, which is `fd`. Without /dev/null, any descriptor that
    // cannot be written will do.
    if (::open("/dev/null", O_RDWR) < 0 && ::open("/", O_RDONLY | O_DIRECTORY) < 0) {
      ::_exit(1);
    }
  }
}

Result<void> MakeDirectories(const std::string& path) {
  if (path.empty() || IsDirectory(path)) {
    return {};
  }
  std::string parent = DirName(path);
  if (parent != path) {
    if (auto made = MakeDirectories(parent); !made) {
      return made;
    }
  }
  if (::mkdir(path.c_str(), 0777) != 0 && (errno != EEXIST || !IsDirectory(path))) {
    errno = errno == EEXIST ? ENOTDIR : errno;
    return SystemError("mkdir", path);
  }
  return {};
}

Result<std::vector<std::string>> ListDirectory(const std::string& path) {
  DIR* dir = ::opendir(path.c_str());
  if (dir == nullptr) {
    return SystemError("open", path);
  }
  std::vector<std::string> names;
  while (dirent* entry = ::readdir(dir)) {  // NOLINT(concurrency-mt-unsafe): a stream of its own
    std::string_view name = entry->d_name;
    if (name != "." && name != "..") {
      names.emplace_back(name);
    }
  }
  ::closedir(dir);
  std::sort(names.begin(), names.end());
  return names;
}

bool FileExists(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0;
}

bool IsDirectory(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

bool IsDirectoryItself(const std::string& path) {
  struct stat info{};
  return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

std::string CleanPath(std::string_view path) {
  if (path.empty()) {
    return ".";
  }
  bool rooted = path.front() == '/';
  std::vector<std::string_view> parts;
  size_t at = 0;
  while (at <= path.size()) {
    size_t end = std::min(path.find('/', at), path.size());
    std::string_view part = path.substr(at, end - at);
    at = end + 1;
    if (part.empty() || part == ".") {
      continue;
    }
    if (part == ".." && !parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (part != ".." || !rooted) {
      parts.push_back(part);
    }
  }
  std::string out = rooted ? "/" : "";
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) {
      out += '/';
    }
    out += parts[i];
  }
  return out.empty() ? "." : out;
}

std::string JoinPath(std::string_view a, std::string_view b) {
  if (a.empty()) {
    return b.empty() ? std::string() : CleanPath(b);
  }
  std::string joined(a);
  joined += '/';
  joined += b;
  return CleanPath(joined);
}

std::string BaseName(std::string_view path) {
  if (path.empty()) {
    return ".";
  }
  while (path.size() > 1 && path.back() == '/') {
    path.remove_suffix(1);
  }
  if (path == "/") {
    return "/";
  }
  size_t slash = path.rfind('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

std::string DirName(std::string_view path) {
  size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) {
    return ".";
  }
  return CleanPath(slash == 0 ? std::string_view("/") : path.substr(0, slash));
}

std::string WorkingDirectory() {
  const std::string_view named = Environment("PWD");
  struct stat at_name{};
  struct stat here{};
  if (named.starts_with('/') && ::stat(named.data(), &at_name) == 0 && ::stat(".", &here) == 0 &&
      at_name.st_dev == here.st_dev && at_name.st_ino == here.st_ino) {
    return CleanPath(named);
  }
  char buffer[4096];
  return ::getcwd(buffer, sizeof buffer) != nullptr ? std::string(buffer) : std::string(".");
}

std::string AbsolutePath(const std::string& path) {
  return !path.empty() && path.front() == '/' ? CleanPath(path)
                                              : JoinPath(WorkingDirectory(), path);
}

void RandomBytes(void* out, size_t size) {
  char* at = static_cast<char*>(out);
  while (size > 0) {
    ssize_t n = ::getrandom(at, size, 0);
    if (n > 0) {
      at += n;
      size -= static_cast<size_t>(n);
    }
  }
}

std::string RandomUuid() {
  unsigned char bytes[16];
  RandomBytes(bytes, sizeof bytes);
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0F) | 0x40);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3F) | 0x80);
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out;
  out.reserve(36);
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) {
      out += '-';
    }
    out += kHex[bytes[i] >> 4];
    out += kHex[bytes[i] & 15];
  }
  return out;
}

}  // namespace kinu
