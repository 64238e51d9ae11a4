// Deflate and gzip of whole texts (libdeflate).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu {

/// Raw deflate data (no header), as zip entries have them.
std::string Deflate(std::string_view bytes);
/// Inverse of Deflate. Fails when the result would be larger than `limit`: the size of the result,
/// if it is known.
Result<std::string> Inflate(std::string_view deflated, size_t limit);
/// Inflates into memory of the size that the result must have.
Result<void> InflateInto(std::string_view deflated, std::span<char> content);
/// The most bytes that this number of deflated bytes can stand for.
size_t MostInflated(size_t deflated);

/// The release of Go whose bytes are written.
enum class GoRelease : uint8_t { k126, k127 };
/// One gzip member without name and time, operating system "unknown" (255): the bytes of a Go
/// program that flushes before it closes (codec/go_deflate.h).
std::string Gzip(std::string_view bytes, GoRelease release = GoRelease::k126);
/// All members of a gzip file, joined. Fails when the result would be larger than `limit`.
Result<std::string> Gunzip(std::string_view gzip, size_t limit);

/// Checksum of `bytes`, which follow bytes whose checksum is `before`.
uint32_t Crc32(std::string_view bytes, uint32_t before = 0);

}  // namespace kinu
