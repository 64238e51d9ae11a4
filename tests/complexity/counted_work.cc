#include "counted_work.h"

#include <atomic>
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

namespace kinu {
namespace {

std::atomic<uint64_t> blocks;
std::atomic<uint64_t> allocations;
std::atomic<uint64_t> bytes;

void* Allocate(size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  bytes.fetch_add(size, std::memory_order_relaxed);
  void* memory = std::malloc(size);
  if (memory == nullptr) {
    std::abort();
  }
  return memory;
}

}  // namespace

Work WorkSoFar() {
  return {blocks, allocations, bytes};
}

void ExpectGrowth(const Work& small, const Work& large, double growth) {
  constexpr double kTolerance = 1.1;
  constexpr double kFewAllocations = 100;
  constexpr double kFewBytes = 400'000;  // arenas and buffers grow in steps
  constexpr double kFewBlocks = 20'000;  // the same for the constant part of the work
  const auto expect = [&](uint64_t small_count, uint64_t large_count, double few,
                          const char* unit) {
    EXPECT_LE(static_cast<double>(large_count),
              kTolerance * growth * static_cast<double>(small_count) + few)
        << unit << " after " << small_count;
  };
  expect(small.blocks, large.blocks, kFewBlocks, "basic blocks");
  expect(small.allocations, large.allocations, kFewAllocations, "allocations");
  expect(small.bytes, large.bytes, kFewBytes, "bytes");
}

}  // namespace kinu

// The compiler inserts a call of this function into each basic block of the measured sources.
extern "C" void __sanitizer_cov_trace_pc() {
  kinu::blocks.fetch_add(1, std::memory_order_relaxed);
}

void* operator new(size_t size) {
  return kinu::Allocate(size);
}
void* operator new[](size_t size) {
  return kinu::Allocate(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, size_t) noexcept {
  std::free(memory);
}
