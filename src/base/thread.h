// Threads with the stacks that user-shaped recursion needs.
#pragma once

#include <functional>

#include <pthread.h>

namespace kinu {

/// Stack of every thread that evaluates user input: lazily committed, so it costs address space
/// only.
inline constexpr size_t kBigStackBytes = size_t{256} << 20;

/// A joinable thread with a big stack. Join() must be called before it goes.
class BigThread {
 public:
  explicit BigThread(std::function<void()> body);
  BigThread(const BigThread&) = delete;
  BigThread& operator=(const BigThread&) = delete;
  ~BigThread();
  void Join();

 private:
  std::function<void()> body_;
  pthread_t thread_{};
  bool joined_ = false;
};

/// Runs `body` on a thread with a big stack and waits for it.
void RunOnBigStack(std::function<void()> body);

}  // namespace kinu
