#include "engine/picture.h"

#include <algorithm>

#include "base/files.h"
#include "engine/apply.h"
#include "engine/build_graph.h"
#include "engine/cells.h"
#include "engine/node_kinds.h"

namespace kinu::engine {

Picture::Id Picture::Add(std::string name) {
  auto [it, added] = index_.emplace(name, static_cast<Id>(vertices_.size()));
  if (added) {
    vertices_.emplace_back().name = std::move(name);
  }
  return it->second;
}

Picture::Id Picture::Add(std::string name, std::string label, std::string_view shape) {
  const Id id = Add(std::move(name));
  vertices_[id].label = std::move(label);
  vertices_[id].shape = shape;
  return id;
}

void Picture::Dissolve(Id gone) {
  for (Vertex& vertex : vertices_) {
    if (vertex.edges.erase(gone) > 0) {
      vertex.edges.insert(vertices_[gone].edges.begin(), vertices_[gone].edges.end());
    }
  }
  vertices_[gone].edges.clear();
  vertices_[gone].dissolved = true;
}

namespace {

/// Draws the nodes of a walk. A node of ours may be several vertices: `ins` take its edges, `out`
/// is what others wait for.
class Artist {
 public:
  Artist(const PlanGraph& graph, const ApplyGraph* apply) : graph_(graph), apply_(apply) {}

  Picture Draw(const std::vector<bool>& shown) {
    const Graph& graph = graph_;
    ins_.resize(graph.size());
    outs_.resize(graph.size());
    std::vector<Picture::Id> joins;
    for (NodeId id = 0; id < graph.size(); ++id) {
      if (shown[id]) {
        AddNode(id, joins);
      }
    }
    for (NodeId id = 0; id < graph.size(); ++id) {
      for (NodeId to : graph.dependencies(id)) {
        if (graph.node(to).kind == NodeKind::kDeposed && graph.IsSoft(id, to)) {
          continue;  // an order of our own
        }
        if (!shown[id] || !shown[to]) {
          continue;
        }
        if (graph.IsSoft(id, to)) {
          ConnectHalves(id, to);
          continue;
        }
        for (Picture::Id from_vertex : ins_[id]) {
          for (Picture::Id to_vertex : outs_[to]) {
            drawing_.Connect(from_vertex, to_vertex);
          }
        }
      }
    }
    for (Picture::Id join : joins) {
      drawing_.Dissolve(join);
    }
    AddProviderEnds(shown);
    return std::move(drawing_);
  }

 private:
  void AddNode(NodeId id, std::vector<Picture::Id>& joins) {
    const Node& node = graph_.node(id);
    auto single = [&](Picture::Id vertex) {
      ins_[id] = {vertex};
      outs_[id] = {vertex};
    };
    std::string name =
        node.kind == NodeKind::kCell || node.kind == NodeKind::kJoin ? "" : NodeName(graph_, id);
    switch (node.kind) {
      case NodeKind::kVariable: {
        const config::ConfigNode& place = *graph_.config.nodes[node.config_node];
        std::string plain = name.substr(0, name.find(" ("));
        Picture::Id input = place.parent == nullptr ? drawing_.Add(plain, plain, "note")
                                                    : drawing_.Add(plain + " (expand, input)");
        Picture::Id reference = drawing_.Add(plain + " (expand, reference)");
        drawing_.Connect(reference, input);
        ins_[id] = {input};
        outs_[id] = {reference};
        return;
      }
      case NodeKind::kResource: {
        std::string label = name.substr(0, name.find(" ("));
        return single(drawing_.Add(name, label, "box"));
      }
      case NodeKind::kProvider:
        return single(drawing_.Add(name, name, "diamond"));
      case NodeKind::kOrphan: {
        const state::Resource& resource = *graph_.stored[node.index].resource;
        const std::string label = LabelOf(resource.address);
        for (const state::Instance& instance : resource.instances) {
          std::string text =
              graph_.program.ToText(ResourceInstance{resource.address, instance.key});
          Picture::Id vertex = drawing_.Add(text + " (orphan)", label, "box");
          ins_[id].push_back(vertex);
          outs_[id].push_back(vertex);
        }
        return;
      }
      case NodeKind::kDeposed: {
        const state::Resource& resource = *graph_.stored[node.index].resource;
        const std::string label = LabelOf(resource.address);
        for (const state::Instance& instance : resource.instances) {
          std::string text =
              graph_.program.ToText(ResourceInstance{resource.address, instance.key});
          for (const state::DeposedObject& deposed : instance.deposed) {
            std::string full = text + " (deposed " + deposed.key + ")";
            Picture::Id vertex = drawing_.Add(full, label, "box");
            ins_[id].push_back(vertex);
            outs_[id].push_back(vertex);
          }
        }
        return;
      }
      case NodeKind::kCell: {
        const Cell& cell = apply_->cells[node.index];
        for (const CellRow& row : cell.rows) {
          std::string text = RowName(cell, apply_->plan.changes[row.change]);
          Picture::Id vertex = drawing_.Add(text, LabelOf(cell.resource), "box");
          ins_[id].push_back(vertex);
          outs_[id].push_back(vertex);
        }
        return;
      }
      case NodeKind::kJoin:
        if (node.index == kCheckStart) {
          return single(drawing_.Add("(execute checks)"));
        }
        single(drawing_.Add("join " + std::to_string(id)));
        joins.push_back(ins_[id][0]);
        return;
      default:
        return single(drawing_.Add(name));
    }
  }

