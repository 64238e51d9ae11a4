// Types, nulls and marks: can coalesce convert ephemeralasnull issensitive nonsensitive sensitive
// tobool tolist tomap tonumber toset tostring try.
#include "cty/conversion.h"

#include "functions/families.h"
#include "functions/support.h"
#include "text/quote.h"

namespace kinu::functions {
namespace {

TypeResult CoalesceType(Arguments args) {
  std::vector<Type> types;
  for (const Value& arg : args) {
    types.push_back(arg.type());
  }
  const std::optional<Type> common = UnifyUnsafe(types);
  if (!common) {
    return CallFail("all arguments must have the same type");
  }
  return *common;
}

CallResult Coalesce(Arguments args, const Type& type, const CallContext&) {
  for (const Value& arg : args) {
    const auto value = Convert(arg, type);
    if (!value) {
      return CallFail(value.error().message);
    }
    if (!value->IsKnown()) {
      return Value::Unknown(type);
    }
    const bool empty_text = !value->IsNull() && type == Type::String() && value->AsString().empty();
    if (!value->IsNull() && !empty_text) {
      return *value;
    }
  }
  return CallFail("no non-null, non-empty-string arguments");
}

Value WithoutEphemeral(const Value& value) {
  const MarkSet kept = value.marks().Without(MarkSet::Ephemeral());
  if (value.IsNull() || value.marks().ephemeral()) {
    const bool unknown = !value.IsKnown();
    return (unknown ? Value::Unknown(value.type()) : Value::Null(value.type())).WithMarks(kept);
  }
  return value.IsKnown() ? value : Value::Unknown(value.type()).WithMarks(kept);
}

CallResult EphemeralAsNull(Arguments args, const Type&, const CallContext&) {
  Path path;
  return TransformValue(args[0], path,
                        [](const Path&, const Value& value) { return WithoutEphemeral(value); });
}

CallResult Sensitive(Arguments args, const Type&, const CallContext&) {
  return args[0].WithMarks(MarkSet::Sensitive());
}

CallResult NonSensitive(Arguments args, const Type&, const CallContext&) {
  return args[0].Unmark().WithMarks(args[0].marks().Without(MarkSet::Sensitive()));
}

CallResult IsSensitive(Arguments args, const Type&, const CallContext&) {
  if (!args[0].IsKnown()) {
    return Value::Unknown(Type::Bool());
  }
  return Value::Bool(args[0].marks().sensitive());
}

Type AnyList() {
  return Type::List(Type::Dynamic());
}
Type AnySet() {
  return Type::Set(Type::Dynamic());
}
Type AnyMap() {
  return Type::Map(Type::Dynamic());
}

std::unexpected<CallError> CannotConvert(const Value& value, const Type& wanted) {
  std::string message = "cannot convert ";
  if (value.MarksDeep().ephemeral()) {
    message += "this ephemeral ";
  } else if (value.MarksDeep().sensitive()) {
    message += "this sensitive ";
  } else if (value.type() == Type::String() && value.IsKnown() && !value.IsNull()) {
    const std::string shown = text::GoQuote(value.AsString());
    if (wanted == Type::Bool()) {
      return CallFail(
          message + shown + " to bool; only the strings \"true\" or \"false\" are allowed", 0);
    }
    if (wanted == Type::Number()) {
      return CallFail(
          message + shown + " to number; given string must be a decimal representation of a number",
          0);
    }
  }
  return CallFail(
      message + value.type().FriendlyName() + " to " + wanted.FriendlyNameForConstraint(), 0);
}

template <Type (*T)()>
TypeResult ConversionType(Arguments args) {
  Type wanted = T();
  if (args[0].type() != wanted && !CanConvert(args[0].type(), wanted)) {
    return CannotConvert(args[0], wanted);
  }
  return wanted;
}

CallResult ConvertTo(Arguments args, const Type& type, const CallContext&) {
  auto converted = Convert(args[0], type);
  if (!converted) {
    return CannotConvert(args[0], type);
  }
  return *std::move(converted);
}

constexpr Parameter kAnything = {.name = "value",
                                 .allow_null = true,
                                 .allow_unknown = true,
                                 .allow_dynamic = true,
                                 .allow_marked = true};
constexpr Parameter kConverted = {
    .name = "v", .allow_null = true, .allow_dynamic = true, .allow_marked = true};

constexpr FunctionSpec kRows[] = {
    {.name = "can",
     .params = {Parameter{.name = "expression"}},
     .result_type = &Returns<&Type::Bool>,
     .doc = "Whether the expression can be evaluated without errors.",
     .examples = {Example{"can(1 + 1)", "true"}, Example{R"(can(tonumber("x")))", "false"}},
     .ref = "hcl ext/tryfunc",
     .lazy = true},
    {.name = "coalesce",
     .has_variadic = true,
     .variadic = {.name = "vals", .allow_null = true, .allow_unknown = true, .allow_dynamic = true},
     .result_type = &CoalesceType,
     .impl = &Coalesce,
     .refine = &NeverNull,
     .doc = "The first argument that is neither null nor an empty string.",
     .examples = {Example{R"(coalesce("", "b"))", R"("b")"}, Example{"coalesce(null, 2)", "2"}},
     .ref = "opentofu internal/lang/funcs/collection.go CoalesceFunc"},
    {.name = "convert",
     .params = {Parameter{.name = "value", .allow_null = true}, Parameter{.name = "type"}},
     .result_type = &Returns<&Type::Dynamic>,
     .doc = "The value converted to a type, which is written as for variables. Attributes of "
            "objects that are optional get their defaults.",
     .examples = {Example{R"(convert("1", number))", "1"},
                  Example{"convert([1, 2], list(string))", R"(tolist(["1", "2"]))"},
                  Example{R"(convert({}, object({a = optional(string, "x")})))", R"({a = "x"})"},
                  Example{R"(can(convert("a", bool)))", "false"}},
     .ref = "opentofu internal/lang/type_conversion.go",
     .lazy = true,
     .since = compatibility::Level::kSeries13},
    {.name = "ephemeralasnull",
     .params = {kAnything},
     .result_type = &ReturnsFirst,
     .impl = &EphemeralAsNull,
     .doc = "The value with everything ephemeral in it replaced by null.",
     .examples = {Example{"ephemeralasnull(1)", "1"}, Example{"ephemeralasnull([true])", "[true]"}},
     .ref = "opentofu internal/lang/funcs/ephemeral.go"},
    {.name = "issensitive",
     .params = {kAnything},
     .result_type = &Returns<&Type::Bool>,
     .impl = &IsSensitive,
     .refine = &NeverNull,
     .doc = "Whether the value is marked as sensitive.",
     .examples = {Example{R"(issensitive(sensitive("x")))", "true"},
                  Example{R"(issensitive("x"))", "false"}},
     .ref = "opentofu internal/lang/funcs/sensitive.go IsSensitiveFunc"},
    {.name = "nonsensitive",
     .params = {kAnything},
     .result_type = &ReturnsFirst,
     .impl = &NonSensitive,
     .doc = "The value without the mark that makes it sensitive.",
     .examples = {Example{"nonsensitive(sensitive(1))", "1"}, Example{"nonsensitive(1)", "1"}},
     .ref = "opentofu internal/lang/funcs/sensitive.go NonsensitiveFunc"},
    {.name = "sensitive",
     .params = {kAnything},
     .result_type = &ReturnsFirst,
     .impl = &Sensitive,
     .doc = "The value marked as sensitive, so that it is not shown.",
     .examples = {Example{"nonsensitive(sensitive([1]))", "[1]"},
                  Example{"issensitive(sensitive(null))", "true"}},
     .ref = "opentofu internal/lang/funcs/sensitive.go SensitiveFunc"},
    {.name = "tobool",
     .params = {kConverted},
     .result_type = &ConversionType<&Type::Bool>,
     .impl = &ConvertTo,
     .doc = R"(Converts to bool: true, false, null and the strings "true" and "false".)",
     .examples = {Example{R"(tobool("true"))", "true"}, Example{"tobool(null)", "null"}},
     .ref = "opentofu internal/lang/funcs/conversion.go MakeToFunc"},
    {.name = "tolist",
     .params = {kConverted},
     .result_type = &ConversionType<&AnyList>,
     .impl = &ConvertTo,
     .doc = "Converts a set or tuple to a list, whose elements are brought to one type.",
     .examples = {Example{R"(tolist(["a", 1]))", R"(tolist(["a", "1"]))"},
                  Example{"tolist(toset([3]))", "tolist([3])"}},
     .ref = "opentofu internal/lang/funcs/conversion.go MakeToFunc"},
    {.name = "tomap",
     .params = {kConverted},
     .result_type = &ConversionType<&AnyMap>,
     .impl = &ConvertTo,
     .doc = "Converts an object to a map, whose elements are brought to one type.",
     .examples = {Example{R"(tomap({a = 1, b = "x"}))", R"(tomap({a = "1", b = "x"}))"},
                  Example{"tomap({})", "tomap({})"}},
     .ref = "opentofu internal/lang/funcs/conversion.go MakeToFunc"},
    {.name = "tonumber",
     .params = {kConverted},
     .result_type = &ConversionType<&Type::Number>,
     .impl = &ConvertTo,
     .doc = "Converts to number: numbers, null and strings that are decimal numbers.",
     .examples = {Example{R"(tonumber("1.5"))", "1.5"}, Example{"tonumber(null)", "null"}},
     .ref = "opentofu internal/lang/funcs/conversion.go MakeToFunc"},
    {.name = "toset",
     .params = {kConverted},
     .result_type = &ConversionType<&AnySet>,
     .impl = &ConvertTo,
     .doc = "Converts a list or tuple to a set, whose elements are brought to one type.",
     .examples = {Example{R"(toset(["c", "b", "b"]))", R"(toset(["b", "c"]))"},
                  Example{R"(toset(["a", 3]))", R"(toset(["3", "a"]))"}},
     .ref = "opentofu internal/lang/funcs/conversion.go MakeToFunc"},
    {.name = "tostring",
     .params = {kConverted},
     .result_type = &ConversionType<&Type::String>,
     .impl = &ConvertTo,
     .doc = "Converts to string: numbers, bools, strings and null.",
     .examples = {Example{"tostring(1.5)", R"("1.5")"}, Example{"tostring(true)", R"("true")"}},
     .ref = "opentofu internal/lang/funcs/conversion.go MakeToFunc"},
    {.name = "try",
     .has_variadic = true,
     .variadic = {.name = "expressions"},
     .result_type = &Returns<&Type::Dynamic>,
     .doc = "The value of the first expression that can be evaluated without errors.",
     .examples = {Example{R"(try(tonumber("x"), 2))", "2"}, Example{R"(try("a", "b"))", R"("a")"}},
     .ref = "hcl ext/tryfunc",
     .lazy = true},
};

}  // namespace

std::span<const FunctionSpec> ConversionFunctions() {
  return kRows;
}

}  // namespace kinu::functions
