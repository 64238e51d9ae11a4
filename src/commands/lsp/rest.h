// What a thread does when it has had nothing to do for a while.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace kinu::lsp {

/// Gives back the memory that this thread has freed. No two threads do so at the same time.
using Rest = std::function<void()>;

/// Rests when no other thread does.
inline void RestAlone(const Rest& rest) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  rest();
}

/// Waits until there is something to do. Calls `rest` once, unlocked, if that takes long.
template <typename HasWork>
void WaitForWork(std::condition_variable& changed, std::unique_lock<std::mutex>& lock,
                 const Rest& rest, HasWork has_work) {
  constexpr auto kBusy = std::chrono::milliseconds(500);
  if (changed.wait_for(lock, kBusy, has_work)) {
    return;
  }
  lock.unlock();
  RestAlone(rest);
  lock.lock();
  changed.wait(lock, has_work);
}

}  // namespace kinu::lsp
