#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "codec/deflate_codes.h"
#include "codec/go_deflate.h"

// This encoder looks at a text in parts of the size of a stored block. Each becomes at most one
// block, which may go on with the prefix codes of the block before.
namespace kinu {
namespace {

using deflate::BitSink;
using deflate::CodeLengths;
using deflate::DistanceCode;
using deflate::DistanceSymbol;
using deflate::FixedBits;
using deflate::FixedDistances;
using deflate::FixedLiterals;
using deflate::kEndOfBlock;
using deflate::kFirstLengthSymbol;
using deflate::kShortestLength;
using deflate::LengthSymbol;
using deflate::LiteralCode;
using deflate::Symbol;
using deflate::Token;

constexpr size_t kPart = deflate::kLongestStored;
constexpr size_t kNoMatches = 128;   // A last part below this is not searched for matches,
constexpr size_t kNoCode = 32;       // and up to this it is stored.
constexpr size_t kManyTokens = 250;  // A block with fewer may be a fixed one.
constexpr size_t kHeaderGuess =
    560;                            // What a header is taken to cost that is not yet made, in bits.
constexpr size_t kFewBytes = 1024;  // Longer texts are looked at for whether they are random.
constexpr int kNewCodePenalty = 7;  // New codes cost 1/128 more than estimated.

// The size of a text in a stored block, in bits.
size_t StoredBits(std::string_view text) {
  return (text.size() + 5) * 8;
}

// How often the symbols of a block occur, with its tokens.
class Block {
 public:
  void AddLiterals(std::string_view text) {
    for (const char c : text) {
      const auto byte = static_cast<uint8_t>(c);
      ++literals_[byte];
      tokens_.push_back({.distance = byte});
    }
  }
  // A match of any length, as one token or more.
  void AddMatch(int64_t length, int64_t distance) {
    constexpr int64_t kLongest = deflate::kLongestLength;
    while (length > 0) {
      // What is left after a token must be enough for another.
      const int64_t rest =
          length > kLongest + kShortestLength ? kLongest : kLongest - kShortestLength;
      const int64_t now = length > kLongest ? rest : length;
      length -= now;
      const Token token{.length = static_cast<uint16_t>(now),
                        .distance = static_cast<uint16_t>(distance)};
      const Symbol length_symbol = LengthSymbol(token.length);
      const Symbol distance_symbol = DistanceSymbol(token.distance);
      ++literals_[length_symbol.symbol];
      ++distances_[distance_symbol.symbol];
      extra_bits_ += static_cast<size_t>(length_symbol.extra_bits + distance_symbol.extra_bits);
      tokens_.push_back(token);
    }
  }
  void Clear() {
    literals_ = {};
    distances_ = {};
    extra_bits_ = 0;
    tokens_.clear();
  }
  std::span<const Token> tokens() const { return tokens_; }
  size_t extra_bits() const { return extra_bits_; }
  // Makes these the counts of both codes, with those symbols that each block needs.
  void CountIn(LiteralCode& literals, DistanceCode& distances) const {
    literals.counts = literals_;
    literals.counts[kEndOfBlock] = 1;
    distances.counts = distances_;
    if (distances.Used() == 0) {
      distances.counts[0] = 1;
    }
  }
  // Whether the symbols that occur have codes.
  bool FitsCodes(LiteralCode literals, DistanceCode distances) const {
    CountIn(literals, distances);
    distances.counts = distances_;
    return literals.Covers() && distances.Covers();
  }
  // What the symbols would take with the best of codes, by their entropy. `tokens` is their number
  // with the end of the block, where that is part of it.
  size_t EstimatedBits(size_t tokens) const;

