#include "engine/picture.h"

#include <algorithm>

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

/// Draws the nodes of a walk. A node may be several vertices: `ins_` wait for other nodes, and
/// other nodes wait for `outs_`.
class Artist {
 public:
  Artist(const PlanGraph& graph, const ApplyGraph* apply) : graph_(graph), apply_(apply) {}

  Picture Draw(const std::vector<bool>& shown) {
    ins_.resize(graph_.size());
    outs_.resize(graph_.size());
    std::vector<Picture::Id> joins;
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (shown[id]) {
        AddNode(id, joins);
      }
    }
    for (NodeId id = 0; id < graph_.size(); ++id) {
      for (NodeId to : graph_.dependencies(id)) {
        if (!shown[id] || !shown[to]) {
          continue;
        }
        if (graph_.IsSoft(id, to)) {
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
    const NodePicture picture = PictureOf(graph_, apply_, id);
    for (const std::string& name : picture.vertices) {
      ins_[id].push_back(drawing_.Add(name, picture.label, picture.shape));
    }
    if (picture.vertices.empty()) {
      joins.push_back(drawing_.Add("join " + std::to_string(id)));
      ins_[id].push_back(joins.back());
    }
    outs_[id] = ins_[id];
    if (!picture.reference.empty()) {
      outs_[id] = {drawing_.Add(picture.reference)};
      drawing_.Connect(outs_[id][0], ins_[id][0]);
    }
  }

  /// Connects the two halves of each row of two cells. OpenTofu has no other order than this where
  /// the graph has a soft edge.
  void ConnectHalves(NodeId from, NodeId to) {
    if (graph_.node(from).kind != NodeKind::kCell || graph_.node(to).kind != NodeKind::kCell) {
      return;
    }
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

  /// A provider is closed after all nodes that it serves.
  void AddProviderEnds(const std::vector<bool>& shown) {
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
    for (NodeId id = 0; id < graph_.size(); ++id) {
      const Node& node = graph_.node(id);
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

/// Leaves out providers that serve no shown node.
void HideIdleProviders(const PlanGraph& graph, std::vector<bool>& shown) {
  for (const ProviderInfo& info : graph.providers) {
    auto users = graph.dependents(info.id);
    shown[info.id] = std::any_of(users.begin(), users.end(), [&](NodeId id) { return shown[id]; });
  }
}

/// A destruction: objects, each after its dependents; of the configuration only variables and
/// outputs of the root module.
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
