// Expression: an expression of a check file that is evaluated for each object of a document.
// docs/check.md lists its names.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/flat_map.h"
#include "functions/function.h"
#include "hcl/ast.h"

namespace kinu::check {

/// The names that expressions can refer to.
enum class Name : uint8_t {
  kAddress,
  kModule,
  kProvider,
  kType,
  kResourceName,
  kMode,
  kIndex,
  kActions,
  kActionReason,
  kChange,
  kBefore,
  kAfter,
  kValues,
  kValue,
  kPath,
};
std::optional<Name> FindName(std::string_view text);

/// The function of that name; null if expressions cannot call it. They cannot call nonsensitive(),
/// because messages must not show sensitive values.
const functions::Callable* FindFunction(std::string_view name);

/// An expression and what its parts mean, looked up once for all objects.
class Expression {
 public:
  /// The syntax tree must live as long.
  explicit Expression(const hcl::Expr& syntax);

  const hcl::Expr& syntax() const { return syntax_; }
  /// Nothing if the traversal is no part of the expression or has no such name.
  std::optional<Name> NameOf(const hcl::TraversalExpr& traversal) const;
  /// Null if expressions cannot call the function.
  const functions::Callable* FunctionOf(const hcl::CallExpr& call) const;

 private:
  const hcl::Expr& syntax_;
  FlatMap<uintptr_t, Name> names_;                            ///< by traversal
  FlatMap<uintptr_t, const functions::Callable*> functions_;  ///< by call
};

}  // namespace kinu::check
