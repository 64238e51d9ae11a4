#include "hcldec/spec_functions.h"

#include <vector>

#include "cty/conversion.h"
#include "cty/ops.h"
#include "functions/support.h"
#include "text/unicode.h"

namespace kinu::hcldec {

using functions::Arguments;
using functions::Callable;
using functions::CallContext;
using functions::CallFail;
using functions::CallResult;
using functions::FunctionSpec;
using functions::Parameter;
using functions::TypeResult;

namespace {

bool HasElements(const Type& type) {
  return type.is_collection() || type.is_tuple() || type.is_dynamic();
}

TypeResult LengthType(Arguments args) {
  if (!HasElements(args[0].type())) {
    return CallFail("a list, set, map or tuple is required", 0);
  }
  return Type::Number();
}
CallResult LengthOf(Arguments args, const Type&, const CallContext&) {
  return Length(args[0]);
}

TypeResult HasIndexType(Arguments args) {
  const Type type = args[0].type();
  if (!type.is_list() && !type.is_map() && !type.is_tuple() && !type.is_dynamic()) {
    return CallFail("a list, map or tuple is required", 0);
  }
  return Type::Bool();
}
CallResult HasIndexAt(Arguments args, const Type&, const CallContext&) {
  return HasIndex(args[0], args[1]);
}

TypeResult CoalesceType(Arguments args) {
  std::vector<Type> types;
  for (const Value& value : args) {
    types.push_back(value.type());
  }
  const std::optional<Type> unified = UnifyUnsafe(types);
  if (!unified) {
    return CallFail("all arguments must have the same type");
  }
  return *unified;
}
CallResult Coalesce(Arguments args, const Type& type, const CallContext&) {
  for (const Value& value : args) {
    if (!value.IsKnown()) {
      return Value::Unknown(type);
    }
    if (!value.IsNull()) {
      const ValueResult<Value> converted = Convert(value, type);
      return converted ? CallResult(*converted) : CallFail(converted.error().ToText());
    }
  }
  return CallFail("no argument has a value");
}

CallResult ToWhole(Arguments args, const Type&, const CallContext&) {
  return Value::Of(Number::Truncate(args[0].AsNumber()));
}

CallResult Reversed(Arguments args, const Type&, const CallContext&) {
  const std::string_view text = args[0].AsString();
  std::vector<std::string_view> clusters;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text::NextGrapheme(text, at);
    clusters.push_back(text.substr(at, end - at));
    at = end;
  }
  std::string out;
  out.reserve(text.size());
  for (size_t i = clusters.size(); i > 0; --i) {
    out += clusters[i - 1];
  }
  return Value::String(out);
}

CallResult Characters(Arguments args, const Type&, const CallContext&) {
  return Value::Int(static_cast<int64_t>(text::GraphemeCount(args[0].AsString())));
}

constexpr FunctionSpec kRows[] = {
    {.name = "coalesce",
     .has_variadic = true,
     .variadic = {.name = "vals", .allow_null = true, .allow_unknown = true, .allow_dynamic = true},
     .result_type = &CoalesceType,
     .impl = &Coalesce,
     .ref = "go-cty stdlib.CoalesceFunc"},
    {.name = "hasindex",
     .params = {Parameter{.name = "collection", .allow_dynamic = true},
                Parameter{.name = "key", .allow_dynamic = true}},
     .result_type = &HasIndexType,
     .impl = &HasIndexAt,
     .ref = "go-cty stdlib.HasIndexFunc"},
    {.name = "int",
     .params = {Parameter{.name = "num", .type = &Type::Number, .allow_dynamic = true}},
     .result_type = &functions::Returns<&Type::Number>,
     .impl = &ToWhole,
     .ref = "go-cty stdlib.IntFunc"},
    {.name = "length",
     .params = {Parameter{.name = "collection", .allow_unknown = true, .allow_dynamic = true}},
     .result_type = &LengthType,
     .impl = &LengthOf,
     .ref = "go-cty stdlib.LengthFunc"},
    {.name = "reverse",
     .params = {Parameter{.name = "str", .type = &Type::String, .allow_dynamic = true}},
     .result_type = &functions::Returns<&Type::String>,
     .impl = &Reversed,
     .ref = "go-cty stdlib.ReverseFunc"},
    {.name = "strlen",
     .params = {Parameter{.name = "str", .type = &Type::String, .allow_dynamic = true}},
     .result_type = &functions::Returns<&Type::Number>,
     .impl = &Characters,
     .ref = "go-cty stdlib.StrlenFunc"},
};

// Functions that are equal to those of the configuration language.
constexpr std::string_view kLanguageFunctions[] = {
    "abs", "concat", "jsondecode", "jsonencode", "lower", "max", "min", "substr", "upper"};

// A function of a FunctionSpec.
class Row final : public Callable {
 public:
  explicit Row(const FunctionSpec& spec) : spec_(spec) {}
  std::string_view name() const override { return spec_.name; }
  std::span<const Parameter> params() const override {
    return {spec_.params.begin(), spec_.params.size()};
  }
  const Parameter* variadic() const override {
    return spec_.has_variadic ? &spec_.variadic : nullptr;
  }
  CallResult Call(Arguments args, const CallContext& context) const override {
    return functions::CallFunction(spec_, args, context);
  }

