#include "config/offline_values.h"

#include <algorithm>

#include "base/files.h"
#include "config/static_value.h"

namespace kinu::config {
namespace {

/// Explains, in place of the loader's words, why a name has no value.
void ExplainForReaders(Diagnostic& problem) {
  if (problem.kind != DiagnosticKind::kDynamicValue) {
    return;
  }
  problem.summary = "Value not available";
  problem.detail = "The value of " + std::string(problem.subject.text()) +
                   " needs a state or a provider, which are not read here: \"kinu console\" reads "
                   "them. Variables, local values, outputs of modules, paths and functions can be "
                   "used.";
}

}  // namespace

OfflineValues::OfflineValues(const Config& config, const RawInputs& inputs, std::string workspace,
                             const Diagnostics& of_modules)
    : config_(config) {
  options_.workspace = std::move(workspace);
  evaluator_ =
      std::make_unique<StaticEvaluator>(*config.program, options_, config.root().source_dir);
  evaluator_->ReadOutputs([&of_modules](const ConfigNode& node) {
    return std::ranges::none_of(of_modules, [&](const Diagnostic& problem) {
      return problem.is_error() && problem.subject.valid() &&
             DirName(problem.subject.file->root().name()) == node.source_dir;
    });
  });
  evaluator_->SetCaller([&config, &inputs](const Variable& variable,
                                           Diagnostics& diags) -> std::optional<InputValue> {
    const std::string name(config.program->Text(variable.name));
    if (const auto raw = inputs.values.find(name); raw != inputs.values.end()) {
      return ReadInput(name, raw->second, variable, *inputs.tree, diags);
    }
    if (!variable.default_value) {
      diags.Error("No value for required variable",
                  "The variable \"" + name +
                      "\" has no default: give it a value with -var or "
                      "-var-file.",
                  variable.range);
    }
    return std::nullopt;
  });
}

OfflineValues::~OfflineValues() = default;

bool OfflineValues::lacks_module() const {
  return evaluator_->lacks_module();
}

Value OfflineValues::Evaluate(const hcl::Expr& expr,
                              const std::function<Value(const lang::Scope&)>& use,
                              Diagnostics& diags) {
  const size_t first = diags.size();
  Value value = evaluator_->EvaluateArgument(config_.root(), expr, {"The expression", expr.range()},
                                             use, diags);
  for (size_t i = first; i < diags.size(); ++i) {
    ExplainForReaders(diags.list()[i]);
  }
  return value;
}

}  // namespace kinu::config
