#include "json/mapped_file.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

namespace kinu::json {
namespace {

constexpr size_t kSmall = size_t{1} << 20;
constexpr size_t kNeighbours = size_t{64} << 10;  // what Linux maps around a page
constexpr size_t kReleaseStep = size_t{8} << 20;
constexpr size_t kPassedStep = size_t{16} << 20;

/// Where files are mapped now, for the signal handler. Files beyond this number are not watched.
struct Place {
  std::atomic<uintptr_t> begin{0};  // 0: free
  std::atomic<uintptr_t> end{0};
};
std::array<Place, 16> g_places;

void OnBusError(int signal, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  for (const Place& place : g_places) {
    if (address >= place.begin && address < place.end) {
      constexpr std::string_view kMessage =
          "\nError: A file was shortened by another program while it was being read\n\n";
      (void)!::write(STDERR_FILENO, kMessage.data(), kMessage.size());
      ::_exit(1);
    }
  }
  ::signal(signal, SIG_DFL);  // it happens again at once, and ends the process
}

size_t PageSize() {
  static const auto kSize = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  return kSize;
}

}  // namespace

void MappedFile::EndProcessWhenShortened() {
  struct sigaction action{};
  action.sa_sigaction = OnBusError;
  action.sa_flags = SA_SIGINFO;
  (void)::sigaction(SIGBUS, &action, nullptr);
}

MappedFile::MappedFile(char* data, size_t size, size_t mapped)
    : data_(data), size_(size), mapped_(mapped) {
  const auto begin = reinterpret_cast<uintptr_t>(data);
  for (Place& place : g_places) {
    uintptr_t free = 0;
    if (place.begin.compare_exchange_strong(free, begin)) {
      place.end = begin + mapped;
      break;
    }
  }
}

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
  for (Place& place : g_places) {
    if (place.begin == reinterpret_cast<uintptr_t>(data_)) {
      place.end = 0;
      place.begin = 0;
    }
  }
  ::munmap(data_, mapped_);
}

bool MappedFile::Provide(size_t from, size_t size) {
  // With one page the system maps its neighbours as well; touching every page takes three times as
  // long. A file that was shortened does not have the last page.
  const auto has = [&](size_t at) {
    return ::madvise(data_ + at / PageSize() * PageSize(), PageSize(), MADV_POPULATE_READ) == 0;
  };
  bool all = size == 0 || has(from + size - 1);
  for (size_t at = from / kNeighbours * kNeighbours; all && at < from + size; at += kNeighbours) {
    all = has(at);
  }
  return all;
}

void MappedFile::Release(size_t up_to) {
  const size_t end = up_to / PageSize() * PageSize();
  if (end >= released_ + kReleaseStep) {
    ::madvise(data_ + released_, end - released_, MADV_DONTNEED);
    released_ = end;
  }
}

void MappedFile::Passed(size_t bytes) {
  passed_ += bytes;
  if (passed_ >= kPassedStep) {
    ::madvise(data_, size_, MADV_DONTNEED);
    passed_ = 0;
  }
}

}  // namespace kinu::json