 private:
  const FunctionSpec& spec_;
};

// --- Types ---

Type SpecTypeList() {
  return Type::List(TypeScope::SpecType());
}
Type SpecTypeMap() {
  return Type::Map(TypeScope::SpecType());
}

// Types by the number in their capsules, while a TypeScope of this thread lives.
std::vector<Type>& NumberedTypes() {
  thread_local std::vector<Type> types;
  return types;
}

Value MakeTypeValue(const Type& type) {
  NumberedTypes().push_back(type);
  return Value::Capsule(TypeScope::SpecType(), NumberedTypes().size() - 1);
}

TypeResult SpecTypeResult(Arguments) {
  return TypeScope::SpecType();
}
CallResult ListType(Arguments args, const Type&, const CallContext&) {
  return MakeTypeValue(Type::List(TypeScope::TypeOf(args[0])));
}
CallResult SetType(Arguments args, const Type&, const CallContext&) {
  return MakeTypeValue(Type::Set(TypeScope::TypeOf(args[0])));
}
CallResult MapType(Arguments args, const Type&, const CallContext&) {
  return MakeTypeValue(Type::Map(TypeScope::TypeOf(args[0])));
}
CallResult TupleType(Arguments args, const Type&, const CallContext&) {
  std::vector<Type> types;
  for (const Value& element : args[0].elements()) {
    if (element.IsNull()) {
      return CallFail("element types must not be null", 0);
    }
    types.push_back(TypeScope::TypeOf(element));
  }
  return MakeTypeValue(Type::Tuple(types));
}
CallResult ObjectType(Arguments args, const Type&, const CallContext&) {
  std::vector<Type::Attribute> attributes;
  for (size_t i = 0; i < args[0].size(); ++i) {
    const Value& type = args[0].elements()[i];
    if (type.IsNull()) {
      return CallFail("attribute types must not be null", 0);
    }
    attributes.push_back({args[0].key(i), TypeScope::TypeOf(type), false});
  }
  return MakeTypeValue(Type::Object(attributes));
}

constexpr Parameter kElementType{.name = "element_type", .type = &TypeScope::SpecType};
constexpr FunctionSpec kTypeRows[] = {
    {.name = "list",
     .params = {kElementType},
     .result_type = &SpecTypeResult,
     .impl = &ListType,
     .ref = "hcldec type_expr.go"},
    {.name = "set",
     .params = {kElementType},
     .result_type = &SpecTypeResult,
     .impl = &SetType,
     .ref = "hcldec type_expr.go"},
    {.name = "map",
     .params = {kElementType},
     .result_type = &SpecTypeResult,
     .impl = &MapType,
     .ref = "hcldec type_expr.go"},
    {.name = "tuple",
     .params = {Parameter{.name = "element_types", .type = &SpecTypeList}},
     .result_type = &SpecTypeResult,
     .impl = &TupleType,
     .ref = "hcldec type_expr.go"},
    {.name = "object",
     .params = {Parameter{.name = "attribute_types", .type = &SpecTypeMap}},
     .result_type = &SpecTypeResult,
     .impl = &ObjectType,
     .ref = "hcldec type_expr.go"},
};

}  // namespace

void AddSpecFunctions(lang::ToolScope& scope) {
  static const std::vector<Row> kFunctions(std::begin(kRows), std::end(kRows));
  for (const Row& row : kFunctions) {
    scope.AddFunction(row.name(), &row);
  }
  for (const std::string_view name : kLanguageFunctions) {
    scope.AddFunction(name, functions::Table::Standard().Find(name));
  }
}

TypeScope::TypeScope() {
  static const std::vector<Row> kFunctions(std::begin(kTypeRows), std::end(kTypeRows));
  for (const Row& row : kFunctions) {
    scope_.AddFunction(row.name(), &row);
  }
  scope_.SetVariable("string", MakeTypeValue(Type::String()));
  scope_.SetVariable("bool", MakeTypeValue(Type::Bool()));
  scope_.SetVariable("number", MakeTypeValue(Type::Number()));
  scope_.SetVariable("any", MakeTypeValue(Type::Dynamic()));
}

TypeScope::~TypeScope() {
  NumberedTypes().clear();
}

Type TypeScope::SpecType() {
  return Type::Capsule("type");
}

Type TypeScope::TypeOf(const Value& value) {
  return NumberedTypes()[value.AsCapsule()];
}

}  // namespace kinu::hcldec
