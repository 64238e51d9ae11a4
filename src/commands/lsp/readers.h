// The threads that answer from snapshots.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/thread.h"
#include "lsp/rest.h"

namespace kinu::lsp {

class Readers {
 public:
  /// With no threads, jobs run where they are added.
  Readers(size_t threads, Rest rest);
  Readers(const Readers&) = delete;
  Readers& operator=(const Readers&) = delete;
  /// Runs what was added and waits for it.
  ~Readers();

  void Add(std::function<void()> job);

 private:
  void Run();

  const Rest rest_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool ends_ = false;
  std::vector<std::unique_ptr<BigThread>> threads_;
};

}  // namespace kinu::lsp
