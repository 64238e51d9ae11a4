#include "cty/path.h"

#include "cty/normalize.h"
#include "cty/ops.h"

namespace kinu {

PathStep PathStep::Attribute(std::string_view name) {
  PathStep step;
  step.kind = Kind::kAttribute;
  step.name = std::string(name);
  return step;
}

PathStep PathStep::Index(Value key) {
  PathStep step;
  step.kind = Kind::kIndex;
  step.key = std::move(key);
  return step;
}

bool operator==(const PathStep& a, const PathStep& b) {
  if (a.kind != b.kind) {
    return false;
  }
  return a.kind == PathStep::Kind::kAttribute ? a.name == b.name : Value::RawEquals(a.key, b.key);
}

Path Path::Attribute(std::string_view name) const {
  Path path = *this;
  path.Push(PathStep::Attribute(name));
  return path;
}

Path Path::Index(Value key) const {
  Path path = *this;
  path.Push(PathStep::Index(std::move(key)));
  return path;
}

Path Path::Index(int64_t index) const {
  return Index(Value::Int(index));
}

namespace {

Result<Value> ApplyIndex(const Value& value, const Value& key) {
  auto fail = [](const char* message) { return Fail(ErrorCode::kInvalid, message); };
  if (value.IsNull()) {
    return fail("cannot index a null value");
  }
  Type type = value.type();
  if (type.is_set()) {
    Value present = HasElement(value, key);
    MarkSet marks = present.marks();
    if (!present.IsKnown()) {
      return Value::Unknown(type.element()).WithMarks(marks);
    }
    return present.AsBool() ? Result<Value>(key.WithMarks(marks))
                            : fail("set does not contain the requested element");
  }
  Type key_type = key.type();
  if (key_type == Type::Number()) {
    if (!type.is_list() && !type.is_tuple()) {
      return fail("not a list type");
    }
  } else if (key_type == Type::String()) {
    if (!type.is_map()) {
      return fail("not a map type");
    }
  } else {
    return fail("key value not number or string");
  }
  Value has = HasIndex(value, key);
  if (!has.IsKnown()) {
    return type.is_tuple() ? Value::DynamicUnknown() : Value::Unknown(type.element());
  }
  if (!has.AsBool()) {
    return fail("value does not have given index key");
  }
  ValueResult<Value> element = kinu::Index(value, key);
  return element ? Result<Value>(*std::move(element))
                 : Fail(ErrorCode::kInvalid, element.error().message);
}

Result<Value> ApplyAttribute(const Value& value, const std::string& name) {
  if (value.IsNull()) {
    return Fail(ErrorCode::kInvalid, "cannot access attributes on a null value");
  }
  Type type = value.type();
  if (!type.is_object()) {
    return Fail(ErrorCode::kInvalid, "not an object type");
  }
  if (type.FindAttribute(name) < 0) {
    std::string message = "object has no attribute ";
    text::AppendGoQuoted(message, name);
    return Fail(ErrorCode::kInvalid, std::move(message));
  }
  return GetAttribute(value, name);
}

}  // namespace

Result<Value> Path::Apply(const Value& value) const {
  Value current = value;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const PathStep& step = steps_[i];
    Result<Value> next = step.kind == PathStep::Kind::kAttribute
                             ? ApplyAttribute(current, step.name)
                             : ApplyIndex(current, step.key);
    if (!next) {
      return Fail(next.error().code, "at step " + std::to_string(i) + ": " + next.error().message);
    }
    current = *std::move(next);
  }
  return current;
}

std::string Path::ToText() const {
  std::string out;
  for (const PathStep& step : steps_) {
    if (step.kind == PathStep::Kind::kAttribute) {
      out += '.';
      out += step.name;
      continue;
    }
    out += '[';
    Type type = step.key.type();
    if (step.key.IsNull()) {
      out += "null";
    } else if (!step.key.IsKnown()) {
      out += "(not yet known)";
    } else if (type == Type::Number()) {
      out += step.key.AsNumber().Format('g', -1);
    } else if (type == Type::String()) {
      text::AppendGoQuoted(out, step.key.AsString());
    } else {
      out += "...";
    }
    out += ']';
  }
  return out;
}

std::string ValueError::ToText() const {
  return path.empty() ? message : path.ToText() + ": " + message;
}

}  // namespace kinu
