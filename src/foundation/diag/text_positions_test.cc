#include "diag/text_positions.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

#include "text/unicode.h"

namespace kinu {
namespace {

using enum TextEncoding;

TEST(TextPositions, LinesEndAsInTheProtocol) {
  const TextPositions positions("ab\ncd\r\ne\r\rf\n");
  ASSERT_EQ(positions.line_count(), 6U);
  EXPECT_EQ(positions.Line(0), "ab");
  EXPECT_EQ(positions.Line(1), "cd");
  EXPECT_EQ(positions.Line(2), "e");
  EXPECT_EQ(positions.Line(3), "");
  EXPECT_EQ(positions.Line(4), "f");
  EXPECT_EQ(positions.Line(5), "");
  EXPECT_EQ(positions.PositionAt(3, kUtf16), (TextPosition{1, 0}));
  EXPECT_EQ(positions.PositionAt(7, kUtf16), (TextPosition{2, 0}));
  EXPECT_EQ(positions.PositionAt(12, kUtf16), (TextPosition{5, 0}));
  EXPECT_EQ(TextPositions("").line_count(), 1U);
}

TEST(TextPositions, ClampsPositions) {
  const TextPositions positions("ab\ncd\r\ne");
  EXPECT_EQ(positions.OffsetAt({0, 99}, kUtf8), 2U);
  EXPECT_EQ(positions.OffsetAt({1, 3}, kUtf16), 5U) << "in front of \\r\\n";
  EXPECT_EQ(positions.OffsetAt({2, 7}, kUtf16), 8U);
  EXPECT_EQ(positions.OffsetAt({9, 0}, kUtf8), 8U);
  EXPECT_EQ(positions.PositionAt(6, kUtf8), (TextPosition{1, 2})) << "between \\r and \\n";
  EXPECT_EQ(positions.PositionAt(99, kUtf8), (TextPosition{2, 1}));
}

TEST(TextPositions, CountsUnitsOfTheEncoding) {
  // 1, 2, 3 and 4 bytes; the last one is a pair of surrogates in UTF-16.
  const std::string text = "x\u00E9\u20AC\U0001F600y";
  const TextPositions positions(text);
  EXPECT_EQ(positions.PositionAt(6, kUtf8), (TextPosition{0, 6}));
  EXPECT_EQ(positions.PositionAt(6, kUtf16), (TextPosition{0, 3}));
  EXPECT_EQ(positions.PositionAt(10, kUtf16), (TextPosition{0, 5}));
  EXPECT_EQ(positions.OffsetAt({0, 3}, kUtf16), 6U);
  EXPECT_EQ(positions.OffsetAt({0, 4}, kUtf16), 6U) << "between the surrogates";
  EXPECT_EQ(positions.OffsetAt({0, 5}, kUtf16), 10U);
  EXPECT_EQ(positions.OffsetAt({0, 8}, kUtf8), 6U) << "inside of a code point";
  EXPECT_EQ(positions.PositionAt(8, kUtf8), (TextPosition{0, 6}));
}

TEST(TextPositions, ABadByteIsOneUnit) {
  const std::string text = "a\xFF\xC3z\xE2\x82";
  const TextPositions positions(text);
  for (const TextEncoding encoding : {kUtf8, kUtf16}) {
    for (uint32_t offset = 0; offset <= text.size(); ++offset) {
      EXPECT_EQ(positions.PositionAt(offset, encoding), (TextPosition{0, offset}));
      EXPECT_EQ(positions.OffsetAt({0, offset}, encoding), offset);
    }
  }
}

TEST(TextPositions, PositionsLeadBackToTheirOffsets) {
  constexpr std::string_view kParts[] = {"a",    "\n",   "\r",         "\r\n", "\u00E9", "\u20AC",
                                         "\xFF", "\xC3", "\U0001F600", "bc",   "\t"};
  std::mt19937 random(1);  // NOLINT(cert-msc51-cpp): the same texts in every run
  for (int i = 0; i < 500; ++i) {
    std::string text;
    for (size_t parts = random() % 20; parts > 0; --parts) {
      text += kParts[random() % std::size(kParts)];
    }
    const TextPositions positions(text);
    for (const TextEncoding encoding : {kUtf8, kUtf16}) {
      TextPosition last;
      for (uint32_t offset = 0; offset <= text.size(); ++offset) {
        const TextPosition position = positions.PositionAt(offset, encoding);
        const uint32_t back = positions.OffsetAt(position, encoding);
        ASSERT_LE(back, offset);
        ASSERT_EQ(positions.PositionAt(back, encoding), position);
        ASSERT_TRUE(position.line > last.line ||
                    (position.line == last.line && position.character >= last.character));
        last = position;
      }
      for (uint32_t line = 0; line < positions.line_count(); ++line) {
        for (uint32_t character = 0; character < 12; ++character) {
          const uint32_t offset = positions.OffsetAt({line, character}, encoding);
          const TextPosition back = positions.PositionAt(offset, encoding);
          ASSERT_EQ(back.line, line);
          ASSERT_LE(back.character, character);
          ASSERT_EQ(positions.OffsetAt(back, encoding), offset);
        }
      }
    }
  }
}

}  // namespace
}  // namespace kinu
