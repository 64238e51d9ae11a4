#include "codec/deflate_codes.h"

#include <algorithm>
#include <bit>

namespace kinu::deflate {
namespace {

constexpr int kLongestLengthCode = 7;
constexpr std::array<uint8_t, kLengthCodeSymbols> kLengthCodeOrder = {
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

// Both alphabets count on in powers of two: `1 << fine_bits` symbols for each, of equal width.
Symbol SymbolOf(uint32_t value, int fine_bits) {
  const int log = static_cast<int>(std::bit_width(value)) - 1;
  if (log <= fine_bits) {
    return {.symbol = value};
  }
  const int extra_bits = log - fine_bits;
  return {.symbol = (static_cast<uint32_t>(extra_bits) << fine_bits) + (value >> extra_bits),
          .extra = value & ((1U << extra_bits) - 1),
          .extra_bits = extra_bits};
}

// Codes in the order of length and symbol (RFC 1951, 3.2.2) for given lengths.
void NumberCodes(std::span<Code> codes) {
  std::array<uint32_t, kLongestCode + 2> next{};
  for (const Code& code : codes) {
    next[code.length + 1U] += code.length == 0 ? 0 : 1;
  }
  for (size_t length = 1; length < next.size(); ++length) {
    next[length] = (next[length] + next[length - 1]) << 1;
  }
  for (Code& code : codes) {
    uint32_t bits = code.length == 0 ? 0 : next[code.length]++;
    code.bits = 0;
    for (int i = 0; i < code.length; ++i, bits >>= 1) {
      code.bits = static_cast<uint16_t>(code.bits << 1 | (bits & 1));
    }
  }
}

// How many symbols get codes of 1, 2, ... `limit` bits at the least cost, found by package-merge.
// `weights` ascend, at least three. Where a package weighs as much as a symbol, the package comes
// first, which decides between codes of the same cost.
std::array<size_t, kLongestCode + 1> CodesOfLength(std::span<const uint32_t> weights, int limit) {
  const size_t wanted = 2 * weights.size() - 2;
  // What each level's list starts with: a symbol, or a package of two entries of the level before.
  std::array<std::array<bool, 2 * kLiteralSymbols>, kLongestCode + 1> is_symbol{};
  std::array<uint64_t, 2 * kLiteralSymbols> level;
  std::array<uint64_t, 2 * kLiteralSymbols> before;
  size_t before_size = 0;
  for (int depth = 1; depth <= limit; ++depth) {
    size_t symbol = 0;
    size_t package = 0;
    size_t size = 0;
    for (; size < wanted; ++size) {
      const bool has_package = 2 * package + 1 < before_size;
      if (!has_package && symbol == weights.size()) {
        break;
      }
      const uint64_t weight = has_package ? before[2 * package] + before[2 * package + 1] : 0;
      const bool takes_symbol =
          !has_package || (symbol < weights.size() && weights[symbol] < weight);
      is_symbol[static_cast<size_t>(depth)][size] = takes_symbol;
      level[size] = takes_symbol ? weights[symbol++] : weight;
      package += takes_symbol ? 0 : 1;
    }
    before = level;
    before_size = size;
  }
  // From the last level down: the things taken there name the packages, those what is taken below.
  std::array<size_t, kLongestCode + 1> counts{};
  size_t taken = wanted;
  size_t longer = 0;  // Symbols taken at the level above: each gets one bit more for every level.
  for (int depth = limit; depth >= 1; --depth) {
    const auto& list = is_symbol[static_cast<size_t>(depth)];
    const auto symbols = static_cast<size_t>(
        std::count(list.begin(), list.begin() + static_cast<long>(taken), true));
    if (depth != limit) {
      counts[static_cast<size_t>(limit - depth)] = longer - symbols;
    }
    longer = symbols;
    taken = 2 * (taken - symbols);
  }
  counts[static_cast<size_t>(limit)] = longer;
  return counts;
}

/// The length of a symbol's code in the fixed literal code.
uint8_t FixedLength(size_t symbol) {
  if (symbol < 144 || symbol >= 280) {
    return 8;
  }
  return symbol < 256 ? 9 : 7;
}

LiteralCode MakeFixedLiterals() {
  // Two symbols that never occur belong to the fixed code; they only matter to its numbering.
  std::array<Code, kLiteralSymbols + 2> codes;
  for (size_t i = 0; i < codes.size(); ++i) {
    codes[i].length = FixedLength(i);
  }
  NumberCodes(codes);
  LiteralCode fixed;
  std::copy_n(codes.begin(), kLiteralSymbols, fixed.codes.begin());
  return fixed;
}

DistanceCode MakeFixedDistances() {
  std::array<Code, kDistanceSymbols + 2> codes;
  std::fill(codes.begin(), codes.end(), Code{.length = 5});
  NumberCodes(codes);
  DistanceCode fixed;
  std::copy_n(codes.begin(), kDistanceSymbols, fixed.codes.begin());
  return fixed;
}

/// How many bits follow a symbol of the run-length form.
int RunBits(size_t symbol) {
  switch (symbol) {
    case 16:
      return 2;
    case 17:
      return 3;
    case 18:
      return 7;
    default:
      return 0;
  }
}

}  // namespace

Symbol LengthSymbol(uint32_t length) {
  Symbol symbol{.symbol = 28};
  if (length != kLongestLength) {
    symbol = SymbolOf(length - kShortestLength, 2);
  }
  symbol.symbol += kFirstLengthSymbol;
  return symbol;
}

Symbol DistanceSymbol(uint32_t distance) {
  return SymbolOf(distance - 1, 1);
}

void BitSink::PutStored(std::string_view bytes, bool last) {
  Put(last ? 1 : 0, 3);
  FillByte();
  Put(bytes.size(), 16);
  Put(~bytes.size() & 0xFFFF, 16);
  bytes_ += bytes;
}

void BuildCodes(std::span<const uint32_t> counts, int limit, std::span<Code> codes) {
  std::ranges::fill(codes, Code{});
  std::array<uint16_t, kLiteralSymbols> symbols;
  size_t count = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] != 0) {
      symbols[count++] = static_cast<uint16_t>(i);
    }
  }
  if (count <= 2) {
    for (size_t i = 0; i < count; ++i) {
      codes[symbols[i]].length = 1;
    }
    NumberCodes(codes);
    return;
  }
  std::sort(symbols.begin(), symbols.begin() + static_cast<long>(count),
            [&](uint16_t a, uint16_t b) {
              return counts[a] != counts[b] ? counts[a] < counts[b] : a < b;
            });
  std::array<uint32_t, kLiteralSymbols> weights;
  for (size_t i = 0; i < count; ++i) {
    weights[i] = counts[symbols[i]];
  }
  limit = std::min(limit, static_cast<int>(count) - 1);
  const auto of_length = CodesOfLength(std::span(weights).first(count), limit);
  size_t rest = count;  // The most frequent symbols get the shortest codes.
  for (size_t length = 1; length <= static_cast<size_t>(limit); ++length) {
    for (size_t i = 0; i < of_length[length]; ++i) {
      codes[symbols[--rest]].length = static_cast<uint8_t>(length);
    }
  }
  NumberCodes(codes);
}

