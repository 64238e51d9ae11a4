// Numbers: abs ceil floor log max min parseint pow signum sum.
#include <cmath>

#include "base/sign.h"
#include "cty/conversion.h"
#include "functions/families.h"
#include "functions/support.h"
#include "text/quote.h"

namespace kinu::functions {
namespace {

constexpr int64_t kLowestBase = 2;
constexpr int64_t kHighestBase = 62;
constexpr int64_t kHighestFoldedBase = 36;  // up to this base, letters are case-insensitive

CallResult Abs(Arguments args, const Type&, const CallContext&) {
  return Absolute(args[0]);
}

// The value of a rounded number, without -0.
Value Rounded(const Number& number) {
  return Value::Of(number.Sign() == 0 ? Number::FromInt(0, number.precision()) : number);
}

CallResult Ceil(Arguments args, const Type&, const CallContext&) {
  return Rounded(Number::Ceil(args[0].AsNumber()));
}

CallResult Floor(Arguments args, const Type&, const CallContext&) {
  return Rounded(Number::Floor(args[0].AsNumber()));
}

CallResult FromDouble(double value) {
  if (std::isnan(value)) {
    return CallFail("the result is not a number");
  }
  return Value::Of(std::isinf(value) ? Number::Infinity(value < 0) : Number::FromDouble(value));
}

// The natural logarithm, computed like fdlibm, so that all bits equal the reference's result.
double Logarithm(double x) {
  if (std::isnan(x) || std::isinf(x) || x <= 0) {
    return std::log(x);
  }
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  // x = 2^exponent * (1 + f), with 1 + f between the root of 1/2 and the root of 2.
  int exponent = 0;
  double fraction = std::frexp(x, &exponent);
  if (fraction < std::sqrt(0.5)) {
    fraction *= 2;
    --exponent;
  }
  const double f = fraction - 1;
  const double scale = exponent;
  const double s = f / (2 + f);
  const double s2 = s * s;
  const double s4 = s2 * s2;
  const double odd = s2 * (6.666666666666735130e-01 +
                           s4 * (2.857142874366239149e-01 +
                                 s4 * (1.818357216161805012e-01 + s4 * 1.479819860510658591e-01)));
  const double even = s4 * (3.999999999940941908e-01 +
                            s4 * (2.222219843214978396e-01 + s4 * 1.531383769920937332e-01));
  const double half_square = 0.5 * f * f;
  return scale * kLn2High -
         ((half_square - (s * (half_square + (odd + even)) + scale * kLn2Low)) - f);
}

// e to a power of moderate size: reduces the argument to a sixteenth of its distance from a
// multiple of ln 2, evaluates a Taylor series, and squares four times, with the fused operations of
// the reference's assembly code.
double Exponential(double x) {
  constexpr double kLog2E = 1.4426950408889634073599246810018920;
  constexpr double kLn2High = 0.69314718055966295651160180568695068359375;
  constexpr double kLn2Low = 0.28235290563031577122588448175013436025525412068e-12;
  constexpr double kSeries[] = {1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1.0};
  const double multiple = std::nearbyint(x * kLog2E);
  double rest = std::fma(-multiple, kLn2High, x);
  rest = std::fma(-multiple, kLn2Low, rest) * 0.0625;
  double series = 1.0 / 40320;
  for (double coefficient : kSeries) {
    series = std::fma(series, rest, coefficient);
  }
  double less_one = rest * series;
  for (int squaring = 0; squaring < 3; ++squaring) {
    less_one *= less_one + 2;
  }
  return std::ldexp(std::fma(less_one, less_one + 2, 1.0), static_cast<int>(multiple));
}

// A power of finite operands that are not special cases: the integer part of the exponent by
// repeated squaring of the mantissa, the fraction by logarithm. Each step rounds like the
// reference, so that all bits are equal.
double PowerOf(double x, double y) {
  double whole = 0;
  double part = std::modf(std::fabs(y), &whole);
  double result = 1;
  if (part != 0) {
    if (part > 0.5) {
      part -= 1;
      whole += 1;
    }
    result = Exponential(part * Logarithm(x));
  }
  constexpr int64_t kBeyondDouble = 1 << 12;
  int64_t result_exponent = 0;
  int start_exponent = 0;
  double square = std::frexp(x, &start_exponent);
  int64_t exponent = start_exponent;
  for (auto bits = static_cast<int64_t>(whole); bits != 0; bits >>= 1) {
    if (exponent < -kBeyondDouble || exponent > kBeyondDouble) {
      result_exponent += exponent;
      break;
    }
    if ((bits & 1) != 0) {
      result *= square;
      result_exponent += exponent;
    }
    square *= square;
    exponent *= 2;
    if (std::fabs(square) < 0.5) {
      square += square;
      --exponent;
    }
  }
  if (y < 0) {
    result = 1 / result;
    result_exponent = -result_exponent;
  }
  return std::ldexp(result, static_cast<int>(result_exponent));
}

double Power(double x, double y) {
  constexpr double kHugeExponent = 9.2e18;
  const bool ordinary = std::isfinite(x) && std::isfinite(y) && x != 0 && y != 0 && x != 1 &&
                        y != 1 && std::fabs(y) < kHugeExponent && (x > 0 || std::trunc(y) == y);
  if (!ordinary) {
    return std::pow(x, y);
  }
  if (y == 0.5 || y == -0.5) {
    return y > 0 ? std::sqrt(x) : 1 / std::sqrt(x);
  }
  return PowerOf(x, y);
}

CallResult Log(Arguments args, const Type&, const CallContext&) {
  KINU_TRY(const double number, ToDouble(args[0]));
  KINU_TRY(const double base, ToDouble(args[1]));
  return FromDouble(Logarithm(number) / Logarithm(base));
}

CallResult Pow(Arguments args, const Type&, const CallContext&) {
  KINU_TRY(const double number, ToDouble(args[0]));
  KINU_TRY(const double power, ToDouble(args[1]));
  return FromDouble(Power(number, power));
}

// The first of the greatest (`sign` 1) or least (`sign` -1) arguments, without conversion.
CallResult Extreme(Arguments args, int sign) {
  if (args.empty()) {
    return CallFail("must pass at least one number");
  }
  Value best = Value::Of(Number::Infinity(sign > 0));
  for (const Value& value : args) {
    if (Number::Compare(value.AsNumber(), best.AsNumber()) * sign > 0) {
      best = value;
    }
  }
  return best;
}

CallResult Max(Arguments args, const Type&, const CallContext&) {
  return Extreme(args, 1);
}
CallResult Min(Arguments args, const Type&, const CallContext&) {
  return Extreme(args, -1);
}

int DigitValue(char c, int64_t base) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  if (c >= 'a' && c <= 'z') {
    return c - 'a' + 10;
  }
  if (c >= 'A' && c <= 'Z') {
    return c - 'A' + (base <= kHighestFoldedBase ? 10 : 36);
  }
  return -1;
}

// Parses digits without sign; nothing if one is invalid in the base.
std::optional<Number> ParseDigits(std::string_view digits, int64_t base) {
  if (digits.empty()) {
    return std::nullopt;
  }
  const Number radix = Number::FromInt(base, kLiteralPrecision);
  Number number = Number::FromInt(0, kLiteralPrecision);
  for (char c : digits) {
    const int digit = DigitValue(c, base);
    if (digit < 0 || digit >= base) {
      return std::nullopt;
    }
    number =
        Number::Add(Number::Multiply(number, radix), Number::FromInt(digit, kLiteralPrecision));
  }
  return number;
}

// Sets the precision to the bits that an integer needs, at least 64.
Number WithIntegerPrecision(const Number& number) {
  const size_t bits = number.IntegerText(2).value_or("").size();
  const size_t needed = number.Sign() < 0 && bits > 0 ? bits - 1 : bits;
  const size_t precision = std::max<size_t>(needed, kIntPrecision);
  return Number::WithPrecision(number, static_cast<uint16_t>(precision));
}

TypeResult ParseIntType(Arguments args) {
  if (args[0].type() != Type::String()) {
    return CallFail("first argument must be a string, not " + args[0].type().FriendlyName(), 0);
  }
  return Type::Number();
}

CallResult ParseInt(Arguments args, const Type&, const CallContext&) {
  KINU_TRY(const int64_t base, ToInteger(args[1], 1));
  if (base < kLowestBase || base > kHighestBase) {
    return CallFail("base must be a whole number between 2 and 62 inclusive", 1);
  }
  std::string_view digits = args[0].AsString();
  const bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+')) {
    digits.remove_prefix(1);
  }
  const std::optional<Number> number = ParseDigits(digits, base);
  if (!number) {
    return CallFail("cannot parse " + text::GoQuote(args[0].AsString()) + " as a base " +
                        std::to_string(base) + " integer",
                    0);
  }
  const Number exact = WithIntegerPrecision(*number);
  return Value::Of(negative ? Number::Negate(exact) : exact);
}

