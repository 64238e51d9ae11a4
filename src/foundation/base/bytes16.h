// Sixteen bytes that are looked at together: with SSE2 on x86-64, with NEON on arm64, in portable
// code elsewhere. All have the same functions and give the same answers, and each processor can run
// the portable code, so that tests compare them.
//
// A comparison answers with sixteen bytes, of which only the highest bits count. Answers are joined
// with | and &, and read as the places of the bytes for which they say yes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace kinu {

/// Which of sixteen bytes it was, so many bits for each of them, those of the first byte lowest.
template <int bits_per_byte>
class BytePlaces {
 public:
  explicit BytePlaces(uint64_t bits) : bits_(bits) {}

  /// Whether there is any.
  explicit operator bool() const { return bits_ != 0; }
  /// The first one. There is one.
  int First() const { return std::countr_zero(bits_) / bits_per_byte; }
  /// The other ones of the sixteen.
  BytePlaces Others() const {
    constexpr uint64_t kAll = ~uint64_t{0} >> (64 - 16 * bits_per_byte);
    return BytePlaces(bits_ ^ kAll);
  }

 private:
  uint64_t bits_;
};

/// In portable code.
class PortableBytes16 {
 public:
  /// The answer that says no of all.
  static PortableBytes16 None() { return {}; }
  static PortableBytes16 Load(const char* from) { return Load8And8(from, from + 8); }
  /// Eight bytes of one place and eight of another.
  static PortableBytes16 Load8And8(const char* first, const char* last) {
    PortableBytes16 loaded;
    std::memcpy(loaded.bytes_.data(), first, 8);
    std::memcpy(loaded.bytes_.data() + 8, last, 8);
    return loaded;
  }
  /// Four bytes of one place and four of another, and the same ones again.
  static PortableBytes16 Load4And4(const char* first, const char* last) {
    PortableBytes16 loaded;
    for (size_t at = 0; at < 16; at += 8) {
      std::memcpy(loaded.bytes_.data() + at, first, 4);
      std::memcpy(loaded.bytes_.data() + at + 4, last, 4);
    }
    return loaded;
  }
  void Store(char* to) const { std::memcpy(to, bytes_.data(), 16); }

  PortableBytes16 Is(char c) const {
    return Each([c](uint8_t byte) { return byte == static_cast<uint8_t>(c); });
  }
  PortableBytes16 IsBelow(uint8_t limit) const {
    return Each([limit](uint8_t byte) { return byte < limit; });
  }
  PortableBytes16 IsAtLeast(uint8_t limit) const {
    return Each([limit](uint8_t byte) { return byte >= limit; });
  }
  /// Below an ASCII character, or above 0x7F.
  PortableBytes16 IsBelowOrNotAscii(char limit) const {
    return Each([limit](uint8_t byte) { return byte < limit || byte > 0x7F; });
  }
  PortableBytes16 IsNotAscii() const { return IsAtLeast(0x80); }
  PortableBytes16 WithBits(uint8_t bits) const {
    PortableBytes16 result = *this;
    for (uint8_t& byte : result.bytes_) {
      byte |= bits;
    }
    return result;
  }
  friend PortableBytes16 operator|(PortableBytes16 a, PortableBytes16 b) {
    for (size_t i = 0; i < 16; ++i) {
      a.bytes_[i] |= b.bytes_[i];
    }
    return a;
  }
  friend PortableBytes16 operator&(PortableBytes16 a, PortableBytes16 b) {
    for (size_t i = 0; i < 16; ++i) {
      a.bytes_[i] &= b.bytes_[i];
    }
    return a;
  }

  BytePlaces<1> Places() const { return BytePlaces<1>(Bits()); }
  /// A bit for each byte of four answers.
  static uint64_t Bits(PortableBytes16 a, PortableBytes16 b, PortableBytes16 c, PortableBytes16 d) {
    return a.Bits() | b.Bits() << 16 | c.Bits() << 32 | d.Bits() << 48;
  }

 private:
  template <typename Property>
  PortableBytes16 Each(Property has) const {
    PortableBytes16 answer;
    for (size_t i = 0; i < 16; ++i) {
      answer.bytes_[i] = has(bytes_[i]) ? 0xFF : 0;
    }
    return answer;
  }
  uint64_t Bits() const {
    uint64_t bits = 0;
    for (size_t i = 0; i < 16; ++i) {
      bits |= static_cast<uint64_t>(bytes_[i] >> 7) << i;
    }
    return bits;
  }

