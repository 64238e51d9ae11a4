#include "codec/go_deflate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace kinu {
namespace {

// The format, RFC 1951.
constexpr size_t kEndOfBlock = 256;
constexpr size_t kFirstLengthSymbol = 257;
constexpr size_t kLiteralSymbols = 286;
constexpr size_t kDistanceSymbols = 30;
constexpr size_t kLengthCodeSymbols = 19;
constexpr uint32_t kShortestLength = 3;
constexpr uint32_t kLongestLength = 258;
constexpr size_t kLongestStored = 65535;
constexpr int kLongestCode = 15;
constexpr int kLongestLengthCode = 7;
constexpr std::array<uint8_t, kLengthCodeSymbols> kLengthCodeOrder = {
    16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

// The choices of this encoder.
constexpr size_t kWindow = size_t{1} << 15;
constexpr size_t kBuffer = 2 * kWindow;  // The text is seen through a buffer of this size,
constexpr size_t kLookahead = 4 + 258;   // which moves on when less than this is left in it.
constexpr size_t kTokensOfBlock = 1 << 14;
constexpr int kHashBits = 17;
constexpr size_t kHashedBytes = 4;
constexpr size_t kShortestMatch = 4;
constexpr size_t kFarMatch = 4096;  // Beyond this distance a shortest match is no gain.
constexpr size_t kNiceMatch = 128;  // As long as this ends a search,
constexpr size_t kLazyMatch = 16;   // and this long is taken without a look at the next.
constexpr int kTries = 128;

// Either a literal byte, or `length` bytes from `distance` bytes before.
struct Token {
  uint16_t length = 0;    // 0: a literal
  uint16_t distance = 0;  // or the literal
};

// A symbol of the length or distance alphabet, with the bits that follow it.
struct Symbol {
  uint32_t symbol = 0;
  uint32_t extra = 0;
  int extra_bits = 0;
};

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

// Bits, least significant first.
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
  void PutStored(std::string_view bytes, bool last) {
    Put(last ? 1 : 0, 3);
    FillByte();
    Put(bytes.size(), 16);
    Put(~bytes.size() & 0xFFFF, 16);
    bytes_ += bytes;
  }
  std::string Take() && { return std::move(bytes_); }

 private:
  std::string bytes_;
  uint64_t pending_ = 0;
  int pending_bits_ = 0;
};

// The code of one symbol; its bits are in the order in which they are written.
struct Code {
  uint16_t bits = 0;
  uint8_t length = 0;
};

// A prefix code, with how often each symbol is to be written with it.
template <size_t kSymbols>
struct PrefixCode {
  std::array<uint32_t, kSymbols> counts{};
  std::array<Code, kSymbols> codes{};

