#include "base/address_space.h"

#include <sys/mman.h>

namespace kinu {
namespace {

/// Whether the process can have that much more address space. An allocator that gets none may end
/// the process, so it is not the one to ask.
bool HasAddressSpace(size_t size) {
  void* mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) {
    return false;
  }
  (void)::munmap(mapped, size);
  return true;
}

}  // namespace

void ReserveAddressSpace(std::string& text, size_t size) {
  // An allocator may take a multiple of what it is asked for.
  constexpr size_t kRoom = 2;
  if (size > text.capacity() && size <= text.max_size() / kRoom && HasAddressSpace(kRoom * size)) {
    text.reserve(size);
  }
}

}  // namespace kinu
