#include "module_tests/assertions.h"

#include <algorithm>
#include <string>
#include <utility>

#include "cty/conversion.h"
#include "cty/ops.h"
#include "engine/reference_check.h"
#include "engine/root_outputs.h"
#include "engine/scope.h"
#include "hcl/static.h"
#include "lang/deprecation.h"
#include "lang/eval.h"
#include "meta_arguments/conditions.h"

namespace kinu::module_tests {
namespace {

/// The names of the module under test, with the outputs and the variables as tests see them.
class AssertionScope final : public engine::FunctionsOfModule {
 public:
  AssertionScope(const engine::Walk& walk, const Variables& variables)
      : FunctionsOfModule(root_),
        walk_(walk),
        root_(walk, *walk.slots.root),
        variables_(variables) {}

  Value Resolve(const hcl::TraversalExpr& traversal, Diagnostics& diags) const override;

  /// Reports references that have no value here.
  engine::References Check(std::span<const hcl::Expr* const> exprs, Diagnostics& diags) const;

 private:
  const config::Module& module() const { return *walk_.config.root().module; }
  /// The attribute that follows the root of a traversal; empty: something else does.
  static std::string_view Member(const hcl::TraversalExpr& traversal, std::string_view root) {
    return traversal.root == root && !traversal.steps.empty() ? traversal.steps[0].name()
                                                              : std::string_view();
  }
  Value Output(size_t index) const;
  Value Variable(std::string_view name, const Value& value) const;

  const engine::Walk& walk_;
  const engine::ModuleScope root_;
  const Variables& variables_;
};

Value AssertionScope::Output(size_t index) const {
  // As a state has it, which also holds for what is only known after an apply.
  return UnknownAsNull(engine::RootOutput(walk_, index));
}

Value AssertionScope::Variable(std::string_view name, const Value& value) const {
  const int index = module().FindVariable(walk_.program.Find(name));
  if (index < 0) {
    return value;
  }
  const config::Variable& declared = module().variables[static_cast<size_t>(index)];
  MarkSet marks;
  if (declared.sensitive) {
    marks = marks.Union(MarkSet::Sensitive());
  }
  if (declared.ephemeral) {
    marks = marks.Union(MarkSet::Ephemeral());
  }
  return value.WithMarks(marks);
}

Value AssertionScope::Resolve(const hcl::TraversalExpr& traversal, Diagnostics& diags) const {
  const auto rest = [&] { return traversal.steps.subspan(1); };
  if (const std::string_view name = engine::OutputName(traversal); !name.empty()) {
    const int index = engine::FindRootOutput(walk_, name);
    return index < 0
               ? Value::DynamicUnknown()
               : lang::ApplySteps(Output(static_cast<size_t>(index)), rest(), traversal, diags);
  }
  if (const std::string_view name = Member(traversal, "var"); !name.empty()) {
    if (const auto found = variables_.find(name); found != variables_.end()) {
      return lang::ApplySteps(Variable(name, found->second), rest(), traversal, diags);
    }
  }
  return root_.Resolve(traversal, diags);
}

engine::References AssertionScope::Check(std::span<const hcl::Expr* const> exprs,
                                         Diagnostics& diags) const {
  const size_t errors = diags.error_count();
  std::vector<const hcl::TraversalExpr*> traversals;
  for (const hcl::Expr* expr : exprs) {
    hcl::CollectTraversals(*expr, traversals);
  }
  std::vector<const hcl::TraversalExpr*> of_module;
  bool wrong = false;
  for (const hcl::TraversalExpr* traversal : traversals) {
    const std::string_view output = engine::OutputName(*traversal);
    if (!output.empty() && engine::FindRootOutput(walk_, output) < 0) {
      engine::ReportUndeclaredOutput(walk_, *traversal, diags);
    } else if (!Member(*traversal, "check").empty()) {
      wrong = true;
      diags.Error("Reference to \"check\" in invalid context",
                  "The \"check\" object can only be referenced from an \"expect_failures\" "
                  "attribute within a testing \"run\" block.",
                  {traversal->file(), traversal->begin, traversal->steps[0].end});
    } else if (output.empty() && !variables_.contains(Member(*traversal, "var"))) {
      of_module.push_back(traversal);
    }
  }
  const engine::References found =
      engine::ReferenceCheck(walk_, walk_.config.root()).Traversals(of_module, diags);
  if (wrong) {
    return engine::References::kWrong;
  }
  return diags.error_count() != errors ? std::max(found, engine::References::kUnsound) : found;
}

/// A scope whose wrong references were reported: they are unknown.
class ReportedScope final : public lang::Scope {
 public:
  explicit ReportedScope(const AssertionScope& inner) : inner_(inner) {}

