// Collections: alltrue anytrue contains element index length one.
#include <algorithm>

#include "compatibility/features.h"
#include "functions/families.h"
#include "functions/support.h"
#include "text/unicode.h"

namespace kinu::functions {
namespace {

CallResult AllTrue(Arguments args, const Type&, const CallContext&) {
  for (const Value& element : args[0].elements()) {
    if (!element.IsKnown()) {
      return Value::Unknown(Type::Bool());
    }
    if (element.IsNull() || !element.AsBool()) {
      return Value::False();
    }
  }
  return Value::True();
}

CallResult AnyTrue(Arguments args, const Type&, const CallContext&) {
  bool has_unknown = false;
  for (const Value& element : args[0].elements()) {
    if (!element.IsKnown()) {
      has_unknown = true;
    } else if (!element.IsNull() && element.AsBool()) {
      return Value::True();
    }
  }
  return has_unknown ? Value::Unknown(Type::Bool()) : Value::False();
}

/// A bool, unless the value has no type yet. OpenTofu 1.13 waits for the type of `null` too, in
/// vain.
TypeResult ContainsType(Arguments args) {
  if (args[1].IsNull() && !compatibility::Has(compatibility::Feature::kNullInContains)) {
    return CallFail("argument must not be null", 1);
  }
  return args[1].type().is_dynamic() && !args[1].IsNull() ? Type::Dynamic() : Type::Bool();
}

CallResult Contains(Arguments args, const Type&, const CallContext&) {
  if (!IsSequence(args[0].type())) {
    return CallFail("argument must be list, tuple, or set");
  }
  bool has_unknown = false;
  for (const Value& element : args[0].elements()) {
    const Value equal = Equals(args[1], element);
    if (!equal.IsKnown()) {
      has_unknown = true;
    } else if (equal.AsBool()) {
      return Value::True();
    }
  }
  return has_unknown ? Value::Unknown(Type::Bool()) : Value::False();
}

// The index modulo `size`, from 0 to size - 1.
std::expected<size_t, CallError> WrapIndex(const Value& index, size_t size) {
  KINU_TRY(int64_t position, ToInteger(index));
  if (size == 0) {
    return CallFail("cannot use element function with an empty list");
  }
  position %= static_cast<int64_t>(size);
  return static_cast<size_t>(position < 0 ? position + static_cast<int64_t>(size) : position);
}

TypeResult ElementType(Arguments args) {
  const Type type = args[0].type();
  if (type.is_list()) {
    return type.element();
  }
  if (!type.is_tuple()) {
    return CallFail("cannot read elements from " + type.FriendlyName());
  }
  if (!args[1].IsKnown()) {
    return Type::Dynamic();
  }
  KINU_TRY(const size_t position, WrapIndex(args[1], type.elements().size()));
  return type.elements()[position];
}

CallResult Element(Arguments args, const Type&, const CallContext&) {
  const Value list = args[0].Unmark();
  KINU_TRY(const size_t position, WrapIndex(args[1], list.size()));
  return list.elements()[position].WithMarks(args[0].marks());
}

CallResult Index(Arguments args, const Type&, const CallContext&) {
  if (!args[0].type().is_list() && !args[0].type().is_tuple()) {
    return CallFail("argument must be a list or tuple");
  }
  const std::span<const Value> elements = args[0].elements();
  for (size_t i = 0; i < elements.size(); ++i) {
    const Value equal = Equals(elements[i], args[1]);
    if (!equal.IsKnown()) {
      return Value::Unknown(Type::Number());
    }
    if (equal.AsBool()) {
      return Value::Int(static_cast<int64_t>(i));
    }
  }
  return CallFail("item not found");
}

TypeResult LengthType(Arguments args) {
  const Type type = args[0].type();
  if (type == Type::Bool() || type == Type::Number() || type.is_capsule()) {
    return CallFail("argument must be a string, a collection type, or a structural type");
  }
  return Type::Number();
}

CallResult LengthOf(Arguments args, const Type&, const CallContext&) {
  const Type type = args[0].type();
  const MarkSet marks = args[0].marks();
  const Value plain = args[0].Unmark();
  if (type.is_dynamic()) {
    return Value::Unknown(Type::Number()).WithMarks(marks);
  }
  if (type.is_tuple()) {
    return Value::Int(static_cast<int64_t>(type.elements().size())).WithMarks(marks);
  }
  if (type.is_object()) {
    return Value::Int(static_cast<int64_t>(type.attributes().size())).WithMarks(marks);
  }
  if (type != Type::String()) {
    return Length(plain).WithMarks(marks);
  }
  if (plain.IsKnown()) {
    return Value::Int(static_cast<int64_t>(text::GraphemeCount(plain.AsString()))).WithMarks(marks);
  }
  Refinements bounds;
  bounds.not_null = true;
  bounds.min =
      Number::FromInt(static_cast<int64_t>(text::GraphemeCount(plain.refinements().prefix)));
  return Value::Unknown(Type::Number(), bounds).WithMarks(marks);
}

constexpr std::string_view kOneOrNone =
    "must be a list, set, or tuple value with either zero or one elements";

TypeResult OneType(Arguments args) {
  const Type type = args[0].type();
  if (type.is_list() || type.is_set()) {
    return type.element();
  }
  if (!type.is_tuple() || type.elements().size() > 1) {
    return CallFail(std::string(kOneOrNone), 0);
  }
  return type.elements().empty() ? Type::Dynamic() : type.elements()[0];
}

CallResult One(Arguments args, const Type& type, const CallContext&) {
  if (!Length(args[0]).IsKnown()) {
    return Value::Unknown(type);
  }
  switch (args[0].size()) {
    case 0:
      return Value::Null(type);
    case 1:
      return args[0].elements()[0];
    default:
      return CallFail(std::string(kOneOrNone), 0);
  }
}

constexpr FunctionSpec kRows[] = {
    {.name = "alltrue",
     .params = {Parameter{.name = "list", .type = &ListOfBool}},
     .result_type = &Returns<&Type::Bool>,
     .impl = &AllTrue,
     .refine = &NeverNull,
     .doc = "Whether all elements are true. True for an empty list.",
     .examples = {Example{R"(alltrue(["true", true]))", "true"},
                  Example{"alltrue([true, false])", "false"}, Example{"alltrue([])", "true"}},
     .ref = "opentofu internal/lang/funcs/collection.go AllTrueFunc"},
    {.name = "anytrue",
     .params = {Parameter{.name = "list", .type = &ListOfBool}},
     .result_type = &Returns<&Type::Bool>,
     .impl = &AnyTrue,
     .refine = &NeverNull,
     .doc = "Whether at least one element is true. False for an empty list.",
     .examples = {Example{"anytrue([true, false])", "true"}, Example{"anytrue([])", "false"}},
     .ref = "opentofu internal/lang/funcs/collection.go AnyTrueFunc"},
    {.name = "contains",
     .params = {Parameter{.name = "list"},
                Parameter{.name = "value", .allow_null = true, .allow_dynamic = true}},
     .result_type = &ContainsType,
     .impl = &Contains,
     .refine = &NeverNull,
     .doc = "Whether a list, set or tuple has an element that equals the given value.",
     .examples = {Example{R"(contains(["a", "b"], "a"))", "true"},
                  Example{R"(contains([1, 2], "1"))", "false"}},
     .ref = "go-cty stdlib/collection.go ContainsFunc"},
    {.name = "element",
     .params = {Parameter{.name = "list", .allow_marked = true},
                Parameter{.name = "index", .type = &Type::Number}},
     .result_type = &ElementType,
     .impl = &Element,
     .doc = "The element at an index, which goes round: behind the last element comes the first, "
            "before the first the last.",
     .examples = {Example{R"(element(["a", "b", "c"], 1))", R"("b")"},
                  Example{R"(element(["a", "b", "c"], 3))", R"("a")"},
                  Example{R"(element(["a", "b", "c"], -1))", R"("c")"}},
     .ref = "go-cty stdlib/collection.go ElementFunc"},
    {.name = "index",
     .params = {Parameter{.name = "list"}, Parameter{.name = "value"}},
     .result_type = &Returns<&Type::Number>,
     .impl = &Index,
     .refine = &NeverNull,
     .doc = "The index of the first element that equals the given value.",
     .examples = {Example{R"(index(["a", "b", "c"], "b"))", "1"},
                  Example{"index([true], true)", "0"}},
     .ref = "opentofu internal/lang/funcs/collection.go IndexFunc"},
    {.name = "length",
     .params = {Parameter{
         .name = "value", .allow_unknown = true, .allow_dynamic = true, .allow_marked = true}},
     .result_type = &LengthType,
     .impl = &LengthOf,
     .refine = &NeverNull,
     .doc = "The number of elements of a collection, of attributes of an object, or of characters "
            "of a string.",
     .examples = {Example{R"(length(["a", "b"]))", "2"}, Example{R"(length({a = "b"}))", "1"},
                  Example{R"(length("👾🕹️"))", "2"}},
     .ref = "opentofu internal/lang/funcs/collection.go LengthFunc"},
    {.name = "one",
     .params = {Parameter{.name = "list"}},
     .result_type = &OneType,
     .impl = &One,
     .doc = "The only element of a list, set or tuple, or null when it is empty.",
     .examples = {Example{R"(one(["a"]))", R"("a")"}, Example{"one([])", "null"}},
     .ref = "opentofu internal/lang/funcs/collection.go OneFunc"},
};

}  // namespace

std::span<const FunctionSpec> SearchFunctions() {
  return kRows;
}

}  // namespace kinu::functions
