// The representation of numbers that are no inline integers, for number.cc and number_text.cc.
// Private to cty: MPFR and GMP appear nowhere else.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <new>

#include <gmp.h>
#include <mpfr.h>

#include "base/invariant.h"
#include "cty/number.h"

namespace kinu {

namespace mp {

// Every thread starts with a range of exponents that is narrower than Go's.
inline void WidenExponents() {
  thread_local const bool kWidened =
      mpfr_set_emin(mpfr_get_emin_min()) == 0 && mpfr_set_emax(mpfr_get_emax_max()) == 0;
  KINU_INVARIANT(kWidened, "MPFR has exponents of more than 32 bits");
}

}  // namespace mp

// A BigFloat is one allocation: the counted head, MPFR's own struct, the limbs.
struct BigFloatAccess {
  static mpfr_t& Float(BigFloat* big) { return *reinterpret_cast<mpfr_t*>(big + 1); }
  static mpfr_srcptr Float(const BigFloat* big) {
    return *reinterpret_cast<const mpfr_t*>(big + 1);
  }
  static BigFloat* New(uint16_t precision, mpfr_prec_t bits) {
    static_assert(sizeof(BigFloat) % alignof(mpfr_t) == 0);
    size_t limbs = mpfr_custom_get_size(bits);
    void* memory = ::operator new(sizeof(BigFloat) + sizeof(mpfr_t) + limbs);
    BigFloat* big = new (memory) BigFloat();
    big->precision_ = precision;
    void* mantissa = static_cast<char*>(memory) + sizeof(BigFloat) + sizeof(mpfr_t);
    mp::WidenExponents();
    mpfr_custom_init(mantissa, bits);
    mpfr_custom_init_set(Float(big), MPFR_ZERO_KIND, 0, bits, mantissa);
    return big;
  }
};

namespace mp {

// MPFR wants two bits at least where Go has precision 0 (infinities).
inline mpfr_prec_t Bits(uint16_t precision) {
  return std::max<mpfr_prec_t>(precision, 2);
}

// A float on the stack for intermediate results.
class Scratch {
 public:
  explicit Scratch(mpfr_prec_t bits) {
    WidenExponents();
    mpfr_init2(value_, bits);
  }
  ~Scratch() { mpfr_clear(value_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  operator mpfr_ptr() { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  mpfr_t value_;
};

class BigInt {
 public:
  BigInt() { mpz_init(value_); }
  ~BigInt() { mpz_clear(value_); }
  BigInt(const BigInt&) = delete;
  BigInt& operator=(const BigInt&) = delete;
  operator mpz_ptr() { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  mpz_t value_;
};

// Any Number seen as an MPFR value; integers get one of their own.
class Operand {
 public:
  explicit Operand(const Number& number) {
    if (number.is_inline()) {
      mpfr_init2(own_, 64);
      mpfr_set_sj(own_, number.inline_value(), MPFR_RNDN);
      value_ = own_;
    } else {
      value_ = BigFloatAccess::Float(number.big().get());
    }
  }
  ~Operand() {
    if (value_ == own_) {
      mpfr_clear(own_);
    }
  }
  Operand(const Operand&) = delete;
  Operand& operator=(const Operand&) = delete;
  operator mpfr_srcptr() const { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  mpfr_t own_;
  mpfr_srcptr value_;
};

/// The number of binary digits of the magnitude.
inline int BitLength(int64_t value) {
  uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  return static_cast<int>(std::bit_width(magnitude));
}

/// Makes a Number of `value`, rounded to `precision`: inline when it is an int64 and not minus
/// zero.
Number Finish(mpfr_srcptr value, uint16_t precision);

}  // namespace mp

}  // namespace kinu
