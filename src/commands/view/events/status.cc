#include "view/events/status.h"

#include <algorithm>
#include <utility>

#include "text/unicode.h"
#include "view/events/status_text.h"

namespace kinu::view {
namespace {

using Clock = Status::Clock;
using engine::EventKind;

constexpr size_t kSlowest = 3;
/// An estimate needs some objects and some seconds.
constexpr size_t kEstimateObjects = 3;
constexpr int64_t kEstimateSeconds = 5;

int64_t Seconds(Clock::duration time) {
  return std::chrono::duration_cast<std::chrono::seconds>(time).count();
}

/// "71.6 s", "72 s"
std::string SecondsText(Clock::duration time) {
  const auto tenths =
      (std::chrono::duration_cast<std::chrono::milliseconds>(time).count() + 50) / 100;
  std::string text = std::to_string(tenths / 10);
  if (tenths % 10 != 0) {
    text += "." + std::to_string(tenths % 10);
  }
  return text + " s";
}

bool IsStart(EventKind kind) {
  return kind == EventKind::kRefreshStart || kind == EventKind::kReadStart ||
         kind == EventKind::kApplyStart || kind == EventKind::kEphemeralOpenStart ||
         kind == EventKind::kImportStart;
}

bool IsEnd(EventKind kind) {
  return kind == EventKind::kRefreshComplete || kind == EventKind::kReadComplete ||
         kind == EventKind::kApplyComplete || kind == EventKind::kApplyErrored ||
         kind == EventKind::kEphemeralOpenComplete || kind == EventKind::kImportComplete;
}

}  // namespace

Status::Status(Now now) : now_(std::move(now)) {
}

void Status::Begin(std::string_view phase, size_t total) {
  const std::lock_guard lock(mutex_);
  phase_ = phase;
  total_ = total;
  done_ = 0;
  running_.clear();
  phase_begin_ = now_();
}

void Status::End() {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = now_();
  if (!running_.empty()) {
    busy_ += now - busy_since_;
  }
  spent_ += now - phase_begin_;
  running_.clear();
  phase_.clear();
}

void Status::Post(const Program& program, const engine::Event& event) {
  if (IsStart(event.kind)) {
    Start(program, event);
  } else if (IsEnd(event.kind)) {
    Finish(event);
  }
}

void Status::Start(const Program& program, const engine::Event& event) {
  const std::lock_guard lock(mutex_);
  const Clock::time_point now = now_();
  if (running_.empty()) {
    busy_since_ = now;
  }
  running_[Key{event.address, event.deposed}] = {&program, now};
}

void Status::NoteSlow(const Key& key, const Running& done, Clock::duration time) {
  if (slowest_.size() == kSlowest && slowest_.back().time >= time) {
    return;
  }
  const std::string name = done.program->ToText(key.address);
  const auto at =
      std::ranges::find_if(slowest_, [&](const Slow& slow) { return slow.name == name; });
  if (at != slowest_.end()) {
    at->time = std::max(at->time, time);
  } else {
    slowest_.push_back({name, time});
  }
  std::ranges::stable_sort(slowest_, std::greater(), &Slow::time);
  slowest_.resize(std::min(slowest_.size(), kSlowest));
}

void Status::Finish(const engine::Event& event) {
  const std::lock_guard lock(mutex_);
  const auto it = running_.find(Key{event.address, event.deposed});
  if (it == running_.end()) {
    return;
  }
  const Clock::time_point now = now_();
  NoteSlow(it->first, it->second, now - it->second.start);
  running_.erase(it);
  ++done_;
  ++objects_;
  if (running_.empty()) {
    busy_ += now - busy_since_;
  }
}

std::vector<Status::Named> Status::Oldest() const {
  std::vector<Named> out;
  for (const auto& [key, running] : running_) {
    out.push_back({running.program->ToText(key.address), running.start});
  }
  std::ranges::sort(out, [](const Named& a, const Named& b) {
    return a.start == b.start ? a.name < b.name : a.start < b.start;
  });
  return out;
}

std::string Status::Line(size_t width) const {
  const std::lock_guard lock(mutex_);
  if (phase_.empty()) {
    return {};
  }
  const Clock::time_point now = now_();
  std::string head = phase_ + " " + std::to_string(done_);
  const size_t total = std::max(total_, total_ == 0 ? 0 : done_ + running_.size());
  if (total > 0) {
    head += "/" + std::to_string(total);
  }
  const int64_t elapsed = Seconds(now - phase_begin_);
  StatusText text{.head = std::move(head), .time = ClockText(elapsed)};
  if (done_ >= kEstimateObjects && total > done_ && elapsed >= kEstimateSeconds) {
    const auto rest = elapsed * static_cast<int64_t>(total - done_) / static_cast<int64_t>(done_);
    text.left = "about " + ClockText(rest) + " left";
  }
  for (Named& named : Oldest()) {
    text.running.push_back(
        {std::move(named.name), std::to_string(Seconds(now - named.start)) + "s"});
  }
  return FitStatus(text, width);
}

std::string Status::Interrupted() const {
  const std::lock_guard lock(mutex_);
  if (phase_.empty()) {
    return {};
  }
  std::string out = std::to_string(done_) + (total_ > 0 ? " of " + std::to_string(total_) : "") +
                    " done and recorded, " + std::to_string(running_.size()) + " running";
  const std::vector<Named> oldest = Oldest();
  for (size_t i = 0; i < oldest.size(); ++i) {
    out += (i == 0 ? ": " : ", ") + oldest[i].name;
  }
  return out + "\n";
}

std::string Status::Closing(size_t width) const {
  const std::lock_guard lock(mutex_);
  if (objects_ == 0 || spent_ < std::chrono::seconds(1)) {
    return {};
  }
  std::string out = "Time: " + SecondsText(spent_) + ", providers " + SecondsText(busy_);
  for (size_t i = 0; i < slowest_.size(); ++i) {
    const std::string more =
        (i == 0 ? "; slowest: " : ", ") + slowest_[i].name + " " + SecondsText(slowest_[i].time);
    if (text::DisplayWidth(out + more) > width) {
      break;
    }
    out += more;
  }
  return "\n" + out + "\n";
}

}  // namespace kinu::view
