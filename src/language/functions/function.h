// The mechanism of functions: a function is a FunctionSpec in a table (docs/adding/function.md says
// how to add one). The evaluator counts and converts the arguments of a call, because it knows
// where they stand; CallFunction() handles null, unknown, dynamic and marked ones for all
// functions. Ref: go-cty cty/function/function.go; opentofu internal/lang/functions.go.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "base/result.h"
#include "compatibility/level.h"
#include "cty/path.h"
#include "cty/value.h"
#include "functions/surroundings.h"

namespace kinu::functions {

/// The error of a call: a message without a final full stop, and the index of the faulty argument
/// (-1 if none).
struct CallError {
  std::string message;
  int argument = -1;
  Path path;  ///< the faulty part of that argument
  /// The call may not read the file that it names: its result is unknown, and nothing is reported.
  bool withheld = false;
};
using CallResult = std::expected<Value, CallError>;
/// Makes the error of a CallResult.
inline std::unexpected<CallError> CallFail(std::string message, int argument = -1) {
  return std::unexpected<CallError>(CallError{std::move(message), argument, {}});
}

/// The environment of a call.
struct CallContext {
  Surroundings surroundings;
  std::string timestamp;   ///< result of plantimestamp(); unknown if empty
  bool pure_only = false;  ///< during planning: results of impure functions are unknown
  /// Renders a template for templatefile and templatestring. Errors are those of the calling
  /// function, whose argument 1 are the variables. lang::WithTemplates() sets it.
  std::function<CallResult(std::string_view source, std::string_view name, const Value& variables,
                           std::string_view calling_function)>
      render;
};

/// The type of a parameter. Constant tables use a function, because Type is not constexpr; provider
/// functions use a pointer to a type that outlives the parameter.
class ParameterType {
 public:
  constexpr ParameterType(Type (*make)())  // NOLINT(google-explicit-constructor)
      : make_(make) {}
  constexpr ParameterType(const Type* given)  // NOLINT(google-explicit-constructor)
      : given_(given) {}
  Type operator()() const { return given_ != nullptr ? *given_ : make_(); }

 private:
  Type (*make_)() = nullptr;
  const Type* given_ = nullptr;
};

/// A parameter. By default it refuses null, makes the result unknown if the argument is unknown,
/// and moves marks of the argument to the result.
struct Parameter {
  std::string_view name;
  ParameterType type = &Type::Dynamic;
  bool allow_null = false;
  bool allow_unknown = false;
  bool allow_dynamic = false;  ///< allow an argument of unknown type
  bool allow_marked = false;   ///< the implementation handles marks itself
  std::string_view description = {};
};

/// A small list for constant tables, in which g++ 12 rejects nested initializer lists.
template <typename T, size_t N>
struct List {
  T items[N] = {};
  size_t count = 0;
  constexpr List() = default;
  template <typename... Ts>
  constexpr List(Ts... given)  // NOLINT(google-explicit-constructor)
      : items{given...}, count(sizeof...(Ts)) {}
  constexpr const T* begin() const { return items; }
  constexpr const T* end() const { return items + count; }
  constexpr size_t size() const { return count; }
  constexpr const T& operator[](size_t i) const { return items[i]; }
};

/// An example, which runs as a test: `call` and `result` are expressions with equal values.
struct Example {
  std::string_view call;
  std::string_view result;
};

using Arguments = std::span<const Value>;

/// A function of a table.
struct FunctionSpec {
  std::string_view name;
  List<Parameter, 4> params = {};
  bool has_variadic = false;
  Parameter variadic = {};
  /// The result type for the arguments, which may be unknown or of unknown type. Its error is that
  /// of the call.
  std::expected<Type, CallError> (*result_type)(Arguments args) = nullptr;
  /// Computes the result, which has the type `result`, from converted and checked arguments.
  CallResult (*impl)(Arguments args, const Type& result, const CallContext& context) = nullptr;
  /// Refinements of an unknown result; null if there are none.
  Refinements (*refine)(Arguments args) = nullptr;
  std::string_view doc = {};
  List<Example, 6> examples = {};
  std::string_view ref = {};
  /// The arguments are expressions, not values; the evaluator implements the function (try, can).
  bool lazy = false;
  /// Results of equal calls differ; unknown during planning (CallContext::pure_only).
  bool impure = false;
  /// The release that has the function first. It can be called at every level, but older levels do
  /// not list it.
  compatibility::Level since = compatibility::Level::kSeries12;
};

/// A callable function: of a table, of a provider, or user-defined.
class Callable {
 public:
  virtual ~Callable() = default;
  virtual std::string_view name() const = 0;
  virtual std::span<const Parameter> params() const = 0;
  virtual const Parameter* variadic() const = 0;
  /// The arguments are expressions, not values; the evaluator implements the function.
  virtual bool lazy() const { return false; }
  /// Computes the result. There are as many arguments as the parameters ask for, and each has been
  /// converted to the type of its parameter.
  virtual CallResult Call(Arguments args, const CallContext& context) const = 0;
};

/// Calls a function of a table with converted arguments: checks them according to their parameters
/// and handles unknown values and marks.
CallResult CallFunction(const FunctionSpec& spec, Arguments args, const CallContext& context);

/// Computes the result of a function that is not in a table, from checked arguments.
using Implementation = std::function<CallResult(Arguments args)>;
/// Calls a function that is not in a table, with a constant result type, as one of a table is.
CallResult CallFunction(std::span<const Parameter> params, const Parameter* variadic,
                        const Type& result, Arguments args, const Implementation& impl);

/// A table of all functions.
class Table {
 public:
  /// The functions of the configuration language; built on first use.
  static const Table& Standard();
  /// The function of that name, with or without `core::`; null if there is none.
  const Callable* Find(std::string_view name) const;
  std::span<const FunctionSpec* const> specs() const { return specs_; }

 private:
  friend struct TableBuilder;
  std::vector<const FunctionSpec*> specs_;  // sorted by name
  std::vector<std::unique_ptr<Callable>> callables_;
};

}  // namespace kinu::functions
