// Recorded with a Go program over the same made texts: go:compress/flate NewWriter(-1), Write,
// Flush, Close.
#include "codec/go_deflate.h"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "codec/deflate.h"

namespace kinu {
namespace {

// How a text is made: the bytes of a generator, through one of these.
enum class Kind { kRandom, kSkewed, kWords, kRuns, kPeriodic, kChanging };

class Maker {
 public:
  explicit Maker(uint32_t seed) : state_(seed) {}
  uint32_t Next() {
    state_ = state_ * 1664525 + 1013904223;
    return state_ >> 8;
  }
  void Append(std::string& out, Kind kind) {
    const uint32_t value = Next();
    switch (kind) {
      case Kind::kRandom:
        out += static_cast<char>(value & 255);
        break;
      case Kind::kSkewed:  // Each bit more that is zero halves the chance: long codes.
        out += static_cast<char>(__builtin_ctz(value | 1U << 23));
        break;
      case Kind::kWords:
        out += "w" + std::to_string(value % 700 * (value >> 12 & 1)) + (value & 16 ? " " : ",\n");
        break;
      case Kind::kRuns:
        out.append(value % 600, static_cast<char>('a' + value % 5));
        break;
      case Kind::kPeriodic:
        out += out.size() < 32700 ? std::string(1, static_cast<char>(value & 255))
                                  : out.substr(out.size() - 32700, 1 + value % 3000);
        break;
      case Kind::kChanging:
        Append(out, KindWithin(out.size() % 20000, value));
        break;
    }
  }

 private:
  /// The kind of a text that changes, at an offset from where it last began anew.
  static Kind KindWithin(size_t offset, uint32_t value) {
    if (offset < 7000) {
      return Kind::kRandom;
    }
    return value & 1 ? Kind::kWords : Kind::kSkewed;
  }
  uint32_t state_;
};

std::string Make(Kind kind, size_t size) {
  Maker maker(static_cast<uint32_t>(size) + 1);
  std::string out;
  while (out.size() < size) {
    maker.Append(out, kind);
  }
  out.resize(size);
  return out;
}

TEST(GoDeflate, WritesTheRecordedBytes) {
  struct Case {
    Kind kind;
    size_t size;
    size_t deflated;
    uint32_t crc;
  };
  const Case kCases[] = {
      {Kind::kRandom, 5, 16, 0x3cb660fc},
      {Kind::kRandom, 60, 74, 0x2729a4a8},
      {Kind::kRandom, 700, 715, 0xa331ea87},
      {Kind::kRandom, 66000, 66035, 0xa44ebbe1},
      {Kind::kRandom, 300000, 300105, 0xac8f1197},
      {Kind::kSkewed, 1, 12, 0x4a08ee4b},
      {Kind::kSkewed, 5, 16, 0xf88bfdf8},
      {Kind::kSkewed, 60, 46, 0x8eed33db},
      {Kind::kSkewed, 700, 257, 0xc6388809},
      {Kind::kSkewed, 9000, 1964, 0xe88e68e5},
      {Kind::kSkewed, 65273, 5171, 0xc21a8e2a},
      {Kind::kSkewed, 65536, 5193, 0x2e5f7374},
      {Kind::kSkewed, 66000, 5191, 0xe47dc151},
      {Kind::kSkewed, 300000, 14332, 0x0de2871a},
      {Kind::kSkewed, 1100000, 44767, 0x4eba9099},
      {Kind::kWords, 1, 12, 0x555c3ac6},
      {Kind::kWords, 5, 16, 0x03e272f2},
      {Kind::kWords, 60, 57, 0x81ea1c14},
      {Kind::kWords, 700, 269, 0x18d88402},
      {Kind::kWords, 9000, 2752, 0x23bf93fd},
      {Kind::kWords, 65273, 19190, 0x2978e419},
      {Kind::kWords, 65536, 19216, 0xe6a9b8bc},
      {Kind::kWords, 66000, 19491, 0xd3b7e438},
      {Kind::kWords, 300000, 86354, 0x3eb4b071},
      {Kind::kWords, 1100000, 315444, 0xf09eced5},
      {Kind::kRuns, 1, 12, 0xbc80890e},
      {Kind::kRuns, 5, 14, 0xec9da8e7},
      {Kind::kRuns, 60, 14, 0x79033979},
      {Kind::kRuns, 700, 23, 0x01639851},
      {Kind::kRuns, 9000, 129, 0x559904df},
      {Kind::kRuns, 65273, 610, 0x0f9efad0},
      {Kind::kRuns, 65536, 692, 0x80cb753a},
      {Kind::kRuns, 66000, 702, 0x0f7804c2},
      {Kind::kRuns, 300000, 2809, 0x9223ac9e},
      {Kind::kRuns, 1100000, 10612, 0xa258beac},
      {Kind::kPeriodic, 1, 12, 0xab123597},
      {Kind::kPeriodic, 5, 16, 0x3cb660fc},
      {Kind::kPeriodic, 60, 74, 0x2729a4a8},
      {Kind::kPeriodic, 700, 715, 0xa331ea87},
      {Kind::kPeriodic, 9000, 9015, 0xd45b8c1b},
      {Kind::kPeriodic, 65273, 33077, 0x3fc67d36},
      {Kind::kPeriodic, 65536, 33079, 0x7f74ec71},
      {Kind::kPeriodic, 66000, 33085, 0x2cee1bc3},
      {Kind::kPeriodic, 300000, 34808, 0x70d57a39},
      {Kind::kPeriodic, 1100000, 40692, 0x67df2ffe},
      {Kind::kChanging, 1, 12, 0xf0c506cb},
      {Kind::kChanging, 5, 16, 0xa97a4bd2},
      {Kind::kChanging, 60, 74, 0x7ba720f3},
      {Kind::kChanging, 700, 715, 0x62cfb4f3},
      {Kind::kChanging, 9000, 8195, 0x1d028a64},
      {Kind::kChanging, 65273, 43224, 0x8e978fee},
      {Kind::kChanging, 65536, 43391, 0x04f7b51c},
      {Kind::kChanging, 66000, 43907, 0x17ee6a86},
      {Kind::kChanging, 300000, 186841, 0xbb7d316f},
      {Kind::kChanging, 1100000, 683401, 0xee2a6e07},
  };
  for (const Case& each : kCases) {
    const std::string text = Make(each.kind, each.size);
    const std::string deflated = GoDeflate(text);
    EXPECT_EQ(deflated.size(), each.deflated) << static_cast<int>(each.kind) << ' ' << each.size;
    EXPECT_EQ(Crc32(deflated), each.crc) << static_cast<int>(each.kind) << ' ' << each.size;
  }
}

TEST(GoDeflate, IsReadByOthers) {
  Maker sizes(99);
  for (int round = 0; round < 400; ++round) {
    const auto kind = static_cast<Kind>(round % 6);
    const std::string text = Make(kind, sizes.Next() % (1U << (1 + round % 18)));
    EXPECT_EQ(Inflate(GoDeflate(text), text.size()).value_or("?"), text) << text.size();
  }
}

TEST(GoDeflate, EndsInAFlushAndALastBlock) {
  using namespace std::string_view_literals;
  EXPECT_EQ(GoDeflate(""), "\0\0\0\xFF\xFF\x01\0\0\xFF\xFF"sv);
  EXPECT_EQ(GoDeflate("test"), "*I-.\x01\0\0\0\xFF\xFF\x01\0\0\xFF\xFF"sv);
}

}  // namespace
}  // namespace kinu
