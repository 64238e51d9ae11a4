#include "cty/number.h"

#include <bit>
#include <vector>

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/testing/source_directory.h"
#include "cty/whole_numbers.h"

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

std::vector<std::string> Split(std::string_view line, char separator) {
  std::vector<std::string> parts(1);
  for (char c : line) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

Number Operand(const std::string& text) {
  std::string content = text.substr(2);
  switch (text[0]) {
    case 'i':
      return Number::FromInt(std::stoll(content));
    case 'f':
      return Number::FromDouble(std::bit_cast<double>(std::stoull(content, nullptr, 16)));
    default:
      return *Number::Parse(content);
  }
}

std::string Shown(const Number& number) {
  return std::to_string(number.precision()) + " " + number.ToText() + " " + number.Format('g', 10);
}

std::string Calculate(const std::string& op, const Number& a, const Number& b) {
  if (op == "+") {
    return Shown(Number::Add(a, b));
  }
  if (op == "-") {
    return Shown(Number::Subtract(a, b));
  }
  if (op == "*") {
    return Shown(Number::Multiply(a, b));
  }
  if (op == "/") {
    return Number::HasQuotient(a, b) ? Shown(Number::Divide(a, b)) : "error";
  }
  if (op == "%") {
    return Shown(Number::Modulo(a, b));
  }
  if (op == "neg") {
    return Shown(Number::Negate(a));
  }
  bool answer = op == "=" ? a == b : Number::Compare(a, b) < 0;
  return answer ? "true" : "false";
}

// The table holds what go-cty and math/big make of random operands of all precisions: result,
// precision of the result, its shortest text and its text of ten digits.
TEST(Number, EqualsTheReferenceToTheBit) {
  auto table = ReadFile(SourceDirectory() + "/src/language/cty/testdata/arithmetic.txt");
  ASSERT_TRUE(table);
  size_t operations = 0;
  size_t literals = 0;
  for (const std::string& line : Split(*table, '\n')) {
    if (line.empty() || line[0] == '#') {
      continue;
    }
    if (line.starts_with("parse\t")) {
      std::vector<std::string> parts = Split(line, '\t');
      std::optional<Number> number = Number::Parse(parts[1]);
      ++literals;
      if (parts[2] == "error") {
        EXPECT_FALSE(number) << line;
        continue;
      }
      ASSERT_TRUE(number) << line;
      EXPECT_EQ(number->Format('f', -1), parts[2]) << line;
      EXPECT_EQ(number->Format('g', -1), parts[3]) << line;
      EXPECT_EQ(number->Format('e', 5), parts[4]) << line;
      EXPECT_EQ(number->Format('f', 3), parts[5]) << line;
      continue;
    }
    std::vector<std::string> parts = Split(line, ' ');
    ASSERT_GE(parts.size(), 4u) << line;
    std::string want = line.substr(parts[0].size() + parts[1].size() + parts[2].size() + 3);
    ++operations;
    EXPECT_EQ(Calculate(parts[0], Operand(parts[1]), Operand(parts[2])), want) << line;
  }
  EXPECT_GE(operations, 2400u);
  EXPECT_GE(literals, 150u);
}

// Texts of numbers with huge exponents come from their leading digits: a literal of few digits is
// its own shortest text, however far the point is from them.
TEST(Number, HugeExponentsHaveShortestTexts) {
  const std::string_view kDigits[] = {"1",
                                      "9",
                                      "5",
                                      "1234567",
                                      "99999999999999999999",
                                      "70368744177663999999999999999999999999999999999999999999"};
  for (std::string_view digits : kDigits) {
    for (int zeros : {2400, 2460, 2470, 2500, 30000, 400000}) {
      const std::string text = std::string(digits) + std::string(static_cast<size_t>(zeros), '0');
      EXPECT_EQ(Number::Parse(std::string(digits) + "e" + std::to_string(zeros))->Format('f', -1),
                text);
      const std::string small =
          "0." + std::string(static_cast<size_t>(zeros), '0') + std::string(digits);
      const int exponent = zeros + static_cast<int>(digits.size());
      const Number number = *Number::Parse(std::string(digits) + "e-" + std::to_string(exponent));
      EXPECT_EQ(number.Format('f', -1), small);
      EXPECT_EQ(number.Hash(), Number::Parse(small)->Hash());
    }
  }
  // All digits of a power of two, made another way.
  const Number power = *Number::Parse("1p20000");
  EXPECT_EQ(power.Format('f', 0), *power.IntegerText(10));
  EXPECT_EQ(power.Format('e', 30), "3." + power.IntegerText(10)->substr(1, 30) + "e+6020");
}

// A remainder of minus zero keeps its sign, but where the divisor is negative.
TEST(Number, RemaindersOfMinusZero) {
  const Number minus_zero = *Number::Parse("-0");
  EXPECT_EQ(Number::Modulo(minus_zero, Number::FromInt(3)).ToText(), "-0");
  EXPECT_EQ(Number::Modulo(minus_zero, *Number::Parse("0.5")).ToText(), "-0");
  EXPECT_EQ(Number::Modulo(minus_zero, Number::FromInt(-3)).ToText(), "0");
  EXPECT_EQ(Number::Modulo(Number::FromInt(-3), Number::FromInt(3)).ToText(), "0");
}

// These must take neither time nor space that grows with the exponent.
TEST(Number, HugeExponentsAreQuick) {
  EXPECT_EQ(Number::Parse("1e19000")->ToText().size(), 19001U);
  EXPECT_EQ(Number::Parse("1e-19000")->ToText().size(), 19002U);
  EXPECT_EQ(Number::Parse("1e20000")->ToText(), "1e+20000");
  EXPECT_EQ(Number::Parse("-12.5e-20000")->ToText(), "-1.25e-19999");
  EXPECT_EQ(Number::Parse("1e600000000")->ToText(), "1e+600000000");
  for (const std::string_view text : {"3.5e600000000", "7e-600000000", "1e646456992"}) {
    const Number number = *Number::Parse(text);
    EXPECT_EQ(Number::Compare(*Number::Parse(number.ToText()), number), 0) << text;
  }
  EXPECT_EQ(Number::Parse("1e8444448")->Format('e', -1), "1e+8444448");
  EXPECT_EQ(Number::Parse("3e-600000000")->Format('g', -1), "3e-600000000");
  EXPECT_EQ(Number::Parse(".7P766602725")->Format('g', 5), "6.7274e+230770414");
  EXPECT_EQ(Number::Parse("1e-600000000")->Sign(), 1);
  EXPECT_EQ(Number::Parse("1e-646456994")->Sign(), 0);
  EXPECT_FALSE(Number::Equal(*Number::Parse("1e600000000"), *Number::Parse("1e600000001")));
  EXPECT_TRUE(
      Number::Multiply(*Number::Parse("1e600000000"), *Number::Parse("1e600000000")).IsInfinite());
  EXPECT_NE(Number::Parse("1e-600000000")->Hash(), Number::Parse("1e-600000001")->Hash());
}

TEST(Number, ExactTextsHaveAllDigits) {
  const Number power = Number::FromDouble(18446744073709551616.0);
  EXPECT_EQ(power.ToText(), "18446744073709550000");
  EXPECT_EQ(ExactText(power), "18446744073709551616");
  EXPECT_EQ(ExactText(Number::Negate(power)), "-18446744073709551616");
  EXPECT_EQ(ExactText(Number::FromInt(9007199254740993, 53)), "9007199254740993");
  for (const char* text : {"0", "-0", "7", "-2.5", "0.1", "1e+20000", "3e-20000"}) {
    const Number number = *Number::Parse(text);
    EXPECT_EQ(ExactText(number), number.ToText()) << text;
  }
  EXPECT_EQ(ExactText(Number::Infinity(true)), "-Inf");
}

}  // namespace
}  // namespace kinu
