// The functions that execute nodes. Each works on all instances of its block and writes only the
// slots that the node owns.
#pragma once

#include "engine/checks.h"
#include "engine/walk.h"

namespace kinu::engine {

/// Diagnostics of planning the removal of one object. They are reported unless an object stays that
/// must be removed before it.
struct RowDiagnostics {
  ResourceInstance address;
  Diagnostics diags;
};
using RowDiagnosticsByNode = std::vector<std::vector<RowDiagnostics>>;

/// The input of node functions during one walk.
struct NodeContext {
  Walk& walk;
  CheckRecord& checks;
  /// Conditions that fail are warnings (refresh-only, before a destroy).
  Severity condition_severity = Severity::kError;
  /// Planning to destroy everything: values come from the state, checks do not run.
  bool destroying = false;
  /// Planning a destruction with -target or -exclude: the objects to destroy. Null: all.
  const FlatSet<ResourceInstance>* selected = nullptr;
  /// The targets for deposed objects, which are destroyed even if they have dependents.
  const Targets* destroy_targets = nullptr;
  /// Planning to destroy: receives diagnostics in place of those of the nodes.
  RowDiagnosticsByNode* row_diags = nullptr;
  /// Applying: the values of outputs that the plan knows.
  FlatMap<ResourceInstance, const Value*> known_outputs;  // by NamedObject()
  /// Whether -target and -exclude select an object without a block.
  bool Wants(const ResourceInstance& instance) const;
  /// Whether -target and -exclude select the deposed objects of an instance.
  bool WantsDeposed(const ResourceInstance& instance) const {
    return destroy_targets != nullptr ? destroy_targets->Wants(instance) : Wants(instance);
  }
};

/// Makes the instances of a module call (count, for_each) in each instance of its parent.
void ExpandModule(NodeContext& context, NodeId id, Diagnostics& diags);
void EvaluateVariable(NodeContext& context, NodeId id, Diagnostics& diags);
void EvaluateLocal(NodeContext& context, NodeId id, Diagnostics& diags);
void EvaluateOutput(NodeContext& context, NodeId id, Diagnostics& diags);
void EvaluateCheck(NodeContext& context, NodeId id, Diagnostics& diags);
/// Starts, validates and (except in validation) configures a provider.
void ConfigureProvider(NodeContext& context, NodeId id, Diagnostics& diags);

void ValidateResource(NodeContext& context, NodeId id, Diagnostics& diags);
void PlanResource(NodeContext& context, NodeId id, Diagnostics& diags);
void PlanOrphan(NodeContext& context, NodeId id, Diagnostics& diags);
void PlanDeposed(NodeContext& context, NodeId id, Diagnostics& diags);

/// Closes the ephemeral objects of a block.
void CloseEphemerals(NodeContext& context, NodeId id, Diagnostics& diags);

/// Appends the problems of a provider as diagnostics. A problem with an attribute path points at
/// that attribute in the body, one without at the body. Ref: tfdiags InConfigBody.
void AppendProblems(const provider::Problems& problems, const hcl::Body* body,
                    const std::string& address, Diagnostics& diags);

/// Adds the rows of the state whose module instance no longer exists.
void CollectStrays(const Walk& walk, const Node& node, BlockSlot& slot);

/// Expands a resource in one module instance into rows: those of the expansion, then orphans of the
/// state. False after an error.
bool ExpandResource(NodeContext& context, NodeId id, ModuleInstance& instance, Diagnostics& diags);

/// Evaluates the repetition of a resource in one module instance. A repetition that refers to its
/// own block sees the objects of `stored`, without the `going` ones.
Expansion ExpandBlock(Walk& walk, ModuleInstance& instance, size_t index,
                      const state::Resource* stored, const FlatSet<InstanceKey>& going,
                      Diagnostics& diags);

/// The object of a module instance that a CheckRecord knows by name: a variable, output or check.
inline ResourceInstance NamedObject(ModuleInstId module, Symbol name) {
  return {{module, {.name = name}}, {}};
}
inline ResourceInstance NamedObject(const ModuleInstance& instance, Symbol name) {
  return NamedObject(instance.id, name);
}

}  // namespace kinu::engine
