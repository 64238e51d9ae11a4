// A mutex for objects of which there are very many.
#pragma once

#include <atomic>
#include <cstdint>

namespace kinu::engine {

/// As std::mutex, in a tenth of its size. Threads that wait for it sleep.
class SmallMutex {
 public:
  SmallMutex() = default;
  SmallMutex(const SmallMutex&) = delete;
  SmallMutex& operator=(const SmallMutex&) = delete;

  void lock() {
    uint32_t state = kFree;
    if (state_.compare_exchange_strong(state, kHeld, std::memory_order_acquire)) {
      return;
    }
    while (state_.exchange(kWanted, std::memory_order_acquire) != kFree) {
      state_.wait(kWanted, std::memory_order_relaxed);
    }
  }
  bool try_lock() {
    uint32_t state = kFree;
    return state_.compare_exchange_strong(state, kHeld, std::memory_order_acquire);
  }
  void unlock() {
    if (state_.exchange(kFree, std::memory_order_release) == kWanted) {
      state_.notify_one();
    }
  }

 private:
  static constexpr uint32_t kFree = 0;
  static constexpr uint32_t kHeld = 1;
  static constexpr uint32_t kWanted = 2;  // held, and a thread may wait for it

  std::atomic<uint32_t> state_ = kFree;
};

}  // namespace kinu::engine
