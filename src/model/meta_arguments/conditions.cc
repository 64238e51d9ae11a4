#include "meta_arguments/conditions.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "cty/conversion.h"
#include "hcl/static.h"
#include "lang/deprecation.h"
#include "lang/eval.h"

namespace kinu::meta_arguments {
namespace {

CheckableKind ObjectKind(ConditionKind kind) {
  switch (kind) {
    case ConditionKind::kPrecondition:
    case ConditionKind::kPostcondition:
      return CheckableKind::kResource;
    case ConditionKind::kOutput:
      return CheckableKind::kOutput;
    case ConditionKind::kAssertion:
      return CheckableKind::kCheck;
  }
  return CheckableKind::kResource;
}

std::shared_ptr<const ConditionOrigin> MakeOrigin(CheckableKind kind,
                                                  const ResourceInstance& object) {
  auto origin = std::make_shared<ConditionOrigin>();
  origin->object = {kind, object};
  return origin;
}

std::string_view Describe(ConditionKind kind) {
  switch (kind) {
    case ConditionKind::kPrecondition:
      return "Resource precondition";
    case ConditionKind::kPostcondition:
      return "Resource postcondition";
    case ConditionKind::kOutput:
      return "Module output value precondition";
    case ConditionKind::kAssertion:
      return "Check block assertion";
  }
  return "";
}

std::string Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) {
    return "";
  }
  return std::string(text.substr(begin, text.find_last_not_of(kSpace) - begin + 1));
}

/// The detail of a diagnostic about a message with values that must not be shown.
std::string RefersTo(const std::string& what) {
  return "The error expression used to explain this condition refers to " + what +
         " values. OpenTofu will not display the resulting message.\n\nLeave such values out of "
         "error_message.";
}

/// Whether every traversal of an expression has the form of a reference.
bool HasOnlyReferences(Program& program, const config::Module& module, const hcl::Expr& expr) {
  std::vector<const hcl::TraversalExpr*> traversals;
  hcl::CollectTraversals(expr, traversals);
  return std::ranges::all_of(traversals, [&](const hcl::TraversalExpr* traversal) {
    return config::ResolveReference(program, module, *traversal, nullptr).kind !=
           config::ReferenceKind::kInvalid;
  });
}

/// The message of a rule. In the JSON syntax it once was no template: one that cannot be evaluated,
/// though what it refers to could be, is warned of and taken as it stands.
Value EvaluateMessage(Program& program, const config::Module& module, const config::Condition& rule,
                      const lang::Scope& scope, Diagnostics& diags) {
  const hcl::Expr& expr = *rule.error_message;
  Diagnostics problems;
  Value message = lang::Evaluate(expr, scope, problems);
  if (problems.has_errors() && expr.file()->is_json() && HasOnlyReferences(program, module, expr)) {
    Diagnostics ignored;
    const Value text = lang::EvaluateLiteral(expr, scope, ignored);
    if (ValueResult<Value> literal = Convert(text, Type::String());
        literal && !ignored.has_errors()) {
      Diagnostic& warning = diags.Warning(
          "Validation error message expression is invalid",
          "This message is not a valid expression, so it is shown as it is written: " +
              problems.list().front().summary + ". Write $${ for a literal ${.",
          expr.range(), rule.range);
      lang::DescribeValues(expr, scope, nullptr, warning);
      return *std::move(literal);
    }
  }
  diags.Append(std::move(problems));
  return lang::WarnDeprecated(std::move(message), expr, diags);
}

/// "main.tf:3,5-10": where a rule stands.
std::string PlaceOf(const SourceRange& range) {
  if (!range.valid()) {
    return "";
  }
  const Position start = range.start_position();
  const Position end = range.end_position();
  return range.file->name() + ":" + std::to_string(start.line) + "," +
         std::to_string(start.column) + "-" +
         (end.line != start.line ? std::to_string(end.line) + "," : "") +
         std::to_string(end.column);
}

/// The evaluation of one validation rule.
class ValidationRule {
 public:
  ValidationRule(const config::Condition& rule, const lang::Scope& scope, Diagnostics& diags)
      : rule_(rule), scope_(scope), diags_(diags) {}

