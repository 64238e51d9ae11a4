// Number: a decimal-looking binary float of go-cty's precisions, exact to the bit.
//
// go-cty numbers are big.Float values: literals have 512 bits of mantissa, Go integers 64, float64
// results 53, and arithmetic takes the larger precision of its operands (multiplication works at 512
// and then narrows). The precision is observable (division rounds to it), so it is kept: every number
// has a precision in bits. Integers that fit an int64 are stored inline.
// Ref: go-cty cty/value_init.go, value_ops.go; Go math/big Float.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ref.h"

namespace kinu {

/// Mantissa precision of numbers that come from literals, integers and float64 results.
inline constexpr uint16_t kLiteralPrecision = 512;
inline constexpr uint16_t kIntPrecision = 64;
inline constexpr uint16_t kFloatPrecision = 53;

class BigFloat;  // MPFR behind number.cc

/// Immutable number; 16 bytes.
class Number {
 public:
  Number() = default;
  static Number FromInt(int64_t value, uint16_t precision = kIntPrecision);
  static Number FromUint(uint64_t value, uint16_t precision = kIntPrecision);
  static Number FromDouble(double value, uint16_t precision = kFloatPrecision);
  static Number Infinity(bool negative);
  /// Reads a decimal number: digits, fraction, exponent ("1.5e3"), sign; 512 bits, rounding to
  /// nearest even. Nothing when the text is not a number. Ref: go-cty cty.ParseNumberVal.
  static std::optional<Number> Parse(std::string_view text);
  static Number FromBig(Ref<const BigFloat> big);

  uint16_t precision() const { return precision_; }
  bool is_inline() const { return !big_; }
  int64_t inline_value() const { return int_; }
  const Ref<const BigFloat>& big() const { return big_; }

  bool IsInteger() const;
  bool IsInfinite() const;
  int Sign() const;
  /// The value as int64 when it is one exactly.
  std::optional<int64_t> ToInt64() const;
  /// The nearest double, and whether it is exact.
  double ToDouble(bool* exact = nullptr) const;

  /// Shortest decimal without exponent that reads back as the same value at this precision:
  /// big.Float Text('f', -1). "+Inf" becomes "Inf" as Go prints; see cty conversions for "inf".
  std::string ToText() const;
  /// Go's fmt of a big.Float with %.10g and the like, used by set order and format().
  std::string Format(char verb, int digits) const;

  static int Compare(const Number& a, const Number& b);
  friend bool operator==(const Number& a, const Number& b) { return Compare(a, b) == 0; }

  static Number Add(const Number& a, const Number& b);
  static Number Subtract(const Number& a, const Number& b);
  static Number Multiply(const Number& a, const Number& b);
  /// b must not be zero, and not both infinite.
  static Number Divide(const Number& a, const Number& b);
  static Number Modulo(const Number& a, const Number& b);
  static Number Negate(const Number& a);
  static Number Absolute(const Number& a);
  static Number Floor(const Number& a);
  static Number Ceil(const Number& a);
  /// Truncation towards zero.
  static Number Truncate(const Number& a);

  uint64_t Hash() const;

 private:
  int64_t int_ = 0;
  Ref<const BigFloat> big_;
  uint16_t precision_ = kIntPrecision;
};

}  // namespace kinu
