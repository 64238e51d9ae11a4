// Maps and objects: keys list lookup map merge transpose values zipmap.
#include <algorithm>
#include <map>

#include "cty/conversion.h"
#include "functions/families.h"
#include "functions/support.h"
#include "text/quote.h"

namespace kinu::functions {
namespace {

using Entries = std::vector<std::pair<std::string, Value>>;

TypeResult KeysType(Arguments args) {
  const Type type = args[0].type();
  if (type.is_map()) {
    return ListOfString();
  }
  if (!type.is_object()) {
    return CallFail("must have map or object type", 0);
  }
  const std::vector<Type> strings(type.attributes().size(), Type::String());
  return Type::Tuple(strings);
}

CallResult Keys(Arguments args, const Type& type, const CallContext&) {
  const MarkSet marks = args[0].marks();
  const Value plain = args[0].Unmark();
  std::vector<Value> keys;
  if (type.is_tuple()) {
    for (const ObjectAttribute& attribute : plain.type().attributes()) {
      keys.push_back(Value::NormalizedString(attribute.name));
    }
    return Value::Tuple(std::move(keys)).WithMarks(marks);
  }
  if (!plain.IsKnown()) {
    return Value::Unknown(type).WithMarks(marks);
  }
  for (size_t i = 0; i < plain.size(); ++i) {
    keys.push_back(Value::NormalizedString(plain.key(i)));
  }
  return Value::List(Type::String(), std::move(keys)).WithMarks(marks);
}

TypeResult LookupType(Arguments args) {
  if (args.size() > 3) {
    return CallFail("lookup() takes two or three arguments, got " + std::to_string(args.size()));
  }
  const Type type = args[0].type();
  if (type.is_map()) {
    if (args.size() == 3 && !Convert(args[2], type.element())) {
      return CallFail("the default value must have the same type as the map elements", 2);
    }
    return type.element();
  }
  if (!type.is_object()) {
    return CallFail("lookup() requires a map as the first argument", 0);
  }
  if (!args[1].IsKnown()) {
    return Type::Dynamic();
  }
  const std::string_view key = args[1].AsString();
  const int attribute = type.FindAttribute(key);
  if (attribute >= 0) {
    const Value plain = args[0].Unmark();
    const Value* found = plain.IsKnown() && !plain.IsNull() ? plain.Find(key) : nullptr;
    return found != nullptr ? found->type()
                            : type.attributes()[static_cast<size_t>(attribute)].type;
  }
  if (args.size() == 3) {
    return args[2].type();
  }
  return CallFail("the given object has no attribute " + ShowText(key, args[1].marks()), 0);
}

CallResult Lookup(Arguments args, const Type& type, const CallContext&) {
  const MarkSet marks = args[0].marks().Union(args[1].marks());
  const Value plain = args[0].Unmark();
  const std::string_view key = args[1].AsString();
  if (const Value* found = plain.Find(key)) {
    return found->WithMarks(marks);
  }
  if (args.size() < 3) {
    return CallFail("lookup failed to find key " + ShowText(key, args[1].marks()));
  }
  const auto fallback = Convert(args[2], type);
  if (!fallback) {
    return CallFail(fallback.error().message);
  }
  return fallback->WithMarks(marks);
}

/// The type of an argument of merge: a null object counts as one without attributes.
Type MergedType(const Value& arg) {
  return arg.type().is_object() && arg.IsNull() ? Type::EmptyObject() : arg.type();
}

TypeResult MergeType(Arguments args) {
  if (args.empty()) {
    return Type::EmptyObject();
  }
  FlatMap<std::string, Type> attributes;
  bool attributes_known = true;
  for (const Value& arg : args) {
    const Type type = arg.type();
    if (type.is_dynamic()) {
      return Type::Dynamic();
    }
    if (!type.is_map() && !type.is_object()) {
      return CallFail("arguments must be maps or objects, got " +
                      text::GoQuote(type.FriendlyName()));
    }
    if (arg.IsNull()) {
      continue;
    }
    if (type.is_object()) {
      for (const ObjectAttribute& attribute : type.attributes()) {
        attributes.insert_or_assign(std::string(attribute.name), attribute.type);
      }
    } else if (arg.IsKnown()) {
      const Value plain = arg.Unmark();
      for (size_t i = 0; i < plain.size(); ++i) {
        attributes.insert_or_assign(std::string(plain.key(i)), type.element());
      }
    } else {
      attributes_known = false;
    }
  }
  Type first = MergedType(args[0]);
  if (std::all_of(args.begin(), args.end(),
                  [&](const Value& arg) { return MergedType(arg) == first; })) {
    return first;
  }
  if (!attributes_known) {
    return Type::Dynamic();
  }
  std::vector<Type::Attribute> list;
  list.reserve(attributes.size());
  for (const auto& [name, type] : attributes) {
    list.push_back({name, type, false});
  }
  return Type::Object(list);
}

CallResult Merge(Arguments args, const Type& type, const CallContext&) {
  MarkSet marks;
  Entries entries;
  for (const Value& arg : args) {
    if (arg.IsNull()) {
      continue;
    }
    marks = marks.Union(arg.marks());
    // MergeType() stops at an argument of unknown type and does not check those after it.
    if (IsSequence(arg.type()) && arg.Unmark().size() == 0) {
      continue;
    }
    if (!arg.type().is_map() && !arg.type().is_object()) {
      return CallFail("arguments must be maps or objects, got " +
                      text::GoQuote(arg.type().FriendlyName()));
    }
    const Value plain = arg.Unmark();
    for (size_t i = 0; i < plain.size(); ++i) {
      entries.emplace_back(std::string(plain.key(i)), plain.elements()[i]);
    }
  }
  return (type.is_map() ? Value::Map(type.element(), std::move(entries))
                        : Value::Object(std::move(entries)))
      .WithMarks(marks);
}

CallResult Transpose(Arguments args, const Type& type, const CallContext&) {
  if (!args[0].IsWhollyKnown()) {
    return Value::Unknown(type);
  }
  std::map<std::string, std::vector<Value>, std::less<>> lists;
  for (size_t i = 0; i < args[0].size(); ++i) {
    const Value& list = args[0].elements()[i];
    const std::string where = "[" + text::GoQuote(args[0].key(i)) + "]";
    if (list.IsNull()) {
      return CallFail("cannot use null list for " + where, 0);
    }
    for (const Value& element : list.elements()) {
      if (element.IsNull()) {
        return CallFail("cannot use null string for " + where, 0);
      }
      lists[std::string(element.AsString())].push_back(Value::NormalizedString(args[0].key(i)));
    }
  }
  Entries entries;
  for (auto& [key, values] : lists) {
    entries.emplace_back(key, Value::List(Type::String(), std::move(values)));
  }
  return Value::Map(ListOfString(), std::move(entries));
}

TypeResult ValuesType(Arguments args) {
  const Type type = args[0].type();
  if (type.is_map()) {
    return Type::List(type.element());
  }
  if (!type.is_object()) {
    return CallFail("values() requires a map as the first argument");
  }
  std::vector<Type> types;
  for (const ObjectAttribute& attribute : type.attributes()) {
    types.push_back(attribute.type);
  }
  return Type::Tuple(types);
}

CallResult Values(Arguments args, const Type& type, const CallContext&) {
  const Value plain = args[0].Unmark();
  std::vector<Value> values = CopyElements(plain);
  return (type.is_tuple() ? Value::Tuple(std::move(values))
                          : Value::List(type.element(), std::move(values)))
      .WithMarks(args[0].marks());
}

std::unexpected<CallError> CountsDiffer(size_t keys, size_t values) {
  return CallFail("number of keys (" + std::to_string(keys) +
                  ") does not match number of values (" + std::to_string(values) + ")");
}

TypeResult ZipmapType(Arguments args) {
  const Type values = args[1].type();
  if (values.is_list()) {
    return Type::Map(values.element());
  }
  if (!values.is_tuple()) {
    return CallFail("values argument must be a list or tuple value");
  }
  if (!args[0].IsWhollyKnown()) {
    return Type::Dynamic();
  }
  const std::span<const Value> keys = args[0].elements();
  if (keys.size() != values.elements().size()) {
    return CountsDiffer(keys.size(), values.elements().size());
  }
  std::vector<Type::Attribute> attributes;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].IsNull()) {
      return CallFail("keys list has null value at index " + std::to_string(i));
    }
    attributes.push_back({keys[i].AsString(), values.elements()[i], false});
  }
  return Type::Object(attributes);
}

