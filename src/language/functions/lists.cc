// Lists: chunklist coalescelist compact concat distinct flatten matchkeys range reverse slice.
#include <algorithm>

#include "cty/conversion.h"
#include "functions/families.h"
#include "functions/support.h"

namespace kinu::functions {
namespace {

CallResult ChunkList(Arguments args, const Type& type, const CallContext&) {
  const MarkSet marks = args[0].marks().Union(args[1].marks());
  const Value list = args[0].Unmark();
  KINU_TRY(const int64_t given, ToInteger(args[1]));
  if (given < 0) {
    return CallFail("the size argument must be positive");
  }
  const std::span<const Value> elements = list.elements();
  const size_t size = given == 0 ? elements.size() : static_cast<size_t>(given);
  std::vector<Value> chunks;
  for (size_t from = 0; from < elements.size();) {
    const size_t count = std::min(size, elements.size() - from);
    const auto chunk = elements.subspan(from, count);
    chunks.push_back(Value::List(list.type().element(), {chunk.begin(), chunk.end()}));
    from += count;
  }
  return Value::List(type.element(), std::move(chunks)).WithMarks(marks);
}

TypeResult CoalesceListType(Arguments args) {
  if (args.empty()) {
    return CallFail("at least one argument is required");
  }
  for (const Value& arg : args) {
    if (!arg.IsKnown()) {
      return Type::Dynamic();
    }
    if (!arg.type().is_list() && !arg.type().is_tuple()) {
      return CallFail("coalescelist arguments must be lists or tuples");
    }
  }
  const Type first = args[0].type();
  const bool alike =
      std::all_of(args.begin(), args.end(), [&](const Value& arg) { return arg.type() == first; });
  return alike ? first : Type::Dynamic();
}

CallResult CoalesceList(Arguments args, const Type& type, const CallContext&) {
  for (const Value& arg : args) {
    if (!arg.IsKnown()) {
      return Value::Unknown(type);
    }
    if (!arg.IsNull() && arg.size() > 0) {
      return arg;
    }
  }
  return CallFail("no non-null arguments");
}

CallResult Compact(Arguments args, const Type& type, const CallContext&) {
  if (!args[0].IsWhollyKnown()) {
    return Value::Unknown(type);
  }
  std::vector<Value> kept;
  for (const Value& element : args[0].elements()) {
    if (!element.IsNull() && !element.AsString().empty()) {
      kept.push_back(element);
    }
  }
  return Value::List(Type::String(), std::move(kept));
}

// The common type of the arguments; nothing unless all are lists with a common type.
std::optional<Type> CommonListType(Arguments args) {
  std::vector<Type> types;
  for (const Value& arg : args) {
    if (!arg.type().is_list()) {
      return std::nullopt;
    }
    types.push_back(arg.type());
  }
  return UnifyUnsafe(types);
}

TypeResult ConcatType(Arguments args) {
  if (args.empty()) {
    return CallFail("at least one argument is required");
  }
  if (const std::optional<Type> common = CommonListType(args)) {
    return *common;
  }
  std::vector<Type> elements;
  for (size_t i = 0; i < args.size(); ++i) {
    const Type type = args[i].type();
    if (type.is_tuple()) {
      elements.insert(elements.end(), type.elements().begin(), type.elements().end());
    } else if (type.is_list()) {
      if (!args[i].IsKnown()) {
        return Type::Dynamic();
      }
      elements.insert(elements.end(), args[i].size(), type.element());
    } else {
      return CallFail("all arguments must be lists or tuples; got " + type.FriendlyName(),
                      static_cast<int>(i));
    }
  }
  return Type::Tuple(elements);
}

CallResult Concat(Arguments args, const Type& type, const CallContext&) {
  MarkSet marks;
  std::vector<Value> all;
  for (size_t i = 0; i < args.size(); ++i) {
    Value sequence = args[i];
    if (type.is_list()) {
      auto converted = Convert(sequence, type);
      if (!converted) {
        return CallFail(converted.error().message, static_cast<int>(i));
      }
      sequence = *std::move(converted);
    }
    marks = marks.Union(sequence.marks());
    const Value plain = sequence.Unmark();
    all.insert(all.end(), plain.elements().begin(), plain.elements().end());
  }
  return (type.is_list() ? Value::List(type.element(), std::move(all))
                         : Value::Tuple(std::move(all)))
      .WithMarks(marks);
}

CallResult Distinct(Arguments args, const Type& type, const CallContext&) {
  if (!args[0].IsWhollyKnown()) {
    return Value::Unknown(type);
  }
  ValueIndex seen;
  std::vector<Value> kept;
  for (const Value& element : args[0].elements()) {
    if (seen.Insert(element)) {
      kept.push_back(element);
    }
  }
  return Value::List(type.element(), std::move(kept));
}

// The result of flattening.
struct Flat {
  std::vector<Value> elements;
  MarkSet marks;
  bool known = true;  // whether the number and types of the elements are known
  bool too_many = false;
};

constexpr size_t kMostFlattened = size_t{1} << 22;

// The elements of the sequence, with sequences inside it replaced by their elements at any depth.
Flat FlattenDeep(const Value& sequence) {
  struct Level {
    Value container;
    size_t next;
  };
  Flat flat;
  std::vector<Level> levels;
  auto enter = [&](const Value& container) {
    flat.marks = flat.marks.Union(container.marks());
    Value plain = container.Unmark();
    if (!Length(plain).IsKnown()) {
      flat.known = false;
      return;
    }
    levels.push_back({std::move(plain), 0});
  };
  enter(sequence);
  while (!levels.empty()) {
    if (flat.elements.size() > kMostFlattened) {
      flat.too_many = true;
      break;
    }
    Level& level = levels.back();
    if (level.next == level.container.size()) {
      levels.pop_back();
      continue;
    }
    const Value element = level.container.elements()[level.next++];
    if (!element.IsKnown() && element.type().is_dynamic() && !element.IsMarked()) {
      flat.known = false;
    }
    if (element.IsNull() || !IsSequence(element.type())) {
      flat.elements.push_back(element);
    } else if (element.IsKnown()) {
      enter(element);
    } else {
      flat.known = false;
      flat.marks = flat.marks.Union(element.marks());
    }
  }
  return flat;
}

std::unexpected<CallError> TooManyFlattened() {
  return CallFail("the result would have more than " + std::to_string(kMostFlattened) +
                  " elements");
}

TypeResult FlattenType(Arguments args) {
  if (!args[0].IsWhollyKnown()) {
    return Type::Dynamic();
  }
  if (!IsSequence(args[0].type())) {
    return CallFail("can only flatten lists, sets and tuples");
  }
  const Flat flat = FlattenDeep(args[0]);
  if (flat.too_many) {
    return TooManyFlattened();
  }
  if (!flat.known) {
    return Type::Dynamic();
  }
  std::vector<Type> types;
  types.reserve(flat.elements.size());
  for (const Value& element : flat.elements) {
    types.push_back(element.type());
  }
  return Type::Tuple(types);
}

CallResult Flatten(Arguments args, const Type& type, const CallContext&) {
  // FlattenType() does not check arguments with unknown parts, so these may be maps and objects.
  Flat flat = FlattenDeep(args[0]);
  if (flat.too_many) {
    return TooManyFlattened();
  }
  if (!flat.known) {
    return Value::Unknown(type).WithMarks(flat.marks);
  }
  return Value::Tuple(std::move(flat.elements)).WithMarks(flat.marks);
}

std::optional<Type> CommonType(const Value& a, const Value& b) {
  const Type types[] = {a.type(), b.type()};
  return UnifyUnsafe(types);
}

TypeResult MatchKeysType(Arguments args) {
  if (!CommonType(args[1], args[2])) {
    return CallFail("keys and searchset must be of the same type");
  }
  return args[0].type();
}

CallResult MatchKeys(Arguments args, const Type& type, const CallContext&) {
  const Value& values = args[0];
  if (values.size() != args[1].size()) {
    return CallFail("length of keys and values should be equal");
  }
  const Type common = *CommonType(args[1], args[2]);
  const auto keys = Convert(args[1], common);
  const auto searched = Convert(args[2], common);
  if (!keys || !searched) {
    return CallFail("keys and searchset must be of the same type");
  }
  if (searched->size() == 0) {
    return Value::List(type.element(), {});
  }
  if (!values.IsWhollyKnown() || !keys->IsWhollyKnown()) {
    return Value::Unknown(type);
  }
  std::vector<Value> kept;
  ValueIndex wanted;
  // If an unknown element of the searched set comes before a match, the reference's result is
  // empty. Ref: MatchkeysFunc.
  bool cut_short = false;
  for (const Value& each : searched->elements()) {
    if (!each.IsWhollyKnown()) {
      cut_short = true;
      break;
    }
    wanted.Insert(each);
  }
  for (size_t i = 0; i < keys->size(); ++i) {
    if (wanted.Contains(keys->elements()[i])) {
      kept.push_back(values.elements()[i]);
    } else if (cut_short) {
      return Value::List(type.element(), {});
    }
  }
  return Value::List(type.element(), std::move(kept));
}

CallResult Range(Arguments args, const Type&, const CallContext&) {
  constexpr size_t kMostValues = 1024;
  if (args.empty() || args.size() > 3) {
    return CallFail("must have one, two, or three arguments");
  }
  const Number start = args.size() == 1 ? Number::FromInt(0) : args[0].AsNumber();
  const Number end = args.size() == 1 ? args[0].AsNumber() : args[1].AsNumber();
  const bool falls = Number::Compare(end, start) < 0;
  const Number step = args.size() == 3 ? args[2].AsNumber() : Number::FromInt(falls ? -1 : 1);
  const bool down = step.Sign() < 0;
  if (down && Number::Compare(end, start) > 0) {
    return CallFail("end must be less than start when step is negative", 1);
  }
  if (!down && falls) {
    return CallFail("end must be greater than start when step is positive", 1);
  }
  std::vector<Value> values;
  for (Number number = start;; number = Number::Add(number, step)) {
    const int order = Number::Compare(number, end);
    if (down ? order <= 0 : order >= 0) {
      return Value::List(Type::Number(), std::move(values));
    }
    if (values.size() == kMostValues) {
      return CallFail(
          "more than 1024 values were generated; either decrease the difference between start and "
          "end or use a smaller step");
    }
    values.push_back(Value::Of(number));
  }
}

TypeResult ReverseType(Arguments args) {
  const Type type = args[0].type();
  if (type.is_tuple()) {
    std::vector<Type> elements(type.elements().rbegin(), type.elements().rend());
    return Type::Tuple(elements);
  }
  if (type.is_list() || type.is_set()) {
    return Type::List(type.element());
  }
  return CallFail("can only reverse list or tuple values, not " + type.FriendlyName(), 0);
}

CallResult Reverse(Arguments args, const Type& type, const CallContext&) {
  const Value plain = args[0].Unmark();
  std::vector<Value> values = CopyElements(plain);
  std::reverse(values.begin(), values.end());
  return (type.is_tuple() ? Value::Tuple(std::move(values))
                          : Value::List(type.element(), std::move(values)))
      .WithMarks(args[0].marks());
}

struct SliceBounds {
  int64_t start = 0;
  int64_t end = 0;
  bool known = false;
};

std::expected<SliceBounds, CallError> BoundsOf(Arguments args) {
  const Value list = args[0].Unmark();
  std::optional<int64_t> length;
  if (list.type().is_tuple()) {
    length = static_cast<int64_t>(list.type().elements().size());
  } else if (list.IsKnown()) {
    length = static_cast<int64_t>(list.size());
  }
  SliceBounds bounds;
  int64_t* const ends[] = {&bounds.start, &bounds.end};
  for (int i = 0; i < 2; ++i) {
    const Value& index = args[static_cast<size_t>(i) + 1];
    if (!index.IsKnown()) {
      continue;
    }
    KINU_TRY(*ends[i], ToInteger(index, i + 1));
    if (*ends[i] < 0) {
      return CallFail(std::string(i == 0 ? "start" : "end") + " index must not be less than zero",
                      i + 1);
    }
    if (length && *ends[i] > *length) {
      return CallFail(std::string(i == 0 ? "start" : "end") +
                          " index must not be greater than the length of the list",
                      i + 1);
    }
  }
  bounds.known = args[1].IsKnown() && args[2].IsKnown();
  if (bounds.known && bounds.start > bounds.end) {
    return CallFail("start index must not be greater than end index", 1);
  }
  return bounds;
}

TypeResult SliceType(Arguments args) {
  Type type = args[0].type();
  if (type.is_set()) {
    return CallFail(
        "cannot slice a set, because its elements do not have indices; explicitly convert to a "
        "list if the ordering of the result is not important",
        0);
  }
  if (!type.is_list() && !type.is_tuple()) {
    return CallFail("must be a list or tuple value", 0);
  }
  KINU_TRY(const SliceBounds bounds, BoundsOf(args));
  if (type.is_list()) {
    return type;
  }
  if (!bounds.known) {
    return Type::Dynamic();
  }
  return Type::Tuple(type.elements().subspan(static_cast<size_t>(bounds.start),
                                             static_cast<size_t>(bounds.end - bounds.start)));
}

CallResult Slice(Arguments args, const Type& type, const CallContext&) {
  KINU_TRY(const SliceBounds bounds, BoundsOf(args));
  const Value plain = args[0].Unmark();
  const auto part = plain.elements().subspan(static_cast<size_t>(bounds.start),
                                             static_cast<size_t>(bounds.end - bounds.start));
  std::vector<Value> values(part.begin(), part.end());
  return (type.is_tuple() ? Value::Tuple(std::move(values))
                          : Value::List(type.element(), std::move(values)))
      .WithMarks(args[0].marks());
}

TypeResult ListOfFirst(Arguments args) {
  return Type::List(args[0].type());
}

constexpr Parameter kMarkedList = {.name = "list", .allow_marked = true};

constexpr FunctionSpec kRows[] = {
    {.name = "chunklist",
     .params = {Parameter{.name = "list", .type = &ListOfAny, .allow_marked = true},
                Parameter{.name = "size", .type = &Type::Number, .allow_marked = true}},
     .result_type = &ListOfFirst,
     .impl = &ChunkList,
     .refine = &NeverNull,
     .doc = "The list cut into lists of the given size; the last one may be shorter. A size of 0 "
            "gives one chunk.",
     .examples = {Example{R"(chunklist(["a", "b", "c"], 2))",
                          R"(tolist([tolist(["a", "b"]), tolist(["c"])]))"},
                  Example{"chunklist([1, 2], 1)", "tolist([tolist([1]), tolist([2])])"}},
     .ref = "go-cty stdlib/collection.go ChunklistFunc"},
    {.name = "coalescelist",
     .has_variadic = true,
     .variadic = {.name = "vals", .allow_null = true, .allow_unknown = true, .allow_dynamic = true},
     .result_type = &CoalesceListType,
     .impl = &CoalesceList,
     .refine = &NeverNull,
     .doc = "The first list that is neither null nor empty.",
     .examples = {Example{R"(coalescelist([], ["c", "d"]))", R"(["c", "d"])"},
                  Example{"coalescelist([1], [2])", "[1]"}},
     .ref = "go-cty stdlib/collection.go CoalesceListFunc"},
    {.name = "compact",
     .params = {Parameter{.name = "list", .type = &ListOfString}},
     .result_type = &Returns<&ListOfString>,
     .impl = &Compact,
     .refine = &NeverNull,
     .doc = "The list of strings without those that are null or empty.",
     .examples = {Example{R"(compact(["a", "", null, "c"]))", R"(tolist(["a", "c"]))"},
                  Example{R"(compact([""]))", "tolist([])"}},
     .ref = "go-cty stdlib/collection.go CompactFunc"},
    {.name = "concat",
     .has_variadic = true,
     .variadic = {.name = "seqs", .allow_marked = true},
     .result_type = &ConcatType,
     .impl = &Concat,
     .refine = &NeverNull,
     .doc = "The elements of all given lists in one list.",
     .examples = {Example{R"(concat(["a", ""], ["b", "c"]))", R"(["a", "", "b", "c"])"},
                  Example{"concat([1], [true])", "[1, true]"}},
     .ref = "go-cty stdlib/sequence.go ConcatFunc"},
    {.name = "distinct",
     .params = {Parameter{.name = "list", .type = &ListOfAny}},
     .result_type = &ReturnsFirst,
     .impl = &Distinct,
     .refine = &NeverNull,
     .doc = "The list without repetitions: of equal elements the first one stays.",
     .examples = {Example{R"(distinct(["a", "b", "a", "c", "b"]))", R"(tolist(["a", "b", "c"]))"},
                  Example{"distinct([1, 1.0])", "tolist([1])"}},
     .ref = "go-cty stdlib/collection.go DistinctFunc"},
    {.name = "flatten",
     .params = {kMarkedList},
     .result_type = &FlattenType,
     .impl = &Flatten,
     .refine = &NeverNull,
     .doc = "A tuple of all elements of a list, with lists inside it replaced by their elements at "
            "any depth.",
     .examples = {Example{R"(flatten([["a", "b"], [], ["c"]]))", R"(["a", "b", "c"])"},
                  Example{R"(flatten([[["a"], []], "b"]))", R"(["a", "b"])"}},
     .ref = "go-cty stdlib/collection.go FlattenFunc"},
    {.name = "matchkeys",
     .params = {Parameter{.name = "values", .type = &ListOfAny},
                Parameter{.name = "keys", .type = &ListOfAny},
                Parameter{.name = "searchset", .type = &ListOfAny}},
     .result_type = &MatchKeysType,
     .impl = &MatchKeys,
     .refine = &NeverNull,
     .doc = "Those values whose keys, which stand at the same places in another list, are in the "
            "searched set.",
     .examples = {Example{R"(matchkeys(["i-1", "i-2"], ["west", "east"], ["east"]))",
                          R"(tolist(["i-2"]))"},
                  Example{R"(matchkeys([1, 2], ["a", "b"], []))", "tolist([])"}},
     .ref = "opentofu internal/lang/funcs/collection.go MatchkeysFunc"},
    {.name = "range",
     .has_variadic = true,
     .variadic = {.name = "params", .type = &Type::Number},
     .result_type = &Returns<&ListOfNumber>,
     .impl = &Range,
     .refine = &NeverNull,
     .doc = "Numbers from a start (0 if not given) up to, but without, an end, by a step. At most "
            "1024.",
     .examples = {Example{"range(3)", "tolist([0, 1, 2])"},
                  Example{"range(1, 8, 2)", "tolist([1, 3, 5, 7])"},
                  Example{"range(4, 1)", "tolist([4, 3, 2])"}},
     .ref = "go-cty stdlib/sequence.go RangeFunc"},
    {.name = "reverse",
     .params = {kMarkedList},
     .result_type = &ReverseType,
     .impl = &Reverse,
     .refine = &NeverNull,
     .doc = "The elements of a list or tuple in reverse.",
     .examples = {Example{"reverse([1, 2, 3])", "[3, 2, 1]"},
                  Example{R"(reverse(toset(["a", "b"])))", R"(tolist(["b", "a"]))"}},
     .ref = "go-cty stdlib/collection.go ReverseListFunc"},
    {.name = "slice",
     .params = {kMarkedList, Parameter{.name = "start_index", .type = &Type::Number},
                Parameter{.name = "end_index", .type = &Type::Number}},
     .result_type = &SliceType,
     .impl = &Slice,
     .refine = &NeverNull,
     .doc = "The elements from a start index up to, but without, an end index.",
     .examples = {Example{R"(slice(["a", "b", "c", "d"], 1, 3))", R"(["b", "c"])"},
                  Example{"slice(tolist([1, 2]), 0, 0)", "tolist([])"}},
     .ref = "go-cty stdlib/collection.go SliceFunc"},
};

}  // namespace

std::span<const FunctionSpec> ListFunctions() {
  return kRows;
}

}  // namespace kinu::functions
