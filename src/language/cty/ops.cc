#include "cty/ops.h"

#include <algorithm>
#include <array>

#include "base/flat_map.h"
#include "base/invariant.h"
#include "cty/normalize.h"
#include "cty/value_node.h"

namespace kinu {
namespace {

using Access = ValueAccess;

Value UnknownNotNull(const Type& type, Refinements refinements = {}) {
  refinements.not_null = true;
  return Value::Unknown(type, std::move(refinements));
}

Value UnknownBool() {
  return UnknownNotNull(Type::Bool());
}

bool IsMarkedEither(const Value& a, const Value& b) {
  return a.IsMarked() || b.IsMarked();
}

// Applies `operation` to the unmarked operands and puts the marks of both on the result.
template <typename F>
auto WithoutMarks(const Value& a, const Value& b, F&& operation) {
  MarkSet marks = a.marks().Union(b.marks());
  auto result = operation(a.Unmark(), b.Unmark());
  if constexpr (std::is_same_v<decltype(result), Value>) {
    return result.WithMarks(marks);
  } else {
    if (result) {
      result = result->WithMarks(marks);
    }
    return result;
  }
}

bool IsTrue(const Value& value) {
  return value.IsKnown() && value.AsBool();
}
bool IsFalse(const Value& value) {
  return value.IsKnown() && !value.AsBool();
}

bool DefinitelyNotNull(const Value& value) {
  return value.IsKnown() ? !value.IsNull() : value.refinements().not_null;
}

// --- Ranges of numbers. ---

// Bounds of a number operand. A dynamic unknown has no bounds at all, not even infinite ones.
struct NumberRange {
  bool bounded = false;
  Number min = Number::Infinity(true);
  Number max = Number::Infinity(false);
};

NumberRange RangeOf(const Value& value) {
  NumberRange range;
  if (Access::TypeOf(value) != &kNumberTypeNode) {
    return range;
  }
  range.bounded = true;
  Refinements known = value.refinements();
  if (known.min) {
    range.min = *known.min;
  }
  if (known.max) {
    range.max = *known.max;
  }
  return range;
}

using NumberOperation = Number (*)(const Number&, const Number&);
using NumberTest = bool (*)(const Number&, const Number&);

// The bounds of an operation's unknown result: the extremes of the operation on the bounds, unless
// one of those has no answer.
Value UnknownResult(NumberOperation operation, NumberTest has_answer, const Value& a,
                    const Value& b) {
  NumberRange x = RangeOf(a);
  NumberRange y = RangeOf(b);
  Refinements refinements;
  if (x.bounded && y.bounded) {
    std::array<std::pair<const Number*, const Number*>, 4> pairs{
        {{&x.min, &y.min}, {&x.min, &y.max}, {&x.max, &y.min}, {&x.max, &y.max}}};
    bool all = std::all_of(pairs.begin(), pairs.end(),
                           [&](const auto& pair) { return has_answer(*pair.first, *pair.second); });
    if (all) {
      for (const auto& [left, right] : pairs) {
        Number number = operation(*left, *right);
        if (!refinements.min || Number::Compare(number, *refinements.min) < 0) {
          refinements.min = number;
        }
        if (!refinements.max || Number::Compare(number, *refinements.max) > 0) {
          refinements.max = number;
        }
      }
    }
  }
  return UnknownNotNull(Type::Number(), std::move(refinements));
}

bool BothKnown(const Value& a, const Value& b) {
  return a.IsKnown() && b.IsKnown();
}

Value Arithmetic(NumberOperation operation, NumberTest has_answer, const Value& a, const Value& b) {
  if (IsMarkedEither(a, b)) {
    return WithoutMarks(a, b, [&](const Value& x, const Value& y) {
      return Arithmetic(operation, has_answer, x, y);
    });
  }
  if (!BothKnown(a, b)) {
    return UnknownResult(operation, has_answer, a, b);
  }
  return Value::Of(operation(a.AsNumber(), b.AsNumber()));
}

// --- Equality. ---

// Whether an unknown value with `range`, of type `type`, can turn out to be the known `value`.
bool CouldBe(const Type& type, const Refinements& range, const Value& value) {
  if (value.IsNull()) {
    return !range.not_null;
  }
  if (!value.type().ConformsTo(type)) {
    return false;
  }
  if (type == Type::String()) {
    return value.AsString().starts_with(range.prefix);
  }
  if (type == Type::Number()) {
    Number number = value.AsNumber();
    if (range.min) {
      int order = Number::Compare(number, *range.min);
      if (order < 0 || (order == 0 && !range.min_inclusive)) {
        return false;
      }
    }
    if (range.max) {
      int order = Number::Compare(number, *range.max);
      if (order > 0 || (order == 0 && !range.max_inclusive)) {
        return false;
      }
    }
    return true;
  }
  if (type.is_collection()) {
    Refinements length = value.refinements();
    return length.max_length >= range.min_length && length.min_length <= range.max_length;
  }
  return true;
}

enum class Answer { kFalse, kTrue, kUnknown };

Answer Compare(const Value& a, const Value& b);

/// Whether two maps have the same keys.
bool SameKeys(const Value& a, const Value& b) {
  if (a.size() != b.size()) {
    return false;
  }
  for (size_t i = 0; i < a.size(); ++i) {
    if (a.key(i) != b.key(i)) {
      return false;
    }
  }
  return true;
}

Answer CompareElements(std::span<const Value> a, std::span<const Value> b) {
  for (size_t i = 0; i < a.size(); ++i) {
    Answer answer = Compare(a[i], b[i]);
    if (answer != Answer::kTrue) {
      return answer;
    }
  }
  return Answer::kTrue;
}

bool HasEqualMember(const FlatMap<uint64_t, std::vector<const Value*>>& members,
                    const Value& wanted) {
  auto found = members.find(wanted.Hash());
  return found != members.end() &&
         std::any_of(found->second.begin(), found->second.end(), [&](const Value* member) {
           return wanted.IsWhollyKnown() && Value::RawEquals(*member, wanted);
         });
}

Answer CompareSets(const Value& a, const Value& b) {
  auto left = a.elements();
  auto right = b.elements();
  auto unknown = [](const Value& value) { return !value.IsKnown(); };
  if (std::any_of(left.begin(), left.end(), unknown) ||
      std::any_of(right.begin(), right.end(), unknown)) {
    return Answer::kUnknown;
  }
  if (a.IsWhollyKnown() && b.IsWhollyKnown() && Value::RawEquals(a, b)) {
    return Answer::kTrue;
  }
  if (left.size() != right.size() || !a.IsWhollyKnown() || !b.IsWhollyKnown()) {
    return Answer::kFalse;
  }
  // Equal members may be in another order where the sets' order does not distinguish them.
  FlatMap<uint64_t, std::vector<const Value*>> members;
  for (const Value& value : right) {
    members[value.Hash()].push_back(&value);
  }
  return std::all_of(left.begin(), left.end(),
                     [&](const Value& value) { return HasEqualMember(members, value); })
             ? Answer::kTrue
             : Answer::kFalse;
}

// Equality of unmarked values.
Answer Compare(const Value& a, const Value& b) {
  if ((a.IsNull() && DefinitelyNotNull(b)) || (b.IsNull() && DefinitelyNotNull(a))) {
    return Answer::kFalse;
  }
  if (!a.IsKnown() || !b.IsKnown()) {
    if (!a.IsKnown() && !b.IsKnown()) {
      return Answer::kUnknown;
    }
    const Value& known = a.IsKnown() ? a : b;
    const Value& unknown = a.IsKnown() ? b : a;
    if (!CouldBe(unknown.type(), unknown.refinements(), known)) {
      return Answer::kFalse;
    }
    if (known.IsNull() || Access::TypeOf(unknown)->has_dynamic) {
      return Answer::kUnknown;
    }
    return Access::TypeOf(known) == Access::TypeOf(unknown) ? Answer::kUnknown : Answer::kFalse;
  }
  if (a.IsNull() || b.IsNull()) {
    return a.IsNull() && b.IsNull() ? Answer::kTrue : Answer::kFalse;
  }
  if (!a.HasWhollyKnownType() || !b.HasWhollyKnownType()) {
    Type type_a = a.type();
    Type type_b = b.type();
    return type_a.ConformsTo(type_b) || type_b.ConformsTo(type_a) ? Answer::kUnknown
                                                                  : Answer::kFalse;
  }
  if (Access::TypeOf(a) != Access::TypeOf(b)) {
    return Answer::kFalse;
  }
  if (a.IsWhollyKnown() && b.IsWhollyKnown() && Access::Tag(a) != ValueTag::kSet) {
    if (!Access::IsContainer(a)) {
      return Value::RawEquals(a, b) ? Answer::kTrue : Answer::kFalse;
    }
    if (a.SameRepresentation(b)) {
      return Answer::kTrue;
    }
  }
  switch (Access::Tag(a)) {
    case ValueTag::kObject:
    case ValueTag::kTuple:
      return CompareElements(a.elements(), b.elements());
    case ValueTag::kList:
      return a.size() == b.size() ? CompareElements(a.elements(), b.elements()) : Answer::kFalse;
    case ValueTag::kSet:
      return CompareSets(a, b);
    case ValueTag::kMap:
      return SameKeys(a, b) ? CompareElements(a.elements(), b.elements()) : Answer::kFalse;
    default:
      return Answer::kFalse;
  }
}

Value ToValue(Answer answer) {
  return answer == Answer::kUnknown ? UnknownBool() : Value::Bool(answer == Answer::kTrue);
}

}  // namespace

Value Equals(const Value& a, const Value& b) {
  if (!a.ContainsMarked() && !b.ContainsMarked()) {
    return ToValue(Compare(a, b));
  }
  MarkSet marks_a;
  MarkSet marks_b;
  Value x = a.UnmarkDeep(&marks_a);
  Value y = b.UnmarkDeep(&marks_b);
  if (a.IsNull() != b.IsNull()) {
    // The result depends on nothing inside, so marks inside do not apply.
    marks_a = a.marks();
    marks_b = b.marks();
  }
  return ToValue(Compare(x, y)).WithMarks(marks_a.Union(marks_b));
}

Value NotEquals(const Value& a, const Value& b) {
  return LogicalNot(Equals(a, b));
}

Value LogicalNot(const Value& a) {
  if (!a.IsKnown()) {
    return UnknownBool().WithMarks(a.marks());
  }
  return Value::Bool(!a.AsBool()).WithMarks(a.marks());
}

Value LogicalAnd(const Value& a, const Value& b) {
  if (IsMarkedEither(a, b)) {
    return WithoutMarks(a, b, LogicalAnd);
  }
  if (BothKnown(a, b)) {
    return Value::Bool(a.AsBool() && b.AsBool());
  }
  return IsFalse(a) || IsFalse(b) ? Value::False() : UnknownBool();
}

Value LogicalOr(const Value& a, const Value& b) {
  if (IsMarkedEither(a, b)) {
    return WithoutMarks(a, b, LogicalOr);
  }
  if (BothKnown(a, b)) {
    return Value::Bool(a.AsBool() || b.AsBool());
  }
  return IsTrue(a) || IsTrue(b) ? Value::True() : UnknownBool();
}

Value Negate(const Value& a) {
  Value result =
      a.IsKnown() ? Value::Of(Number::Negate(a.AsNumber())) : UnknownNotNull(Type::Number());
  return result.WithMarks(a.marks());
}

Value Absolute(const Value& a) {
  Refinements at_least_zero;
  at_least_zero.min = Number::FromInt(0, kFloatPrecision);
  Value result = a.IsKnown() ? Value::Of(Number::Absolute(a.AsNumber()))
                             : UnknownNotNull(Type::Number(), at_least_zero);
  return result.WithMarks(a.marks());
}

Value Add(const Value& a, const Value& b) {
  return Arithmetic(Number::Add, Number::HasSum, a, b);
}
Value Subtract(const Value& a, const Value& b) {
  return Arithmetic(Number::Subtract, Number::HasDifference, a, b);
}
Value Multiply(const Value& a, const Value& b) {
  return Arithmetic(Number::Multiply, Number::HasProduct, a, b);
}

ValueResult<Value> Divide(const Value& a, const Value& b) {
  if (IsMarkedEither(a, b)) {
    return WithoutMarks(a, b, Divide);
  }
  if (!BothKnown(a, b)) {
    return UnknownNotNull(Type::Number());
  }
  Number x = a.AsNumber();
  Number y = b.AsNumber();
  if (!Number::HasQuotient(x, y)) {
    return ValueFail("division of zero by zero or infinity by infinity");
  }
  return Value::Of(Number::Divide(x, y));
}

ValueResult<Value> Modulo(const Value& a, const Value& b) {
  if (IsMarkedEither(a, b)) {
    return WithoutMarks(a, b, Modulo);
  }
  if (!BothKnown(a, b)) {
    return UnknownNotNull(Type::Number());
  }
  Number x = a.AsNumber();
  Number y = b.AsNumber();
  // The reference handles the infinities that decoders make (they have no precision), but computes
  // with those of a division, which has no result. Ref: go-cty Value.Modulo.
  const auto decoded = [](const Number& number) {
    return number.IsInfinite() && number.precision() == 0;
  };
  const bool infinite = x.IsInfinite() || y.IsInfinite();
  if (infinite && !decoded(x) && !decoded(y)) {
    return y.Sign() == 0 ? ValueResult<Value>(a) : ValueFail("an infinity leaves no remainder");
  }
  if (infinite && !Number::HasProduct(x, y)) {
    return ValueFail("multiplication of zero with infinity");
  }
  return Value::Of(Number::Modulo(x, y));
}

Value LessThan(const Value& a, const Value& b) {
  if (IsMarkedEither(a, b)) {
    return WithoutMarks(a, b, LessThan);
  }
  if (BothKnown(a, b)) {
    return Value::Bool(Number::Compare(a.AsNumber(), b.AsNumber()) < 0);
  }
  NumberRange x = RangeOf(a);
  NumberRange y = RangeOf(b);
  if (x.bounded && y.bounded) {
    if (Number::Compare(x.max, y.min) < 0) {
      return Value::True();
    }
    if (Number::Compare(x.min, y.max) > 0) {
      return Value::False();
    }
  }
  return UnknownBool();
}

Value GreaterThan(const Value& a, const Value& b) {
  if (IsMarkedEither(a, b)) {
    return WithoutMarks(a, b, GreaterThan);
  }
  return LessThan(b, a);
}

Value LessThanOrEqual(const Value& a, const Value& b) {
  return LogicalOr(LessThan(a, b), Equals(a, b));
}
Value GreaterThanOrEqual(const Value& a, const Value& b) {
  return LogicalOr(GreaterThan(a, b), Equals(a, b));
}

// --- Elements. ---

ValueResult<Value> Index(const Value& collection, const Value& key) {
  if (IsMarkedEither(collection, key)) {
    return WithoutMarks(collection, key, Index);
  }
  Type type = collection.type();
  Type key_type = key.type();
  if (type.is_dynamic()) {
    return Value::DynamicUnknown();
  }
  bool is_tuple = type.is_tuple();
  if (!is_tuple && !type.is_list() && !type.is_map()) {
    return ValueFail("not a list, map, or tuple type");
  }
  if (key_type.is_dynamic()) {
    return is_tuple ? Value::DynamicUnknown() : Value::Unknown(type.element());
  }
  if (key_type != (type.is_map() ? Type::String() : Type::Number())) {
    if (type.is_map()) {
      return ValueFail("element key for map must be string");
    }
    return ValueFail(is_tuple ? "element key for tuple must be number"
                              : "element key for list must be number");
  }
  if (key.IsNull()) {
    return ValueFail("element key must not be null");
  }
  if (!key.IsKnown()) {
    return is_tuple ? Value::DynamicUnknown() : Value::Unknown(type.element());
  }
  if (collection.IsNull()) {
    return ValueFail("cannot index a null value");
  }
  if (!collection.IsKnown() && !is_tuple) {
    return Value::Unknown(type.element());
  }
  if (type.is_map()) {
    const Value* found = collection.Find(key.AsString());
    return found != nullptr ? ValueResult<Value>(*found)
                            : ValueFail("value does not have given index key");
  }
  std::optional<int64_t> index = key.AsInt64();
  if (!index || *index < 0) {
    return ValueFail("element key for list must be non-negative integer");
  }
  size_t at = static_cast<size_t>(*index);
  size_t size = is_tuple ? type.elements().size() : collection.size();
  if (at >= size) {
    return ValueFail("value does not have given index key");
  }
  return collection.IsKnown() ? collection.elements()[at] : Value::Unknown(type.elements()[at]);
}

Value HasIndex(const Value& collection, const Value& key) {
  if (IsMarkedEither(collection, key)) {
    return WithoutMarks(collection, key, HasIndex);
  }
  Type type = collection.type();
  Type key_type = key.type();
  if (type.is_dynamic() || key_type.is_dynamic()) {
    return UnknownBool();
  }
  if (key_type != (type.is_map() ? Type::String() : Type::Number())) {
    return Value::False();
  }
  if (!key.IsKnown() || (!collection.IsKnown() && !type.is_tuple())) {
    return UnknownBool();
  }
  if (type.is_map()) {
    return Value::Bool(collection.Find(key.AsString()) != nullptr);
  }
  std::optional<int64_t> index = key.AsInt64();
  size_t size = type.is_tuple() ? type.elements().size() : collection.size();
  return Value::Bool(index && *index >= 0 && static_cast<size_t>(*index) < size);
}

Value GetAttribute(const Value& object, std::string_view name) {
  const TypeNode* type = Access::TypeOf(object);
  if (type == &kDynamicTypeNode) {
    return Value::DynamicUnknown().WithMarks(object.marks());
  }
  std::string storage;
  name = Normalized(name, storage);
  if (!object.IsKnown()) {
    Type object_type = Type::FromNode(type);
    int index = object_type.FindAttribute(name);
    KINU_INVARIANT(index >= 0, "the object type has no such attribute");
    return Value::Unknown(object_type.attributes()[static_cast<size_t>(index)].type)
        .WithMarks(object.marks());
  }
  return object.Attribute(name).WithMarks(object.marks());
}

Value Length(const Value& collection) {
  if (collection.IsMarked()) {
    return Length(collection.Unmark()).WithMarks(collection.marks());
  }
  const TypeNode* type = Access::TypeOf(collection);
  if (type->kind == TypeKind::kTuple || type->kind == TypeKind::kObject) {
    return Value::Int(type->count);
  }
  if (!collection.IsKnown()) {
    Refinements known = collection.refinements();
    Refinements length;
    length.min = Number::FromInt(known.min_length);
    length.max = Number::FromInt(known.max_length);
    return UnknownNotNull(Type::Number(), length);
  }
  int64_t size = static_cast<int64_t>(collection.size());
  if (type->kind == TypeKind::kSet && size > 1 && !collection.IsWhollyKnown()) {
    Refinements length;
    length.min = Number::FromInt(1);
    length.max = Number::FromInt(size);
    return UnknownNotNull(Type::Number(), length);
  }
  return Value::Int(size);
}

Value HasElement(const Value& collection, const Value& element) {
  if (IsMarkedEither(collection, element)) {
    return WithoutMarks(collection, element, HasElement);
  }
  if (!collection.IsKnown()) {
    return UnknownBool();
  }
  Type type = collection.type();
  if (type.is_set()) {
    Type element_type = element.type();
    if (!element_type.is_dynamic() && !type.element().is_dynamic() &&
        element_type != type.element()) {
      return Value::False();
    }
    if (!element.IsKnown()) {
      return UnknownBool();
    }
    if (element_type != type.element()) {
      return Value::False();
    }
    std::span<const Value> members = collection.elements();
    if (collection.IsWhollyKnown() && element_type == Type::String() && !element.IsNull()) {
      // Known strings are in byte order, nulls follow them.
      auto found = std::lower_bound(members.begin(), members.end(), element.AsString(),
                                    [](const Value& member, std::string_view wanted) {
                                      return !member.IsNull() && member.AsString() < wanted;
                                    });
      return Value::Bool(found != members.end() && Value::RawEquals(*found, element));
    }
    for (const Value& member : members) {
      if (Compare(member, element) == Answer::kTrue) {
        return Value::True();
      }
    }
    return collection.IsWhollyKnown() ? Value::False() : UnknownBool();
  }
  bool maybe = false;
  for (const Value& member : collection.elements()) {
    Value equal = Equals(member, element);
    if (IsTrue(equal)) {
      return Value::True().WithMarks(equal.marks());
    }
    maybe = maybe || !equal.IsKnown();
  }
  return maybe ? UnknownBool() : Value::False();
}

PathStep StepToElement(const Value& container, size_t index) {
  switch (Access::Tag(container)) {
    case ValueTag::kObject:
      return PathStep::Attribute(container.key(index));
    case ValueTag::kMap:
      return PathStep::Index(Value::NormalizedString(container.key(index)));
    case ValueTag::kSet:
      return PathStep::Index(container.elements()[index]);
    default:
      return PathStep::Index(Value::Int(static_cast<int64_t>(index)));
  }
}

bool HasElementsInside(const Value& value) {
  return Access::IsContainer(value) && Access::Elements(value)->count > 0;
}

namespace {

/// Whether it is a number that no integer stands for. Plans ask of each part of each value.
bool IsBigNumber(const Value& value) {
  return Access::Tag(Access::Plain(value)) == ValueTag::kNumber;
}

bool IsSignedZero(const Value& value) {
  return IsBigNumber(value) && value.AsNumber().Sign() == 0;
}

bool IsInfinite(const Value& value) {
  return IsBigNumber(value) && value.AsNumber().IsInfinite();
}

/// Whether something inside, or the value itself, is such a number.
bool Contains(const Value& value, bool (*wanted)(const Value&)) {
  if (!HasElementsInside(value)) {
    return wanted(value);
  }
  const auto elements = value.elements();
  return std::any_of(elements.begin(), elements.end(),
                     [&](const Value& element) { return Contains(element, wanted); });
}

}  // namespace

Value WithUnsignedZeros(const Value& value) {
  if (!Contains(value, IsSignedZero)) {
    return value;
  }
  Path path;
  return TransformValue(value, path, [](const Path&, const Value& part) {
    return IsSignedZero(part) ? Value::Int(0).WithMarks(part.marks()) : part;
  });
}

bool ContainsInfinity(const Value& value) {
  return Contains(value, IsInfinite);
}

Value InfinityAsNull(const Value& value) {
  Path path;
  return TransformValue(value, path, [](const Path&, const Value& part) {
    return IsInfinite(part) ? Value::Null(Type::Number()).WithMarks(part.marks()) : part;
  });
}

Value UnknownAsNull(const Value& value) {
  if (value.IsWhollyKnown()) {
    return value;
  }
  if (!value.IsKnown()) {
    return Value::Null(value.type()).WithMarks(value.marks());
  }
  std::vector<Value> values;
  values.reserve(value.size());
  for (const Value& element : value.elements()) {
    values.push_back(UnknownAsNull(element));
  }
  return value.WithElements(std::move(values));
}

}  // namespace kinu