  /// All that belongs to a block is labelled as the block.
  std::string LabelOf(const AbsResource& resource) const {
    return graph_.program.ToText(
        ConfigResource{graph_.program.ModuleOf(resource.module), resource.resource});
  }

  std::string RowName(const Cell& cell, const plan::ResourceChange& change) const {
    std::string text = graph_.program.ToText(change.address);
    switch (cell.phase) {
      case Phase::kDestroy:
        return text + " (destroy)";
      case Phase::kDispose:
        if (change.action == plan::Action::kCreateThenDelete) {
          // The key is made up when the object is set aside; this is as good as any.
          return text + " (destroy deposed " + RandomUuid().substr(0, 8) + ")";
        }
        return change.deposed.empty() ? text + " (destroy)"
                                      : text + " (destroy deposed " + change.deposed + ")";
      case Phase::kForget:
        return change.deposed.empty() ? text + " (forget)"
                                      : text + " (forget deposed " + change.deposed + ")";
      default:
        return text;
    }
  }

  /// The two halves of the same rows.
  void ConnectHalves(NodeId from, NodeId to) {
    const Cell& a = apply_->cells[graph_.node(from).index];
    const Cell& b = apply_->cells[graph_.node(to).index];
    FlatMap<ResourceInstance, size_t> position;
    for (size_t i = 0; i < b.rows.size(); ++i) {
      position.emplace(apply_->plan.changes[b.rows[i].change].address, i);
    }
    for (size_t i = 0; i < a.rows.size(); ++i) {
      if (auto it = position.find(apply_->plan.changes[a.rows[i].change].address);
          it != position.end()) {
        drawing_.Connect(ins_[from][i], outs_[to][it->second]);
      }
    }
  }

  /// Providers end when all that they serve is done.
  void AddProviderEnds(const std::vector<bool>& shown) {
    const Graph& graph = graph_;
    auto served = [&](NodeId id, uint32_t provider) {
      NodeId node = graph_.providers[provider].id;
      if (!shown[id] || outs_[node].empty()) {
        return;
      }
      Picture::Id end = drawing_.Add(NodeName(graph_, node) + " (close)");
      drawing_.Connect(end, outs_[node][0]);
      for (Picture::Id vertex : ins_[id]) {
        drawing_.Connect(end, vertex);
        drawing_.Connect(vertex, outs_[node][0]);
      }
    };
    for (NodeId id = 0; id < graph.size(); ++id) {
      const Node& node = graph.node(id);
      const std::optional<uint32_t> provider = ProviderOfNode(graph_, apply_, node);
      const bool asks = node.kind == NodeKind::kCell ? TakesProvider(apply_->cells[node.index])
                                                     : node.kind != NodeKind::kClose;
      if (provider && asks) {
        served(id, *provider);
      }
    }
  }

