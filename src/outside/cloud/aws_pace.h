// The retry mode "adaptive" of AWS's programs: once a service throttles, requests keep to a rate,
// which grows again by CUBIC while they succeed.
// Ref: aws-sdk-go-v2 aws/retry adaptive.go, adaptive_ratelimit.go.
#pragma once

#include <chrono>
#include <mutex>

namespace kinu::cloud {

/// The rate of the requests of one configuration. Thread-safe.
class AwsPace {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit AwsPace(Time now);

  /// Reserves the next request. Returns how long to wait before it is sent: nothing until a
  /// response was throttled.
  std::chrono::milliseconds Take(Time now);
  /// Notes the outcome of a request.
  void Update(bool throttled, Time now);

 private:
  void Measure(double now);
  void Refill(double now);

  std::mutex mutex_;
  bool limited_ = false;  // a response was throttled
  // Rates are requests per second, times are seconds.
  double fill_rate_ = 0;
  double measured_rate_ = 0;
  double last_max_rate_ = 0;
  double last_throttle_;
  double last_refill_ = -1;  // negative: there was none
  double measured_until_;
  int requests_ = 0;  // since then
  double tokens_ = 0;
  double capacity_ = 0;
};

}  // namespace kinu::cloud
