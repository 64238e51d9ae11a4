#include "codec/go_deflate.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "codec/deflate_codes.h"

namespace kinu {
namespace {

using deflate::BitSink;
using deflate::CodeLengths;
using deflate::DistanceCode;
using deflate::DistanceSymbol;
using deflate::FixedDistances;
using deflate::FixedLiterals;
using deflate::kEndOfBlock;
using deflate::kLongestLength;
using deflate::kLongestStored;
using deflate::LengthSymbol;
using deflate::LiteralCode;
using deflate::Symbol;
using deflate::Token;

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
  const size_t fixed = 3 + FixedBits(literals, distances) + extra_bits;
  literals.Build();
  distances.Build();
  const CodeLengths lengths(literals, distances);
  const size_t dynamic =
      lengths.Bits() + literals.BitsOfSymbols() + distances.BitsOfSymbols() + extra_bits;
  if (stored != nullptr && stored->size() <= kLongestStored &&
      (stored->size() + 5) * 8 < std::min(fixed, dynamic)) {
    sink.PutStored(*stored, false);
  } else if (dynamic < fixed) {
    lengths.Write(sink);
    WriteTokens(tokens, literals, distances, sink);
    WriteEndOfBlock(literals, sink);
  } else {
    sink.Put(0b010, 3);
    WriteTokens(tokens, FixedLiterals(), FixedDistances(), sink);
    WriteEndOfBlock(FixedLiterals(), sink);
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
