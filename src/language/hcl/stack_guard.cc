#include "hcl/stack_guard.h"

#include <cstddef>
#include <cstdint>

#include <pthread.h>

namespace kinu::hcl {
namespace {

constexpr size_t kMargin = size_t{256} << 10;

/// Lowest address of this thread's stack; 0 if it is not known.
uintptr_t StackBottom() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
    return 0;
  }
  void* bottom = nullptr;
  size_t size = 0;
  const int failed = pthread_attr_getstack(&attributes, &bottom, &size);
  pthread_attr_destroy(&attributes);
  return failed != 0 ? 0 : reinterpret_cast<uintptr_t>(bottom);
}

}  // namespace

bool StackNearlyExhausted() {
  constexpr uintptr_t kUninitialized = 1;
  constinit thread_local uintptr_t bottom = kUninitialized;
  if (bottom == kUninitialized) {
    bottom = StackBottom();
  }
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return bottom != 0 && here - bottom < kMargin;
}

}  // namespace kinu::hcl
