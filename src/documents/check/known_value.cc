#include "check/known_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include <re2/re2.h>

#include "base/flat_map.h"
#include "cty/conversion.h"
#include "functions/regex_syntax.h"

namespace kinu::check {

using functions::CallFail;
using functions::CallResult;
using json::Member;
using json::Node;
using Kind = KnownValue::Kind;

struct KnownValue::Pattern {
  Pattern(const std::string& pattern, const RE2::Options& options) : re(pattern, options) {}
  RE2 re;
};

namespace {

/// Whether the digits are the integer `wanted`, without fraction and exponent.
template <typename Integer>
bool IsInteger(std::string_view digits, int64_t wanted) {
  Integer value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc{} && end == digits.data() + digits.size() && value == wanted;
}

/// Whether each known value accepts an element of its own. Greedy, and removes elements by swapping
/// in the last one, like the reference.
bool MatchesGreedily(const std::vector<const KnownValue*>& wanted, const Node& array) {
  std::vector<Node> left;
  left.reserve(array.size());
  for (const Node element : array.elements()) {
    left.push_back(element);
  }
  for (const KnownValue* known : wanted) {
    const auto found = std::find_if(left.begin(), left.end(),
                                    [&](const Node& element) { return Accepts(*known, element); });
    if (found == left.end()) {
      return false;
    }
    *found = left.back();
    left.pop_back();
  }
  return true;
}

bool AcceptsMembers(const KnownValue& known, const Node& object) {
  constexpr size_t kFew = 8;
  if (known.members.size() <= kFew) {
    return std::all_of(known.members.begin(), known.members.end(), [&](const auto& member) {
      const Node value = object.Find(member.first);
      return value && Accepts(*member.second, value);
    });
  }
  FlatMap<std::string, Node> values;
  for (const Member member : object.members()) {
    values[member.name.String()] = member.value;
  }
  return std::all_of(known.members.begin(), known.members.end(), [&](const auto& member) {
    const auto found = values.find(member.first);
    return found != values.end() && Accepts(*member.second, found->second);
  });
}

bool AcceptsIndexed(const KnownValue& known, const Node& array) {
  std::vector<Node> elements;
  elements.reserve(array.size());
  for (const Node element : array.elements()) {
    elements.push_back(element);
  }
  return std::all_of(known.indexed.begin(), known.indexed.end(), [&](const auto& wanted) {
    return wanted.first < elements.size() && Accepts(*wanted.second, elements[wanted.first]);
  });
}

bool AcceptsNumber(const KnownValue& known, std::string_view digits) {
  switch (known.kind) {
    case Kind::kInt64Exact:
      return IsInteger<int64_t>(digits, known.integer);
    case Kind::kInt32Exact:
      return IsInteger<int32_t>(digits, known.integer);
    case Kind::kFloat64Exact: {
      const double value = std::strtod(std::string(digits).c_str(), nullptr);
      return std::isfinite(value) && value == known.float64;
    }
    case Kind::kFloat32Exact: {
      const float value = std::strtof(std::string(digits).c_str(), nullptr);
      return std::isfinite(value) && value == known.float32;
    }
    default: {
      const std::optional<Number> number = Number::Parse(digits);
      return number && Number::Compare(*number, known.number) == 0;
    }
  }
}

}  // namespace

bool Accepts(const KnownValue& known, const Node& value) {
  switch (known.kind) {
    case Kind::kNull:
      return value.is_null();
    case Kind::kNotNull:
      return !value.is_null();
    case Kind::kBool:
      return value.is_bool() && value.is_true() == known.boolean;
    case Kind::kStringExact:
      return value.Is(known.text);
    case Kind::kStringRegexp: {
      if (!value.is_string()) {
        return false;
      }
      std::string scratch;
      const std::string_view text = value.String(scratch);
      return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), known.pattern->re);
    }
    case Kind::kInt64Exact:
    case Kind::kInt32Exact:
    case Kind::kFloat64Exact:
    case Kind::kFloat32Exact:
    case Kind::kNumberExact:
      return value.is_number() && AcceptsNumber(known, value.text());
    case Kind::kListExact: {
      if (!value.is_array() || value.size() != known.elements.size()) {
        return false;
      }
      auto wanted = known.elements.begin();
      for (const Node element : value.elements()) {
        if (!Accepts(**wanted++, element)) {
          return false;
        }
      }
      return true;
    }
    case Kind::kListPartial:
      return value.is_array() && AcceptsIndexed(known, value);
    case Kind::kSetExact:
      return value.is_array() && value.size() == known.elements.size() &&
             MatchesGreedily(known.elements, value);
    case Kind::kSetPartial:
      return value.is_array() && MatchesGreedily(known.elements, value);
    case Kind::kMapExact:
      return value.is_object() && value.size() == known.members.size() &&
             AcceptsMembers(known, value);
    case Kind::kMapPartial:
      return value.is_object() && AcceptsMembers(known, value);
    case Kind::kListSize:
      return value.is_array() && value.size() == known.integer;
    case Kind::kMapSize:
      return value.is_object() && value.size() == known.integer;
  }
  return false;
}

