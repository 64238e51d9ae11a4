#include "engine/progress.h"

#include <algorithm>

namespace kinu::engine {
namespace {

int64_t SecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::round<std::chrono::seconds>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

ProgressTicker::~ProgressTicker() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
}

uint64_t ProgressTicker::Start(Event event) {
  if (sink_ == nullptr) {
    return 0;
  }
  std::lock_guard lock(mutex_);
  Clock::time_point now = Clock::now();
  running_.emplace(++last_id_, Operation{std::move(event), now, now + interval_});
  if (!thread_.joinable()) {
    thread_ = std::thread([this] { Run(); });
  } else if (running_.size() == 1) {
    changed_.notify_one();  // others end before this one
  }
  return last_id_;
}

void ProgressTicker::Stop(uint64_t id) {
  std::lock_guard lock(mutex_);
  running_.erase(id);
}

void ProgressTicker::Run() {
  std::unique_lock lock(mutex_);
  while (!closing_) {
    if (running_.empty()) {
      changed_.wait(lock);
      continue;
    }
    Clock::time_point next = Clock::time_point::max();
    for (const auto& [id, operation] : running_) {
      next = std::min(next, operation.next);
    }
    if (changed_.wait_until(lock, next) == std::cv_status::no_timeout) {
      continue;
    }
    Clock::time_point now = Clock::now();
    for (auto& [id, operation] : running_) {
      if (operation.next <= now) {
        operation.next += interval_;
        Event event = operation.event;
        event.elapsed_seconds = SecondsSince(operation.start);
        sink_->Post(std::move(event));
      }
    }
  }
}

Timed::Timed(ProgressTicker& ticker, bool may_take_long, Event progress) : ticker_(ticker) {
  if (may_take_long) {
    progress.kind = EventKind::kApplyProgress;
    id_ = ticker.Start(std::move(progress));
  }
}

Timed::~Timed() {
  if (id_ != 0) {
    ticker_.Stop(id_);
  }
}

int64_t Timed::seconds() const {
  return SecondsSince(start_);
}

}  // namespace kinu::engine
