// Jobs that run on threads of their own until somebody needs what they do.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "trace/trace.h"

namespace kinu::install {

/// Add() and Finish() are for one thread.
class BackgroundJobs {
 public:
  explicit BackgroundJobs(size_t threads) : threads_(threads) {}
  /// Jobs that have not begun are dropped; waits for the others.
  ~BackgroundJobs();
  BackgroundJobs(const BackgroundJobs&) = delete;
  BackgroundJobs& operator=(const BackgroundJobs&) = delete;

  /// Jobs begin in the order in which they were added. Returns the number for Finish().
  size_t Add(std::function<void()> job);
  /// Returns when a job has ended. One that has not begun runs on this thread.
  void Finish(size_t number);

 private:
  enum class State : uint8_t { kWaiting, kRunning, kEnded };
  struct Job {
    std::function<void()> work;
    trace::SpanId span = 0;  ///< what was current when it was added
    State state = State::kWaiting;
  };
  void Run(Job& job, std::unique_lock<std::mutex>& lock);
  void Work();

  const size_t threads_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::deque<Job> jobs_;  // addresses of jobs stay
  size_t next_ = 0;       // jobs before it have begun
  size_t working_ = 0;    // threads that take jobs
  bool stopped_ = false;
  std::vector<std::jthread> workers_;
};

}  // namespace kinu::install
