#include "codec/deflate.h"

#include <algorithm>

#include <zlib.h>

#include "base/invariant.h"
#include "codec/go_deflate.h"

namespace kinu {
namespace {

constexpr int kRawDeflate = -MAX_WBITS;
constexpr int kGzipFormat = MAX_WBITS + 16;
constexpr size_t kChunk = size_t{1} << 16;
// zlib counts input in 32 bits; larger texts are given piece by piece.
constexpr size_t kMaxInput = size_t{1} << 30;

Bytef* Input(std::string_view bytes) {
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes.data()));
}

std::string Compress(std::string_view bytes) {
  z_stream stream{};
  // States and configurations repeat themselves: the fastest level makes them up to a third
  // larger than the default one, in less than half the time.
  KINU_INVARIANT(
      deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, kRawDeflate, 8, Z_DEFAULT_STRATEGY) == Z_OK,
      "deflate must start");
  std::string out;
  char chunk[kChunk];
  for (bool done = false; !done;) {
    const size_t piece = std::min(bytes.size(), kMaxInput);
    const bool last = piece == bytes.size();
    stream.next_in = Input(bytes);
    stream.avail_in = static_cast<uInt>(piece);
    stream.next_out = reinterpret_cast<Bytef*>(chunk);
    stream.avail_out = kChunk;
    const int status = deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
    KINU_INVARIANT(status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR, "deflate");
    out.append(chunk, kChunk - stream.avail_out);
    bytes.remove_prefix(piece - stream.avail_in);
    done = status == Z_STREAM_END;
  }
  deflateEnd(&stream);
  return out;
}

void AppendLittleEndian(std::string& out, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) {
    out += static_cast<char>(value >> shift);
  }
}

Result<std::string> Decompress(std::string_view bytes, int format, size_t limit) {
  z_stream stream{};
  KINU_INVARIANT(inflateInit2(&stream, format) == Z_OK, "inflate must start");
  std::string out;
  char chunk[kChunk];
  const char* problem = nullptr;
  while (problem == nullptr) {
    const size_t piece = std::min(bytes.size(), kMaxInput);
    stream.next_in = Input(bytes);
    stream.avail_in = static_cast<uInt>(piece);
    stream.next_out = reinterpret_cast<Bytef*>(chunk);
    stream.avail_out = kChunk;
    const int status = inflate(&stream, Z_NO_FLUSH);
    out.append(chunk, kChunk - stream.avail_out);
    bytes.remove_prefix(piece - stream.avail_in);
    if (out.size() > limit) {
      problem = "the compressed data are larger than allowed";
    } else if (status == Z_STREAM_END) {
      if (format != kGzipFormat || bytes.empty()) {
        break;
      }
      inflateReset(&stream);
    } else if (status == Z_BUF_ERROR) {
      problem = "the compressed data end too early";
    } else if (status != Z_OK) {
      problem = "the compressed data are damaged";
    }
  }
  inflateEnd(&stream);
  if (problem != nullptr) {
    return Fail(ErrorCode::kInvalid, problem);
  }
  return out;
}

}  // namespace

std::string Deflate(std::string_view bytes) {
  return Compress(bytes);
}

std::string Gzip(std::string_view bytes) {
  using namespace std::string_view_literals;
  constexpr std::string_view kHeader = "\x1F\x8B\x08\0\0\0\0\0\0\xFF"sv;
  std::string out(kHeader);
  out += GoDeflate(bytes);
  AppendLittleEndian(out, Crc32(bytes));
  AppendLittleEndian(out, static_cast<uint32_t>(bytes.size()));
  return out;
}

Result<std::string> Inflate(std::string_view deflated, size_t limit) {
  return Decompress(deflated, kRawDeflate, limit);
}
Result<std::string> Gunzip(std::string_view gzip, size_t limit) {
  return Decompress(gzip, kGzipFormat, limit);
}

uint32_t Crc32(std::string_view bytes, uint32_t before) {
  uLong crc = before;
  while (!bytes.empty()) {
    const size_t piece = std::min(bytes.size(), kMaxInput);
    crc = crc32(crc, Input(bytes), static_cast<uInt>(piece));
    bytes.remove_prefix(piece);
  }
  return static_cast<uint32_t>(crc);
}

}  // namespace kinu
