#include "cty/tagged.h"

#include <charconv>

#include "cty/json.h"
#include "cty/normalize.h"

namespace kinu {
namespace {

std::unexpected<Error> Bad(std::string message) {
  return Fail(ErrorCode::kInvalid, "tagged value: " + std::move(message));
}

Result<Number> NumberFrom(const JsonNode* json) {
  if (json == nullptr || !json->is_string()) {
    return Bad("a number is written as a string");
  }
  std::optional<Number> number = Number::Parse(json->text());
  return number ? Result<Number>(*std::move(number)) : Bad("not a number");
}

Result<int64_t> CountFrom(const JsonNode& json) {
  int64_t count = 0;
  std::string_view text = json.text();
  auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (!json.is_number() || code != std::errc() || end != text.data() + text.size()) {
    return Bad("not a length");
  }
  return count;
}

Result<Refinements> RefinementsFrom(const JsonNode& json) {
  Refinements out;
  for (const JsonMember& member : json.members()) {
    if (member.name == "not_null") {
      out.not_null = member.value.boolean();
    } else if (member.name == "prefix") {
      out.prefix = std::string(member.value.text());
    } else if (member.name == "min" || member.name == "max") {
      KINU_TRY(Number bound, NumberFrom(member.value.Find("value")));
      const JsonNode* inclusive = member.value.Find("inclusive");
      bool closed = inclusive == nullptr || inclusive->boolean();
      if (member.name == "min") {
        out.min = std::move(bound);
        out.min_inclusive = closed;
      } else {
        out.max = std::move(bound);
        out.max_inclusive = closed;
      }
    } else if (member.name == "min_length" || member.name == "max_length") {
      KINU_TRY(int64_t count, CountFrom(member.value));
      auto& limit = member.name == "min_length" ? out.min_length : out.max_length;
      limit = count;
    } else {
      return Bad("unknown refinement " + std::string(member.name));
    }
  }
  return out;
}

Result<std::vector<Value>> ValuesFrom(const JsonNode& json) {
  std::vector<Value> values;
  values.reserve(json.elements().size());
  for (const JsonNode& part : json.elements()) {
    KINU_TRY(Value value, ValueFromTagged(part));
    values.push_back(std::move(value));
  }
  return values;
}

Result<std::vector<std::pair<std::string, Value>>> EntriesFrom(const JsonNode& json) {
  std::vector<std::pair<std::string, Value>> entries;
  for (const JsonMember& member : json.members()) {
    KINU_TRY(Value value, ValueFromTagged(member.value));
    entries.emplace_back(std::string(member.name), std::move(value));
  }
  return entries;
}

// Collections need elements of one type.
Result<void> CheckElements(std::span<const Value> values, const Type& element) {
  std::optional<Type> common = Value::CommonElementType(values);
  if (!common || (!common->is_dynamic() && !element.is_dynamic() && *common != element)) {
    return Bad("elements are not of the element type");
  }
  return {};
}

void WriteNumber(JsonWriter& out, const Number& number) {
  if (number.IsInfinite()) {
    out.String(number.Sign() < 0 ? "-inf" : "inf");
  } else {
    out.String(number.ToText());
  }
}

void WriteBound(JsonWriter& out, std::string_view name, const Number& bound, bool inclusive) {
  out.Key(name);
  out.BeginObject();
  out.Key("value");
  WriteNumber(out, bound);
  out.Member("inclusive", inclusive);
  out.EndObject();
}

void WriteRefinements(JsonWriter& out, const Refinements& refinements) {
  out.Key("refinements");
  out.BeginObject();
  if (refinements.not_null) {
    out.Member("not_null", true);
  }
  if (!refinements.prefix.empty()) {
    out.Member("prefix", std::string_view(refinements.prefix));
  }
  if (refinements.min) {
    WriteBound(out, "min", *refinements.min, refinements.min_inclusive);
  }
  if (refinements.max) {
    WriteBound(out, "max", *refinements.max, refinements.max_inclusive);
  }
  if (refinements.min_length != 0) {
    out.Member("min_length", refinements.min_length);
  }
  if (refinements.max_length != INT64_MAX) {
    out.Member("max_length", refinements.max_length);
  }
  out.EndObject();
}

void WriteElements(JsonWriter& out, const Value& value, std::string_view kind) {
  Type type = value.type();
  bool named = type.is_map() || type.is_object();
  out.Key(kind);
  if (named) {
    out.BeginObject();
  } else {
    out.BeginArray();
  }
  for (size_t i = 0; i < value.size(); ++i) {
    if (named) {
      out.Key(value.key(i));
    }
    WriteTagged(out, value.elements()[i]);
  }
  if (named) {
    out.EndObject();
  } else {
    out.EndArray();
  }
  if (type.is_collection()) {
    out.Key("of");
    WriteTaggedType(out, type.element());
  }
}

}  // namespace

Result<Type> TypeFromTagged(const JsonNode& json) {
  if (json.is_array() && json.elements().size() == 2 && json.elements()[0].is_string() &&
      json.elements()[0].text() == "capsule") {
    return Type::Capsule(json.elements()[1].text());
  }
  ValueResult<Type> type = TypeFromJson(json);
  return type ? Result<Type>(*std::move(type)) : Bad(type.error().ToText());
}

void WriteTaggedType(JsonWriter& out, const Type& type) {
  WriteType(out, type);
}

Result<Value> ValueFromTagged(const JsonNode& json) {
  if (json.is_bool()) {
    return Value::Bool(json.boolean());
  }
  if (json.is_string()) {
    return Value::String(json.text());
  }
  if (!json.is_object()) {
    return Bad("neither bool, string nor object");
  }
  if (const JsonNode* content = json.Find("number")) {
    KINU_TRY(Number number, NumberFrom(content));
    return Value::Of(std::move(number));
  }
  if (const JsonNode* content = json.Find("null")) {
    KINU_TRY(Type type, TypeFromTagged(*content));
    return Value::Null(type);
  }
  if (const JsonNode* content = json.Find("unknown")) {
    KINU_TRY(Type type, TypeFromTagged(*content));
    const JsonNode* refinements = json.Find("refinements");
    if (refinements == nullptr) {
      return Value::Unknown(type);
    }
    KINU_TRY(Refinements known, RefinementsFrom(*refinements));
    return Value::Unknown(type, std::move(known));
  }
  if (const JsonNode* names = json.Find("marked")) {
    const JsonNode* inner = json.Find("value");
    if (inner == nullptr) {
      return Bad("marks without a value");
    }
    KINU_TRY(Value value, ValueFromTagged(*inner));
    MarkSet marks;
    for (const JsonNode& name : names->elements()) {
      marks = marks.Union(MarkSet::Named(name.text()));
    }
    return value.WithMarks(marks);
  }
  if (const JsonNode* content = json.Find("tuple")) {
    KINU_TRY(std::vector<Value> values, ValuesFrom(*content));
    return Value::Tuple(std::move(values));
  }
  if (const JsonNode* content = json.Find("object")) {
    KINU_TRY(auto attributes, EntriesFrom(*content));
    return Value::Object(std::move(attributes));
  }
  const JsonNode* of = json.Find("of");
  if (of == nullptr) {
    return Bad("no known kind");
  }
  KINU_TRY(Type constraint, TypeFromTagged(*of));
  Type element = constraint.WithoutOptionalAttributes();
  if (const JsonNode* content = json.Find("map")) {
    KINU_TRY(auto entries, EntriesFrom(*content));
    std::vector<Value> values;
    for (const auto& entry : entries) {
      values.push_back(entry.second);
    }
    if (Result<void> fits = CheckElements(values, element); !fits) {
      return std::unexpected(std::move(fits.error()));
    }
    return Value::Map(element, std::move(entries));
  }
  const JsonNode* list = json.Find("list");
  const JsonNode* set = json.Find("set");
  if (list == nullptr && set == nullptr) {
    return Bad("no known kind");
  }
  KINU_TRY(std::vector<Value> values, ValuesFrom(list != nullptr ? *list : *set));
  if (Result<void> fits = CheckElements(values, element); !fits) {
    return std::unexpected(std::move(fits.error()));
  }
  return list != nullptr ? Value::List(element, std::move(values))
                         : Value::Set(element, std::move(values));
}

void WriteTagged(JsonWriter& out, const Value& value) {
  if (value.IsMarked()) {
    out.BeginObject();
    out.Key("marked");
    out.BeginArray();
    for (const std::string& name : value.marks().Names()) {
      out.String(name);
    }
    out.EndArray();
    out.Key("value");
    WriteTagged(out, value.Unmark());
    out.EndObject();
    return;
  }
  Type type = value.type();
  bool has_content = value.IsKnown() && !value.IsNull();
  if (has_content && type == Type::Bool()) {
    out.Bool(value.AsBool());
    return;
  }
  if (has_content && type == Type::String()) {
    out.String(value.AsString());
    return;
  }
  out.BeginObject();
  if (!has_content) {
    out.Key(value.IsNull() ? JsonKey("null") : JsonKey("unknown"));
    WriteTaggedType(out, type);
    if (Refinements known = value.refinements(); !value.IsNull() && !known.empty()) {
      WriteRefinements(out, known);
    }
  } else {
    switch (type.kind()) {
      case TypeKind::kNumber:
        out.Key("number");
        WriteNumber(out, value.AsNumber());
        break;
      case TypeKind::kList:
        WriteElements(out, value, "list");
        break;
      case TypeKind::kSet:
        WriteElements(out, value, "set");
        break;
      case TypeKind::kMap:
        WriteElements(out, value, "map");
        break;
      case TypeKind::kTuple:
        WriteElements(out, value, "tuple");
        break;
      case TypeKind::kObject:
        WriteElements(out, value, "object");
        break;
      default:
        out.Member("capsule", type.capsule_name());
    }
  }
  out.EndObject();
}

}  // namespace kinu