 private:
  decltype(LiteralCode::counts) literals_{};
  decltype(DistanceCode::counts) distances_{};
  size_t extra_bits_ = 0;
  std::vector<Token> tokens_;
};

// A rough logarithm to the base of 2, in single precision: what it gives decides between codes.
float RoughLog2(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto exponent = static_cast<float>(static_cast<int>(bits >> 23 & 255) - 128);
  const auto fraction = std::bit_cast<float>((bits & 0x807FFFFFU) + (127U << 23));
  return exponent + (((-0.34484843F * fraction) + 2.02466578F) * fraction - 0.67487759F);
}

// Adds the entropy of symbols that occur `counts` times.
void AddEntropy(std::span<const uint32_t> counts, float share, float& bits) {
  for (const uint32_t count : counts) {
    if (count != 0) {
      const auto number = static_cast<float>(count);
      bits += std::min(15.0F, std::max(1.0F, -RoughLog2(number * share))) * number;
    }
  }
}

size_t Block::EstimatedBits(size_t tokens) const {
  float bits = 0;
  const std::span<const uint32_t> literals(literals_);
  const float share = 1.0F / static_cast<float>(tokens);
  AddEntropy(literals.first(kEndOfBlock), share, bits);
  bits += 15;  // the end of the block
  AddEntropy(literals.subspan(kFirstLengthSymbol), share, bits);
  uint32_t matches = 0;
  for (const uint32_t count : literals.subspan(kFirstLengthSymbol)) {
    matches += count;
  }
  if (matches > 0) {
    AddEntropy(distances_, 1.0F / static_cast<float>(matches), bits);
  }
  return static_cast<size_t>(bits) + extra_bits_;
}

// Whether the bytes occur about equally often. Ref: go1.27:compress/flate writeBlockHuff.
bool IsRandom(std::string_view text, const LiteralCode& literals) {
  const double average = static_cast<double>(text.size()) / 256;
  const auto limit = static_cast<double>(text.size() * 2);
  double deviation = 0;
  for (size_t i = 0; i < kEndOfBlock && deviation < limit; ++i) {
    const double difference = static_cast<double>(literals.counts[i]) - average;
    deviation += difference * difference;
  }
  return deviation < limit;
}

// Writes blocks. A dynamic block stays open until it is known whether the next goes on with its
// codes.
class BlockWriter {
 public:
  void PutStored(std::string_view text) {
    EndBlock();
    sink_.PutStored(text, false);
  }
  // Writes tokens, or `text`, which they stand for, whatever is smaller.
  void PutTokens(const Block& block, std::string_view text, bool last);
  // Writes a text without matches.
  void PutLiterals(std::string_view text, bool last);
  std::string Finish() && {
    PutStored({});
    sink_.Put(0b011, 3);
    sink_.Put(0, 7);
    sink_.FillByte();
    return std::move(sink_).Take();
  }

 private:
  void EndBlock() {
    if (open_bits_ > 0) {
      WriteEndOfBlock(literals_, sink_);
      open_bits_ = 0;
    }
  }
  void PutFixed(const Block& block) {
    EndBlock();
    sink_.Put(0b010, 3);
    WriteTokens(block.tokens(), FixedLiterals(), FixedDistances(), sink_);
    WriteEndOfBlock(FixedLiterals(), sink_);
  }
  // Closes the open block if its codes are no good for this one.
  void ChooseCodes(const Block& block, size_t tokens);

