// Threads that share loops whose passes are independent of each other.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace kinu {

/// The number of processors that this process may use.
unsigned UsableCores();

/// Threads that run loops together. Loops of several threads share them, and so do loops inside of
/// loops. Threads are started by the first loop. Thread-safe.
class LoopThreads {
 public:
  /// `threads` counts a thread that calls Run(), which works, too.
  explicit LoopThreads(unsigned threads);
  LoopThreads(const LoopThreads&) = delete;
  LoopThreads& operator=(const LoopThreads&) = delete;
  ~LoopThreads();

  /// The threads of the process, one for each usable core. They live as long as the process: a new
  /// thread would begin with an empty heap, and leave what it has behind.
  static LoopThreads& OfProcess();

  /// Calls `work(i)` once for each i in [0, count), in any order, on at most so many threads, and
  /// returns after all calls.
  void Run(size_t count, unsigned most_threads, const std::function<void(size_t)>& work);

 private:
  struct Loop;
  struct Shared;

  unsigned threads_;
  std::unique_ptr<Shared> shared_;
};

/// Calls both and returns after both: at the same time if there are two cores.
void RunTogether(const std::function<void()>& one, const std::function<void()>& other);

}  // namespace kinu
