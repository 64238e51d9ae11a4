#include "json/scanner.h"

#include <array>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/bytes16.h"
#include "json/cpu_features.h"
#include "json/lex.h"

namespace kinu::json {
namespace {

/// One bit per byte of a block.
struct Masks {
  uint64_t quotes;
  uint64_t backslashes;
  uint64_t operators;  // { } [ ] : ,
  uint64_t spaces;
  uint64_t controls;  // below 0x20
  bool non_ascii;     // whether any byte is above 0x7F
};

/// One bit per byte of a block that has bytes above 0x7F: how characters of two and three bytes
/// begin and go on, and all that is looked at later, because it is no such character or one that
/// may not begin so.
struct CharacterMasks {
  uint64_t two;    // 0xC2 to 0xDF
  uint64_t three;  // 0xE1 to 0xEF without 0xED
  uint64_t rest;   // 0x80 to 0xBF
  uint64_t other;

  /// `high`: bytes above 0x7F; `from_…`: those from this one on; `careful`: 0xE0 and 0xED.
  static CharacterMasks Of(uint64_t high, uint64_t from_c0, uint64_t from_c2, uint64_t from_e0,
                           uint64_t from_f0, uint64_t careful) {
    const uint64_t two = from_c2 & ~from_e0;
    const uint64_t three = from_e0 & ~from_f0 & ~careful;
    return {.two = two, .three = three, .rest = high & ~from_c0, .other = from_c0 & ~two & ~three};
  }
  /// Whether the block is UTF-8 as far as it goes. `open`: the bytes at its beginning that go on
  /// with a character, and then those of the next block.
  bool AreUtf8(uint64_t& open) const {
    const uint64_t wanted = two << 1 | three << 1 | three << 2 | open;
    open = two >> 63 | (three >> 63) * 3 | (three >> 62 & 1);
    return wanted == rest && other == 0;
  }
};

/// Writes the positions of the set bits. May write up to 15 more than there are.
inline __attribute__((always_inline)) uint32_t* WriteBits(uint64_t bits, uint32_t base,
                                                          uint32_t* out) {
  const int count = std::popcount(bits);
  uint32_t* at = out;
  do {
    for (int i = 0; i < 8; ++i) {
      at[i] = base + static_cast<uint32_t>(std::countr_zero(bits));
      bits &= bits - 1;
    }
    at += 8;
  } while (bits != 0);
  return out + count;
}

struct PortableKernel {
  static inline __attribute__((always_inline)) uint32_t* Write(uint64_t bits, uint32_t base,
                                                               uint32_t* out) {
    return WriteBits(bits, base, out);
  }
  /// Each bit is the parity of the bits up to and including its own.
  static uint64_t PrefixParity(uint64_t bits) {
    for (int shift = 1; shift < 64; shift *= 2) {
      bits ^= bits << shift;
    }
    return bits;
  }
  static Masks Look(const char* block) {
    Masks masks{};
    for (size_t i = 0; i < StructureScanner::kBlock; ++i) {
      const uint64_t classes = kByteClasses[static_cast<uint8_t>(block[i])];
      const auto bit = [&](ByteClass one) {
        return (classes >> std::countr_zero(static_cast<uint8_t>(one)) & 1) << i;
      };
      masks.quotes |= bit(kQuote);
      masks.backslashes |= bit(kBackslash);
      masks.operators |= bit(kStructure);
      masks.spaces |= bit(kSpace);
      masks.controls |= bit(kControl);
      masks.non_ascii = masks.non_ascii || (classes & kNonAscii) != 0;
    }
    return masks;
  }
  static CharacterMasks Characters(const char*) { return {.other = ~uint64_t{0}}; }
};

/// With sixteen bytes at once, which every processor has instructions for.
struct Bytes16Kernel {
  static uint32_t* Write(uint64_t bits, uint32_t base, uint32_t* out) {
    return WriteBits(bits, base, out);
  }
  static uint64_t PrefixParity(uint64_t bits) { return PortableKernel::PrefixParity(bits); }
  static Masks Look(const char* block) {
    const Block64 bytes(block);
    // Setting bit 5 joins [ with { and ] with }; no other byte becomes one of these.
    const Block64 folded = bytes.WithBits(0x20);
    const uint64_t controls = bytes.Bits([](Bytes16 of) { return of.IsBelow(' '); });
    uint64_t spaces = bytes.Bits([](Bytes16 of) { return of.Is(' '); });
    if (controls != 0) {
      spaces |= bytes.Bits([](Bytes16 of) { return of.Is('\n') | of.Is('\r') | of.Is('\t'); });
    }
    return {.quotes = bytes.Bits([](Bytes16 of) { return of.Is('"'); }),
            .backslashes = bytes.Bits([](Bytes16 of) { return of.Is('\\'); }),
            .operators = folded.Bits([](Bytes16 of) { return of.Is('{') | of.Is('}'); }) |
                         bytes.Bits([](Bytes16 of) { return of.Is(':') | of.Is(','); }),
            .spaces = spaces,
            .controls = controls,
            .non_ascii = bytes.HasNonAscii()};
  }
  static CharacterMasks Characters(const char* block) {
    const Block64 bytes(block);
    const auto from = [&](uint8_t first) {
      return bytes.Bits([first](Bytes16 of) { return of.IsAtLeast(first); });
    };
    const uint64_t careful = bytes.Bits([](Bytes16 of) { return of.Is('\xE0') | of.Is('\xED'); });
    return CharacterMasks::Of(from(0x80), from(0xC0), from(0xC2), from(0xE0), from(0xF0), careful);
  }
};

#if defined(__x86_64__)
#define KINU_AVX2 __attribute__((target("avx2,bmi,popcnt,pclmul")))

struct Avx2Kernel {
  KINU_AVX2 static inline uint32_t* Write(uint64_t bits, uint32_t base, uint32_t* out) {
    return WriteBits(bits, base, out);
  }
  KINU_AVX2 static inline uint64_t PrefixParity(uint64_t bits) {
    // Multiplication without carries by a number of ones only.
    return static_cast<uint64_t>(_mm_cvtsi128_si64(
        _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<int64_t>(bits)), _mm_set1_epi8(-1), 0)));
  }
  KINU_AVX2 static inline __attribute__((always_inline)) uint32_t Equal(__m256i bytes, char c) {
    return static_cast<uint32_t>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c))));
  }
  KINU_AVX2 static inline __attribute__((always_inline)) uint64_t Join(uint32_t low,
                                                                       uint32_t high) {
    return uint64_t{high} << 32 | low;
  }
  // Not always_inline: the loop around it has no target of its own before it is inlined itself.
  KINU_AVX2 static inline Masks Look(const char* block) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + 32));
    // Setting bit 5 joins [ with { and ] with }; no other byte becomes one of these.
    const __m256i bit = _mm256_set1_epi8(0x20);
    const __m256i low_folded = _mm256_or_si256(low, bit);
    const __m256i high_folded = _mm256_or_si256(high, bit);
    // Bytes up to 0x20, then without the space itself.
    const __m256i limit = _mm256_set1_epi8(0x1F);
    const uint64_t controls =
        Join(static_cast<uint32_t>(
                 _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(low, limit), low))),
             static_cast<uint32_t>(
                 _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_min_epu8(high, limit), high))));
    uint64_t spaces = Join(Equal(low, ' '), Equal(high, ' '));
    if (controls != 0) {
      spaces |= Join(Equal(low, '\n') | Equal(low, '\r') | Equal(low, '\t'),
                     Equal(high, '\n') | Equal(high, '\r') | Equal(high, '\t'));
    }
    return {.quotes = Join(Equal(low, '"'), Equal(high, '"')),
            .backslashes = Join(Equal(low, '\\'), Equal(high, '\\')),
            .operators = Join(
                Equal(low_folded, '{') | Equal(low_folded, '}') | Equal(low, ':') | Equal(low, ','),
                Equal(high_folded, '{') | Equal(high_folded, '}') | Equal(high, ':') |
                    Equal(high, ',')),
            .spaces = spaces,
            .controls = controls,
            .non_ascii = _mm256_movemask_epi8(_mm256_or_si256(low, high)) != 0};
  }
  KINU_AVX2 static inline CharacterMasks Characters(const char* block) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(block + 32));
    const auto from = [&](int first) KINU_AVX2 {
      const __m256i least = _mm256_set1_epi8(static_cast<char>(first));
      return Join(static_cast<uint32_t>(
                      _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(low, least), low))),
                  static_cast<uint32_t>(
                      _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_max_epu8(high, least), high))));
    };
    const uint64_t careful =
        Join(Equal(low, '\xE0') | Equal(low, '\xED'), Equal(high, '\xE0') | Equal(high, '\xED'));
    return CharacterMasks::Of(from(0x80), from(0xC0), from(0xC2), from(0xE0), from(0xF0), careful);
  }
};

