#include "cty/conversion.h"

#include <algorithm>
#include <memory>

#include "base/invariant.h"
#include "cty/collections.h"
#include "cty/normalize.h"
#include "cty/ops.h"
#include "cty/unified.h"

namespace kinu {
namespace {

// A conversion between two types, worked out once and then applied to any number of values.
struct Conversion;
using ConversionPtr = std::unique_ptr<const Conversion>;

struct Conversion {
  enum class Kind : uint8_t {
    kAnything,  // to a dynamic type: nothing to do
    kByValue,   // from a dynamic type: what to do shows when there is a value
    kNumberToString,
    kBoolToString,
    kStringToNumber,
    kStringToBool,
    kObjectToObject,
    kTupleToTuple,
    kToList,  // from list or set
    kToSet,
    kMapToMap,
    kTupleToList,
    kTupleToSet,
    kObjectToMap,
    kMapToObject,
  };
  // What happens to one element or attribute.
  struct Part {
    ConversionPtr conversion;  // none: it stays as it is
    bool impossible = false;   // an optional attribute that no element of the map fits
  };

  Kind kind;
  bool unsafe;
  Type out;
  Type element;             // of a collection made from a structure, worked out when it was dynamic
  std::vector<Part> parts;  // one per element type or attribute; one in all for collections
};

ConversionPtr Plan(const Type& in, const Type& out, bool unsafe);
ValueResult<Value> Apply(const Conversion& conversion, const Value& value);

// --- Planning. ---

// Adds the part for an element; false when there is no conversion.
bool AddPart(Conversion& conversion, const Type& in, const Type& out) {
  Conversion::Part part;
  if (in != out) {
    part.conversion = Plan(in, out, conversion.unsafe);
    if (part.conversion == nullptr) {
      return false;
    }
  }
  conversion.parts.push_back(std::move(part));
  return true;
}

std::unique_ptr<Conversion> New(Conversion::Kind kind, const Type& out, bool unsafe) {
  return std::make_unique<Conversion>(Conversion{kind, unsafe, out, {}, {}});
}

ConversionPtr PlanPrimitive(const Type& in, const Type& out, bool unsafe) {
  if (out == Type::String()) {
    if (in == Type::Number()) {
      return New(Conversion::Kind::kNumberToString, out, unsafe);
    }
    return in == Type::Bool() ? New(Conversion::Kind::kBoolToString, out, unsafe) : nullptr;
  }
  if (unsafe && in == Type::String()) {
    return New(
        out == Type::Number() ? Conversion::Kind::kStringToNumber : Conversion::Kind::kStringToBool,
        out, unsafe);
  }
  return nullptr;
}

ConversionPtr PlanObject(const Type& in, const Type& out, bool unsafe) {
  auto conversion = New(Conversion::Kind::kObjectToObject, out, unsafe);
  for (const ObjectAttribute& attribute : out.attributes()) {
    int index = in.FindAttribute(attribute.name);
    if (index < 0) {
      if (!attribute.optional) {
        return nullptr;
      }
      conversion->parts.emplace_back();
    } else if (!AddPart(*conversion, in.attributes()[static_cast<size_t>(index)].type,
                        attribute.type)) {
      return nullptr;
    }
  }
  return conversion;
}

ConversionPtr PlanTuple(const Type& in, const Type& out, bool unsafe) {
  if (in.elements().size() != out.elements().size()) {
    return nullptr;
  }
  auto conversion = New(Conversion::Kind::kTupleToTuple, out, unsafe);
  for (size_t i = 0; i < in.elements().size(); ++i) {
    if (!AddPart(*conversion, in.elements()[i], out.elements()[i])) {
      return nullptr;
    }
  }
  return conversion;
}

ConversionPtr PlanCollection(Conversion::Kind kind, const Type& in, const Type& out, bool unsafe) {
  auto conversion = New(kind, out, unsafe);
  return AddPart(*conversion, in.element(), out.element()) ? std::move(conversion) : nullptr;
}

// From a tuple or object to a collection. A dynamic element type becomes the type that all members
// unify to.
ConversionPtr PlanFromStructure(Conversion::Kind kind, const Type& in, const Type& out,
                                bool unsafe) {
  auto conversion = New(kind, out, unsafe);
  std::vector<Type> members;
  if (in.is_tuple()) {
    members.assign(in.elements().begin(), in.elements().end());
  } else {
    for (const ObjectAttribute& attribute : in.attributes()) {
      members.push_back(attribute.type);
    }
  }
  conversion->element = out.element();
  if (out.element().is_dynamic() && !members.empty()) {
    std::optional<Type> unified = unsafe ? UnifyUnsafe(members) : Unify(members);
    if (!unified) {
      return nullptr;
    }
    conversion->element = *std::move(unified);
    if (conversion->element.is_dynamic() && in.is_tuple() &&
        !std::all_of(members.begin(), members.end(),
                     [](const Type& type) { return type.is_dynamic(); })) {
      return nullptr;
    }
  }
  for (const Type& member : members) {
    if (!AddPart(*conversion, member, conversion->element)) {
      return nullptr;
    }
  }
  return conversion;
}

ConversionPtr PlanMapToObject(const Type& in, const Type& out) {
  auto conversion = New(Conversion::Kind::kMapToObject, out, true);
  for (const ObjectAttribute& attribute : out.attributes()) {
    if (!AddPart(*conversion, in.element(), attribute.type)) {
      if (!attribute.optional) {
        return nullptr;
      }
      conversion->parts.emplace_back().impossible = true;
    }
  }
  return conversion;
}

ConversionPtr Plan(const Type& in, const Type& out, bool unsafe) {
  if (out.is_dynamic()) {
    return New(Conversion::Kind::kAnything, out, unsafe);
  }
  if (in.is_dynamic()) {
    return unsafe ? New(Conversion::Kind::kByValue, out, unsafe) : nullptr;
  }
  if (in.is_primitive() && out.is_primitive()) {
    return PlanPrimitive(in, out, unsafe);
  }
  bool from_sequence = in.is_list() || in.is_set();
  switch (out.kind()) {
    case TypeKind::kObject:
      if (in.is_object()) {
        return PlanObject(in, out, unsafe);
      }
      return in.is_map() && unsafe ? PlanMapToObject(in, out) : nullptr;
    case TypeKind::kTuple:
      return in.is_tuple() ? PlanTuple(in, out, unsafe) : nullptr;
    case TypeKind::kList:
      if (from_sequence) {
        return PlanCollection(Conversion::Kind::kToList, in, out, unsafe);
      }
      return in.is_tuple() ? PlanFromStructure(Conversion::Kind::kTupleToList, in, out, unsafe)
                           : nullptr;
    case TypeKind::kSet:
      if (from_sequence) {
        return in.is_set() || unsafe ? PlanCollection(Conversion::Kind::kToSet, in, out, unsafe)
                                     : nullptr;
      }
      return in.is_tuple() ? PlanFromStructure(Conversion::Kind::kTupleToSet, in, out, unsafe)
                           : nullptr;
    case TypeKind::kMap:
      if (in.is_map()) {
        return PlanCollection(Conversion::Kind::kMapToMap, in, out, unsafe);
      }
      return in.is_object() ? PlanFromStructure(Conversion::Kind::kObjectToMap, in, out, unsafe)
                            : nullptr;
    default:
      return nullptr;
  }
}

// --- Nulls and unknowns. ---

// `out` with its dynamic places filled from `in`, the type of a value without content.
Type FillDynamic(const Type& in, const Type& out) {
  if (in.is_dynamic()) {
    return out;
  }
  auto unified = [&](std::span<const Type> types) {
    return UnifyUnsafe(types).value_or(Type::Dynamic());
  };
  switch (out.kind()) {
    case TypeKind::kDynamic:
      return in;
    case TypeKind::kMap: {
      if (in.is_map()) {
        return Type::Map(FillDynamic(in.element(), out.element()));
      }
      if (!in.is_object()) {
        return out;
      }
      std::vector<Type> types;
      for (const ObjectAttribute& attribute : in.attributes()) {
        types.push_back(attribute.type);
      }
      return Type::Map(FillDynamic(unified(types), out.element()));
    }
    case TypeKind::kObject: {
      std::vector<Type::Attribute> attributes;
      for (const ObjectAttribute& attribute : out.attributes()) {
        Type type = attribute.type;
        if (in.is_map()) {
          type = FillDynamic(in.element(), attribute.type);
        } else if (in.is_object()) {
          if (int index = in.FindAttribute(attribute.name); index >= 0) {
            type = FillDynamic(in.attributes()[static_cast<size_t>(index)].type, attribute.type);
          }
        }
        attributes.push_back({attribute.name, std::move(type), false});
      }
      return Type::Object(attributes);
    }
    case TypeKind::kSet:
    case TypeKind::kList: {
      Type element;
      if (in.is_set() || in.is_list()) {
        element = FillDynamic(in.element(), out.element());
      } else if (in.is_tuple()) {
        element = FillDynamic(unified(in.elements()), out.element());
      } else {
        return out;
      }
      return out.is_set() ? Type::Set(element) : Type::List(element);
    }
    case TypeKind::kTuple: {
      if (!in.is_tuple() || in.elements().size() != out.elements().size()) {
        return out;
      }
      std::vector<Type> types;
      for (size_t i = 0; i < out.elements().size(); ++i) {
        types.push_back(FillDynamic(in.elements()[i], out.elements()[i]));
      }
      return Type::Tuple(types);
    }
    default:
      return out;
  }
}

// What is known of the result of converting the unknown `value` to `target`.
Value ConvertUnknown(const Value& value, const Type& target) {
  Type source = value.type();
  Refinements known = value.refinements();
  Refinements result;
  result.not_null = known.not_null;
  if (source.is_object() && target.is_map()) {
    result.min_length = result.max_length = static_cast<int64_t>(source.attributes().size());
  } else if (source.is_tuple() && target.is_collection()) {
    int64_t length = static_cast<int64_t>(source.elements().size());
    result.min_length = target.is_set() ? std::min<int64_t>(length, 1) : length;
    result.max_length = length;
  } else if (source.is_collection() && target.is_collection()) {
    result.min_length = target.is_set() ? std::min<int64_t>(known.min_length, 1) : known.min_length;
    result.max_length = known.max_length;
  }
  return Value::Unknown(target, std::move(result));
}

// --- Applying. ---

std::unexpected<ValueError> Inside(const ValueError& error, PathStep step) {
  return std::unexpected<ValueError>(ErrorInside(std::move(step), error));
}

PathStep IndexStep(size_t index) {
  return PathStep::Index(Value::Int(static_cast<int64_t>(index)));
}
PathStep KeyStep(std::string_view key) {
  return PathStep::Index(Value::NormalizedString(key));
}

ValueResult<Value> ApplyPart(const Conversion::Part& part, const Value& value) {
  return part.conversion == nullptr ? ValueResult<Value>(value) : Apply(*part.conversion, value);
}

// As ApplyPart where the reference makes nulls anew, which loses their marks.
ValueResult<Value> ApplyPartToMember(const Conversion::Part& part, const Value& value) {
  ValueResult<Value> converted = ApplyPart(part, value);
  return converted && converted->IsNull() ? converted->Unmark() : converted;
}

ValueResult<Value> StringToBool(std::string_view text) {
  if (text == "true" || text == "1") {
    return Value::True();
  }
  if (text == "false" || text == "0") {
    return Value::False();
  }
  std::string lower = text::ToLower(text);
  if (lower == "true" || lower == "false") {
    return ValueFail("a bool is required; to convert from string, use lowercase \"" + lower + "\"");
  }
  return ValueFail("a bool is required");
}

ValueResult<Value> ToObject(const Conversion& conversion, const Value& value) {
  std::span<const ObjectAttribute> attributes = conversion.out.attributes();
  std::vector<Value> values;
  values.reserve(attributes.size());
  for (size_t i = 0; i < attributes.size(); ++i) {
    const Value* given = value.Find(attributes[i].name);
    if (given == nullptr) {
      values.push_back(Value::Null(attributes[i].type));
      continue;
    }
    ValueResult<Value> converted = ApplyPartToMember(conversion.parts[i], *given);
    if (!converted) {
      return Inside(converted.error(), PathStep::Attribute(attributes[i].name));
    }
    values.push_back(*std::move(converted));
  }
  return Value::ObjectOf(conversion.out, std::move(values));
}

ValueResult<Value> MapToObject(const Conversion& conversion, const Value& value) {
  std::span<const ObjectAttribute> attributes = conversion.out.attributes();
  std::vector<Value> values(attributes.size());
  // Problems of elements come before missing ones.
  for (size_t i = 0; i < attributes.size(); ++i) {
    const Value* given = value.Find(attributes[i].name);
    if (given == nullptr) {
      continue;
    }
    if (conversion.parts[i].impossible) {
      std::string message = "map element type is incompatible with attribute ";
      text::AppendGoQuoted(message, attributes[i].name);
      return ValueFail(message + ": " + MismatchMessage(given->type(), attributes[i].type));
    }
    ValueResult<Value> converted = ApplyPartToMember(conversion.parts[i], *given);
    if (!converted) {
      return Inside(converted.error(), KeyStep(attributes[i].name));
    }
    values[i] = *std::move(converted);
  }
  for (size_t i = 0; i < attributes.size(); ++i) {
    if (value.Find(attributes[i].name) != nullptr) {
      continue;
    }
    if (!attributes[i].optional) {
      std::string message = "map has no element for required attribute ";
      text::AppendGoQuoted(message, attributes[i].name);
      return ValueFail(std::move(message));
    }
    values[i] = Value::Null(attributes[i].type);
  }
  return Value::ObjectOf(conversion.out, std::move(values));
}

// The elements of a list, set, map, tuple or object, each converted by its part.
ValueResult<std::vector<Value>> ConvertElements(const Conversion& conversion, const Value& value) {
  auto elements = value.elements();
  std::vector<Value> values;
  values.reserve(elements.size());
  bool one_part = conversion.parts.size() == 1 && elements.size() != 1;
  bool named = conversion.kind == Conversion::Kind::kMapToMap ||
               conversion.kind == Conversion::Kind::kObjectToMap;
  bool new_nulls = conversion.kind == Conversion::Kind::kToList ||
                   conversion.kind == Conversion::Kind::kToSet ||
                   conversion.kind == Conversion::Kind::kTupleToSet;
  for (size_t i = 0; i < elements.size(); ++i) {
    const Conversion::Part& part = conversion.parts[one_part ? 0 : i];
    ValueResult<Value> converted =
        new_nulls ? ApplyPartToMember(part, elements[i]) : ApplyPart(part, elements[i]);
    if (!converted) {
      return Inside(converted.error(), named ? KeyStep(value.key(i)) : IndexStep(i));
    }
    values.push_back(*std::move(converted));
  }
  return values;
}

// Converts elements that have different types to a common type. `step_to` names element i.
template <typename StepTo>
ValueResult<void> UnifyElements(std::vector<Value>& values, bool unsafe, StepTo&& step_to) {
  if (Value::CommonElementType(values) && !values[0].type().has_dynamic()) {
    bool all_typed = std::all_of(values.begin(), values.end(),
                                 [](const Value& v) { return !v.type().is_dynamic(); });
    if (all_typed) {
      return {};
    }
  }
  std::vector<Type> types;
  for (const Value& value : values) {
    types.push_back(value.type());
  }
  std::optional<Type> unified = unsafe ? UnifyUnsafe(types) : Unify(types);
  if (!unified) {
    return ValueFail("cannot find a common base type for all elements");
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (types[i] == *unified) {
      continue;
    }
    ConversionPtr conversion = Plan(types[i], *unified, unsafe);
    if (conversion == nullptr) {
      return ValueFail("cannot find a common base type for all elements");
    }
    ValueResult<Value> converted = Apply(*conversion, values[i]);
    if (!converted) {
      return Inside(converted.error(), step_to(i));
    }
    values[i] = *std::move(converted);
  }
  return {};
}

std::string ElementsMustMatch(std::string_view what, std::string_view target) {
  return std::string(what) + " types must all match for conversion to " + std::string(target);
}

// The type of an empty collection: nothing converted, so a dynamic element type stays the source's.
Type EmptyElementType(const Conversion& conversion, const Value& value) {
  const Type& element = conversion.out.element();
  Type source = value.type();
  if (element.is_dynamic() && source.is_collection()) {
    return source.element();
  }
  return element.WithoutOptionalAttributes();
}

bool IsNested(const Type& type) {
  return type.is_collection() || type.is_object();
}

ValueResult<Value> ToCollection(const Conversion& conversion, const Value& value) {
  using Kind = Conversion::Kind;
  if (conversion.kind == Kind::kToList && value.type().is_set() && value.size() > 1 &&
      !value.IsWhollyKnown()) {
    // How many elements there will be is not known. Ref: conversionCollectionToList.
    return Value::Unknown(Type::List(value.type().element()));
  }
  bool to_map = conversion.out.is_map();
  if (value.size() == 0) {
    return EmptyCollection(conversion.out.kind(), EmptyElementType(conversion, value));
  }
  ValueResult<std::vector<Value>> converted = ConvertElements(conversion, value);
  if (!converted) {
    return std::unexpected(std::move(converted.error()));
  }
  std::vector<Value> values = *std::move(converted);
  if (conversion.kind == Kind::kTupleToList) {
    PathStep last = IndexStep(values.size() - 1);
    if (auto done = UnifyElements(values, conversion.unsafe, IndexStep); !done) {
      // The reference reports these one level deeper than they are.
      return Inside(done.error(), std::move(last));
    }
  } else if (to_map) {
    const Type& element =
        conversion.kind == Kind::kObjectToMap ? conversion.element : conversion.out.element();
    if (IsNested(element)) {
      bool unsafe = conversion.kind == Kind::kObjectToMap && conversion.unsafe;
      auto done = UnifyElements(values, unsafe, [&](size_t i) { return KeyStep(value.key(i)); });
      if (!done) {
        return std::unexpected(std::move(done.error()));
      }
    }
  }
  std::optional<Type> element = Value::CommonElementType(values);
  if (!element) {
    bool of_object = conversion.kind == Kind::kObjectToMap;
    return ValueFail(ElementsMustMatch(of_object ? "attribute" : "element",
                                       CollectionName(conversion.out.kind())));
  }
  if (!to_map) {
    return conversion.out.is_set() ? Value::Set(*element, std::move(values))
                                   : Value::List(*element, std::move(values));
  }
  std::vector<std::pair<std::string, Value>> entries;
  entries.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    entries.emplace_back(std::string(value.key(i)), std::move(values[i]));
  }
  return Value::Map(*element, std::move(entries));
}

ValueResult<Value> ApplyToContent(const Conversion& conversion, const Value& value) {
  using Kind = Conversion::Kind;
  switch (conversion.kind) {
    case Kind::kAnything:
      return value;
    case Kind::kByValue:
      return Convert(value, conversion.out);
    case Kind::kNumberToString:
      return Value::NormalizedString(value.AsNumber().ToText());
    case Kind::kBoolToString:
      return Value::NormalizedString(value.AsBool() ? "true" : "false");
    case Kind::kStringToNumber: {
      std::optional<Number> number = Number::Parse(value.AsString());
      return number ? ValueResult<Value>(Value::Of(*std::move(number)))
                    : ValueFail("a number is required");
    }
    case Kind::kStringToBool:
      return StringToBool(value.AsString());
    case Kind::kObjectToObject:
      return ToObject(conversion, value);
    case Kind::kTupleToTuple: {
      ValueResult<std::vector<Value>> values = ConvertElements(conversion, value);
      if (!values) {
        return std::unexpected(std::move(values.error()));
      }
      return Value::Tuple(*std::move(values));
    }
    case Kind::kMapToObject:
      return MapToObject(conversion, value);
    default:
      return ToCollection(conversion, value);
  }
}

ValueResult<Value> Apply(const Conversion& conversion, const Value& value) {
  if (value.IsMarked()) {
    ValueResult<Value> converted = Apply(conversion, value.Unmark());
    if (converted) {
      converted = converted->WithMarks(value.marks());
    }
    return converted;
  }
  if (conversion.out.is_dynamic()) {
    return value;
  }
  if (!value.IsKnown() || value.IsNull()) {
    Type target = FillDynamic(value.type(), conversion.out.WithoutOptionalAttributes());
    return value.IsNull() ? Value::Null(target) : ConvertUnknown(value, target);
  }
  return ApplyToContent(conversion, value);
}

}  // namespace

