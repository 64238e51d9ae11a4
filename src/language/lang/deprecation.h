// Deprecated values: the value of an output that its author declared deprecated carries a mark with
// the cause. The first use of the value reports a warning and removes the mark.
// Ref: opentofu internal/lang/marks/marks.go.
#pragma once

#include <string>
#include <vector>

#include "cty/path.h"
#include "cty/value.h"
#include "diag/diagnostic.h"
#include "hcl/ast.h"

namespace kinu::lang {

/// The cause of a deprecation; in Diagnostic::extra of the warnings about it.
struct DeprecationCause final : DiagnosticExtra {
  std::string by;       ///< the deprecated output: "module.m.old"
  std::string message;  ///< the author's message; may be empty
  bool remote = false;  ///< the output's module is not a local one
  /// From level 1.13 on: the instance of a module that declares it, and what it has in common with
  /// the causes with which it is shown as one: name, message and the source of the module.
  std::string module;
  std::string group;
  /// The warning is about a whole block. Such warnings are merged, whatever their causes are.
  bool of_block = false;
};

/// The mark of values with this cause.
MarkSet DeprecatedMark(const DeprecationCause& cause);

/// A part of a value with a deprecation mark.
struct DeprecatedPart {
  Path path;
  DeprecationCause cause;
};
/// Removes all deprecation marks from a value and appends the marked parts to `parts`.
Value TakeDeprecated(const Value& value, std::vector<DeprecatedPart>& parts);

/// The path that the reference has for the part at `path` when it looks for the place of the part
/// in the configuration: it keeps paths in memory that the walk through the value overwrites, so
/// that a warning is at the last argument that the walk came to. Ref: opentofu
/// internal/lang/marks/marks.go ExtractDeprecationDiagnosticsWithBody.
Path ReportedPath(const Value& value, const Path& path);

/// Removes all deprecation marks from the value of `expr`, and reports each as a warning at `expr`.
Value WarnDeprecated(Value value, const hcl::Expr& expr, Diagnostics& diags);

/// A warning about the use of a deprecated value; `what` starts its detail ("This value").
Diagnostic DeprecationWarning(const DeprecationCause& cause, std::string_view what,
                              SourceRange range);

}  // namespace kinu::lang
