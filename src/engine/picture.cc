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

std::vector<Picture::Id> Picture::Dependents(Id id) const {
  std::vector<std::vector<Id>> waiting(vertices_.size());
  for (Id from = 0; from < vertices_.size(); ++from) {
    for (const Id to : vertices_[from].edges) {
      waiting[to].push_back(from);
    }
  }
  std::vector<bool> seen(vertices_.size());
  std::vector<Id> out{id};
  for (size_t i = 0; i < out.size(); ++i) {
    for (const Id user : waiting[out[i]]) {
      if (!seen[user]) {
        seen[user] = true;
        out.push_back(user);
      }
    }
  }
  out.erase(out.begin());
  return out;
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

/// The provider that serves a node, an index of PlanGraph::providers.
std::optional<uint32_t> ProviderAskedBy(const PlanGraph& graph, const ApplyGraph* apply,
                                        NodeId id) {
  const Node& node = graph.node(id);
  const bool asks = node.kind == NodeKind::kCell ? TakesProvider(apply->cells[node.index])
                                                 : node.kind != NodeKind::kClose;
  return asks ? ProviderOfNode(graph, apply, node) : std::nullopt;
}

/// Whether a node is a data source without a block, which no provider is asked about.
bool IsStoredData(const PlanGraph& graph, NodeId id) {
  const Node& node = graph.node(id);
  return node.kind == NodeKind::kOrphan &&
         graph.stored[node.index].resource->address.resource.mode == ResourceMode::kData;
}

bool IsEphemeralBlock(const PlanGraph& graph, NodeId id) {
  const Node& node = graph.node(id);
  return node.kind == NodeKind::kResource &&
         graph.ResourceOf(node).name.mode == ResourceMode::kEphemeral;
}

/// Draws the nodes of a walk. A node may be several vertices: `ins_` wait for other nodes, and
/// other nodes wait for `outs_`.
class Artist {
 public:
  /// `read`: the nodes that something reads; empty: all.
  Artist(const PlanGraph& graph, const ApplyGraph* apply, std::vector<bool> read = {})
      : graph_(graph), apply_(apply), read_(std::move(read)) {}

  Picture Draw(const std::vector<bool>& shown) {
    DrawNodes(shown);
    if (apply_ == nullptr) {
      AddReports(shown);
    } else {
      AddModuleEnds(shown);
    }
    AddCloses(shown);
    AddProviderEnds(shown);
    return std::move(drawing_);
  }

  /// Draws what evaluates the arguments of providers, for those who add what the providers serve.
  Picture DrawConfigurations(const std::vector<bool>& shown) {
    DrawNodes(shown);
    return std::move(drawing_);
  }

 private:
  void DrawNodes(const std::vector<bool>& shown) {
    ins_.resize(graph_.size());
    outs_.resize(graph_.size());
    std::vector<Picture::Id> joins;
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (shown[id]) {
        AddNode(id, joins);
      }
    }
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (IsRemovedOutput(id) || IsStoredData(graph_, id)) {
        continue;
      }
      for (NodeId to : graph_.dependencies(id)) {
        if (!shown[id] || !shown[to]) {
          continue;
        }
        if (graph_.IsSoft(id, to)) {
          ConnectHalves(id, to);
          continue;
        }
        for (Picture::Id from_vertex : WaitingFor(id, to)) {
          for (Picture::Id to_vertex : outs_[to]) {
            drawing_.Connect(from_vertex, to_vertex);
          }
        }
      }
    }
    for (Picture::Id join : joins) {
      drawing_.Dissolve(join);
    }
  }

  /// Whether the call of its module gives a variable a value.
  bool HasInput(const Node& node) const {
    const config::ConfigNode& place = graph_.PlaceOf(node);
    if (place.parent == nullptr) {
      return false;
    }
    const config::ModuleCall& call = place.parent->module->calls[static_cast<size_t>(place.call)];
    return call.FindInput(graph_.program.Text(place.module->variables[node.index].name)) != nullptr;
  }

  /// The vertices of a node that wait for another one. The rules of a variable are evaluated where
  /// it is referred to; its value comes from outside the module.
  const std::vector<Picture::Id>& WaitingFor(NodeId id, NodeId other) const {
    const Node& node = graph_.node(id);
    const Node& to = graph_.node(other);
    if (node.kind != NodeKind::kVariable || to.kind == NodeKind::kModule) {
      return ins_[id];
    }
    const bool checks =
        to.kind == NodeKind::kProvider ? !HasInput(node) : to.config_node == node.config_node;
    return checks ? outs_[id] : ins_[id];
  }

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
    if (!picture.reference.empty() && (read_.empty() || read_[id])) {
      outs_[id] = {drawing_.Add(picture.reference)};
      drawing_.Connect(outs_[id][0], ins_[id][0]);
    }
  }

  /// Whether a node is a root output that a destruction of everything removes unseen.
  bool IsRemovedOutput(NodeId id) const {
    const Node& node = graph_.node(id);
    return apply_ != nullptr && apply_->plan.mode == plan::Mode::kDestroy &&
           node.kind == NodeKind::kOutput && node.config_node == 0;
  }

  /// The end of a module waits for the ends of the modules in it, and for the objects in it that
  /// are not destroyed. Ref: opentofu internal/tofu/transform_module_expansion.go.
  void AddModuleEnds(const std::vector<bool>& shown) {
    const auto connect = [&](const config::ConfigNode* module, NodeId to) {
      const NodeId end = module == nullptr ? kNoNode : graph_.bases[module->index].module_end;
      if (end != kNoNode && shown[end] && shown[to]) {
        for (const Picture::Id vertex : outs_[to]) {
          drawing_.Connect(ins_[end][0], vertex);
        }
      }
    };
    for (const auto& node : graph_.config.nodes) {
      if (node->parent != nullptr) {
        connect(node->parent, graph_.bases[node->index].module_end);
      }
    }
    for (const Cell& cell : apply_->cells) {
      const config::Resource* block = cell.config_block();
      const bool closes =
          (cell.live() || cell.phase == Phase::kForget) && (block == nullptr || block->check < 0);
      if (closes) {
        connect(graph_.config.Find(graph_.program.ModuleOf(cell.resource.module)), cell.id);
      }
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

  /// A plan announces each check block, once its module is expanded, before it runs the check and
  /// reads the data source in it. Ref: opentofu internal/tofu/transform_check.go.
  void AddReports(const std::vector<bool>& shown) {
    for (NodeId id = 0; id < graph_.size(); ++id) {
      const Node& node = graph_.node(id);
      if (node.kind != NodeKind::kCheck || !shown[id]) {
        continue;
      }
      const config::Check& check = graph_.PlaceOf(node).module->checks[node.index];
      const PlanGraph::Bases& base = graph_.bases[node.config_node];
      const Picture::Id report = drawing_.Add(CheckAddress(graph_, node) + " (report)");
      drawing_.Connect(ins_[id][0], report);
      if (check.data_resource >= 0) {
        const NodeId data = base.resources + static_cast<NodeId>(check.data_resource);
        drawing_.Connect(ins_[data][0], report);
      }
      if (base.module != kNoNode) {
        drawing_.Connect(report, outs_[base.module][0]);
      }
    }
  }

  /// Whether nodes of a kind refer to others.
  static bool Refers(NodeKind kind) {
    return kind != NodeKind::kModuleEnd && kind != NodeKind::kClose && kind != NodeKind::kJoin;
  }

  /// An ephemeral block is closed after all nodes that depend on it, and before its provider and
  /// those that are configured with it. Ref: opentofu
  /// internal/tofu/transform_closeable_resource.go.
  void AddCloses(const std::vector<bool>& shown) {
    for (NodeId id = 0; id < graph_.size(); ++id) {
      const Node& node = graph_.node(id);
      if (!shown[id] || !IsEphemeralBlock(graph_, id)) {
        continue;
      }
      const Picture::Id close = drawing_.Add(BlockAddress(graph_, node) + " (close)");
      const auto before = [&](NodeId other) {
        for (const Picture::Id vertex : outs_[other]) {
          drawing_.Connect(close, vertex);
        }
        if (graph_.node(other).kind == NodeKind::kProvider && !outs_[other].empty()) {
          drawing_.Connect(drawing_.Add(NodeName(graph_, other) + " (close)"), close);
        }
      };
      before(id);
      before(graph_.providers[graph_.InfoOf(node).provider].id);
      for (const NodeId user : UsersOf(id)) {
        if (shown[user] && Refers(graph_.node(user).kind)) {
          before(user);
        }
      }
    }
  }

  /// All nodes that wait for a node, directly or not.
  std::vector<NodeId> UsersOf(NodeId id) const {
    std::vector<bool> seen(graph_.size());
    std::vector<NodeId> users{id};
    for (size_t i = 0; i < users.size(); ++i) {
      for (const NodeId user : graph_.dependents(users[i])) {
        if (!seen[user] && !graph_.IsSoft(user, users[i])) {
          seen[user] = true;
          users.push_back(user);
        }
      }
    }
    users.erase(users.begin());
    return users;
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
      for (Picture::Id vertex : WaitingFor(id, node)) {
        drawing_.Connect(end, vertex);
        drawing_.Connect(vertex, outs_[node][0]);
      }
    };
    for (NodeId id = 0; id < graph_.size(); ++id) {
      const auto provider = ProviderAskedBy(graph_, apply_, id);
      if (provider && !IsStoredData(graph_, id)) {
        served(id, *provider);
      }
    }
    for (uint32_t i = 0; i < graph_.providers.size(); ++i) {
      for (const NodeId id : graph_.dependents(graph_.providers[i].id)) {
        if (ProviderAskedBy(graph_, apply_, id) != i && !IsStoredData(graph_, id)) {
          served(id, i);  // it calls a function
        }
      }
    }
  }

  const PlanGraph& graph_;
  const ApplyGraph* apply_;
  const std::vector<bool> read_;
  Picture drawing_;
  std::vector<std::vector<Picture::Id>> ins_, outs_;
};

