// Values of the public API.
#include "api/access.h"
#include "api/values.h"
#include "cty/json.h"
#include "hcl/writer/tokens.h"
#include "text/unicode.h"

namespace kinu::api {

v1::Value ToPublic(Value value) {
  return v1::Access::Make(std::move(value));
}
Value ToInner(const v1::Value& value) {
  return v1::Access::Inner(value);
}

}  // namespace kinu::api

namespace kinu::v1 {
namespace {

std::string Valid(std::string_view text) {
  return text::IsUtf8(text) ? std::string(text) : text::ReplaceInvalidUtf8(text);
}

}  // namespace

Value::Value() = default;

Value Value::Bool(bool value) {
  return Access::Make(InnerValue::Bool(value));
}
Value Value::Int(int64_t value) {
  return Access::Make(InnerValue::Int(value));
}
Value Value::Double(double value) {
  return Access::Make(InnerValue::Of(::kinu::Number::FromDouble(value)));
}
std::optional<Value> Value::Number(std::string_view text) {
  std::optional<::kinu::Number> number = ::kinu::Number::Parse(text);
  if (!number) {
    return std::nullopt;
  }
  return Access::Make(InnerValue::Of(*std::move(number)));
}
Value Value::String(std::string_view text) {
  return Access::Make(InnerValue::String(Valid(text)));
}
Value Value::Tuple(const std::vector<Value>& elements) {
  std::vector<InnerValue> inner;
  inner.reserve(elements.size());
  for (const Value& element : elements) {
    inner.push_back(Access::Inner(element));
  }
  return Access::Make(InnerValue::Tuple(std::move(inner)));
}
Value Value::Object(const std::vector<std::pair<std::string, Value>>& attributes) {
  std::vector<std::pair<std::string, InnerValue>> inner;
  inner.reserve(attributes.size());
  for (const auto& [name, value] : attributes) {
    inner.emplace_back(Valid(name), Access::Inner(value));
  }
  return Access::Make(InnerValue::Object(std::move(inner)));
}
Value Value::Unknown() {
  return Access::Make(InnerValue::DynamicUnknown());
}
std::optional<Value> Value::FromJson(std::string_view json, Diagnostics& problems) {
  ValueResult<InnerValue> value = ImpliedValueOfJson(json);
  if (!value) {
    problems.push_back({.summary = "Invalid JSON", .detail = value.error().ToText() + "."});
    return std::nullopt;
  }
  return Access::Make(*std::move(value));
}

Value::Kind Value::kind() const {
  switch (Access::Inner(*this).kind()) {
    case TypeKind::kDynamic:
      return Kind::kDynamic;
    case TypeKind::kBool:
      return Kind::kBool;
    case TypeKind::kNumber:
      return Kind::kNumber;
    case TypeKind::kString:
      return Kind::kString;
    case TypeKind::kList:
      return Kind::kList;
    case TypeKind::kSet:
      return Kind::kSet;
    case TypeKind::kMap:
      return Kind::kMap;
    case TypeKind::kTuple:
      return Kind::kTuple;
    case TypeKind::kObject:
      return Kind::kObject;
    case TypeKind::kCapsule:
      break;
  }
  return Kind::kOther;
}
bool Value::is_null() const {
  return Access::Inner(*this).IsNull();
}
bool Value::is_known() const {
  return Access::Inner(*this).IsKnown();
}
bool Value::is_wholly_known() const {
  return Access::Inner(*this).IsWhollyKnown();
}
bool Value::is_sensitive() const {
  return Access::Inner(*this).MarksDeep().sensitive();
}

namespace {

bool Has(const InnerValue& value, const Type& type) {
  return value.IsKnown() && !value.IsNull() && value.type() == type;
}
bool HasParts(const InnerValue& value) {
  return value.IsKnown() && !value.IsNull() && value.type().is_iterable();
}

}  // namespace

std::optional<bool> Value::AsBool() const {
  const InnerValue value = Access::Inner(*this);
  return Has(value, Type::Bool()) ? std::optional(value.AsBool()) : std::nullopt;
}
std::optional<int64_t> Value::AsInt() const {
  const InnerValue value = Access::Inner(*this);
  return Has(value, Type::Number()) ? value.AsInt64() : std::nullopt;
}
std::optional<double> Value::AsDouble() const {
  const InnerValue value = Access::Inner(*this);
  return Has(value, Type::Number()) ? std::optional(value.AsNumber().ToDouble()) : std::nullopt;
}
std::optional<std::string> Value::AsString() const {
  const InnerValue value = Access::Inner(*this);
  return Has(value, Type::String()) ? std::optional(std::string(value.AsString())) : std::nullopt;
}
std::optional<std::string> Value::AsNumberText() const {
  const InnerValue value = Access::Inner(*this);
  return Has(value, Type::Number()) ? std::optional(value.AsNumber().ToText()) : std::nullopt;
}
size_t Value::size() const {
  const InnerValue value = Access::Inner(*this);
  return HasParts(value) ? value.size() : 0;
}
std::vector<Value> Value::elements() const {
  const InnerValue value = Access::Inner(*this);
  std::vector<Value> out;
  if (HasParts(value)) {
    for (const InnerValue& element : value.elements()) {
      out.push_back(Access::Make(element));
    }
  }
  return out;
}
std::vector<std::string> Value::keys() const {
  const InnerValue value = Access::Inner(*this);
  std::vector<std::string> out;
  if (HasParts(value) && (value.type().is_map() || value.type().is_object())) {
    for (size_t i = 0; i < value.size(); ++i) {
      out.emplace_back(value.key(i));
    }
  }
  return out;
}
std::optional<Value> Value::Find(std::string_view key) const {
  const InnerValue value = Access::Inner(*this);
  if (!HasParts(value) || !(value.type().is_map() || value.type().is_object())) {
    return std::nullopt;
  }
  const InnerValue* found = value.Find(key);
  return found == nullptr ? std::nullopt : std::optional(Access::Make(*found));
}
std::optional<std::string> Value::ToJson() const {
  const InnerValue value = Access::Inner(*this).UnmarkDeep();
  if (!value.IsWhollyKnown()) {
    return std::nullopt;
  }
  ValueResult<std::string> json = ValueToJson(value, value.type());
  return json ? std::optional(*std::move(json)) : std::nullopt;
}
std::optional<std::string> Value::ToSource() const {
  ::kinu::Result<std::string> text = hcl::writer::ValueText(Access::Inner(*this));
  return text ? std::optional(*std::move(text)) : std::nullopt;
}
std::string Value::TypeName() const {
  return Access::Inner(*this).type().FriendlyName();
}
bool operator==(const Value& a, const Value& b) {
  return InnerValue::RawEquals(Access::Inner(a), Access::Inner(b));
}

}  // namespace kinu::v1