#define KINU_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,bmi,popcnt,pclmul")))

struct Avx512Kernel {
  KINU_AVX512 static inline uint32_t* Write(uint64_t bits, uint32_t base, uint32_t* out) {
    alignas(64) static constexpr std::array<uint8_t, 64> kPositions = [] {
      std::array<uint8_t, 64> positions{};
      for (size_t i = 0; i < positions.size(); ++i) {
        positions[i] = static_cast<uint8_t>(i);
      }
      return positions;
    }();
    const int count = std::popcount(bits);
    const __m512i all = _mm512_maskz_compress_epi8(bits, _mm512_load_si512(kPositions.data()));
    const __m512i bases = _mm512_set1_epi32(static_cast<int>(base));
    // With masks: without them this compiler warns of its own headers.
    constexpr __mmask8 kFour = 0xF;
    constexpr __mmask16 kSixteen = 0xFFFF;
    const auto write = [&](int from, __m128i positions) KINU_AVX512 {
      _mm512_storeu_si512(out + from,
                          _mm512_add_epi32(_mm512_maskz_cvtepu8_epi32(kSixteen, positions), bases));
    };
    write(0, _mm512_maskz_extracti32x4_epi32(kFour, all, 0));
    if (count > 16) {
      write(16, _mm512_maskz_extracti32x4_epi32(kFour, all, 1));
      if (count > 32) [[unlikely]] {
        write(32, _mm512_maskz_extracti32x4_epi32(kFour, all, 2));
        write(48, _mm512_maskz_extracti32x4_epi32(kFour, all, 3));
      }
    }
    return out + count;
  }
  KINU_AVX512 static inline uint64_t PrefixParity(uint64_t bits) {
    return static_cast<uint64_t>(_mm_cvtsi128_si64(
        _mm_clmulepi64_si128(_mm_cvtsi64_si128(static_cast<int64_t>(bits)), _mm_set1_epi8(-1), 0)));
  }
  KINU_AVX512 static inline __attribute__((always_inline)) uint64_t Equal(__m512i bytes, char c) {
    return _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(c));
  }
  KINU_AVX512 static inline Masks Look(const char* block) {
    const __m512i bytes = _mm512_loadu_si512(block);
    const __m512i folded = _mm512_or_si512(bytes, _mm512_set1_epi8(0x20));
    const uint64_t controls = _mm512_cmplt_epu8_mask(bytes, _mm512_set1_epi8(0x20));
    uint64_t spaces = Equal(bytes, ' ');
    if (controls != 0) {
      spaces |= Equal(bytes, '\n') | Equal(bytes, '\r') | Equal(bytes, '\t');
    }
    return {.quotes = Equal(bytes, '"'),
            .backslashes = Equal(bytes, '\\'),
            .operators =
                Equal(folded, '{') | Equal(folded, '}') | Equal(bytes, ':') | Equal(bytes, ','),
            .spaces = spaces,
            .controls = controls,
            .non_ascii = _mm512_movepi8_mask(bytes) != 0};
  }
  KINU_AVX512 static inline CharacterMasks Characters(const char* block) {
    const __m512i bytes = _mm512_loadu_si512(block);
    const auto from = [&](int first) KINU_AVX512 {
      return _mm512_cmpge_epu8_mask(bytes, _mm512_set1_epi8(static_cast<char>(first)));
    };
    return CharacterMasks::Of(from(0x80), from(0xC0), from(0xC2), from(0xE0), from(0xF0),
                              Equal(bytes, '\xE0') | Equal(bytes, '\xED'));
  }
};
#endif

}  // namespace

