#include <algorithm>

#include "config/validate_reference.h"
#include "engine/imports.h"
#include "engine/passes/passes.h"

namespace kinu::engine {
namespace {

using List = std::shared_ptr<const std::vector<NodeId>>;

/// The union of sorted lists and single ids; shares a list when nothing has to be added to it.
List Union(std::vector<List> lists, std::vector<NodeId> singles) {
  std::sort(singles.begin(), singles.end());
  singles.erase(std::unique(singles.begin(), singles.end()), singles.end());
  std::sort(lists.begin(), lists.end());
  lists.erase(std::unique(lists.begin(), lists.end()), lists.end());
  if (lists.empty() && singles.empty()) {
    return nullptr;
  }
  auto largest = std::max_element(lists.begin(), lists.end(), [](const List& a, const List& b) {
    return a->size() < b->size();
  });
  auto contains = [&](const std::vector<NodeId>& small) {
    return largest != lists.end() &&
           std::includes((*largest)->begin(), (*largest)->end(), small.begin(), small.end());
  };
  bool covered = contains(singles);
  for (const List& list : lists) {
    covered = covered && contains(*list);
  }
  if (covered) {
    return *largest;
  }
  std::vector<NodeId> merged = std::move(singles);
  for (const List& list : lists) {
    merged.insert(merged.end(), list->begin(), list->end());
  }
  std::sort(merged.begin(), merged.end());
  merged.erase(std::unique(merged.begin(), merged.end()), merged.end());
  return std::make_shared<const std::vector<NodeId>>(std::move(merged));
}

}  // namespace

void CollectDependencies(Walk& walk) {
  const Graph& graph = walk.graph;
  std::vector<List> lists(graph.size());
  std::vector<uint32_t> readers(graph.size());
  // Rank of each resource node in the order of address text, so that lists are sorted by it.
  std::vector<NodeId> resources;
  for (NodeId id = 0; id < graph.size(); ++id) {
    readers[id] = static_cast<uint32_t>(graph.dependents(id).size());
    if (graph.node(id).kind == NodeKind::kResource) {
      resources.push_back(id);
    }
  }
  auto address = [&](NodeId id) {
    const config::ConfigNode& node = *walk.config.nodes[graph.node(id).config_node];
    return ConfigResource{node.path, node.module->resources[graph.node(id).index].name};
  };
  std::vector<uint32_t> rank(graph.size(), 0);
  {
    std::vector<std::pair<std::string, NodeId>> texts;
    texts.reserve(resources.size());
    for (NodeId id : resources) {
      texts.emplace_back(walk.program.ToText(address(id)), id);
    }
    std::sort(texts.begin(), texts.end());
    for (uint32_t i = 0; i < texts.size(); ++i) {
      rank[texts[i].second] = i;
    }
  }
  // Lists by identity; `kept` holds them so that no address is used twice.
  FlatMap<uint64_t, state::DependencyList> interned;
  std::vector<List> kept;
  static const auto kNone = std::make_shared<const std::vector<ConfigResource>>();
  for (NodeId id : graph.Order()) {
    std::vector<List> inputs;
    std::vector<NodeId> singles;
    for (NodeId dependency : graph.dependencies(id)) {
      if (lists[dependency] != nullptr) {
        inputs.push_back(lists[dependency]);
      }
      if (graph.node(dependency).kind == NodeKind::kResource) {
        singles.push_back(dependency);
      }
    }
    lists[id] = Union(std::move(inputs), std::move(singles));
    const Node& node = graph.node(id);
    if (node.kind == NodeKind::kResource) {
      state::DependencyList& out = walk.blocks[node.config_node][node.index].dependencies;
      if (lists[id] == nullptr) {
        out = kNone;
      } else {
        auto& known = interned[reinterpret_cast<uint64_t>(lists[id].get())];
        if (known == nullptr) {
          std::vector<NodeId> sorted = *lists[id];
          std::sort(sorted.begin(), sorted.end(),
                    [&](NodeId a, NodeId b) { return rank[a] < rank[b]; });
          std::vector<ConfigResource> addresses;
          addresses.reserve(sorted.size());
          for (NodeId dependency : sorted) {
            addresses.push_back(address(dependency));
          }
          known = std::make_shared<const std::vector<ConfigResource>>(std::move(addresses));
          kept.push_back(lists[id]);
        }
        out = known;
      }
    }
    for (NodeId dependency : graph.dependencies(id)) {
      if (--readers[dependency] == 0) {
        lists[dependency] = nullptr;
      }
    }
  }
}

void PropagateCreateBeforeDestroy(Walk& walk) {
  const Graph& graph = walk.graph;
  std::vector<NodeId> order = graph.Order();
  std::vector<bool> forced(graph.size(), false);
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    NodeId id = *it;
    const Node& node = graph.node(id);
    bool flag = false;
    for (NodeId dependent : graph.dependents(id)) {
      flag = flag || (forced[dependent] && walk.Kept(dependent));
    }
    if (node.kind == NodeKind::kResource) {
      const config::Resource& resource =
          walk.config.nodes[node.config_node]->module->resources[node.index];
      flag = flag || resource.create_before_destroy.value_or(false);
      walk.blocks[node.config_node][node.index].create_before_destroy = flag;
    }
    forced[id] = flag;
  }
}