CallResult Signum(Arguments args, const Type&, const CallContext&) {
  KINU_TRY(const int64_t number, ToInteger(args[0]));
  return Value::Int(SignOf(number));
}

CallResult Sum(Arguments args, const Type&, const CallContext&) {
  constexpr std::string_view kOnlyNumbers = "argument must be list, set, or tuple of number values";
  const Value& list = args[0];
  if (list.type().is_primitive() || list.type().is_capsule()) {
    return CallFail(std::string(kOnlyNumbers), 0);
  }
  if (list.size() == 0) {
    return CallFail("cannot sum an empty list", 0);
  }
  if (!IsSequence(list.type())) {
    return CallFail(std::string(kOnlyNumbers), 0);
  }
  if (!list.IsWhollyKnown()) {
    return Value::Unknown(Type::Number());
  }
  std::optional<Number> sum;
  for (const Value& element : list.elements()) {
    const auto number = Convert(element, Type::Number());
    if (!number || number->IsNull()) {
      return CallFail(std::string(kOnlyNumbers), 0);
    }
    if (sum && !Number::HasSum(*sum, number->AsNumber())) {
      return CallFail("can't compute sum of opposing infinities");
    }
    sum = sum ? Number::Add(*sum, number->AsNumber()) : number->AsNumber();
  }
  return Value::Of(*sum);
}

