// Number: a decimal-looking binary float of go-cty's precisions, exact to the bit.
//
// go-cty numbers are big.Float values: literals have 512 bits of mantissa, Go integers 64, float64
// results 53, and arithmetic takes the larger precision of its operands (multiplication works at
// 512 and then narrows). The precision is observable (division rounds to it), so it is kept: every
// number has a precision in bits. Integers that fit an int64 are stored inline. Ref: go-cty
// cty/value_init.go, value_ops.go; Go math/big Float.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/ref.h"
#include "cty/shared_node.h"

namespace kinu {

/// Mantissa precision of numbers that come from literals, integers and float64 results.
inline constexpr uint16_t kLiteralPrecision = 512;
inline constexpr uint16_t kIntPrecision = 64;
inline constexpr uint16_t kFloatPrecision = 53;

/// A number that is no inline integer; number_parts.h has its representation.
class BigFloat : public SharedNode {
 public:
  static void Destroy(const BigFloat* big);
  uint16_t precision() const { return precision_; }

 private:
  friend struct BigFloatAccess;
  BigFloat() = default;
  ~BigFloat() = default;
  uint16_t precision_ = 0;
};

/// Immutable number.
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

  /// Shortest decimal that reads back as the same value at this precision, big.Float Text('f', -1),
  /// or ('e', -1) of sizes beyond 2^65536 and below 2^-65536; infinities are "+Inf" and "-Inf".
  std::string ToText() const;
  /// Go's big.Float Text(verb, digits) for the verbs e, f and g; digits < 0 is the shortest text.
  std::string Format(char verb, int digits) const;

  /// Order by exact value.
  static int Compare(const Number& a, const Number& b);
  /// Equality of the language: integers by value, others by their shortest decimal texts, so that
  /// 0.1 of two precisions is equal although Compare distinguishes them.
  static bool Equal(const Number& a, const Number& b);
  friend bool operator==(const Number& a, const Number& b) { return Equal(a, b); }

  // Arithmetic. Where the reference's arithmetic has no answer (infinity minus infinity, infinity
  // times zero, zero by zero, infinity by infinity) the HasX function returns false, and the
  // operation must not be called.
  static bool HasSum(const Number& a, const Number& b);
  static bool HasDifference(const Number& a, const Number& b);
  static bool HasProduct(const Number& a, const Number& b);
  static bool HasQuotient(const Number& a, const Number& b);
  static Number Add(const Number& a, const Number& b);
  static Number Subtract(const Number& a, const Number& b);
  static Number Multiply(const Number& a, const Number& b);
  /// Division by zero is an infinity.
  static Number Divide(const Number& a, const Number& b);
  /// Remainder of the truncated quotient; `a` itself when b is zero.
  static Number Modulo(const Number& a, const Number& b);
  static Number Negate(const Number& a);
  static Number Absolute(const Number& a);
  static Number Floor(const Number& a);
  static Number Ceil(const Number& a);
  /// Truncation towards zero.
  static Number Truncate(const Number& a);

  /// The same value rounded to `precision` bits, which become the number's precision.
  static Number WithPrecision(const Number& a, uint16_t precision);
  /// An integer in base 2 to 36, without prefix; nothing for fractions and infinities.
  std::optional<std::string> IntegerText(int base) const;
  /// Reads an integer of base 2 to 36 (optional sign, digits of either case), at kLiteralPrecision.
  static std::optional<Number> ParseInteger(std::string_view text, int base);

  /// Consistent with Equal.
  uint64_t Hash() const;

 private:
  int64_t int_ = 0;
  Ref<const BigFloat> big_;
  uint16_t precision_ = kIntPrecision;
};

}  // namespace kinu
