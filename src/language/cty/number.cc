#include "cty/number.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "base/flat_map.h"
#include "base/invariant.h"
#include "base/sign.h"
#include "cty/number_parts.h"

namespace kinu {

void BigFloat::Destroy(const BigFloat* big) {
  big->~BigFloat();
  ::operator delete(const_cast<BigFloat*>(big));
}

namespace mp {
namespace {

// Go keeps exponents in an int32; results beyond become infinite or zero.
constexpr mpfr_exp_t kMaxExponent = INT32_MAX;
constexpr mpfr_exp_t kMinExponent = INT32_MIN;

}  // namespace

Number Finish(mpfr_srcptr value, uint16_t precision) {
  BigFloat* big = BigFloatAccess::New(precision, Bits(precision));
  Ref<const BigFloat> owner = Ref<const BigFloat>::Adopt(big);
  mpfr_ptr out = BigFloatAccess::Float(big);
  mpfr_set(out, value, MPFR_RNDN);
  if (mpfr_regular_p(out) != 0) {
    if (mpfr_get_exp(out) > kMaxExponent) {
      mpfr_set_inf(out, mpfr_sgn(out));
    } else if (mpfr_get_exp(out) < kMinExponent) {
      mpfr_set_zero(out, mpfr_sgn(out));
    }
  }
  if (mpfr_number_p(out) != 0 && mpfr_integer_p(out) != 0 &&
      mpfr_fits_intmax_p(out, MPFR_RNDN) != 0 &&
      !(mpfr_zero_p(out) != 0 && mpfr_signbit(out) != 0)) {
    return Number::FromInt(mpfr_get_sj(out, MPFR_RNDN), precision);
  }
  return Number::FromBig(std::move(owner));
}

}  // namespace mp

namespace {

using mp::BitLength;
using mp::Bits;
using mp::Finish;
using mp::Operand;
using mp::Scratch;

uint16_t WiderPrecision(const Number& a, const Number& b) {
  return std::max(a.precision(), b.precision());
}

using BinaryOperation = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

Number Compute(BinaryOperation operation, const Number& a, const Number& b) {
  uint16_t precision = WiderPrecision(a, b);
  Scratch result(Bits(precision));
  operation(result, Operand(a), Operand(b), MPFR_RNDN);
  return Finish(result, precision);
}

}  // namespace

Number Number::FromInt(int64_t value, uint16_t precision) {
  Number number;
  number.int_ = value;
  number.precision_ = precision;
  return number;
}

Number Number::FromUint(uint64_t value, uint16_t precision) {
  if (value <= static_cast<uint64_t>(INT64_MAX)) {
    return FromInt(static_cast<int64_t>(value), precision);
  }
  Scratch scratch(64);
  mpfr_set_uj(scratch, value, MPFR_RNDN);
  return Finish(scratch, precision);
}

Number Number::FromDouble(double value, uint16_t precision) {
  KINU_INVARIANT(!std::isnan(value), "NaN is no number of the language");
  Scratch scratch(53);
  mpfr_set_d(scratch, value, MPFR_RNDN);
  return Finish(scratch, precision);
}

Number Number::Infinity(bool negative) {
  Scratch scratch(2);
  mpfr_set_inf(scratch, negative ? -1 : 1);
  return Finish(scratch, 0);
}

Number Number::FromBig(Ref<const BigFloat> big) {
  Number number;
  number.precision_ = big->precision();
  number.big_ = std::move(big);
  return number;
}

bool Number::IsInteger() const {
  return is_inline() || (mpfr_number_p(BigFloatAccess::Float(big_.get())) != 0 &&
                         mpfr_integer_p(BigFloatAccess::Float(big_.get())) != 0);
}

bool Number::IsInfinite() const {
  return !is_inline() && mpfr_inf_p(BigFloatAccess::Float(big_.get())) != 0;
}

int Number::Sign() const {
  if (is_inline()) {
    return SignOf(int_);
  }
  return SignOf(mpfr_sgn(BigFloatAccess::Float(big_.get())));
}

std::optional<int64_t> Number::ToInt64() const {
  if (is_inline()) {
    return int_;
  }
  // A big number that is an int64 can only be minus zero.
  return mpfr_zero_p(BigFloatAccess::Float(big_.get())) != 0 ? std::optional<int64_t>(0)
                                                             : std::nullopt;
}

double Number::ToDouble(bool* exact) const {
  double value = is_inline() ? static_cast<double>(int_)
                             : mpfr_get_d(BigFloatAccess::Float(big_.get()), MPFR_RNDN);
  if (exact != nullptr) {
    *exact = is_inline() ? BitLength(int_) <= 53 || mpfr_cmp_d(Operand(*this), value) == 0
                         : mpfr_cmp_d(BigFloatAccess::Float(big_.get()), value) == 0;
  }
  return value;
}

int Number::Compare(const Number& a, const Number& b) {
  if (a.is_inline() && b.is_inline()) {
    return SignOf(a.int_ <=> b.int_);
  }
  return SignOf(mpfr_cmp(Operand(a), Operand(b)));
}

bool Number::Equal(const Number& a, const Number& b) {
  if (a.is_inline() && b.is_inline()) {
    return a.int_ == b.int_;
  }
  if (a.Sign() != b.Sign()) {
    return false;
  }
  if (a.precision_ == b.precision_ || a.IsInteger() || b.IsInteger() || a.IsInfinite() ||
      b.IsInfinite()) {
    return Compare(a, b) == 0;
  }
  return Compare(a, b) == 0 || a.Format('e', -1) == b.Format('e', -1);
}

bool Number::HasSum(const Number& a, const Number& b) {
  return !(a.IsInfinite() && b.IsInfinite() && a.Sign() != b.Sign());
}
bool Number::HasDifference(const Number& a, const Number& b) {
  return !(a.IsInfinite() && b.IsInfinite() && a.Sign() == b.Sign());
}
bool Number::HasProduct(const Number& a, const Number& b) {
  return !((a.IsInfinite() && b.Sign() == 0) || (b.IsInfinite() && a.Sign() == 0));
}
bool Number::HasQuotient(const Number& a, const Number& b) {
  return !((a.Sign() == 0 && b.Sign() == 0) || (a.IsInfinite() && b.IsInfinite()));
}

Number Number::Add(const Number& a, const Number& b) {
  KINU_INVARIANT(HasSum(a, b), "opposite infinities have no sum");
  uint16_t precision = WiderPrecision(a, b);
  int64_t sum = 0;
  if (a.is_inline() && b.is_inline() && !__builtin_add_overflow(a.int_, b.int_, &sum) &&
      BitLength(sum) <= precision) {
    return FromInt(sum, precision);
  }
  return Compute(mpfr_add, a, b);
}

Number Number::Subtract(const Number& a, const Number& b) {
  KINU_INVARIANT(HasDifference(a, b), "equal infinities have no difference");
  uint16_t precision = WiderPrecision(a, b);
  int64_t difference = 0;
  if (a.is_inline() && b.is_inline() && !__builtin_sub_overflow(a.int_, b.int_, &difference) &&
      BitLength(difference) <= precision) {
    return FromInt(difference, precision);
  }
  return Compute(mpfr_sub, a, b);
}

Number Number::Multiply(const Number& a, const Number& b) {
  KINU_INVARIANT(HasProduct(a, b), "zero and infinity have no product");
  uint16_t precision = WiderPrecision(a, b);
  int64_t product = 0;
  if (a.is_inline() && b.is_inline() && a.int_ != 0 && b.int_ != 0 &&
      !__builtin_mul_overflow(a.int_, b.int_, &product)) {
    int bits = BitLength(product) - std::countr_zero(static_cast<uint64_t>(product));
    return FromInt(product, std::max<uint16_t>(precision, static_cast<uint16_t>(bits)));
  }
  // The product is made at 512 bits and keeps as many as it needs.
  Scratch result(kLiteralPrecision);
  mpfr_mul(result, Operand(a), Operand(b), MPFR_RNDN);
  if (mpfr_regular_p(result) != 0) {
    precision = std::max<uint16_t>(precision, static_cast<uint16_t>(mpfr_min_prec(result)));
  }
  return Finish(result, precision);
}

Number Number::Divide(const Number& a, const Number& b) {
  KINU_INVARIANT(HasQuotient(a, b), "no quotient");
  if (a.is_inline() && b.is_inline() && b.int_ != 0 && b.int_ != -1 && a.int_ != 0 &&
      a.int_ % b.int_ == 0) {
    uint16_t precision = WiderPrecision(a, b);
    if (BitLength(a.int_ / b.int_) <= precision) {
      return FromInt(a.int_ / b.int_, precision);
    }
  }
  return Compute(mpfr_div, a, b);
}

Number Number::Modulo(const Number& a, const Number& b) {
  if (a.IsInfinite() || b.IsInfinite()) {
    return Multiply(a, b);
  }
  if (b.Sign() == 0) {
    return a;
  }
  if (a.is_inline() && b.is_inline() && b.int_ != -1 && WiderPrecision(a, b) >= kIntPrecision &&
      a.precision_ >= kIntPrecision) {
    return FromInt(a.int_ % b.int_, a.precision_);
  }
  // Each step is rounded as the reference does: the quotient to the wider precision, the rest to
  // that of the dividend.
  Operand dividend(a);
  Operand divisor(b);
  Scratch quotient(Bits(WiderPrecision(a, b)));
  mpfr_div(quotient, dividend, divisor, MPFR_RNDN);
  mpfr_trunc(quotient, quotient);
  if (mpfr_zero_p(quotient) != 0) {
    mpfr_set_zero(quotient, 1);  // an integer in between has no sign of its own
  }
  Scratch work(Bits(a.precision_));
  mpfr_set(work, quotient, MPFR_RNDN);
  mpfr_mul(work, divisor, work, MPFR_RNDN);
  mpfr_sub(work, dividend, work, MPFR_RNDN);
  return Finish(work, a.precision_);
}

Number Number::Negate(const Number& a) {
  if (a.is_inline() && a.int_ != 0 && a.int_ != INT64_MIN) {
    return FromInt(-a.int_, a.precision_);
  }
  Scratch result(Bits(std::max(a.precision_, kIntPrecision)));
  mpfr_neg(result, Operand(a), MPFR_RNDN);
  return Finish(result, a.precision_);
}

Number Number::Absolute(const Number& a) {
  if (a.is_inline() && a.int_ != INT64_MIN) {
    return FromInt(a.int_ < 0 ? -a.int_ : a.int_, a.precision_);
  }
  Scratch result(Bits(std::max(a.precision_, kIntPrecision)));
  mpfr_abs(result, Operand(a), MPFR_RNDN);
  return Finish(result, a.precision_);
}

namespace {

Number RoundToInteger(int (*round)(mpfr_ptr, mpfr_srcptr), const Number& a) {
  if (a.IsInteger() || a.IsInfinite()) {
    return a;
  }
  Scratch result(Bits(a.precision()));
  round(result, Operand(a));
  return Finish(result, a.precision());
}

}  // namespace

Number Number::Floor(const Number& a) {
  return RoundToInteger(mpfr_floor, a);
}
Number Number::Ceil(const Number& a) {
  return RoundToInteger(mpfr_ceil, a);
}
Number Number::Truncate(const Number& a) {
  return RoundToInteger(mpfr_trunc, a);
}

Number Number::WithPrecision(const Number& a, uint16_t precision) {
  if (a.is_inline() && BitLength(a.int_) <= precision) {
    return FromInt(a.int_, precision);
  }
  return Finish(Operand(a), precision);
}

uint64_t Number::Hash() const {
  if (is_inline()) {
    return HashCombine(0x9E6D, static_cast<uint64_t>(int_));
  }
  if (Sign() == 0) {
    return FromInt(0).Hash();  // minus zero equals zero
  }
  // Equality of fractions goes by their texts, so the hash must too (by their digits, that is:
  // the text of a number with a huge exponent is long).
  return HashBytes(Format('e', -1));
}

}  // namespace kinu