  const PlanGraph& graph_;
  const ApplyGraph* apply_;
  Picture drawing_;
  std::vector<std::vector<Picture::Id>> ins_, outs_;
};

/// Providers that serve nothing are left out.
void HideIdleProviders(const PlanGraph& graph, std::vector<bool>& shown) {
  for (const ProviderInfo& info : graph.providers) {
    auto users = graph.dependents(info.id);
    shown[info.id] = std::any_of(users.begin(), users.end(), [&](NodeId id) { return shown[id]; });
  }
}

/// A destruction: objects, each after those that depend on it; of the configuration only variables
/// and outputs of the root module.
Picture DrawDestroy(const PlanGraph& graph, const state::State* state) {
  Picture drawing;
  const config::Module& root = *graph.config.root().module;
  for (size_t i = 0; i < root.variables.size(); ++i) {
    std::string name = "var." + std::string(graph.program.Text(root.variables[i].name));
    drawing.Add(name, name, "note");
  }
  for (size_t i = 0; i < root.outputs.size(); ++i) {
    drawing.Add("output." + std::string(graph.program.Text(root.outputs[i].name)) + " (expand)");
  }
  for (const auto& node : graph.config.nodes) {
    if (node->parent != nullptr) {
      drawing.Add(graph.program.ToText(node->path) + " (close)");
    }
  }
  FlatMap<ConfigResource, std::vector<std::pair<ModuleInstId, Picture::Id>>> objects;
  struct User {
    ModuleInstId module;
    Picture::Id vertex;
    state::DependencyList dependencies;
  };
  std::vector<User> users;
  if (state != nullptr) {
    for (const auto& resource : state->resources) {
      ConfigResource block{graph.program.ModuleOf(resource->address.module),
                           resource->address.resource};
      for (const state::Instance& instance : resource->instances) {
        if (instance.current == nullptr) {
          continue;
        }
        std::string text =
            graph.program.ToText(ResourceInstance{resource->address, instance.key}) + " (destroy)";
        Picture::Id vertex = drawing.Add(text, graph.program.ToText(block), "box");
        objects[block].emplace_back(resource->address.module, vertex);
        users.push_back({resource->address.module, vertex, instance.current->dependencies});
        std::string provider = graph.program.ToText(resource->provider);
        Picture::Id start = drawing.Add(provider, provider, "diamond");
        Picture::Id end = drawing.Add(provider + " (close)");
        drawing.Connect(vertex, start);
        drawing.Connect(end, vertex);
      }
    }
  }
  for (const User& user : users) {
    if (user.dependencies == nullptr) {
      continue;
    }
    for (const ConfigResource& dependency : *user.dependencies) {
      auto it = objects.find(dependency);
      if (it == objects.end()) {
        continue;
      }
      for (const auto& [module, vertex] : it->second) {
        if (module == user.module ||
            graph.program.ModuleOf(module) != graph.program.ModuleOf(user.module)) {
          drawing.Connect(vertex, user.vertex);
        }
      }
    }
  }
  return drawing;
}

}  // namespace

Picture DrawPlan(const Request& request, plan::Mode mode, Diagnostics& diags) {
  WalkContext context(WalkKind::kPlan, request);
  context.mode = mode;
  context.imports = mode == plan::Mode::kNormal;
  PlanGraph graph(context);
  if (!BuildGraph(graph, diags)) {
    return {};
  }
  if (mode == plan::Mode::kDestroy) {
    return DrawDestroy(graph, context.prior_state);
  }
  std::vector<bool> shown(graph.size(), true);
  for (NodeId id = 0; id < graph.size(); ++id) {
    shown[id] = graph.node(id).kind != NodeKind::kClose;
  }
  HideIdleProviders(graph, shown);
  return Artist(graph, nullptr).Draw(shown);
}

Picture DrawApply(const Request& request, const plan::Plan& plan, Diagnostics& diags) {
  const WalkContext context = ContextOfApply(request, plan);
  PlanGraph graph(context);
  ApplyGraph apply(plan);
  if (!BuildApplyGraph(graph, apply, diags)) {
    return {};
  }
  std::vector<bool> shown = NeededNodes(graph, true);
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    const bool root_output = node.kind == NodeKind::kOutput && node.config_node == 0;
    shown[id] = (shown[id] || root_output || node.kind == NodeKind::kModuleEnd) && graph.Kept(id);
  }
  HideIdleProviders(graph, shown);
  return Artist(graph, &apply).Draw(shown);
}

}  // namespace kinu::engine
