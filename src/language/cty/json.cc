// Writing values as JSON; json_read.cc reads them.
#include "cty/json.h"

#include <algorithm>

#include "cty/collections.h"
#include "cty/conversion.h"
#include "cty/ops.h"

namespace kinu {
namespace {

ValueResult<void> Write(JsonWriter& out, const Value& value, const Type& type, WholeNumbers whole);

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

ValueResult<void> WriteDynamic(JsonWriter& out, const Value& value, WholeNumbers whole) {
  Type type = value.type();
  if (HasCapsule(type)) {
    return ValueFail("failed to serialize type: type not allowed: " + type.FriendlyName());
  }
  out.BeginObject();
  out.Key("value");
  if (ValueResult<void> written = Write(out, value, type, whole); !written) {
    // Like the reference, without the path inside the value.
    return ValueFail("failed to serialize value: " + written.error().message);
  }
  out.Key("type");
  WriteType(out, type);
  out.EndObject();
  return {};
}

ValueResult<void> Write(JsonWriter& out, const Value& value, const Type& type, WholeNumbers whole) {
  if (value.IsMarked()) {
    return ValueFail("value has marks, so it cannot be serialized as JSON");
  }
  if (!value.IsKnown()) {
    return ValueFail("value is not known");
  }
  if (type.is_dynamic() && !value.type().is_dynamic()) {
    return WriteDynamic(out, value, whole);
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
      out.Raw(whole == WholeNumbers::kShortest ? number.ToText() : ExactText(number));
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
    if (auto written = Write(out, elements[i], ElementType(type, i), whole); !written) {
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

}  // namespace

ValueResult<void> WriteJson(JsonWriter& out, const Value& value, const Type& type,
                            WholeNumbers whole) {
  if (value.type().ConformsTo(type)) {
    return Write(out, value, type, whole);
  }
  ValueResult<Value> converted = Convert(value, type);
  if (!converted) {
    return std::unexpected(std::move(converted.error()));
  }
  return Write(out, *converted, type, whole);
}

ValueResult<std::string> ValueToJson(const Value& value, const Type& type, WholeNumbers whole) {
  std::string text;
  JsonWriter out(text);
  if (ValueResult<void> written = WriteJson(out, value, type, whole); !written) {
    return std::unexpected(std::move(written.error()));
  }
  return text;
}

ValueResult<void> WriteSimpleJson(JsonWriter& out, const Value& value) {
  return Write(out, value, value.type(), WholeNumbers::kShortest);
}

}  // namespace kinu
