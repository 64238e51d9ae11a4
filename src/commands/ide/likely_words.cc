#include "ide/likely_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>

#include "base/files.h"
#include "base/flat_map.h"
#include "hcl/lexer.h"
#include "ide/regions.h"

namespace kinu::ide {
namespace {

using hcl::Token;
using hcl::TokenKind;

/// So many bytes are read at most: around the cursor, and of other files.
constexpr size_t kMostOwnText = 192 << 10;
constexpr size_t kMostOtherText = 192 << 10;

/// What is equal in two places that are alike, from what says the most to what says the least. Each
/// place has the features of its kind.
enum class Feature : uint8_t {
  kThreeBefore,         ///< operand: three tokens before it
  kArgumentAndOne,      ///< operand: block, argument and the token before
  kArgumentNameAndOne,  ///< operand: argument and the token before
  kTwoBefore,           ///< operand: two tokens before
  kArgument,            ///< operand: argument
  kOneBefore,           ///< operand: the token before
  kPath,                ///< behind a dot: all names before
  kPathOfType,          ///< behind a dot: the type of the resource, or the root
  kBodyAndItem,         ///< item: body with its labels, and the item before
  kTypeAndItem,         ///< item: types of the blocks around, and the item before
  kBody,                ///< item: body with its labels
  kBodyType,            ///< item: types of the blocks around
  kLabel,               ///< label: type of the block
  kLabelAfter,          ///< label: type of the block, and what the last such block had
  kCount,
};
constexpr auto kFeatures = static_cast<size_t>(Feature::kCount);
constexpr std::array<double, kFeatures> kWeights = {3, 3, 2, 2, 1.5, 0.7, 2, 1, 4, 2, 2, 1, 1, 1.5};

using Features = std::array<uint64_t, kFeatures>;  // 0: the place has no such feature

uint64_t Mix(Feature feature, std::initializer_list<uint64_t> parts) {
  uint64_t hash = static_cast<uint64_t>(feature) + 1;
  for (const uint64_t part : parts) {
    hash = HashCombine(hash, part);
  }
  return hash == 0 ? 1 : hash;
}

/// A word and the place that it stands in.
struct Sighting {
  std::string_view word;
  std::string_view with_first;  ///< of a reference: with the name behind its root
  uint32_t begin = 0;
  Features features{};
};

/// Reads the tokens of a text, and calls `visit` with each word.
class Sightings {
 public:
  using Visit = std::function<void(const Sighting&)>;
  /// At `stop` reading ends, with a call for the place there, whether or not it has a word.
  Sightings(std::string_view text, std::optional<uint32_t> stop, const Visit& visit)
      : text_(text), stop_(stop), visit_(visit) {
    stack_.emplace_back();
  }
  void Run(uint32_t begin);

 private:
  struct Level {
    bool is_body = true;
    bool is_text = false;
    uint64_t types = 0;        // of the blocks around
    uint64_t labels = 0;       // with their labels
    uint64_t item_before = 0;  // hash of the last item's name
    std::string_view item;     // that is read
    std::string_view key;      // argument, or key of an object
    uint64_t header = 0;
    uint64_t header_labels = 0;
    size_t label_count = 0;
    bool in_value = false;
    bool begins = true;  // an item or key may stand here
  };

  Level& Top() { return stack_.back(); }
  std::string_view Text(const Token& token) const {
    return text_.substr(token.begin, token.end - token.begin);
  }
  uint64_t HashAt(size_t index, size_t back) const {
    if (back > index) {
      return 1;
    }
    const Token& token = tokens_[index - back];
    const bool is_text =
        token.kind == TokenKind::kQuotedText || token.kind == TokenKind::kPlainText;
    return is_text ? 2 : HashBytes(Text(token));
  }
  void Read(size_t index);
  void ReadInBody(size_t index);
  void ReadInBracket(size_t index);
  void Open(size_t index, bool is_body);
  void Close() {
    if (stack_.size() > 1) {
      stack_.pop_back();
    }
  }
  void Word(size_t index);
  void Describe(size_t index, Sighting& out);
  void DescribeOperand(size_t index, Sighting& out);
  std::string_view PathBefore(size_t index) const;

