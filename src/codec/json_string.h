// What may stand between the quotes of a JSON string, and what it means.
// Ref: Go encoding/json scanner.go and unquote; hcl json/parser.go (where a string is wrong).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kinu {

/// Marks which of eight bytes end the plain part of a string: a quote, a backslash or a control
/// character. Bytes behind the first such one (the lowest in memory) may be marked, too.
inline uint64_t JsonPlainEnds(uint64_t word) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  constexpr uint64_t kHighs = kOnes << 7;
  const auto has_zero = [](uint64_t bytes) { return (bytes - kOnes) & ~bytes & kHighs; };
  const uint64_t control = (word - kOnes * 0x20) & ~word & kHighs;
  return has_zero(word ^ (kOnes * '"')) | has_zero(word ^ (kOnes * '\\')) | control;
}

/// Offset of what is wrong with a string token (quotes inside), as Go's JSON scanner counts: one
/// behind the wrong byte, or the token's size when it ends too early. Nothing wrong: npos. The
/// token has no control characters.
size_t FindJsonStringError(std::string_view token);

/// Content of a string (without its quotes) whose escapes are well formed. What is no UTF-8, and
/// surrogates without their other half, become U+FFFD.
std::string DecodeJsonString(std::string_view content);

}  // namespace kinu