/// Leaves out providers that serve no shown node.
void HideIdleProviders(const PlanGraph& graph, const ApplyGraph* apply, std::vector<bool>& shown) {
  for (const ProviderInfo& info : graph.providers) {
    auto users = graph.dependents(info.id);
    shown[info.id] = std::any_of(users.begin(), users.end(),
                                 [&](NodeId id) { return shown[id] && !IsStoredData(graph, id); });
  }
  // In an apply, blocks do not wait for their providers.
  for (NodeId id = 0; id < graph.size(); ++id) {
    const auto provider = ProviderAskedBy(graph, apply, id);
    if (provider && shown[id] && !IsStoredData(graph, id)) {
      shown[graph.providers[*provider].id] = true;
    }
  }
}

/// What configures the providers of stored objects, ephemeral blocks and their providers included.
/// Other blocks are not evaluated.
std::vector<bool> ConfigurationsOf(const PlanGraph& graph, const state::State& state) {
  FlatSet<std::string> served;
  for (const auto& resource : state.resources) {
    served.insert(graph.program.ToText(resource->provider));
  }
  std::vector<bool> reached(graph.size());
  for (const ProviderInfo& info : graph.providers) {
    if (info.id != kNoNode && served.contains(graph.program.ToText(info.address))) {
      graph.MarkReached(info.id, reached);
    }
  }
  // The provider of an ephemeral block may be configured with others.
  for (bool again = true; again;) {
    again = false;
    for (NodeId id = 0; id < graph.size(); ++id) {
      if (!reached[id] || !IsEphemeralBlock(graph, id)) {
        continue;
      }
      const NodeId provider = graph.providers[graph.InfoOf(graph.node(id)).provider].id;
      if (!reached[provider]) {
        graph.MarkReached(provider, reached);
        again = true;
      }
    }
  }
  for (NodeId id = 0; id < graph.size(); ++id) {
    const NodeKind kind = graph.node(id).kind;
    reached[id] = reached[id] && kind != NodeKind::kClose &&
                  (kind != NodeKind::kResource || IsEphemeralBlock(graph, id));
  }
  return reached;
}

