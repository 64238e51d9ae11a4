// The codes of msgpack, and what go-cty adds to them. Private to cty.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kinu::msgpack {

/// The format's codes that are used here.
enum MsgpackCode : uint8_t {
  kFixMap = 0x80,
  kFixArray = 0x90,
  kFixString = 0xa0,
  kNil = 0xc0,
  kFalse = 0xc2,
  kTrue = 0xc3,
  kBin8 = 0xc4,
  kExt8 = 0xc7,
  kExt32 = 0xc9,
  kFloat32 = 0xca,
  kFloat64 = 0xcb,
  kUint8 = 0xcc,
  kInt8 = 0xd0,
  kFixExt1 = 0xd4,
  kFixExt16 = 0xd8,
  kString8 = 0xd9,
  kArray16 = 0xdc,
  kMap16 = 0xde,
  kNegativeFix = 0xe0,
};

/// Extension type of an unknown value with refinements, and the keys of those.
inline constexpr uint8_t kRefinedExtension = 0x0c;
enum RefinementKey : int64_t {
  kNullness = 1,
  kStringPrefix = 2,
  kNumberMin = 3,
  kNumberMax = 4,
  kLengthMin = 5,
  kLengthMax = 6,
};
inline constexpr size_t kLongestPrefix = 256;
inline constexpr size_t kLongestRefinement = 1024;

}  // namespace kinu::msgpack
