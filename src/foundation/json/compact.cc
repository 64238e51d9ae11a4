// JSON text without white space. A processor with AVX-512 removes it from 64 bytes at once; others
// copy strings while they look for their ends.
#include <bit>

#include "base/bytes16.h"
#include "json/cpu_features.h"
#include "json/escapes.h"
#include "json/lex.h"
#include "json/tree.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kinu::json {
namespace {

/// Room behind what is written: whole vectors are stored.
constexpr ptrdiff_t kSlack = 64;

/// Copies a string from behind its first quote to behind its last one, and moves `to`. Returns
/// where the string ends.
const char* CopyString(const char* at, const char* end, char*& to) {
  constexpr ptrdiff_t kBytes = 16;
  while (end - at >= kBytes) {
    const Bytes16 bytes = Bytes16::Load(at);
    bytes.Store(to);
    const auto stops = PlacesOf < kQuote | kBackslash > (bytes);
    if (!stops) {
      at += kBytes;
      to += kBytes;
      continue;
    }
    const int stop = stops.First();
    at += stop;
    to += stop;
    *to++ = *at;
    if (*at++ == '"') {
      return at;
    }
    if (at < end) {
      *to++ = *at++;
    }
  }
  while (at < end) {
    const char c = *to++ = *at++;
    if (c == '"') {
      return at;
    }
    if (c == '\\' && at < end) {
      *to++ = *at++;
    }
  }
  return at;
}

/// Copies text without the white space between tokens. Returns where the copy ends.
char* CopyTokens(const char* at, const char* end, char* to) {
  while (at < end) {
    const char c = *at;
    if (c == '"') {
      *to++ = *at++;
      at = CopyString(at, end, to);
    } else if (IsSpace(c)) {
      at = SkipSpace(at, end);
    } else {
      *to++ = *at++;
    }
  }
  return to;
}

#if defined(__x86_64__)
#define KINU_COMPACT_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,popcnt,pclmul")))

/// Whether the bytes of a block are inside of strings, first quotes included: a bit each. `inside`:
/// whether the block begins inside, and whether the next one does.
KINU_COMPACT_AVX512 inline uint64_t Inside(uint64_t quotes, uint64_t& inside) {
  const auto parity = static_cast<uint64_t>(_mm_cvtsi128_si64(
      _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<int64_t>(quotes)), _mm_set1_epi8(-1), 0)));
  const uint64_t strings = parity ^ inside;
  inside = static_cast<uint64_t>(static_cast<int64_t>(strings) >> 63);
  return strings;
}

/// The same with 64 bytes at once.
KINU_COMPACT_AVX512 char* CopyTokensAvx512(const char* at, const char* end, char* to) {
  constexpr ptrdiff_t kBlock = 64;
  const __m512i space = _mm512_set1_epi8(' ');
  uint64_t inside = 0;
  Escapes escapes;
  for (; at < end; at += kBlock) {
    const uint64_t valid = end - at >= kBlock ? ~uint64_t{0} : (uint64_t{1} << (end - at)) - 1;
    const __m512i bytes = _mm512_maskz_loadu_epi8(valid, at);
    uint64_t quotes = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('"'));
    const uint64_t backslashes = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\\'));
    if (backslashes != 0 || escapes.goes_on()) [[unlikely]] {
      quotes &= ~escapes.EscapedBytes(backslashes);
    }
    // Outside of strings all bytes up to the space are white space.
    const uint64_t kept = (_mm512_cmpgt_epu8_mask(bytes, space) | Inside(quotes, inside)) & valid;
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi8(kept, bytes));
    to += std::popcount(kept);
  }
  return to;
}
#endif

}  // namespace

void AppendCompact(std::string& out, std::string_view text, bool portable) {
#if defined(__x86_64__)
  static const auto kFastest = Cpu().pclmul && Cpu().avx512 ? &CopyTokensAvx512 : &CopyTokens;
#else
  static const auto kFastest = &CopyTokens;
#endif
  const auto copy = portable ? &CopyTokens : kFastest;
  const size_t before = out.size();
  out.resize_and_overwrite(before + text.size() + kSlack, [&](char* data, size_t) {
    return static_cast<size_t>(copy(text.data(), text.data() + text.size(), data + before) - data);
  });
}

}  // namespace kinu::json
