#include "state/base64.h"

#include <array>
#include <cstdint>

namespace kinu::state {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int8_t, 256> MakeDigits() {
  std::array<int8_t, 256> digits{};
  digits.fill(-1);
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<uint8_t>(kAlphabet[i])] = static_cast<int8_t>(i);
  }
  return digits;
}
constexpr std::array<int8_t, 256> kDigits = MakeDigits();

}  // namespace

void AppendBase64(std::string& out, std::string_view bytes) {
  for (size_t i = 0; i < bytes.size(); i += 3) {
    std::string_view group = bytes.substr(i, 3);
    uint32_t bits = 0;
    for (size_t j = 0; j < 3; ++j) {
      bits = bits << 8 | (j < group.size() ? static_cast<uint8_t>(group[j]) : 0U);
    }
    out += kAlphabet[bits >> 18];
    out += kAlphabet[bits >> 12 & 63];
    out += group.size() > 1 ? kAlphabet[bits >> 6 & 63] : '=';
    out += group.size() > 2 ? kAlphabet[bits & 63] : '=';
  }
}

bool DecodeBase64(std::string_view text, std::string* bytes) {
  bytes->clear();
  bytes->reserve(text.size() / 4 * 3);
  uint32_t bits = 0;
  size_t digits = 0;
  size_t padding = 0;
  for (char c : text) {
    if (c == '\n' || c == '\r') {
      continue;
    }
    int8_t digit = kDigits[static_cast<uint8_t>(c)];
    if (c == '=') {
      if (++padding + digits > 4 || digits < 2) {
        return false;
      }
      continue;
    }
    if (digit < 0 || padding > 0) {
      return false;
    }
    bits = bits << 6 | static_cast<uint32_t>(digit);
    if (++digits == 4) {
      *bytes += static_cast<char>(bits >> 16);
      *bytes += static_cast<char>(bits >> 8 & 0xFF);
      *bytes += static_cast<char>(bits & 0xFF);
      bits = 0;
      digits = 0;
    }
  }
  if (digits == 0 && padding == 0) {
    return true;
  }
  if (digits + padding != 4 || digits < 2) {
    return false;
  }
  if (digits == 3) {
    *bytes += static_cast<char>(bits >> 10);
    *bytes += static_cast<char>(bits >> 2 & 0xFF);
  } else {
    *bytes += static_cast<char>(bits >> 4);
  }
  return true;
}

}  // namespace kinu::state
