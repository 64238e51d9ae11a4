#include "json/lex.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/bytes16.h"

namespace kinu::json {
namespace {

/// How many bytes are passed; negative, and without the wrong byte, when it is refused.
template <typename Pass>
ptrdiff_t Length(std::string_view text, const Pass& pass) {
  const Passed passed = pass(text.data(), text.data() + text.size());
  const ptrdiff_t size = passed.at - text.data();
  return passed.ok ? size : -size;
}

TEST(JsonLex, PassesNumbers) {
  const auto length = [](std::string_view text) {
    return Length(text, [](auto at, auto end) { return PassNumberOrWord(at, end); });
  };
  EXPECT_EQ(length("0"), 1);
  EXPECT_EQ(length("01"), 1);
  EXPECT_EQ(length("-12.50e+3,"), 9);
  EXPECT_EQ(length("-"), -1);
  EXPECT_EQ(length("-x"), -1);
  EXPECT_EQ(length("1."), -2);
  EXPECT_EQ(length("1.e"), -2);
  EXPECT_EQ(length("1e-"), -3);
  EXPECT_EQ(length("true]"), 4);
  EXPECT_EQ(length("trux"), -3);
  EXPECT_EQ(length("fals"), -4);
  EXPECT_EQ(length("null"), 4);
  EXPECT_EQ(length("x"), 0);
  EXPECT_TRUE(IsNumber("-0.0E1"));
  EXPECT_FALSE(IsNumber(""));
  EXPECT_FALSE(IsNumber("00"));
  EXPECT_FALSE(IsNumber("+1"));
}

TEST(JsonLex, PassesStrings) {
  const auto length = [](std::string_view text) {
    return Length(text, [](auto at, auto end) { return PassString(at, end); });
  };
  EXPECT_EQ(length("\"x"), 1);
  EXPECT_EQ(length("a\\\"b\\u00e9\" "), 11);
  EXPECT_EQ(length("a\xFF\""), 3);
  EXPECT_EQ(length("a"), -1);
  EXPECT_EQ(length("a\\"), -2);
  EXPECT_EQ(length("a\n\""), -1);
  EXPECT_EQ(length("a\\x\""), -2);
  EXPECT_EQ(length("\\u12g4\""), -4);
  EXPECT_EQ(length("\\u12"), -4);
}

// Values end in the same place wherever they begin and whatever is in their strings.
TEST(JsonLex, FindsTheEndOfValues) {
  const std::string_view values[] = {
      "1",    "-1.5e3",  "true",         "null",
      "\"\"", "\"a]b\"", "\"a\\\"}b\"",  "\"\\\\\"",
      "[]",   "{}",      "[1, [2], {}]", "{\"a\": {\"b\": \"}\\\\\"}, \"c\": [\"[\", \"\\\"]\"]}",
  };
  for (const std::string_view value : values) {
    for (size_t space = 0; space < 130; ++space) {
      // Space inside, so that brackets and quotes stand at every distance.
      std::string text(value);
      if (value.size() > 1 && (value[0] == '[' || value[0] == '{' || value[0] == '"')) {
        text.insert(1, space, ' ');
      }
      for (const std::string_view rest : {"", "]", "}", ", \"x\": [1]}", " }"}) {
        const std::string whole = text + std::string(rest);
        const char* const end = EndOfValue(whole.data(), whole.data() + whole.size());
        EXPECT_EQ(static_cast<size_t>(end - whole.data()), text.size()) << whole;
      }
    }
  }
  // Of a text that is not well formed, some place up to its end.
  for (const std::string_view broken : {"", "{", "[\"", "{\"a\": [}", "\"\\"}) {
    const char* const end = EndOfValue(broken.data(), broken.data() + broken.size());
    EXPECT_LE(end, broken.data() + broken.size());
  }
}

/// With the vectors of this processor, or in portable code.
template <typename Bytes>
class JsonLexBytes : public testing::Test {};
using BytesOfLex = testing::Types<PortableBytes16, Bytes16>;
TYPED_TEST_SUITE(JsonLexBytes, BytesOfLex);

TYPED_TEST(JsonLexBytes, AreFoundAtEveryDistance) {
  constexpr std::string_view kStops = "\"\\\n<\xE2";
  for (size_t size = 0; size < 70; ++size) {
    for (size_t place = 0; place < size; ++place) {
      for (const char stop : kStops) {
        std::string text(size, 'x');
        text[place] = stop;
        const char* const end = text.data() + text.size();
        const auto check = [&](const char* found, bool wanted) {
          EXPECT_EQ(found - text.data(), static_cast<ptrdiff_t>(wanted ? place : size))
              << size << ' ' << place << ' ' << stop;
        };
        check(FindByte<kStringStops, TypeParam>(text.data(), end), stop != '<' && stop != '\xE2');
        check(FindByte < kBackslash | kNonAscii, TypeParam > (text.data(), end),
              stop == '\\' || stop == '\xE2');
        check(FindByte < kControl | kNonAscii | kHtml, TypeParam > (text.data(), end),
              stop != '"' && stop != '\\');
        check(FindByte < kHtml | kSeparatorLead, TypeParam > (text.data(), end),
              stop == '<' || stop == '\xE2');
      }
    }
  }
}

TEST(JsonLex, SkipsIndentation) {
  for (size_t indent = 0; indent < 40; ++indent) {
    const std::string text = " \r\n\t\n" + std::string(indent, ' ') + "\v";
    EXPECT_EQ(*SkipSpace(text.data(), text.data() + text.size()), '\v');
    EXPECT_EQ(SkipSpace(text.data(), text.data() + text.size() - 1), text.data() + text.size() - 1);
  }
}

TEST(JsonLex, DecodesStrings) {
  struct Case {
    std::string_view body;
    std::string_view text;
  };
  const Case cases[] = {
      {"", ""},
      {"plain", "plain"},
      {R"(\"\\\/\b\f\n\r\t)", "\"\\/\b\f\n\r\t"},
      {R"(a\u00e9\u20AC)", "aé€"},
      {R"(\ud83d\ude00!)", "😀!"},
      {R"(\ud83d)", "\uFFFD"},
      {R"(\ud83dx\ude00)", "\uFFFDx\uFFFD"},
      {R"(\ud83d\u0041)", "\uFFFD\x41"},
      {"é\\n€", "é\n€"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(DecodeString<Encoding::kUnchecked>(c.body), c.text);
    EXPECT_EQ(DecodeString<Encoding::kUtf8>(c.body), c.text);
  }
  EXPECT_EQ(DecodeString<Encoding::kUnchecked>("a\xFF\xC3"
                                               "b\xE2\x82"),
            "a\uFFFD\uFFFDb\uFFFD\uFFFD");
}

}  // namespace
}  // namespace kinu::json
