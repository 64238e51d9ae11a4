// Checksums of the services of Alibaba Cloud and Tencent Cloud.
#pragma once

#include <cstdint>
#include <string_view>

namespace kinu {

/// The checksum CRC-64/XZ: the polynomial of ECMA-182, reflected. Ref: Go hash/crc64 ECMA.
uint64_t Crc64(std::string_view bytes);
/// Continues a checksum CRC-8 with the polynomial 0x07; it begins with 0.
uint8_t Crc8(uint8_t crc, std::string_view bytes);

}  // namespace kinu
