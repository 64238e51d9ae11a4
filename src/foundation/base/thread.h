// Threads with stacks that are large enough for recursion over deeply nested input.
#pragma once

#include <functional>
#include <memory>

#include <pthread.h>

namespace kinu {

/// Stack size in bytes of every thread that evaluates user input. The system commits pages on first
/// use, so an unused stack costs address space only. ThreadSanitizer writes past its record of
/// calls where more than 65,536 are open, which these stacks are too small for.
#ifdef __SANITIZE_THREAD__
inline constexpr size_t kBigStackBytes = size_t{8} << 20;
#else
inline constexpr size_t kBigStackBytes = size_t{256} << 20;
#endif

/// A thread with a big stack and the inherited pointer of the one that starts it. The destructor
/// joins it.
class BigThread {
 public:
  explicit BigThread(std::function<void()> body);
  /// Null if the system has no room for another thread.
  static std::unique_ptr<BigThread> TryStart(std::function<void()> body);
  BigThread(const BigThread&) = delete;
  BigThread& operator=(const BigThread&) = delete;
  ~BigThread();
  void Join();

 private:
  BigThread() = default;
  /// Returns whether the thread runs.
  bool Start(std::function<void()> body);

  std::function<void()> body_;
  void* inherited_ = nullptr;
  pthread_t thread_{};
  bool joined_ = true;  ///< nothing is left to wait for
};

/// Runs `body` on a thread with a big stack and waits for it.
void RunOnBigStack(std::function<void()> body);

}  // namespace kinu
