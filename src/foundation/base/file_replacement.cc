#include "base/file_replacement.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/files.h"

namespace kinu {
namespace {

constexpr size_t kRandomSize = 8;
constexpr std::string_view kTemporarySuffix = ".new";
constexpr size_t kLongestName = 200;  // bytes of the target's name that a temporary name repeats

std::unexpected<Error> Failure(std::string_view what, const std::string& path) {
  const int err = errno;
  ErrorCode code = ErrorCode::kIo;
  if (err == ENOENT) {
    code = ErrorCode::kNotFound;
  }
  return Fail(code, std::string(what) + ' ' + path + ": " + SystemMessage(err));
}

/// ".NAME.", the start of the names of temporary files.
std::string TemporaryPrefix(const std::string& target) {
  return '.' + BaseName(target).substr(0, kLongestName) + '.';
}

/// Whether a name is that of a temporary file. Accepts any text between the prefix and the random
/// part, because the temporary files of backups (NAME.TIME.backup) share the prefix.
bool IsTemporaryName(std::string_view name, std::string_view prefix) {
  constexpr size_t kTail = kRandomSize + kTemporarySuffix.size();
  return name.size() >= prefix.size() + kTail && name.starts_with(prefix) &&
         name.ends_with(kTemporarySuffix) &&
         name.substr(name.size() - kTail, kRandomSize).find_first_not_of("0123456789abcdef") ==
             std::string_view::npos;
}

/// Whether the errno value means that the directory entry cannot be replaced, although the file
/// itself may be writable.
bool CannotReplaceEntry(int err) {
  return err == EACCES || err == EPERM || err == EROFS || err == EBUSY || err == EXDEV;
}

/// Whether the path is a link in /proc to an open file of a process (/dev/fd/3, /proc/self/fd/1).
/// Such a path names the open file, so a rename would write to the wrong file.
bool IsOpenFile(const std::string& path) {
  constexpr long kProc = 0x9FA0;
  std::string at = path;
  for (int i = 0; i < 40; ++i) {
    struct statfs system{};
    struct stat info{};
    if (::lstat(at.c_str(), &info) != 0 || !S_ISLNK(info.st_mode)) {
      return false;
    }
    if (::statfs(DirName(at).c_str(), &system) == 0 && system.f_type == kProc) {
      return true;
    }
    char link[4096];
    const ssize_t size = ::readlink(at.c_str(), link, sizeof link);
    if (size <= 0 || size == static_cast<ssize_t>(sizeof link)) {
      return false;
    }
    std::string next(link, static_cast<size_t>(size));
    at = next.starts_with('/') ? next : at.substr(0, at.rfind('/') + 1) + next;
  }
  return false;
}

void SyncDirectory(const std::string& path) {
  const int dir = ::open(DirName(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir >= 0) {
    (void)::fsync(dir);
    (void)::close(dir);
  }
}

}  // namespace

bool LockWholeFile(int fd) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(fd, F_OFD_SETLK, &lock) == 0) {
    return true;
  }
  return errno == EINVAL && ::fcntl(fd, F_SETLK, &lock) == 0;
}

bool WriteWhole(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno != EINTR) {
      return false;
    }
    text.remove_prefix(n < 0 ? 0 : static_cast<size_t>(n));
  }
  return true;
}

void RemoveAbandonedFiles(const std::string& path) {
  const std::string target = FollowLinks(path);
  const std::string directory = DirName(target);
  const std::string prefix = TemporaryPrefix(target);
  const Result<std::vector<std::string>> names = ListDirectory(directory);
  if (!names) {
    return;
  }
  for (const std::string& name : *names) {
    if (IsTemporaryName(name, prefix)) {
      RemoveIfAbandoned(JoinPath(directory, name));
    }
  }
}

void RemoveIfAbandoned(const std::string& temporary) {
  const int fd = ::open(temporary.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat info{};
  if (fd >= 0 && ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && LockWholeFile(fd)) {
    (void)::unlink(temporary.c_str());
  }
  if (fd >= 0) {
    (void)::close(fd);
  }
}

/// Creates and locks the temporary file. Returns 0 or an errno value.
int FileReplacement::MakeTemporary(unsigned mode) {
  const std::string directory = DirName(target_);
  for (;;) {
    temporary_ =
        JoinPath(directory, TemporaryPrefix(target_) + RandomUuid().substr(0, kRandomSize) +
                                std::string(kTemporarySuffix));
    fd_ = ::open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                 static_cast<mode_t>(mode));
    if (fd_ < 0) {
      if (errno == EEXIST) {
        continue;
      }
      temporary_.clear();
      return errno;
    }
    // Another process may remove the file as abandoned between open and lock.
    struct stat info{};
    const bool locked = LockWholeFile(fd_) || (errno != EAGAIN && errno != EACCES);
    if (locked && ::fstat(fd_, &info) == 0 && info.st_nlink > 0) {
      return 0;
    }
    (void)::close(std::exchange(fd_, -1));
    (void)::unlink(temporary_.c_str());
  }
}