std::string Describe(const KnownValue& known) {
  switch (known.kind) {
    case Kind::kNull:
      return "null";
    case Kind::kNotNull:
      return "a value that is not null";
    case Kind::kBool:
      return known.boolean ? "true" : "false";
    case Kind::kStringExact:
      return "the string \"" + known.text + "\"";
    case Kind::kStringRegexp:
      return "a string that matches /" + known.text + "/";
    case Kind::kInt64Exact:
    case Kind::kInt32Exact:
      return "the integer " + std::to_string(known.integer);
    case Kind::kFloat64Exact:
    case Kind::kFloat32Exact:
    case Kind::kNumberExact:
      return "the number " + known.number.Format('g', -1);
    case Kind::kListExact:
      return "a list of " + std::to_string(known.elements.size()) + " given elements";
    case Kind::kListPartial:
      return "a list with given elements";
    case Kind::kSetExact:
      return "a set of " + std::to_string(known.elements.size()) + " given elements";
    case Kind::kSetPartial:
      return "a set with given elements";
    case Kind::kMapExact:
      return "an object of " + std::to_string(known.members.size()) + " given members";
    case Kind::kMapPartial:
      return "an object with given members";
    case Kind::kListSize:
      return "a list of " + std::to_string(known.integer) + " elements";
    case Kind::kMapSize:
      return "a map of " + std::to_string(known.integer) + " elements";
  }
  return "";
}

