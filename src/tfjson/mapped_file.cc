#include "tfjson/mapped_file.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

namespace kinu::tfjson {
namespace {

constexpr size_t kSmall = size_t{1} << 20;
constexpr size_t kReleaseStep = size_t{8} << 20;

size_t PageSize() {
  static const auto kSize = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return kSize;
}

}  // namespace

std::unique_ptr<MappedFile> MappedFile::Open(int fd) {
  struct stat status{};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || ::lseek(fd, 0, SEEK_CUR) != 0 ||
      static_cast<size_t>(status.st_size) < kSmall) {
    return nullptr;
  }
  const auto size = static_cast<size_t>(status.st_size);
  // A page more, which holds the zero byte when the file fills its pages.
  const size_t mapped = (size + PageSize() - 1) / PageSize() * PageSize() + PageSize();
  void* const place =
      ::mmap(nullptr, mapped, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (place == MAP_FAILED) {
    return nullptr;
  }
  auto file = std::unique_ptr<MappedFile>(new MappedFile(static_cast<char*>(place), size, mapped));
  if (::mmap(place, size, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED ||
      !file->Provide(0, PageSize())) {
    return nullptr;
  }
  ::madvise(place, size, MADV_SEQUENTIAL);
  return file;
}

MappedFile::~MappedFile() {
  ::munmap(data_, mapped_);
}

bool MappedFile::Provide(size_t from, size_t size) {
  const size_t begin = from / PageSize() * PageSize();
  return size == 0 || ::madvise(data_ + begin, from + size - begin, MADV_POPULATE_READ) == 0;
}

void MappedFile::Release(size_t up_to) {
  const size_t end = up_to / PageSize() * PageSize();
  if (end >= released_ + kReleaseStep) {
    ::madvise(data_ + released_, end - released_, MADV_DONTNEED);
    released_ = end;
  }
}

}  // namespace kinu::tfjson