const LiteralCode& FixedLiterals() {
  static const LiteralCode kFixed = MakeFixedLiterals();
  return kFixed;
}

const DistanceCode& FixedDistances() {
  static const DistanceCode kFixed = MakeFixedDistances();
  return kFixed;
}

size_t FixedBits(const LiteralCode& literals, const DistanceCode& distances) {
  LiteralCode fixed_literals = FixedLiterals();
  DistanceCode fixed_distances = FixedDistances();
  fixed_literals.counts = literals.counts;
  fixed_distances.counts = distances.counts;
  return fixed_literals.BitsOfSymbols() + fixed_distances.BitsOfSymbols();
}

CodeLengths::CodeLengths(const LiteralCode& literals, const DistanceCode& distances)
    : literals_(literals.Used()), distances_(distances.Used()) {
  std::array<uint8_t, kLiteralSymbols + kDistanceSymbols> lengths;
  for (size_t i = 0; i < literals_; ++i) {
    lengths[i] = literals.codes[i].length;
  }
  for (size_t i = 0; i < distances_; ++i) {
    lengths[literals_ + i] = distances.codes[i].length;
  }
  const size_t count = literals_ + distances_;
  for (size_t at = 0; at < count;) {
    size_t end = at + 1;
    while (end < count && lengths[end] == lengths[at]) {
      ++end;
    }
    AddRun(lengths[at], end - at);
    at = end;
  }
  code_.Build(kLongestLengthCode);
  while (written_ > 4 && code_.counts[kLengthCodeOrder[written_ - 1]] == 0) {
    --written_;
  }
}

size_t CodeLengths::Bits() const {
  size_t bits = 3 + 5 + 5 + 4 + 3 * written_ + code_.BitsOfSymbols();
  for (size_t i = 16; i < kLengthCodeSymbols; ++i) {
    bits += code_.counts[i] * static_cast<size_t>(RunBits(i));
  }
  return bits;
}

void CodeLengths::Write(BitSink& sink) const {
  sink.Put(0b100, 3);
  sink.Put(literals_ - kFirstLengthSymbol, 5);
  sink.Put(distances_ - 1, 5);
  sink.Put(written_ - 4, 4);
  for (size_t i = 0; i < written_; ++i) {
    sink.Put(code_.codes[kLengthCodeOrder[i]].length, 3);
  }
  for (const Symbol& run : std::span(runs_).first(run_count_)) {
    sink.Put(code_.codes[run.symbol].bits, code_.codes[run.symbol].length);
    sink.Put(run.extra, run.extra_bits);
  }
}

void CodeLengths::Add(size_t symbol, size_t extra) {
  ++code_.counts[symbol];
  runs_[run_count_++] = {.symbol = static_cast<uint32_t>(symbol),
                         .extra = static_cast<uint32_t>(extra),
                         .extra_bits = RunBits(symbol)};
}

void CodeLengths::AddRun(uint8_t length, size_t count) {
  if (length == 0) {
    for (; count >= 11; count -= std::min<size_t>(count, 138)) {
      Add(18, std::min<size_t>(count, 138) - 11);
    }
    if (count >= 3) {
      Add(17, count - 3);
      count = 0;
    }
  } else {
    Add(length, 0);
    for (--count; count >= 3; count -= std::min<size_t>(count, 6)) {
      Add(16, std::min<size_t>(count, 6) - 3);
    }
  }
  for (; count > 0; --count) {
    Add(length, 0);
  }
}

void WriteTokens(std::span<const Token> tokens, const LiteralCode& literals,
                 const DistanceCode& distances, BitSink& sink) {
  const auto put = [&](const Code& code, const Symbol& symbol) {
    sink.Put(code.bits, code.length);
    sink.Put(symbol.extra, symbol.extra_bits);
  };
  for (const Token& token : tokens) {
    if (token.length == 0) {
      put(literals.codes[token.distance], {});
      continue;
    }
    const Symbol length = LengthSymbol(token.length);
    put(literals.codes[length.symbol], length);
    const Symbol distance = DistanceSymbol(token.distance);
    put(distances.codes[distance.symbol], distance);
  }
}

}  // namespace kinu::deflate
