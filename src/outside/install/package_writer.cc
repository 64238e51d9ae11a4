#include "install/package_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kinu::install {
namespace {

std::unexpected<Error> SystemFailure(const std::string& action, const std::string& path) {
  const char* why =
      std::strerror(errno);  // NOLINT(concurrency-mt-unsafe): glibc's texts are constants
  return Fail(ErrorCode::kIo, action + ' ' + path + ": " + why);
}

/// The parts of a name, without empty parts and "."; fails for "..".
Result<std::vector<std::string>> NameParts(const std::string& name) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find('/', at), name.size());
    std::string part = name.substr(at, end - at);
    at = end + 1;
    if (part == "..") {
      return Fail(ErrorCode::kInvalid, "entry contains '..': " + name);
    }
    if (!part.empty() && part != ".") {
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

}  // namespace

WrittenFile::~WrittenFile() {
  if (fd_ >= 0) {
    close(fd_);
  }
}

Result<void> WrittenFile::Write(const char* data, size_t size) {
  while (size > 0) {
    const ssize_t done = write(fd_, data, size);
    if (done < 0) {
      if (errno == EINTR) {
        continue;
      }
      return SystemFailure("write", path_);
    }
    data += done;
    size -= static_cast<size_t>(done);
  }
  return {};
}

Result<void> WrittenFile::Close() {
  const int fd = fd_;
  fd_ = -1;
  return close(fd) == 0 ? Result<void>() : SystemFailure("write", path_);
}

Result<std::string> PackageWriter::MakePath(const std::string& name, bool is_directory) const {
  KINU_TRY(const std::vector<std::string> parts, NameParts(name));
  std::string path = directory_;
  for (size_t i = 0; i < parts.size(); ++i) {
    path += '/' + parts[i];
    if (i + 1 == parts.size() && !is_directory) {
      return path;
    }
    if (mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) {
      return SystemFailure("mkdir", path);
    }
  }
  return std::string();
}

Result<WrittenFile> PackageWriter::Create(const std::string& path, unsigned mode) const {
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  int fd = open(path.c_str(), kFlags, mode & ~umask_);
  if (fd < 0 && errno == EEXIST) {
    unlink(path.c_str());
    fd = open(path.c_str(), kFlags, mode & ~umask_);
  }
  if (fd < 0) {
    return SystemFailure("open", path);
  }
  fchmod(fd, mode & ~umask_);
  return WrittenFile(fd, path);
}

}  // namespace kinu::install
