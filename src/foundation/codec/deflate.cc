#include "codec/deflate.h"

#include <algorithm>
#include <memory>

#include <libdeflate.h>

#include "base/invariant.h"
#include "codec/go_deflate.h"

namespace kinu {
namespace {

/// The most bytes that one deflated byte can stand for.
constexpr size_t kMostExpansion = 1032;

using Compressor = std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)>;
using Decompressor =
    std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)>;

Decompressor NewDecompressor() {
  Decompressor made(libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  KINU_INVARIANT(made != nullptr, "memory for a decompressor");
  return made;
}

void AppendLittleEndian(std::string& out, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) {
    out += static_cast<char>(value >> shift);
  }
}

/// How many bytes a call has read and written.
struct Passed {
  size_t in = 0;
  size_t out = 0;
};
using Decompress = libdeflate_result (*)(libdeflate_decompressor* decompressor, const void* in,
                                         size_t in_size, void* out, size_t out_size,
                                         size_t* in_read, size_t* out_written);

/// Appends what one deflate stream or gzip member at the beginning of `bytes` stands for. `out` may
/// become `limit` long. `guess`: the expected size of the member. Returns the size of the stream.
Result<size_t> AppendMember(Decompress decompress, libdeflate_decompressor* decompressor,
                            std::string_view bytes, size_t guess, size_t limit, std::string& out) {
  const size_t before = out.size();
  const size_t most = limit - before;
  for (size_t room = std::min(most, guess);; room = std::min(most, 4 * room + bytes.size())) {
    Passed passed;
    libdeflate_result result = LIBDEFLATE_BAD_DATA;
    out.resize_and_overwrite(before + room, [&](char* text, size_t) {
      result = decompress(decompressor, bytes.data(), bytes.size(), text + before, room, &passed.in,
                          &passed.out);
      return before + (result == LIBDEFLATE_SUCCESS ? passed.out : 0);
    });
    if (result == LIBDEFLATE_SUCCESS) {
      return passed.in;
    }
    if (result != LIBDEFLATE_INSUFFICIENT_SPACE) {
      return Fail(ErrorCode::kInvalid, "the compressed data are damaged or end too early");
    }
    if (room == most) {
      return Fail(ErrorCode::kInvalid, "the compressed data are larger than allowed");
    }
  }
}

/// The size of the last member of a gzip file, modulo 4 GiB.
size_t LastSizeOf(std::string_view gzip) {
  constexpr size_t kSizeField = 4;
  if (gzip.size() < kSizeField) {
    return 0;
  }
  size_t size = 0;
  for (size_t i = 0; i < kSizeField; ++i) {
    size |= size_t{static_cast<unsigned char>(gzip[gzip.size() - kSizeField + i])} << (8 * i);
  }
  return size;
}

}  // namespace

std::string Deflate(std::string_view bytes) {
  // States and configurations repeat themselves: the fastest level makes them up to a third
  // larger than the default one, in less than half the time.
  constexpr int kFastest = 1;
  const Compressor compressor(libdeflate_alloc_compressor(kFastest), libdeflate_free_compressor);
  KINU_INVARIANT(compressor != nullptr, "memory for a compressor");
  std::string out;
  out.resize_and_overwrite(libdeflate_deflate_compress_bound(compressor.get(), bytes.size()),
                           [&](char* text, size_t room) {
                             return libdeflate_deflate_compress(compressor.get(), bytes.data(),
                                                                bytes.size(), text, room);
                           });
  return out;
}

std::string Gzip(std::string_view bytes, GoRelease release) {
  using namespace std::string_view_literals;
  constexpr std::string_view kHeader = "\x1F\x8B\x08\0\0\0\0\0\0\xFF"sv;
  std::string out(kHeader);
  out += release == GoRelease::k126 ? GoDeflate(bytes) : Go127Deflate(bytes);
  AppendLittleEndian(out, Crc32(bytes));
  AppendLittleEndian(out, static_cast<uint32_t>(bytes.size()));
  return out;
}

Result<std::string> Inflate(std::string_view deflated, size_t limit) {
  const Decompressor decompressor = NewDecompressor();
  std::string out;
  const size_t guess = std::min(limit, MostInflated(deflated.size()));
  if (Result<size_t> done = AppendMember(libdeflate_deflate_decompress_ex, decompressor.get(),
                                         deflated, guess, limit, out);
      !done) {
    return std::unexpected(std::move(done).error());
  }
  return out;
}

Result<void> InflateInto(std::string_view deflated, std::span<char> content) {
  switch (libdeflate_deflate_decompress(NewDecompressor().get(), deflated.data(), deflated.size(),
                                        content.data(), content.size(), nullptr)) {
    case LIBDEFLATE_SUCCESS:
      return {};
    case LIBDEFLATE_INSUFFICIENT_SPACE:
      return Fail(ErrorCode::kInvalid, "the compressed data are longer than they claim");
    default:
      return Fail(ErrorCode::kInvalid, "the compressed data are damaged or end too early");
  }
}

size_t MostInflated(size_t deflated) {
  return kMostExpansion * deflated;
}

Result<std::string> Gunzip(std::string_view gzip, size_t limit) {
  const Decompressor decompressor = NewDecompressor();
  std::string out;
  do {
    const size_t guess = std::min(LastSizeOf(gzip), kMostExpansion * gzip.size());
    KINU_TRY(const size_t size, AppendMember(libdeflate_gzip_decompress_ex, decompressor.get(),
                                             gzip, guess, limit, out));
    gzip.remove_prefix(size);
  } while (!gzip.empty());
  return out;
}

uint32_t Crc32(std::string_view bytes, uint32_t before) {
  // For a null pointer libdeflate returns the checksum of nothing.
  return bytes.empty() ? before : libdeflate_crc32(before, bytes.data(), bytes.size());
}

}  // namespace kinu