  std::array<uint8_t, 16> bytes_{};
};

#if defined(__SSE2__)

/// With SSE2.
class Sse2Bytes16 {
 public:
  static Sse2Bytes16 None() { return Sse2Bytes16(_mm_setzero_si128()); }
  static Sse2Bytes16 Load(const char* from) {
    return Sse2Bytes16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
  }
  static Sse2Bytes16 Load8And8(const char* first, const char* last) {
    return Sse2Bytes16(_mm_unpacklo_epi64(Load8(first), Load8(last)));
  }
  static Sse2Bytes16 Load4And4(const char* first, const char* last) {
    const __m128i both = _mm_unpacklo_epi32(Load4(first), Load4(last));
    return Sse2Bytes16(_mm_unpacklo_epi64(both, both));
  }
  void Store(char* to) const { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), bytes_); }

  Sse2Bytes16 Is(char c) const { return Sse2Bytes16(_mm_cmpeq_epi8(bytes_, _mm_set1_epi8(c))); }
  Sse2Bytes16 IsBelow(uint8_t limit) const {
    const __m128i most = _mm_set1_epi8(static_cast<char>(limit - 1));
    return Sse2Bytes16(_mm_cmpeq_epi8(_mm_min_epu8(bytes_, most), bytes_));
  }
  Sse2Bytes16 IsAtLeast(uint8_t limit) const {
    const __m128i least = _mm_set1_epi8(static_cast<char>(limit));
    return Sse2Bytes16(_mm_cmpeq_epi8(_mm_max_epu8(bytes_, least), bytes_));
  }
  Sse2Bytes16 IsBelowOrNotAscii(char limit) const {
    // Compared as signed numbers, bytes from 0x80 on are below all others.
    return Sse2Bytes16(_mm_cmplt_epi8(bytes_, _mm_set1_epi8(limit)));
  }
  Sse2Bytes16 IsNotAscii() const { return *this; }
  Sse2Bytes16 WithBits(uint8_t bits) const {
    return Sse2Bytes16(_mm_or_si128(bytes_, _mm_set1_epi8(static_cast<char>(bits))));
  }
  friend Sse2Bytes16 operator|(Sse2Bytes16 a, Sse2Bytes16 b) {
    return Sse2Bytes16(_mm_or_si128(a.bytes_, b.bytes_));
  }
  friend Sse2Bytes16 operator&(Sse2Bytes16 a, Sse2Bytes16 b) {
    return Sse2Bytes16(_mm_and_si128(a.bytes_, b.bytes_));
  }

  BytePlaces<1> Places() const { return BytePlaces<1>(Bits()); }
  static uint64_t Bits(Sse2Bytes16 a, Sse2Bytes16 b, Sse2Bytes16 c, Sse2Bytes16 d) {
    return a.Bits() | b.Bits() << 16 | c.Bits() << 32 | d.Bits() << 48;
  }

 private:
  explicit Sse2Bytes16(__m128i bytes) : bytes_(bytes) {}
  static __m128i Load8(const char* from) {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
  }
  static __m128i Load4(const char* from) {
    int word = 0;
    std::memcpy(&word, from, sizeof word);
    return _mm_cvtsi32_si128(word);
  }
  uint64_t Bits() const { return static_cast<uint32_t>(_mm_movemask_epi8(bytes_)); }

  __m128i bytes_;
};
using Bytes16 = Sse2Bytes16;

#elif defined(__ARM_NEON) && defined(__aarch64__)

/// With NEON. It cannot gather highest bits, so that all bits of the bytes of an answer are equal.
class NeonBytes16 {
 public:
  static NeonBytes16 None() { return NeonBytes16(vdupq_n_u8(0)); }
  static NeonBytes16 Load(const char* from) {
    return NeonBytes16(vld1q_u8(reinterpret_cast<const uint8_t*>(from)));
  }
  static NeonBytes16 Load8And8(const char* first, const char* last) {
    return NeonBytes16(vcombine_u8(Load8(first), Load8(last)));
  }
  static NeonBytes16 Load4And4(const char* first, const char* last) {
    uint32_t words[2] = {};
    std::memcpy(&words[0], first, sizeof words[0]);
    std::memcpy(&words[1], last, sizeof words[1]);
    const uint8x8_t both = vreinterpret_u8_u32(vld1_u32(words));
    return NeonBytes16(vcombine_u8(both, both));
  }
  void Store(char* to) const { vst1q_u8(reinterpret_cast<uint8_t*>(to), bytes_); }