  ConditionResult Run(const ValidatedVariable& variable) {
    if (lang::Coverage* coverage = scope_.coverage()) {
      coverage->Reach(rule_.condition->range());
    }
    Diagnostics found;
    const Value value = lang::WarnDeprecated(lang::Evaluate(*rule_.condition, scope_, found),
                                             *rule_.condition, found);
    Diagnostics of_message;
    std::optional<Value> message =
        EvaluateMessage(variable.program, variable.module, rule_, scope_, of_message);
    if (of_message.has_errors()) {
      message.reset();
    }
    const bool broken = found.has_errors();
    diags_.Append(std::move(found));
    diags_.Append(std::move(of_message));
    if (broken || !value.IsKnown()) {
      return {broken ? CheckStatus::kError : CheckStatus::kUnknown, ""};
    }
    const ValueResult<Value> flag = Convert(value, Type::Bool());
    if (value.IsNull() || !flag) {
      ReportError(
          "Invalid variable validation result",
          value.IsNull()
              ? "Validation condition expression must return either true or false, not null."
              : "Invalid validation condition result value: " + flag.error().ToText() + ".",
          *rule_.condition, rule_.condition->range());
      return {CheckStatus::kError, ""};
    }
    return flag->AsBool() ? ConditionResult{CheckStatus::kPass, ""} : Fail(message, variable);
  }

 private:
  Diagnostic& ReportError(std::string summary, std::string detail, const hcl::Expr& expr,
                          SourceRange range) {
    Diagnostic& error = diags_.Error(std::move(summary), std::move(detail), range);
    lang::DescribeValues(expr, scope_, nullptr, error);
    return error;
  }
  void InvalidMessage(std::string summary, std::string detail) {
    ReportError(std::move(summary), std::move(detail), *rule_.error_message,
                rule_.error_message->range());
  }

  /// The message as text; empty if it cannot be shown.
  std::string Text(const Value& message) {
    if (message.IsNull()) {
      return "";
    }
    const ValueResult<Value> converted = Convert(message, Type::String());
    if (!converted) {
      InvalidMessage("Invalid error message",
                     "Unsuitable value for error message: " + converted.error().ToText() + ".");
      return "";
    }
    if (converted->marks().sensitive() || converted->marks().ephemeral()) {
      const bool sensitive = converted->marks().sensitive();
      const std::string what = sensitive ? "sensitive" : "ephemeral";
      InvalidMessage("Error message refers to " + what + " values", RefersTo(what));
      return "The error message included " +
             std::string(sensitive ? "a sensitive" : "an ephemeral") +
             " value, so it will not be displayed.";
    }
    return Trim(converted->AsString());
  }

  /// `message`: nothing if it could not be evaluated, which was reported.
  ConditionResult Fail(const std::optional<Value>& message, const ValidatedVariable& variable) {
    if (message && !message->IsKnown()) {
      if (!variable.validating) {
        InvalidMessage("Invalid error message",
                       "Value used in error message is not known and can not be used in "
                       "error_message until after apply.");
      }
      return {CheckStatus::kFail, ""};
    }
    std::string text = message ? Text(*message) : "";
    if (text.empty()) {
      text = "Failed to evaluate condition error message.";
    }
    ReportError(
        "Invalid value for variable",
        text + "\n\nThis was checked by the validation rule at " + PlaceOf(rule_.range) + ".",
        *rule_.condition, variable.value_range)
        .origin = MakeOrigin(CheckableKind::kVariable, variable.object);
    return {CheckStatus::kFail, std::move(text)};
  }

  const config::Condition& rule_;
  const lang::Scope& scope_;
  Diagnostics& diags_;
};

}  // namespace

const ConditionOrigin* OriginOf(const Diagnostic& diagnostic) {
  return static_cast<const ConditionOrigin*>(diagnostic.origin.get());
}

void AppendAsCheckWarnings(Diagnostics&& found, const ResourceInstance& check, Diagnostics& diags) {
  for (Diagnostic& diagnostic : found.list()) {
    auto origin = std::make_shared<ConditionOrigin>();
    origin->object = {CheckableKind::kCheck, check};
    origin->data_source = true;
    origin->severity = diagnostic.severity;
    diagnostic.origin = std::move(origin);
    diagnostic.severity = Severity::kWarning;
    diagnostic.tag = DiagnosticTag::kConsolidateNever;
    diags.Add(std::move(diagnostic));  // found counts it as an error
  }
}

void DropCheckResults(Diagnostics& diags) {
  Diagnostics rest;
  for (Diagnostic& diagnostic : diags.list()) {
    const ConditionOrigin* origin = OriginOf(diagnostic);
    if (origin == nullptr || origin->object.kind != CheckableKind::kCheck) {
      rest.Add(std::move(diagnostic));
    }
  }
  diags = std::move(rest);
}

