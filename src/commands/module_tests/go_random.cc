#include "module_tests/go_random.h"

#include "module_tests/go_random_table.h"

namespace kinu::module_tests {
namespace {

constexpr int32_t kMax31 = 0x7fffffff;

/// The next number of the generator that fills the state: 48271·x mod 2³¹−1.
int32_t NextSeed(int32_t x) {
  constexpr int64_t kMultiplier = 48271;
  return static_cast<int32_t>(kMultiplier * x % kMax31);
}

}  // namespace

GoRandom::GoRandom(int64_t seed) {
  seed %= kMax31;
  if (seed < 0) {
    seed += kMax31;
  }
  auto x = static_cast<int32_t>(seed == 0 ? 89482311 : seed);
  constexpr int kSkipped = 20;
  for (int i = 0; i < kSkipped; ++i) {
    x = NextSeed(x);
  }
  for (std::size_t i = 0; i < state_.size(); ++i) {
    x = NextSeed(x);
    uint64_t bits = static_cast<uint64_t>(x) << 40;
    x = NextSeed(x);
    bits ^= static_cast<uint64_t>(x) << 20;
    x = NextSeed(x);
    bits ^= static_cast<uint64_t>(x);
    state_[i] = bits ^ kGoRandomTable[i];
  }
}

uint64_t GoRandom::Next() {
  tap_ = (tap_ + kLength - 1) % kLength;
  feed_ = (feed_ + kLength - 1) % kLength;
  uint64_t& fed = state_[static_cast<std::size_t>(feed_)];
  fed += state_[static_cast<std::size_t>(tap_)];
  return fed;
}

int32_t GoRandom::Next31() {
  constexpr uint64_t kMask63 = 0x7fffffffffffffff;
  return static_cast<int32_t>((Next() & kMask63) >> 32);
}

int32_t GoRandom::Below(int32_t end) {
  if ((end & (end - 1)) == 0) {
    return Next31() & (end - 1);
  }
  const auto last =
      static_cast<int32_t>(kMax31 - ((uint32_t{1} << 31) % static_cast<uint32_t>(end)));
  int32_t number = Next31();
  while (number > last) {
    number = Next31();
  }
  return number % end;
}

}  // namespace kinu::module_tests
