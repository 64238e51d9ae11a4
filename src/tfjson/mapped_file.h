// MappedFile: the text of a file as the system has it in memory anyway, without a copy. What is
// looked at is asked for first and given back afterwards, so a file of any size occupies little.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

namespace kinu::tfjson {

class MappedFile {
 public:
  /// Null when the file is small, no regular one, or the system cannot do it: then it is to be
  /// read.
  static std::unique_ptr<MappedFile> Open(int fd);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// The whole text. A zero byte follows.
  std::string_view text() const { return {data_, size_}; }
  /// Brings a part into memory. False when the file does not have it any more, or cannot be read.
  bool Provide(size_t from, size_t size);
  /// Everything up to there is not needed any more.
  void Release(size_t up_to);
  /// So many bytes have been looked at anywhere, in passing. Once in a while all is given back.
  void Passed(size_t bytes);

  /// From now on, a file that another program shortens while it is looked at ends this process with
  /// a message and status 1. For programs: it takes over the signal SIGBUS.
  static void EndProcessWhenShortened();

 private:
  MappedFile(char* data, size_t size, size_t mapped);
  char* data_;
  size_t size_;
  size_t mapped_;
  size_t released_ = 0;
  size_t passed_ = 0;
};

}  // namespace kinu::tfjson
