#include <algorithm>
#include <string>
#include <vector>

#include "lang/eval.h"
#include "lang/scope.h"
#include "text/suggest.h"

namespace kinu::lang {

void ExplainConfigurationFunction(std::string_view name, Diagnostic& diagnostic) {
  std::vector<std::string_view> parts;
  for (size_t start = 0; start <= name.size();) {
    const size_t end = std::min(name.find("::", start), name.size());
    parts.push_back(name.substr(start, end - start));
    start = end + 2;
  }
  if (parts.size() < 2) {
    return;
  }
  if (parts.front() == "core") {
    diagnostic.summary = "Call to unknown function";
    diagnostic.detail =
        "There is no builtin (core::) function named \"" + std::string(parts.back()) + "\".";
  } else if (parts.front() != "provider") {
    diagnostic.summary = "Unknown function namespace";
    diagnostic.detail = "Function \"" + std::string(name) +
                        "\" does not exist within a valid namespace (provider,core)";
  }
}

namespace {

bool IsInProviders(std::string_view function) {
  return function.starts_with("provider::");
}

}  // namespace

bool NamesProviderFunction(std::string_view function) {
  size_t separators = 0;
  for (size_t at = function.find("::"); at != std::string_view::npos;
       at = function.find("::", at + 2)) {
    ++separators;
  }
  return IsInProviders(function) && (separators == 2 || separators == 3);
}

void CheckFunctionNames(std::span<const hcl::CallExpr* const> calls, Diagnostics& diags) {
  for (const hcl::CallExpr* call : calls) {
    if (IsInProviders(call->name) && !NamesProviderFunction(call->name)) {
      diags.Error("Unable to parse provider function",
                  "invalid provider function \"" + std::string(call->name) +
                      "\": expected provider::<name>::<function> or "
                      "provider::<name>::<alias>::<function>",
                  {call->file(), call->begin, call->name_end});
    }
  }
}

Value VariableScope::Resolve(const hcl::TraversalExpr& traversal, Diagnostics& diags) const {
  if (variables_ == nullptr) {
    diags.Error("Variables not allowed", "Variables may not be used here.", traversal.root_range());
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

const functions::Callable* Scope::FunctionOf(const hcl::CallExpr& call) const {
  return FindFunction(call.name);
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
