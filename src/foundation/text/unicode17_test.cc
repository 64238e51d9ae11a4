// The checksums are recorded with a Go 1.27 program over the same made texts: go-textseg/v17
// ScanGraphemeClusters, golang.org/x/text/unicode/norm NFC, go-cty 1.19 ctystrings.SafeKnownPrefix.
#include "text/unicode17.h"

#include <cstdlib>
#include <functional>
#include <span>

#include <gtest/gtest.h>

#include "compatibility/level.h"
#include "text/unicode.h"

namespace kinu::text {
namespace {

constexpr char32_t kPool[] = {
    'a',     0x301,   0x327,   0x307,   0x1ADD,  0x897,   0x105D2, 0x105DA, 0x11382, 0x113C9,
    0x113C2, 0x113B8, 0x113CE, 0x1611E, 0x16129, 0x1611F, 0x16121, 0x16126, 0x16D67, 0x16D63,
    0x16D69, 0x1E5EE, 0x1E5EF, 0x915,   0x94D,   0x937,   0x200D,  0x1F468, 0x1F469, 0x1F3FB,
    0x1F1E9, 0x1F1EA, 0x1100,  '\r',    '\n',    0x600,   0x903,   0x9CD,   0x995,   0x1B44,
    0xE9,    0x212B,  0x93C,   0x1FAEA, 0xFE0F,  0x16D6A, 0x11383, 0x113C5};

/// Those of them that make no nonsense of normalisation.
constexpr char32_t kComposing[] = {'a',     0x301,   0x327,   0x307,   0x1ADD,  0x897,
                                   0x105D2, 0x105DA, 0x113CE, 0x1E5EE, 0x1E5EF, 0x915,
                                   0x94D,   0x200D,  0x1F468, 0x212B};

/// Calls `use` with 20,000 texts of up to eight code points of the pool.
void ForTexts(std::span<const char32_t> pool, const std::function<void(const std::string&)>& use) {
  uint32_t state = 1;
  const auto next = [&state] {
    state = state * 1664525 + 1013904223;
    return state >> 8;
  };
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (uint32_t left = next() % 9; left > 0; --left) {
      AppendUtf8(text, pool[next() % pool.size()]);
    }
    use(text);
  }
}

/// FNV-1a.
class Checksum {
 public:
  void Add(std::string_view bytes) {
    for (const char c : bytes) {
      sum_ = (sum_ ^ static_cast<uint8_t>(c)) * 16777619U;
    }
  }
  uint32_t sum() const { return sum_; }

 private:
  uint32_t sum_ = 2166136261U;
};

TEST(Unicode17Test, EndsClustersAsRecorded) {
  Checksum sum;
  ForTexts(kPool, [&](const std::string& text) {
    for (size_t pos = 0; pos < text.size();) {
      const size_t next = unicode17::NextGrapheme(text, pos);
      sum.Add(std::to_string(next - pos) + ",");
      pos = next;
    }
    sum.Add(";");
  });
  EXPECT_EQ(sum.sum(), 0xd8357729U);
}

TEST(Unicode17Test, ComposesAsRecorded) {
  Checksum sum;
  ForTexts(kComposing, [&](const std::string& text) { sum.Add(unicode17::ToNfc(text) + ";"); });
  EXPECT_EQ(sum.sum(), 0xab4bdd4fU);
}

TEST(Unicode17Test, BytesThatAreNoUtf8AreClusters) {
  EXPECT_EQ(unicode17::NextGrapheme("\xFF\xCC\x81", 0), 1U);
  EXPECT_EQ(unicode17::NextGrapheme("a\xFF", 0), 1U);
  EXPECT_EQ(unicode17::NextGrapheme("\xEF\xBF\xBD\xCC\x81", 0), 5U);
}

/// What a process of level 1.13 has in text/unicode.h; exits with the number of what differs.
[[noreturn]] void CheckLaterLevel() {
  Checksum prefixes;
  Checksum composed;
  compatibility::Choose(compatibility::Level::kSeries13);
  ForTexts(kComposing, [&](const std::string& text) {
    prefixes.Add(SafePrefix(text) + ";");
    composed.Add(ToNfc(text) + ";");
  });
  const bool fits[] = {
      prefixes.sum() == 0x6e94dbf5U,
      composed.sum() == 0xab4bdd4fU,
      ToUpper(U'\U00016EBB') == U'\U00016EA0' && ToLower(U'\uA7DC') == U'\u019B',
      ToUpper(U'\u00DF') == U'\u00DF',
      IsLetter(U'\U00010D4A') && !IsDigit(U'\U00010D4A') && IsDigit(U'\U00010D40'),
      IsPrintable(U'\U0001FAEA') && !IsPrintable(U'\U0001FAFF'),
      IsIdentifierStart(U'\U00010D50') && IsIdentifierContinue(U'\u0897'),
      !IsIdentifierStart(U'\u0897') && IsIdentifier("\u00E9t\u00E9-1"),
      NextGrapheme("\u0915\u094D\u0937", 0) == 9,
  };
  int wrong = 0;
  for (size_t i = 0; i < std::size(fits); ++i) {
    wrong = fits[i] || wrong != 0 ? wrong : static_cast<int>(i) + 1;
  }
  std::exit(wrong);  // NOLINT(concurrency-mt-unsafe): the process has one thread
}

TEST(Unicode17Test, IsThatOfTheLaterLevelOnly) {
  EXPECT_EQ(ToUpper(U'\U00016EBB'), U'\U00016EBB');
  EXPECT_FALSE(IsIdentifierStart(U'\U00010D50'));
  EXPECT_EQ(NextGrapheme("\u0915\u094D\u0937", 0), 6U);
  EXPECT_EXIT(CheckLaterLevel(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace kinu::text