  BitSink sink_;
  LiteralCode literals_;
  DistanceCode distances_;
  size_t open_bits_ = 0;        // The size of the open block's header; 0: no block is open.
  bool only_literals_ = false;  // The codes of the open block have no matches.
};

void BlockWriter::PutTokens(const Block& block, std::string_view text, bool last) {
  const size_t tokens = block.tokens().size() + (last ? 1 : 0);
  if (open_bits_ > 0 && (only_literals_ || !block.FitsCodes(literals_, distances_))) {
    EndBlock();
  }
  block.CountIn(literals_, distances_);
  const size_t fixed = 3 + FixedBits(literals_, distances_) + block.extra_bits();
  const size_t stored = StoredBits(text);
  const auto bits_of_symbols = [&] {
    return literals_.BitsOfSymbols() + distances_.BitsOfSymbols() + block.extra_bits();
  };
  if (open_bits_ > 0) {
    size_t fresh = open_bits_ + block.EstimatedBits(tokens);
    fresh += literals_.codes[kEndOfBlock].length + (fresh >> kNewCodePenalty);
    const size_t reused = bits_of_symbols();
    const size_t size = std::min(fresh, reused);
    if (fresh < reused) {
      EndBlock();
    }
    const bool is_fixed = tokens < kManyTokens && fixed + 7 < size;
    if (stored <= size) {
      return PutStored(text);
    }
    if (is_fixed) {
      return PutFixed(block);
    }
  }
  if (open_bits_ == 0) {
    literals_.Build();
    distances_.Build();
    const CodeLengths lengths(literals_, distances_);
    const size_t size = lengths.Bits() + bits_of_symbols();
    const bool is_fixed = tokens < kManyTokens && fixed <= size;
    if (stored <= (is_fixed ? fixed : size)) {
      return PutStored(text);
    }
    if (is_fixed) {
      return PutFixed(block);
    }
    lengths.Write(sink_);
    open_bits_ = lengths.Bits();
    only_literals_ = false;
  }
  WriteTokens(block.tokens(), literals_, distances_, sink_);
  if (last) {
    EndBlock();
  }
}

void BlockWriter::PutLiterals(std::string_view text, bool last) {
  LiteralCode fresh;
  for (const char c : text) {
    ++fresh.counts[static_cast<uint8_t>(c)];
  }
  if (text.size() > kFewBytes && IsRandom(text, fresh)) {
    return PutStored(text);
  }
  LiteralCode reused{.counts = fresh.counts, .codes = literals_.codes};
  fresh.counts[kEndOfBlock] = 1;
  fresh.Build();
  size_t estimate = fresh.BitsOfSymbols() + (open_bits_ > 0 ? open_bits_ : kHeaderGuess);
  estimate += estimate >> kNewCodePenalty;
  if (StoredBits(text) <= estimate) {
    return PutStored(text);
  }
  if (open_bits_ > 0 && (!reused.Covers() || estimate < reused.BitsOfSymbols())) {
    EndBlock();
  }
  if (open_bits_ == 0) {
    literals_ = fresh;
    DistanceCode no_distances;
    no_distances.counts[0] = 1;
    no_distances.Build();
    const CodeLengths lengths(literals_, no_distances);
    lengths.Write(sink_);
    open_bits_ = lengths.Bits();
    only_literals_ = true;
  }
  for (const char c : text) {
    const deflate::Code& code = literals_.codes[static_cast<uint8_t>(c)];
    sink_.Put(code.bits, code.length);
  }
  if (last) {
    EndBlock();
  }
}

// Finds matches. Positions are offsets in the whole text.
class Matcher {
 public:
  explicit Matcher(std::string_view text)
      : text_(text), short_(kEntries, kNever), long_(kEntries) {}

  // Encodes the part from `begin` to `end`. A part without matches leaves the block empty.
  void Encode(size_t begin, size_t end, Block& block);

 private:
  static constexpr int kHashBits = 15;
  static constexpr size_t kEntries = size_t{1} << kHashBits;
  static constexpr int64_t kReach = int64_t{1} << 15;
  static constexpr int64_t kNever = std::numeric_limits<int64_t>::min() / 2;
  static constexpr int64_t kHashed = 4;          // bytes that the shorter hash looks at
  static constexpr int64_t kMargin = 11;         // bytes at the end of a part that start no match
  static constexpr int64_t kMeasured = 258 - 4;  // how far candidates are compared beyond kHashed

  // The last two positions with a hash of seven bytes.
  struct Pair {
    int64_t latest = kNever;
    int64_t before = kNever;
  };
  // The text at `at` equals that at `from`. A length of 0 is not yet measured.
  struct Match {
    int64_t at = 0;
    int64_t from = 0;
    int64_t length = 0;
  };

