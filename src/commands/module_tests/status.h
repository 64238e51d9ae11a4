// The statuses of runs, files and suites.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace kinu::module_tests {

/// In the order in which a later one replaces an earlier one.
enum class Status : uint8_t { kPending, kSkip, kPass, kFail, kError };

inline Status Merge(Status a, Status b) {
  return std::max(a, b);
}

/// The name in JSON messages.
constexpr std::string_view StatusName(Status status) {
  constexpr std::string_view kNames[] = {"pending", "skip", "pass", "fail", "error"};
  return kNames[static_cast<size_t>(status)];
}

/// The word for people: text output shows an error as a failure.
constexpr std::string_view StatusWord(Status status) {
  return StatusName(status == Status::kError ? Status::kFail : status);
}

}  // namespace kinu::module_tests
