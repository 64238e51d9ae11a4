// lifecycle.prevent_destroy. Ref: opentofu internal/tofu/node_resource_abstract_instance.go
// checkPreventDestroy.
#include "cty/conversion.h"
#include "engine/rows/rows.h"
#include "hcl/static.h"
#include "lang/deprecation.h"
#include "lang/eval.h"
#include "text/quote.h"

namespace kinu::engine {
namespace {

/// An instance whose module instance is gone is protected as those that are left.
const ModuleInstance& ProtectingInstance(const RowContext& row) {
  const Walk& walk = row.walk();
  if (row.instance != nullptr) {
    return *row.instance;
  }
  const config::ConfigNode* place =
      walk.config.Find(walk.program.ModuleOf(row.address.resource.module));
  const bool any = place != nullptr && !walk.slots.instances[place->index].empty();
  return any ? *walk.slots.instances[place->index][0] : *walk.slots.root;
}

/// The argument also protects instances that the configuration has no longer, so it cannot depend
/// on an instance.
bool NamesInstance(const hcl::Expr& expr, Diagnostics& diags) {
  const size_t errors = diags.error_count();
  std::vector<const hcl::TraversalExpr*> traversals;
  hcl::CollectTraversals(expr, traversals);
  for (const hcl::TraversalExpr* traversal : traversals) {
    if ((traversal->root != "count" && traversal->root != "each") || traversal->steps.empty()) {
      continue;
    }
    SourceRange range = traversal->range();
    range.end = traversal->steps[0].end;
    diags.Error("Invalid reference in prevent_destroy",
                "A prevent_destroy argument cannot refer to " + std::string(range.text()) +
                    ": it is also evaluated for instances that the configuration has no longer, "
                    "whose keys and values are not known.",
                range);
  }
  return diags.error_count() != errors;
}

class ArgumentCheck {
 public:
  ArgumentCheck(const RowContext& row, const lang::Scope& scope, Diagnostics& diags)
      : row_(row), scope_(scope), diags_(diags) {}

  /// The value as a boolean without marks, or nothing after an error.
  std::optional<Value> Evaluate() {
    const size_t errors = diags_.error_count();
    Value value = lang::Evaluate(expr_, scope_, diags_);
    if (diags_.error_count() != errors) {
      return std::nullopt;
    }
    const ValueResult<Value> flag = Convert(value, Type::Bool());
    if (!flag) {
      Report("has an invalid value for its prevent_destroy argument: " + flag.error().ToText() +
             ".");
      return std::nullopt;
    }
    value = lang::WarnDeprecated(*flag, expr_, diags_);
    const MarkSet marks = value.marks();
    if (marks.sensitive()) {
      Report(
          "has a sensitive value for its prevent_destroy argument, which would be disclosed by "
          "whether the object may be destroyed. If the value is no secret, nonsensitive() says "
          "so.",
          DiagnosticTag::kCausedBySensitive);
    }
    if (marks.ephemeral()) {
      Report(
          "has an ephemeral value for its prevent_destroy argument, but the plan and the apply "
          "must decide the same.");
    }
    return diags_.error_count() == errors ? std::optional(value.Unmark()) : std::nullopt;
  }

  void Report(const std::string& problem, DiagnosticTag tag = DiagnosticTag::kNone) {
    Diagnostic& diagnostic =
        diags_.Error("Invalid value for prevent_destroy",
                     "Resource instance " + row_.AddressText() + ' ' + problem, expr_.range());
    diagnostic.tag = tag;
    lang::DescribeValues(expr_, scope_, nullptr, diagnostic);
  }

 private:
  const RowContext& row_;
  const hcl::Expr& expr_ = *row_.resource.prevent_destroy;
  const lang::Scope& scope_;
  Diagnostics& diags_;
};

}  // namespace

bool CheckPreventDestroy(const RowContext& row, bool destroys, Diagnostics& diags) {
  if (row.resource.prevent_destroy == nullptr) {
    return true;
  }
  if (NamesInstance(*row.resource.prevent_destroy, diags)) {
    return false;
  }
  const ModuleScope scope(row.walk(), ProtectingInstance(row));
  Diagnostics found;
  const std::optional<Value> flag = ArgumentCheck(row, scope, found).Evaluate();
  if (flag && !destroys) {
    return true;  // what is not used is not warned about
  }
  diags.Append(std::move(found));
  if (!flag) {
    return false;
  }
  ArgumentCheck check(row, scope, diags);
  const std::string resource = row.walk().program.ToText(row.address.resource);
  const std::string exclude = "-exclude=" + text::GoQuote(resource);
  if (!flag->IsKnown()) {
    check.Report(
        "has a prevent_destroy argument but its value will not be known until the apply "
        "step, so nothing says whether the object may be destroyed. To leave it out of "
        "this round:\n    " +
            exclude,
        DiagnosticTag::kCausedByUnknown);
    return false;
  }
  if (flag->IsNull()) {
    check.Report("has prevent_destroy set to null. To allow the destruction, use false instead.");
    return false;
  }
  if (flag->AsBool()) {
    diags.Error("Resource instance cannot be destroyed",
                "Resource instance " + row.AddressText() +
                    " has prevent_destroy set, but the plan calls for it to be destroyed.\n\n"
                    "Remove prevent_destroy, or leave the object out of the plan:\n    " +
                    exclude,
                row.resource.range);
  }
  return !flag->AsBool();
}

}  // namespace kinu::engine
