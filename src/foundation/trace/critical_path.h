// The critical path of a walk: the chain of objects that made it as long as it was. Each object of
// it began when the one before had ended, so only a shorter chain makes the walk shorter.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace kinu::trace {

/// One object of a critical path, or what happened before the first or after the last of them.
struct PathStep {
  std::string object;
  int64_t own = 0;   ///< nanoseconds of work on it
  int64_t wait = 0;  ///< from the time at which it could have begun
};

/// The critical path of one walk. Own times and waits add up to `length`.
struct CriticalPath {
  std::string walk;  ///< the name of its span
  int64_t length = 0;
  std::vector<PathStep> steps;
};

/// The critical paths of all walks whose nodes were recorded, in the order of the walks.
std::vector<CriticalPath> CriticalPaths(std::span<const Record> records);

/// The paths as tables. Of a long one only the steps with the longest times are listed.
std::string RenderCriticalPaths(std::span<const CriticalPath> paths);

/// What the whole run took, and its longest parts, in one line. Empty: there is no span around it.
std::string RenderParts(std::span<const Record> records);

}  // namespace kinu::trace
