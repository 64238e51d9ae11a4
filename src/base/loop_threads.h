// Threads that share loops whose passes are independent of each other.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/result.h"

namespace kinu {

/// The number of processors that this process may use.
unsigned UsableCores();

/// Runs loops on several threads at once. Threads are started by the first loop. Thread-safe.
class LoopThreads {
 public:
  /// `threads` counts the thread that calls Run(), which works, too.
  explicit LoopThreads(unsigned threads);
  LoopThreads(const LoopThreads&) = delete;
  LoopThreads& operator=(const LoopThreads&) = delete;
  ~LoopThreads();

  unsigned threads() const { return threads_; }
  /// Calls `work(i)` once for each i in [0, count), in any order, and returns after all calls. A
  /// loop that is begun while another runs, such as one inside of it, runs on its own thread alone.
  void Run(size_t count, const std::function<void(size_t)>& work);

 private:
  struct Shared;
  bool Begin(size_t count, const std::function<void(size_t)>& work);

  unsigned threads_;
  std::unique_ptr<Shared> shared_;
};

/// Appends a text that is made in pieces, on all cores if there are at least two pieces of `least`
/// passes. `make` appends what belongs to the passes [begin, end). Returns the first error in the
/// order of the passes; then `out` is without the pieces from that one on.
Result<void> AppendInPieces(
    std::string& out, size_t count, size_t least,
    const std::function<Result<void>(size_t begin, size_t end, std::string& out)>& make);

}  // namespace kinu