namespace {

// --- Functions that make known values from an argument ---

using Fill = CallResult (*)(const Value& argument, KnownValue& out);

Type KnownValueType() {
  static const Type kType = Type::Capsule("known value");
  return kType;
}

CallResult InvalidArgument(std::string message) {
  return CallFail(std::move(message), 0);
}

bool HasKnownValue(const Value& value) {
  return value.IsKnown() && !value.IsNull();
}

CallResult FillBool(const Value& argument, KnownValue& out) {
  if (!HasKnownValue(argument) || !(argument.type() == Type::Bool())) {
    return InvalidArgument("a bool is required");
  }
  out.boolean = argument.AsBool();
  return Value::True();
}

CallResult FillText(const Value& argument, KnownValue& out) {
  if (!HasKnownValue(argument) || !(argument.type() == Type::String())) {
    return InvalidArgument("a string is required");
  }
  out.text = argument.AsString();
  return Value::True();
}

CallResult FillPattern(const Value& argument, KnownValue& out) {
  if (auto text = FillText(argument, out); !text) {
    return text;
  }
  RE2::Options options;
  options.set_log_errors(false);
  auto pattern =
      std::make_shared<KnownValue::Pattern>(functions::WithNamedGroups(out.text), options);
  if (!pattern->re.ok()) {
    return InvalidArgument("invalid regular expression: " + pattern->re.error());
  }
  out.pattern = std::move(pattern);
  return Value::True();
}

CallResult FillNumber(const Value& argument, KnownValue& out) {
  if (!HasKnownValue(argument) || !(argument.type() == Type::Number())) {
    return InvalidArgument("a number is required");
  }
  out.number = argument.AsNumber();
  return Value::True();
}

CallResult FillInteger(const Value& argument, KnownValue& out) {
  if (auto number = FillNumber(argument, out); !number) {
    return number;
  }
  const std::optional<int64_t> integer = out.number.ToInt64();
  if (!integer) {
    return InvalidArgument("a whole number of 64 bits is required");
  }
  out.integer = *integer;
  return Value::True();
}

CallResult FillInt32(const Value& argument, KnownValue& out) {
  if (auto integer = FillInteger(argument, out); !integer) {
    return integer;
  }
  if (out.integer < INT32_MIN || out.integer > INT32_MAX) {
    return InvalidArgument("a whole number of 32 bits is required");
  }
  return Value::True();
}

CallResult FillFloat64(const Value& argument, KnownValue& out) {
  if (auto number = FillNumber(argument, out); !number) {
    return number;
  }
  out.float64 = out.number.ToDouble();
  if (!std::isfinite(out.float64)) {
    return InvalidArgument("the number is too large for a float64");
  }
  return Value::True();
}

CallResult FillFloat32(const Value& argument, KnownValue& out) {
  constexpr double kTooSmall = 1e-60;  // far below half of the smallest float32
  if (auto number = FillFloat64(argument, out); !number) {
    return number;
  }
  // Rounds once, from all digits; a conversion from the double would round twice.
  out.float32 =
      std::abs(out.float64) < kTooSmall ? 0.0F : std::strtof(out.number.ToText().c_str(), nullptr);
  if (!std::isfinite(out.float32)) {
    return InvalidArgument("the number is too large for a float32");
  }
  return Value::True();
}

CallResult FillExactNumber(const Value& argument, KnownValue& out) {
  Value number = argument;
  if (HasKnownValue(argument) && argument.type() == Type::String()) {
    auto converted = Convert(argument, Type::Number());
    if (!converted) {
      return InvalidArgument("the string is no number");
    }
    number = *std::move(converted);
  }
  return FillNumber(number, out);
}

CallResult FillElements(const Value& argument, KnownValue& out) {
  if (!HasKnownValue(argument) || !(argument.type().is_tuple() || argument.type().is_list())) {
    return InvalidArgument("a list of known values is required");
  }
  for (const Value& element : argument.elements()) {
    const KnownValue* known = KnownValueScope::Get(element);
    if (known == nullptr) {
      return InvalidArgument("every element must be a known value");
    }
    out.elements.push_back(known);
  }
  return Value::True();
}

CallResult FillMembers(const Value& argument, KnownValue& out) {
  if (!HasKnownValue(argument) || !(argument.type().is_object() || argument.type().is_map())) {
    return InvalidArgument("an object of known values is required");
  }
  for (size_t i = 0; i < argument.size(); ++i) {
    const KnownValue* known = KnownValueScope::Get(argument.elements()[i]);
    if (known == nullptr) {
      return InvalidArgument("every value must be a known value");
    }
    out.members.emplace_back(argument.key(i), known);
  }
  return Value::True();
}

CallResult FillIndexed(const Value& argument, KnownValue& out) {
  if (auto filled = FillMembers(argument, out); !filled) {
    return filled;
  }
  for (const auto& [key, known] : out.members) {
    uint64_t index = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
    if (key.empty() || end != key.data() + key.size() || error != std::errc{} ||
        (key[0] == '0' && key.size() > 1) || index > INT64_MAX) {
      return InvalidArgument("every key must be an index");
    }
    out.indexed.emplace_back(index, known);
  }
  return Value::True();
}

struct Row {
  std::string_view name;
  Kind kind;
  Fill fill;  // null if the function has no parameter
};

constexpr Row kRows[] = {
    {"null", Kind::kNull, nullptr},
    {"not_null", Kind::kNotNull, nullptr},
    {"bool", Kind::kBool, &FillBool},
    {"string_exact", Kind::kStringExact, &FillText},
    {"string_regexp", Kind::kStringRegexp, &FillPattern},
    {"int64_exact", Kind::kInt64Exact, &FillInteger},
    {"int32_exact", Kind::kInt32Exact, &FillInt32},
    {"float64_exact", Kind::kFloat64Exact, &FillFloat64},
    {"float32_exact", Kind::kFloat32Exact, &FillFloat32},
    {"number_exact", Kind::kNumberExact, &FillExactNumber},
    {"list_exact", Kind::kListExact, &FillElements},
    {"tuple_exact", Kind::kListExact, &FillElements},
    {"list_partial", Kind::kListPartial, &FillIndexed},
    {"tuple_partial", Kind::kListPartial, &FillIndexed},
    {"set_exact", Kind::kSetExact, &FillElements},
    {"set_partial", Kind::kSetPartial, &FillElements},
    {"map_exact", Kind::kMapExact, &FillMembers},
    {"object_exact", Kind::kMapExact, &FillMembers},
    {"map_partial", Kind::kMapPartial, &FillMembers},
    {"object_partial", Kind::kMapPartial, &FillMembers},
    {"list_size_exact", Kind::kListSize, &FillInteger},
    {"set_size_exact", Kind::kListSize, &FillInteger},
    {"tuple_size_exact", Kind::kListSize, &FillInteger},
    {"map_size_exact", Kind::kMapSize, &FillInteger},
};

constexpr functions::Parameter kParameters[] = {{.name = "value",
                                                 .type = &Type::Dynamic,
                                                 .allow_null = true,
                                                 .allow_unknown = true,
                                                 .allow_dynamic = true,
                                                 .allow_marked = true}};

}  // namespace

