#include "cty/number.h"

#include <gtest/gtest.h>

namespace kinu {
namespace {

std::string Text(std::string_view literal) {
  return Number::Parse(literal)->ToText();
}

TEST(Number, ParsesWhatTheReferenceParses) {
  EXPECT_EQ(Text("1.50"), "1.5");
  EXPECT_EQ(Text("-0"), "-0");
  EXPECT_EQ(Text("0.1"), "0.1");
  EXPECT_EQ(Text("1e3"), "1000");
  EXPECT_EQ(Text("1p3"), "8");
  EXPECT_EQ(Text(".5"), "0.5");
  EXPECT_EQ(Text("5."), "5");
  EXPECT_EQ(Text("+Inf"), "+Inf");
  EXPECT_EQ(Text("123456789012345678901234567890"), "123456789012345678901234567890");
  for (const char* bad : {"", ".", "1e", "e1", "0x10", "1_000", "1 ", "--1", "infinity", "INF"}) {
    EXPECT_FALSE(Number::Parse(bad)) << bad;
  }
}

TEST(Number, PrecisionShowsInDivision) {
  Number third64 = Number::Divide(Number::FromInt(1), Number::FromInt(3));
  EXPECT_EQ(third64.ToText(), "0.33333333333333333334");
  Number third512 = Number::Divide(*Number::Parse("1"), *Number::Parse("3"));
  EXPECT_EQ(third512.precision(), 512);
  EXPECT_EQ(third512.ToText().size(), 157u);
}

TEST(Number, TenthsOfTwoPrecisionsAreEqual) {
  Number literal = *Number::Parse("0.1");
  Number from_double = Number::FromDouble(0.1);
  EXPECT_NE(Number::Compare(literal, from_double), 0);
  EXPECT_TRUE(Number::Equal(literal, from_double));
  EXPECT_EQ(literal.Hash(), from_double.Hash());
}

TEST(Number, FormatAsGo) {
  EXPECT_EQ(Number::Parse("1e15")->Format('g', 10), "1e+15");
  EXPECT_EQ(Number::Parse("123456789012")->Format('g', 10), "1.23456789e+11");
  EXPECT_EQ(Number::Parse("0.00001")->Format('g', 10), "1e-05");
  EXPECT_EQ(Number::Parse("2.5")->Format('f', 0), "2");
  EXPECT_EQ(Number::Parse("3.14159")->Format('f', 2), "3.14");
  EXPECT_EQ(Number::FromInt(0).Format('g', 10), "0");
}

}  // namespace
}  // namespace kinu
