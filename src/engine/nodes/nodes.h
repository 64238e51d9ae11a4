// Node functions: what executing a node means in each walk. Each works on all instances of its
// block and writes only the slots that the node owns.
#pragma once

#include "engine/checks.h"
#include "engine/walk.h"

namespace kinu::engine {

/// Problems of planning one object's end. They are reported once it is known that nothing stays
/// that has to go before it.
struct RowDiagnostics {
  ResourceInstance address;
  Diagnostics diags;
};
using RowDiagnosticsByNode = std::vector<std::vector<RowDiagnostics>>;

/// What node functions share during one walk besides the Walk itself.
struct NodeContext {
  Walk& walk;
  CheckRecord& checks;
  /// Conditions that fail are warnings (refresh-only, before a destroy).
  Severity condition_severity = Severity::kError;
  /// Planning to destroy everything: values come from the state, checks do not run.
  bool destroying = false;
  /// Planning to destroy what -target or -exclude say: the objects that go. Null: all.
  const FlatSet<ResourceInstance>* selected = nullptr;
  /// The same for deposed objects, which go when their address is wanted, even with dependents.
  const Targets* destroy_targets = nullptr;
  /// Planning to destroy: takes the place of the nodes' diagnostics.
  RowDiagnosticsByNode* row_diags = nullptr;
  /// Applying: values of root outputs that the plan knows already, by index; empty: none.
  std::vector<const Value*> known_outputs;
  /// Whether an object without a block is to be worked on.
  bool Wants(const ResourceInstance& instance) const;
  /// Whether deposed objects of an instance are to be worked on.
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

/// Turns a provider's problems into diagnostics: a problem with an attribute path points at that
/// attribute in the body, one without at the body. Ref: tfdiags InConfigBody.
void AppendProblems(const provider::Problems& problems, const hcl::Body* body,
                    const std::string& address, Diagnostics& diags);

/// Adds the rows of the state whose module instance is gone.
void CollectStrays(const Walk& walk, const Node& node, BlockSlot& slot);

/// Expands a resource in one module instance into rows: those wanted, then those in the state that
/// are wanted no more.
bool ExpandResource(NodeContext& context, NodeId id, ModuleInstance& instance, Diagnostics& diags);

/// Evaluates a resource's repetition in one module instance. A block that names itself there
/// sees its objects of `stored`, but for those that are `going`.
Expansion ExpandBlock(Walk& walk, ModuleInstance& instance, size_t index,
                      const state::Resource* stored, const FlatSet<InstanceKey>& going,
                      Diagnostics& diags);

/// The address of an object of a module instance: `module.m[0].output.x`.
std::string ObjectAddress(const Walk& walk, const ModuleInstance& instance, std::string_view kind,
                          Symbol name);

}  // namespace kinu::engine
