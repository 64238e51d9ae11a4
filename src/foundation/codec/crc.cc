#include "codec/crc.h"

#include <array>

namespace kinu {
namespace {

constexpr int kValues = 256;
constexpr int kBits = 8;

consteval std::array<uint64_t, kValues> MakeCrc64Table() {
  constexpr uint64_t kReflectedPolynomial = 0xC96C5795D7870F42;
  std::array<uint64_t, kValues> table{};
  for (uint64_t i = 0; i < kValues; ++i) {
    uint64_t value = i;
    for (int bit = 0; bit < kBits; ++bit) {
      value = (value & 1) != 0 ? (value >> 1) ^ kReflectedPolynomial : value >> 1;
    }
    table[i] = value;
  }
  return table;
}

consteval std::array<uint8_t, kValues> MakeCrc8Table() {
  constexpr unsigned kPolynomial = 0x07;
  std::array<uint8_t, kValues> table{};
  for (unsigned i = 0; i < kValues; ++i) {
    unsigned value = i;
    for (int bit = 0; bit < kBits; ++bit) {
      value = (value & 0x80) != 0 ? (value << 1) ^ kPolynomial : value << 1;
    }
    table[i] = static_cast<uint8_t>(value);
  }
  return table;
}

constexpr std::array<uint64_t, kValues> kCrc64Table = MakeCrc64Table();
constexpr std::array<uint8_t, kValues> kCrc8Table = MakeCrc8Table();

}  // namespace

uint64_t Crc64(std::string_view bytes) {
  uint64_t crc = ~uint64_t{0};
  for (const char c : bytes) {
    crc = kCrc64Table[(crc ^ static_cast<unsigned char>(c)) & 0xFF] ^ (crc >> kBits);
  }
  return ~crc;
}

uint8_t Crc8(uint8_t crc, std::string_view bytes) {
  for (const char c : bytes) {
    crc = kCrc8Table[crc ^ static_cast<unsigned char>(c)];
  }
  return crc;
}

}  // namespace kinu