template <typename Kernel>
struct ScanWith {
  static inline __attribute__((always_inline)) size_t Run(StructureScanner& scanner,
                                                          std::string_view text, size_t from,
                                                          size_t to, uint32_t* const out) {
    constexpr size_t kBlock = StructureScanner::kBlock;
    // By itself the processor reads ahead within a page only, and the scan waits for memory.
    constexpr size_t kAhead = 4096;
    uint32_t* end = out;
    uint64_t in_string = scanner.in_string_;
    uint64_t after_word = scanner.after_word_ ? 1 : 0;
    bool is_utf8 = true;
    uint64_t open = 0;  // bytes of the next block that go on with a character
    char padded[kBlock];
    for (size_t at = from; at < to; at += kBlock) {
      const char* block = text.data() + at;
      uint64_t valid = ~uint64_t{0};
      if (to - at < kBlock) [[unlikely]] {
        std::memset(padded, ' ', kBlock);
        std::memcpy(padded, block, to - at);
        block = padded;
        valid = (uint64_t{1} << (to - at)) - 1;
      }
      __builtin_prefetch(text.data() + at + kAhead);  // beyond the text this does nothing
      const Masks masks = Kernel::Look(block);
      if (masks.non_ascii || open != 0) [[unlikely]] {
        is_utf8 &= Kernel::Characters(block).AreUtf8(open);
      }
      uint64_t quotes = masks.quotes;
      if ((masks.backslashes != 0 || scanner.escapes_.goes_on())) [[unlikely]] {
        quotes &= ~scanner.Escaped(text, at, masks.backslashes & valid, masks.quotes);
      }
      const uint64_t inside = Kernel::PrefixParity(quotes) ^ in_string;
      in_string = static_cast<uint64_t>(static_cast<int64_t>(inside) >> 63);
      const uint64_t words = ~(masks.operators | masks.spaces | quotes);
      const uint64_t word_starts = words & ~(words << 1 | after_word);
      after_word = words >> 63;
      // Inside a string and its closing quote nothing begins.
      const uint64_t starts = (masks.operators | word_starts | quotes) & ~(inside ^ quotes) & valid;
      if ((masks.controls & inside & valid) != 0) [[unlikely]] {
        const auto offset = at + static_cast<size_t>(std::countr_zero(masks.controls & inside));
        scanner.Report(offset, "control character in a string");
      }
      if (starts != 0) {
        end = Kernel::Write(starts, static_cast<uint32_t>(at), end);
      }
      if (scanner.problem_) [[unlikely]] {
        break;
      }
    }
    scanner.in_string_ = in_string;
    scanner.after_word_ = after_word != 0;
    scanner.unchecked_seen_ = scanner.unchecked_seen_ || !is_utf8 || open != 0;
    return static_cast<size_t>(end - out);
  }
};