  NeonBytes16 Is(char c) const {
    return NeonBytes16(vceqq_u8(bytes_, vdupq_n_u8(static_cast<uint8_t>(c))));
  }
  NeonBytes16 IsBelow(uint8_t limit) const {
    return NeonBytes16(vcltq_u8(bytes_, vdupq_n_u8(limit)));
  }
  NeonBytes16 IsAtLeast(uint8_t limit) const {
    return NeonBytes16(vcgeq_u8(bytes_, vdupq_n_u8(limit)));
  }
  NeonBytes16 IsBelowOrNotAscii(char limit) const {
    const int8x16_t limits = vdupq_n_s8(static_cast<int8_t>(limit));
    return NeonBytes16(vcltq_s8(vreinterpretq_s8_u8(bytes_), limits));
  }
  NeonBytes16 IsNotAscii() const { return NeonBytes16(vcltzq_s8(vreinterpretq_s8_u8(bytes_))); }
  NeonBytes16 WithBits(uint8_t bits) const {
    return NeonBytes16(vorrq_u8(bytes_, vdupq_n_u8(bits)));
  }
  friend NeonBytes16 operator|(NeonBytes16 a, NeonBytes16 b) {
    return NeonBytes16(vorrq_u8(a.bytes_, b.bytes_));
  }
  friend NeonBytes16 operator&(NeonBytes16 a, NeonBytes16 b) {
    return NeonBytes16(vandq_u8(a.bytes_, b.bytes_));
  }

  /// Four bits of each byte: a shift that narrows is the cheapest way out of the vector.
  BytePlaces<4> Places() const {
    const uint8x8_t halves = vshrn_n_u16(vreinterpretq_u16_u8(bytes_), 4);
    return BytePlaces<4>(vget_lane_u64(vreinterpret_u64_u8(halves), 0));
  }
  static uint64_t Bits(NeonBytes16 a, NeonBytes16 b, NeonBytes16 c, NeonBytes16 d) {
    // Each byte keeps the bit of its place among eight; three sums of neighbours join them.
    constexpr uint8_t kPlaces[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const uint8x16_t places = vld1q_u8(kPlaces);
    const auto pairs = [&](NeonBytes16 first, NeonBytes16 second) {
      return vpaddq_u8(vandq_u8(first.bytes_, places), vandq_u8(second.bytes_, places));
    };
    const uint8x16_t sums = vpaddq_u8(pairs(a, b), pairs(c, d));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sums, sums)), 0);
  }

 private:
  explicit NeonBytes16(uint8x16_t bytes) : bytes_(bytes) {}
  static uint8x8_t Load8(const char* from) {
    return vld1_u8(reinterpret_cast<const uint8_t*>(from));
  }

  uint8x16_t bytes_;
};
using Bytes16 = NeonBytes16;

#else

using Bytes16 = PortableBytes16;

#endif

/// Sixty-four bytes, four times sixteen.
template <typename Bytes = Bytes16>
class Block64 {
 public:
  explicit Block64(const char* from)
      : Block64(Bytes::Load(from), Bytes::Load(from + 16), Bytes::Load(from + 32),
                Bytes::Load(from + 48)) {}

  Block64 WithBits(uint8_t bits) const {
    return Block64(a_.WithBits(bits), b_.WithBits(bits), c_.WithBits(bits), d_.WithBits(bits));
  }
  /// A bit for each byte: what a comparison of sixteen answers.
  template <typename Comparison>
  uint64_t Bits(Comparison compare) const {
    return Bytes::Bits(compare(a_), compare(b_), compare(c_), compare(d_));
  }
  /// Whether there is a byte above 0x7F.
  bool HasNonAscii() const { return bool((a_ | b_ | c_ | d_).IsNotAscii().Places()); }

 private:
  Block64(Bytes a, Bytes b, Bytes c, Bytes d) : a_(a), b_(b), c_(c), d_(d) {}

  Bytes a_;
  Bytes b_;
  Bytes c_;
  Bytes d_;
};

}  // namespace kinu
