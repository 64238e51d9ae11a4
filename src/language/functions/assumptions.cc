// What may be assumed of values that are not known yet: assumeequal assumelistlength
// assumelistlengthmax assumelistlengthmin assumemaplength assumemaplengthmax assumemaplengthmin
// assumenotnull assumesetlength assumesetlengthmax assumesetlengthmin assumestringprefix.
#include <algorithm>
#include <limits>
#include <optional>

#include "cty/conversion.h"
#include "cty/path.h"
#include "functions/families.h"
#include "functions/support.h"
#include "text/unicode.h"

namespace kinu::functions {
namespace {

std::unexpected<CallError> NotUpheld() {
  return CallFail("the value is not what is assumed of it", 0);
}

/// Whether one of the texts begins with the other.
bool Overlap(std::string_view a, std::string_view b) {
  const size_t common = std::min(a.size(), b.size());
  return a.substr(0, common) == b.substr(0, common);
}

/// Whether a known value is as assumed. The reference asks for no more of a known string than that
/// it begins like the prefix.
bool Holds(const Value& value, const Refinements& assumed) {
  if (value.IsNull()) {
    return !assumed.not_null && !value.type().is_collection();
  }
  if (value.type() == Type::String()) {
    return Overlap(value.AsString(), assumed.prefix);
  }
  const Refinements known = value.refinements();
  return !value.type().is_collection() ||
         (known.max_length >= assumed.min_length && known.min_length <= assumed.max_length);
}

/// What is known of an unknown value, with what is assumed of it. Nothing if they contradict.
std::optional<Refinements> Merge(Refinements known, const Refinements& assumed) {
  if (!Overlap(known.prefix, assumed.prefix)) {
    return std::nullopt;
  }
  known.not_null = known.not_null || assumed.not_null;
  if (assumed.prefix.size() > known.prefix.size()) {
    known.prefix = assumed.prefix;
  }
  known.min_length = std::max(known.min_length, assumed.min_length);
  known.max_length = std::min(known.max_length, assumed.max_length);
  return known.Contradictory() ? std::nullopt : std::optional(std::move(known));
}

CallResult Assume(const Value& value, const Refinements& assumed) {
  if (value.type().is_dynamic() && !value.IsNull()) {
    return value;
  }
  if (value.IsKnown()) {
    return Holds(value, assumed) ? CallResult(value) : NotUpheld();
  }
  std::optional<Refinements> merged = Merge(value.refinements(), assumed);
  return merged ? CallResult(Value::Unknown(value.type(), *std::move(merged))) : NotUpheld();
}

CallResult AssumeNotNull(Arguments args, const Type&, const CallContext&) {
  if (args[0].type().is_dynamic()) {
    return CallFail("the type of the value must be known; \"convert\" gives it one", 0);
  }
  Refinements assumed;
  assumed.not_null = true;
  return Assume(args[0], assumed);
}

CallResult AssumeStringPrefix(Arguments args, const Type&, const CallContext&) {
  Refinements assumed;
  assumed.prefix = text::SafePrefix(args[1].AsString());
  return Assume(args[0], assumed);
}

/// A bound of a length. `blamed` is the argument that a message points at.
std::expected<int64_t, CallError> ToLength(const Value& number, int blamed) {
  const std::optional<int64_t> length = number.AsInt64();
  if (!length || *length == std::numeric_limits<int64_t>::max()) {
    return CallFail("must be a whole number between 0 and 9223372036854775807", blamed);
  }
  return *length;
}

CallResult AssumeLength(Arguments args, const Type&, const CallContext&) {
  Refinements assumed;
  KINU_TRY(assumed.min_length, ToLength(args[1], 1));
  KINU_TRY(assumed.max_length, ToLength(args[2], 2));
  return Assume(args[0], assumed);
}

// The reference blames the collection for a wrong number of these two.
CallResult AssumeLengthMin(Arguments args, const Type&, const CallContext&) {
  Refinements assumed;
  KINU_TRY(assumed.min_length, ToLength(args[1], 0));
  return Assume(args[0], assumed);
}

CallResult AssumeLengthMax(Arguments args, const Type&, const CallContext&) {
  Refinements assumed;
  KINU_TRY(assumed.max_length, ToLength(args[1], 0));
  return Assume(args[0], assumed);
}

TypeResult ReturnsSecond(Arguments args) {
  return args[1].type();
}

/// The marks of a value that say where it comes from: equal values differ in them.
std::vector<PathMarks> MarksOfOrigin(const Value& value) {
  std::vector<PathMarks> paths;
  (void)value.UnmarkDeepWithPaths(&paths);
  for (PathMarks& path : paths) {
    path.marks = path.marks.Without(MarkSet::Sensitive()).Without(MarkSet::Ephemeral());
  }
  std::erase_if(paths, [](const PathMarks& path) { return path.marks.empty(); });
  return paths;
}

CallResult AssumeEqual(Arguments args, const Type& type, const CallContext&) {
  const auto actual = Convert(args[0], type);
  if (!actual) {
    return CallFail("the type " + args[0].type().FriendlyName() +
                        " of the value does not match the assumed type " + type.FriendlyName(),
                    0);
  }
  const Value equal = Equals(*actual, args[1]).Unmark();
  if (equal.IsKnown() && !equal.AsBool()) {
    return CallFail("the value does not equal the assumed value", 0);
  }
  return args[1].MarkWithPaths(MarksOfOrigin(*actual));
}

constexpr std::string_view kRef = "opentofu internal/lang/funcs/assume.go";

constexpr Parameter Assumed(ParameterType type) {
  return {.name = "value",
          .type = type,
          .allow_null = true,
          .allow_unknown = true,
          .allow_dynamic = true};
}
constexpr Parameter Compared(std::string_view name) {
  return {.name = name,
          .allow_null = true,
          .allow_unknown = true,
          .allow_dynamic = true,
          .allow_marked = true};
}
constexpr Parameter kMinLength = {.name = "min_length", .type = &Type::Number};
constexpr Parameter kMaxLength = {.name = "max_length", .type = &Type::Number};

Type MapOfAny() {
  return Type::Map(Type::Dynamic());
}

/// A row of one of the functions that assume the length of a collection of a kind.
template <Type (*Kind)()>
constexpr FunctionSpec LengthRow(std::string_view name, List<Parameter, 4> params,
                                 decltype(FunctionSpec::impl) impl, std::string_view doc,
                                 List<Example, 6> examples) {
  return {.name = name,
          .params = params,
          .result_type = &Returns<Kind>,
          .impl = impl,
          .doc = doc,
          .examples = examples,
          .ref = kRef,
          .since = compatibility::Level::kSeries13};
}

constexpr FunctionSpec kRows[] = {
    {.name = "assumeequal",
     .params = {Compared("actual_value"), Compared("expected_value")},
     .result_type = &ReturnsSecond,
     .impl = &AssumeEqual,
     .doc = "The second value, which the first one must equal as soon as it is known. Marks of the "
            "first that make it sensitive or ephemeral do not count.",
     .examples = {Example{R"(assumeequal("a", "a"))", R"("a")"},
                  Example{R"(can(assumeequal("a", "b")))", "false"}},
     .ref = kRef,
     .since = compatibility::Level::kSeries13},
    LengthRow<&ListOfAny>("assumelistlength", {Assumed(&ListOfAny), kMinLength, kMaxLength},
                          &AssumeLength,
                          "The list, which must have at least and at most so many elements as soon "
                          "as it is known.",
                          {Example{R"(assumelistlength(["a"], 1, 2))", R"(tolist(["a"]))"},
                           Example{R"(can(assumelistlength(["a"], 2, 3)))", "false"}}),
    LengthRow<&ListOfAny>("assumelistlengthmax", {Assumed(&ListOfAny), kMaxLength},
                          &AssumeLengthMax,
                          "The list, which must have at most so many elements as soon as it is "
                          "known.",
                          {Example{R"(assumelistlengthmax(["a"], 1))", R"(tolist(["a"]))"},
                           Example{R"(can(assumelistlengthmax(["a"], 0)))", "false"}}),
    LengthRow<&ListOfAny>("assumelistlengthmin", {Assumed(&ListOfAny), kMinLength},
                          &AssumeLengthMin,
                          "The list, which must have at least so many elements as soon as it is "
                          "known.",
                          {Example{R"(assumelistlengthmin(["a"], 1))", R"(tolist(["a"]))"},
                           Example{R"(can(assumelistlengthmin(["a"], 2)))", "false"}}),
    LengthRow<&MapOfAny>("assumemaplength", {Assumed(&MapOfAny), kMinLength, kMaxLength},
                         &AssumeLength,
                         "The map, which must have at least and at most so many elements as soon "
                         "as it is known.",
                         {Example{R"(assumemaplength({a = 1}, 1, 2))", "tomap({a = 1})"},
                          Example{R"(can(assumemaplength({a = 1}, 2, 3)))", "false"}}),
    LengthRow<&MapOfAny>("assumemaplengthmax", {Assumed(&MapOfAny), kMaxLength}, &AssumeLengthMax,
                         "The map, which must have at most so many elements as soon as it is "
                         "known.",
                         {Example{R"(assumemaplengthmax({a = 1}, 1))", "tomap({a = 1})"},
                          Example{R"(can(assumemaplengthmax({a = 1}, 0)))", "false"}}),
    LengthRow<&MapOfAny>("assumemaplengthmin", {Assumed(&MapOfAny), kMinLength}, &AssumeLengthMin,
                         "The map, which must have at least so many elements as soon as it is "
                         "known.",
                         {Example{R"(assumemaplengthmin({a = 1}, 1))", "tomap({a = 1})"},
                          Example{R"(can(assumemaplengthmin({a = 1}, 2)))", "false"}}),
    {.name = "assumenotnull",
     .params = {Assumed(&Type::Dynamic)},
     .result_type = &Returns<&Type::Dynamic>,
     .impl = &AssumeNotNull,
     .doc = "The value, which must not be null when it is known. Its type must be known already.",
     .examples = {Example{R"(assumenotnull("a"))", R"("a")"},
                  Example{R"(can(assumenotnull(tostring(null))))", "false"}},
     .ref = kRef,
     .since = compatibility::Level::kSeries13},
    LengthRow<&SetOfAny>("assumesetlength", {Assumed(&SetOfAny), kMinLength, kMaxLength},
                         &AssumeLength,
                         "The set, which must have at least and at most so many elements as soon "
                         "as it is known.",
                         {Example{R"(assumesetlength(["a", "a"], 1, 1))", R"(toset(["a"]))"},
                          Example{R"(can(assumesetlength(["a", "a"], 2, 2)))", "false"}}),
    LengthRow<&SetOfAny>("assumesetlengthmax", {Assumed(&SetOfAny), kMaxLength}, &AssumeLengthMax,
                         "The set, which must have at most so many elements as soon as it is "
                         "known.",
                         {Example{R"(assumesetlengthmax(["a"], 1))", R"(toset(["a"]))"},
                          Example{R"(can(assumesetlengthmax(["a"], 0)))", "false"}}),
    LengthRow<&SetOfAny>("assumesetlengthmin", {Assumed(&SetOfAny), kMinLength}, &AssumeLengthMin,
                         "The set, which must have at least so many elements as soon as it is "
                         "known.",
                         {Example{R"(assumesetlengthmin(["a"], 1))", R"(toset(["a"]))"},
                          Example{R"(can(assumesetlengthmin(["a"], 2)))", "false"}}),
    {.name = "assumestringprefix",
     .params = {Assumed(&Type::String), TextParameter("prefix")},
     .result_type = &Returns<&Type::String>,
     .impl = &AssumeStringPrefix,
     .doc = "The string, which must begin with the prefix as soon as it is known.",
     .examples = {Example{R"(assumestringprefix("ami-123", "ami-"))", R"("ami-123")"},
                  Example{R"(can(assumestringprefix("i-123", "ami-")))", "false"}},
     .ref = kRef,
     .since = compatibility::Level::kSeries13},
};

}  // namespace

std::span<const FunctionSpec> AssumptionFunctions() {
  return kRows;
}

}  // namespace kinu::functions