/// Closes the ephemeral blocks after all that waits for them, and before the ends of the providers
/// that open them or are configured with them. Ref: opentofu
/// internal/tofu/transform_closeable_resource.go.
void AddClosesOfDestroy(const PlanGraph& graph, const std::vector<bool>& shown, Picture& drawing) {
  const auto ends = [](const Picture::Vertex& vertex) { return vertex.name.ends_with(" (close)"); };
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (!shown[id] || !IsEphemeralBlock(graph, id)) {
      continue;
    }
    const std::string block = BlockAddress(graph, graph.node(id));
    const Picture::Id opening = drawing.Add(PictureOf(graph, nullptr, id).vertices.front());
    std::vector<Picture::Id> waiting = drawing.Dependents(opening);
    waiting.push_back(opening);
    const NodeId provider = graph.providers[graph.InfoOf(graph.node(id)).provider].id;
    waiting.push_back(drawing.Add(NodeName(graph, provider)));
    drawing.Connect(opening, waiting.back());
    const Picture::Id close = drawing.Add(block + " (close)");
    for (const Picture::Id vertex : waiting) {
      if (ends(drawing.vertices()[vertex])) {
        continue;
      }
      drawing.Connect(close, vertex);
      if (drawing.vertices()[vertex].shape == "diamond") {
        drawing.Connect(drawing.Add(drawing.vertices()[vertex].name + " (close)"), close);
      }
    }
  }
}

