#include "engine/cells.h"

#include <algorithm>

#include "base/files.h"
#include "engine/passes/passes.h"
#include "engine/rows/provision.h"

namespace kinu::engine {
namespace {

/// Rows with equal keys share a cell.
struct CellKey {
  AbsResource resource;
  Phase phase;
  const void* dependencies;
  InstanceKey single;
  bool left_over = false;
  uint64_t Hash() const {
    return HashCombine(HashCombine(resource.Hash(), static_cast<uint64_t>(phase) * 2 + left_over),
                       HashCombine(reinterpret_cast<uint64_t>(dependencies), single.Hash()));
  }
  friend bool operator==(const CellKey&, const CellKey&) = default;
};

bool HasConditions(const config::Resource& resource) {
  return !resource.preconditions.empty() || !resource.postconditions.empty();
}

/// Whether a phase of a block runs provisioners. `removed_runs`: some `removed` block has them.
bool RunsCommands(Phase phase, const config::Resource* resource, bool removed_runs) {
  using When = config::Provisioner::When;
  switch (phase) {
    case Phase::kApply:
      return resource != nullptr && HasProvisioners(*resource, When::kCreate);
    case Phase::kDestroy:
    case Phase::kDispose:
      return resource != nullptr ? HasProvisioners(*resource, When::kDestroy) : removed_runs;
    default:
      return false;
  }
}

/// Hashes of block and key of the instances that references name by a literal key.
using SingledOut = FlatSet<uint64_t>;

uint64_t SingleKey(const ConfigResource& resource, const InstanceKey& key) {
  return HashCombine(resource.Hash(), key.Hash());
}

SingledOut FindSingledOut(const PlanGraph& graph) {
  SingledOut out;
  for (const auto& node : graph.config.nodes) {
    node->module->references.ForEach([&](const config::Reference& ref) {
      if (ref.kind == config::ReferenceKind::kResource && ref.has_key && ref.index >= 0) {
        ConfigResource resource{node->path,
                                node->module->resources[static_cast<size_t>(ref.index)].name};
        out.insert(SingleKey(resource, ref.key));
      }
    });
  }
  return out;
}

/// Groups changes into cells.
class CellMaker {
 public:
  CellMaker(PlanGraph& graph, ApplyGraph& apply)
      : graph_(graph), apply_(apply), singled_(FindSingledOut(graph)) {
    for (const auto& place : graph.config.nodes) {
      for (const config::Removed& removed : place->module->removed) {
        removed_runs_ = removed_runs_ || !removed.provisioners.empty();
      }
    }
  }

  void Add(uint32_t index) {
    const plan::ResourceChange& change = apply_.plan.changes[index];
    const AbsResource& address = change.address.resource;
    change_ = index;
    node_ = graph_.config.Find(graph_.program.ModuleOf(address.module));
    block_ = node_ == nullptr ? -1 : node_->module->FindResource(address.resource);
    const state::Resource* stored = apply_.plan.prior_state.Find(address);
    const state::Instance* instance =
        stored == nullptr ? nullptr : stored->Find(change.address.key);
    current_ = instance == nullptr ? nullptr : instance->current.get();
    if (!change.deposed.empty()) {
      AddTo(change.action == plan::Action::kForget ? Phase::kForget : Phase::kDispose);
      return;
    }
    switch (change.action) {
      case plan::Action::kNoOp:
        if (block_ >= 0 && HasConditions(Block())) {
          AddTo(Phase::kCheck);
        }
        break;
      case plan::Action::kCreate:
      case plan::Action::kUpdate:
      case plan::Action::kRead:
        AddTo(Phase::kApply);
        break;
      case plan::Action::kDelete:
        AddTo(current_ != nullptr && current_->create_before_destroy ? Phase::kDispose
                                                                     : Phase::kDestroy);
        break;
      case plan::Action::kDeleteThenCreate:
        AddTo(Phase::kDestroy);
        AddTo(Phase::kApply);
        break;
      case plan::Action::kCreateThenDelete:
        AddTo(Phase::kApply);
        AddTo(Phase::kDispose);
        break;
      case plan::Action::kForget:
        AddTo(Phase::kForget);
        break;
      case plan::Action::kForgetThenCreate:
        AddTo(Phase::kForget);
        AddTo(Phase::kApply);
        break;
    }
  }

 private:
  const config::Resource& Block() const {
    return node_->module->resources[static_cast<size_t>(block_)];
  }

