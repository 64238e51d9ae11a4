// Sets: setintersection setproduct setsubtract setunion.
#include <algorithm>

#include "cty/conversion.h"
#include "functions/families.h"
#include "functions/support.h"

namespace kinu::functions {
namespace {

TypeResult OperationType(Arguments args) {
  std::vector<Type> types;
  for (const Value& arg : args) {
    if (!arg.type().is_set()) {
      return CallFail("a set is required");
    }
    const Type element = arg.type().element();
    if (!(element.is_dynamic() && arg.IsKnown() && arg.size() == 0)) {
      types.push_back(element);
    }
  }
  if (types.empty()) {
    return SetOfAny();
  }
  const std::optional<Type> common = UnifyUnsafe(types);
  if (!common) {
    return CallFail("given sets must all have compatible element types");
  }
  return Type::Set(*common);
}

std::expected<std::vector<Value>, CallError> ConvertAll(Arguments args, const Type& type) {
  std::vector<Value> sets;
  for (size_t i = 0; i < args.size(); ++i) {
    auto converted = Convert(args[i], type);
    if (!converted) {
      return CallFail(converted.error().message, static_cast<int>(i));
    }
    sets.push_back(*std::move(converted));
  }
  return sets;
}

// The error if conversion has left sets of different types, which happens if one of the types is
// unknown.
std::unexpected<CallError> TypesDiffer() {
  return CallFail("given sets must all have compatible element types");
}

bool AllOfOneType(const std::vector<Value>& sets) {
  return std::all_of(sets.begin(), sets.end(),
                     [&](const Value& set) { return set.type() == sets.front().type(); });
}

bool AllWhollyKnown(const std::vector<Value>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](const Value& value) { return value.IsWhollyKnown(); });
}

CallResult Union(Arguments args, const Type& type, const CallContext&) {
  KINU_TRY(const std::vector<Value> sets, ConvertAll(args, type));
  if (!AllOfOneType(sets)) {
    return TypesDiffer();
  }
  std::vector<Value> all;
  for (const Value& set : sets) {
    all.insert(all.end(), set.elements().begin(), set.elements().end());
  }
  return Value::Set(type.element(), std::move(all));
}

// The elements of the first set that are (`wanted`) or are not in all other sets.
CallResult Filter(Arguments args, const Type& type, bool wanted) {
  KINU_TRY(const std::vector<Value> sets, ConvertAll(args, type));
  if (!AllWhollyKnown(sets)) {
    return Value::Unknown(type);
  }
  if (!AllOfOneType(sets)) {
    return TypesDiffer();
  }
  std::vector<Value> kept = CopyElements(sets[0]);
  for (const Value& set : std::span(sets).subspan(1)) {
    ValueIndex index;
    for (const Value& element : set.elements()) {
      index.Insert(element);
    }
    std::erase_if(kept, [&](const Value& element) { return index.Contains(element) != wanted; });
  }
  return Value::Set(type.element(), std::move(kept));
}

CallResult Intersection(Arguments args, const Type& type, const CallContext&) {
  return Filter(args, type, true);
}

CallResult Subtract(Arguments args, const Type& type, const CallContext&) {
  return Filter(args, type, false);
}

TypeResult ProductType(Arguments args) {
  if (args.size() < 2) {
    return CallFail("at least two arguments are required");
  }
  std::vector<Type> elements;
  bool all_ordered = true;
  for (size_t i = 0; i < args.size(); ++i) {
    const Type type = args[i].type();
    all_ordered = all_ordered && !type.is_set();
    if (type.is_set() || type.is_list()) {
      elements.push_back(type.element());
    } else if (!type.is_tuple()) {
      return CallFail("a set or a list is required", static_cast<int>(i));
    } else if (type.elements().empty()) {
      elements.push_back(Type::Dynamic());
    } else {
      const std::optional<Type> common = UnifyUnsafe(type.elements());
      if (!common) {
        return CallFail("all elements must be of the same type", static_cast<int>(i));
      }
      elements.push_back(*common);
    }
  }
  const Type tuple = Type::Tuple(elements);
  return all_ordered ? Type::List(tuple) : Type::Set(tuple);
}

// A product of unknown size, with refinements of its length. Ref: SetProductFunc.
Value UnknownProduct(const std::vector<Value>& factors, const Type& type) {
  constexpr int64_t kLongestFactor = 1024;
  constexpr int64_t kLongestProduct = 2048;
  Refinements lengths;
  int64_t most = 1;
  for (const Value& factor : factors) {
    if (factor.type().is_set() && factor.IsKnown() && !factor.IsWhollyKnown()) {
      return Value::Unknown(type);
    }
    const int64_t length = factor.type().is_tuple()
                               ? static_cast<int64_t>(factor.type().elements().size())
                               : factor.refinements().max_length;
    if (length > kLongestFactor || most * length > kLongestProduct) {
      return Value::Unknown(type);
    }
    most *= length;
  }
  lengths.not_null = true;
  lengths.min_length = most == 0 ? 0 : 1;
  lengths.max_length = most;
  return Value::Unknown(type, lengths);
}

