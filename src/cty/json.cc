#include "cty/json.h"

#include <algorithm>

#include "cty/convert.h"
#include "cty/normalize.h"
#include "cty/ops.h"

namespace kinu {
namespace {

std::unexpected<ValueError> Inside(PathStep step, const ValueError& error) {
  return std::unexpected<ValueError>(ErrorInside(std::move(step), error));
}

// --- Writing. ---

ValueResult<void> Write(JsonWriter& out, const Value& value, const Type& type);

bool HasCapsule(const Type& type) {
  switch (type.kind()) {
    case TypeKind::kList:
    case TypeKind::kSet:
    case TypeKind::kMap:
      return HasCapsule(type.element());
    case TypeKind::kTuple:
      return std::any_of(type.elements().begin(), type.elements().end(), HasCapsule);
    case TypeKind::kObject:
      return std::any_of(type.attributes().begin(), type.attributes().end(),
                         [](const ObjectAttribute& a) { return HasCapsule(a.type); });
    default:
      return type.is_capsule();
  }
}

ValueResult<void> WriteDynamic(JsonWriter& out, const Value& value) {
  Type type = value.type();
  if (HasCapsule(type)) {
    return ValueFail("failed to serialize type: type not allowed: " + type.FriendlyName());
  }
  out.BeginObject();
  out.Key("value");
  if (ValueResult<void> written = Write(out, value, type); !written) {
    // Like the reference: the place inside the value is not told.
    return ValueFail("failed to serialize value: " + written.error().message);
  }
  out.Key("type");
  WriteType(out, type);
  out.EndObject();
  return {};
}

// The type that `container`'s element `index` is written for.
const Type& ElementType(const Type& type, size_t index) {
  if (type.is_collection()) {
    return type.element();
  }
  return type.is_tuple() ? type.elements()[index] : type.attributes()[index].type;
}

ValueResult<void> Write(JsonWriter& out, const Value& value, const Type& type) {
  if (value.IsMarked()) {
    return ValueFail("value has marks, so it cannot be serialized as JSON");
  }
  if (!value.IsKnown()) {
    return ValueFail("value is not known");
  }
  if (type.is_dynamic() && !value.type().is_dynamic()) {
    return WriteDynamic(out, value);
  }
  if (value.IsNull()) {
    out.Null();
    return {};
  }
  switch (type.kind()) {
    case TypeKind::kString:
      out.String(value.AsString());
      return {};
    case TypeKind::kNumber: {
      Number number = value.AsNumber();
      if (number.IsInfinite()) {
        return ValueFail("cannot serialize infinity as JSON");
      }
      out.Raw(number.ToText());
      return {};
    }
    case TypeKind::kBool:
      out.Bool(value.AsBool());
      return {};
    case TypeKind::kDynamic:
    case TypeKind::kCapsule:
      return ValueFail("cannot JSON-serialize " + type.FriendlyName());
    default:
      break;
  }
  bool named = type.is_map() || type.is_object();
  if (named) {
    out.BeginObject();
  } else {
    out.BeginArray();
  }
  std::span<const Value> elements = value.elements();
  for (size_t i = 0; i < elements.size(); ++i) {
    if (named) {
      out.Key(value.key(i));
    }
    if (auto written = Write(out, elements[i], ElementType(type, i)); !written) {
      return Inside(StepToElement(value, i), written.error());
    }
  }
  if (named) {
    out.EndObject();
  } else {
    out.EndArray();
  }
  return {};
}

// --- Reading. ---

ValueResult<Value> Read(const JsonNode& json, const Type& type, int depth);

std::unexpected<ValueError> TooDeep() {
  return ValueFail("the value is nested too deeply");
}

ValueResult<Value> ReadPrimitive(const JsonNode& json, const Type& type) {
  switch (type.kind()) {
    case TypeKind::kBool:
      if (json.is_bool()) {
        return Value::Bool(json.boolean());
      }
      return json.is_string() ? Convert(Value::String(json.text()), type)
                              : ValueFail("bool is required");
    case TypeKind::kNumber: {
      if (!json.is_number() && !json.is_string()) {
        return ValueFail("number is required");
      }
      std::optional<Number> number = Number::Parse(json.text());
      return number ? ValueResult<Value>(Value::Of(*std::move(number)))
                    : ValueFail("a number is required");
    }
    default:
      if (json.is_string() || json.is_number()) {
        return Value::String(json.text());
      }
      return json.is_bool()
                 ? ValueResult<Value>(Value::NormalizedString(json.boolean() ? "true" : "false"))
                 : ValueFail("string is required");
  }
}

ValueResult<Value> ReadDynamic(const JsonNode& json, int depth) {
  if (!json.is_object()) {
    return ValueFail("missing expected {");
  }
  const JsonNode* content = nullptr;
  std::optional<Type> type;
  for (const JsonMember& member : json.members()) {
    if (member.name == "type") {
      ValueResult<Type> read = TypeFromJson(member.value);
      if (!read) {
        return ValueFail("failed to decode type for dynamic value: " + read.error().message);
      }
      type = *std::move(read);
    } else if (member.name == "value") {
      content = &member.value;
    } else {
      return ValueFail("invalid key " + text::GoQuote(member.name) + " in dynamically-typed value");
    }
  }
  if (!type || content == nullptr) {
    return ValueFail(type ? "missing value in dynamically-typed value"
                          : "missing type in dynamically-typed value");
  }
  return Read(*content, *type, depth + 1);
}

// Elements of a type with dynamic places come out with types of their own, which decide.
Type ElementTypeToMake(const Type& collection, bool empty) {
  return empty || !collection.element().has_dynamic() ? collection.element() : Type::Dynamic();
}

ValueResult<Value> ReadSequence(const JsonNode& json, const Type& type, int depth) {
  if (!json.is_array()) {
    return ValueFail("missing expected [");
  }
  std::span<const JsonNode> parts = json.elements();
  std::vector<Value> values;
  values.reserve(parts.size());
  for (size_t i = 0; i < parts.size(); ++i) {
    if (type.is_tuple() && i >= type.elements().size()) {
      break;
    }
    ValueResult<Value> element = Read(parts[i], ElementType(type, i), depth + 1);
    if (!element) {
      Value key =
          type.is_set() ? Value::Unknown(type.element()) : Value::Int(static_cast<int64_t>(i));
      return Inside(PathStep::Index(std::move(key)), element.error());
    }
    values.push_back(*std::move(element));
  }
  if (type.is_tuple()) {
    size_t need = type.elements().size();
    if (parts.size() != need) {
      return ValueFail(std::string(parts.size() > need ? "too many" : "not enough") +
                       " tuple elements (need " + std::to_string(need) + ")");
    }
    return Value::Tuple(std::move(values));
  }
  if (!Value::CommonElementType(values)) {
    return ValueFail("inconsistent element types");
  }
  Type element = ElementTypeToMake(type, values.empty());
  return type.is_set() ? Value::Set(element, std::move(values))
                       : Value::List(element, std::move(values));
}

ValueResult<Value> ReadMap(const JsonNode& json, const Type& type, int depth) {
  if (!json.is_object()) {
    return ValueFail("missing expected {");
  }
  std::vector<std::pair<std::string, Value>> entries;
  std::vector<Value> values;
  entries.reserve(json.members().size());
  for (const JsonMember& member : json.members()) {
    ValueResult<Value> element = Read(member.value, type.element(), depth + 1);
    if (!element) {
      return Inside(PathStep::Index(Value::String(member.name)), element.error());
    }
    if (type.element().has_dynamic()) {
      values.push_back(*element);
    }
    entries.emplace_back(std::string(member.name), *std::move(element));
  }
  if (!Value::CommonElementType(values)) {
    return ValueFail("inconsistent element types");
  }
  const Type element = ElementTypeToMake(type, entries.empty());
  return Value::Map(element, std::move(entries));
}

ValueResult<Value> ReadObject(const JsonNode& json, const Type& type, int depth) {
  if (!json.is_object()) {
    return ValueFail("missing expected {");
  }
  std::span<const ObjectAttribute> attributes = type.attributes();
  std::vector<Value> values(attributes.size());
  std::vector<bool> given(attributes.size());
  size_t likely = 0;  // documents mostly have attributes in order
  for (const JsonMember& member : json.members()) {
    if (likely >= attributes.size() || attributes[likely].name != member.name) {
      int index = type.FindAttribute(member.name);
      if (index < 0) {
        return ValueFail("unsupported attribute " + text::GoQuote(member.name));
      }
      likely = static_cast<size_t>(index);
    }
    ValueResult<Value> value = Read(member.value, attributes[likely].type, depth + 1);
    if (!value) {
      return Inside(PathStep::Attribute(member.name), value.error());
    }
    values[likely] = *std::move(value);
    given[likely] = true;
    ++likely;
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (!given[i]) {
      values[i] = Value::Null(attributes[i].type);
    }
  }
  return Value::ObjectOf(type, std::move(values));
}

ValueResult<Value> Read(const JsonNode& json, const Type& type, int depth) {
  if (depth > kMaxValueDepth) {
    return TooDeep();
  }
  if (json.is_null()) {
    return Value::Null(type);
  }
  switch (type.kind()) {
    case TypeKind::kDynamic:
      return ReadDynamic(json, depth);
    case TypeKind::kList:
    case TypeKind::kSet:
    case TypeKind::kTuple:
      return ReadSequence(json, type, depth);
    case TypeKind::kMap:
      return ReadMap(json, type, depth);
    case TypeKind::kObject:
      return ReadObject(json, type, depth);
    case TypeKind::kCapsule:
      return ValueFail("unsupported type " + type.FriendlyName());
    default:
      return ReadPrimitive(json, type);
  }
}

std::string DuplicateProperty(std::string_view name) {
  return "duplicate " + text::GoQuote(name) + " property in JSON object";
}

// The object that was read last at a depth: documents mostly repeat themselves.
struct Shape {
  Type type;
  std::vector<std::string> names;  // in the order of the text
  std::vector<size_t> places;      // of the names among the type's attributes