  /// Equal lists are one list after this, so a pointer identifies a list.
  state::DependencyList Canonical(const state::DependencyList& list) {
    if (list == nullptr || list->empty()) {
      return nullptr;
    }
    uint64_t hash = 0;
    for (const ConfigResource& resource : *list) {
      hash = HashCombine(hash, resource.Hash());
    }
    auto& known = lists_[hash];
    if (known == nullptr) {
      known = list;
    }
    return *known == *list ? known : list;
  }

  /// The dependency list of the stored object; a new object has that of its block.
  state::DependencyList Dependencies(bool live) {
    if (current_ != nullptr) {
      return Canonical(current_->dependencies);
    }
    return live && block_ >= 0
               ? Canonical(graph_.blocks[node_->index][static_cast<size_t>(block_)].dependencies)
               : nullptr;
  }

  /// Adds the part of the change in a phase to its cell.
  void AddTo(Phase phase) {
    const plan::ResourceChange& change = apply_.plan.changes[change_];
    const AbsResource& address = change.address.resource;
    const bool live = phase == Phase::kApply || phase == Phase::kCheck;
    const state::DependencyList list = Dependencies(live);
    CellKey key{address, phase, list.get(), InstanceKey()};
    key.left_over = phase == Phase::kForget && !change.deposed.empty();
    const bool single = (live || phase == Phase::kForget) && block_ >= 0 && !key.left_over &&
                        singled_.contains(SingleKey(ConfigResource{node_->path, address.resource},
                                                    change.address.key));
    if (single) {
      key.single = change.address.key;
    }
    auto [it, added] = index_.emplace(key, static_cast<uint32_t>(apply_.cells.size()));
    if (added) {
      Cell cell;
      cell.resource = address;
      cell.node = node_;
      cell.block = block_;
      cell.phase = phase;
      cell.dependencies = list;
      if (single) {
        cell.single = key.single;
      }
      cell.flags.left_over = key.left_over;
      cell.provider = graph_.EnsureProvider(change.provider);
      cell.flags.runs_commands = RunsCommands(phase, cell.config_block(), removed_runs_);
      apply_.cells.push_back(std::move(cell));
    }
    apply_.cells[it->second].rows.push_back({change_});
  }

  PlanGraph& graph_;
  ApplyGraph& apply_;
  const SingledOut singled_;
  bool removed_runs_ = false;  ///< some `removed` block has provisioners
  FlatMap<CellKey, uint32_t> index_;
  FlatMap<uint64_t, state::DependencyList> lists_;  ///< by hash
  // The change that is added.
  uint32_t change_ = 0;
  const config::ConfigNode* node_ = nullptr;
  int block_ = -1;
  const state::Object* current_ = nullptr;
};

}  // namespace

void MakeCells(PlanGraph& graph, ApplyGraph& apply) {
  CellMaker maker(graph, apply);
  for (uint32_t i = 0; i < apply.plan.changes.size(); ++i) {
    maker.Add(i);
  }
  for (uint32_t i = 0; i < apply.cells.size(); ++i) {
    apply.cells[i].id = graph.Add({NodeKind::kCell, 0, i});
  }
}

namespace {

/// The joins and gates of one block, made at first use.
struct Crossing {
  NodeId end_all = kNoNode;      ///< after all A and F cells
  NodeId end_apply = kNoNode;    ///< after all A cells that change something
  NodeId end_destroy = kNoNode;  ///< after all D cells
  NodeId start_apply = kNoNode;  ///< before all A cells that change something
  NodeId start_destroy = kNoNode;
  NodeId start_dispose = kNoNode;
  NodeId start_dispose_after_use = kNoNode;  ///< before all K cells, behind users of the block
  NodeId end_dispose = kNoNode;
  std::vector<uint32_t> cells;
};

bool IsApply(const Cell& cell) {
  return cell.phase == Phase::kApply;
}
bool IsLive(const Cell& cell) {
  return cell.live() || (cell.phase == Phase::kForget && !cell.flags.left_over);
}
bool IsDestroy(const Cell& cell) {
  return cell.phase == Phase::kDestroy;
}
bool IsDispose(const Cell& cell) {
  return cell.phase == Phase::kDispose;
}

/// How a cell of a phase is ordered against the cells of a block that its stored dependency list
/// names. docs/engine.md explains A5 to A8.
struct DependencyRule {
  Phase dependent;              ///< of the cell
  bool (*member)(const Cell&);  ///< the cells of the block
  bool waits;                   ///< the dependent comes later
  bool turned;                  ///< against the usual direction, for create_before_destroy
  bool optional;                ///< between different provider configurations (A8)
  NodeId Crossing::* slot;      ///< the node that stands for the cells
};
constexpr DependencyRule kDependencyRules[] = {
    {Phase::kApply, IsDestroy, true, false, false, &Crossing::end_destroy},              // A5
    {Phase::kApply, IsDispose, false, true, false, &Crossing::start_dispose_after_use},  // A5, K
    {Phase::kDestroy, IsDestroy, false, false, true, &Crossing::start_destroy},          // A6
    {Phase::kDestroy, IsDispose, false, false, true, &Crossing::start_dispose},          // A6
    {Phase::kDispose, IsDestroy, false, false, true, &Crossing::start_destroy},          // A6
    {Phase::kDispose, IsDispose, false, false, true, &Crossing::start_dispose},          // A6
    {Phase::kDestroy, IsApply, false, false, true, &Crossing::start_apply},              // A7
    {Phase::kDispose, IsApply, true, true, true, &Crossing::end_apply},                  // A7, K
};

/// Edges to the expansions of blocks of which single rows are named. A row without changes is read
/// once its block has expanded; the reference reads it from the state, so the edge is soft, unless
/// something else names the whole block.
class ExpansionsOfOneRow {
 public:
  void Name(NodeId from, NodeId expansion) { named_.emplace_back(from, expansion); }
  void NeedWhole(NodeId from, NodeId expansion) { whole_.emplace_back(from, expansion); }
  void Connect(PlanGraph& graph) {
    if (named_.empty()) {
      return;
    }
    std::ranges::sort(whole_);
    for (const auto& [from, expansion] : named_) {
      if (!std::ranges::binary_search(whole_, std::pair(from, expansion))) {
        graph.AddSoftEdge(from, expansion);
      }
    }
  }

