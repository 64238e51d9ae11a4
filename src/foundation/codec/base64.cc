#include "codec/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "text/hex.h"

namespace kinu {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr uint8_t kNotInAlphabet = 0xFF;

constexpr std::array<uint8_t, 256> MakeReverse() {
  std::array<uint8_t, 256> reverse{};
  reverse.fill(kNotInAlphabet);
  for (size_t i = 0; i < kAlphabet.size(); ++i) {
    reverse[static_cast<uint8_t>(kAlphabet[i])] = static_cast<uint8_t>(i);
  }
  return reverse;
}
constexpr std::array<uint8_t, 256> kReverse = MakeReverse();

/// Decodes groups of four digits up to the first one that has anything else. Returns where that is.
size_t DecodeGroups(std::string_view text, std::string& out) {
  size_t pos = 0;
  out.resize_and_overwrite(text.size() / 4 * 3 + 3, [&](char* bytes, size_t) {
    char* to = bytes;
    const auto digit = [&](size_t i) { return kReverse[static_cast<uint8_t>(text[pos + i])]; };
    for (; pos + 4 <= text.size(); pos += 4) {
      const uint8_t a = digit(0);
      const uint8_t b = digit(1);
      const uint8_t c = digit(2);
      const uint8_t d = digit(3);
      if ((a | b | c | d) == kNotInAlphabet) {
        break;
      }
      const uint32_t group = static_cast<uint32_t>(a) << 18 | static_cast<uint32_t>(b) << 12 |
                             static_cast<uint32_t>(c) << 6 | d;
      *to++ = static_cast<char>(group >> 16);
      *to++ = static_cast<char>(group >> 8);
      *to++ = static_cast<char>(group);
    }
    return static_cast<size_t>(to - bytes);
  });
  return pos;
}

std::unexpected<Error> IllegalAt(size_t offset) {
  return Fail(ErrorCode::kInvalid, "illegal base64 data at input byte " + std::to_string(offset));
}

}  // namespace

std::string EncodeBase64(std::string_view bytes) {
  std::string out;
  out.resize_and_overwrite((bytes.size() + 2) / 3 * 4, [&](char* text, size_t) {
    char* to = text;
    for (size_t pos = 0; pos < bytes.size(); pos += 3) {
      const size_t count = std::min<size_t>(bytes.size() - pos, 3);
      uint32_t group = 0;
      for (size_t i = 0; i < 3; ++i) {
        group = group << 8 | (i < count ? static_cast<uint8_t>(bytes[pos + i]) : 0U);
      }
      for (size_t i = 0; i < 4; ++i) {
        *to++ = i <= count ? kAlphabet[group >> (18 - 6 * i) & 0x3F] : '=';
      }
    }
    return static_cast<size_t>(to - text);
  });
  return out;
}

Result<std::string> DecodeBase64(std::string_view text) {
  std::string out;
  const size_t start = DecodeGroups(text, out);
  uint32_t group = 0;
  int digits = 0;
  int padding = 0;
  size_t group_end = start;  // behind the last complete group
  for (size_t pos = start; pos < text.size(); ++pos) {
    const char c = text[pos];
    if (c == '\n' || c == '\r') {
      continue;
    }
    if (c == '=') {
      const bool allowed = digits + padding < 4 && digits >= 2;
      if (!allowed) {
        return IllegalAt(pos);
      }
      ++padding;
      continue;
    }
    const uint8_t value = kReverse[static_cast<uint8_t>(c)];
    if (value == kNotInAlphabet || padding > 0) {
      return IllegalAt(pos);
    }
    group = group << 6 | value;
    if (++digits == 4) {
      out += static_cast<char>(group >> 16);
      out += static_cast<char>(group >> 8);
      out += static_cast<char>(group);
      group = 0;
      digits = 0;
      group_end = pos + 1;
    }
  }
  if (digits == 0) {
    return out;
  }
  if (digits + padding != 4) {
    return IllegalAt(padding > 0 ? text.size() : group_end);
  }
  group <<= 6 * padding;
  out += static_cast<char>(group >> 16);
  if (digits == 3) {
    out += static_cast<char>(group >> 8);
  }
  return out;
}

std::string EncodeBase64Url(std::string_view bytes) {
  std::string text = EncodeBase64(bytes);
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  text.erase(text.find_last_not_of('=') + 1);
  return text;
}

Result<std::string> DecodeBase64Url(std::string_view text) {
  std::string standard(text);
  std::ranges::replace(standard, '-', '+');
  std::ranges::replace(standard, '_', '/');
  standard.erase(standard.find_last_not_of('=') + 1);
  standard.append((4 - standard.size() % 4) % 4, '=');
  return DecodeBase64(standard);
}

std::string EncodeHex(std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (char c : bytes) {
    out += kDigits[static_cast<uint8_t>(c) >> 4];
    out += kDigits[static_cast<uint8_t>(c) & 0xF];
  }
  return out;
}

Result<std::string> DecodeHex(std::string_view text) {
  std::string out;
  out.reserve(text.size() / 2);
  for (size_t pos = 0; pos < text.size(); pos += 2) {
    const int high = text::HexDigit(text[pos]);
    const int low = pos + 1 < text.size() ? text::HexDigit(text[pos + 1]) : -1;
    if (high < 0 || low < 0) {
      return Fail(ErrorCode::kInvalid,
                  "not hexadecimal at byte " + std::to_string(high < 0 ? pos : pos + 1));
    }
    out += static_cast<char>(high << 4 | low);
  }
  return out;
}

}  // namespace kinu