std::string NodeName(const Walk& walk, NodeId id) {
  const Node& node = walk.graph.node(id);
  const Program& program = walk.program;
  const config::ConfigNode& place = *walk.config.nodes[node.config_node];
  std::string module = program.ToText(place.path);
  auto inside = [&](std::string_view kind, std::string_view name) {
    std::string out = module;
    if (!out.empty()) {
      out += '.';
    }
    out += kind;
    out += name;
    return out;
  };
  switch (node.kind) {
    case NodeKind::kModule:
      return module + " (expand)";
    case NodeKind::kModuleEnd:
      return module + " (close)";
    case NodeKind::kVariable:
      return inside("var.", program.Text(place.module->variables[node.index].name)) +
             (place.parent != nullptr ? " (expand, input)" : "");
    case NodeKind::kLocal:
      return inside("local.", program.Text(place.module->locals[node.index].name)) + " (expand)";
    case NodeKind::kOutput:
      return inside("output.", program.Text(place.module->outputs[node.index].name)) + " (expand)";
    case NodeKind::kResource:
      return inside("", program.ToText(place.module->resources[node.index].name)) +
             (walk.kind == WalkKind::kValidate ? "" : " (expand)");
    case NodeKind::kClose:
      return inside("", program.ToText(place.module->resources[node.index].name)) + " (close)";
    case NodeKind::kCheck:
      return inside("check.", program.Text(place.module->checks[node.index].name));
    case NodeKind::kProvider:
      return program.ToText(walk.providers[node.index].address);
    case NodeKind::kOrphan:
      return program.ToText(walk.orphans[node.index].resource->address) + " (orphan)";
    case NodeKind::kDeposed:
      return program.ToText(walk.deposed[node.index].resource->address) + " (deposed)";
    case NodeKind::kCell:
    case NodeKind::kJoin:
      break;
  }
  return "";
}

bool CheckAcyclic(const Walk& walk, Diagnostics& diags) {
  auto cycles = walk.graph.Cycles();
  for (const auto& cycle : cycles) {
    std::string members;
    for (NodeId id : cycle) {
      std::string name = NodeName(walk, id);
      members += (members.empty() ? "" : ", ") + name;
      // A child module's variable is two steps: taking the argument, and being referred to.
      if (constexpr std::string_view kInput = "(expand, input)"; name.ends_with(kInput)) {
        members += ", " + name.substr(0, name.size() - kInput.size()) + "(expand, reference)";
      }
    }
    diags.Error("Cycle: " + members, "");
  }
  return cycles.empty();
}

namespace {

/// Reports arguments that a called module does not have, and those that it misses. Planning and
/// applying come after a validation that did this. Ref: transform_module_variable.go.
bool CheckModuleInputs(const Walk& walk, Diagnostics& diags) {
  if (walk.kind != WalkKind::kValidate && walk.kind != WalkKind::kEval) {
    return true;
  }
  size_t errors = diags.error_count();
  for (const auto& node : walk.config.nodes) {
    if (node->parent != nullptr) {
      const config::ModuleCall& call = node->parent->module->calls[static_cast<size_t>(node->call)];
      (void)config::ReadModuleInputs(walk.program, call, *node->module, diags);
    }
  }
  return diags.error_count() == errors;
}

}  // namespace

bool BuildGraph(Walk& walk, Diagnostics& diags) {
  if (!CheckModuleInputs(walk, diags)) {
    return false;
  }
  AddConfigObjects(walk);
  AddStateObjects(walk);
  if (!AttachProviders(walk, diags)) {
    return false;
  }
  AttachSchemas(walk, diags);
  if (diags.has_errors()) {
    return false;
  }
  size_t errors = diags.error_count();
  AttachImports(walk);
  ConnectReferences(walk, &diags);
  if (diags.error_count() != errors) {
    return false;
  }
  walk.graph.Finish();
  if (!CheckAcyclic(walk, diags)) {
    return false;
  }
  if (walk.kind != WalkKind::kValidate && walk.kind != WalkKind::kEval) {
    CollectDependencies(walk);
    ApplyTargeting(walk);
    PropagateCreateBeforeDestroy(walk);
  }
  return true;
}

}  // namespace kinu::engine
