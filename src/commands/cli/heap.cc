#include "cli/heap.h"

#if KINU_MIMALLOC

#include <cstddef>
#include <cstdint>

#include <mimalloc.h>
#include <sys/mman.h>

namespace kinu::cli {

void PrepareHeap(HeapUse use) {
  if (use == HeapUse::kServer) {
    return;  // the allocator's own ways: small pages, which go back soon
  }
  if (use == HeapUse::kRounds) {
    // Huge pages would stay where one of two threads once did most of the work.
    constexpr long kMillisecondsBetweenSaves = 3000;
    mi_option_set(mi_option_decommit_delay, kMillisecondsBetweenSaves);
    return;
  }
  constexpr size_t kSegment = size_t{32} << 20;  // the unit in which mimalloc 2 takes memory
  constexpr size_t kReserved = size_t{4} << 30;  // address space only; more comes from the system
  // Each thread begins a segment of its own, with small pages at its start. The first is that of
  // the thread that runs the command, because the heap of the main thread exists already: the heap
  // of a short command needs no huge page.
  constexpr size_t kFirstSegments = 8;
  constexpr size_t kCommandSegment = 0;
  constexpr size_t kSmallPages = size_t{2} << 20;
  constexpr size_t kSmallPagesOfCommand = size_t{4} << 20;
  void* mapped = ::mmap(nullptr, kReserved + kSegment, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    return;
  }
  const uintptr_t at = (reinterpret_cast<uintptr_t>(mapped) + kSegment - 1) & ~(kSegment - 1);
  auto* begin = reinterpret_cast<std::byte*>(at);
  for (size_t i = 0; i < kFirstSegments; ++i) {
    const size_t small = i == kCommandSegment ? kSmallPagesOfCommand : kSmallPages;
    (void)::madvise(begin + i * kSegment + small, kSegment - small, MADV_HUGEPAGE);
  }
  (void)::madvise(begin + kFirstSegments * kSegment, kReserved - kFirstSegments * kSegment,
                  MADV_HUGEPAGE);
  // A process that ends soon gains nothing from giving memory back, which would split huge pages.
  mi_option_disable(mi_option_allow_decommit);
  mi_option_set(mi_option_eager_commit_delay, 0);
  (void)mi_manage_os_memory(begin, kReserved, /*is_committed=*/true, /*is_large=*/false,
                            /*is_zero=*/true, /*numa_node=*/-1);
}

void GiveBackMemory() {
  // What is free now goes back now: the next time may be far.
  static const long kDelay = mi_option_get(mi_option_decommit_delay);
  mi_option_set(mi_option_decommit_delay, 0);
  mi_collect(/*force=*/true);
  // What became free before is given back when its delay has passed and a page is taken. Blocks of
  // this size have a page each.
  constexpr size_t kPageOfItsOwn = size_t{256} << 10;
  mi_free(mi_malloc(kPageOfItsOwn));
  mi_collect(/*force=*/true);
  mi_option_set(mi_option_decommit_delay, kDelay);
}

}  // namespace kinu::cli

#else

namespace kinu::cli {

void PrepareHeap(HeapUse) {
}

void GiveBackMemory() {
}

}  // namespace kinu::cli

#endif
