// Tasks: named pieces of work of a command, for one line of a terminal: packages that `init`
// downloads, runs of `test`. Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace kinu::view {

class Tasks {
 public:
  using Clock = std::chrono::steady_clock;
  using Now = std::function<Clock::time_point()>;
  /// `phase`: the word at the beginning of the line. `now`: for tests.
  explicit Tasks(std::string_view phase, Now now = [] { return Clock::now(); });

  /// How many tasks there are; 0: not known.
  void Expect(size_t total);
  /// A task begins. Two tasks that run at once have different names.
  void Start(const std::string& name);
  /// A running task has received `bytes` in all, of `size` (0: not known).
  void Receive(const std::string& name, uint64_t bytes, uint64_t size);
  /// A task has ended, or was left out. Names that have not started are counted, too.
  void Finish(const std::string& name);

  /// `init 1/3 · 2 running: hashicorp/aws 12.3/98.1 MB, … · 4.2 MB/s · 0:04`, in at most `width`
  /// columns (FitStatus). The speed is that of all tasks in the last seconds.
  std::string Line(size_t width) const;

 private:
  struct Task {
    Clock::time_point start;
    uint64_t bytes = 0;
    uint64_t size = 0;
  };
  /// What had been received in all at some time.
  struct Sample {
    Clock::time_point time;
    uint64_t bytes = 0;
  };
  std::string SpeedText(Clock::time_point now) const;

  mutable std::mutex mutex_;
  Now now_;
  std::string phase_;
  Clock::time_point begin_;
  size_t total_ = 0;
  size_t done_ = 0;
  uint64_t received_ = 0;
  Sample before_, last_;  ///< the speed is measured from `before_`
  std::map<std::string, Task> running_;
};

}  // namespace kinu::view
