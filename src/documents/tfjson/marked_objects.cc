#include "tfjson/marked_objects.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/bytes16.h"
#include "json/cpu_features.h"
#include "json/lex.h"
#include "json/token_stream.h"

namespace kinu::tfjson {
namespace {

constexpr std::string_view kSensitive = "sensitive";
constexpr std::string_view kEphemeral = "ephemeral";

bool IsMaskName(std::string_view quoted, bool may_have_escapes) {
  // Names are compared only when they have one of the lengths.
  const size_t size = quoted.size() - 2;
  if (size == 9 || size == 15 || size == 16) {
    const std::string_view name = quoted.substr(1, size);
    if (std::ranges::any_of(kMaskedMembers,
                            [&](const MaskedMember& member) { return member.mask == name; })) {
      return true;
    }
  }
  if (!may_have_escapes || quoted.find('\\') == std::string_view::npos) {
    return false;
  }
  const std::string name = json::DecodeString(quoted);
  return std::ranges::any_of(kMaskedMembers,
                             [&](const MaskedMember& member) { return member.mask == name; });
}

/// How far apart the two letters are by which the words are searched for.
constexpr size_t kApart = 7;

/// Whether a backslash is here, or one of the words may begin here, by two of its letters.
bool IsCandidate(const char* at) {
  return (at[0] == 's' && at[kApart] == 'v') || (at[0] == 'e' && at[kApart] == 'a') || *at == '\\';
}
static_assert(kSensitive[kApart] == 'v' && kEphemeral[kApart] == 'a');

/// The first candidate at `from` or behind it, or where fewer bytes than a block are left.
size_t SearchBlocks(std::string_view text, size_t from) {
  constexpr size_t kBlock = 16;
  for (; from + kBlock + kApart <= text.size(); from += kBlock) {
    const char* const at = text.data() + from;
    const Bytes16 first = Bytes16::Load(at);
    const Bytes16 later = Bytes16::Load(at + kApart);
    const Bytes16 words = (first.Is('s') & later.Is('v')) | (first.Is('e') & later.Is('a'));
    if (const auto found = (words | first.Is('\\')).Places()) {
      return from + static_cast<size_t>(found.First());
    }
  }
  return from;
}

#if defined(__x86_64__)
#define KINU_AVX2 __attribute__((target("avx2,bmi")))

KINU_AVX2 inline __m256i Equal(__m256i bytes, char c) {
  return _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(c));
}

/// The same with 32 bytes at once.
KINU_AVX2 size_t SearchBlocksAvx2(std::string_view text, size_t from) {
  constexpr size_t kBlock = sizeof(__m256i);
  for (; from + kBlock + kApart <= text.size(); from += kBlock) {
    const char* const at = text.data() + from;
    const __m256i first = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    const __m256i later = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + kApart));
    const __m256i words = _mm256_or_si256(_mm256_and_si256(Equal(first, 's'), Equal(later, 'v')),
                                          _mm256_and_si256(Equal(first, 'e'), Equal(later, 'a')));
    const auto found =
        static_cast<uint32_t>(_mm256_movemask_epi8(_mm256_or_si256(words, Equal(first, '\\'))));
    if (found != 0) {
      return from + static_cast<size_t>(std::countr_zero(found));
    }
  }
  return from;
}
#endif

/// The first candidate at `from` or behind it; npos when there is none.
size_t NextCandidate(std::string_view text, size_t from) {
#if defined(__x86_64__)
  static const bool kAvx2 = json::Cpu().avx2 && json::Cpu().bmi;
  if (kAvx2) {
    from = SearchBlocksAvx2(text, from);
  }
#endif
  from = SearchBlocks(text, from);
  for (; from + kApart < text.size(); ++from) {
    if (IsCandidate(text.data() + from)) {
      return from;
    }
  }
  return std::string_view::npos;
}

/// Whether the value that begins here is `true`, or a container with `true` in it; `at` is then
/// behind what was looked at. The text is known to be JSON.
bool HasTrue(std::string_view text, size_t& at) {
  size_t depth = 0;
  do {
    const char c = text[at];
    if (c == '"') {
      for (++at; text[at] != '"'; ++at) {
        at += text[at] == '\\' ? 1 : 0;
      }
    } else if (c == 't') {
      return true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    }
    ++at;
  } while (depth > 0);
  return false;
}

/// Whether the escape at a backslash may be a letter of a mask's name.
bool MayEscapeName(std::string_view text, size_t at) {
  constexpr std::string_view kStart = "\\u00";
  const std::string_view escape = text.substr(at, kStart.size() + 1);
  return escape.size() > kStart.size() && escape.starts_with(kStart) && escape.back() >= '5' &&
         escape.back() <= '7';
}

/// The object or array around a byte of the tree's text: the innermost one that the tree has, or
/// the whole value where that is far from the byte.
json::Node Around(const json::Node& whole, size_t offset) {
  constexpr uint32_t kNear = 64;
  const json::Tree& tree = whole.tree();
  const json::Tree::Entry* const entries = &tree.entry(0);
  const auto* const behind =
      std::upper_bound(entries + whole.at(), entries + entries[whole.at()].next, offset,
                       [](size_t at, const json::Tree::Entry& entry) { return at < entry.begin; });
  auto at = static_cast<uint32_t>(behind - entries) - 1;
  for (uint32_t steps = 0; steps < kNear && at > whole.at(); ++steps, --at) {
    const json::Node node(&tree, at);
    if (node.is_container() && offset < entries[at].end) {
      return node;
    }
  }
  return whole;
}

