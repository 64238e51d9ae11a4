#include "engine/passes/passes.h"

namespace kinu::engine {

void AddConfigObjects(Walk& walk) {
  walk.bases.resize(walk.config.nodes.size());
  for (const auto& owned : walk.config.nodes) {
    const config::ConfigNode& node = *owned;
    const config::Module& module = *node.module;
    Walk::Bases& base = walk.bases[node.index];
    auto add = [&](NodeKind kind, size_t count) {
      NodeId first = static_cast<NodeId>(walk.graph.size());
      for (size_t i = 0; i < count; ++i) {
        walk.graph.Add({kind, node.index, static_cast<uint32_t>(i)});
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
    walk.blocks[node.index].resize(module.resources.size());
  }
}

void AddStateObjects(Walk& walk) {
  if (walk.input.prior_state == nullptr) {
    return;
  }
  // Evaluating has to do with what is configured alone.
  const bool only_configured = walk.kind == WalkKind::kEval;
  Program& program = walk.program;
  for (const auto& resource : walk.input.prior_state->resources) {
    const AbsResource& address = resource->address;
    const config::ConfigNode* node = walk.config.Find(program.ModuleOf(address.module));
    int block = node == nullptr ? -1 : node->module->FindResource(address.resource);
    bool configured = block >= 0;
    if (configured) {
      walk.blocks[node->index][static_cast<size_t>(block)].stored.push_back(resource.get());
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
    if (!configured && has_current) {
      OrphanSlot slot;
      slot.resource = resource.get();
      walk.graph.Add({NodeKind::kOrphan, 0, static_cast<uint32_t>(walk.orphans.size())});
      walk.orphans.push_back(std::move(slot));
    }
    if (has_deposed) {
      NodeId id =
          walk.graph.Add({NodeKind::kDeposed, 0, static_cast<uint32_t>(walk.deposed.size())});
      if (configured) {
        // First what is left over: data sources wait for its removal too, and where the reference
        // leaves to chance which comes first, there is one order here.
        walk.graph.AddSoftEdge(walk.bases[node->index].resources + static_cast<NodeId>(block), id);
      }
      DeposedSlot slot;
      slot.resource = resource.get();
      walk.deposed.push_back(std::move(slot));
    }
  }
}

}  // namespace kinu::engine