Result<FileReplacement> FileReplacement::Start(std::string path, unsigned mode) {
  struct stat info{};
  const bool existed = ::stat(path.c_str(), &info) == 0;
  FileReplacement file(std::move(path), Method::kRename);
  file.target_ = FollowLinks(file.path_);
  if (existed && (!S_ISREG(info.st_mode) || IsOpenFile(file.path_))) {
    file.method_ = Method::kStream;
    file.fd_ = ::open(file.path_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
    if (file.fd_ < 0) {
      return Failure("open", file.path_);
    }
    return file;
  }
  RemoveAbandonedFiles(file.target_);
  if (const int error = file.MakeTemporary(mode); error != 0) {
    if (!existed || !CannotReplaceEntry(error) || ::access(file.path_.c_str(), W_OK) != 0) {
      errno = error;
      return Failure("open", file.path_);
    }
    file.method_ = Method::kRewrite;
    return file;
  }
  if (existed) {
    if (info.st_uid != ::geteuid() || info.st_gid != ::getegid()) {
      (void)!::fchown(file.fd_, info.st_uid, info.st_gid);
    }
    (void)::fchmod(file.fd_, info.st_mode & 07777);
  }
  return file;
}

FileReplacement::FileReplacement(FileReplacement&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      buffer_(std::move(other.buffer_)),
      method_(other.method_),
      fd_(std::exchange(other.fd_, -1)),
      error_(other.error_) {
}

FileReplacement::~FileReplacement() {
  Discard();
}

void FileReplacement::Discard() {
  if (fd_ >= 0) {
    (void)::close(std::exchange(fd_, -1));
  }
  if (!temporary_.empty()) {
    (void)::unlink(temporary_.c_str());
    temporary_.clear();
  }
}

void FileReplacement::Write(std::string_view bytes) {
  if (method_ == Method::kRewrite) {
    buffer_ += bytes;
  } else if (error_ == 0 && !WriteWhole(fd_, bytes)) {
    error_ = errno;
  }
}

/// Writes in place. Truncates last, so that a failed write loses as little as possible.
Result<void> FileReplacement::Rewrite() {
  fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd_ < 0) {
    return Failure("open", path_);
  }
  if (!WriteWhole(fd_, buffer_) || ::ftruncate(fd_, static_cast<off_t>(buffer_.size())) != 0 ||
      ::fsync(fd_) != 0) {
    return Failure("write", path_);
  }
  return {};
}

Result<void> FileReplacement::Rename() {
  if (error_ == 0 && ::fsync(fd_) != 0) {
    error_ = errno;
  }
  if (error_ != 0) {
    errno = error_;
    return Failure("write", path_);
  }
  if (::rename(temporary_.c_str(), target_.c_str()) == 0) {
    temporary_.clear();
    SyncDirectory(target_);
    return {};
  }
  const bool cannot_replace = CannotReplaceEntry(errno);
  const auto failure = Failure("rename", path_);
  if (!cannot_replace) {
    return failure;
  }
  Result<std::string> text = ReadFile(temporary_);
  if (!text) {
    return failure;
  }
  buffer_ = *std::move(text);
  Discard();
  method_ = Method::kRewrite;
  return Rewrite();
}

Result<void> FileReplacement::Commit() {
  switch (method_) {
    case Method::kRename:
      return Rename();
    case Method::kRewrite:
      return Rewrite();
    case Method::kStream:
      break;
  }
  // fsync fails on devices and pipes.
  if (::close(std::exchange(fd_, -1)) != 0 && error_ == 0) {
    error_ = errno;
  }
  if (error_ != 0) {
    errno = error_;
    return Failure("write", path_);
  }
  return {};
}

int FileReplacement::TakeFile() {
  return method_ == Method::kRename ? std::exchange(fd_, -1) : -1;
}

Result<void> ReplaceFile(const std::string& path, std::string_view content, unsigned mode) {
  KINU_TRY(FileReplacement file, FileReplacement::Start(path, mode));
  file.Write(content);
  return file.Commit();
}

}  // namespace kinu
