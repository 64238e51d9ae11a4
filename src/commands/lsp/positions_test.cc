#include "lsp/positions.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace kinu::lsp {
namespace {

TEST(Positions, CountUnitsOfTheEncoding) {
  const Text text(
      "a\xC3\xA4"
      "b\xF0\x9F\x98\x80"
      "c\nd");  // aäb😀c
  EXPECT_EQ(text.OffsetAt({0, 2}, Encoding::kUtf16), 3U);
  EXPECT_EQ(text.OffsetAt({0, 5}, Encoding::kUtf16), 8U);
  EXPECT_EQ(text.OffsetAt({0, 3}, Encoding::kUtf8), 3U);
  EXPECT_EQ(text.PositionAt(8, Encoding::kUtf16), (LinePosition{0, 5}));
  EXPECT_EQ(text.PositionAt(8, Encoding::kUtf8), (LinePosition{0, 8}));
  EXPECT_EQ(text.PositionAt(11, Encoding::kUtf16), (LinePosition{1, 1}));
}

TEST(Positions, InsideACharacterAreItsBegin) {
  const Text text(
      "\xF0\x9F\x98\x80"
      "c");
  EXPECT_EQ(text.OffsetAt({0, 1}, Encoding::kUtf16), 0U);
  EXPECT_EQ(text.OffsetAt({0, 3}, Encoding::kUtf8), 0U);
}

TEST(Positions, BehindTheEndAreClamped) {
  const Text text("ab\r\ncd");
  EXPECT_EQ(text.OffsetAt({0, 99}, Encoding::kUtf16), 2U);
  EXPECT_EQ(text.OffsetAt({7, 0}, Encoding::kUtf16), 6U);
  EXPECT_EQ(text.PositionAt(99, Encoding::kUtf8), (LinePosition{1, 2}));
}

TEST(Positions, LinesEndWithEachOfTheThreeEnds) {
  const Text text("a\nb\r\nc\rd\r\n");
  EXPECT_EQ(text.line_count(), 5U);
  EXPECT_EQ(text.OffsetAt({1, 0}, Encoding::kUtf8), 2U);
  EXPECT_EQ(text.OffsetAt({2, 0}, Encoding::kUtf8), 5U);
  EXPECT_EQ(text.OffsetAt({3, 0}, Encoding::kUtf8), 7U);
  EXPECT_EQ(text.OffsetAt({4, 0}, Encoding::kUtf8), 10U);
}

TEST(Positions, BrokenUtf8CountsByteByByte) {
  const Text text("\xFF\xE2\x82x");
  EXPECT_EQ(text.OffsetAt({0, 3}, Encoding::kUtf16), 3U);
  EXPECT_EQ(text.PositionAt(4, Encoding::kUtf16), (LinePosition{0, 4}));
}

rc::Gen<std::string> TextsOfLines() {
  return rc::gen::map(
      rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::vector<std::string>{
          "\n", "\r", "\r\n", "a", "bc", "\xC3\xA4", "\xF0\x9F\x98\x80", "{", " "})),
      [](const std::vector<std::string>& parts) {
        std::string text;
        for (const std::string& part : parts) {
          text += part;
        }
        return text;
      });
}

RC_GTEST_PROP(Positions, LinesAfterReplacingAreThoseOfTheNewText, ()) {
  std::string expected = *TextsOfLines();
  Text text(expected);
  for (const std::string& part : *rc::gen::container<std::vector<std::string>>(TextsOfLines())) {
    const auto size = static_cast<uint32_t>(expected.size());
    const auto begin = *rc::gen::inRange<uint32_t>(0, size + 1);
    const auto end = *rc::gen::inRange<uint32_t>(begin, size + 1);
    text.Replace({begin, end}, part);
    expected.replace(begin, end - begin, part);
    const Text fresh(expected);
    RC_ASSERT(text.text() == expected);
    RC_ASSERT(text.line_count() == fresh.line_count());
    for (uint32_t line = 0; line < fresh.line_count(); ++line) {
      RC_ASSERT(text.Line(line) == fresh.Line(line));
    }
  }
}

RC_GTEST_PROP(Positions, OfAnOffsetLeadBackToIt, ()) {
  const Text text(*TextsOfLines());
  for (const Encoding encoding : {Encoding::kUtf8, Encoding::kUtf16}) {
    const auto line = *rc::gen::inRange<uint32_t>(0, text.line_count());
    const auto character = *rc::gen::inRange<uint32_t>(0, 9);
    const uint32_t offset = text.OffsetAt({line, character}, encoding);
    const LinePosition position = text.PositionAt(offset, encoding);
    RC_ASSERT(position.line == line);
    RC_ASSERT(position.character <= character);
    RC_ASSERT(text.OffsetAt(position, encoding) == offset);
    const auto near = *rc::gen::inRange<uint32_t>(0, text.line_count() + 1);
    RC_ASSERT(text.PositionAt(offset, encoding, near) == position);
  }
}

}  // namespace
}  // namespace kinu::lsp
