// Recorded with a Go program over the same made texts, built with Go 1.26 and 1.27:
// compress/flate NewWriter(-1), Write, Flush, Close.
#include "codec/go_deflate.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

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

struct Case {
  Kind kind;
  size_t size;
  size_t deflated;
  uint32_t crc;
};

/// Expects these sizes and checksums of what `deflate` makes of each text.
void ExpectRecorded(std::span<const Case> cases, std::string (*deflate)(std::string_view)) {
  for (const Case& each : cases) {
    const std::string deflated = deflate(Make(each.kind, each.size));
    EXPECT_EQ(deflated.size(), each.deflated) << static_cast<int>(each.kind) << ' ' << each.size;
    EXPECT_EQ(Crc32(deflated), each.crc) << static_cast<int>(each.kind) << ' ' << each.size;
  }
}

TEST(GoDeflate, WritesTheRecordedBytes) {
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
  ExpectRecorded(kCases, GoDeflate);
}

// A last part of up to 32 bytes is stored, up to 127 it has no matches; a part has 65,535 bytes.
TEST(GoDeflate, WritesTheRecordedBytesOf127) {
  const Case kCases[] = {
      {Kind::kRandom, 0, 7, 0xd6dcbea1},
      {Kind::kRandom, 5, 17, 0x949d4c0e},
      {Kind::kRandom, 33, 45, 0x57467f17},
      {Kind::kRandom, 127, 139, 0xee5cb571},
      {Kind::kRandom, 128, 140, 0xd88109a3},
      {Kind::kRandom, 700, 712, 0x28f54f35},
      {Kind::kRandom, 9000, 9012, 0x78a7b06f},
      {Kind::kRandom, 65534, 65546, 0x41e7026e},
      {Kind::kRandom, 65535, 65547, 0xcb7a15e7},
      {Kind::kRandom, 65567, 65584, 0x6e0f41dc},
      {Kind::kRandom, 65568, 65585, 0xa905d8f8},
      {Kind::kRandom, 65663, 65680, 0x2b9f5265},
      {Kind::kRandom, 131071, 131093, 0x29918620},
      {Kind::kRandom, 300000, 300032, 0x73b58217},
      {Kind::kRandom, 1100000, 1100092, 0x3e008276},
      {Kind::kSkewed, 5, 17, 0xe21b555a},
      {Kind::kSkewed, 33, 45, 0x0238dd3a},
      {Kind::kSkewed, 127, 53, 0xd5a626e7},
      {Kind::kSkewed, 128, 65, 0x09b29044},
      {Kind::kSkewed, 700, 261, 0xe8970972},
      {Kind::kSkewed, 9000, 2113, 0x4b4e32a0},
      {Kind::kSkewed, 65534, 5962, 0x4a9e4e52},
      {Kind::kSkewed, 65535, 5982, 0x9ef9cdbd},
      {Kind::kSkewed, 65567, 6046, 0x58ce26f7},
      {Kind::kSkewed, 65568, 6034, 0xdf6ed006},
      {Kind::kSkewed, 65663, 5995, 0xd7ab171c},
      {Kind::kSkewed, 131071, 9808, 0xb41e0daf},
      {Kind::kSkewed, 300000, 19542, 0xa86215e1},
      {Kind::kSkewed, 1100000, 65821, 0x425d1de2},
      {Kind::kWords, 5, 17, 0x58299a38},
      {Kind::kWords, 33, 45, 0xfa5b06f1},
      {Kind::kWords, 127, 83, 0x39199f99},
      {Kind::kWords, 128, 82, 0x8dbf14dd},
      {Kind::kWords, 700, 274, 0xcc77fc5a},
      {Kind::kWords, 9000, 2899, 0xed360dd1},
      {Kind::kWords, 65534, 20224, 0xfc96b7ac},
      {Kind::kWords, 65535, 20289, 0x32dd4120},
      {Kind::kWords, 65567, 20376, 0x37daf829},
      {Kind::kWords, 65568, 20348, 0x3711b819},
      {Kind::kWords, 65663, 20385, 0xad0e18e1},
      {Kind::kWords, 131071, 39886, 0xcca4530a},
      {Kind::kWords, 300000, 90709, 0x1a335f64},
      {Kind::kWords, 1100000, 330960, 0xbf5243ea},
      {Kind::kRuns, 5, 17, 0x351274fd},
      {Kind::kRuns, 33, 45, 0x653466e2},
      {Kind::kRuns, 127, 40, 0x448c95b5},
      {Kind::kRuns, 128, 11, 0x71d4a1a7},
      {Kind::kRuns, 700, 25, 0xa7ae5bf3},
      {Kind::kRuns, 9000, 127, 0xcd06d41e},
      {Kind::kRuns, 65534, 633, 0x911fb31b},
      {Kind::kRuns, 65535, 638, 0xaa423cc1},
      {Kind::kRuns, 65567, 710, 0x43c169a2},
      {Kind::kRuns, 65568, 684, 0x685cd5aa},
      {Kind::kRuns, 65663, 628, 0x387d8433},
      {Kind::kRuns, 131071, 1316, 0x7875b9ba},
      {Kind::kRuns, 300000, 2849, 0x7f44b71d},
      {Kind::kRuns, 1100000, 10843, 0xb65df9fb},
      {Kind::kPeriodic, 5, 17, 0x949d4c0e},
      {Kind::kPeriodic, 33, 45, 0x57467f17},
      {Kind::kPeriodic, 127, 139, 0xee5cb571},
      {Kind::kPeriodic, 128, 140, 0xd88109a3},
      {Kind::kPeriodic, 700, 712, 0x28f54f35},
      {Kind::kPeriodic, 9000, 9012, 0x78a7b06f},
      {Kind::kPeriodic, 65534, 33135, 0x62838680},
      {Kind::kPeriodic, 65535, 33135, 0xdb6678e7},
      {Kind::kPeriodic, 65567, 33171, 0x2d238082},
      {Kind::kPeriodic, 65568, 33172, 0x8c27ff2b},
      {Kind::kPeriodic, 65663, 33268, 0xec456f65},
      {Kind::kPeriodic, 131071, 33636, 0x45000da0},
      {Kind::kPeriodic, 300000, 34879, 0xfab801c5},
      {Kind::kPeriodic, 1100000, 40728, 0xd4836b70},
      {Kind::kChanging, 5, 17, 0xc9fe555d},
      {Kind::kChanging, 33, 45, 0x9810d901},
      {Kind::kChanging, 127, 139, 0xbe933d72},
      {Kind::kChanging, 128, 140, 0x980aa963},
      {Kind::kChanging, 700, 712, 0xaae6756e},
      {Kind::kChanging, 9000, 8437, 0x8d7745e8},
      {Kind::kChanging, 65534, 45338, 0xb489804c},
      {Kind::kChanging, 65535, 45259, 0xff9c31d7},
      {Kind::kChanging, 65567, 44976, 0xb72d11f9},
      {Kind::kChanging, 65568, 45185, 0xc6d2d74c},
      {Kind::kChanging, 65663, 45243, 0x6450cf37},
      {Kind::kChanging, 131071, 87512, 0xc20cd52f},
      {Kind::kChanging, 300000, 192263, 0x0341b67b},
      {Kind::kChanging, 1100000, 703185, 0x783b8a1a},
  };
  ExpectRecorded(kCases, Go127Deflate);
}

TEST(GoDeflate, IsReadByOthers) {
  Maker sizes(99);
  for (int round = 0; round < 400; ++round) {
    const auto kind = static_cast<Kind>(round % 6);
    const std::string text = Make(kind, sizes.Next() % (1U << (1 + round % 18)));
    EXPECT_EQ(Inflate(GoDeflate(text), text.size()).value_or("?"), text) << text.size();
    EXPECT_EQ(Inflate(Go127Deflate(text), text.size()).value_or("?"), text) << text.size();
  }
}

TEST(GoDeflate, EndsInAFlushAndALastBlock) {
  using namespace std::string_view_literals;
  EXPECT_EQ(GoDeflate(""), "\0\0\0\xFF\xFF\x01\0\0\xFF\xFF"sv);
  EXPECT_EQ(GoDeflate("test"), "*I-.\x01\0\0\0\xFF\xFF\x01\0\0\xFF\xFF"sv);
}

}  // namespace
}  // namespace kinu
