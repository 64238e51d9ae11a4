#include "install/ordered_jobs.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "trace/within.h"

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
  /// Passes on reports until the job has ended. While there are none, calls `grow` from time to
  /// time, until it returns false.
  void Drain(const std::function<bool()>& grow) {
    constexpr std::chrono::milliseconds kPatience(4);
    const auto ready = [this] { return ended_ || !waiting_.empty(); };
    std::unique_lock lock(mutex_);
    for (;;) {
      while (!changed_.wait_for(lock, kPatience, ready)) {
        lock.unlock();
        const bool more = grow();
        lock.lock();
        if (!more) {
          changed_.wait(lock, ready);
        }
      }
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
  std::vector<std::jthread> workers;
  const trace::SpanId span = trace::Current();
  const auto start = [&] {
    workers.emplace_back([&] {
      const trace::Within within(span);
      for (size_t number = next++; number < count; number = next++) {
        job(number, queues[number]);
        queues[number].End();
      }
    });
  };
  // Jobs that end at once, as those of installed packages do, need no second thread. The number of
  // threads doubles when no job has begun since the last look.
  size_t seen = 1;
  const auto grow = [&] {
    const size_t begun = next;
    const size_t most = std::min(count, threads);
    if (begun == seen) {
      for (size_t more = workers.size(); more > 0 && workers.size() < most; --more) {
        start();
        ++seen;
      }
    } else {
      seen = begun;
    }
    return begun < count && workers.size() < most;
  };
  start();
  for (JobQueue& queue : queues) {
    queue.Drain(grow);
  }
}

}  // namespace kinu::install
