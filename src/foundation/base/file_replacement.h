// Atomic replacement of files: the new content goes to a temporary file in the same directory,
// which is synced and renamed, so that no reader sees a partial file. Symbolic links stay: the file
// that they point to is replaced. Devices and pipes are written in place, and so is a file whose
// directory entry cannot be replaced (a bind mount, a directory without write permission).
//
// The temporary file has a random name, ".NAME.XXXXXXXX.new", is never opened through a link, and
// is locked while its process lives. An unlocked one was therefore abandoned by a killed process;
// the next replacement of the same file removes it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu {

/// The replacement of one file: Start(), Write() any number of times, Commit().
class FileReplacement {
 public:
  /// Creates the temporary file, or opens `path` if it must be written in place. `mode` is subject
  /// to the umask; an existing file keeps its own mode and, if the system permits it, its owner.
  static Result<FileReplacement> Start(std::string path, unsigned mode = 0666);
  FileReplacement(FileReplacement&& other) noexcept;
  FileReplacement& operator=(FileReplacement&&) = delete;
  /// Discards what is not committed. Bytes already written to a device or pipe stay written.
  ~FileReplacement();

  /// Appends bytes. Commit() reports a failure.
  void Write(std::string_view bytes);
  /// Syncs and renames. On failure, or without a call, the old file is unchanged (unless it is
  /// written in place).
  Result<void> Commit();
  /// After Commit(): moves the open, locked file descriptor to the caller; -1 when the file was
  /// written in place.
  int TakeFile();

 private:
  enum class Method : unsigned char {
    kRename,   ///< writes a temporary file and renames it
    kStream,   ///< writes in place, at once
    kRewrite,  ///< buffers everything, writes in place on Commit()
  };
  FileReplacement(std::string path, Method method) : path_(std::move(path)), method_(method) {}
  int MakeTemporary(unsigned mode);
  Result<void> Rewrite();
  Result<void> Rename();
  void Discard();

  std::string path_;
  std::string target_;     ///< the path with links followed
  std::string temporary_;  ///< kRename: path of the temporary file until it is renamed
  std::string buffer_;     ///< kRewrite: the content
  Method method_;
  int fd_ = -1;
  int error_ = 0;  ///< errno of the first failed write
};

/// Removes the temporary files that killed processes left beside `path`: those of `path` and of
/// files whose names start with its name and a dot.
void RemoveAbandonedFiles(const std::string& path);

/// Removes one temporary file, unless its process lives.
void RemoveIfAbandoned(const std::string& temporary);

/// Acquires the write lock of a whole file without waiting; false with errno when another holder
/// has it. The lock belongs to the open file description, not to the process, so opening and
/// closing the file elsewhere does not release it; it conflicts with OpenTofu's process locks.
/// Falls back to a process lock on systems without such locks.
bool LockWholeFile(int fd);

/// Writes all of `text`; false with errno on failure.
bool WriteWhole(int fd, std::string_view text);

}  // namespace kinu
