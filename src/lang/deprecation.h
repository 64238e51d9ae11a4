// Deprecated values: an output that its author marked as deprecated gives a value that carries the
// cause, until it is used for something; then it becomes a warning there and the mark goes.
// Ref: opentofu internal/lang/marks/marks.go.
#pragma once

#include <string>
#include <vector>

#include "cty/path.h"
#include "cty/value.h"
#include "diag/diagnostic.h"
#include "hcl/ast.h"

namespace kinu::lang {

/// Why a value is deprecated. Attached to the warnings about it (Diagnostic::extra).
struct DeprecationCause final : DiagnosticExtra {
  std::string by;       ///< "module.m.old"
  std::string message;  ///< of its author, or nothing
  bool remote = false;  ///< in a module that comes from elsewhere
};

MarkSet DeprecatedMark(const DeprecationCause& cause);

struct DeprecatedPart {
  Path path;
  DeprecationCause cause;
};
/// The value without such marks, and where they were.
Value TakeDeprecated(const Value& value, std::vector<DeprecatedPart>& parts);

/// The value of an expression without such marks; each becomes a warning at the expression.
Value WarnDeprecated(Value value, const hcl::Expr& expr, Diagnostics& diags);

/// A warning about a part of a value; `what` is how its detail begins ("This value").
Diagnostic DeprecationWarning(const DeprecationCause& cause, std::string_view what,
                              SourceRange range);

}  // namespace kinu::lang
