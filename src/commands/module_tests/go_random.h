// The random numbers of Go's math/rand for one seed. Generated values of mocks are observable, so
// they must be those of the reference. Ref: Go's math/rand (rng.go, rand.go).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kinu::module_tests {

/// An additive lagged Fibonacci generator.
class GoRandom {
 public:
  explicit GoRandom(int64_t seed);

  /// A number from 0 to `end` - 1; `end` is at least 1.
  int32_t Below(int32_t end);

 private:
  static constexpr int kLength = 607;
  static constexpr int kTapDistance = 273;

  uint64_t Next();
  int32_t Next31();

  std::array<uint64_t, kLength> state_;
  int tap_ = 0;
  int feed_ = kLength - kTapDistance;
};

}  // namespace kinu::module_tests