CallResult Product(Arguments args, const Type& type, const CallContext&) {
  constexpr size_t kMostTuples = size_t{1} << 20;
  MarkSet marks;
  std::vector<Value> factors;
  size_t total = 1;
  bool size_known = true;
  for (const Value& arg : args) {
    marks = marks.Union(arg.marks());
    factors.push_back(arg.Unmark());
    const Value& factor = factors.back();
    if (!factor.IsKnown() || !Length(factor).IsKnown()) {
      size_known = false;
    } else {
      if (factor.size() != 0 && total > kMostTuples / factor.size()) {
        return CallFail("the product has too many elements");
      }
      total *= factor.size();
    }
  }
  if (!size_known) {
    return UnknownProduct(factors, type).WithMarks(marks);
  }
  const std::span<const Type> element_types = type.element().elements();
  std::vector<std::vector<Value>> columns;
  for (size_t i = 0; i < factors.size(); ++i) {
    std::vector<Value>& column = columns.emplace_back();
    for (const Value& element : factors[i].elements()) {
      const auto converted = Convert(element, element_types[i]);
      if (!converted) {
        return CallFail(converted.error().message, static_cast<int>(i));
      }
      column.push_back(*converted);
    }
  }
  std::vector<Value> tuples;
  tuples.reserve(total);
  std::vector<size_t> indexes(columns.size(), 0);
  while (tuples.size() < total) {
    std::vector<Value> tuple;
    tuple.reserve(columns.size());
    for (size_t i = 0; i < columns.size(); ++i) {
      tuple.push_back(columns[i][indexes[i]]);
    }
    tuples.push_back(Value::Tuple(std::move(tuple)));
    for (size_t i = columns.size(); i-- > 0;) {
      if (++indexes[i] < columns[i].size()) {
        break;
      }
      indexes[i] = 0;
    }
  }
  // If the elements of a factor have no common type, the tuples have different types.
  const std::optional<Type> common = Value::CommonElementType(tuples);
  if (!common) {
    return CallFail("the combinations must be of one type");
  }
  const Type& element = tuples.empty() ? type.element() : *common;
  return (type.is_list() ? Value::List(element, std::move(tuples))
                         : Value::Set(element, std::move(tuples)))
      .WithMarks(marks);
}

constexpr Parameter Set(std::string_view name) {
  return {.name = name, .type = &SetOfAny, .allow_dynamic = true};
}

constexpr FunctionSpec kRows[] = {
    {.name = "setintersection",
     .params = {Set("first_set")},
     .has_variadic = true,
     .variadic = Set("other_sets"),
     .result_type = &OperationType,
     .impl = &Intersection,
     .refine = &NeverNull,
     .doc = "The elements that all given sets have.",
     .examples = {Example{R"(setintersection(["a", "b"], ["b", "c"], ["b", "d"]))",
                          R"(toset(["b"]))"},
                  Example{R"(setintersection(["a"], ["b"]))", "toset([])"}},
     .ref = "go-cty stdlib/set.go SetIntersectionFunc"},
    {.name = "setproduct",
     .has_variadic = true,
     .variadic = {.name = "sets", .allow_unknown = true, .allow_marked = true},
     .result_type = &ProductType,
     .impl = &Product,
     .refine = &NeverNull,
     .doc = "All combinations of one element of each given set or list: a list when all arguments "
            "are lists, else a set.",
     .examples = {Example{R"(setproduct(["a", "b"], [1, 2]))",
                          R"(tolist([["a", 1], ["a", 2], ["b", 1], ["b", 2]]))"},
                  Example{R"(setproduct(["a"], []))", "tolist([])"}},
     .ref = "go-cty stdlib/collection.go SetProductFunc"},
    {.name = "setsubtract",
     .params = {Set("a"), Set("b")},
     .result_type = &OperationType,
     .impl = &Subtract,
     .refine = &NeverNull,
     .doc = "The elements of the first set that the second one does not have.",
     .examples = {Example{R"(setsubtract(["a", "b", "c"], ["a", "c"]))", R"(toset(["b"]))"},
                  Example{R"(setsubtract(["a"], []))", R"(toset(["a"]))"}},
     .ref = "go-cty stdlib/set.go SetSubtractFunc"},
    {.name = "setunion",
     .params = {Set("first_set")},
     .has_variadic = true,
     .variadic = Set("other_sets"),
     .result_type = &OperationType,
     .impl = &Union,
     .refine = &NeverNull,
     .doc = "The elements of all given sets.",
     .examples = {Example{R"(setunion(["a", "b"], ["b", "c"], ["d"]))",
                          R"(toset(["a", "b", "c", "d"]))"},
                  Example{"setunion([1], [])", "toset([1])"}},
     .ref = "go-cty stdlib/set.go SetUnionFunc"},
};

}  // namespace

std::span<const FunctionSpec> SetFunctions() {
  return kRows;
}

}  // namespace kinu::functions
