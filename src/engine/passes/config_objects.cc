#include "engine/passes/passes.h"

namespace kinu::engine {

void AddConfigObjects(PlanGraph& graph) {
  for (const auto& owned : graph.config.nodes) {
    const config::ConfigNode& node = *owned;
    const config::Module& module = *node.module;
    PlanGraph::Bases& base = graph.bases[node.index];
    auto add = [&](NodeKind kind, size_t count) {
      NodeId first = static_cast<NodeId>(graph.size());
      for (size_t i = 0; i < count; ++i) {
        graph.Add({kind, node.index, static_cast<uint32_t>(i)});
      }
      return first;
    };
    if (node.parent != nullptr) {
      base.module = add(NodeKind::kModule, 1);
      base.module_end = add(NodeKind::kModuleEnd, 1);
    }
    base.variables = add(NodeKind::kVariable, module.variables.size());
    base.locals = add(NodeKind::kLocal, module.locals.size());
    base.outputs = add(NodeKind::kOutput, module.outputs.size());
    base.resources = add(NodeKind::kResource, module.resources.size());
    base.checks = add(NodeKind::kCheck, module.checks.size());
    graph.blocks[node.index].resize(module.resources.size());
  }
}

void AddStateObjects(PlanGraph& graph) {
  if (graph.context.prior_state == nullptr) {
    return;
  }
  // The eval walk has no nodes for objects without a block.
  const bool only_configured = graph.context.kind == WalkKind::kEval;
  Program& program = graph.program;
  for (const auto& resource : graph.context.prior_state->resources) {
    const AbsResource& address = resource->address;
    const config::ConfigNode* node = graph.config.Find(program.ModuleOf(address.module));
    int block = node == nullptr ? -1 : node->module->FindResource(address.resource);
    bool configured = block >= 0;
    if (configured) {
      graph.blocks[node->index][static_cast<size_t>(block)].stored.push_back(&*resource);
    }
    if (only_configured) {
      continue;
    }
    bool has_deposed = false;
    bool has_current = false;
    for (const state::Instance& instance : resource->instances) {
      has_deposed = has_deposed || !instance.deposed.empty();
      has_current = has_current || instance.current != nullptr;
    }
    auto add = [&](NodeKind kind) {
      NodeId id = graph.Add({kind, 0, static_cast<uint32_t>(graph.stored.size())});
      graph.stored.push_back({&*resource});
      return id;
    };
    // What a test leaves out stays as it is, until everything is destroyed.
    const bool left_out = node != nullptr && node->module->overridden != nullptr &&
                          node->module->overridden->FindResource(address.resource) >= 0 &&
                          graph.context.mode != plan::Mode::kDestroy;
    if (!configured && has_current && !left_out) {
      add(NodeKind::kOrphan);
    }
    if (has_deposed) {
      NodeId id = add(NodeKind::kDeposed);
      if (configured) {
        // OpenTofu has no order here; one order makes output stable.
        graph.AddSoftEdge(graph.bases[node->index].resources + static_cast<NodeId>(block), id);
      }
    }
  }
}

void AddPlannedProviders(PlanGraph& graph, const ApplyGraph& apply) {
  for (const plan::ResourceChange& change : apply.plan.changes) {
    graph.EnsureProvider(change.provider);
  }
}

}  // namespace kinu::engine
