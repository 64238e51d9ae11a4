// Generates types and values from the bytes of a fuzzer, for targets that do not parse bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cty/ops.h"
#include "cty/path.h"
#include "cty/value.h"

namespace kinu {

/// Whether a part of the value is the number -0.
inline bool HasMinusZero(const Value& value) {
  bool found = false;
  Path path;
  WalkValue(value, path, [&found](const Path&, const Value& part) {
    if (part.type() == Type::Number() && part.IsKnown() && !part.IsNull()) {
      const Number number = part.AsNumber();
      found = found || (number.Sign() == 0 && !number.is_inline());
    }
    return true;
  });
  return found;
}

/// Each decision consumes a byte; when none is left, every decision is 0.
class ValueMaker {
 public:
  ValueMaker(const uint8_t* data, size_t size) : data_(data), size_(size) {}

  uint8_t Byte() { return at_ < size_ ? data_[at_++] : 0; }
  size_t Below(size_t count) { return Byte() % count; }

  Type MakeType(int depth = 3) {
    switch (Below(depth > 0 ? 9 : 4)) {
      case 0:
        return Type::String();
      case 1:
        return Type::Number();
      case 2:
        return Type::Bool();
      case 3:
        return Type::Dynamic();
      case 4:
        return Type::List(MakeType(depth - 1));
      case 5:
        return Type::Set(MakeType(depth - 1));
      case 6:
        return Type::Map(MakeType(depth - 1));
      case 7: {
        std::vector<Type> elements;
        for (size_t i = Below(4); i > 0; --i) {
          elements.push_back(MakeType(depth - 1));
        }
        return Type::Tuple(elements);
      }
      default: {
        std::vector<Type::Attribute> attributes;
        for (size_t i = Below(4); i > 0; --i) {
          const std::string_view name = Name();
          const bool optional = Below(4) == 1;
          attributes.push_back({name, MakeType(depth - 1), optional});
        }
        return Type::Object(attributes);
      }
    }
  }

  /// A value of that type, or a null or unknown one. Each part may be null, unknown or marked.
  Value MakeValue(const Type& type, int depth = 4) {
    const uint8_t choice = Byte();
    if (choice % 16 == 1) {
      return Value::Null(type);
    }
    if (choice % 16 == 2) {
      return Value::Unknown(type);
    }
    Value value = MakeKnown(type, depth);
    return choice % 16 == 3 ? value.WithMarks(MarkSet::Sensitive()) : value;
  }

 private:
  std::string_view Name() {
    static constexpr std::string_view kNames[] = {"a", "b", "c", "0", "id"};
    return kNames[Below(5)];
  }
  std::string_view Text() {
    static constexpr std::string_view kTexts[] = {"",     "a",    "1",   "true", "false", "-0.5",
                                                  "1e30", "null", "é",   "b",    "0x1",   " 1",
                                                  "01",   "1.0",  "inf", "1e400"};
    return kTexts[Below(16)];
  }
  Value MakeKnown(const Type& type, int depth) {
    std::vector<Value> values;
    const size_t count = depth > 0 ? Below(4) : 0;
    switch (type.kind()) {
      case TypeKind::kString:
        return Value::String(Text());
      case TypeKind::kNumber:
        return Below(2) == 0 ? Value::Int(static_cast<int8_t>(Byte()))
                             : Value::Of(Number::FromDouble(Byte() / 8.0 * 1e10));
      case TypeKind::kBool:
        return Value::Bool(Below(2) == 0);
      case TypeKind::kDynamic:
        return depth > 0 ? MakeValue(MakeType(1).WithoutOptionalAttributes(), depth - 1) : Value();
      case TypeKind::kList:
      case TypeKind::kSet:
        for (size_t i = 0; i < count; ++i) {
          values.push_back(MakeValue(type.element(), depth - 1));
        }
        return Collection(type, std::move(values));
      case TypeKind::kMap: {
        for (size_t i = 0; i < count; ++i) {
          values.push_back(MakeValue(type.element(), depth - 1));
        }
        if (!Value::CommonElementType(values)) {
          return Value::Null(type);
        }
        std::vector<std::pair<std::string, Value>> entries;
        for (Value& value : values) {
          entries.emplace_back(std::string(Name()), std::move(value));
        }
        return Value::Map(ElementOf(type), std::move(entries));
      }
      case TypeKind::kTuple:
        for (const Type& element : type.elements()) {
          values.push_back(MakeValue(element, depth - 1));
        }
        return Value::Tuple(std::move(values));
      case TypeKind::kObject: {
        std::vector<std::pair<std::string, Value>> attributes;
        for (const ObjectAttribute& attribute : type.attributes()) {
          attributes.emplace_back(std::string(attribute.name),
                                  MakeValue(attribute.type, depth - 1));
        }
        return Value::Object(std::move(attributes));
      }
      case TypeKind::kCapsule:
        break;
    }
    return Value();
  }
  // If the element type has dynamic parts, the elements decide about the type.
  static Type ElementOf(const Type& type) {
    return type.element().has_dynamic() ? Type::Dynamic() : type.element();
  }
  Value Collection(const Type& type, std::vector<Value> values) {
    if (!Value::CommonElementType(values)) {
      return Value::Null(type);
    }
    return type.is_list() ? Value::List(ElementOf(type), std::move(values))
                          : Value::Set(ElementOf(type), std::move(values));
  }

  const uint8_t* data_;
  size_t size_;
  size_t at_ = 0;
};

}  // namespace kinu