/// Draws the outputs of the state that the configuration does not have any more, and the ends of
/// such modules. Ref: opentofu internal/tofu/transform_orphan_output.go,
/// transform_removed_modules.go.
void AddLeftOvers(const PlanGraph& graph, const state::State* state, Picture& drawing) {
  if (state == nullptr) {
    return;
  }
  const config::Module& root = *graph.config.root().module;
  for (const state::OutputValue& output : state->outputs) {
    if (root.FindOutput(graph.program.Find(output.name)) < 0) {
      const std::string name = "output." + output.name + " (destroy)";
      drawing.Add(name, name, "note");
    }
  }
  for (const auto& resource : state->resources) {
    const ModuleId module = graph.program.ModuleOf(resource->address.module);
    if (graph.config.Find(module) == nullptr) {
      drawing.Add(graph.program.ToText(module) + " (close)");
    }
  }
}

/// The end of a module waits for the ends of the modules in it. Ref: opentofu
/// internal/tofu/transform_module_expansion.go.
void AddModuleEndsOfDestroy(const PlanGraph& graph, Picture& drawing) {
  const auto end_of = [&](const config::ConfigNode& node) {
    return drawing.Add(graph.program.ToText(node.path) + " (close)");
  };
  for (const auto& node : graph.config.nodes) {
    if (node->parent == nullptr) {
      continue;
    }
    const Picture::Id end = end_of(*node);
    if (node->parent->parent != nullptr) {
      drawing.Connect(end_of(*node->parent), end);
    }
  }
}

/// A destruction: objects, each after its dependents; of the configuration only variables and
/// outputs of the root module, and what configures the providers.
Picture DrawDestroy(const PlanGraph& graph, const state::State* state) {
  const std::vector<bool> shown =
      state != nullptr ? ConfigurationsOf(graph, *state) : std::vector<bool>(graph.size());
  Picture drawing = Artist(graph, nullptr).DrawConfigurations(shown);
  const config::Module& root = *graph.config.root().module;
  for (size_t i = 0; i < root.variables.size(); ++i) {
    std::string name = "var." + std::string(graph.program.Text(root.variables[i].name));
    drawing.Add(name, name, "note");
  }
  for (size_t i = 0; i < root.outputs.size(); ++i) {
    drawing.Add("output." + std::string(graph.program.Text(root.outputs[i].name)) + " (expand)");
  }
  AddModuleEndsOfDestroy(graph, drawing);
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
      const std::string provider = graph.program.ToText(resource->provider);
      const auto add = [&](const std::string& name) {
        const Picture::Id vertex = drawing.Add(name, graph.program.ToText(block), "box");
        drawing.Connect(vertex, drawing.Add(provider, provider, "diamond"));
        drawing.Connect(drawing.Add(provider + " (close)"), vertex);
        return vertex;
      };
      for (const state::Instance& instance : resource->instances) {
        const std::string name =
            graph.program.ToText(ResourceInstance{resource->address, instance.key});
        if (instance.current != nullptr) {
          const Picture::Id vertex = add(name + " (destroy)");
          objects[block].emplace_back(resource->address.module, vertex);
          users.push_back({resource->address.module, vertex, instance.current->dependencies});
        }
        for (const state::DeposedObject& deposed : instance.deposed) {
          (void)add(name + " (deposed " + deposed.key + ")");
        }
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
  AddClosesOfDestroy(graph, shown, drawing);
  AddLeftOvers(graph, state, drawing);
  return drawing;
}

}  // namespace

Picture DrawPlan(const Request& request, plan::Mode mode, Diagnostics& diags) {
  WalkContext context(WalkKind::kPlan, request);
  context.mode = mode;
  context.imports = false;  // as in the graph of OpenTofu for people, which has no import blocks
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
  HideIdleProviders(graph, nullptr, shown);
  Picture drawing = Artist(graph, nullptr).Draw(shown);
  AddLeftOvers(graph, context.prior_state, drawing);
  return drawing;
}

Picture DrawApply(const Request& request, const plan::Plan& plan, Diagnostics& diags) {
  WalkContext context = ContextOfApply(request, plan);
  context.validated = false;
  PlanGraph graph(context);
  ApplyGraph apply(plan);
  if (!BuildApplyGraph(graph, apply, diags)) {
    return {};
  }
  const std::vector<bool> needed = NeededNodes(graph, true);
  std::vector<bool> shown = needed;
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    const bool lasting = node.config_node == 0 &&
                         (node.kind == NodeKind::kOutput || node.kind == NodeKind::kVariable);
    shown[id] = (shown[id] || lasting || node.kind == NodeKind::kModuleEnd) && graph.Kept(id);
  }
  HideIdleProviders(graph, &apply, shown);
  Picture drawing = Artist(graph, &apply, needed).Draw(shown);
  if (plan.targets.empty() && plan.excludes.empty()) {
    AddLeftOvers(graph, &plan.prior_state, drawing);  // nobody can aim at one
  }
  return drawing;
}

}  // namespace kinu::engine
