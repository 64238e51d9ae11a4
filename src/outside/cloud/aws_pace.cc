#include "cloud/aws_pace.h"

#include <algorithm>
#include <cmath>

namespace kinu::cloud {
namespace {

constexpr double kSmooth = 0.8;        // the weight of the last half second in the measured rate
constexpr double kBeta = 0.7;          // what is left of the rate after a throttled response
constexpr double kScale = 0.4;         // of the cubic curve
constexpr double kLowestRate = 0.5;    // requests per second
constexpr double kLowestCapacity = 1;  // tokens

double Seconds(AwsPace::Time time) {
  return std::chrono::duration<double>(time.time_since_epoch()).count();
}

}  // namespace

AwsPace::AwsPace(Time now)
    : last_throttle_(Seconds(now)), measured_until_(std::floor(Seconds(now))) {
}

std::chrono::milliseconds AwsPace::Take(Time now) {
  const std::lock_guard lock(mutex_);
  if (!limited_) {
    return {};
  }
  Refill(Seconds(now));
  tokens_ -= 1;
  if (tokens_ >= 0) {
    return {};
  }
  return std::chrono::ceil<std::chrono::milliseconds>(
      std::chrono::duration<double>(-tokens_ / fill_rate_));
}

void AwsPace::Update(bool throttled, Time time) {
  const std::lock_guard lock(mutex_);
  const double now = Seconds(time);
  Measure(now);
  double rate = 0;
  if (throttled) {
    last_max_rate_ = limited_ ? std::min(measured_rate_, fill_rate_) : measured_rate_;
    last_throttle_ = now;
    limited_ = true;
    rate = last_max_rate_ * kBeta;
  } else {
    const double window = std::cbrt(last_max_rate_ * (1 - kBeta) / kScale);
    rate = kScale * std::pow(now - last_throttle_ - window, 3) + last_max_rate_;
  }
  rate = std::min(rate, 2 * measured_rate_);
  Refill(now);
  fill_rate_ = std::max(rate, kLowestRate);
  capacity_ = std::max(rate, kLowestCapacity);
  tokens_ = std::min(tokens_, capacity_);
}

void AwsPace::Measure(double now) {
  ++requests_;
  const double half_second = std::floor(now * 2) / 2;
  if (half_second > measured_until_) {
    const double rate = requests_ / (half_second - measured_until_);
    measured_rate_ = rate * kSmooth + measured_rate_ * (1 - kSmooth);
    requests_ = 0;
    measured_until_ = half_second;
  }
}

void AwsPace::Refill(double now) {
  if (last_refill_ >= 0) {
    tokens_ = std::min(capacity_, tokens_ + (now - last_refill_) * fill_rate_);
  }
  last_refill_ = now;
}

}  // namespace kinu::cloud
