#include "engine/dot.h"

#include <algorithm>
#include <set>

#include "base/files.h"
#include "engine/apply.h"
#include "engine/build_graph.h"
#include "engine/cells.h"
#include "engine/node_kinds.h"

namespace kinu::engine {
namespace {

/// A string in double quotes as DOT wants it.
std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out + '"';
}

/// Vertices by name, their edges, and how they are drawn.
class Drawing {
 public:
  using Id = uint32_t;

  Id Add(std::string name) {
    auto [it, added] = index_.emplace(name, static_cast<Id>(names_.size()));
    if (added) {
      names_.push_back(std::move(name));
      shapes_.emplace_back();
      labels_.emplace_back();
      edges_.emplace_back();
    }
    return it->second;
  }
  Id Add(std::string name, std::string label, std::string_view shape) {
    Id id = Add(std::move(name));
    labels_[id] = std::move(label);
    shapes_[id] = shape;
    return id;
  }
  void Connect(Id from, Id to) {
    if (from != to) {
      edges_[from].insert(to);
    }
  }
  /// Gives the ends of providers a label, without which a vertex is not listed.
  void LabelProviderEnds() {
    for (Id id = 0; id < names_.size(); ++id) {
      if (names_[id].ends_with(" (close)") && names_[id].contains("provider[")) {
        labels_[id] = names_[id];
        shapes_[id] = "diamond";
      }
    }
  }
  /// A last vertex that waits for all others.
  void Close() {
    size_t others = names_.size();
    Id root = Add("root");
    for (Id id = 0; id < others; ++id) {
      if (!dissolved_.contains(id)) {
        Connect(root, id);
      }
    }
  }

  /// Removes a vertex; who waited for it waits for what it waited for.
  void Dissolve(Id gone) {
    for (std::set<Id>& edges : edges_) {
      if (edges.erase(gone) > 0) {
        edges.insert(edges_[gone].begin(), edges_[gone].end());
      }
    }
    edges_[gone].clear();
    dissolved_.insert(gone);
  }

  /// Drops every edge that others imply. Edges inside of cycles stay.
  void Reduce() {
    size_t size = names_.size();
    std::vector<Id> order;
    std::vector<uint8_t> state(size, 0);
    for (Id start = 0; start < size; ++start) {
      Visit(start, state, order);
    }
    const size_t words = (size + 63) / 64;
    std::vector<std::vector<uint64_t>> reach(size, std::vector<uint64_t>(words, 0));
    std::vector<size_t> rank(size);
    for (size_t i = 0; i < order.size(); ++i) {
      rank[order[i]] = i;
    }
    for (Id id : order) {
      // Nearer ones first: what they reach needs no edge of its own.
      std::vector<Id> targets(edges_[id].begin(), edges_[id].end());
      std::sort(targets.begin(), targets.end(), [&](Id a, Id b) { return rank[a] > rank[b]; });
      for (Id target : targets) {
        if ((reach[id][target / 64] >> (target % 64) & 1) != 0) {
          edges_[id].erase(target);
          continue;
        }
        for (size_t word = 0; word < words; ++word) {
          reach[id][word] |= reach[target][word];
        }
        reach[id][target / 64] |= uint64_t{1} << (target % 64);
      }
    }
  }

  std::string Text() const {
    std::vector<std::pair<std::string_view, std::string>> nodes;  // by name
    std::vector<std::string> lines;
    auto name = [&](Id id) { return Quoted("[root] " + names_[id]); };
    for (Id id = 0; id < names_.size(); ++id) {
      if (!shapes_[id].empty()) {
        nodes.emplace_back(names_[id], name(id) + " [label = " + Quoted(labels_[id]) +
                                           ", shape = \"" + std::string(shapes_[id]) + "\"]");
      }
      for (Id target : edges_[id]) {
        lines.push_back(name(id) + " -> " + name(target));
      }
    }
    std::sort(nodes.begin(), nodes.end());
    std::sort(lines.begin(), lines.end());
    std::string out =
        "digraph {\n\tcompound = \"true\"\n\tnewrank = \"true\"\n\tsubgraph \"root\" {\n";
    for (const auto& [unused, line] : nodes) {
      out += "\t\t" + line + "\n";
    }
    for (const std::string& line : lines) {
      out += "\t\t" + line + "\n";
    }
    return out + "\t}\n}\n\n";
  }

 private:
  /// Appends what has no order yet, dependencies first.
  void Visit(Id start, std::vector<uint8_t>& state, std::vector<Id>& order) {
    std::vector<std::pair<Id, std::set<Id>::const_iterator>> stack;
    auto enter = [&](Id id) {
      if (state[id] == 0) {
        state[id] = 1;
        stack.emplace_back(id, edges_[id].begin());
      }
    };
    enter(start);
    while (!stack.empty()) {
      auto& [id, next] = stack.back();
      if (next == edges_[id].end()) {
        order.push_back(id);
        stack.pop_back();
      } else {
        enter(*next++);
      }
    }
  }

  FlatMap<std::string, Id> index_;
  std::vector<std::string> names_;
  std::vector<std::string> labels_;
  std::vector<std::string_view> shapes_;
  std::vector<std::set<Id>> edges_;
  std::set<Id> dissolved_;
};

/// Draws the nodes of a walk. A node of ours may be several vertices: `ins` take its edges, `out`
/// is what others wait for.
class Artist {
 public:
  Artist(const PlanGraph& graph, const ApplyGraph* apply) : graph_(graph), apply_(apply) {}

