// How files are written: what is at a path is replaced as a whole, by a new file beside it that is
// synced and renamed, so that nobody ever sees half of it. Symbolic links stay: the file that they
// lead to is replaced. What is no regular file (a device, a pipe) is written where it is, and so is
// a file whose name cannot be given to another (a mount of its own, a directory that must not
// change).
//
// The new file has a random name, ".NAME.XXXXXXXX.new", is never opened through a link, and is
// locked while its process lives. What a killed run left is thereby known, and removed by the next
// one that replaces the same file.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu {

class FileReplacement {
 public:
  /// `mode` is subject to the umask, except that an existing file keeps its own mode and, where
  /// that is allowed, its owner.
  static Result<FileReplacement> Start(std::string path, unsigned mode = 0666);
  FileReplacement(FileReplacement&& other) noexcept;
  FileReplacement& operator=(FileReplacement&&) = delete;
  /// What is not committed leaves no trace, but for what a device or pipe has got.
  ~FileReplacement();

  /// A failure is what Commit() then returns.
  void Write(std::string_view bytes);
  Result<void> Commit();
  /// After Commit(): the open file with its lock, which is the caller's from now on; -1 when the
  /// file was written where it is.
  int TakeFile();

 private:
  enum class Way : unsigned char {
    kRename,   ///< a new file, which gets the name
    kStream,   ///< written as it comes, where it is
    kRewrite,  ///< collected, then written where it is
  };
  FileReplacement(std::string path, Way way) : path_(std::move(path)), way_(way) {}
  int MakeTemporary(unsigned mode);
  Result<void> Rewrite();
  Result<void> Rename();
  void Discard();

  std::string path_;
  std::string target_;     ///< the path with links followed
  std::string temporary_;  ///< kRename: the new file's path, until it has the name
  std::string held_;       ///< kRewrite: what was written
  Way way_;
  int fd_ = -1;
  int error_ = 0;  ///< errno of the first write that failed
};

/// Removes the new files that killed runs left beside `path`, of it and of files whose names begin
/// with its name and a dot.
void RemoveLeftNewFiles(const std::string& path);

/// Takes the write lock of a whole file without waiting; false with errno when somebody has it. The
/// lock belongs to the open file, not to the process, so opening and closing the file elsewhere
/// does not drop it; it conflicts with the process locks that OpenTofu takes. Where that kind is
/// missing, a process lock is taken.
bool LockWholeFile(int fd);

/// Writes all of it; false with errno.
bool WriteWhole(int fd, std::string_view text);

}  // namespace kinu
