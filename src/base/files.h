// Files: whole reads, and replacement by write + fsync + rename so that nobody ever sees half a
// file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kinu {

/// The whole content of a file. kNotFound when it does not exist, kIo otherwise; messages have the
/// form `open PATH: no such file or directory`, as Go programs print them.
Result<std::string> ReadFile(const std::string& path);

/// Replaces `path` atomically: writes a temporary file beside it, fsyncs it, renames it and fsyncs
/// the directory. `mode` is subject to the umask, except that an existing file keeps its own mode.
Result<void> ReplaceFile(const std::string& path, std::string_view content, unsigned mode = 0666);

/// ReplaceFile for what comes in pieces. What is not committed leaves no trace.
class FileReplacement {
 public:
  static Result<FileReplacement> Start(std::string path, unsigned mode = 0666);
  FileReplacement(FileReplacement&& other) noexcept;
  FileReplacement& operator=(FileReplacement&&) = delete;
  ~FileReplacement();

  /// A failure is what Commit() then returns.
  void Write(std::string_view bytes);
  Result<void> Commit();

 private:
  FileReplacement(std::string path, std::string temporary, int fd);
  std::string path_;
  std::string temporary_;
  int fd_ = -1;    ///< -1: nothing is left to do
  int error_ = 0;  ///< errno of the first write that failed
};

/// Makes a directory and its parents; an existing directory is success.
Result<void> MakeDirectories(const std::string& path);

/// Names in a directory, sorted by bytes, without "." and "..".
Result<std::vector<std::string>> ListDirectory(const std::string& path);

bool FileExists(const std::string& path);
bool IsDirectory(const std::string& path);

/// Joins and cleans a path lexically, as Go's filepath.Join does.
std::string JoinPath(std::string_view a, std::string_view b);
/// Lexical clean-up of a path, as Go's filepath.Clean: "a/./b/../c" is "a/c", "" is ".".
std::string CleanPath(std::string_view path);
/// The last element and everything before it (filepath.Base and filepath.Dir).
std::string BaseName(std::string_view path);
std::string DirName(std::string_view path);
/// `path` made absolute against the working directory, cleaned.
std::string AbsolutePath(const std::string& path);
/// The working directory, or "." when it is gone.
std::string WorkingDirectory();

/// The system's message for errno `err`, in Go's wording ("no such file or directory").
std::string SystemMessage(int err);

/// Random bytes and identifiers from the system.
std::string RandomUuid();
void RandomBytes(void* out, size_t size);

}  // namespace kinu