ValueResult<Value> Convert(const Value& value, const Type& type) {
  Type from = value.type();
  if (from == type ||
      (type.has_optional_attributes() && from == type.WithoutOptionalAttributes())) {
    return value;
  }
  ConversionPtr conversion = Plan(from, type, true);
  if (conversion == nullptr) {
    return ValueFail(MismatchMessage(from, type));
  }
  return Apply(*conversion, value);
}

ValueResult<Value> ConvertToUnified(const Value& value, const Type& other, const Type& unified) {
  const Type from = value.type();
  std::vector<Type> members;
  if (from.is_tuple() && other.is_list() && unified.is_list()) {
    members.assign(from.elements().begin(), from.elements().end());
  } else if (from.is_object() && other.is_map() && unified.is_map()) {
    for (const ObjectAttribute& attribute : from.attributes()) {
      members.push_back(attribute.type);
    }
  }
  const std::optional<Type> element = UnifyUnsafe(members);
  if (!element || *element == unified.element() || !value.IsKnown() || value.IsNull()) {
    return Convert(value, unified);
  }
  const Type collection = from.is_tuple() ? Type::List(*element) : Type::Map(*element);
  if (ValueResult<Value> possible = Convert(value, collection); !possible) {
    return possible;
  }
  const ConversionPtr conversion = Plan(collection, unified, true);
  return conversion == nullptr ? Convert(value, unified) : Apply(*conversion, value);
}

bool CanConvert(const Type& from, const Type& to) {
  return Plan(from, to, true) != nullptr;
}
bool CanConvertSafely(const Type& from, const Type& to) {
  return Plan(from, to, false) != nullptr;
}

}  // namespace kinu
