// The function table's mechanism: a function is a row (see docs/adding/function.md). Arity, null,
// unknown, dynamic and marked arguments are handled here once, for all functions.
// Ref: go-cty cty/function/function.go; opentofu internal/lang/functions.go.
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
#include "cty/path.h"
#include "cty/value.h"

namespace kinu::functions {

/// Why a call failed: the message, and the argument that it is about (-1: none).
struct CallError {
  std::string message;
  int argument = -1;
  Path path;  ///< place inside that argument
};
using CallResult = std::expected<Value, CallError>;
inline std::unexpected<CallError> CallFail(std::string message, int argument = -1) {
  return std::unexpected<CallError>(CallError{std::move(message), argument, {}});
}

/// What a function may ask of its surroundings. No clock, no disk outside `base_dir`'s rules.
struct CallContext {
  std::string base_dir = ".";  ///< relative file names are relative to this
  std::string timestamp;       ///< plantimestamp(); empty: unknown
  bool pure_only = false;      ///< planning: impure functions give unknown
  /// Evaluates a template with the given variables (templatefile, templatestring). The error is the
  /// call's: it may be about argument 1, the variables. Set by lang::WithTemplates.
  std::function<CallResult(std::string_view source, std::string_view name, const Value& variables,
                           std::string_view calling_function)>
      render;
};

/// The type of a parameter. Rows give a function, because Type has no constant form; a function of
/// a provider gives a type that lives as long as the parameter.
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

/// One parameter.
struct Parameter {
  std::string_view name;
  ParameterType type = &Type::Dynamic;
  bool allow_null = false;
  bool allow_unknown = false;
  bool allow_dynamic = false;  ///< allow an argument of unknown type
  bool allow_marked = false;   ///< the implementation handles marks itself
  std::string_view description = {};
};

/// A small list for constant tables (g++ 12 refuses nested initializer lists there).
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

/// An example that runs as a test: `call` evaluates to a value printed as the console prints it.
struct Example {
  std::string_view call;
  std::string_view result;
};

using Arguments = std::span<const Value>;

struct FunctionSpec {
  std::string_view name;
  List<Parameter, 4> params = {};
  bool has_variadic = false;
  Parameter variadic = {};
  /// The result type for given arguments (may be unknown or of unknown type); an error is the
  /// call's.
  std::expected<Type, CallError> (*result_type)(Arguments args) = nullptr;
  /// Runs with arguments converted to the parameter types and checked; result has `result_type`.
  CallResult (*impl)(Arguments args, const Type& result, const CallContext& context) = nullptr;
  /// Refines an unknown result (may be null).
  Refinements (*refine)(Arguments args) = nullptr;
  std::string_view doc = {};
  List<Example, 6> examples = {};
  std::string_view ref = {};
  /// The arguments are expressions, not values: `try` and `can`, which lang evaluates itself.
  bool lazy = false;
  /// Gives another result each time: unknown while planning (CallContext::pure_only).
  bool impure = false;
};

/// Anything that can be called: rows of the table, and functions of providers.
class Callable {
 public:
  virtual ~Callable() = default;
  virtual std::string_view name() const = 0;
  virtual std::span<const Parameter> params() const = 0;
  virtual const Parameter* variadic() const = 0;
  /// The arguments are expressions, not values: lang evaluates such a function itself.
  virtual bool lazy() const { return false; }
  /// Checks, converts and calls. Errors carry the argument's index. Arity is checked by the caller
  /// (lang), which reports it with ranges.
  virtual CallResult Call(Arguments args, const CallContext& context) const = 0;
};

/// Calls a row with the framework's rules (nulls, unknowns, marks, conversion).
CallResult CallFunction(const FunctionSpec& spec, Arguments args, const CallContext& context);

/// What a function that is no row computes from its arguments, once they are as rows get them.
using Implementation = std::function<CallResult(Arguments args)>;
/// Calls such a function with the framework's rules. Its result type is always the same.
CallResult CallFunction(std::span<const Parameter> params, const Parameter* variadic,
                        const Type& result, Arguments args, const Implementation& impl);

/// All functions of the language; built once per process on first use.
class Table {
 public:
  /// Every function of OpenTofu 1.12.6 that kinu has.
  static const Table& Standard();
  /// By name, with or without `core::`. Null when there is none.
  const Callable* Find(std::string_view name) const;
  std::span<const FunctionSpec* const> specs() const { return specs_; }

 private:
  friend struct TableBuilder;
  std::vector<const FunctionSpec*> specs_;  // sorted by name
  std::vector<std::unique_ptr<Callable>> callables_;
};

}  // namespace kinu::functions
