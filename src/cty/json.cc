#include "cty/json.h"

#include <algorithm>
#include <iterator>

#include "cty/convert.h"
#include "cty/normalize.h"
#include "cty/ops.h"
#include "cty/value_node.h"
#include "cty/value_stack.h"

namespace kinu {
namespace {

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
      return std::unexpected(ErrorInside(StepToElement(value, i), written.error()));
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

std::string DuplicateProperty(std::string_view name) {
  return "duplicate " + text::GoQuote(name) + " property in JSON object";
}

// Makes values of a document. Finished values wait in a stack until the container around them
// closes and takes them, so that a container is one allocation and nothing besides.
class JsonValueReader : ValueStack {
 public:
  /// The value as one of `type`.
  ValueResult<Value> Typed(const JsonNode& json, const Type& type) {
    return Take(Read(json, type.WithoutOptionalAttributes(), 0));
  }
  /// The value of the type that the document implies.
  ValueResult<Value> Implied(const JsonNode& json) { return Take(ReadImplied(json, 0)); }

 private:
  // The object that was read last at a depth: documents mostly repeat themselves.
  struct Shape {
    Type type;
    std::vector<std::string> names;  // in the order of the text
    std::vector<size_t> places;      // of the names among the type's attributes

    bool Matches(std::span<const JsonMember> members) const {
      return !names.empty() && members.size() == names.size() &&
             std::equal(members.begin(), members.end(), names.begin(),
                        [](const JsonMember& member, std::string_view name) {
                          return member.name == name;
                        });
    }
  };
  // What was made last at a depth.
  struct Level {
    Shape object;
    Type tuple = Type::EmptyTuple();
  };

  // Each of these pushes one value, or records what is wrong and gives false.
  bool Read(const JsonNode& json, const Type& type, int depth);
  bool ReadPrimitive(const JsonNode& json, const Type& type);
  bool ReadDynamic(const JsonNode& json, int depth);
  bool ReadSequence(const JsonNode& json, const Type& type, int depth);
  bool ReadMap(const JsonNode& json, const Type& type, int depth);
  bool ReadObject(const JsonNode& json, const Type& type, int depth);
  bool ReadImplied(const JsonNode& json, int depth);
  bool ReadImpliedArray(const JsonNode& json, int depth);
  bool ReadImpliedObject(const JsonNode& json, int depth);
  bool ReadLikeTheLast(const JsonNode& json, int depth);
  void Remember(const JsonNode& json, const Type& type, int depth);

  // Replaces the values from `first` on by a container of them.
  bool Close(ValueTag tag, const Type& type, size_t first) {
    Value container = ValueAccess::Container(tag, type, From(first));
    values_.resize(first);
    return Push(std::move(container));
  }
  Level& LevelAt(int depth) {
    const auto level = static_cast<size_t>(depth);
    if (levels_.size() <= level) {
      levels_.resize(level + 1);
    }
    return levels_[level];
  }

