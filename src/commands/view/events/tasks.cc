#include "view/events/tasks.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "view/events/status_text.h"

namespace kinu::view {
namespace {

using Clock = Tasks::Clock;

/// The speed is that of the last one or two of such intervals.
constexpr std::chrono::seconds kInterval(2);

int64_t WholeSeconds(Clock::duration time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time).count();
}

/// Megabytes with one decimal: "12.3".
std::string Megabytes(uint64_t bytes) {
  const uint64_t tenths = (bytes + 50'000) / 100'000;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

}  // namespace

Tasks::Tasks(std::string_view phase, Now now)
    : now_(std::move(now)), phase_(phase), begin_(now_()), before_{begin_}, last_{begin_} {
}

void Tasks::Expect(size_t total) {
  const std::lock_guard lock(mutex_);
  total_ = total;
}

void Tasks::Start(const std::string& name) {
  const std::lock_guard lock(mutex_);
  running_[name] = {.start = now_()};
}

void Tasks::Receive(const std::string& name, uint64_t bytes, uint64_t size) {
  const std::lock_guard lock(mutex_);
  const auto task = running_.find(name);
  if (task == running_.end()) {
    return;
  }
  received_ += bytes > task->second.bytes ? bytes - task->second.bytes : 0;
  task->second.bytes = bytes;
  task->second.size = size;
  const Clock::time_point now = now_();
  if (now - last_.time >= kInterval) {
    before_ = std::exchange(last_, {now, received_});
  }
}

void Tasks::Finish(const std::string& name) {
  const std::lock_guard lock(mutex_);
  running_.erase(name);
  ++done_;
}

std::string Tasks::SpeedText(Clock::time_point now) const {
  const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(now - before_.time);
  const bool receives =
      std::ranges::any_of(running_, [](const auto& entry) { return entry.second.bytes > 0; });
  if (!receives || time.count() < 500) {
    return {};
  }
  return Megabytes((received_ - before_.bytes) * 1000 / static_cast<uint64_t>(time.count())) +
         " MB/s";
}

std::string Tasks::Line(size_t width) const {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = now_();
  StatusText text{.head = phase_ + " " + std::to_string(done_)};
  if (total_ > 0) {
    text.head += "/" + std::to_string(std::max(total_, done_ + running_.size()));
  }
  std::vector<std::pair<Clock::time_point, StatusText::Item>> oldest;
  for (const auto& [name, task] : running_) {
    std::string detail = std::to_string(WholeSeconds(now - task.start)) + "s";
    if (task.bytes > 0) {
      detail = Megabytes(task.bytes) +
               (task.size >= task.bytes ? "/" + Megabytes(task.size) : std::string()) + " MB";
    }
    oldest.push_back({task.start, {name, std::move(detail)}});
  }
  std::ranges::stable_sort(oldest, {}, &std::pair<Clock::time_point, StatusText::Item>::first);
  for (auto& [start, item] : oldest) {
    text.running.push_back(std::move(item));
  }
  const std::string speed = SpeedText(now);
  text.time = (speed.empty() ? "" : speed + " · ") + ClockText(WholeSeconds(now - begin_));
  return FitStatus(text, width);
}

}  // namespace kinu::view
