#include <algorithm>
#include <string>
#include <vector>

#include "lang/eval.h"
#include "lang/scope.h"
#include "text/suggest.h"

namespace kinu::lang {

Value VariableScope::Resolve(const hcl::TraversalExpr& traversal, Diagnostics& diags) const {
  if (variables_ == nullptr) {
    diags.Error("Variables not allowed", "No variables can be used here.", traversal.root_range());
    return Value::DynamicUnknown();
  }
  const auto found = variables_->find(traversal.root);
  if (found != variables_->end()) {
    return ApplySteps(found->second, traversal.steps, traversal, diags);
  }
  std::vector<std::string_view> names;
  names.reserve(variables_->size());
  for (const auto& [name, value] : *variables_) {
    names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  std::string detail = "There is no variable named \"" + std::string(traversal.root) + "\".";
  if (const std::string_view similar = text::SuggestName(traversal.root, names); !similar.empty()) {
    detail += " Did you mean \"" + std::string(similar) + "\"?";
  }
  diags.Error("Unknown variable", std::move(detail), traversal.root_range());
  return Value::DynamicUnknown();
}

const functions::Callable* VariableScope::FindFunction(std::string_view name) const {
  return functions_ == nullptr ? nullptr : functions_->Find(name);
}

std::vector<std::string_view> VariableScope::FunctionNames() const {
  std::vector<std::string_view> names;
  if (functions_ != nullptr) {
    names.reserve(functions_->specs().size());
    for (const functions::FunctionSpec* spec : functions_->specs()) {
      names.push_back(spec->name);
    }
  }
  return names;
}

}  // namespace kinu::lang
