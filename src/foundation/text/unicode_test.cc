#include "text/unicode.h"

#include <vector>

#include <gtest/gtest.h>

namespace kinu::text {
namespace {

TEST(Ascii, OneOtherByteAnywhere) {
  for (size_t size = 0; size < 200; ++size) {
    std::string text(size, 'x');
    EXPECT_TRUE(IsAscii(text)) << size;
    for (size_t at = 0; at < size; ++at) {
      text[at] = '\x80';
      EXPECT_FALSE(IsAscii(text)) << size << " " << at;
      text[at] = '\x7F';
    }
  }
}

TEST(Utf8, RejectsInvalidBytes) {
  const std::string_view wrong[] = {
      "\x80",              // continuation alone
      "\xC0\x80",          // overlong
      "\xC3",              // cut
      "\xE0\x80\x80",      // overlong
      "\xED\xA0\x80",      // surrogate
      "\xF4\x90\x80\x80",  // beyond U+10FFFF
      "\xF8\x88\x80\x80\x80",
  };
  for (std::string_view text : wrong) {
    EXPECT_FALSE(IsUtf8(text));
    const std::string framed = "ok" + std::string(text);
    EXPECT_EQ(FindInvalidUtf8(framed), 2u);
  }
  EXPECT_EQ(ReplaceInvalidUtf8("a\xED\xA0\x80z"), "a\uFFFD\uFFFD\uFFFDz");
}

TEST(Utf8, FindsTheFirstInvalidByteAnywhere) {
  for (size_t at = 0; at < 200; ++at) {
    for (size_t gap = 1; gap < 80; gap += 13) {
      std::string text;
      while (text.size() < at) {
        text += text.size() % gap == 0 && text.size() + 2 <= at ? "\u00e9" : "a";
      }
      EXPECT_EQ(FindInvalidUtf8(text), text.size());
      EXPECT_EQ(FindInvalidUtf8(text + "\xFF"), at);
      EXPECT_EQ(FindInvalidUtf8(text + "\x80" + std::string(70, 'a')), at);
    }
  }
}

TEST(Utf8, FindsWhatTheDecoderRefuses) {
  constexpr std::string_view kBytes("a\x80\xBF\xC2\xE0\xE1\xEC\xED\xEF\xF4", 10);
  for (size_t number = 0; number < 100'000; ++number) {
    std::string text;
    for (size_t rest = number, i = 0; i < 5; ++i, rest /= kBytes.size()) {
      text += kBytes[rest % kBytes.size()];
    }
    size_t invalid = 0;
    while (invalid < text.size() && DecodeUtf8(text, invalid).ok) {
      invalid += DecodeUtf8(text, invalid).size;
    }
    ASSERT_EQ(FindInvalidUtf8(text), invalid) << number;
  }
}

TEST(Utf8, EncodesWhatItDecodes) {
  for (char32_t point :
       {0x41, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF}) {
    std::string text;
    AppendUtf8(text, point);
    EXPECT_TRUE(IsUtf8(text));
    const Decoded decoded = DecodeUtf8(text, 0);
    EXPECT_EQ(decoded.point, point);
    EXPECT_EQ(decoded.size, text.size());
  }
}

TEST(Nfc, ComposesAndRecognises) {
  EXPECT_TRUE(IsNfc("plain ascii"));
  EXPECT_TRUE(IsNfc("caf\u00e9"));
  EXPECT_FALSE(IsNfc("cafe\u0301"));
  EXPECT_EQ(ToNfc("cafe\u0301"), "caf\u00e9");
  EXPECT_EQ(ToNfc("\u1112\u1161\u11ab"), "\ud55c");
  EXPECT_EQ(ToNfc("\u212b"), "\u00c5");
  EXPECT_EQ(ToNfc("\xff\u0301"), "\xff\u0301");
}

TEST(Grapheme, CountsClusters) {
  struct Case {
    std::string_view text;
    size_t count;
  };
  const Case cases[] = {
      {"", 0},
      {"hello", 5},
      {"\r\n", 1},
      {"\n\r", 2},
      {"e\u0301x", 2},
      {"👩‍👩‍👧‍👦!", 2},
      {"🇩🇪🇫🇷", 2},
      {"각각", 2},
      {"\u1112\u1161\u11ab", 1},
      {"a\u0303\u0327b", 2},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(GraphemeCount(c.text), c.count) << c.text;
  }
}

// Ref: go-cty cty/ctystrings/prefix_test.go.
TEST(SafePrefix, DropsWhatMightCombine) {
  struct Case {
    std::string_view text;
    std::string_view want;
  };
  const Case cases[] = {
      {"", ""},
      {"a", ""},
      {"boo", "bo"},
      {"boop\r", "boop"},
      {"hello \n", "hello "},
      {"hello\nworld-", "hello"},
      {R"({"foo":)", R"({"foo":)"},
      {"ami-", "ami-"},
      {"arn:aws:s3", "arn:aws:s"},
      {"hello 🤷🏽", "hello "},
      {"e\u0301", ""},
      {"he\u0301", "h"},
      {"\u1112\u1161", ""},
      {"9", ""},
      {"x=", "x"},  // "=" is not one of the delimiters that always end a cluster
      {"https://example.com/foo?", "https://example.com/foo?"},
      {"hello 가", "hello "},
      {"hello 🤷 ", "hello 🤷 "},
      {"hello 🤷\u200d", "hello "},
      {"hello \U0001f1e6", "hello "},
      {"hello \U0001f1e6\U0001f1e6", "hello "},
      {"hello \U0001f1e6\U0001f1e6 ", "hello \U0001f1e6\U0001f1e6 "},
      {"a\t", "a\t"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(SafePrefix(c.text), c.want) << c.text;
  }
}

TEST(Identifier, UnicodeNine) {
  EXPECT_TRUE(IsIdentifier("a-b_c9"));
  EXPECT_TRUE(IsIdentifier("_x"));
  EXPECT_TRUE(IsIdentifier("größe"));
  EXPECT_TRUE(IsIdentifier("変数"));
  EXPECT_TRUE(IsIdentifier("e\u0301"));
  EXPECT_FALSE(IsIdentifier(""));
  EXPECT_FALSE(IsIdentifier("-a"));
  EXPECT_FALSE(IsIdentifier("9a"));
  EXPECT_FALSE(IsIdentifier("a b"));
  EXPECT_FALSE(IsIdentifier("a\xff"));
  EXPECT_FALSE(IsIdentifierStart(0x1CF2));   // a letter only since Unicode 10
  EXPECT_FALSE(IsIdentifierStart(0x10D00));  // assigned in Unicode 11
  EXPECT_TRUE(IsIdentifierStart(0x1E943));   // assigned in Unicode 9
  EXPECT_TRUE(IsIdentifierStart(0x2A6D6));
}

TEST(Case, AsGo) {
  EXPECT_EQ(ToUpper("straße é"), "STRAßE É");
  EXPECT_EQ(ToLower("İÉ"), "ié");
  EXPECT_EQ(ToTitle("hello wORLD foo-bar a_b 1st ǆa"), "Hello WORLD Foo-Bar A_b 1st ǅa");
  EXPECT_EQ(ToTitle("it's"), "It'S");
  EXPECT_EQ(ToTitle("ß"), "ß");
  EXPECT_EQ(TrimSpace(" \t\u3000x y\u00a0\n"), "x y");
  EXPECT_EQ(TrimSpace(" \n"), "");
}

TEST(Width, WideAndCombining) {
  EXPECT_EQ(DisplayWidth("abc"), 3u);
  EXPECT_EQ(DisplayWidth("世界"), 4u);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1u);
}

}  // namespace
}  // namespace kinu::text
