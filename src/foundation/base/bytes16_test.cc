#include "base/bytes16.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

namespace kinu {
namespace {

using Text = std::array<char, 64>;

/// The vectors of this processor, and the portable code.
template <typename Bytes>
class Bytes16Test : public testing::Test {};
using AllBytes16 = testing::Types<PortableBytes16, Bytes16>;
TYPED_TEST_SUITE(Bytes16Test, AllBytes16);

Text RandomText(std::mt19937& random) {
  Text text{};
  for (char& c : text) {
    c = static_cast<char>(random());
  }
  return text;
}

/// Which bytes have a property, a bit each.
template <typename Property>
uint64_t Expected(const Text& text, size_t count, Property has) {
  uint64_t bits = 0;
  for (size_t i = 0; i < count; ++i) {
    bits |= uint64_t{has(static_cast<uint8_t>(text[i]))} << i;
  }
  return bits;
}

/// Checks a comparison of random bytes: its bits in a block, and its first place in sixteen bytes.
template <typename Bytes, typename Comparison, typename Property>
void Check(uint32_t seed, Comparison compare, Property has) {
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    const Text text = RandomText(random);
    EXPECT_EQ(Block64<Bytes>(text.data()).Bits(compare), Expected(text, 64, has));
    const auto places = compare(Bytes::Load(text.data())).Places();
    const uint64_t expected = Expected(text, 16, has);
    EXPECT_EQ(bool(places), expected != 0);
    EXPECT_EQ(bool(places.Others()), expected != 0xFFFF);
    if (places) {
      EXPECT_EQ(places.First(), std::countr_zero(expected));
    }
    if (const auto others = places.Others()) {
      EXPECT_EQ(others.First(), std::countr_one(expected));
    }
  }
}

TYPED_TEST(Bytes16Test, ComparesWithEachByte) {
  for (uint32_t c = 0; c < 256; ++c) {
    Check<TypeParam>(
        c, [c](TypeParam bytes) { return bytes.Is(static_cast<char>(c)); },
        [c](uint8_t byte) { return byte == c; });
    Check<TypeParam>(
        c, [c](TypeParam bytes) { return bytes.IsAtLeast(static_cast<uint8_t>(c)); },
        [c](uint8_t byte) { return byte >= c; });
  }
  for (uint32_t limit = 1; limit < 256; ++limit) {  // nothing is below 0
    Check<TypeParam>(
        limit, [limit](TypeParam bytes) { return bytes.IsBelow(static_cast<uint8_t>(limit)); },
        [limit](uint8_t byte) { return byte < limit; });
  }
  for (uint32_t limit = 0; limit < 128; ++limit) {
    Check<TypeParam>(
        limit,
        [limit](TypeParam bytes) { return bytes.IsBelowOrNotAscii(static_cast<char>(limit)); },
        [limit](uint8_t byte) { return byte < limit || byte > 0x7F; });
  }
}

TYPED_TEST(Bytes16Test, JoinsAnswers) {
  Check<TypeParam>(1, [](TypeParam) { return TypeParam::None(); }, [](uint8_t) { return false; });
  Check<TypeParam>(
      2, [](TypeParam bytes) { return bytes.IsNotAscii(); },
      [](uint8_t byte) { return byte > 0x7F; });
  Check<TypeParam>(
      3, [](TypeParam bytes) { return bytes.IsNotAscii() | bytes.IsBelow('a'); },
      [](uint8_t byte) { return byte > 0x7F || byte < 'a'; });
  Check<TypeParam>(
      4, [](TypeParam bytes) { return bytes.IsAtLeast('a') & bytes.IsBelow('f'); },
      [](uint8_t byte) { return byte >= 'a' && byte < 'f'; });
  Check<TypeParam>(
      5, [](TypeParam bytes) { return bytes.WithBits(0x20).Is('{'); },
      [](uint8_t byte) { return byte == '{' || byte == '['; });
}

TYPED_TEST(Bytes16Test, LoadsAndStores) {
  std::mt19937 random(6);
  for (int round = 0; round < 200; ++round) {
    const Text text = RandomText(random);
    Text stored{};
    TypeParam::Load(text.data() + 3).Store(stored.data());
    EXPECT_EQ(std::memcmp(stored.data(), text.data() + 3, 16), 0);

    TypeParam::Load8And8(text.data() + 1, text.data() + 30).Store(stored.data());
    EXPECT_EQ(std::memcmp(stored.data(), text.data() + 1, 8), 0);
    EXPECT_EQ(std::memcmp(stored.data() + 8, text.data() + 30, 8), 0);

    TypeParam::Load4And4(text.data() + 1, text.data() + 30).Store(stored.data());
    for (size_t at = 0; at < 16; at += 8) {
      EXPECT_EQ(std::memcmp(stored.data() + at, text.data() + 1, 4), 0);
      EXPECT_EQ(std::memcmp(stored.data() + at + 4, text.data() + 30, 4), 0);
    }
    EXPECT_EQ(stored[16], '\0') << "no more than sixteen bytes are written";
  }
}

TYPED_TEST(Bytes16Test, KnowsABlockWithOtherCharacters) {
  Text text{};
  EXPECT_FALSE(Block64<TypeParam>(text.data()).HasNonAscii());
  for (size_t i = 0; i < text.size(); ++i) {
    text = {};
    text[i] = '\x80';
    EXPECT_TRUE(Block64<TypeParam>(text.data()).HasNonAscii()) << i;
  }
}

}  // namespace
}  // namespace kinu