 private:
  std::vector<std::pair<NodeId, NodeId>> named_;
  std::vector<std::pair<NodeId, NodeId>> whole_;
};

class CellConnector {
 public:
  CellConnector(PlanGraph& graph, ApplyGraph& apply)
      : graph_(graph),
        apply_(apply),
        plan_(apply.plan),
        destroy_all_(apply.plan.mode == plan::Mode::kDestroy) {
    for (uint32_t i = 0; i < apply.cells.size(); ++i) {
      crossings_[ConfigOf(apply.cells[i])].cells.push_back(i);
    }
  }

  void Run() {
    for (const Cell& cell : apply_.cells) {
      OwnEdges(cell);
    }
    ConfigEdges();
    ForceCreateFirst();
    for (const Cell& cell : apply_.cells) {
      DependencyEdges(cell);
    }
    RowEdges();
    ChecksLast();
  }

 private:
  ConfigResource ConfigOf(const Cell& cell) const {
    return {graph_.program.ModuleOf(cell.resource.module), cell.resource.resource};
  }
  Crossing* Find(const ConfigResource& resource) {
    auto it = crossings_.find(resource);
    return it == crossings_.end() ? nullptr : &it.value();
  }
  void Wait(NodeId from, NodeId to) { graph_.AddEdge(from, to); }
  /// An edge of create_before_destroy, against the usual direction.
  void WaitTurned(NodeId from, NodeId to) {
    Wait(from, to);
    apply_.turned_edges.emplace_back(from, to);
  }
  void Wait(NodeId from, NodeId to, bool turned) {
    if (turned) {
      WaitTurned(from, to);
    } else {
      Wait(from, to);
    }
  }

