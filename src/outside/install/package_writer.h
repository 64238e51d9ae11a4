// PackageWriter: makes the files of an archive below a directory, and nothing outside of it. The
// program and kinu-install.so are both built with it.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace kinu::install {

/// A file that is being written. It closes itself.
class WrittenFile {
 public:
  WrittenFile(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  WrittenFile(WrittenFile&& other) noexcept : fd_(other.fd_), path_(std::move(other.path_)) {
    other.fd_ = -1;
  }
  WrittenFile(const WrittenFile&) = delete;
  WrittenFile& operator=(const WrittenFile&) = delete;
  WrittenFile& operator=(WrittenFile&&) = delete;
  ~WrittenFile();

  int fd() const { return fd_; }
  Result<void> Write(const char* data, size_t size);
  /// Closes it. Fails if the system reports a failed write.
  Result<void> Close();

 private:
  int fd_;
  std::string path_;
};

/// All directories below the target are made by this object, and no link is ever made, so no path
/// can leave the target.
class PackageWriter {
 public:
  /// `directory` exists. Modes of files are without the bits of `umask`.
  PackageWriter(std::string directory, unsigned umask)
      : directory_(std::move(directory)), umask_(umask) {}

  /// Makes the directories that an entry is in, and the entry itself if it is a directory. Returns
  /// the path of its file; empty for a directory. Refuses names with "..".
  Result<std::string> MakePath(const std::string& name, bool is_directory) const;
  /// Makes a file. A later entry of the same name replaces the earlier one.
  Result<WrittenFile> Create(const std::string& path, unsigned mode) const;

 private:
  std::string directory_;
  unsigned umask_;
};

}  // namespace kinu::install