  size_t BitsOfSymbols() const {
    size_t bits = 0;
    for (size_t i = 0; i < kSymbols; ++i) {
      bits += size_t{counts[i]} * codes[i].length;
    }
    return bits;
  }
  // The symbols up to the last that occurs.
  size_t Used() const {
    size_t used = kSymbols;
    while (used > 0 && counts[used - 1] == 0) {
      --used;
    }
    return used;
  }
};

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

template <size_t kSymbols>
void BuildCode(PrefixCode<kSymbols>& code, int limit) {
  code.codes = {};
  std::array<uint16_t, kSymbols> symbols;
  size_t count = 0;
  for (size_t i = 0; i < kSymbols; ++i) {
    if (code.counts[i] != 0) {
      symbols[count++] = static_cast<uint16_t>(i);
    }
  }
  if (count <= 2) {
    for (size_t i = 0; i < count; ++i) {
      code.codes[symbols[i]].length = 1;
    }
    NumberCodes(code.codes);
    return;
  }
  std::sort(symbols.begin(), symbols.begin() + static_cast<long>(count),
            [&](uint16_t a, uint16_t b) {
              return code.counts[a] != code.counts[b] ? code.counts[a] < code.counts[b] : a < b;
            });
  std::array<uint32_t, kSymbols> weights;
  for (size_t i = 0; i < count; ++i) {
    weights[i] = code.counts[symbols[i]];
  }
  limit = std::min(limit, static_cast<int>(count) - 1);
  const auto of_length = CodesOfLength(std::span(weights).first(count), limit);
  size_t rest = count;  // The most frequent symbols get the shortest codes.
  for (size_t length = 1; length <= static_cast<size_t>(limit); ++length) {
    for (size_t i = 0; i < of_length[length]; ++i) {
      code.codes[symbols[--rest]].length = static_cast<uint8_t>(length);
    }
  }
  NumberCodes(code.codes);
}

using LiteralCode = PrefixCode<kLiteralSymbols>;
using DistanceCode = PrefixCode<kDistanceSymbols>;

/// The length of a symbol's code in the fixed literal code.
uint8_t FixedLength(size_t symbol) {
  if (symbol < 144 || symbol >= 280) {
    return 8;
  }
  return symbol < 256 ? 9 : 7;
}

LiteralCode FixedLiterals() {
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

DistanceCode FixedDistances() {
  std::array<Code, kDistanceSymbols + 2> codes;
  std::fill(codes.begin(), codes.end(), Code{.length = 5});
  NumberCodes(codes);
  DistanceCode fixed;
  std::copy_n(codes.begin(), kDistanceSymbols, fixed.codes.begin());
  return fixed;
}

// The code lengths of a block in their run-length form, and the code for that.
class CodeLengths {
 public:
  CodeLengths(const LiteralCode& literals, const DistanceCode& distances)
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
    BuildCode(code_, kLongestLengthCode);
    while (written_ > 4 && code_.counts[kLengthCodeOrder[written_ - 1]] == 0) {
      --written_;
    }
  }
  size_t Bits() const {
    size_t bits = 3 + 5 + 5 + 4 + 3 * written_ + code_.BitsOfSymbols();
    for (size_t i = 16; i < kLengthCodeSymbols; ++i) {
      bits += code_.counts[i] * static_cast<size_t>(ExtraBits(i));
    }
    return bits;
  }
  void Write(BitSink& sink) const {
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

 private:
  static int ExtraBits(size_t symbol) {
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
  void Add(size_t symbol, size_t extra) {
    ++code_.counts[symbol];
    runs_[run_count_++] = {.symbol = static_cast<uint32_t>(symbol),
                           .extra = static_cast<uint32_t>(extra),
                           .extra_bits = ExtraBits(symbol)};
  }
  void AddRun(uint8_t length, size_t count) {
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

  size_t literals_;
  size_t distances_;
  size_t written_ = kLengthCodeSymbols;
  PrefixCode<kLengthCodeSymbols> code_;
  std::array<Symbol, kLiteralSymbols + kDistanceSymbols> runs_;
  size_t run_count_ = 0;
};

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
  put(literals.codes[kEndOfBlock], {});
}

// Writes a block in its smallest form. `stored` is its text, or nothing if that is out of reach.
void WriteBlock(std::span<const Token> tokens, const std::string_view* stored, BitSink& sink) {
  LiteralCode literals;
  DistanceCode distances;
  size_t extra_bits = 0;
  for (const Token& token : tokens) {
    if (token.length == 0) {
      ++literals.counts[token.distance];
      continue;
    }
    const Symbol length = LengthSymbol(token.length);
    const Symbol distance = DistanceSymbol(token.distance);
    ++literals.counts[length.symbol];
    ++distances.counts[distance.symbol];
    extra_bits += static_cast<size_t>(length.extra_bits + distance.extra_bits);
  }
  literals.counts[kEndOfBlock] = 1;
  if (distances.Used() == 0) {
    distances.counts[0] = 1;  // A code of distances must not be empty; its bit is counted, too.
  }
  LiteralCode fixed_literals = FixedLiterals();
  DistanceCode fixed_distances = FixedDistances();
  fixed_literals.counts = literals.counts;
  fixed_distances.counts = distances.counts;
  BuildCode(literals, kLongestCode);
  BuildCode(distances, kLongestCode);
  const CodeLengths lengths(literals, distances);
  const size_t fixed =
      3 + fixed_literals.BitsOfSymbols() + fixed_distances.BitsOfSymbols() + extra_bits;
  const size_t dynamic =
      lengths.Bits() + literals.BitsOfSymbols() + distances.BitsOfSymbols() + extra_bits;
  if (stored != nullptr && stored->size() <= kLongestStored &&
      (stored->size() + 5) * 8 < std::min(fixed, dynamic)) {
    sink.PutStored(*stored, false);
  } else if (dynamic < fixed) {
    lengths.Write(sink);
    WriteTokens(tokens, literals, distances, sink);
  } else {
    sink.Put(0b010, 3);
    WriteTokens(tokens, fixed_literals, fixed_distances, sink);
  }
}

struct Match {
  size_t length = kShortestMatch - 1;  // This: none.
  size_t distance = 0;
};

// The places where each hash of four bytes was seen, latest first. Places are kept as the low 32
// bits of position + 1, and followed by their distance, so that texts may have any size.
class Chains {
 public:
  explicit Chains(std::string_view text)
      : text_(text), latest_(size_t{1} << kHashBits), earlier_(kWindow) {}

  // Enters the text at `at` into the table; returns how far before the same hash was last seen (or
  // more than any reach).
  uint32_t Add(size_t at) {
    if (at + kHashedBytes > text_.size()) {
      return UINT32_MAX;
    }
    uint32_t bytes;
    std::memcpy(&bytes, text_.data() + at, kHashedBytes);
    if constexpr (std::endian::native == std::endian::little) {
      bytes = __builtin_bswap32(bytes);
    }
    uint32_t& latest = latest_[(bytes * 0x1E35A7BDU) >> (32 - kHashBits)];
    earlier_[at % kWindow] = latest;
    return Distance(at, std::exchange(latest, static_cast<uint32_t>(at + 1)));
  }

  // The longest match for the text at `at`, the nearest of equals, which starts at most `reach`
  // bytes before. `distance` is what Add gave.
  Match Find(size_t at, uint32_t distance, size_t reach) const {
    Match best;
    const char* here = text_.data() + at;
    const size_t longest = std::min<size_t>(text_.size() - at, kLongestLength);
    const size_t nice = std::min(longest, kNiceMatch);
    for (int tries = kTries; tries > 0 && distance <= reach; --tries) {
      const char* there = here - distance;
      if (there[best.length] == here[best.length]) {
        const size_t length = CommonPrefix(there, here, longest);
        if (length > best.length && (length > kShortestMatch || distance <= kFarMatch)) {
          best = {.length = length, .distance = distance};
          if (length >= nice) {
            break;
          }
        }
      }
      if (distance == kWindow) {
        break;  // Its link is already that of a later place.
      }
      distance = Distance(at, earlier_[(at - distance) % kWindow]);
    }
    return best;
  }

 private:
  static uint32_t Distance(size_t at, uint32_t place) {
    return place == 0 ? UINT32_MAX : static_cast<uint32_t>(at + 1) - place;
  }
  static size_t CommonPrefix(const char* a, const char* b, size_t limit) {
    size_t length = 0;
    for (; length + 8 <= limit; length += 8) {
      uint64_t left;
      uint64_t right;
      std::memcpy(&left, a + length, 8);
      std::memcpy(&right, b + length, 8);
      if (left != right) {
        break;
      }
    }
    while (length < limit && a[length] == b[length]) {
      ++length;
    }
    return length;
  }

  std::string_view text_;
  std::vector<uint32_t> latest_;
  std::vector<uint32_t> earlier_;
};

}  // namespace

std::string GoDeflate(std::string_view bytes) {
  BitSink sink;
  Chains chains(bytes);
  std::vector<Token> tokens;
  tokens.reserve(std::min(bytes.size(), kTokensOfBlock));
  size_t buffer = 0;  // Where the buffer starts: nothing before it can be matched or stored.
  size_t block = 0;   // Where the text of `tokens` starts.
  size_t at = 0;
  const auto end_block = [&] {
    const std::string_view text = bytes.substr(block, at - block);
    WriteBlock(tokens, block >= buffer ? &text : nullptr, sink);
    tokens.clear();
    block = at;
  };
  Match pending;          // The match found one byte before `at`.
  bool has_byte = false;  // That byte is not yet part of a token.
  while (at < bytes.size()) {
    if (at + kLookahead > buffer + kBuffer && bytes.size() > buffer + kBuffer) {
      buffer += kWindow;
    }
    const uint32_t distance = chains.Add(at);
    Match match;
    if (bytes.size() - at > pending.length && pending.length < kLazyMatch) {
      match = chains.Find(at, distance, std::min(kWindow, at - buffer));
    }
    if (pending.length >= kShortestMatch && match.length <= pending.length) {
      tokens.push_back({.length = static_cast<uint16_t>(pending.length),
                        .distance = static_cast<uint16_t>(pending.distance)});
      const size_t end = at - 1 + pending.length;
      for (++at; at < end; ++at) {
        chains.Add(at);
      }
      pending = {};
      has_byte = false;
      if (tokens.size() == kTokensOfBlock) {
        end_block();
      }
      continue;
    }
    if (has_byte) {
      tokens.push_back({.distance = static_cast<uint8_t>(bytes[at - 1])});
      if (tokens.size() == kTokensOfBlock) {
        end_block();
      }
    }
    pending = match;
    has_byte = true;
    ++at;
  }
  if (has_byte) {
    tokens.push_back({.distance = static_cast<uint8_t>(bytes[at - 1])});
  }
  if (!tokens.empty()) {
    end_block();
  }
  sink.PutStored({}, false);
  sink.PutStored({}, true);
  return std::move(sink).Take();
}

}  // namespace kinu
