// Go-syntax texts of values and types. Ref: the GoString methods of go-cty cty.

#include "cty/normalize.h"
#include "cty/ops.h"

namespace kinu {
namespace {

std::string TypeMap(const Type& type) {
  std::string out = "map[string]cty.Type{";
  std::string_view separator;
  for (const ObjectAttribute& attribute : type.attributes()) {
    out += separator;
    separator = ", ";
    out += text::GoQuote(attribute.name) + ":" + GoString(attribute.type);
  }
  return out + "}";
}

std::string GoNumber(const Number& number) {
  if (number.IsInteger()) {
    return "cty.NumberIntVal(" + number.Format('g', -1) + ")";
  }
  bool exact = false;
  double value = number.ToDouble(&exact);
  if (exact) {
    return "cty.NumberFloatVal(" + Number::FromDouble(value).Format('g', -1) + ")";
  }
  return "cty.MustParseNumberVal(" + text::GoQuote(number.ToText()) + ")";
}

std::string UnknownText(const Value& value) {
  Type type = value.type();
  if (type.is_dynamic()) {
    return "cty.DynamicVal";
  }
  std::string out = "cty.UnknownVal(" + GoString(type) + ")";
  Refinements known = value.refinements();
  if (known.empty()) {
    return out;
  }
  std::string calls = known.not_null ? ".NotNull()" : "";
  if (!known.prefix.empty()) {
    calls += ".StringPrefixFull(" + text::GoQuote(known.prefix) + ")";
  }
  if (known.min) {
    calls += ".NumberLowerBound(" + GoNumber(*known.min) + ", " +
             (known.min_inclusive ? "true)" : "false)");
  }
  if (known.max) {
    calls += ".NumberUpperBound(" + GoNumber(*known.max) + ", " +
             (known.max_inclusive ? "true)" : "false)");
  }
  if (known.min_length != 0) {
    calls += ".CollectionLengthLowerBound(" + std::to_string(known.min_length) + ")";
  }
  if (known.max_length != INT64_MAX) {
    calls += ".CollectionLengthUpperBound(" + std::to_string(known.max_length) + ")";
  }
  return out + (calls == ".NotNull()" ? ".RefineNotNull()" : ".Refine()" + calls + ".NewValue()");
}

std::string MarkedText(const Value& value) {
  std::vector<std::string> names = value.marks().Names();
  std::string out = GoString(value.Unmark());
  if (names.size() == 1) {
    return out + ".Mark(" + text::GoQuote(names[0]) + ")";
  }
  out += ".WithMarks(cty.NewValueMarks(";
  for (size_t i = 0; i < names.size(); ++i) {
    out += (i == 0 ? "" : ", ") + text::GoQuote(names[i]);
  }
  return out + "))";
}

std::string ContentText(const Value& value) {
  Type type = value.type();
  bool named = type.is_map() || type.is_object();
  std::string out = named ? "map[string]cty.Value{" : "[]cty.Value{";
  for (size_t i = 0; i < value.size(); ++i) {
    out += i == 0 ? "" : ", ";
    if (named) {
      out += text::GoQuote(value.key(i)) + ":";
    }
    out += GoString(value.elements()[i]);
  }
  return out + "}";
}

}  // namespace

std::string GoString(const Type& type) {
  switch (type.kind()) {
    case TypeKind::kDynamic:
      return "cty.DynamicPseudoType";
    case TypeKind::kBool:
      return "cty.Bool";
    case TypeKind::kNumber:
      return "cty.Number";
    case TypeKind::kString:
      return "cty.String";
    case TypeKind::kList:
      return "cty.List(" + GoString(type.element()) + ")";
    case TypeKind::kSet:
      return "cty.Set(" + GoString(type.element()) + ")";
    case TypeKind::kMap:
      return "cty.Map(" + GoString(type.element()) + ")";
    case TypeKind::kTuple: {
      if (type.elements().empty()) {
        return "cty.EmptyTuple";
      }
      std::string out = "cty.Tuple([]cty.Type{";
      std::string_view separator;
      for (const Type& element : type.elements()) {
        out += separator;
        separator = ", ";
        out += GoString(element);
      }
      return out + "})";
    }
    case TypeKind::kObject: {
      if (type.attributes().empty()) {
        return "cty.EmptyObject";
      }
      std::string optional;
      for (const ObjectAttribute& attribute : type.attributes()) {
        if (attribute.optional) {
          optional += (optional.empty() ? "" : ", ") + text::GoQuote(attribute.name);
        }
      }
      if (optional.empty()) {
        return "cty.Object(" + TypeMap(type) + ")";
      }
      return "cty.ObjectWithOptionalAttrs(" + TypeMap(type) + ", []string{" + optional + "})";
    }
    case TypeKind::kCapsule:
      return "cty.Capsule(" + text::GoQuote(type.capsule_name()) + ")";
  }
  return {};
}

std::string GoString(const Value& value) {
  if (value.IsMarked()) {
    return MarkedText(value);
  }
  Type type = value.type();
  if (value.IsNull()) {
    return "cty.NullVal(" + GoString(type) + ")";
  }
  if (!value.IsKnown()) {
    return UnknownText(value);
  }
  auto collection = [&](const std::string& kind) {
    return value.size() == 0 ? "cty." + kind + "ValEmpty(" + GoString(type.element()) + ")"
                             : "cty." + kind + "Val(" + ContentText(value) + ")";
  };
  switch (type.kind()) {
    case TypeKind::kBool:
      return value.AsBool() ? "cty.True" : "cty.False";
    case TypeKind::kNumber:
      return GoNumber(value.AsNumber());
    case TypeKind::kString:
      return "cty.StringVal(" + text::GoQuote(value.AsString()) + ")";
    case TypeKind::kList:
      return collection("List");
    case TypeKind::kSet:
      return collection("Set");
    case TypeKind::kMap:
      return collection("Map");
    case TypeKind::kTuple:
      return value.size() == 0 ? "cty.EmptyTupleVal" : "cty.TupleVal(" + ContentText(value) + ")";
    case TypeKind::kObject:
      return value.size() == 0 ? "cty.EmptyObjectVal" : "cty.ObjectVal(" + ContentText(value) + ")";
    default:
      return "cty.CapsuleVal(" + GoString(type) + ")";
  }
}

}  // namespace kinu