class KnownValueScope::Function final : public functions::Callable {
 public:
  Function(const Row& row, std::deque<KnownValue>& known_values)
      : row_(row), known_values_(known_values) {}
  std::string_view name() const override { return row_.name; }
  std::span<const functions::Parameter> params() const override {
    return row_.fill == nullptr ? std::span<const functions::Parameter>() : kParameters;
  }
  const functions::Parameter* variadic() const override { return nullptr; }
  CallResult Call(functions::Arguments args, const functions::CallContext&) const override {
    KnownValue known;
    known.kind = row_.kind;
    if (row_.fill != nullptr) {
      if (auto filled = row_.fill(args[0], known); !filled) {
        return filled;
      }
    }
    known_values_.push_back(std::move(known));
    return Value::Capsule(KnownValueType(), reinterpret_cast<uint64_t>(&known_values_.back()));
  }

 private:
  const Row& row_;
  std::deque<KnownValue>& known_values_;
};

KnownValueScope::KnownValueScope() {
  for (const Row& row : kRows) {
    functions_.push_back(std::make_unique<Function>(row, known_values_));
  }
}

KnownValueScope::~KnownValueScope() = default;

Value KnownValueScope::Resolve(const hcl::TraversalExpr& traversal, Diagnostics& diags) const {
  diags.Error("Variables not allowed", "A check file has no variables.", traversal.range());
  return Value::DynamicUnknown();
}

const functions::Callable* KnownValueScope::FindFunction(std::string_view name) const {
  for (const auto& function : functions_) {
    if (function->name() == name) {
      return function.get();
    }
  }
  return nullptr;
}

std::vector<std::string_view> KnownValueScope::FunctionNames() const {
  std::vector<std::string_view> names;
  for (const auto& function : functions_) {
    names.push_back(function->name());
  }
  return names;
}

const KnownValue* KnownValueScope::Get(const Value& value) {
  if (!HasKnownValue(value) || !value.type().is_capsule()) {
    return nullptr;
  }
  return reinterpret_cast<const KnownValue*>(value.AsCapsule());
}

}  // namespace kinu::check
