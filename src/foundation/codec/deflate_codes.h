// The parts of the deflate format (RFC 1951) that its encoders share: bits, prefix codes and
// blocks.
//
// They decide nothing: which matches and blocks are written is the encoder's choice
// (codec/go_deflate.cc, codec/go_deflate_fast.cc). Only what a prefix code looks like, among those
// of the same cost, is chosen here, as Go's compress/flate does.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace kinu::deflate {

inline constexpr size_t kEndOfBlock = 256;
inline constexpr size_t kFirstLengthSymbol = 257;
inline constexpr size_t kLiteralSymbols = 286;
inline constexpr size_t kDistanceSymbols = 30;
inline constexpr size_t kLengthCodeSymbols = 19;
inline constexpr uint32_t kShortestLength = 3;
inline constexpr uint32_t kLongestLength = 258;
inline constexpr size_t kLongestStored = 65535;
inline constexpr int kLongestCode = 15;

/// Either a literal byte, or `length` bytes from `distance` bytes before.
struct Token {
  uint16_t length = 0;    ///< 0: a literal
  uint16_t distance = 0;  ///< or the literal
};

/// A symbol of the length or distance alphabet, with the bits that follow it.
struct Symbol {
  uint32_t symbol = 0;
  uint32_t extra = 0;
  int extra_bits = 0;
};

/// The symbol of a match's length, 3 to 258.
Symbol LengthSymbol(uint32_t length);
/// The symbol of a match's distance, 1 to 32768.
Symbol DistanceSymbol(uint32_t distance);

/// Bits, least significant first.
class BitSink {
 public:
  void Put(uint64_t bits, int count) {
    pending_ |= bits << pending_bits_;
    pending_bits_ += count;
    for (; pending_bits_ >= 8; pending_bits_ -= 8) {
      bytes_ += static_cast<char>(pending_);
      pending_ >>= 8;
    }
  }
  void FillByte() { Put(0, (8 - pending_bits_) % 8); }
  /// A stored block: `bytes` as they are.
  void PutStored(std::string_view bytes, bool last);
  std::string Take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
  uint64_t pending_ = 0;
  int pending_bits_ = 0;
};

/// The code of one symbol; its bits are in the order in which they are written.
struct Code {
  uint16_t bits = 0;
  uint8_t length = 0;  ///< 0: the symbol has no code
};

/// Codes of at most `limit` bits for symbols that occur `counts` times, at the least cost.
void BuildCodes(std::span<const uint32_t> counts, int limit, std::span<Code> codes);

/// A prefix code, with how often each symbol is to be written with it.
template <size_t kSymbols>
struct PrefixCode {
  std::array<uint32_t, kSymbols> counts{};
  std::array<Code, kSymbols> codes{};

  /// Makes the codes anew, the best ones for the counts.
  void Build(int limit = kLongestCode) { BuildCodes(counts, limit, codes); }
  size_t BitsOfSymbols() const {
    size_t bits = 0;
    for (size_t i = 0; i < kSymbols; ++i) {
      bits += size_t{counts[i]} * codes[i].length;
    }
    return bits;
  }
  /// Whether every symbol that occurs has a code.
  bool Covers() const {
    for (size_t i = 0; i < kSymbols; ++i) {
      if (counts[i] != 0 && codes[i].length == 0) {
        return false;
      }
    }
    return true;
  }
  /// The symbols up to the last that occurs.
  size_t Used() const {
    size_t used = kSymbols;
    while (used > 0 && counts[used - 1] == 0) {
      --used;
    }
    return used;
  }
};

using LiteralCode = PrefixCode<kLiteralSymbols>;
using DistanceCode = PrefixCode<kDistanceSymbols>;

/// The codes of a fixed block, without counts.
const LiteralCode& FixedLiterals();
const DistanceCode& FixedDistances();

/// How many bits symbols take in a fixed block, if they occur as often as in these two codes.
size_t FixedBits(const LiteralCode& literals, const DistanceCode& distances);

/// The code lengths of a dynamic block in their run-length form, and the code for that.
class CodeLengths {
 public:
  CodeLengths(const LiteralCode& literals, const DistanceCode& distances);
  /// The size of the block's header.
  size_t Bits() const;
  /// Writes the header of a block that is not the last.
  void Write(BitSink& sink) const;

 private:
  void Add(size_t symbol, size_t extra);
  void AddRun(uint8_t length, size_t count);

  size_t literals_;
  size_t distances_;
  size_t written_ = kLengthCodeSymbols;
  PrefixCode<kLengthCodeSymbols> code_;
  std::array<Symbol, kLiteralSymbols + kDistanceSymbols> runs_;
  size_t run_count_ = 0;
};

/// Writes the tokens, without the end of the block.
void WriteTokens(std::span<const Token> tokens, const LiteralCode& literals,
                 const DistanceCode& distances, BitSink& sink);
/// Writes the symbol that ends a block.
inline void WriteEndOfBlock(const LiteralCode& literals, BitSink& sink) {
  sink.Put(literals.codes[kEndOfBlock].bits, literals.codes[kEndOfBlock].length);
}

}  // namespace kinu::deflate