  /// The join in a slot of a crossing, made at first use. `connect(join, cell)` adds its edge for
  /// each cell of the block that is a `member`.
  template <typename F>
  NodeId MakeJoin(Crossing& crossing, NodeId Crossing::* slot, bool (*member)(const Cell&),
                  F&& connect) {
    if (crossing.*slot == kNoNode) {
      crossing.*slot = graph_.Add({NodeKind::kJoin, 0, 0});
      for (uint32_t i : crossing.cells) {
        if (member(apply_.cells[i])) {
          connect(crossing.*slot, apply_.cells[i].id);
        }
      }
    }
    return crossing.*slot;
  }
  /// A node that waits for all cells of the block with that property.
  NodeId Join(Crossing& crossing, NodeId Crossing::* slot, bool (*member)(const Cell&),
              bool turned = false) {
    return MakeJoin(crossing, slot, member,
                    [&](NodeId join, NodeId cell) { Wait(join, cell, turned); });
  }
  /// A node that all cells of the block with that property wait for.
  NodeId Gate(Crossing& crossing, NodeId Crossing::* slot, bool (*member)(const Cell&),
              bool turned = false) {
    return MakeJoin(crossing, slot, member,
                    [&](NodeId gate, NodeId cell) { Wait(cell, gate, turned); });
  }
  /// A block that is replaced with the new object first forces the same on all blocks that it
  /// refers to, through values and providers. Only rows with a change count.
  void ForceCreateFirst() {
    auto creates_first = [&](const Cell& cell) {
      if (!cell.live()) {
        return false;
      }
      const config::Resource* block = cell.config_block();
      return (block != nullptr && block->create_before_destroy.value_or(false)) ||
             std::any_of(cell.rows.begin(), cell.rows.end(), [&](const CellRow& row) {
               return plan_.changes[row.change].action == plan::Action::kCreateThenDelete;
             });
    };
    Graph references = graph_;  // NOLINT(cppcoreguidelines-slicing): the edges alone
    references.Finish();
    std::vector<NodeId> order = references.Order();
    std::vector<bool> forced(references.size(), false);
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      for (NodeId dependent : references.dependents(*it)) {
        const Node& node = references.node(dependent);
        forced[*it] = forced[*it] || forced[dependent] ||
                      (node.kind == NodeKind::kCell && creates_first(apply_.cells[node.index]));
      }
    }
    for (Cell& cell : apply_.cells) {
      cell.flags.forced_create_first = forced[cell.id];
    }
  }

  /// Provider and, outside keyed modules, the block's own expansion (A3, A9).
  void OwnEdges(const Cell& cell) {
    if (TakesProvider(cell)) {
      Wait(cell.id, graph_.providers[cell.provider].id);
    }
    // Everything in a module waits for its expansion, forgotten objects too.
    if (cell.phase == Phase::kForget && cell.node != nullptr &&
        graph_.bases[cell.node->index].module != kNoNode) {
      Wait(cell.id, graph_.bases[cell.node->index].module);
    }
    if (cell.live() && cell.block >= 0) {
      NodeId block = graph_.bases[cell.node->index].resources + static_cast<NodeId>(cell.block);
      // In keyed modules the row needs the result of the expansion, but does not wait for all that
      // the expansion waits for: the cell expands the block itself.
      if (!graph_.program.HasKeys(cell.resource.module)) {
        Wait(cell.id, block);
      } else {
        Wait(cell.id, graph_.bases[cell.node->index].module);
      }
    }
  }

  /// A5, A6, A7: the stored dependency list orders destruction against everything else: cell by
  /// cell within a module instance, through one node of the block between modules.
  void DependencyEdges(const Cell& cell) {
    if (cell.dependencies == nullptr) {
      return;
    }
    const ModuleId own_module = graph_.program.ModuleOf(cell.resource.module);
    for (const ConfigResource& dependency : *cell.dependencies) {
      Crossing* block = Find(dependency);
      if (block == nullptr) {
        continue;
      }
      for (const DependencyRule& rule : kDependencyRules) {
        if (rule.dependent != cell.phase) {
          continue;
        }
        if (dependency.module == own_module) {
          OrderPairs(rule, cell, *block);
        } else {
          const NodeId node = rule.waits ? Join(*block, rule.slot, rule.member, rule.turned)
                                         : Gate(*block, rule.slot, rule.member, rule.turned);
          Order(rule, cell, node, apply_.cells[block->cells[0]].provider);
        }
      }
    }
  }

  /// A rule between a cell and those of a block in the same module instance.
  void OrderPairs(const DependencyRule& rule, const Cell& cell, const Crossing& block) {
    for (const uint32_t i : block.cells) {
      const Cell& other = apply_.cells[i];
      if (rule.member(other) && other.resource.module == cell.resource.module &&
          other.id != cell.id) {
        Order(rule, cell, other.id, other.provider);
      }
    }
  }

