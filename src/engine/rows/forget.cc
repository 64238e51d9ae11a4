// Objects that leave the state without being destroyed. Ref: opentofu
// internal/tofu/node_resource_plan_orphan.go, node_resource_deposed.go.
#include "cty/conversion.h"
#include "cty/ops.h"
#include "engine/rows/rows.h"
#include "lang/eval.h"
#include "refactoring/refactoring.h"

namespace kinu::engine {

bool BlockKeepsObject(const RowContext& row, Diagnostics& diags) {
  if (row.resource.destroy == nullptr) {
    return false;
  }
  // It must be a constant: the scope has no names and no functions.
  const ModuleScope around(row.walk(), *row.walk().slots.root);
  const lang::VariableScope nothing(nullptr, nullptr, around.call_context());
  Diagnostics not_constant;
  const Value value = lang::Evaluate(*row.resource.destroy, nothing, not_constant);
  if (not_constant.has_errors() || value.type() != Type::Bool()) {
    diags.Error(
        "Invalid lifecycle destroy expression",
        "lifecycle.destroy of " + row.AddressText() + " must be the constant true or false.",
        row.resource.destroy->range());
    return false;
  }
  return value.IsKnown() && !value.IsNull() && !value.AsBool();
}

bool KeepAsConfigured(RowContext& row, Diagnostics& diags) {
  const size_t errors = diags.error_count();
  row.row.keeps_object = BlockKeepsObject(row, diags);
  return diags.error_count() == errors;
}

Disposal DecideDisposal(RowContext& row, const state::Object& object, bool deposed,
                        Diagnostics& diags) {
  Disposal out;
  if (BlockKeepsObject(row, diags)) {
    out = {true, plan::Reason::kForgetConfig};
  } else if (object.skip_destroy) {
    out = {true, plan::Reason::kForgetState};
  }
  const refactoring::Refactoring* refactoring = row.walk().context.refactoring;
  // `removed` blocks do not apply when everything is destroyed.
  if (refactoring != nullptr && !row.node.destroying) {
    if (const refactoring::RemovedStatement* statement =
            refactoring->FindRemoved(row.address.resource)) {
      out.forget = !statement->block->destroy;
    }
  }
  // A destruction of everything reports this with the configuration.
  if (out.forget && (deposed || !row.node.destroying)) {
    diags.Warning("Resource will be removed from the state",
                  "After this plan is applied, the resource " + row.AddressText() +
                      " will not be managed anymore by OpenTofu.\n\nIt goes on to exist. To manage "
                      "it again, import it.");
  }
  return out;
}

plan::ResourceChange PlanForget(RowContext& row, const Value& prior, const ProviderNotes& notes,
                                plan::Reason reason) {
  plan::ResourceChange change = StartRemoval(row);
  change.action = plan::Action::kForget;
  change.reason = reason;
  change.before = WithUnsignedZeros(prior);
  change.before_identity = notes.identity;
  change.after = Value::Null(row.info.schema->block.implied_type());
  return change;
}

}  // namespace kinu::engine
