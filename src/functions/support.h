// What implementations of functions share: parameter types, result types, arguments as C++ values.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "cty/ops.h"
#include "functions/function.h"

namespace kinu::functions {

using TypeResult = std::expected<Type, CallError>;

// --- Types of parameters and results ---

inline Type ListOfString() {
  return Type::List(Type::String());
}
inline Type ListOfNumber() {
  return Type::List(Type::Number());
}
inline Type ListOfBool() {
  return Type::List(Type::Bool());
}
inline Type ListOfAny() {
  return Type::List(Type::Dynamic());
}
inline Type SetOfAny() {
  return Type::Set(Type::Dynamic());
}
inline Type SetOfString() {
  return Type::Set(Type::String());
}
inline Type MapOfListsOfString() {
  return Type::Map(ListOfString());
}

/// For FunctionSpec::result_type: always the same type.
template <Type (*T)()>
TypeResult Returns(Arguments) {
  return T();
}
/// For FunctionSpec::result_type: the type of the first argument.
inline TypeResult ReturnsFirst(Arguments args) {
  return args[0].type();
}

/// For FunctionSpec::refine: the result is never null.
inline Refinements NeverNull(Arguments) {
  Refinements refinements;
  refinements.not_null = true;
  return refinements;
}

/// List, set or tuple.
inline bool IsSequence(const Type& type) {
  return type.is_list() || type.is_set() || type.is_tuple();
}

// --- Arguments as C++ values ---

/// A known number as an integer; the error is the call's, or argument `index`'s when given.
std::expected<int64_t, CallError> ToInteger(const Value& number, int index = -1);
/// A known number as a double.
std::expected<double, CallError> ToDouble(const Value& number);
/// Text for messages: quoted, or what hides it when the marks say so.
std::string ShowText(std::string_view text, const MarkSet& marks);

/// Whether the value has more parts, shared ones counted wherever they occur, than a text of it may
/// have: parts that share their memory need little of it until they are written.
bool HasTooManyParts(const Value& value);
std::unexpected<CallError> TooManyParts();

inline std::vector<Value> CopyElements(const Value& collection) {
  return {collection.elements().begin(), collection.elements().end()};
}

/// Values that were seen, by hash: equal as the language's `==` says. For wholly known values.
class ValueIndex {
 public:
  /// Adds the value; false when an equal one was there.
  bool Insert(const Value& value);
  bool Contains(const Value& value) const;

 private:
  FlatMap<uint64_t, std::vector<Value>> buckets_;
};

}  // namespace kinu::functions
