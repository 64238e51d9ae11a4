// format and formatlist: Go's verbs for values of the language. Ref: go-cty stdlib/format.go.
#include <algorithm>

#include "cty/conversion.h"
#include "cty/json.h"
#include "functions/families.h"
#include "functions/support.h"
#include "json/writer.h"
#include "text/quote.h"
#include "text/unicode.h"

namespace kinu::functions {
namespace {

constexpr int64_t kWidest = 1'000'000;  // Go's limit of widths and precisions

struct Verb {
  std::string_view raw;
  size_t offset = 0;
  size_t argument = 1;  // from 1
  char mode = 0;
  bool zero = false;
  bool sharp = false;
  bool plus = false;
  bool minus = false;
  bool space = false;
  std::optional<int64_t> width;
  std::optional<int64_t> precision;
};

using Formatted = std::expected<std::string, CallError>;

std::unexpected<CallError> Unsupported(const Verb& verb, std::string_view why) {
  return CallFail("unsupported value for " + text::GoQuote(verb.raw) + " at " +
                  std::to_string(verb.offset) + ": " + std::string(why));
}

// Pads a text. Widths count grapheme clusters; the flag 0 pads with zeros.
std::string Pad(const Verb& verb, std::string text) {
  const auto size = static_cast<int64_t>(text::GraphemeCount(text));
  if (!verb.width || size >= *verb.width) {
    return text;
  }
  const std::string padding(static_cast<size_t>(*verb.width - size), verb.zero ? '0' : ' ');
  return verb.minus ? text + padding : padding + text;
}

std::string SignText(const Verb& verb, bool negative) {
  if (negative) {
    return "-";
  }
  if (verb.plus) {
    return "+";
  }
  return verb.space ? " " : "";
}

std::string Repeated(char c, int64_t count) {
  return std::string(count > 0 ? static_cast<size_t>(count) : 0, c);
}

// Formats like Go's big.Int: '#' adds a prefix, precision or '0' adds zeros.
Formatted FormatInteger(const Verb& verb, const Number& number) {
  int base = 10;
  std::string prefix;
  switch (verb.mode) {
    case 'b':
      base = 2;
      prefix = "0b";
      break;
    case 'o':
      base = 8;
      prefix = "0";
      break;
    case 'x':
      base = 16;
      prefix = "0x";
      break;
    case 'X':
      base = 16;
      prefix = "0X";
      break;
    default:
      break;
  }
  std::optional<std::string> digits = number.IntegerText(base);
  if (!digits) {
    return Unsupported(verb, "an integer is required");
  }
  if (digits->starts_with('-')) {
    digits->erase(0, 1);
  }
  if (verb.mode == 'X') {
    *digits = text::ToUpper(*digits);
  }
  prefix = SignText(verb, number.Sign() < 0) + (verb.sharp ? prefix : std::string());
  int64_t zeros = 0;
  if (verb.precision) {
    if (*digits == "0" && *verb.precision == 0) {
      return std::string();
    }
    zeros = std::max<int64_t>(0, *verb.precision - static_cast<int64_t>(digits->size()));
  }
  const int64_t size = static_cast<int64_t>(prefix.size() + digits->size()) + zeros;
  const int64_t room = verb.width.value_or(0) - size;
  if (verb.minus) {
    return prefix + Repeated('0', zeros) + *digits + Repeated(' ', room);
  }
  if (verb.zero && !verb.precision) {
    return prefix + Repeated('0', room) + *digits;
  }
  return Repeated(' ', room) + prefix + Repeated('0', zeros) + *digits;
}

// Formats like Go's big.Float.
std::string FormatFraction(const Verb& verb, const Number& number) {
  constexpr int kUsualPrecision = 6;
  const bool shortest = !verb.precision && (verb.mode == 'g' || verb.mode == 'G');
  const int precision = shortest ? -1 : static_cast<int>(verb.precision.value_or(kUsualPrecision));
  const bool upper = verb.mode == 'E' || verb.mode == 'G';
  const char mode = upper ? static_cast<char>(verb.mode - 'A' + 'a') : verb.mode;
  std::string digits = number.Format(mode, precision);
  if (upper && !number.IsInfinite()) {
    digits = text::ToUpper(digits);
  }
  std::string sign;
  if (digits.starts_with('-') || digits.starts_with('+')) {
    sign = digits[0] == '+' && verb.space ? " " : digits.substr(0, 1);
    digits.erase(0, 1);
  } else {
    sign = SignText(verb, false);
  }
  const int64_t room = verb.width.value_or(0) - static_cast<int64_t>(sign.size() + digits.size());
  if (verb.zero && !number.IsInfinite()) {
    return sign + Repeated('0', room) + digits;
  }
  if (verb.minus) {
    return sign + digits + Repeated(' ', room);
  }
  return Repeated(' ', room) + sign + digits;
}

// Whether the integer part has more than 1,048,576 digits.
bool IsTooLong(const Number& number) {
  static const Number kLimit = Number::Parse("1e1048576").value_or(Number());
  return !number.IsInfinite() && Number::Compare(Number::Absolute(number), kLimit) >= 0;
}

Formatted FormatNumber(const Verb& verb, const Value& value) {
  const auto number = Convert(value, Type::Number());
  if (!number) {
    return Unsupported(verb, number.error().message);
  }
  if (std::string_view("bdoxXf").find(verb.mode) != std::string_view::npos &&
      IsTooLong(number->AsNumber())) {
    return Unsupported(verb, "the number has more than 1,048,576 digits");
  }
  if (std::string_view("eEfgG").find(verb.mode) != std::string_view::npos) {
    return FormatFraction(verb, number->AsNumber());
  }
  return FormatInteger(verb, number->AsNumber());
}

Formatted FormatString(const Verb& verb, const Value& value) {
  const auto converted = Convert(value, Type::String());
  if (!converted) {
    return Unsupported(verb, converted.error().message);
  }
  std::string text(converted->AsString());
  if (verb.precision.value_or(0) > 0) {
    size_t end = 0;
    for (int64_t i = 0; i < *verb.precision && end < text.size(); ++i) {
      end = text::NextGrapheme(text, end);
    }
    text.resize(end);
  }
  if (verb.mode == 'q') {
    std::string quoted;
    JsonWriter::AppendQuoted(quoted, text, JsonEscape::kHtml);
    text = std::move(quoted);
  }
  return Pad(verb, std::move(text));
}

Formatted FormatAsIs(const Verb& verb, const Value& value) {
  if (!verb.sharp && !value.IsNull()) {
    if (value.type() == Type::String()) {
      return Pad(verb, std::string(value.AsString()));
    }
    if (value.type() == Type::Number()) {
      return Pad(verb, value.AsNumber().Format('g', -1));
    }
  }
  std::string json;
  JsonWriter writer(json);
  const auto written = WriteSimpleJson(writer, value);
  if (!written) {
    return Unsupported(verb, written.error().message);
  }
  return Pad(verb, std::move(json));
}

Formatted FormatBool(const Verb& verb, const Value& value) {
  const auto converted = Convert(value, Type::Bool());
  if (!converted) {
    return Unsupported(verb, converted.error().message);
  }
  return converted->AsBool() ? "true" : "false";
}

Formatted FormatValue(const Verb& verb, Arguments args) {
  if (verb.argument > args.size()) {
    return CallFail("not enough arguments for " + text::GoQuote(verb.raw) + " at " +
                    std::to_string(verb.offset) + ": need index " + std::to_string(verb.argument) +
                    " but have " + std::to_string(args.size()) + " total");
  }
  if (verb.argument == 0) {
    return CallFail("arguments of a format are counted from 1");
  }
  const Value& value = args[verb.argument - 1];
  if (verb.mode != 'v' && value.IsNull()) {
    return Unsupported(verb, "null value cannot be formatted");
  }
  switch (verb.mode) {
    case 'v':
      return FormatAsIs(verb, value);
    case 't':
      return FormatBool(verb, value);
    case 'b':
    case 'd':
    case 'o':
    case 'x':
    case 'X':
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G':
      return FormatNumber(verb, value);
    case 's':
    case 'q':
      return FormatString(verb, value);
    default:
      return CallFail("unsupported format verb " +
                      text::GoQuoteRune(static_cast<unsigned char>(verb.mode)) + " in " +
                      text::GoQuote(verb.raw) + " at offset " + std::to_string(verb.offset));
  }
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
// Parses a format string and formats its verbs.
class FormatParser {
 public:
  explicit FormatParser(std::string_view format) : format_(format) {}

  Formatted Run(Arguments args) {
    std::string out;
    while (pos_ < format_.size()) {
      const size_t percent = std::min(format_.find('%', pos_), format_.size());
      out += format_.substr(pos_, percent - pos_);
      pos_ = percent;
      if (pos_ == format_.size()) {
        break;
      }
      if (format_.substr(pos_, 2) == "%%") {
        out += '%';
        pos_ += 2;
        continue;
      }
      KINU_TRY(const Verb verb, ReadVerb());
      highest_ = std::max(highest_, verb.argument);
      KINU_TRY(const std::string formatted, FormatValue(verb, args));
      out += formatted;
      next_argument_ = verb.argument + 1;
    }
    if (highest_ < args.size()) {
      return CallFail(highest_ == 0 ? "too many arguments; no verbs in format string"
                                    : "too many arguments; only " + std::to_string(highest_) +
                                          " used by format string",
                      static_cast<int>(highest_) + 1);
    }
    return out;
  }

 private:
  char Peek() const { return pos_ < format_.size() ? format_[pos_] : '\0'; }

  int64_t ReadNumber() {
    int64_t number = 0;
    while (IsDigit(Peek())) {
      number = std::min(number * 10 + (Peek() - '0'), kWidest + 1);
      ++pos_;
    }
    return number;
  }

  void ReadFlags(Verb& verb) {
    for (;; ++pos_) {
      switch (Peek()) {
        case '0':
          verb.zero = true;
          break;
        case '#':
          verb.sharp = true;
          break;
        case '-':
          verb.minus = true;
          break;
        case '+':
          verb.plus = true;
          break;
        case ' ':
          verb.space = true;
          break;
        default:
          return;
      }
    }
  }

  std::expected<Verb, CallError> ReadVerb() {
    Verb verb;
    verb.offset = pos_++;
    verb.argument = next_argument_;
    ReadFlags(verb);
    if (IsDigit(Peek())) {
      verb.width = ReadNumber();
    }
    if (Peek() == '.') {
      ++pos_;
      verb.precision = ReadNumber();
    }
    if (Peek() == '[') {
      ++pos_;
      const bool counts = Peek() >= '1' && Peek() <= '9';
      verb.argument = static_cast<size_t>(ReadNumber());
      if (!counts || Peek() != ']') {
        return Unrecognized();
      }
      ++pos_;
    }
    if (!IsAsciiLetter(Peek())) {
      return Unrecognized();
    }
    verb.mode = format_[pos_++];
    verb.raw = format_.substr(verb.offset, pos_ - verb.offset);
    if (verb.width.value_or(0) > kWidest || verb.precision.value_or(0) > kWidest) {
      return CallFail("the width or precision of " + text::GoQuote(verb.raw) + " is too large");
    }
    return verb;
  }

  std::unexpected<CallError> Unrecognized() const {
    if (pos_ == format_.size()) {
      return CallFail("invalid format string starting at offset " + std::to_string(pos_));
    }
    return CallFail("unrecognized format character " +
                    text::GoQuoteRune(text::DecodeUtf8(format_, pos_).point) + " at offset " +
                    std::to_string(pos_));
  }

  std::string_view format_;
  size_t pos_ = 0;
  size_t next_argument_ = 1;
  size_t highest_ = 0;
};

CallResult Format(Arguments args, const Type&, const CallContext&) {
  const std::string_view format = args[0].AsString();
  const Arguments values = args.subspan(1);
  for (const Value& value : values) {
    if (value.IsWhollyKnown()) {
      continue;
    }
    const size_t percent = format.find('%');
    Refinements known;
    known.not_null = true;
    if (percent != std::string_view::npos) {
      known.prefix = text::SafePrefix(format.substr(0, percent));
    }
    return Value::Unknown(Type::String(), known);
  }
  KINU_TRY(const std::string text, FormatParser(format).Run(values));
  return Value::String(text);
}

// The rows of a formatlist call: sequences contribute one element per row, other arguments are
// equal in all rows.
struct Iteration {
  std::optional<size_t> length;
  size_t length_from = 0;
  bool unknown = false;
};

bool IsIterated(const Value& value) {
  return IsSequence(value.type()) && !value.IsNull();
}

std::expected<Iteration, CallError> PlanIteration(Arguments values) {
  Iteration plan;
  for (size_t i = 0; i < values.size(); ++i) {
    const Value& value = values[i];
    if (!IsIterated(value)) {
      plan.unknown = plan.unknown || (!value.IsKnown() && value.type().is_dynamic());
      continue;
    }
    const bool is_tuple = value.type().is_tuple();
    if (!is_tuple && (!value.IsKnown() || !Length(value).IsKnown())) {
      plan.unknown = true;
      continue;
    }
    const size_t length = is_tuple ? value.type().elements().size() : value.size();
    if (plan.length && *plan.length != length) {
      return CallFail("argument " + std::to_string(i + 1) + " has length " +
                          std::to_string(length) + ", which is inconsistent with argument " +
                          std::to_string(plan.length_from + 1) + " of length " +
                          std::to_string(*plan.length),
                      static_cast<int>(i) + 1);
    }
    if (!plan.length) {
      plan.length = length;
      plan.length_from = i;
    }
    plan.unknown = plan.unknown || !value.IsKnown();
  }
  return plan;
}

CallResult FormatList(Arguments args, const Type& type, const CallContext& context) {
  const std::string_view format = args[0].AsString();
  const Arguments values = args.subspan(1);
  if (values.empty()) {
    KINU_TRY(const Value only, Format(args, Type::String(), context));
    return Value::List(Type::String(), {only});
  }
  KINU_TRY(const Iteration plan, PlanIteration(values));
  if (plan.unknown) {
    return Value::Unknown(type);
  }
  constexpr size_t kMostBytes = size_t{1} << 28;
  size_t bytes = 0;
  std::vector<Value> results;
  std::vector<Value> current(values.begin(), values.end());
  for (size_t row = 0; row < plan.length.value_or(1); ++row) {
    bool known = true;
    for (size_t i = 0; i < values.size(); ++i) {
      if (IsIterated(values[i])) {
        current[i] = values[i].elements()[row];
      }
      known = known && current[i].IsWhollyKnown();
    }
    if (!known) {
      Refinements not_null;
      not_null.not_null = true;
      results.push_back(Value::Unknown(Type::String(), not_null));
      continue;
    }
    const Formatted text = FormatParser(format).Run(current);
    if (!text) {
      return CallFail("error on format iteration " + std::to_string(row) + ": " +
                      text.error().message);
    }
    bytes += text->size();
    if (bytes > kMostBytes) {
      return CallFail("the texts would be too large");
    }
    results.push_back(Value::String(*text));
  }
  return Value::List(Type::String(), std::move(results));
}

constexpr Parameter kFormat = {.name = "format", .type = &Type::String};
constexpr Parameter kValues = {
    .name = "args", .allow_null = true, .allow_unknown = true, .allow_dynamic = true};

constexpr FunctionSpec kRows[] = {
    {.name = "format",
     .params = {kFormat},
     .has_variadic = true,
     .variadic = kValues,
     .result_type = &Returns<&Type::String>,
     .impl = &Format,
     .refine = &NeverNull,
     .doc = "A text with values put in at verbs: %s string, %d integer, %f %e %g number, %q JSON "
            "string, %t bool, %v anything, %b %o %x other bases, %% a percent sign. Between % and "
            "letter may stand flags (0 # - + space), a width, a precision and an argument's number "
            "in brackets.",
     .examples = {Example{R"(format("Hello, %s!", "Ander"))", R"("Hello, Ander!")"},
                  Example{R"(format("%05.1f|%#x|%-4d|", 3.14159, 255, 7))",
                          R"("003.1|0xff|7   |")"},
                  Example{R"(format("%[2]s %[1]v", [true], "a"))", R"("a [true]")"}},
     .ref = "go-cty stdlib/format.go FormatFunc"},
    {.name = "formatlist",
     .params = {kFormat},
     .has_variadic = true,
     .variadic = kValues,
     .result_type = &Returns<&ListOfString>,
     .impl = &FormatList,
     .refine = &NeverNull,
     .doc = "Formats once for each element of the given lists, which must be of one length; other "
            "arguments are the same each time.",
     .examples = {Example{R"(formatlist("%s-%d", "n", [1, 2]))", R"(tolist(["n-1", "n-2"]))"},
                  Example{R"(formatlist("x"))", R"(tolist(["x"]))"}},
     .ref = "go-cty stdlib/format.go FormatListFunc"},
};

}  // namespace

std::span<const FunctionSpec> FormatFunctions() {
  return kRows;
}

}  // namespace kinu::functions
