// MappedFile: the text of a file, mapped into memory without a copy. The caller announces the part
// that it reads and releases it afterwards, so a file of any size occupies little memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace kinu::json {

class MappedFile {
 public:
  /// Null when the file is small or no regular file, or when the system cannot map it; the caller
  /// then reads it.
  static std::unique_ptr<MappedFile> Open(int fd);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// The whole text. A zero byte follows.
  std::string_view text() const { return {data_, size_}; }
  /// Brings a part into memory. False when the file has become shorter or cannot be read.
  bool Provide(size_t from, size_t size);
  /// Releases everything before this offset.
  void Release(size_t up_to);
  /// Counts bytes that were read outside of provided parts. At intervals all memory is released.
  void Passed(size_t bytes);

  /// From now on, a file that another program shortens while it is read ends this process with a
  /// message and status 1. For programs only: it handles the signal SIGBUS.
  static void EndProcessWhenShortened();

 private:
  MappedFile(char* data, size_t size, size_t mapped);
  char* data_;
  size_t size_;
  size_t mapped_;
  size_t released_ = 0;
  size_t passed_ = 0;
};

}  // namespace kinu::json
