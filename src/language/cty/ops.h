// Operations on values. They never throw and never print; unknowns, refinements and marks propagate
// as in go-cty (cty/value_ops.go, value_range.go). Where an operand has a wrong type the result is
// an error whose message is the reference's.
#pragma once

#include "cty/path.h"
#include "cty/value.h"

namespace kinu {

/// What operators need: operands are known or unknown, never null, and of the operator's type (or
/// dynamic, when unknown). Violations are bugs of the caller.

/// Three-valued equality: unknown when it depends on something unknown. Types must be equal or one
/// dynamic, else false (as go-cty). Result carries the marks of both.
Value Equals(const Value& a, const Value& b);
Value NotEquals(const Value& a, const Value& b);
Value LogicalNot(const Value& a);
Value LogicalAnd(const Value& a, const Value& b);
Value LogicalOr(const Value& a, const Value& b);
Value Negate(const Value& a);
Value Absolute(const Value& a);
/// Where infinities leave no answer (see Number::HasSum and so on) callers must refuse first.
Value Add(const Value& a, const Value& b);
Value Subtract(const Value& a, const Value& b);
Value Multiply(const Value& a, const Value& b);
/// Division by zero is an infinity; zero by zero and infinity by infinity are errors.
ValueResult<Value> Divide(const Value& a, const Value& b);
ValueResult<Value> Modulo(const Value& a, const Value& b);
Value LessThan(const Value& a, const Value& b);
Value LessThanOrEqual(const Value& a, const Value& b);
Value GreaterThan(const Value& a, const Value& b);
Value GreaterThanOrEqual(const Value& a, const Value& b);

/// Element of a list, map or tuple. The caller has checked types; an absent index is an error.
ValueResult<Value> Index(const Value& collection, const Value& key);
/// Whether Index would find something: may be unknown.
Value HasIndex(const Value& collection, const Value& key);
/// Attribute of an object value (known, unknown or null-checked by the caller).
Value GetAttribute(const Value& object, std::string_view name);
/// Length of a list, set, map, tuple or object; unknown with bounds where it is not known.
Value Length(const Value& collection);
/// Whether a set, list or tuple has the element.
Value HasElement(const Value& collection, const Value& element);

/// Calls `visit(path, value)` (const Path&, const Value&) for the value and everything inside,
/// parents first, elements in iteration order; `visit` returns whether to descend. Marked values
/// are visited as they are.
template <typename F>
void WalkValue(const Value& value, Path& path, F&& visit);
/// Rebuilds the value bottom up: `change(path, value)` returns what to put in place of each.
template <typename F>
Value TransformValue(const Value& value, Path& path, F&& change);

/// Every unknown replaced by null of its type. Marks stay.
Value UnknownAsNull(const Value& value);

/// Every zero without a sign: so values come back from the encoding that plans use.
Value WithUnsignedZeros(const Value& value);

/// Whether a number in the value is infinite, for which JSON has no form.
bool ContainsInfinity(const Value& value);
/// Every infinite number replaced by null.
Value InfinityAsNull(const Value& value);

/// Go-syntax text of a value (`cty.StringVal("a")`), which some messages of the reference contain.
std::string GoString(const Value& value);
std::string GoString(const Type& type);

}  // namespace kinu

#include "cty/walk_inl.h"  // WalkValue, TransformValue
