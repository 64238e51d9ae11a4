// Custom conditions: preconditions, postconditions, assertions and the validation rules of
// variables. Ref: opentofu internal/tofu/eval_conditions.go, eval_variable.go.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "addrs/checkable.h"
#include "config/config.h"
#include "diag/diagnostic.h"
#include "lang/scope.h"

namespace kinu::meta_arguments {

enum class ConditionKind : uint8_t {
  kPrecondition,   ///< "Resource precondition"
  kPostcondition,  ///< "Resource postcondition"
  kOutput,         ///< "Module output value precondition"
  kAssertion,      ///< "Check block assertion"
};

/// The result of one condition.
struct ConditionResult {
  CheckStatus status = CheckStatus::kUnknown;
  std::string failure_message;
  size_t rule = 0;  ///< index among the object's conditions
};

/// Diagnostic::origin of what a condition reports, and a check block's data source.
struct ConditionOrigin final : DiagnosticExtra {
  Checkable object;
  bool data_source = false;              ///< the data source of a check block
  Severity severity = Severity::kError;  ///< before a check block made it a warning
};
/// The origin of a diagnostic; null: no condition reports it.
const ConditionOrigin* OriginOf(const Diagnostic& diagnostic);

/// Appends the problems of the data source of the check block `check` as warnings.
void AppendAsCheckWarnings(Diagnostics&& found, const ResourceInstance& check, Diagnostics& diags);
/// Drops what check blocks reported in a plan: the apply evaluates them again.
/// Ref: opentofu internal/backend/local/backend_apply.go, command/test.go.
void DropCheckResults(Diagnostics& diags);

/// Evaluates one condition of `object`. Reports a failed condition with `severity` ("Resource
/// precondition failed"), and an invalid one as an error. If not `sound`, errors in its references
/// have been reported, and only further problems are.
ConditionResult EvaluateCondition(const config::Condition& condition, ConditionKind kind,
                                  const ResourceInstance& object, const lang::Scope& scope,
                                  Severity severity, Diagnostics& diags, bool sound = true);
/// Evaluates the message of a condition. Empty if it cannot be shown, which is reported.
std::string EvaluateErrorMessage(const hcl::Expr& expr, const lang::Scope& scope,
                                 Diagnostics& diags);
/// Evaluates the message alone and reports its problems.
void ValidateErrorMessage(const config::Condition& condition, const lang::Scope& scope,
                          Diagnostics& diags);

/// What a validation rule of a variable is evaluated for.
struct ValidatedVariable {
  Program& program;
  const config::Module& module;  ///< declares the variable
  SourceRange value_range;       ///< where the value is given
  ResourceInstance object;       ///< the variable
  bool validating = false;       ///< the message may be unknown
};
/// Evaluates a validation rule. Reports a failed rule as an error at the value.
ConditionResult EvaluateValidationRule(const config::Condition& rule,
                                       const ValidatedVariable& variable, const lang::Scope& scope,
                                       Diagnostics& diags);

}  // namespace kinu::meta_arguments
