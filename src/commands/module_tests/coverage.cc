#include "module_tests/coverage.h"

#include "hcl/body.h"
#include "hcl/walk.h"

namespace kinu::module_tests {
std::string_view PluralOf(PartKind kind) {
  constexpr std::string_view kNames[] = {"resources", "outputs", "conditions", "branches"};
  return kNames[static_cast<size_t>(kind)];
}

void CoverageRecord::Reach(const SourceRange& part) {
  if (part.valid()) {
    const std::scoped_lock hold(mutex_);
    reached_.insert(PlaceOf(part));
  }
}

void CoverageRecord::Take(const hcl::ConditionalExpr& expr, bool true_branch) {
  const std::scoped_lock hold(mutex_);
  taken_[true_branch ? 1 : 0].insert(PlaceOf(expr.range()));
}

/// Counts the parts of modules.
class CoverageCounter {
 public:
  CoverageCounter(const CoverageRecord& record, const Program& program, CoverageSummary& summary)
      : record_(record), program_(program), summary_(summary) {}

  void Count(const config::Module& module);

 private:
  void Part(PartKind kind, bool reached, std::string name, const SourceRange& range) {
    const auto index = static_cast<size_t>(kind);
    ++summary_.total[index];
    if (reached) {
      ++summary_.reached[index];
    } else {
      summary_.missed.push_back({kind, std::move(name), range});
    }
  }
  bool Reached(const SourceRange& part) const {
    return record_.reached_.contains(CoverageRecord::PlaceOf(part));
  }
  void Conditions(const std::vector<config::Condition>& conditions) {
    for (const config::Condition& rule : conditions) {
      Part(PartKind::kCondition, Reached(rule.condition->range()), "condition",
           rule.condition->range());
      Branches(rule.condition);
      Branches(rule.error_message);
    }
  }
  void Branches(const hcl::Expr* expr);
  void Branches(const hcl::Body* body);

  const CoverageRecord& record_;
  const Program& program_;
  CoverageSummary& summary_;
};

void CoverageCounter::Branches(const hcl::Expr* expr) {
  if (expr == nullptr) {
    return;
  }
  if (expr->kind != hcl::ExprKind::kConditional) {
    hcl::ForEachChild(*expr, [&](const hcl::Expr& child) { Branches(&child); });
    return;
  }
  const auto& conditional = static_cast<const hcl::ConditionalExpr&>(*expr);
  Branches(conditional.condition);
  for (const bool branch : {true, false}) {
    const hcl::Expr* result = branch ? conditional.true_result : conditional.false_result;
    const bool taken =
        record_.taken_[branch ? 1 : 0].contains(CoverageRecord::PlaceOf(conditional.range()));
    Part(PartKind::kBranch, taken, branch ? "true branch" : "false branch", result->range());
    Branches(result);
  }
}

void CoverageCounter::Branches(const hcl::Body* body) {
  if (body == nullptr) {
    return;
  }
  if (const auto* native = dynamic_cast<const hcl::NativeBody*>(body)) {
    for (const hcl::NativeAttribute& attribute : native->attributes) {
      Branches(attribute.expr);
    }
    for (const hcl::NativeBlock& block : native->blocks) {
      // Conditions in nested blocks are counted as conditions.
      if (block.type != "lifecycle") {
        Branches(block.body);
      }
    }
    return;
  }
  Diagnostics ignored;
  for (const hcl::Attribute& attribute : body->JustAttributes({}, ignored)) {
    Branches(attribute.expr);
  }
}

void CoverageCounter::Count(const config::Module& module) {
  for (const config::Variable& variable : module.variables) {
    Conditions(variable.validations);
  }
  for (const config::Local& local : module.locals) {
    Branches(local.expr);
  }
  for (const config::ModuleCall& call : module.calls) {
    Branches(call.body);
  }
  for (const config::Resource& resource : module.resources) {
    Part(PartKind::kResource, Reached(resource.range), program_.ToText(resource.name),
         resource.range);
    Branches(resource.body);
    Conditions(resource.preconditions);
    Conditions(resource.postconditions);
  }
  for (const config::Check& check : module.checks) {
    Conditions(check.asserts);
  }
  for (const config::Output& output : module.outputs) {
    Part(PartKind::kOutput, Reached(output.expr->range()),
         "output." + std::string(program_.Text(output.name)), output.range);
    Branches(output.expr);
    Conditions(output.preconditions);
  }
}

CoverageSummary CoverageRecord::Summarize(const config::Config& config,
                                          std::string_view installed) const {
  const std::scoped_lock hold(mutex_);
  CoverageSummary summary;
  CoverageCounter counter(*this, *config.program, summary);
  std::set<const config::Module*> counted;
  for (const auto& node : config.nodes) {
    if (!node->module->dir.starts_with(installed) && counted.insert(node->module).second) {
      counter.Count(*node->module);
    }
  }
  return summary;
}

}  // namespace kinu::module_tests