  /// Adds the edge of a rule between a cell and a node of what it depends on, which `provider`
  /// serves.
  void Order(const DependencyRule& rule, const Cell& cell, NodeId other, uint32_t provider) {
    const NodeId later = rule.waits ? cell.id : other;
    const NodeId earlier = rule.waits ? other : cell.id;
    if (rule.optional && provider != cell.provider && !destroy_all_) {
      apply_.optional_edges.push_back({later, earlier, rule.turned});
    } else {
      Wait(later, earlier, rule.turned);
    }
  }

  /// A4: the live half of a row comes after its destroy half, and before the disposal of objects at
  /// its address, also those of earlier runs. Soft edges order the cells; during the walk the order
  /// is kept row by row.
  void RowEdges() {
    struct Place {
      uint32_t cell = 0;
      uint32_t row = 0;
    };
    FlatMap<ResourceInstance, Place> live;
    auto for_rows = [&](bool alive, auto&& visit) {
      for (uint32_t i = 0; i < apply_.cells.size(); ++i) {
        const Cell& cell = apply_.cells[i];
        if (cell.live() != alive) {
          continue;
        }
        for (uint32_t row = 0; row < cell.rows.size(); ++row) {
          visit(Place{i, row}, plan_.changes[cell.rows[row].change].address);
        }
      }
    };
    for_rows(true,
             [&](Place place, const ResourceInstance& address) { live.emplace(address, place); });
    auto follow = [&](Place later, Place earlier) {
      Cell& first = apply_.cells[earlier.cell];
      first.order.followers.push_back({earlier.row, later.cell, later.row});
      graph_.AddSoftEdge(apply_.cells[later.cell].id, first.id);
    };
    for_rows(false, [&](Place place, const ResourceInstance& address) {
      auto it = live.find(address);
      const Cell& cell = apply_.cells[place.cell];
      if (it == live.end() || cell.flags.left_over) {
        return;
      }
      if (cell.phase == Phase::kDispose) {
        follow(place, it->second);
        apply_.turned_edges.emplace_back(cell.id, apply_.cells[it->second.cell].id);
      } else {
        follow(it->second, place);
      }
    });
    for (uint32_t i = 0; i < apply_.cells.size(); ++i) {
      CellOrder& cell = apply_.cells[i].order;
      std::stable_sort(cell.followers.begin(), cell.followers.end(),
                       [](const RowFollower& a, const RowFollower& b) { return a.row < b.row; });
      for (const RowFollower& follower : cell.followers) {
        cell.followed_by.push_back(follower.cell);
      }
      std::sort(cell.followed_by.begin(), cell.followed_by.end());
      cell.followed_by.erase(std::unique(cell.followed_by.begin(), cell.followed_by.end()),
                             cell.followed_by.end());
      for (uint32_t later : cell.followed_by) {
        apply_.cells[later].order.follows.push_back(i);
      }
    }
  }

  /// A10: data sources of checks are read after all changes of managed objects.
  void ChecksLast() {
    auto mode_of = [](const Cell& cell) { return cell.resource.resource.mode; };
    auto nested = [&](const Cell& cell) {
      return cell.block >= 0 && IsApply(cell) && mode_of(cell) == ResourceMode::kData &&
             cell.node->module->resources[static_cast<size_t>(cell.block)].check >= 0;
    };
    if (std::none_of(apply_.cells.begin(), apply_.cells.end(), nested)) {
      return;
    }
    NodeId start = graph_.Add({NodeKind::kJoin, 0, kCheckStart});
    for (const Cell& cell : apply_.cells) {
      if (nested(cell)) {
        Wait(cell.id, start);
      } else if (mode_of(cell) == ResourceMode::kManaged && cell.live()) {
        Wait(start, cell.id);
      }
    }
  }

  /// A2: a literal key means only that row, if a module instance changes it. False if none does.
  bool WaitForSingle(const ResourceEdge& edge) {
    const Node& target = graph_.node(edge.to);
    const config::ConfigNode& place = *graph_.config.nodes[target.config_node];
    Crossing* a = Find({place.path, place.module->resources[target.index].name});
    bool found = false;
    if (a != nullptr) {
      for (uint32_t i : a->cells) {
        const Cell& cell = apply_.cells[i];
        if (IsLive(cell) && cell.single == edge.key) {
          Wait(edge.from, cell.id);
          found = true;
        }
      }
    }
    return found;
  }

