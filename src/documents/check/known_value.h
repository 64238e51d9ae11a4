// Known values: conditions that a JSON value must satisfy. Functions in check files make them
// (`string_exact("a")`, `list_partial({ 0 = not_null() })`; docs/check.md lists them).
// Ref: terraform-plugin-testing package knownvalue.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cty/number.h"
#include "json/tree.h"
#include "lang/scope.h"

namespace kinu::check {

/// A condition; `kind` decides which of the other members are used.
struct KnownValue {
  enum class Kind : uint8_t {
    kNull,
    kNotNull,
    kBool,
    kStringExact,
    kStringRegexp,
    kInt64Exact,
    kInt32Exact,
    kFloat64Exact,
    kFloat32Exact,
    kNumberExact,
    kListExact,    ///< also tuples
    kListPartial,  ///< also tuples
    kSetExact,
    kSetPartial,
    kMapExact,    ///< also objects
    kMapPartial,  ///< also objects
    kListSize,    ///< also sets and tuples
    kMapSize,
  };
  struct Pattern;  ///< a compiled regular expression

  Kind kind = Kind::kNull;
  bool boolean = false;
  std::string text;
  int64_t integer = 0;  ///< also a size
  double float64 = 0;
  float float32 = 0;
  Number number;
  std::shared_ptr<const Pattern> pattern;
  std::vector<const KnownValue*> elements;
  std::vector<std::pair<uint64_t, const KnownValue*>> indexed;
  std::vector<std::pair<std::string, const KnownValue*>> members;
};

/// Whether a value satisfies the condition.
bool Accepts(const KnownValue& known, const json::Node& value);

/// A short description of the condition: `the string "a"`.
std::string Describe(const KnownValue& known);

/// The scope of check files: has no variables; its functions make known values, which live as long
/// as the scope.
class KnownValueScope final : public lang::Scope {
 public:
  KnownValueScope();
  ~KnownValueScope() override;

  Value Resolve(const hcl::TraversalExpr& traversal, Diagnostics& diags) const override;
  bool variables_allowed() const override { return false; }
  const functions::Callable* FindFunction(std::string_view name) const override;
  std::vector<std::string_view> FunctionNames() const override;
  const functions::CallContext& call_context() const override { return context_; }

  /// The known value in the result of an expression; null for other values.
  static const KnownValue* Get(const Value& value);

 private:
  class Function;
  std::vector<std::unique_ptr<Function>> functions_;
  mutable std::deque<KnownValue> known_values_;
  functions::CallContext context_;
};

}  // namespace kinu::check