  Drawing Draw(const std::vector<bool>& shown) {
    const Graph& graph = graph_;
    ins_.resize(graph.size());
    outs_.resize(graph.size());
    std::vector<Drawing::Id> joins;
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
        for (Drawing::Id from_vertex : ins_[id]) {
          for (Drawing::Id to_vertex : outs_[to]) {
            drawing_.Connect(from_vertex, to_vertex);
          }
        }
      }
    }
    for (Drawing::Id join : joins) {
      drawing_.Dissolve(join);
    }
    AddProviderEnds(shown);
    return std::move(drawing_);
  }

 private:
  void AddNode(NodeId id, std::vector<Drawing::Id>& joins) {
    const Node& node = graph_.node(id);
    auto single = [&](Drawing::Id vertex) {
      ins_[id] = {vertex};
      outs_[id] = {vertex};
    };
    std::string name =
        node.kind == NodeKind::kCell || node.kind == NodeKind::kJoin ? "" : NodeName(graph_, id);
    switch (node.kind) {
      case NodeKind::kVariable: {
        const config::ConfigNode& place = *graph_.config.nodes[node.config_node];
        std::string plain = name.substr(0, name.find(" ("));
        Drawing::Id input = place.parent == nullptr ? drawing_.Add(plain, plain, "note")
                                                    : drawing_.Add(plain + " (expand, input)");
        Drawing::Id reference = drawing_.Add(plain + " (expand, reference)");
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
          Drawing::Id vertex = drawing_.Add(text + " (orphan)", label, "box");
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
            Drawing::Id vertex = drawing_.Add(full, label, "box");
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
          Drawing::Id vertex = drawing_.Add(text, LabelOf(cell.resource), "box");
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
      Drawing::Id end = drawing_.Add(NodeName(graph_, node) + " (close)");
      drawing_.Connect(end, outs_[node][0]);
      for (Drawing::Id vertex : ins_[id]) {
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
  Drawing drawing_;
  std::vector<std::vector<Drawing::Id>> ins_, outs_;
};

/// Providers that serve nothing are left out.
void HideIdleProviders(const PlanGraph& graph, std::vector<bool>& shown) {
  for (const ProviderInfo& info : graph.providers) {
    auto users = graph.dependents(info.id);
    shown[info.id] = std::any_of(users.begin(), users.end(), [&](NodeId id) { return shown[id]; });
  }
}

std::string Finish(Drawing drawing, bool verbose) {
  if (verbose) {
    drawing.LabelProviderEnds();
  }
  drawing.Close();
  drawing.Reduce();
  return drawing.Text();
}

/// A destruction: objects, each after those that depend on it; of the configuration only variables
/// and outputs of the root module.
std::string DestroyGraphText(const PlanGraph& graph, const state::State* state, bool verbose) {
  Drawing drawing;
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
  FlatMap<ConfigResource, std::vector<std::pair<ModuleInstId, Drawing::Id>>> objects;
  struct User {
    ModuleInstId module;
    Drawing::Id vertex;
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
        Drawing::Id vertex = drawing.Add(text, graph.program.ToText(block), "box");
        objects[block].emplace_back(resource->address.module, vertex);
        users.push_back({resource->address.module, vertex, instance.current->dependencies});
        std::string provider = graph.program.ToText(resource->provider);
        Drawing::Id start = drawing.Add(provider, provider, "diamond");
        Drawing::Id end = drawing.Add(provider + " (close)");
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
  return Finish(std::move(drawing), verbose);
}

}  // namespace

std::string PlanGraphText(const Request& request, plan::Mode mode, bool verbose,
                          Diagnostics& diags) {
  WalkContext context(WalkKind::kPlan, request);
  context.mode = mode;
  context.imports = mode == plan::Mode::kNormal;
  PlanGraph graph(context);
  if (!BuildGraph(graph, diags)) {
    return "";
  }
  if (mode == plan::Mode::kDestroy) {
    return DestroyGraphText(graph, context.prior_state, verbose);
  }
  std::vector<bool> shown(graph.size(), true);
  for (NodeId id = 0; id < graph.size(); ++id) {
    shown[id] = graph.node(id).kind != NodeKind::kClose;
  }
  HideIdleProviders(graph, shown);
  return Finish(Artist(graph, nullptr).Draw(shown), verbose);
}

std::string ApplyGraphText(const Request& request, const plan::Plan& plan, bool verbose,
                           Diagnostics& diags) {
  const WalkContext context = ContextOfApply(request, plan);
  PlanGraph graph(context);
  ApplyGraph apply(plan);
  if (!BuildApplyGraph(graph, apply, diags)) {
    return "";
  }
  std::vector<bool> shown = NeededNodes(graph, true);
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    const bool root_output = node.kind == NodeKind::kOutput && node.config_node == 0;
    shown[id] = (shown[id] || root_output || node.kind == NodeKind::kModuleEnd) && graph.Kept(id);
  }
  HideIdleProviders(graph, shown);
  return Finish(Artist(graph, &apply).Draw(shown), verbose);
}

}  // namespace kinu::engine
