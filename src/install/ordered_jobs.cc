#include "install/ordered_jobs.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

namespace kinu::install {
namespace {

/// The reports of one job that were not passed on yet.
class JobQueue final : public JobReports {
 public:
  void Post(std::function<void()> report) override {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(report));
    changed_.notify_one();
  }
  void End() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_one();
  }
  /// Passes on reports until the job has ended.
  void Drain() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
      if (waiting_.empty()) {
        return;
      }
      const std::function<void()> report = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      report();
      lock.lock();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool ended_ = false;
};

/// Passes on each report at once.
class DirectReports final : public JobReports {
 public:
  void Post(std::function<void()> report) override { report(); }
};

}  // namespace

void RunOrdered(size_t count, size_t threads,
                const std::function<void(size_t number, JobReports& reports)>& job) {
  if (count <= 1 || threads <= 1) {
    DirectReports reports;
    for (size_t i = 0; i < count; ++i) {
      job(i, reports);
    }
    return;
  }
  std::vector<JobQueue> queues(count);
  std::atomic<size_t> next = 0;
  std::counting_semaphore<> ended(0);
  std::vector<std::jthread> workers;
  const auto start = [&] {
    workers.emplace_back([&] {
      for (size_t number = next++; number < count; number = next++) {
        job(number, queues[number]);
        queues[number].End();
      }
      ended.release();
    });
  };
  start();
  // Jobs that end at once, as those of installed packages do, need no further threads.
  constexpr std::chrono::milliseconds kAtOnce(1);
  if (!ended.try_acquire_for(kAtOnce)) {
    while (workers.size() < std::min(count, threads)) {
      start();
    }
  }
  for (JobQueue& queue : queues) {
    queue.Drain();
  }
}

}  // namespace kinu::install
