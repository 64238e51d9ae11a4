// Progress of slow operations: an event every ten seconds.
// Ref: opentofu internal/command/views/hook_ui.go stillApplying.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "engine/events.h"

namespace kinu::engine {

/// One thread for all operations of a walk; it starts with the first one.
class ProgressTicker {
 public:
  explicit ProgressTicker(EventSink* sink,
                          std::chrono::milliseconds interval = std::chrono::seconds(10))
      : sink_(sink), interval_(interval) {}
  ProgressTicker(const ProgressTicker&) = delete;
  ProgressTicker& operator=(const ProgressTicker&) = delete;
  ~ProgressTicker();

  /// Posts `event` at each interval from now on, with the time that has passed. Returns the id for
  /// Stop().
  uint64_t Start(Event event);
  void Stop(uint64_t id);

 private:
  using Clock = std::chrono::steady_clock;
  struct Operation {
    Event event;
    Clock::time_point start;
    Clock::time_point next;
  };
  void Run();

  EventSink* sink_;
  const std::chrono::milliseconds interval_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<uint64_t, Operation> running_;
  uint64_t last_id_ = 0;
  bool closing_ = false;
  std::thread thread_;
};

/// Measures an operation. If it may take long, its progress is posted until this is destroyed.
class Timed {
 public:
  Timed(ProgressTicker& ticker, bool may_take_long, Event progress);
  Timed(const Timed&) = delete;
  Timed& operator=(const Timed&) = delete;
  ~Timed();
  /// The time since the beginning, rounded to seconds.
  int64_t seconds() const;

 private:
  ProgressTicker& ticker_;
  uint64_t id_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace kinu::engine
