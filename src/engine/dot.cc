#include "engine/dot.h"

#include <algorithm>
#include <set>

#include "base/files.h"
#include "engine/apply.h"
#include "engine/cells.h"
#include "engine/passes/passes.h"
#include "engine/targets.h"

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
  Artist(const Walk& walk, const plan::Plan* plan) : walk_(walk), plan_(plan) {}

  Drawing Draw(const std::vector<bool>& shown) {
    const Graph& graph = walk_.graph;
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
    const Node& node = walk_.graph.node(id);
    auto single = [&](Drawing::Id vertex) {
      ins_[id] = {vertex};
      outs_[id] = {vertex};
    };
    std::string name =
        node.kind == NodeKind::kCell || node.kind == NodeKind::kJoin ? "" : NodeName(walk_, id);
    switch (node.kind) {
      case NodeKind::kVariable: {
        const config::ConfigNode& place = *walk_.config.nodes[node.config_node];
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
        const state::Resource& resource = *walk_.orphans[node.index].resource;
        const std::string label = LabelOf(resource.address);
        for (const state::Instance& instance : resource.instances) {
          std::string text = walk_.program.ToText(ResourceInstance{resource.address, instance.key});
          Drawing::Id vertex = drawing_.Add(text + " (orphan)", label, "box");
          ins_[id].push_back(vertex);
          outs_[id].push_back(vertex);
        }
        return;
      }
      case NodeKind::kDeposed: {
        const state::Resource& resource = *walk_.deposed[node.index].resource;
        const std::string label = LabelOf(resource.address);
        for (const state::Instance& instance : resource.instances) {
          std::string text = walk_.program.ToText(ResourceInstance{resource.address, instance.key});
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
        const Cell& cell = walk_.cells[node.index];
        for (const CellRow& row : cell.rows) {
          std::string text = RowName(cell, plan_->changes[row.change]);
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
    return walk_.program.ToText(
        ConfigResource{walk_.program.ModuleOf(resource.module), resource.resource});
  }

  std::string RowName(const Cell& cell, const plan::ResourceChange& change) const {
    std::string text = walk_.program.ToText(change.address);
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
    const Cell& a = walk_.cells[walk_.graph.node(from).index];
    const Cell& b = walk_.cells[walk_.graph.node(to).index];
    FlatMap<ResourceInstance, size_t> position;
    for (size_t i = 0; i < b.rows.size(); ++i) {
      position.emplace(plan_->changes[b.rows[i].change].address, i);
    }
    for (size_t i = 0; i < a.rows.size(); ++i) {
      if (auto it = position.find(plan_->changes[a.rows[i].change].address); it != position.end()) {
        drawing_.Connect(ins_[from][i], outs_[to][it->second]);
      }
    }
  }

  /// Providers end when all that they serve is done.
  void AddProviderEnds(const std::vector<bool>& shown) {
    const Graph& graph = walk_.graph;
    auto served = [&](NodeId id, uint32_t provider) {
      NodeId node = walk_.provider_nodes[provider];
      if (!shown[id] || outs_[node].empty()) {
        return;
      }
      Drawing::Id end = drawing_.Add(NodeName(walk_, node) + " (close)");
      drawing_.Connect(end, outs_[node][0]);
      for (Drawing::Id vertex : ins_[id]) {
        drawing_.Connect(end, vertex);
        drawing_.Connect(vertex, outs_[node][0]);
      }
    };
    for (NodeId id = 0; id < graph.size(); ++id) {
      const Node& node = graph.node(id);
      switch (node.kind) {
        case NodeKind::kResource:
          served(id, walk_.blocks[node.config_node][node.index].provider);
          break;
        case NodeKind::kOrphan:
          served(id, walk_.orphans[node.index].provider);
          break;
        case NodeKind::kDeposed:
          served(id, walk_.deposed[node.index].provider);
          break;
        case NodeKind::kCell:
          if (TakesProvider(walk_.cells[node.index])) {
            served(id, walk_.cells[node.index].provider);
          }
          break;
        default:
          break;
      }
    }
  }

  const Walk& walk_;
  const plan::Plan* plan_;
  Drawing drawing_;
  std::vector<std::vector<Drawing::Id>> ins_, outs_;
};

/// Providers that serve nothing are left out.
void HideIdleProviders(const Walk& walk, std::vector<bool>& shown) {
  for (NodeId node : walk.provider_nodes) {
    auto users = walk.graph.dependents(node);
    shown[node] = std::any_of(users.begin(), users.end(), [&](NodeId id) { return shown[id]; });
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
std::string DestroyGraphText(const Walk& walk, const state::State* state, bool verbose) {
  Drawing drawing;
  const config::Module& root = *walk.config.root().module;
  for (size_t i = 0; i < root.variables.size(); ++i) {
    std::string name = "var." + std::string(walk.program.Text(root.variables[i].name));
    drawing.Add(name, name, "note");
  }
  for (size_t i = 0; i < root.outputs.size(); ++i) {
    drawing.Add("output." + std::string(walk.program.Text(root.outputs[i].name)) + " (expand)");
  }
  for (const auto& node : walk.config.nodes) {
    if (node->parent != nullptr) {
      drawing.Add(walk.program.ToText(node->path) + " (close)");
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
      ConfigResource block{walk.program.ModuleOf(resource->address.module),
                           resource->address.resource};
      for (const state::Instance& instance : resource->instances) {
        if (instance.current == nullptr) {
          continue;
        }
        std::string text =
            walk.program.ToText(ResourceInstance{resource->address, instance.key}) + " (destroy)";
        Drawing::Id vertex = drawing.Add(text, walk.program.ToText(block), "box");
        objects[block].emplace_back(resource->address.module, vertex);
        users.push_back({resource->address.module, vertex, instance.current->dependencies});
        std::string provider = walk.program.ToText(resource->provider);
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
            walk.program.ModuleOf(module) != walk.program.ModuleOf(user.module)) {
          drawing.Connect(vertex, user.vertex);
        }
      }
    }
  }
  return Finish(std::move(drawing), verbose);
}

}  // namespace

std::string PlanGraphText(const Input& given, plan::Mode mode, bool verbose, Diagnostics& diags) {
  Input input = given;
  input.options.mode = mode;
  input.options.imports = mode == plan::Mode::kNormal;
  Walk walk(WalkKind::kPlan, input);
  if (!BuildGraph(walk, diags)) {
    return "";
  }
  if (mode == plan::Mode::kDestroy) {
    return DestroyGraphText(walk, input.prior_state, verbose);
  }
  std::vector<bool> shown(walk.graph.size(), true);
  HideIdleProviders(walk, shown);
  return Finish(Artist(walk, nullptr).Draw(shown), verbose);
}

std::string ApplyGraphText(const Input& given, const plan::Plan& plan, bool verbose,
                           Diagnostics& diags) {
  Input input = ForApply(given, plan);
  Walk walk(WalkKind::kApply, input);
  if (!BuildApplyGraph(walk, plan, diags)) {
    return "";
  }
  std::vector<bool> shown = NeededNodes(walk, true);
  for (NodeId id = 0; id < walk.graph.size(); ++id) {
    const Node& node = walk.graph.node(id);
    const bool root_output = node.kind == NodeKind::kOutput && node.config_node == 0;
    shown[id] = (shown[id] || root_output || node.kind == NodeKind::kModuleEnd) && walk.Kept(id);
  }
  HideIdleProviders(walk, shown);
  return Finish(Artist(walk, &plan).Draw(shown), verbose);
}

}  // namespace kinu::engine
