// Runs jobs on several threads; what they report is passed on in the order of the jobs, while they
// run.
#pragma once

#include <cstddef>
#include <functional>

namespace kinu::install {

/// Receives the reports of one job. Thread-safe.
class JobReports {
 public:
  virtual ~JobReports() = default;
  /// Calls `report` on the thread of RunOrdered(), once all earlier jobs have ended.
  virtual void Post(std::function<void()> report) = 0;
};

/// Runs `job` for the numbers 0 to count-1 on at most `threads` threads, and all reports on the
/// calling thread. Returns when all have ended.
void RunOrdered(size_t count, size_t threads,
                const std::function<void(size_t number, JobReports& reports)>& job);

}  // namespace kinu::install