constexpr Parameter kNumber = {.name = "num", .type = &Type::Number};

constexpr FunctionSpec kRows[] = {
    {.name = "abs",
     .params = {Parameter{
         .name = "num", .type = &Type::Number, .allow_dynamic = true, .allow_marked = true}},
     .result_type = &Returns<&Type::Number>,
     .impl = &Abs,
     .refine = &NeverNull,
     .doc = "The number without its sign.",
     .examples = {Example{"abs(-12.4)", "12.4"}, Example{"abs(0)", "0"}},
     .ref = "go-cty stdlib/number.go AbsoluteFunc"},
    {.name = "ceil",
     .params = {kNumber},
     .result_type = &Returns<&Type::Number>,
     .impl = &Ceil,
     .refine = &NeverNull,
     .doc = "The smallest whole number that is not less than the given one.",
     .examples = {Example{"ceil(5)", "5"}, Example{"ceil(5.1)", "6"}, Example{"ceil(-0.5)", "0"}},
     .ref = "go-cty stdlib/number.go CeilFunc"},
    {.name = "floor",
     .params = {kNumber},
     .result_type = &Returns<&Type::Number>,
     .impl = &Floor,
     .refine = &NeverNull,
     .doc = "The greatest whole number that is not greater than the given one.",
     .examples = {Example{"floor(4.9)", "4"}, Example{"floor(-4.1)", "-5"}},
     .ref = "go-cty stdlib/number.go FloorFunc"},
    {.name = "log",
     .params = {kNumber, Parameter{.name = "base", .type = &Type::Number}},
     .result_type = &Returns<&Type::Number>,
     .impl = &Log,
     .refine = &NeverNull,
     .doc = "The logarithm of a number in the given base, in double precision.",
     .examples = {Example{"log(16, 2)", "4"}, Example{"log(1, 10)", "0"}},
     .ref = "go-cty stdlib/number.go LogFunc"},
    {.name = "max",
     .has_variadic = true,
     .variadic = {.name = "numbers", .type = &Type::Number, .allow_dynamic = true},
     .result_type = &Returns<&Type::Number>,
     .impl = &Max,
     .refine = &NeverNull,
     .doc = "The greatest of the given numbers.",
     .examples = {Example{"max(12, 54, 3)", "54"}, Example{"max([1, 2]...)", "2"}},
     .ref = "go-cty stdlib/number.go MaxFunc"},
    {.name = "min",
     .has_variadic = true,
     .variadic = {.name = "numbers", .type = &Type::Number, .allow_dynamic = true},
     .result_type = &Returns<&Type::Number>,
     .impl = &Min,
     .refine = &NeverNull,
     .doc = "The least of the given numbers.",
     .examples = {Example{"min(12, 54, 3)", "3"}, Example{"min([1, 2]...)", "1"}},
     .ref = "go-cty stdlib/number.go MinFunc"},
    {.name = "parseint",
     .params = {Parameter{.name = "number"}, Parameter{.name = "base", .type = &Type::Number}},
     .result_type = &ParseIntType,
     .impl = &ParseInt,
     .refine = &NeverNull,
     .doc = "Reads an integer that is written in a base from 2 to 62. Above 36 lower-case letters "
            "come before upper-case ones; up to 36 both mean the same.",
     .examples = {Example{R"(parseint("FF", 16))", "255"},
                  Example{R"(parseint("-1011", 2))", "-11"},
                  Example{R"(parseint("aA", 62))", "656"}},
     .ref = "go-cty stdlib/number.go ParseIntFunc"},
    {.name = "pow",
     .params = {kNumber, Parameter{.name = "power", .type = &Type::Number}},
     .result_type = &Returns<&Type::Number>,
     .impl = &Pow,
     .refine = &NeverNull,
     .doc = "A number raised to a power, in double precision.",
     .examples = {Example{"pow(3, 2)", "9"}, Example{"pow(4, 0)", "1"}},
     .ref = "go-cty stdlib/number.go PowFunc"},
    {.name = "signum",
     .params = {kNumber},
     .result_type = &Returns<&Type::Number>,
     .impl = &Signum,
     .refine = &NeverNull,
     .doc = "The sign of a whole number: -1, 0 or 1.",
     .examples = {Example{"signum(-13)", "-1"}, Example{"signum(344)", "1"}},
     .ref = "go-cty stdlib/number.go SignumFunc"},
    {.name = "sum",
     .params = {Parameter{.name = "list"}},
     .result_type = &Returns<&Type::Number>,
     .impl = &Sum,
     .refine = &NeverNull,
     .doc = "The sum of the numbers in a list, set or tuple that is not empty.",
     .examples = {Example{"sum([10, 13, 6, 4.5])", "33.5"}, Example{R"(sum(["1", 2]))", "3"}},
     .ref = "opentofu internal/lang/funcs/collection.go SumFunc"},
};

}  // namespace

std::span<const FunctionSpec> NumberFunctions() {
  return kRows;
}

}  // namespace kinu::functions