  std::string_view text_;
  std::optional<uint32_t> stop_;
  const Visit& visit_;
  std::vector<Token> tokens_;
  std::vector<Level> stack_;
  FlatMap<uint64_t, uint64_t> last_label_;  // by the type of a block
};

void Sightings::Run(uint32_t begin) {
  hcl::Lexer lexer(text_, hcl::LexMode::kNormal, hcl::Comments::kDrop, begin);
  do {
    lexer.Append(4096, tokens_);
  } while (tokens_.back().kind != TokenKind::kEof && (!stop_ || tokens_.back().begin < *stop_ + 2));
  for (size_t i = 0; i < tokens_.size(); ++i) {
    if (stop_ && tokens_[i].begin >= *stop_) {
      return Word(i);
    }
    if (stop_ && tokens_[i].end > *stop_ && tokens_[i].kind == TokenKind::kQuotedText) {
      return Word(i);
    }
    Read(i);
  }
}

void Sightings::Open(size_t index, bool is_body) {
  const Level& outer = Top();
  Level level{.is_body = is_body, .types = outer.types, .labels = outer.labels};
  if (is_body && outer.is_body) {
    level.types = HashCombine(outer.types, outer.header);
    level.labels = HashCombine(outer.labels, outer.header_labels);
  } else {
    level.key = outer.key;
    level.begins = tokens_[index].kind == TokenKind::kOpenBrace;
  }
  stack_.push_back(level);
}

void Sightings::Read(size_t index) {
  const Token& token = tokens_[index];
  if (Top().is_text) {
    if (token.kind == TokenKind::kTemplateInterpolation ||
        token.kind == TokenKind::kTemplateDirective) {
      Open(index, false);
      Top().begins = false;
    } else if (token.kind == TokenKind::kCloseQuote || token.kind == TokenKind::kCloseHeredoc ||
               token.kind == TokenKind::kQuotedNewline) {
      Close();
    }
    return;
  }
  if (Top().is_body && !Top().in_value) {
    return ReadInBody(index);
  }
  ReadInBracket(index);
}

void Sightings::ReadInBody(size_t index) {
  const Token& token = tokens_[index];
  Level& level = Top();
  switch (token.kind) {
    case TokenKind::kNewline:
      level.begins = true;
      return;
    case TokenKind::kIdent:
      if (level.begins) {
        Word(index);
        level.item = Text(token);
        level.header = HashBytes(level.item);
        level.header_labels = level.header;
        level.label_count = 0;
        level.begins = false;
      }
      return;
    case TokenKind::kQuotedText:
      Word(index);
      if (level.label_count++ == 0) {
        level.header_labels = HashCombine(level.header, HashBytes(Text(token)));
        last_label_[level.header] = HashBytes(Text(token));
      }
      return;
    case TokenKind::kEqual:
      level.in_value = true;
      level.key = level.item;
      level.item_before = HashBytes(level.item);
      return;
    case TokenKind::kOpenBrace:
      level.item_before = HashBytes(level.item);
      return Open(index, true);
    case TokenKind::kCloseBrace:
      return Close();
    default:
      return;
  }
}

void Sightings::ReadInBracket(size_t index) {
  const Token& token = tokens_[index];
  Level& level = Top();
  switch (token.kind) {
    case TokenKind::kNewline:
      if (level.is_body) {
        level.in_value = false;
      }
      level.begins = true;
      return;
    case TokenKind::kComma:
      level.begins = true;
      return;
    case TokenKind::kIdent: {
      const bool is_key = !level.is_body && level.begins && index + 1 < tokens_.size() &&
                          (tokens_[index + 1].kind == TokenKind::kEqual ||
                           tokens_[index + 1].kind == TokenKind::kColon);
      if (is_key) {
        level.key = Text(token);
      } else {
        Word(index);
      }
      level.begins = false;
      return;
    }
    case TokenKind::kOpenBrace:
    case TokenKind::kOpenBracket:
    case TokenKind::kOpenParen:
      level.begins = false;
      return Open(index, false);
    case TokenKind::kOpenQuote:
    case TokenKind::kOpenHeredoc:
      level.begins = false;
      Open(index, false);
      Top().is_text = true;
      return;
    case TokenKind::kCloseBrace:
      if (level.is_body) {  // the end of a block behind an argument on its line
        Close();
        return;
      }
      [[fallthrough]];
    case TokenKind::kCloseBracket:
    case TokenKind::kCloseParen:
    case TokenKind::kTemplateEnd:
      return level.is_body ? void() : Close();
    default:
      return;
  }
}

/// The names and indices in front of the dot before the index.
std::string_view Sightings::PathBefore(size_t index) const {
  const size_t end = index - 1;
  size_t begin = end;
  size_t depth = 0;
  while (begin > 0) {
    const TokenKind kind = tokens_[begin - 1].kind;
    depth += kind == TokenKind::kCloseBracket ? 1 : 0;
    if (depth == 0 && kind != TokenKind::kIdent && kind != TokenKind::kDot &&
        kind != TokenKind::kNumber && kind != TokenKind::kStar) {
      break;
    }
    if (kind == TokenKind::kOpenBracket && depth > 0) {
      --depth;
    }
    --begin;
  }
  return begin == end
             ? std::string_view()
             : text_.substr(tokens_[begin].begin, tokens_[end].begin - tokens_[begin].begin);
}

void Sightings::DescribeOperand(size_t index, Sighting& out) {
  const Level& level = Top();
  const auto set = [&](Feature feature, std::initializer_list<uint64_t> parts) {
    out.features[static_cast<size_t>(feature)] = Mix(feature, parts);
  };
  const uint64_t one = HashAt(index, 1);
  const uint64_t argument = HashBytes(level.key);
  if (index > 0 && tokens_[index - 1].kind == TokenKind::kDot) {
    const std::string_view path = PathBefore(index);
    const std::string_view root = path.substr(0, path.find_first_of(".["));
    set(Feature::kPath, {HashBytes(path)});
    set(Feature::kPathOfType, {HashBytes(root == "data" ? path.substr(0, path.rfind('.')) : root)});
    set(Feature::kArgumentNameAndOne, {argument, HashBytes(root)});
    set(Feature::kArgumentAndOne, {level.labels, argument, HashBytes(root)});
    return;
  }
  // The words of types stand in types alone.
  const uint64_t language = level.key == "type" ? 1 : 0;
  set(Feature::kOneBefore, {language, one});
  set(Feature::kTwoBefore, {language, HashAt(index, 2), one});
  set(Feature::kThreeBefore, {language, HashAt(index, 3), HashAt(index, 2), one});
  set(Feature::kArgument, {argument});
  set(Feature::kArgumentNameAndOne, {argument, one});
  set(Feature::kArgumentAndOne, {level.labels, argument, one});
}

void Sightings::Describe(size_t index, Sighting& out) {
  const Level& level = Top();
  const auto set = [&](Feature feature, std::initializer_list<uint64_t> parts) {
    out.features[static_cast<size_t>(feature)] = Mix(feature, parts);
  };
  if (level.is_text || !level.is_body || level.in_value) {
    return DescribeOperand(index, out);
  }
  if (!level.begins) {
    const auto last = last_label_.find(level.header);
    set(Feature::kLabel, {level.header, level.label_count});
    set(Feature::kLabelAfter,
        {level.header, level.label_count, last == last_label_.end() ? 0 : last->second});
    return;
  }
  set(Feature::kBodyAndItem, {level.labels, level.item_before});
  set(Feature::kTypeAndItem, {level.types, level.item_before});
  set(Feature::kBody, {level.labels});
  set(Feature::kBodyType, {level.types});
}

void Sightings::Word(size_t index) {
  Sighting out{.word = Text(tokens_[index]), .begin = tokens_[index].begin};
  out.with_first = out.word;
  const bool is_root = index == 0 || tokens_[index - 1].kind != TokenKind::kDot;
  if (is_root && index + 2 < tokens_.size() && tokens_[index + 1].kind == TokenKind::kDot &&
      tokens_[index + 2].kind == TokenKind::kIdent) {
    out.with_first = text_.substr(out.begin, tokens_[index + 2].end - out.begin);
  }
  Describe(index, out);
  visit_(out);
}

/// Counts words by the features that their places share with the wanted one.
class Counts {
 public:
  explicit Counts(const Features& wanted) : wanted_(wanted) {}