  bool Matches(std::span<const JsonMember> members) const {
    return !names.empty() && members.size() == names.size() &&
           std::equal(
               members.begin(), members.end(), names.begin(),
               [](const JsonMember& member, std::string_view name) { return member.name == name; });
  }
};
using Shapes = std::vector<Shape>;

ValueResult<Value> ImpliedValue(const JsonNode& json, int depth, Shapes& shapes);

// The object as one of the shape that was read last, with types of its own; nothing when it is
// another.
ValueResult<std::optional<Value>> ObjectOfLastShape(const JsonNode& json, int depth,
                                                    Shapes& shapes) {
  const auto level = static_cast<size_t>(depth);
  if (level >= shapes.size() || !shapes[level].Matches(json.members())) {
    return std::nullopt;
  }
  std::vector<Value> values(json.members().size());
  for (size_t i = 0; i < values.size(); ++i) {
    const JsonMember& member = json.members()[i];
    ValueResult<Value> value = ImpliedValue(member.value, depth + 1, shapes);
    if (!value) {
      return Inside(PathStep::Attribute(member.name), value.error());
    }
    values[shapes[level].places[i]] = *std::move(value);
  }
  Value object = Value::ObjectOf(shapes[level].type, std::move(values));
  shapes[level].type = object.type();
  return object;
}

void Remember(const JsonNode& json, const Type& type, int depth, Shapes& shapes) {
  constexpr size_t kMostNames = 64;
  const size_t count = json.members().size();
  if (count == 0 || count > kMostNames || type.attributes().size() != count) {
    return;
  }
  Shape shape{type, {}, {}};
  for (const JsonMember& member : json.members()) {
    const int place = type.FindAttribute(member.name);
    if (place < 0) {
      return;  // the name was normalised
    }
    shape.names.emplace_back(member.name);
    shape.places.push_back(static_cast<size_t>(place));
  }
  const auto level = static_cast<size_t>(depth);
  if (shapes.size() <= level) {
    shapes.resize(level + 1);
  }
  shapes[level] = std::move(shape);
}

ValueResult<Value> ImpliedValue(const JsonNode& json, int depth, Shapes& shapes) {
  if (depth > kMaxValueDepth) {
    return TooDeep();
  }
  switch (json.kind()) {
    case JsonNode::Kind::kBool:
      return Value::Bool(json.boolean());
    case JsonNode::Kind::kNumber:
      return ReadPrimitive(json, Type::Number());
    case JsonNode::Kind::kString:
      return Value::String(json.text());
    case JsonNode::Kind::kArray: {
      std::vector<Value> values;
      values.reserve(json.elements().size());
      for (const JsonNode& part : json.elements()) {
        ValueResult<Value> value = ImpliedValue(part, depth + 1, shapes);
        if (!value) {
          return Inside(PathStep::Index(Value::Int(static_cast<int64_t>(values.size()))),
                        value.error());
        }
        values.push_back(*std::move(value));
      }
      return Value::Tuple(std::move(values));
    }
    case JsonNode::Kind::kObject: {
      ValueResult<std::optional<Value>> alike = ObjectOfLastShape(json, depth, shapes);
      if (!alike) {
        return std::unexpected(std::move(alike.error()));
      }
      if (*alike) {
        return **std::move(alike);
      }
      std::vector<std::pair<std::string, Value>> attributes;
      attributes.reserve(json.members().size());
      for (const JsonMember& member : json.members()) {
        ValueResult<Value> value = ImpliedValue(member.value, depth + 1, shapes);
        if (!value) {
          return Inside(PathStep::Attribute(member.name), value.error());
        }
        attributes.emplace_back(std::string(member.name), *std::move(value));
      }
      // A repeated name is tolerated when the types agree; the last value stays.
      auto by_name = [](const auto& a, const auto& b) { return a.first < b.first; };
      if (!std::is_sorted(attributes.begin(), attributes.end(), by_name)) {
        std::stable_sort(attributes.begin(), attributes.end(), by_name);
      }
      for (size_t i = 1; i < attributes.size(); ++i) {
        if (attributes[i - 1].first == attributes[i].first &&
            attributes[i - 1].second.type() != attributes[i].second.type()) {
          return ValueFail(DuplicateProperty(attributes[i].first));
        }
      }
      Value object = Value::Object(std::move(attributes));
      Remember(json, object.type(), depth, shapes);
      return object;
    }
    default:
      return Value::Null(Type::Dynamic());
  }
}

// Parses, and hands the root to `use`.
template <typename F>
auto WithDocument(std::string_view json, F&& use) -> decltype(use(std::declval<JsonNode>())) {
  JsonDocument document = ParseJson(json);
  if (!document.ok()) {
    return ValueFail(document.problems()[0].message);
  }
  return use(document.root());
}

}  // namespace

ValueResult<void> WriteJson(JsonWriter& out, const Value& value, const Type& type) {
  if (value.type().ConformsTo(type)) {
    return Write(out, value, type);
  }
  ValueResult<Value> converted = Convert(value, type);
  if (!converted) {
    return std::unexpected(std::move(converted.error()));
  }
  return Write(out, *converted, type);
}

ValueResult<std::string> ValueToJson(const Value& value, const Type& type) {
  std::string text;
  JsonWriter out(text);
  if (ValueResult<void> written = WriteJson(out, value, type); !written) {
    return std::unexpected(std::move(written.error()));
  }
  return text;
}

ValueResult<void> WriteSimpleJson(JsonWriter& out, const Value& value) {
  return Write(out, value, value.type());
}

ValueResult<Value> ValueFromJson(const JsonNode& json, const Type& type) {
  return Read(json, type, 0);
}

ValueResult<Value> ValueFromJson(std::string_view json, const Type& type) {
  return WithDocument(json, [&](const JsonNode& root) { return Read(root, type, 0); });
}

ValueResult<Type> ImpliedTypeOfJson(const JsonNode& json) {
  ValueResult<Value> value = ImpliedValueOfJson(json);
  if (!value) {
    return std::unexpected(std::move(value.error()));
  }
  return value->type();
}

ValueResult<Type> ImpliedTypeOfJson(std::string_view json) {
  return WithDocument(json, [](const JsonNode& root) { return ImpliedTypeOfJson(root); });
}

ValueResult<Value> ImpliedValueOfJson(const JsonNode& json) {
  Shapes shapes;
  return ImpliedValue(json, 0, shapes);
}

ValueResult<Value> ImpliedValueOfJson(std::string_view json) {
  return WithDocument(json, [](const JsonNode& root) { return ImpliedValueOfJson(root); });
}

}  // namespace kinu