  uint32_t Load32(int64_t at) const {
    return static_cast<uint32_t>(Byte(at)) | static_cast<uint32_t>(Byte(at + 1)) << 8 |
           static_cast<uint32_t>(Byte(at + 2)) << 16 | static_cast<uint32_t>(Byte(at + 3)) << 24;
  }
  uint64_t Load64(int64_t at) const {
    return Load32(at) | static_cast<uint64_t>(Load32(at + 4)) << 32;
  }
  uint8_t Byte(int64_t at) const { return static_cast<uint8_t>(text_[static_cast<size_t>(at)]); }
  int64_t& ShortOf(uint64_t bytes) {
    return short_[static_cast<uint32_t>(bytes) * 2654435761U >> (32 - kHashBits)];
  }
  Pair& LongOf(uint64_t bytes) {
    return long_[(bytes << 8) * 58295818150454627U >> (64 - kHashBits)];
  }
  void EnterLong(uint64_t bytes, int64_t at) {
    Pair& pair = LongOf(bytes);
    pair.before = std::exchange(pair.latest, at);
  }
  void Enter(uint64_t bytes, int64_t at) {
    ShortOf(bytes) = at;
    EnterLong(bytes, at);
  }
  // Whether the first four of `bytes`, which are at `at`, are also at `from`, within reach.
  bool Matches(uint64_t bytes, int64_t at, int64_t from) const {
    return at - from < kReach && Load32(from) == static_cast<uint32_t>(bytes);
  }
  // How many bytes are equal, up to the end of the part or `most`.
  int64_t Common(int64_t at, int64_t from,
                 int64_t most = std::numeric_limits<int64_t>::max()) const {
    const int64_t limit = std::min(most, end_ - at);
    int64_t length = 0;
    while (length + 8 <= limit && Load64(at + length) == Load64(from + length)) {
      length += 8;
    }
    while (length < limit && Byte(at + length) == Byte(from + length)) {
      ++length;
    }
    return length;
  }
  int64_t MeasuredLength(int64_t at, int64_t from) const {
    return Common(at + kHashed, from + kHashed, kMeasured) + kHashed;
  }

  bool Find();
  bool FindLong(uint64_t bytes, const Pair& pair);
  bool FindShort(uint64_t bytes, int64_t from, uint64_t next);
  void Extend();
  void TryAtEnd();
  void EnterMatched();