  Value Resolve(const hcl::TraversalExpr& traversal, Diagnostics&) const override {
    Diagnostics reported;
    Value value = inner_.Resolve(traversal, reported);
    return reported.has_errors() ? Value::DynamicUnknown() : value;
  }
  const functions::Callable* FindFunction(std::string_view name) const override {
    return inner_.FindFunction(name);
  }
  const functions::CallContext& call_context() const override { return inner_.call_context(); }

 private:
  const AssertionScope& inner_;
};

/// Evaluates one assertion.
class Assertion {
 public:
  Assertion(const config::Condition& assertion, const AssertionScope& scope, Diagnostics& diags)
      : assertion_(assertion), scope_(scope), diags_(diags) {}

  Status Run();

 private:
  // NOLINTBEGIN(bugprone-return-const-ref-from-parameter): the caller's scopes outlive the result
  const lang::Scope& ScopeFor(engine::References references, const lang::Scope& reported,
                              const lang::Scope& empty) const {
    switch (references) {
      case engine::References::kSound:
        return scope_;
      case engine::References::kUnsound:
        return reported;
      case engine::References::kWrong:
        return empty;
    }
    return empty;
  }
  // NOLINTEND(bugprone-return-const-ref-from-parameter)
  void Report(std::string summary, std::string detail, const lang::Scope& scope) {
    const hcl::Expr& condition = *assertion_.condition;
    lang::DescribeValues(condition, scope, nullptr,
                         diags_.Error(std::move(summary), std::move(detail), condition.range()));
  }

  const config::Condition& assertion_;
  const AssertionScope& scope_;
  Diagnostics& diags_;
};

Status Assertion::Run() {
  const size_t errors = diags_.error_count();
  const hcl::Expr* exprs[] = {assertion_.condition, assertion_.error_message};
  const hcl::Expr& condition = *assertion_.condition;
  // After a wrong reference no name has a value.
  const FlatMap<std::string, Value> nothing;
  const lang::VariableScope empty(&nothing, &functions::Table::Standard(), scope_.call_context());
  const ReportedScope reported(scope_);
  const lang::Scope& scope = ScopeFor(scope_.Check(exprs, diags_), reported, empty);
  std::string message =
      meta_arguments::EvaluateErrorMessage(*assertion_.error_message, scope, diags_);
  const Value value =
      lang::WarnDeprecated(lang::Evaluate(condition, scope, diags_), condition, diags_).Unmark();
  if (diags_.error_count() != errors) {
    return Status::kError;
  }
  if (value.IsNull()) {
    Report("Invalid condition run",
           "Condition expression must return either true or false, not null.", scope);
    return Status::kError;
  }
  if (!value.IsKnown()) {
    Report("Unknown condition run", "Condition expression could not be evaluated at this time.",
           scope);
    return Status::kError;
  }
  const ValueResult<Value> flag = Convert(value, Type::Bool());
  if (!flag) {
    Report("Invalid condition run", "Invalid condition run value: " + flag.error().ToText() + ".",
           scope);
    return Status::kError;
  }
  if (flag->AsBool()) {
    return Status::kPass;
  }
  Report("Test assertion failed", std::move(message), scope);
  return Status::kFail;
}

}  // namespace

Assertions::Assertions(const config::TestRun& run, Variables variables)
    : run_(run), variables_(std::move(variables)) {
  for (const config::Condition& assertion : run.asserts) {
    expressions_.push_back(assertion.condition);
    expressions_.push_back(assertion.error_message);
  }
}

void Assertions::Inspect(const engine::Walk& walk) {
  const AssertionScope scope(walk, variables_);
  Status status = Status::kPass;
  diags_ = Diagnostics();
  for (const config::Condition& assertion : run_.asserts) {
    status = Merge(status, Assertion(assertion, scope, diags_).Run());
  }
  status_ = status;
}

}  // namespace kinu::module_tests
