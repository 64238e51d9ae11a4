// The decimal texts of numbers, read and written as Go's big.Float does. Ref: Go math/big ftoa.go.
#include <climits>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "cty/number_parts.h"
#include "cty/whole_numbers.h"

namespace kinu {
namespace {

using mp::BigInt;
using mp::BitLength;
using mp::Finish;
using mp::Operand;
using mp::Scratch;

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

// Up to this exponent all digits are computed; beyond it a number of up to 600 bits has more
// than 2,000.
constexpr int64_t kExactExponent = 8192;
// More digits than the shortest text of any number has, and than two numbers that are next to each
// other have in common.
constexpr size_t kDistinctDigits = 220;

// The decimal of mantissa × 2^exponent, of which the caller reads `count` digits at most. A number
// with a huge exponent has its first digits only, and a last one for the digits that follow, so
// that every rounding to `count` digits is the same as from all digits.
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

/// Integers of so many digits fit an int64.
constexpr size_t kDigitsOfInt = 18;

int64_t SmallInteger(std::string_view digits) {
  int64_t value = 0;
  for (const char digit : digits) {
    value = value * 10 + (digit - '0');
  }
  return value;
}

/// The parts of a number's text: digits without leading zeros, how many of them are behind the
/// point, and the exponent, which is a power of two when `binary`.
struct NumberText {
  bool negative = false;
  std::string digits;
  int64_t fraction = 0;
  int64_t exponent = 0;
  bool binary = false;
};

/// Passes a sign; whether it is a minus.
bool TakeSign(std::string_view text, size_t* at) {
  if (*at < text.size() && (text[*at] == '+' || text[*at] == '-')) {
    return text[(*at)++] == '-';
  }
  return false;
}

/// Passes digits with at most one point; false when there are none.
bool TakeDigits(std::string_view text, size_t* at, NumberText* out) {
  bool point = false;
  bool any = false;
  for (; *at < text.size(); ++*at) {
    const char c = text[*at];
    if (IsDigit(c)) {
      any = true;
      out->fraction += point ? 1 : 0;
      if (c != '0' || !out->digits.empty()) {
        out->digits += c;
      }
    } else if (c == '.' && !point) {
      point = true;
    } else {
      break;
    }
  }
  return any;
}

/// Passes an exponent, if there is one; false when it is malformed or no int64.
bool TakeExponent(std::string_view text, size_t* at, NumberText* out) {
  if (*at == text.size() || std::string_view("eEpP").find(text[*at]) == std::string_view::npos) {
    return true;
  }
  out->binary = text[*at] == 'p' || text[*at] == 'P';
  ++*at;
  const bool minus = TakeSign(text, at);
  const size_t first = *at;
  int64_t negated = 0;
  for (; *at < text.size() && IsDigit(text[*at]); ++*at) {
    if (__builtin_mul_overflow(negated, 10, &negated) ||
        __builtin_sub_overflow(negated, text[*at] - '0', &negated)) {
      return false;
    }
  }
  if (*at == first || (!minus && negated == INT64_MIN)) {
    return false;
  }
  out->exponent = minus ? negated : -negated;
  return true;
}

/// The number with these parts, which has digits.
std::optional<Number> MakeNumber(const NumberText& text) {
  const int64_t five = -text.fraction + (text.binary ? 0 : text.exponent);
  const int64_t two = -text.fraction + text.exponent;
  BigInt mantissa;
  mpz_set_str(mantissa, text.digits.c_str(), 10);
  const auto bits = static_cast<int64_t>(mpz_sizeinbase(mantissa, 2));
  if (__int128 top = static_cast<__int128>(bits) + two; top > INT32_MAX || top < INT32_MIN) {
    return std::nullopt;
  }
  Scratch value(std::max<mpfr_prec_t>(bits, kLiteralPrecision));
  mpfr_set_z_2exp(value, mantissa, two, MPFR_RNDN);
  if (text.negative) {
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

}  // namespace

std::optional<Number> Number::Parse(std::string_view text) {
  if (!text.empty() && text.size() <= kDigitsOfInt &&
      std::all_of(text.begin(), text.end(), IsDigit)) {
    return FromInt(SmallInteger(text), kLiteralPrecision);
  }
  NumberText parts;
  size_t at = 0;
  parts.negative = TakeSign(text, &at);
  if (std::string_view word = text.substr(at); word == "Inf" || word == "inf") {
    return Infinity(parts.negative);
  }
  if (!TakeDigits(text, &at, &parts) || !TakeExponent(text, &at, &parts) || at != text.size()) {
    return std::nullopt;
  }
  if (parts.digits.empty()) {
    if (!parts.negative) {
      return FromInt(0, kLiteralPrecision);
    }
    Scratch zero(2);
    mpfr_set_zero(zero, -1);
    return Finish(zero, kLiteralPrecision);
  }
  if (parts.fraction == 0 && parts.exponent == 0 && parts.digits.size() <= kDigitsOfInt) {
    const int64_t value = SmallInteger(parts.digits);
    return FromInt(parts.negative ? -value : value, kLiteralPrecision);
  }
  return MakeNumber(parts);
}

namespace {

/// Whether the text of a number has no exponent. The zeros of a huge exponent are left out, so that
/// a few bytes do not become gigabytes.
bool HasPlainText(const Number& number) {
  constexpr mpfr_exp_t kLongestPlain = 65536;  // binary digits
  if (number.is_inline()) {
    return true;
  }
  const mpfr_srcptr value = BigFloatAccess::Float(number.big().get());
  return mpfr_regular_p(value) == 0 || std::abs(mpfr_get_exp(value)) <= kLongestPlain;
}

}  // namespace

std::string Number::ToText() const {
  if (is_inline() && BitLength(int_) <= precision_) {
    return std::to_string(int_);
  }
  return Format(HasPlainText(*this) ? 'f' : 'e', -1);
}

std::string ExactText(const Number& number) {
  if (number.is_inline()) {
    return std::to_string(number.inline_value());
  }
  // Zero is inline unless it has a sign.
  const bool whole = number.Sign() != 0 && number.IsInteger() && HasPlainText(number);
  return whole ? number.IntegerText(10).value() : number.ToText();
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
      // With a fixed point, the digits of the whole part come on top.
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

std::optional<std::string> Number::IntegerText(int base) const {
  if (!IsInteger()) {
    return std::nullopt;
  }
  BigInt value;
  mpfr_get_z(value, Operand(*this), MPFR_RNDN);
  std::vector<char> text(mpz_sizeinbase(value, base) + 2);
  return std::string(mpz_get_str(text.data(), base, value));
}

namespace {

/// What a digit stands for, in bases of up to 36; more than any digit if it is none.
int DigitOf(char c) {
  if (IsDigit(c)) {
    return c - '0';
  }
  if (c >= 'a' && c <= 'z') {
    return c - 'a' + 10;
  }
  return c >= 'A' && c <= 'Z' ? c - 'A' + 10 : 99;
}

}  // namespace

std::optional<Number> Number::ParseInteger(std::string_view text, int base) {
  size_t first = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  std::string digits(text.substr(first));
  bool valid = !digits.empty() &&
               std::all_of(digits.begin(), digits.end(), [&](char c) { return DigitOf(c) < base; });
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

}  // namespace kinu