  std::vector<Level> levels_;
};

bool JsonValueReader::ReadPrimitive(const JsonNode& json, const Type& type) {
  switch (type.kind()) {
    case TypeKind::kBool: {
      if (json.is_bool()) {
        return Push(Value::Bool(json.boolean()));
      }
      if (!json.is_string()) {
        return Wrong("bool is required");
      }
      ValueResult<Value> converted = Convert(Value::String(json.text()), type);
      if (!converted) {
        error_ = std::move(converted.error());
        return false;
      }
      return Push(*std::move(converted));
    }
    case TypeKind::kNumber: {
      if (!json.is_number() && !json.is_string()) {
        return Wrong("number is required");
      }
      std::optional<Number> number = Number::Parse(json.text());
      return number ? Push(Value::Of(*std::move(number))) : Wrong("a number is required");
    }
    default:
      if (json.is_string() || json.is_number()) {
        return Push(Value::String(json.text()));
      }
      return json.is_bool() ? Push(Value::NormalizedString(json.boolean() ? "true" : "false"))
                            : Wrong("string is required");
  }
}

bool JsonValueReader::ReadDynamic(const JsonNode& json, int depth) {
  if (!json.is_object()) {
    return Wrong("missing expected {");
  }
  const JsonNode* content = nullptr;
  std::optional<Type> type;
  for (const JsonMember& member : json.members()) {
    if (member.name == "type") {
      ValueResult<Type> read = TypeFromJson(member.value);
      if (!read) {
        return Wrong("failed to decode type for dynamic value: " + read.error().message);
      }
      type = read->WithoutOptionalAttributes();
    } else if (member.name == "value") {
      content = &member.value;
    } else {
      return Wrong("invalid key " + text::GoQuote(member.name) + " in dynamically-typed value");
    }
  }
  if (!type || content == nullptr) {
    return Wrong(type ? "missing value in dynamically-typed value"
                      : "missing type in dynamically-typed value");
  }
  return Read(*content, *type, depth + 1);
}

// Elements of a type with dynamic places come out with types of their own, which decide.
Type ElementTypeToMake(const Type& collection, bool empty) {
  return empty || !collection.element().has_dynamic() ? collection.element() : Type::Dynamic();
}

bool JsonValueReader::ReadSequence(const JsonNode& json, const Type& type, int depth) {
  if (!json.is_array()) {
    return Wrong("missing expected [");
  }
  const std::span<const JsonNode> parts = json.elements();
  const size_t first = values_.size();
  for (size_t i = 0; i < parts.size(); ++i) {
    if (type.is_tuple() && i >= type.elements().size()) {
      break;
    }
    if (!Read(parts[i], ElementType(type, i), depth + 1)) {
      return WrongInside(PathStep::Index(type.is_set() ? Value::Unknown(type.element())
                                                       : Value::Int(static_cast<int64_t>(i))));
    }
  }
  if (type.is_tuple()) {
    const size_t need = type.elements().size();
    if (parts.size() != need) {
      return Wrong(std::string(parts.size() > need ? "too many" : "not enough") +
                   " tuple elements (need " + std::to_string(need) + ")");
    }
    return Push(Value::Tuple(TakeFrom(first)));
  }
  if (type.is_list() && !type.has_dynamic()) {
    return Close(ValueTag::kList, type, first);
  }
  std::vector<Value> values = TakeFrom(first);
  if (!Value::CommonElementType(values)) {
    return Wrong("inconsistent element types");
  }
  const Type element = ElementTypeToMake(type, values.empty());
  return Push(type.is_set() ? Value::Set(element, std::move(values))
                            : Value::List(element, std::move(values)));
}

bool JsonValueReader::ReadMap(const JsonNode& json, const Type& type, int depth) {
  if (!json.is_object()) {
    return Wrong("missing expected {");
  }
  const std::span<const JsonMember> members = json.members();
  const size_t first = values_.size();
  bool in_order = !type.has_dynamic();
  for (size_t i = 0; i < members.size(); ++i) {
    if (!Read(members[i].value, type.element(), depth + 1)) {
      return WrongInside(PathStep::Index(Value::String(members[i].name)));
    }
    in_order = in_order && (i == 0 || members[i - 1].name < members[i].name) &&
               text::IsAscii(members[i].name);
  }
  if (in_order) {
    Value map = ValueAccess::MapOf(type, From(first), [&](size_t i) { return members[i].name; });
    values_.resize(first);
    return Push(std::move(map));
  }
  std::vector<Value> values = TakeFrom(first);
  if (type.has_dynamic() && !Value::CommonElementType(values)) {
    return Wrong("inconsistent element types");
  }
  std::vector<std::pair<std::string, Value>> entries;
  entries.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    entries.emplace_back(std::string(members[i].name), std::move(values[i]));
  }
  const Type element = ElementTypeToMake(type, entries.empty());
  return Push(Value::Map(element, std::move(entries)));
}

bool JsonValueReader::ReadObject(const JsonNode& json, const Type& type, int depth) {
  if (!json.is_object()) {
    return Wrong("missing expected {");
  }
  const std::span<const ObjectAttribute> attributes = type.attributes();
  const std::span<const JsonMember> members = json.members();
  const size_t first = values_.size();
  // Documents mostly have all attributes, in order: each value is then where it belongs.
  size_t at = 0;
  for (; at < members.size() && at < attributes.size() && members[at].name == attributes[at].name;
       ++at) {
    if (!Read(members[at].value, attributes[at].type, depth + 1)) {
      return WrongInside(PathStep::Attribute(members[at].name));
    }
  }
  for (size_t i = at; i < attributes.size(); ++i) {
    values_.push_back(Value::Null(attributes[i].type));
  }
  for (; at < members.size(); ++at) {
    const int index = type.FindAttribute(members[at].name);
    if (index < 0) {
      return Wrong("unsupported attribute " + text::GoQuote(members[at].name));
    }
    const auto place = static_cast<size_t>(index);
    if (!Read(members[at].value, attributes[place].type, depth + 1)) {
      return WrongInside(PathStep::Attribute(members[at].name));
    }
    values_[first + place] = std::move(values_.back());
    values_.pop_back();
  }
  if (!attributes.empty() && !type.has_dynamic()) {
    return Close(ValueTag::kObject, type, first);
  }
  return Push(Value::ObjectOf(type, TakeFrom(first)));
}

bool JsonValueReader::Read(const JsonNode& json, const Type& type, int depth) {
  if (depth > kMaxValueDepth) {
    return Wrong("the value is nested too deeply");
  }
  if (json.is_null()) {
    return Push(Value::Null(type));
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
      return Wrong("unsupported type " + type.FriendlyName());
    default:
      return ReadPrimitive(json, type);
  }
}

// Reads an object as one of the shape that was read last, with types of its own.
bool JsonValueReader::ReadLikeTheLast(const JsonNode& json, int depth) {
  const std::span<const JsonMember> members = json.members();
  const size_t first = values_.size();
  values_.resize(first + members.size());
  for (size_t i = 0; i < members.size(); ++i) {
    if (!ReadImplied(members[i].value, depth + 1)) {
      return WrongInside(PathStep::Attribute(members[i].name));
    }
    values_[first + LevelAt(depth).object.places[i]] = std::move(values_.back());
    values_.pop_back();
  }
  Shape& shape = LevelAt(depth).object;
  const std::span<const ObjectAttribute> attributes = shape.type.attributes();
  const std::span<const Value> values = From(first);
  for (size_t i = 0; i < values.size(); ++i) {
    if (ValueAccess::TypeOf(values[i]) != attributes[i].type.node()) {
      Push(Value::ObjectOf(shape.type, TakeFrom(first)));
      shape.type = values_.back().type();
      return true;
    }
  }
  return Close(ValueTag::kObject, shape.type, first);
}

void JsonValueReader::Remember(const JsonNode& json, const Type& type, int depth) {
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
  LevelAt(depth).object = std::move(shape);
}

bool JsonValueReader::ReadImpliedArray(const JsonNode& json, int depth) {
  const size_t first = values_.size();
  for (const JsonNode& part : json.elements()) {
    const size_t index = values_.size() - first;
    if (!ReadImplied(part, depth + 1)) {
      return WrongInside(PathStep::Index(Value::Int(static_cast<int64_t>(index))));
    }
  }
  Type& last = LevelAt(depth).tuple;
  const std::span<const Type> types = last.elements();
  const std::span<const Value> values = From(first);
  const bool alike =
      !types.empty() && std::equal(values.begin(), values.end(), types.begin(), types.end(),
                                   [](const Value& value, const Type& type) {
                                     return ValueAccess::TypeOf(value) == type.node();
                                   });
  if (alike) {
    return Close(ValueTag::kTuple, last, first);
  }
  Push(Value::Tuple(TakeFrom(first)));
  last = values_.back().type();
  return true;
}

bool JsonValueReader::ReadImpliedObject(const JsonNode& json, int depth) {
  if (LevelAt(depth).object.Matches(json.members())) {
    return ReadLikeTheLast(json, depth);
  }
  std::vector<std::pair<std::string, Value>> attributes;
  attributes.reserve(json.members().size());
  for (const JsonMember& member : json.members()) {
    if (!ReadImplied(member.value, depth + 1)) {
      return WrongInside(PathStep::Attribute(member.name));
    }
    attributes.emplace_back(std::string(member.name), std::move(values_.back()));
    values_.pop_back();
  }
  // A repeated name is tolerated when the types agree; the last value stays.
  auto by_name = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(attributes.begin(), attributes.end(), by_name)) {
    std::stable_sort(attributes.begin(), attributes.end(), by_name);
  }
  for (size_t i = 1; i < attributes.size(); ++i) {
    if (attributes[i - 1].first == attributes[i].first &&
        attributes[i - 1].second.type() != attributes[i].second.type()) {
      return Wrong(DuplicateProperty(attributes[i].first));
    }
  }
  Push(Value::Object(std::move(attributes)));
  Remember(json, values_.back().type(), depth);
  return true;
}

bool JsonValueReader::ReadImplied(const JsonNode& json, int depth) {
  if (depth > kMaxValueDepth) {
    return Wrong("the value is nested too deeply");
  }
  switch (json.kind()) {
    case JsonNode::Kind::kBool:
      return Push(Value::Bool(json.boolean()));
    case JsonNode::Kind::kNumber:
      return ReadPrimitive(json, Type::Number());
    case JsonNode::Kind::kString:
      return Push(Value::String(json.text()));
    case JsonNode::Kind::kArray:
      return ReadImpliedArray(json, depth);
    case JsonNode::Kind::kObject:
      return ReadImpliedObject(json, depth);
    default:
      return Push(Value());
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
  return JsonValueReader().Typed(json, type);
}

ValueResult<Value> ValueFromJson(std::string_view json, const Type& type) {
  return WithDocument(json,
                      [&](const JsonNode& root) { return JsonValueReader().Typed(root, type); });
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
  return JsonValueReader().Implied(json);
}

ValueResult<Value> ImpliedValueOfJson(std::string_view json) {
  return WithDocument(json, [](const JsonNode& root) { return ImpliedValueOfJson(root); });
}

}  // namespace kinu