CallResult Zipmap(Arguments args, const Type& type, const CallContext&) {
  MarkSet marks = args[0].marks().Union(args[1].marks());
  const Value keys = args[0].Unmark();
  const Value values = args[1].Unmark();
  if (!keys.IsWhollyKnown()) {
    return Value::Unknown(type).WithMarks(marks);
  }
  if (keys.size() != values.size()) {
    return CountsDiffer(keys.size(), values.size());
  }
  Entries entries;
  for (size_t i = 0; i < keys.size(); ++i) {
    const Value& key = keys.elements()[i];
    if (key.IsNull()) {
      return CallFail("keys list has null value at index " + std::to_string(i));
    }
    marks = marks.Union(key.marks());
    entries.emplace_back(std::string(key.AsString()), values.elements()[i]);
  }
  return (type.is_map() ? Value::Map(type.element(), std::move(entries))
                        : Value::Object(std::move(entries)))
      .WithMarks(marks);
}

TypeResult ListWasRemoved(Arguments) {
  return CallFail(
      "the \"list\" function was deprecated in Terraform v0.12 and is not available in OpenTofu; "
      "use tolist([ ... ]) syntax to write a literal list");
}
TypeResult MapWasRemoved(Arguments) {
  return CallFail(
      "the \"map\" function was deprecated in Terraform v0.12 and is not available in OpenTofu; "
      "use tomap({ ... }) syntax to write a literal map");
}
CallResult NotCallable(Arguments, const Type&, const CallContext&) {
  return CallFail("the function does not exist any more");
}

constexpr Parameter kMapOrObject = {
    .name = "vals", .allow_null = true, .allow_unknown = true, .allow_dynamic = true};