/// Finds the marked objects of a text by reading all of it.
class Walk {
 public:
  /// `container`: a part of a text that was read before.
  explicit Walk(std::string_view container)
      : text_(container), stream_(json::TokenStream::Container{container}) {}

  /// The texts of these objects, without those inside of others.
  std::vector<std::string_view> Find() {
    do {
      const char first = stream_.Peek();
      if (first == '"') {
        TakeString();
        continue;
      }
      if (first == '{' || first == '[') {
        const uint32_t owner = mask_of_ != kNone || open_.empty() ? mask_of_ : open_.back().mask_of;
        open_.push_back({stream_.Offset(), owner, false});
        mask_of_ = kNone;
      } else if (first == '}' || first == ']') {
        Close();
      } else if (first == 't') {
        Mark(open_.back().mask_of);
      }
      stream_.Advance();
    } while (!open_.empty());
    return std::move(found_);
  }

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Open {
    uint64_t begin = 0;
    uint32_t mask_of = kNone;  ///< the open object in whose mask this container is
    bool marked = false;
  };

  /// Marks an open object, and those in whose masks it is.
  void Mark(uint32_t object) {
    for (; object != kNone && !open_[object].marked; object = open_[object].mask_of) {
      open_[object].marked = true;
    }
  }

  void TakeString() {
    const std::string_view text = stream_.Text();
    const bool may_have_escapes = stream_.MayHaveEscapes();
    stream_.Advance();
    if (stream_.Peek() != ':') {
      return;
    }
    stream_.Advance();
    if (!IsMaskName(text, may_have_escapes)) {
      return;
    }
    const auto object = static_cast<uint32_t>(open_.size() - 1);
    const char value = stream_.Peek();
    if (value == 't') {
      Mark(object);
    } else if (value == '{' || value == '[') {
      mask_of_ = object;
    }
  }

  void Close() {
    const Open closed = open_.back();
    open_.pop_back();
    if (!closed.marked) {
      return;
    }
    const std::string_view text = text_.substr(closed.begin, stream_.Offset() + 1 - closed.begin);
    while (!found_.empty() && found_.back().data() >= text.data()) {
      found_.pop_back();
    }
    found_.push_back(text);
  }

  std::string_view text_;
  json::TokenStream stream_;
  std::vector<Open> open_;
  uint32_t mask_of_ = kNone;  ///< the object whose mask begins here
  std::vector<std::string_view> found_;
};

/// Finds them by the names of masks, and reads only what is around those with a `true`.
class Search {
 public:
  explicit Search(const json::Node& whole) : whole_(whole), text_(whole.text()) {}

  std::vector<std::string_view> Find() {
    size_t at = 0;
    while ((at = NextCandidate(text_, at)) != std::string_view::npos) {
      if (text_[at] != '\\') {
        at = AfterWord(at);
      } else if (MayEscapeName(text_, at)) {
        return Walk(text_).Find();
      } else {
        at += 2;
      }
    }
    return std::move(found_);
  }

 private:
  /// Where to go on behind a candidate for a word.
  size_t AfterWord(size_t at) {
    const size_t begin = at;
    const std::string_view rest = text_.substr(at, kSensitive.size());
    if (rest != kSensitive && rest != kEphemeral) {
      return at + 1;
    }
    at += rest.size();
    constexpr std::string_view kValues = "_values";
    at += text_.substr(at).starts_with(kValues) ? kValues.size() : 0;
    if (!TakeByte('"', at) || !TakeByte(':', at)) {
      return at;
    }
    SkipSpaces(at);
    return HasTrue(text_, at) ? AfterObjects(begin) : at;
  }

  /// Reads what is around a byte. Returns where it ends.
  size_t AfterObjects(size_t byte) {
    const size_t from = whole_.tree().entry(whole_.at()).begin;
    const json::Node around = Around(whole_, from + byte);
    for (const std::string_view object : Walk(around.text()).Find()) {
      while (!found_.empty() && found_.back().data() >= object.data()) {
        found_.pop_back();
      }
      found_.push_back(object);
    }
    return whole_.tree().entry(around.at()).end - from;
  }

  void SkipSpaces(size_t& at) const {
    while (at < text_.size() && json::IsSpace(text_[at])) {
      ++at;
    }
  }
  bool TakeByte(char byte, size_t& at) const {
    SkipSpaces(at);
    if (at >= text_.size() || text_[at] != byte) {
      return false;
    }
    ++at;
    return true;
  }

  json::Node whole_;
  std::string_view text_;
  std::vector<std::string_view> found_;
};

}  // namespace

std::vector<std::string_view> MarkedObjects(const json::Node& document) {
  return document.is_container() ? Search(document).Find() : std::vector<std::string_view>();
}

}  // namespace kinu::tfjson