std::string EvaluateErrorMessage(const hcl::Expr& expr, const lang::Scope& scope,
                                 Diagnostics& diags) {
  size_t errors = diags.error_count();
  Value value = lang::WarnDeprecated(lang::Evaluate(expr, scope, diags), expr, diags);
  if (diags.error_count() != errors) {
    return "";
  }
  auto invalid = [&](std::string detail) {
    lang::DescribeValues(expr, scope, nullptr,
                         diags.Error("Invalid error message", std::move(detail), expr.range()));
    return std::string();
  };
  ValueResult<Value> text = Convert(value, Type::String());
  if (!text) {
    return invalid("Unsuitable value for error message: " + text.error().ToText() + ".");
  }
  if (!text->IsKnown()) {
    return "";
  }
  if (text->IsNull()) {
    return invalid("Unsuitable value for error message: must not be null.");
  }
  MarkSet marks = text->marks();
  if (marks.sensitive() || marks.ephemeral()) {
    const std::string what = marks.sensitive() ? "sensitive" : "ephemeral";
    diags.Warning("Error message refers to " + what + " values", RefersTo(what), expr.range());
    return "";
  }
  return Trim(text->AsString());
}

void ValidateErrorMessage(const config::Condition& condition, const lang::Scope& scope,
                          Diagnostics& diags) {
  (void)EvaluateErrorMessage(*condition.error_message, scope, diags);
}

ConditionResult EvaluateCondition(const config::Condition& condition, ConditionKind kind,
                                  const ResourceInstance& object, const lang::Scope& scope,
                                  Severity severity, Diagnostics& diags, bool sound) {
  size_t errors = diags.error_count();
  const hcl::Expr& expr = *condition.condition;
  if (lang::Coverage* coverage = scope.coverage()) {
    coverage->Reach(expr.range());
  }
  std::string message = EvaluateErrorMessage(*condition.error_message, scope, diags);
  Value value = lang::WarnDeprecated(lang::Evaluate(expr, scope, diags), expr, diags);
  if (!sound || diags.error_count() != errors) {
    return {CheckStatus::kError, ""};
  }
  auto describe = [&](Diagnostic& diagnostic) {
    lang::DescribeValues(expr, scope, nullptr, diagnostic);
    if (kind == ConditionKind::kAssertion) {
      // Each assertion is reported. Ref: CheckRuleDiagnosticExtra DoNotConsolidateDiagnostic.
      diagnostic.tag = DiagnosticTag::kConsolidateNever;
    }
  };
  if (!value.IsKnown()) {
    if (kind == ConditionKind::kAssertion) {
      Diagnostic& warning =
          diags.Warning(std::string(Describe(kind)) + " known after apply",
                        "The condition could not be evaluated at this time, a result will be "
                        "known when this plan is applied.",
                        expr.range());
      warning.origin = MakeOrigin(ObjectKind(kind), object);
      describe(warning);
    }
    return {CheckStatus::kUnknown, ""};
  }
  auto invalid = [&](std::string detail) -> ConditionResult {
    describe(diags.Error("Invalid condition result", std::move(detail), expr.range()));
    return {CheckStatus::kError, ""};
  };
  if (value.IsNull()) {
    return invalid("Condition expression must return either true or false, not null.");
  }
  ValueResult<Value> flag = Convert(value, Type::Bool());
  if (!flag) {
    return invalid("Invalid condition result value: " + flag.error().ToText() + ".");
  }
  if (flag->AsBool()) {
    return {CheckStatus::kPass, ""};
  }
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.summary = std::string(Describe(kind)) + " failed";
  diagnostic.detail = message.empty() ? "This check failed, but has an invalid error message as "
                                        "described in the other accompanying messages."
                                      : message;
  diagnostic.subject = expr.range();
  diagnostic.origin = MakeOrigin(ObjectKind(kind), object);
  describe(diagnostic);
  diags.Add(std::move(diagnostic));
  return {CheckStatus::kFail, message};
}

ConditionResult EvaluateValidationRule(const config::Condition& rule,
                                       const ValidatedVariable& variable, const lang::Scope& scope,
                                       Diagnostics& diags) {
  return ValidationRule(rule, scope, diags).Run(variable);
}

}  // namespace kinu::meta_arguments