constexpr FunctionSpec kRows[] = {
    {.name = "keys",
     .params = {Parameter{.name = "inputMap", .allow_unknown = true, .allow_marked = true}},
     .result_type = &KeysType,
     .impl = &Keys,
     .refine = &NeverNull,
     .doc = "The keys of a map, or the attribute names of an object, in the order of their bytes.",
     .examples = {Example{"keys({b = 1, a = 2})", R"(["a", "b"])"},
                  Example{"keys(tomap({x = true}))", R"(tolist(["x"]))"}},
     .ref = "go-cty stdlib/collection.go KeysFunc"},
    {.name = "list",
     .has_variadic = true,
     .variadic = kMapOrObject,
     .result_type = &ListWasRemoved,
     .impl = &NotCallable,
     .doc = "Does not exist any more and always fails: write tolist([ … ]) instead.",
     .examples = {Example{"can(list(1))", "false"}, Example{"tolist([1])", "tolist([1])"}},
     .ref = "opentofu internal/lang/funcs/collection.go ListFunc"},
    {.name = "lookup",
     .params = {Parameter{.name = "inputMap", .allow_marked = true},
                Parameter{.name = "key", .type = &Type::String, .allow_marked = true}},
     .has_variadic = true,
     .variadic = {.name = "default",
                  .allow_null = true,
                  .allow_unknown = true,
                  .allow_dynamic = true,
                  .allow_marked = true},
     .result_type = &LookupType,
     .impl = &Lookup,
     .doc = "The element of a map, or attribute of an object, with the given key; if there is "
            "none, the default.",
     .examples = {Example{R"(lookup({a = "ay", b = "bee"}, "a", "what?"))", R"("ay")"},
                  Example{R"(lookup({a = "ay", b = "bee"}, "c", "what?"))", R"("what?")"}},
     .ref = "opentofu internal/lang/funcs/collection.go LookupFunc"},
    {.name = "map",
     .has_variadic = true,
     .variadic = kMapOrObject,
     .result_type = &MapWasRemoved,
     .impl = &NotCallable,
     .doc = "Does not exist any more and always fails: write tomap({ … }) instead.",
     .examples = {Example{R"(can(map("a", 1)))", "false"},
                  Example{"tomap({a = 1})", "tomap({a = 1})"}},
     .ref = "opentofu internal/lang/funcs/collection.go MapFunc"},
    {.name = "merge",
     .has_variadic = true,
     .variadic = {.name = "maps", .allow_null = true, .allow_dynamic = true, .allow_marked = true},
     .result_type = &MergeType,
     .impl = &Merge,
     .refine = &NeverNull,
     .doc = "One map or object with the elements of all given ones. Where a key repeats, the last "
            "argument that has it wins. Nulls are skipped.",
     .examples = {Example{R"(merge({a = "b", c = "d"}, {e = "f", c = "z"}))",
                          R"({a = "b", c = "z", e = "f"})"},
                  Example{"merge({a = 1}, null)", "{a = 1}"},
                  Example{"merge(true ? null : {a = 1})", "{}"}},
     .ref = "go-cty stdlib/collection.go MergeFunc"},
    {.name = "transpose",
     .params = {Parameter{.name = "values", .type = &MapOfListsOfString}},
     .result_type = &Returns<&MapOfListsOfString>,
     .impl = &Transpose,
     .refine = &NeverNull,
     .doc = "A map of lists of strings turned round: the strings become keys, the keys strings.",
     .examples = {Example{R"(transpose({a = ["1", "2"], b = ["2"]}))",
                          R"(tomap({"1" = tolist(["a"]), "2" = tolist(["a", "b"])}))"},
                  Example{"transpose({})", "tomap({})"}},
     .ref = "opentofu internal/lang/funcs/collection.go TransposeFunc"},
    {.name = "values",
     .params = {Parameter{.name = "mapping", .allow_marked = true}},
     .result_type = &ValuesType,
     .impl = &Values,
     .refine = &NeverNull,
     .doc = "The values of a map or object, in the order of their keys.",
     .examples = {Example{"values({a = 3, c = 2, b = 1})", "[3, 1, 2]"},
                  Example{"values(tomap({a = 1}))", "tolist([1])"}},
     .ref = "go-cty stdlib/collection.go ValuesFunc"},
    {.name = "zipmap",
     .params = {Parameter{.name = "keys", .type = &ListOfString, .allow_marked = true},
                Parameter{.name = "values", .allow_marked = true}},
     .result_type = &ZipmapType,
     .impl = &Zipmap,
     .refine = &NeverNull,
     .doc = "A map or object from a list of keys and a list of as many values.",
     .examples = {Example{R"(zipmap(["a", "b"], [1, "x"]))", R"({a = 1, b = "x"})"},
                  Example{R"(zipmap(["a"], tolist([1])))", "tomap({a = 1})"}},
     .ref = "go-cty stdlib/collection.go ZipmapFunc"},
};

}  // namespace

std::span<const FunctionSpec> MapFunctions() {
  return kRows;
}

}  // namespace kinu::functions