namespace {

size_t ScanPortable(StructureScanner& scanner, std::string_view text, size_t from, size_t to,
                    uint32_t* out) {
  return ScanWith<PortableKernel>::Run(scanner, text, from, to, out);
}

size_t ScanBytes16(StructureScanner& scanner, std::string_view text, size_t from, size_t to,
                   uint32_t* out) {
  return ScanWith<Bytes16Kernel>::Run(scanner, text, from, to, out);
}

#if defined(__x86_64__)
KINU_AVX2 size_t ScanAvx2(StructureScanner& scanner, std::string_view text, size_t from, size_t to,
                          uint32_t* out) {
  return ScanWith<Avx2Kernel>::Run(scanner, text, from, to, out);
}
KINU_AVX512 size_t ScanAvx512(StructureScanner& scanner, std::string_view text, size_t from,
                              size_t to, uint32_t* out) {
  return ScanWith<Avx512Kernel>::Run(scanner, text, from, to, out);
}
#endif

}  // namespace

bool StructureScanner::IsSupported(Kernel kernel) {
  if (kernel == Kernel::kPortable || kernel == Kernel::kBytes16) {
    return true;
  }
#if defined(__x86_64__)
  const CpuFeatures& cpu = Cpu();
  return cpu.bmi && cpu.pclmul && (kernel == Kernel::kAvx2 ? cpu.avx2 : cpu.avx512);
#else
  return false;
#endif
}

namespace {

StructureScanner::Kernel BestKernel() {
  using Kernel = StructureScanner::Kernel;
  if (StructureScanner::IsSupported(Kernel::kAvx512)) {
    return Kernel::kAvx512;
  }
  return StructureScanner::IsSupported(Kernel::kAvx2) ? Kernel::kAvx2 : Kernel::kBytes16;
}

}  // namespace

StructureScanner::StructureScanner() : StructureScanner(BestKernel()) {
}

StructureScanner::StructureScanner(Kernel kernel) : scan_(&ScanPortable) {
  if (kernel == Kernel::kBytes16) {
    scan_ = &ScanBytes16;
  }
#if defined(__x86_64__)
  if (kernel == Kernel::kAvx2) {
    scan_ = &ScanAvx2;
  } else if (kernel == Kernel::kAvx512) {
    scan_ = &ScanAvx512;
  }
#endif
}

/// The bytes of the block at `at` that follow a backslash which itself does not. Checks them.
uint64_t StructureScanner::Escaped(std::string_view text, size_t at, uint64_t backslashes,
                                   uint64_t quotes) {
  backslash_seen_ = true;
  const uint64_t escaped = escapes_.EscapedBytes(backslashes);
  // Most escapes are quotes and backslashes.
  for (uint64_t left = escaped & ~(quotes | backslashes); left != 0; left &= left - 1) {
    const size_t offset = at + static_cast<size_t>(std::countr_zero(left));
    if (offset >= text.size()) {
      break;  // the text ends inside a string, which is another problem
    }
    const char* const at_escape = text.data() + offset;
    const char* const end = text.data() + text.size();
    if (!PassEscape(at_escape, end).ok) {
      Report(offset - 1,
             *at_escape == 'u' ? "invalid \\u escape in a string" : "invalid escape in a string");
    }
  }
  return escaped;
}

void StructureScanner::Report(size_t offset, const char* message) {
  if (!problem_ || offset < problem_.offset) {
    problem_ = {offset, message};
  }
}

}  // namespace kinu::json
