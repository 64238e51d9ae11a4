#include "check/expression.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "hcl/static.h"

namespace kinu::check {
namespace {

constexpr std::pair<std::string_view, Name> kConditionNames[] = {
    {"address", Name::kAddress},
    {"module", Name::kModule},
    {"provider", Name::kProvider},
    {"type", Name::kType},
    {"name", Name::kResourceName},
    {"mode", Name::kMode},
    {"index", Name::kIndex},
    {"actions", Name::kActions},
    {"action_reason", Name::kActionReason},
    {"change", Name::kChange},
    {"before", Name::kBefore},
    {"after", Name::kAfter},
    {"values", Name::kValues},
    {"value", Name::kValue},
    {"path", Name::kPath},
};

}  // namespace

std::optional<Name> FindName(std::string_view text) {
  const auto* found =
      std::ranges::find(kConditionNames, text, [](const auto& row) { return row.first; });
  return found == std::end(kConditionNames) ? std::nullopt : std::optional(found->second);
}

const functions::Callable* FindFunction(std::string_view name) {
  return name.ends_with("nonsensitive") ? nullptr : functions::Table::Standard().Find(name);
}

Expression::Expression(const hcl::Expr& syntax) : syntax_(syntax) {
  std::vector<const hcl::TraversalExpr*> traversals;
  std::vector<const hcl::CallExpr*> calls;
  hcl::CollectTraversalsAndCalls(syntax, traversals, calls);
  for (const hcl::TraversalExpr* traversal : traversals) {
    if (const std::optional<Name> name = FindName(traversal->root)) {
      names_.emplace(reinterpret_cast<uintptr_t>(traversal), *name);
    }
  }
  for (const hcl::CallExpr* call : calls) {
    functions_.emplace(reinterpret_cast<uintptr_t>(call), FindFunction(call->name));
  }
}

std::optional<Name> Expression::NameOf(const hcl::TraversalExpr& traversal) const {
  const auto found = names_.find(reinterpret_cast<uintptr_t>(&traversal));
  return found == names_.end() ? std::nullopt : std::optional(found->second);
}

const functions::Callable* Expression::FunctionOf(const hcl::CallExpr& call) const {
  const auto found = functions_.find(reinterpret_cast<uintptr_t>(&call));
  return found == functions_.end() ? FindFunction(call.name) : found->second;
}

}  // namespace kinu::check
