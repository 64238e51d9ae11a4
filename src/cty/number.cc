#include "cty/number.h"

#include <algorithm>
#include <bit>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

#include <gmp.h>
#include <mpfr.h>

#include "base/check.h"
#include "base/flat_map.h"

namespace kinu {

namespace {

// Every thread starts with a range of exponents that is narrower than Go's.
void WidenExponents() {
  thread_local const bool kWidened =
      mpfr_set_emin(mpfr_get_emin_min()) == 0 && mpfr_set_emax(mpfr_get_emax_max()) == 0;
  KINU_CHECK(kWidened, "MPFR has exponents of more than 32 bits");
}

}  // namespace

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
    WidenExponents();
    mpfr_custom_init(mantissa, bits);
    mpfr_custom_init_set(Float(big), MPFR_ZERO_KIND, 0, bits, mantissa);
    return big;
  }
};

void BigFloat::Destroy(const BigFloat* big) {
  big->~BigFloat();
  ::operator delete(const_cast<BigFloat*>(big));
}

namespace {

// Go keeps exponents in an int32; results beyond become infinite or zero.
constexpr mpfr_exp_t kMaxExponent = INT32_MAX;
constexpr mpfr_exp_t kMinExponent = INT32_MIN;

// MPFR wants two bits at least where Go has precision 0 (infinities).
mpfr_prec_t Bits(uint16_t precision) {
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

// Makes a Number of `value`, rounded to `precision`: inline when it is an int64 and not minus zero.
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

int BitLength(int64_t value) {
  uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
  return static_cast<int>(std::bit_width(magnitude));
}

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

// --- Decimal text. Ref: Go math/big ftoa.go. ---

// Decimal digits d1 d2 … dn of the value 0.d1d2…dn × 10^exponent; no trailing zeros.
struct Decimal {
  std::string digits;
  int64_t exponent = 0;

  char at(size_t i) const { return i < digits.size() ? digits[i] : '0'; }

  void Trim() {
    while (!digits.empty() && digits.back() == '0') {
      digits.pop_back();
    }
    if (digits.empty()) {
      exponent = 0;
    }
  }
  void RoundDown(size_t count) {
    if (count < digits.size()) {
      digits.resize(count);
      Trim();
    }
  }
  void RoundUp(size_t count) {
    if (count >= digits.size()) {
      return;
    }
    while (count > 0 && digits[count - 1] == '9') {
      --count;
    }
    if (count == 0) {
      digits = "1";
      ++exponent;
      return;
    }
    digits.resize(count);
    ++digits.back();
  }
  /// To the nearest of `count` digits, ties to an even digit.
  void Round(size_t count) {
    if (count >= digits.size()) {
      return;
    }
    bool tie = digits[count] == '5' && count + 1 == digits.size();
    bool up = tie ? count > 0 && (digits[count - 1] - '0') % 2 != 0 : digits[count] >= '5';
    if (up) {
      RoundUp(count);
    } else {
      RoundDown(count);
    }
  }
};

// The exact decimal digits of mantissa × 2^exponent.
Decimal ExactDecimal(mpz_srcptr mantissa, int64_t exponent) {
  Decimal decimal;
  BigInt value;
  if (exponent >= 0) {
    mpz_mul_2exp(value, mantissa, static_cast<mp_bitcnt_t>(exponent));
  } else {
    // m / 2^k = m × 5^k / 10^k
    mpz_ui_pow_ui(value, 5, static_cast<unsigned long>(-exponent));
    mpz_mul(value, value, mantissa);
  }
  decimal.digits.resize(mpz_sizeinbase(value, 10) + 2);
  mpz_get_str(decimal.digits.data(), 10, value);
  decimal.digits.resize(std::strlen(decimal.digits.c_str()));
  if (decimal.digits == "0") {
    decimal.digits.clear();
    return decimal;
  }
  decimal.exponent = static_cast<int64_t>(decimal.digits.size()) + std::min<int64_t>(exponent, 0);
  decimal.Trim();
  return decimal;
}

// Exponents up to here have all their digits made; beyond it a number of up to 600 bits has more
// than 2,000.
constexpr int64_t kExactExponent = 8192;
// More digits than the shortest text of any number has, and than two numbers that are next to each
// other have in common.
constexpr size_t kDistinctDigits = 220;

// The decimal of mantissa × 2^exponent for one who looks at `count` digits at most. A number with
// a huge exponent has its first digits only, and a last one that says that more follow, which
// makes every rounding to `count` digits come out as that of all digits would.
Decimal LeadingDecimal(mpz_srcptr mantissa, int64_t exponent, size_t count) {
  const int64_t magnitude = exponent < 0 ? -exponent : exponent;
  const size_t bits = mpz_sizeinbase(mantissa, 2);
  // Not all of a number's factors of five can meet one of two, so it has these digits at least.
  const size_t least = static_cast<size_t>(magnitude) / 4;
  if (magnitude <= kExactExponent || least <= bits + count) {
    return ExactDecimal(mantissa, exponent);
  }
  Scratch value(static_cast<mpfr_prec_t>(std::max<size_t>(bits, 2)));
  mpfr_set_z_2exp(value, mantissa, exponent, MPFR_RNDN);
  Decimal decimal;
  decimal.digits.resize(count + 2);  // and the closing zero
  mpfr_exp_t places = 0;
  mpfr_get_str(decimal.digits.data(), &places, 10, count, value, MPFR_RNDZ);
  decimal.digits.resize(count);
  decimal.digits += '1';
  decimal.exponent = places;
  return decimal;
}

// Cuts `decimal`, the leading digits of |mantissa × 2^exponent|, to the shortest digits that lie
// within half a unit in the last place of a mantissa of `precision` bits.
void RoundShortest(Decimal& decimal, mpz_srcptr mantissa, int64_t exponent, int precision) {
  if (decimal.digits.empty()) {
    return;
  }
  // Scale so that the last bit is half a unit in the last place.
  BigInt scaled;
  int64_t shift = static_cast<int64_t>(mpz_sizeinbase(mantissa, 2)) - (precision + 1);
  if (shift < 0) {
    mpz_mul_2exp(scaled, mantissa, static_cast<mp_bitcnt_t>(-shift));
  } else {
    mpz_tdiv_q_2exp(scaled, mantissa, static_cast<mp_bitcnt_t>(shift));
  }
  exponent += shift;
  // An even mantissa is what a reader would round either bound to.
  bool inclusive = mpz_tstbit(scaled, 1) == 0;
  BigInt bound;
  mpz_sub_ui(bound, scaled, 1);
  Decimal lower = LeadingDecimal(bound, exponent, kDistinctDigits);
  mpz_add_ui(bound, scaled, 1);
  Decimal upper = LeadingDecimal(bound, exponent, kDistinctDigits);

  for (size_t i = 0; i < decimal.digits.size(); ++i) {
    char digit = decimal.digits[i];
    char low = lower.at(i);
    char high = upper.at(i);
    bool down_ok = low != digit || (inclusive && i + 1 == lower.digits.size());
    bool up_ok = digit != high && (inclusive || digit + 1 < high || i + 1 < upper.digits.size());
    if (down_ok && up_ok) {
      decimal.Round(i + 1);
    } else if (down_ok) {
      decimal.RoundDown(i + 1);
    } else if (up_ok) {
      decimal.RoundUp(i + 1);
    } else {
      continue;
    }
    return;
  }
}

void AppendFixed(std::string& out, const Decimal& decimal, int64_t fraction_digits) {
  if (decimal.exponent > 0) {
    size_t whole = std::min<size_t>(decimal.digits.size(), static_cast<size_t>(decimal.exponent));
    out.append(decimal.digits, 0, whole);
    out.append(static_cast<size_t>(decimal.exponent) - whole, '0');
  } else {
    out += '0';
  }
  if (fraction_digits > 0) {
    out += '.';
    for (int64_t i = 0; i < fraction_digits; ++i) {
      int64_t at = decimal.exponent + i;
      out += at < 0 ? '0' : decimal.at(static_cast<size_t>(at));
    }
  }
}

void AppendScientific(std::string& out, const Decimal& decimal, int64_t fraction_digits) {
  out += decimal.at(0);
  if (fraction_digits > 0) {
    out += '.';
    for (int64_t i = 1; i <= fraction_digits; ++i) {
      out += decimal.at(static_cast<size_t>(i));
    }
  }
  int64_t exponent = decimal.digits.empty() ? 0 : decimal.exponent - 1;
  out += 'e';
  out += exponent < 0 ? '-' : '+';
  std::string digits = std::to_string(exponent < 0 ? -exponent : exponent);
  if (digits.size() < 2) {
    out += '0';
  }
  out += digits;
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
  KINU_CHECK(!std::isnan(value), "NaN is no number of the language");
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

namespace {

// 5^exponent at `bits`, by the reference's own steps: an exact start, then squares that are kept 64
// bits longer. Beyond some 250 digits this is not the correctly rounded power, and it shows.
void PowerOfFive(mpfr_ptr out, uint64_t exponent) {
  constexpr uint64_t kExact = 27;  // 5^27 is the largest that fits 64 bits
  mpfr_set_ui(out, 1, MPFR_RNDN);
  uint64_t exact = std::min(exponent, kExact);
  uint64_t power = 1;
  for (uint64_t i = 0; i < exact; ++i) {
    power *= 5;
  }
  mpfr_set_uj(out, power, MPFR_RNDN);
  Scratch factor(mpfr_get_prec(out) + 64);
  mpfr_set_ui(factor, 5, MPFR_RNDN);
  for (uint64_t left = exponent - exact; left > 0; left >>= 1) {
    if ((left & 1) != 0) {
      mpfr_mul(out, out, factor, MPFR_RNDN);
    }
    if (left > 1) {
      mpfr_sqr(factor, factor, MPFR_RNDN);
    }
  }
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

}  // namespace

std::optional<Number> Number::Parse(std::string_view text) {
  constexpr size_t kDigitsOfInt = 18;
  if (!text.empty() && text.size() <= kDigitsOfInt &&
      std::all_of(text.begin(), text.end(), IsDigit)) {
    int64_t value = 0;
    for (char digit : text) {
      value = value * 10 + (digit - '0');
    }
    return FromInt(value, kLiteralPrecision);
  }
  size_t at = 0;
  bool negative = false;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) {
    negative = text[at] == '-';
    ++at;
  }
  if (std::string_view word = text.substr(at); word == "Inf" || word == "inf") {
    return Infinity(negative);
  }
  std::string digits;
  int64_t fraction = 0;
  bool point = false;
  bool any = false;
  for (; at < text.size(); ++at) {
    if (IsDigit(text[at])) {
      any = true;
      fraction += point ? 1 : 0;
      if (text[at] != '0' || !digits.empty()) {
        digits += text[at];
      }
    } else if (text[at] == '.' && !point) {
      point = true;
    } else {
      break;
    }
  }
  if (!any) {
    return std::nullopt;
  }
  int64_t exponent = 0;
  bool binary = false;
  if (at < text.size() && std::string_view("eEpP").find(text[at]) != std::string_view::npos) {
    binary = text[at] == 'p' || text[at] == 'P';
    ++at;
    bool minus = false;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) {
      minus = text[at] == '-';
      ++at;
    }
    size_t first = at;
    for (; at < text.size() && IsDigit(text[at]); ++at) {
      if (__builtin_mul_overflow(exponent, 10, &exponent) ||
          __builtin_sub_overflow(exponent, text[at] - '0', &exponent)) {
        return std::nullopt;
      }
    }
    if (at == first || (!minus && exponent == INT64_MIN)) {
      return std::nullopt;
    }
    exponent = minus ? exponent : -exponent;
  }
  if (at != text.size()) {
    return std::nullopt;
  }
  if (digits.empty()) {
    if (!negative) {
      return FromInt(0, kLiteralPrecision);
    }
    Scratch zero(2);
    mpfr_set_zero(zero, -1);
    return Finish(zero, kLiteralPrecision);
  }
  if (fraction == 0 && exponent == 0 && digits.size() <= kDigitsOfInt) {
    int64_t value = 0;
    for (char digit : digits) {
      value = value * 10 + (digit - '0');
    }
    return FromInt(negative ? -value : value, kLiteralPrecision);
  }
  int64_t five = -fraction + (binary ? 0 : exponent);
  int64_t two = -fraction + exponent;
  BigInt mantissa;
  mpz_set_str(mantissa, digits.c_str(), 10);
  int64_t bits = static_cast<int64_t>(mpz_sizeinbase(mantissa, 2));
  if (__int128 top = static_cast<__int128>(bits) + two; top > INT32_MAX || top < INT32_MIN) {
    return std::nullopt;
  }
  Scratch value(std::max<mpfr_prec_t>(bits, kLiteralPrecision));
  mpfr_set_z_2exp(value, mantissa, two, MPFR_RNDN);
  if (negative) {
    mpfr_neg(value, value, MPFR_RNDN);
  }
  if (five == 0) {
    return Finish(value, kLiteralPrecision);
  }
  Scratch power(kLiteralPrecision + 64);
  PowerOfFive(power, static_cast<uint64_t>(five < 0 ? -five : five));
  Scratch result(kLiteralPrecision);
  if (five < 0) {
    mpfr_div(result, value, power, MPFR_RNDN);
  } else {
    mpfr_mul(result, value, power, MPFR_RNDN);
  }
  return Finish(result, kLiteralPrecision);
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
    return int_ < 0 ? -1 : (int_ > 0 ? 1 : 0);
  }
  int sign = mpfr_sgn(BigFloatAccess::Float(big_.get()));
  return sign < 0 ? -1 : (sign > 0 ? 1 : 0);
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

std::string Number::ToText() const {
  if (is_inline() && BitLength(int_) <= precision_) {
    return std::to_string(int_);
  }
  // Nobody wants all the zeros of a huge exponent, and a few bytes must not become gigabytes.
  constexpr mpfr_exp_t kLongestPlain = 65536;  // binary digits
  const bool plain = is_inline() || mpfr_regular_p(BigFloatAccess::Float(big_.get())) == 0 ||
                     std::abs(mpfr_get_exp(BigFloatAccess::Float(big_.get()))) <= kLongestPlain;
  return Format(plain ? 'f' : 'e', -1);
}

std::string Number::Format(char verb, int digits) const {
  Operand operand(*this);
  mpfr_srcptr value = operand;
  std::string out;
  if (mpfr_signbit(value) != 0) {
    out += '-';
  }
  if (mpfr_inf_p(value) != 0) {
    return out.empty() ? "+Inf" : "-Inf";
  }
  Decimal decimal;
  if (mpfr_zero_p(value) == 0) {
    BigInt mantissa;
    int64_t exponent = mpfr_get_z_2exp(mantissa, value);
    mpz_abs(mantissa, mantissa);
    mp_bitcnt_t zeros = mpz_scan1(mantissa, 0);
    mpz_tdiv_q_2exp(mantissa, mantissa, zeros);
    exponent += static_cast<int64_t>(zeros);
    size_t seen = kDistinctDigits;
    if (digits >= 0) {
      // Behind a point that is fixed all digits count, of a number with a whole part.
      const int64_t whole = std::max<int64_t>(mpfr_get_exp(value), 0);
      seen = static_cast<size_t>(digits + 2 + (verb == 'f' ? whole : 0));
    }
    decimal = LeadingDecimal(mantissa, exponent, seen);
    if (digits < 0) {
      RoundShortest(decimal, mantissa, exponent, precision_);
    }
  }
  int64_t size = static_cast<int64_t>(decimal.digits.size());
  int64_t places = digits;
  bool shortest = digits < 0;
  switch (verb) {
    case 'e':
      if (shortest) {
        places = std::max<int64_t>(size - 1, 0);
      } else {
        decimal.Round(static_cast<size_t>(places) + 1);
      }
      AppendScientific(out, decimal, places);
      break;
    case 'f':
      if (shortest) {
        places = std::max<int64_t>(size - decimal.exponent, 0);
      } else if (int64_t keep = decimal.exponent + places; keep >= 0) {
        decimal.Round(static_cast<size_t>(keep));
      } else {
        decimal = Decimal();
      }
      AppendFixed(out, decimal, places);
      break;
    default: {  // 'g'
      if (shortest) {
        places = size;
      } else {
        places = places == 0 ? 1 : places;
        decimal.Round(static_cast<size_t>(places));
        size = static_cast<int64_t>(decimal.digits.size());
      }
      int64_t limit = places;
      if (limit > size && size >= decimal.exponent) {
        limit = size;
      }
      if (shortest) {
        limit = 6;
      }
      int64_t exponent = decimal.exponent - 1;
      if (exponent < -4 || exponent >= limit) {
        AppendScientific(out, decimal, std::min(places, size) - 1);
      } else {
        if (places > decimal.exponent) {
          places = size;
        }
        AppendFixed(out, decimal, std::max<int64_t>(places - decimal.exponent, 0));
      }
    }
  }
  return out;
}

int Number::Compare(const Number& a, const Number& b) {
  if (a.is_inline() && b.is_inline()) {
    return a.int_ < b.int_ ? -1 : (a.int_ > b.int_ ? 1 : 0);
  }
  int order = mpfr_cmp(Operand(a), Operand(b));
  return order < 0 ? -1 : (order > 0 ? 1 : 0);
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
  KINU_CHECK(HasSum(a, b), "opposite infinities have no sum");
  uint16_t precision = WiderPrecision(a, b);
  int64_t sum = 0;
  if (a.is_inline() && b.is_inline() && !__builtin_add_overflow(a.int_, b.int_, &sum) &&
      BitLength(sum) <= precision) {
    return FromInt(sum, precision);
  }
  return Compute(mpfr_add, a, b);
}

Number Number::Subtract(const Number& a, const Number& b) {
  KINU_CHECK(HasDifference(a, b), "equal infinities have no difference");
  uint16_t precision = WiderPrecision(a, b);
  int64_t difference = 0;
  if (a.is_inline() && b.is_inline() && !__builtin_sub_overflow(a.int_, b.int_, &difference) &&
      BitLength(difference) <= precision) {
    return FromInt(difference, precision);
  }
  return Compute(mpfr_sub, a, b);
}

Number Number::Multiply(const Number& a, const Number& b) {
  KINU_CHECK(HasProduct(a, b), "zero and infinity have no product");
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
  KINU_CHECK(HasQuotient(a, b), "no quotient");
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

std::optional<std::string> Number::IntegerText(int base) const {
  if (!IsInteger()) {
    return std::nullopt;
  }
  BigInt value;
  mpfr_get_z(value, Operand(*this), MPFR_RNDN);
  std::vector<char> text(mpz_sizeinbase(value, base) + 2);
  return std::string(mpz_get_str(text.data(), base, value));
}

std::optional<Number> Number::ParseInteger(std::string_view text, int base) {
  size_t first = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  std::string digits(text.substr(first));
  bool valid = !digits.empty() && std::all_of(digits.begin(), digits.end(), [&](char c) {
    int digit = IsDigit(c)               ? c - '0'
                : (c >= 'a' && c <= 'z') ? c - 'a' + 10
                : (c >= 'A' && c <= 'Z') ? c - 'A' + 10
                                         : 99;
    return digit < base;
  });
  if (!valid) {
    return std::nullopt;
  }
  BigInt value;
  mpz_set_str(value, digits.c_str(), base);
  if (text[0] == '-') {
    mpz_neg(value, value);
  }
  Scratch result(std::max<mpfr_prec_t>(static_cast<mpfr_prec_t>(mpz_sizeinbase(value, 2)), 64));
  mpfr_set_z(result, value, MPFR_RNDN);
  return Finish(result, kLiteralPrecision);
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
