// Status: what a running operation is doing, for one line of a terminal and for a closing line.
// Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "engine/events.h"

namespace kinu::view {

class Status {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;
  /// `now`: for tests.
  explicit Status(Now now = [] { return Clock::now(); });

  /// Starts a phase, "plan" or "apply". `total`: how many objects it works on, 0 if that is not
  /// known.
  void Begin(std::string_view phase, size_t total);
  /// Ends the phase. Objects that are still running are forgotten.
  void End();
  /// Counts an event. `program` has its address, and must live until the phase ends.
  void Post(const Program& program, const engine::Event& event);

  /// `apply 37/62 · 2 running: aws_db_instance.x 14s, … · 0:41 · about 0:25 left`, in at most
  /// `width` columns (FitStatus). Empty without a phase.
  std::string Line(size_t width) const;
  /// What is done and what still runs, after an interrupt, with a newline. Empty without a phase.
  std::string Interrupted() const;
  /// `Time: 72 s, providers 71.6 s; slowest: a 14 s, b 3 s`, with a newline, as far as the objects
  /// fit into `width` columns. Empty for operations that worked on no object or took less than a
  /// second.
  std::string Closing(size_t width) const;

 private:
  struct Key {
    ResourceInstance address;
    std::string deposed;
    uint64_t Hash() const { return HashCombine(address.Hash(), HashBytes(deposed)); }
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Running {
    const Program* program = nullptr;
    Clock::time_point start;
  };
  /// A running object as the line names it. Names are made only for those that are shown.
  struct Named {
    std::string name;
    Clock::time_point start;
  };
  struct Slow {
    std::string name;
    Clock::duration time{};
  };
  void Start(const Program& program, const engine::Event& event);
  void Finish(const engine::Event& event);
  /// The running objects, the oldest first.
  std::vector<Named> Oldest() const;
  void NoteSlow(const Key& key, const Running& done, Clock::duration time);

  mutable std::mutex mutex_;
  Now now_;
  std::string phase_;
  size_t total_ = 0;
  size_t done_ = 0;
  size_t objects_ = 0;  ///< of all phases
  Clock::time_point begin_, phase_begin_, busy_since_;
  Clock::duration spent_{};  ///< in ended phases
  Clock::duration busy_{};   ///< while any object was running
  FlatMap<Key, Running> running_;
  std::vector<Slow> slowest_;
};

/// Posts events to a status, and then to another sink, if that is given.
class StatusSink final : public engine::EventSink {
 public:
  StatusSink(const Program& program, Status& status, engine::EventSink* next)
      : program_(program), status_(status), next_(next) {}
  void Post(engine::Event event) override {
    status_.Post(program_, event);
    if (next_ != nullptr) {
      next_->Post(std::move(event));
    }
  }
  void BeginBurst() override {
    if (next_ != nullptr) {
      next_->BeginBurst();
    }
  }
  void EndBurst() override {
    if (next_ != nullptr) {
      next_->EndBurst();
    }
  }

 private:
  const Program& program_;
  Status& status_;
  engine::EventSink* next_;
};

}  // namespace kinu::view
