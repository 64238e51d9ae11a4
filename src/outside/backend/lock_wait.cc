#include "backend/lock_wait.h"

#include <algorithm>
#include <thread>

namespace kinu::backend {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kFirstDelay{1000};
constexpr milliseconds kLongestDelay{16000};
constexpr milliseconds kSlow{400};
constexpr milliseconds kPoll{20};
constexpr milliseconds kAnonymous{2000};
constexpr milliseconds kAnonymousPoll{200};

}  // namespace

Result<void> WaitForLock(const state::LockRequest& request, milliseconds grace,
                         const std::function<Result<bool>()>& attempt,
                         const std::function<std::string()>& conflict) {
  const steady_clock::time_point start = steady_clock::now();
  const steady_clock::time_point deadline = start + std::max(request.timeout, grace);
  milliseconds delay = kFirstDelay;
  bool told_slow = false;
  for (;;) {
    const Result<bool> taken = attempt();
    if (!taken) {
      return std::unexpected(taken.error());
    }
    if (*taken) {
      return {};
    }
    const bool at_once = steady_clock::now() - start < grace;
    const steady_clock::time_point retry = steady_clock::now() + (at_once ? kPoll : delay);
    for (;;) {
      const steady_clock::time_point now = steady_clock::now();
      if (now >= deadline || (request.cancelled && request.cancelled())) {
        return Fail(ErrorCode::kExists, conflict());
      }
      if (!told_slow && request.on_slow && now - start >= kSlow) {
        told_slow = true;
        request.on_slow();
      }
      if (now >= retry) {
        break;
      }
      std::this_thread::sleep_for(
          std::min({milliseconds(kPoll), std::chrono::ceil<milliseconds>(deadline - now),
                    std::chrono::ceil<milliseconds>(retry - now)}));
    }
    delay = at_once ? delay : std::min(delay * 2, kLongestDelay);
  }
}

Result<std::string> WaitForHolder(const std::function<Result<std::string>()>& attempt) {
  const steady_clock::time_point deadline = steady_clock::now() + kAnonymous;
  for (;;) {
    Result<std::string> id = attempt();
    if (id || id.error().code != ErrorCode::kNotFound) {
      return id;
    }
    if (steady_clock::now() >= deadline) {
      return Fail(ErrorCode::kExists, std::move(id).error().message);
    }
    std::this_thread::sleep_for(kAnonymousPoll);
  }
}

bool SleepFor(milliseconds time) {
  std::this_thread::sleep_for(time);
  return true;
}

}  // namespace kinu::backend