  void Add(const Sighting& sighting, double weight) {
    for (size_t i = 0; i < kFeatures; ++i) {
      if (wanted_[i] == 0 || sighting.features[i] != wanted_[i]) {
        continue;
      }
      totals_[i] += weight;
      words_[std::string(sighting.word)][i] += weight;
      if (sighting.with_first != sighting.word) {
        words_[std::string(sighting.with_first)][i] += weight;
      }
    }
  }

  std::unordered_map<std::string, double> Scores() const {
    double all = 0;
    for (size_t i = 0; i < kFeatures; ++i) {
      all += Trust(i);
    }
    std::unordered_map<std::string, double> out;
    for (const auto& [word, counts] : words_) {
      double score = 0;
      for (size_t i = 0; i < kFeatures; ++i) {
        score += totals_[i] == 0 ? 0 : Trust(i) * counts[i] / totals_[i];
      }
      out[word] = score / all;
    }
    return out;
  }

 private:
  /// What was seen once says less than what was seen often.
  double Trust(size_t feature) const {
    return kWeights[feature] * totals_[feature] / (totals_[feature] + 0.5);
  }

  const Features wanted_;
  std::array<double, kFeatures> totals_{};
  std::unordered_map<std::string, std::array<double, kFeatures>> words_;
};

/// Other files: those of the module first, then those of modules near it.
std::vector<const ParsedFile*> FilesNear(const Snapshot::Parts& parts, const ParsedFile& file) {
  std::vector<const ParsedFile*> out;
  size_t size = 0;
  const auto add = [&](const ParsedFile& other) {
    if (&other != &file && other.kind == file.kind && !IsJsonName(other.path) &&
        std::ranges::find(out, &other) == out.end() &&
        size + other.text().size() <= kMostOtherText) {
      size += other.text().size();
      out.push_back(&other);
    }
  };
  if (const auto own = parts.modules.find(DirName(file.path)); own != parts.modules.end()) {
    for (const auto& other : own->second.files) {
      add(*other);
    }
  }
  // Paths that are neighbours in their order are in directories near each other.
  const auto at = parts.files.find(file.path);
  auto before = at;
  auto behind = at;
  for (int step = 0; step < 40 && at != parts.files.end(); ++step) {
    if (before != parts.files.begin()) {
      add(*(--before)->second);
    }
    if (behind != parts.files.end()) {
      ++behind;
    }
    if (behind != parts.files.end()) {
      add(*behind->second);
    }
  }
  return out;
}

}  // namespace

LikelyWords::LikelyWords(const Snapshot::Parts& parts, const ParsedFile& file, Span word) {
  const std::string_view text = file.text();
  const size_t from = word.begin > kMostOwnText / 2 ? word.begin - kMostOwnText / 2 : 0;
  const auto begin = static_cast<uint32_t>(from == 0 ? 0 : RegionBegin(text, from));
  std::optional<Features> wanted;
  Sightings(text, word.begin, [&](const Sighting& at) { wanted = at.features; }).Run(begin);
  if (!wanted) {
    return;
  }
  Counts counts(*wanted);
  const auto is_alike = [&](const Sighting& at, Feature feature) {
    const auto index = static_cast<size_t>(feature);
    return (*wanted)[index] != 0 && at.features[index] == (*wanted)[index];
  };
  const auto add = [&](const Sighting& at, double weight, bool is_own) {
    counts.Add(at, weight);
    if (is_alike(at, Feature::kBody)) {
      in_same_bodies_.emplace(at.word);
    }
    if (is_own && is_alike(at, Feature::kPath)) {
      behind_same_path_.emplace(at.word);
    }
  };
  const size_t to = RegionEnd(text, std::min<size_t>(word.end + kMostOwnText / 2, text.size()));
  Sightings(text.substr(0, to), std::nullopt, [&](const Sighting& at) {
    if (at.begin != word.begin || word.begin == word.end) {
      const double distance = std::abs(static_cast<double>(at.begin) - word.begin);
      add(at, 1 + 4 / (1 + distance / 1500), true);
    }
  }).Run(begin);
  const std::string directory = DirName(file.path);
  for (const ParsedFile* other : FilesNear(parts, file)) {
    const bool is_own = DirName(other->path) == directory;
    const bool has_same_name = BaseName(other->path) == BaseName(file.path);
    const double weight = (is_own ? 0.6 : 0.2) * (has_same_name ? 2 : 1);
    Sightings(other->text(), std::nullopt, [&](const Sighting& at) {
      add(at, weight, is_own);
    }).Run(0);
  }
  scores_ = counts.Scores();
}

double LikelyWords::Of(std::string_view word) const {
  const auto found = scores_.find(std::string(word));
  return found == scores_.end() ? 0 : found->second;
}

double Affinity(std::string_view name, std::string_view other) {
  const auto words = [](std::string_view text) {
    std::vector<std::string_view> out;
    while (!text.empty()) {
      const size_t end = std::min(text.find_first_of("_-."), text.size());
      std::string_view word = text.substr(0, end);
      if (word.size() > 2 && word.ends_with('s')) {
        word.remove_suffix(1);
      }
      if (!word.empty()) {
        out.push_back(word);
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
  };
  if (name == other) {
    return name.empty() ? 0 : 1;
  }
  const std::vector<std::string_view> mine = words(name);
  const std::vector<std::string_view> theirs = words(other);
  const auto common = std::ranges::count_if(
      mine, [&](std::string_view word) { return std::ranges::find(theirs, word) != theirs.end(); });
  const size_t all = mine.size() + theirs.size() - static_cast<size_t>(common);
  return all == 0 ? 0 : 0.9 * static_cast<double>(common) / static_cast<double>(all);
}

}  // namespace kinu::ide