  std::string_view text_;
  std::vector<int64_t> short_;  // by hash of four bytes: the last position
  std::vector<Pair> long_;
  int64_t end_ = 0;      // of the part
  int64_t at_ = 0;       // where the search stands,
  int64_t next_ = 0;     // and where it goes on
  int64_t emitted_ = 0;  // up to where tokens have been made
  int64_t repeat_ = 1;   // the distance of the last match
  Match match_;
};

// Goes on to the next match; false if the part has no more.
bool Matcher::Find() {
  constexpr int kSkip = 7;  // The longer nothing matches, the more bytes are skipped.
  for (next_ = at_;;) {
    at_ = next_;
    next_ = at_ + 1 + ((at_ - emitted_) >> kSkip);
    if (next_ > end_ - kMargin) {
      return false;
    }
    const uint64_t bytes = Load64(at_);
    const uint64_t next = Load64(next_);
    const int64_t from = ShortOf(bytes);
    const Pair pair = LongOf(bytes);
    Enter(bytes, at_);
    if (FindLong(bytes, pair)) {
      Enter(next, next_);
      return true;
    }
    if (FindShort(bytes, from, next)) {
      Enter(next, next_);
      return true;
    }
  }
}

bool Matcher::FindLong(uint64_t bytes, const Pair& pair) {
  const bool has_before = Matches(bytes, at_, pair.before);
  if (at_ - pair.latest >= kReach) {
    return false;
  }
  if (!Matches(bytes, at_, pair.latest)) {
    match_ = {.at = at_, .from = pair.before};
    return has_before;
  }
  match_ = {.at = at_, .from = pair.latest};
  if (has_before) {
    match_.length = MeasuredLength(at_, pair.latest);
    const int64_t length = MeasuredLength(at_, pair.before);
    if (length > match_.length) {
      match_ = {.at = at_, .from = pair.before, .length = length};
    }
  }
  return true;
}

bool Matcher::FindShort(uint64_t bytes, int64_t from, uint64_t next) {
  if (!Matches(bytes, at_, from)) {
    return false;
  }
  match_ = {.at = at_, .from = from, .length = MeasuredLength(at_, from)};
  // The next byte may go on with the last distance.
  const int64_t repeated = at_ + 1 - repeat_;
  if (Load32(repeated) == static_cast<uint32_t>(bytes >> 8)) {
    const int64_t length = MeasuredLength(at_ + 1, repeated);
    if (length > match_.length) {
      match_ = {.at = at_ + 1, .from = repeated, .length = length};
      return true;
    }
  }
  const Pair pair = LongOf(next);
  if (next_ - pair.latest >= kReach) {
    return true;
  }
  for (const int64_t candidate : {pair.latest, pair.before}) {
    if (Matches(next, next_, candidate)) {
      const int64_t length = MeasuredLength(next_, candidate);
      if (length > match_.length) {
        match_ = {.at = next_, .from = candidate, .length = length};
      }
    }
  }
  return true;
}

// Makes the match as long as it can be, to both sides.
void Matcher::Extend() {
  Match& match = match_;
  if (match.length == 0) {
    match.length = Common(match.at + kHashed, match.from + kHashed) + kHashed;
  } else if (match.length == deflate::kLongestLength) {
    match.length += Common(match.at + match.length, match.from + match.length);
  }
  TryAtEnd();
  while (match.from > 0 && match.at > emitted_ && Byte(match.from - 1) == Byte(match.at - 1)) {
    --match.at;
    --match.from;
    ++match.length;
  }
}

// Takes another match that begins two bytes later, if what follows the match leads to a longer one.
void Matcher::TryAtEnd() {
  constexpr int64_t kSkipped = 2;
  if (match_.at + match_.length >= end_ - kMargin) {
    return;
  }
  const Pair pair = LongOf(Load64(match_.at + match_.length));
  const int64_t at = match_.at + kSkipped;
  for (const int64_t candidate : {pair.latest, pair.before}) {
    const int64_t from = candidate - match_.length + kSkipped;
    if (at - from >= kReach) {
      return;
    }
    if (at > from && from >= 0) {
      const int64_t length = Common(at, from);
      if (length > match_.length) {
        match_ = {.at = at, .from = from, .length = length};
      }
    }
  }
}

// Enters what a match has passed by. `at_` is where it ends.
void Matcher::EnterMatched() {
  const int64_t first = next_ + 1;
  if (next_ >= at_) {
    at_ = next_ + 1;
  }
  if (at_ >= end_ - kMargin) {
    for (int64_t i = first; i < end_ - 8; i += 2) {
      Enter(Load64(i), i);
    }
    return;
  }
  for (int64_t i = first; i < at_ - 1; i += 2) {
    const uint64_t bytes = Load64(i);
    Enter(bytes, i);
    EnterLong(bytes >> 8, i + 1);
  }
}

void Matcher::Encode(size_t begin, size_t end, Block& block) {
  end_ = static_cast<int64_t>(end);
  at_ = static_cast<int64_t>(begin);
  emitted_ = at_;
  repeat_ = 1;
  const auto literals = [&](int64_t until) {
    block.AddLiterals(
        text_.substr(static_cast<size_t>(emitted_), static_cast<size_t>(until - emitted_)));
  };
  while (at_ < end_ - kMargin && Find()) {
    Extend();
    literals(match_.at);
    repeat_ = match_.at - match_.from;
    block.AddMatch(match_.length, repeat_);
    at_ = match_.at + match_.length;
    emitted_ = at_;
    EnterMatched();
  }
  if (!block.tokens().empty()) {
    literals(end_);
  }
}

}  // namespace

std::string Go127Deflate(std::string_view bytes) {
  BlockWriter writer;
  Block block;
  std::optional<Matcher> matcher;
  for (size_t begin = 0; begin < bytes.size(); begin += kPart) {
    const std::string_view part = bytes.substr(begin, kPart);
    const bool last = begin + part.size() == bytes.size();
    if (last && part.size() < kNoMatches) {
      if (part.size() <= kNoCode) {
        writer.PutStored(part);
      } else {
        writer.PutLiterals(part, true);
      }
      continue;
    }
    if (!matcher) {
      matcher.emplace(bytes);
    }
    block.Clear();
    matcher->Encode(begin, begin + part.size(), block);
    if (block.tokens().empty()) {
      writer.PutStored(part);
    } else if (block.tokens().size() > part.size() - (part.size() >> 4)) {
      writer.PutLiterals(part, last);
    } else {
      writer.PutTokens(block, part, last);
    }
  }
  return std::move(writer).Finish();
}

}  // namespace kinu
