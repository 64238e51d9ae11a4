// Waits for a lock that another process holds.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/result.h"
#include "state/store.h"

namespace kinu::backend {

/// Calls `attempt` until it takes the lock (true), fails, or the request's time is over: after a
/// second, two, four, … up to 16. For `grace` it is tried all the time, whatever the request says.
/// kExists, with the text of `conflict`: it stayed held, or the request was cancelled.
Result<void> WaitForLock(const state::LockRequest& request, std::chrono::milliseconds grace,
                         const std::function<Result<bool>()>& attempt,
                         const std::function<std::string()>& conflict);

/// Calls `attempt` as long as it fails with kNotFound: the lock is held, but nothing says by whom.
/// Where taking or releasing a lock is two requests, its holder is unknown between them. After two
/// seconds that is a conflict too: kExists.
Result<std::string> WaitForHolder(const std::function<Result<std::string>()>& attempt);

/// Sleeps, and returns true.
bool SleepFor(std::chrono::milliseconds time);

}  // namespace kinu::backend
