#include "remote/communicator.h"

#include <algorithm>
#include <thread>

#include "compatibility/features.h"
#include "log/log.h"
#include "remote/settings.h"
#include "remote/ssh_communicator.h"
#include "remote/winrm_communicator.h"

namespace kinu::remote {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

/// Sleeps in slices. False if the limits ended it.
bool SleepWithin(const Limits& limits, milliseconds time) {
  const Clock::time_point end = Clock::now() + time;
  while (Clock::now() < end) {
    if (limits.stopped() || limits.expired()) {
      return false;
    }
    std::this_thread::sleep_for(milliseconds(20));
  }
  return !limits.stopped() && !limits.expired();
}

/// The text of a wrapped error that may be missing, as Go prints it.
std::string TextOf(const std::string& error) {
  return error.empty() ? "%!w(<nil>)" : error;
}

Limits LimitsOf(const Communicator& communicator, const std::atomic<bool>* stop) {
  Limits limits;
  limits.stop = stop;
  const auto now = Clock::now();
  if (communicator.timeout() < Clock::time_point::max() - now) {
    limits.deadline = now + std::chrono::duration_cast<Clock::duration>(communicator.timeout());
  }
  return limits;
}

}  // namespace

Result<std::unique_ptr<Communicator>> MakeCommunicator(const Value& connection,
                                                       const std::atomic<bool>* stop) {
  const std::string type = TextAttribute(connection, "type");
  if (type.empty() || type == "ssh") {
    return MakeSshCommunicator(connection, stop);
  }
  if (type == "winrm") {
    if (compatibility::Has(compatibility::Feature::kNoWinrm)) {
      return Fail(ErrorCode::kInvalid,
                  "'winrm' connections are not supported in OpenTofu v1.13 or later");
    }
    return MakeWinrmCommunicator(connection, stop);
  }
  return Fail(ErrorCode::kInvalid, "connection type '" + type + "' not supported");
}

Result<void> ConnectWithRetries(Communicator& communicator, const OutputSink& output,
                                const std::atomic<bool>* stop) {
  const Limits limits = LimitsOf(communicator, stop);
  constexpr milliseconds kMost{20'000};
  std::string last;  // the error of the last attempt that came to an end
  milliseconds delay{0};
  while (SleepWithin(limits, delay)) {
    Result<void> done = communicator.Connect(output, limits);
    if (limits.stopped() || (!done && limits.expired())) {
      break;
    }
    if (done || done.error().code == ErrorCode::kInvalid) {
      return done;
    }
    last = done.error().message;
    if (log::Enabled(log::Level::kWarn)) {
      log::Write(log::Level::kWarn, "retryable error: " + last);
    }
    delay = delay.count() == 0 ? milliseconds(1000) : std::min(delay * 2, kMost);
  }
  if (limits.stopped()) {
    return Fail(ErrorCode::kCancelled, "interrupted - last error: " + TextOf(last));
  }
  return Fail(ErrorCode::kUnavailable, "timeout - last error: " + TextOf(last));
}

}  // namespace kinu::remote