  /// A1, A2: configuration references, block to block, as edges to the rows behind the blocks.
  void ConfigEdges() {
    // Values, expansions of other blocks and ends of modules wait for all rows of a block.
    for (auto it = crossings_.begin(); it != crossings_.end(); ++it) {
      const config::ConfigNode* node = graph_.config.Find(it->first.module);
      int block = node == nullptr ? -1 : node->module->FindResource(it->first.resource);
      if (block >= 0) {
        NodeId expansion = graph_.bases[node->index].resources + static_cast<NodeId>(block);
        apply_.block_ends[expansion] = Join(it.value(), &Crossing::end_all, IsLive);
      }
    }
    ExpansionsOfOneRow single;
    for (const ResourceEdge& edge : apply_.resource_edges) {
      if (edge.key && WaitForSingle(edge)) {
        single.Name(edge.from, edge.to);
        continue;
      }
      single.NeedWhole(edge.from, edge.to);
      Wait(edge.from, edge.to);
      auto end = apply_.block_ends.find(edge.to);
      if (end != apply_.block_ends.end()) {
        Wait(edge.from, end->second);
      }
    }
    for (Cell& cell : apply_.cells) {
      if (IsLive(cell) && cell.block >= 0) {
        CellReferences(cell, single);
      }
    }
    single.Connect(graph_);
  }

  /// The references of a cell's block.
  void CellReferences(Cell& cell, ExpansionsOfOneRow& single) {
    const auto& references =
        apply_.block_references[cell.node->index][static_cast<size_t>(cell.block)];
    for (const BlockReference& ref : references) {
      if (!ref.to_resource) {
        Wait(cell.id, ref.target);
        continue;
      }
      const Node& target = graph_.node(ref.target);
      const ConfigResource address{graph_.config.nodes[target.config_node]->path,
                                   graph_.ResourceOf(target).name};
      const Crossing* rows = Find(address);
      const bool named = rows != nullptr && ref.key && HasSingle(*rows, *ref.key);
      const bool own = address == ConfigOf(cell);
      cell.flags.names_itself = cell.flags.names_itself || (own && !named);
      if (named) {
        single.Name(cell.id, ref.target);
      } else if (!own) {
        single.NeedWhole(cell.id, ref.target);
        Wait(cell.id, ref.target);
      }
      if (rows == nullptr) {
        continue;
      }
      for (uint32_t i : rows->cells) {
        const Cell& other = apply_.cells[i];
        if (IsLive(other) && other.resource.module == cell.resource.module && other.id != cell.id &&
            (!named || other.single == ref.key)) {
          Wait(cell.id, other.id);
        }
      }
    }
  }

  /// Whether some module instance has a live cell of its own for the key.
  bool HasSingle(const Crossing& rows, const InstanceKey& key) const {
    return std::ranges::any_of(rows.cells, [&](uint32_t i) {
      return IsLive(apply_.cells[i]) && apply_.cells[i].single == key;
    });
  }

  PlanGraph& graph_;
  ApplyGraph& apply_;
  const plan::Plan& plan_;
  const bool destroy_all_;  ///< no edge between provider configurations may be dropped
  FlatMap<ConfigResource, Crossing> crossings_;
};

}  // namespace

void ConnectCells(PlanGraph& graph, ApplyGraph& apply) {
  CellConnector(graph, apply).Run();
  graph.Finish();
}

std::string CellRowName(const PlanGraph& graph, const ApplyGraph& apply, const Cell& cell,
                        const CellRow& row) {
  const plan::ResourceChange& change = apply.plan.changes[row.change];
  std::string out = graph.program.ToText(change.address);
  if (!change.deposed.empty()) {
    out += cell.flags.left_over ? " (forget deposed " : " (destroy deposed ";
    out += change.deposed.text() + ")";
  } else if (cell.phase == Phase::kDispose && change.action == plan::Action::kCreateThenDelete) {
    // An apply makes the key up when it deposes the object.
    out += " (destroy deposed " + RandomUuid().substr(0, 8) + ")";
  } else if (cell.phase == Phase::kDestroy || cell.phase == Phase::kDispose) {
    out += " (destroy)";
  } else if (cell.phase == Phase::kForget) {
    out += " (forget)";
  }
  return out;
}

std::string CellName(const PlanGraph& graph, const ApplyGraph& apply, const Cell& cell) {
  std::string out;
  for (const CellRow& row : cell.rows) {
    out += (out.empty() ? "" : ", ") + CellRowName(graph, apply, cell, row);
  }
  return out;
}

}  // namespace kinu::engine
