#include "install/background_jobs.h"

#include <utility>

#include "trace/within.h"

namespace kinu::install {

BackgroundJobs::~BackgroundJobs() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
}

size_t BackgroundJobs::Add(std::function<void()> job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back({.work = std::move(job), .span = trace::Current()});
  if (working_ < threads_) {
    ++working_;
    workers_.emplace_back([this] { Work(); });
  }
  return jobs_.size() - 1;
}

void BackgroundJobs::Finish(size_t number) {
  std::unique_lock lock(mutex_);
  Job& job = jobs_[number];
  if (job.state == State::kWaiting) {
    Run(job, lock);
  }
  ended_.wait(lock, [&] { return job.state == State::kEnded; });
}

void BackgroundJobs::Run(Job& job, std::unique_lock<std::mutex>& lock) {
  job.state = State::kRunning;
  lock.unlock();
  {
    const trace::Within within(job.span);
    std::exchange(job.work, nullptr)();
  }
  lock.lock();
  job.state = State::kEnded;
  ended_.notify_all();
}

void BackgroundJobs::Work() {
  std::unique_lock lock(mutex_);
  while (!stopped_ && next_ < jobs_.size()) {
    Job& job = jobs_[next_++];
    if (job.state == State::kWaiting) {
      Run(job, lock);
    }
  }
  --working_;
}

}  // namespace kinu::install
