// Escapes: which bytes of a JSON text are escaped by backslashes.
#pragma once

#include <cstdint>

namespace kinu::json {

/// Goes through a text block by block of 64 bytes.
class Escapes {
 public:
  /// Whether the first byte of the next block follows the last backslash of this one.
  bool goes_on() const { return goes_on_; }

  /// The bytes that are escaped by these backslashes of a block, or by the last one of the block
  /// before; a bit each. Ref: simdjson's find_escaped(): in a run of backslashes every second one
  /// is escaped, so a subtraction that borrows from the end of each run finds out how long it is.
  uint64_t EscapedBytes(uint64_t backslashes) {
    constexpr uint64_t kOdd = 0xAAAAAAAAAAAAAAAA;
    const uint64_t before = goes_on_ ? 1 : 0;
    const uint64_t may_escape = backslashes & ~before;
    const uint64_t escapes_and_ends = ((may_escape << 1 | kOdd) - may_escape) ^ kOdd;
    goes_on_ = (escapes_and_ends & backslashes) >> 63 != 0;
    return escapes_and_ends ^ (backslashes | before);
  }

 private:
  bool goes_on_ = false;
};

}  // namespace kinu::json
