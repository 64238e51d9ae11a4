// Shared by implementations of functions: parameter types, result types, conversion of arguments to
// C++ values.
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

/// For FunctionSpec::result_type: a constant type.
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

/// Whether the type is a list, set or tuple.
inline bool IsSequence(const Type& type) {
  return type.is_list() || type.is_set() || type.is_tuple();
}

// --- Arguments as C++ values ---

/// A known number as an integer. Fails if it is not an int64; `index` is the argument in the error.
std::expected<int64_t, CallError> ToInteger(const Value& number, int index = -1);
/// A known number as a double. Fails if it is too large.
std::expected<double, CallError> ToDouble(const Value& number);
/// The quoted text for messages, or "(sensitive value)" and the like if it has such marks.
std::string ShowText(std::string_view text, const MarkSet& marks);

/// Whether the value has too many parts to be written as text. Counts shared parts as often as they
/// occur: they need little memory until they are written.
bool HasTooManyParts(const Value& value);
/// The error for such a value.
std::unexpected<CallError> TooManyParts();

/// A parameter that is a text.
constexpr Parameter TextParameter(std::string_view name) {
  return {.name = name, .type = &Type::String};
}

constexpr bool IsAsciiLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

inline std::vector<Value> CopyElements(const Value& collection) {
  return {collection.elements().begin(), collection.elements().end()};
}

/// A set of wholly known values, compared by the `==` of the language.
class ValueIndex {
 public:
  /// Adds the value; false if an equal one exists.
  bool Insert(const Value& value);
  bool Contains(const Value& value) const;

 private:
  FlatMap<uint64_t, std::vector<Value>> buckets_;
};

}  // namespace kinu::functions
