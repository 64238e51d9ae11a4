// The apply walk: configuration objects, cells from the plan's changes, then execution. Read
// plan.cc first.
#include "engine/apply.h"

#include <algorithm>

#include "engine/assemble.h"
#include "engine/cells.h"
#include "engine/nodes/apply_row.h"
#include "engine/passes/passes.h"
#include "engine/refactoring.h"

namespace kinu::engine {
namespace {

using Edges = std::vector<std::pair<NodeId, NodeId>>;

/// Which of the edges can be added to the acyclic graph, one after the other, without closing a
/// cycle.
std::vector<bool> HarmlessEdges(const Graph& graph, const Edges& edges) {
  // Each contested edge needs a search, so there is an end to it: what is left out costs order, not
  // correctness.
  constexpr size_t kMostSearches = 1'000;
  std::vector<bool> harmless(edges.size(), true);
  Graph all = graph;
  for (const auto& [from, to] : edges) {
    all.AddEdge(from, to);
  }
  all.Finish();
  std::vector<size_t> component(graph.size(), 0);
  size_t count = 0;
  for (const auto& cycle : all.Cycles()) {
    ++count;
    for (NodeId id : cycle) {
      component[id] = count;
    }
  }
  if (count == 0) {
    return harmless;
  }
  // A cycle lies within one component, and so does every search for one.
  FlatMap<NodeId, std::vector<NodeId>> added;
  std::vector<size_t> contested;
  for (size_t i = 0; i < edges.size(); ++i) {
    const auto& [from, to] = edges[i];
    if (component[from] != 0 && component[from] == component[to]) {
      contested.push_back(i);
    }
  }
  size_t searches = 0;
  for (size_t i : contested) {
    const auto& [from, to] = edges[i];
    if (++searches > kMostSearches) {
      harmless[i] = false;
      continue;
    }
    FlatSet<NodeId> seen{to};
    std::vector<NodeId> work{to};
    auto visit = [&](NodeId next) {
      if (component[next] == component[to] && seen.insert(next).second) {
        work.push_back(next);
      }
    };
    while (!work.empty() && !seen.contains(from)) {
      NodeId id = work.back();
      work.pop_back();
      for (NodeId next : graph.dependencies(id)) {
        visit(next);
      }
      if (auto it = added.find(id); it != added.end()) {
        for (NodeId next : it->second) {
          visit(next);
        }
      }
    }
    harmless[i] = !seen.contains(from);
    if (harmless[i]) {
      added[from].push_back(to);
    }
  }
  return harmless;
}

/// Rule A8: provider-crossing edges give way where they would close a cycle in the order without
/// create_before_destroy. Where that order has a cycle of its own, all of them do. Ref:
/// transform_destroy_edge.go tryInterProviderDestroyEdge, which runs before CBDEdgeTransformer.
void AddOptionalEdges(Walk& walk) {
  FlatSet<uint64_t> turned;
  for (const auto& [from, to] : walk.turned_edges) {
    turned.insert(uint64_t{from} << 32 | to);
  }
  Graph plain;
  for (NodeId id = 0; id < walk.graph.size(); ++id) {
    plain.Add(walk.graph.node(id));
  }
  for (NodeId id = 0; id < walk.graph.size(); ++id) {
    for (NodeId to : walk.graph.dependencies(id)) {
      if (turned.contains(uint64_t{id} << 32 | to)) {
        plain.AddEdge(to, id);
      } else {
        plain.AddEdge(id, to);
      }
    }
  }
  plain.Finish();
  if (!plain.Cycles().empty()) {
    return;
  }
  Edges edges;
  for (const Walk::OptionalEdge& edge : walk.optional_edges) {
    edges.emplace_back(edge.turned ? edge.to : edge.from, edge.turned ? edge.from : edge.to);
  }
  const std::vector<bool> harmless = HarmlessEdges(plain, edges);
  for (size_t i = 0; i < edges.size(); ++i) {
    if (harmless[i]) {
      walk.graph.AddEdge(walk.optional_edges[i].from, walk.optional_edges[i].to);
    }
  }
  walk.graph.Finish();
}

/// Whether the objects are to go before themselves: a move can bring that about.
bool ListsItself(const Program& program, const Cell& cell) {
  if (cell.dependencies == nullptr ||
      (cell.phase != Phase::kDestroy && cell.phase != Phase::kDispose)) {
    return false;
  }
  const ConfigResource own{program.ModuleOf(cell.resource.module), cell.resource.resource};
  return std::find(cell.dependencies->begin(), cell.dependencies->end(), own) !=
         cell.dependencies->end();
}

}  // namespace

bool BuildApplyGraph(Walk& walk, const plan::Plan& plan, Diagnostics& diags) {
  bool destroy_all = plan.mode == plan::Mode::kDestroy;
  AddConfigObjects(walk);
  for (const plan::ResourceChange& change : plan.changes) {
    walk.EnsureProvider(change.provider);
  }
  if (!AttachProviders(walk, diags)) {
    return false;
  }
  AttachSchemas(walk, diags);
  if (diags.has_errors()) {
    return false;
  }
  ConnectReferences(walk);
  {
    // The block graph alone gives the dependency lists that new objects will store.
    Walk blocks_only(WalkKind::kPlan, walk.input);
    if (!BuildGraph(blocks_only, diags)) {
      return false;
    }
    for (size_t node = 0; node < walk.blocks.size(); ++node) {
      for (size_t i = 0; i < walk.blocks[node].size(); ++i) {
        walk.blocks[node][i].dependencies = blocks_only.blocks[node][i].dependencies;
        walk.blocks[node][i].create_before_destroy =
            blocks_only.blocks[node][i].create_before_destroy;
      }
    }
  }
  MakeCells(walk, plan);
  ConnectCells(walk, plan, destroy_all);
  walk.graph.Finish();
  if (!walk.optional_edges.empty()) {
    AddOptionalEdges(walk);
  }
  DropUnusedValues(walk);
  ApplyTargetingToCells(walk, plan);
  AddCloseNodes(walk);
  for (const Cell& cell : walk.cells) {
    auto kept = std::count_if(cell.rows.begin(), cell.rows.end(),
                              [](const CellRow& row) { return row.kept; });
    const bool lists_itself = ListsItself(walk.program, cell);
    if ((cell.names_itself || lists_itself) && kept > 1 && walk.Kept(cell.id)) {
      diags.Error("Cycle: " + CellName(walk, plan, cell), "");
    }
    for (const CellRow& row : cell.rows) {
      if (lists_itself && row.kept && walk.Kept(cell.id)) {
        diags.Error("Self reference: " + CellRowName(walk, plan, cell, row), "");
      }
    }
  }
  for (const auto& cycle : walk.graph.Cycles()) {
    std::string members;
    for (NodeId id : cycle) {
      if (!walk.Kept(id)) {
        continue;
      }
      const Node& node = walk.graph.node(id);
      if (node.kind == NodeKind::kJoin) {
        continue;
      }
      std::string name = node.kind == NodeKind::kCell ? CellName(walk, plan, walk.cells[node.index])
                                                      : NodeName(walk, id);
      members += (members.empty() ? "" : ", ") + name;
    }
    if (!members.empty()) {
      diags.Error("Cycle: " + members, "");
    }
  }
  return !diags.has_errors();
}

Input ForApply(const Input& given, const plan::Plan& plan) {
  Input input = given;
  input.options.mode = plan.mode;
  input.options.targets = plan.targets;
  input.options.excludes = plan.excludes;
  input.options.imports = false;
  return input;
}

namespace {

/// Whether anything may become of objects.
bool HasWork(const plan::Plan& plan) {
  return std::any_of(
      plan.changes.begin(), plan.changes.end(),
      [](const plan::ResourceChange& change) { return change.action != plan::Action::kNoOp; });
}

}  // namespace

void CheckApplyGraph(const Input& given, const plan::Plan& plan, Diagnostics& diags) {
  if (!HasWork(plan)) {
    return;
  }
  Input input = ForApply(given, plan);
  Walk walk(WalkKind::kApply, input);
  (void)BuildApplyGraph(walk, plan, diags);
}

ApplyResult Apply(const Input& given, const plan::Plan& plan, state::Store* store,
                  Diagnostics& diags) {
  ApplyResult result;
  Input input = ForApply(given, plan);
  result.state = plan.prior_state.Clone();
  Walk walk(WalkKind::kApply, input);
  if (!BuildApplyGraph(walk, plan, diags)) {
    return result;
  }
  if (store != nullptr && HasWork(plan)) {
    if (Result<void> recording = store->StartRecording(); !recording) {
      diags.Error("Failed to record changes",
                  "Nothing was changed, because what becomes of it could not be kept if this run "
                  "came to a sudden end: " +
                      recording.error().message + ".");
      return result;
    }
  }
  result.started = true;
  bool destroy_all = plan.mode == plan::Mode::kDestroy;
  walk.root = ModuleInstance::Make(ModuleInstId(), walk.config.nodes[0].get(), nullptr, {});
  walk.instances[0].push_back(walk.root.get());

  CheckRecord checks;
  DeclareChecks(walk, checks);
  checks.DeclareObjectsOf(plan.checks);
  NodeContext node_context{walk, checks};
  node_context.destroying = destroy_all;
  node_context.known_outputs.resize(walk.config.root().module->outputs.size());
  for (const plan::OutputChange& change : plan.outputs) {
    Symbol name = walk.program.Find(change.name);
    int index = name.empty() ? -1 : walk.config.root().module->FindOutput(name);
    if (index >= 0 && change.action != plan::Action::kDelete && change.after.IsWhollyKnown()) {
      node_context.known_outputs[static_cast<size_t>(index)] = &change.after;
    }
  }
  Recorder recorder(result.state, store, [&walk] { walk.Halt(); });
  ApplyContext context{.node = node_context, .plan = plan, .recorder = recorder};
  context.destroy_all = destroy_all;
  Refactoring refactoring(walk.config, nullptr);
  context.removed = &refactoring;
  context.done.resize(plan.changes.size(), 0);
  context.deposed_keys.resize(plan.changes.size());
  std::vector<bool> left_out(plan.changes.size(), false);
  for (const Cell& cell : walk.cells) {
    for (const CellRow& row : cell.rows) {
      left_out[row.change] = left_out[row.change] || (cell.phase == Phase::kApply && !row.kept);
    }
  }
  for (uint32_t i = 0; i < plan.changes.size(); ++i) {
    if (plan.changes[i].deposed.empty() && !left_out[i]) {
      context.change_of.emplace(plan.changes[i].address, i);
    }
  }
  context.orphan_infos.resize(walk.cells.size());
  for (size_t i = 0; i < walk.cells.size(); ++i) {
    const Cell& cell = walk.cells[i];
    BlockInfo& info = context.orphan_infos[i];
    info.provider = cell.provider;
    const schema::ProviderSchema* schema = walk.providers[cell.provider].schema;
    if (cell.block < 0 && schema != nullptr) {
      info.schema = schema->FindResource(walk.program.Text(cell.resource.resource.type));
    }
  }
  if (destroy_all && !walk.targets.active()) {
    // Root outputs go at once: what they say is about objects that are about to go.
    result.state.outputs.clear();
  }
  for (const plan::ResourceChange& change : plan.changes) {
    // The object is in the state that the plan starts from already: this is for the audience.
    if (change.importing) {
      Event event{.kind = EventKind::kImportStart, .address = change.address};
      if (change.importing->id.empty()) {
        std::tie(event.id_key, event.id_value) = IdentifyObject(change.importing->identity);
      } else {
        event.id_key = "id";
        event.id_value = change.importing->id;
      }
      walk.Post(event);
      event.kind = EventKind::kImportComplete;
      walk.Post(std::move(event));
      ++recorder.counts.imported;
    }
    if (change.action == plan::Action::kForget) {
      ++recorder.counts.forgotten;  // told beforehand too, whatever becomes of the row
    }
  }
  std::vector<bool> needed = NeededNodes(walk);
  walk.expanded = NeededNodes(walk, true);
  const config::Module& root = *walk.config.root().module;
  auto execute = [&](NodeId id, Diagnostics& found) {
    if (walk.graph.node(id).kind == NodeKind::kClose) {
      return CloseEphemerals(node_context, id, found);
    }
    if (!needed[id]) {
      return;
    }
    const Node& node = walk.graph.node(id);
    switch (node.kind) {
      case NodeKind::kModule:
        return ExpandModule(node_context, id, found);
      case NodeKind::kVariable:
        return EvaluateVariable(node_context, id, found);
      case NodeKind::kLocal:
        return EvaluateLocal(node_context, id, found);
      case NodeKind::kOutput: {
        if (destroy_all && node.config_node == 0) {
          return;
        }
        EvaluateOutput(node_context, id, found);
        const config::Output& output =
            walk.config.nodes[node.config_node]->module->outputs[node.index];
        if (node.config_node == 0 && !found.has_errors() && !output.ephemeral) {
          recorder.SetOutput({std::string(walk.program.Text(root.outputs[node.index].name)),
                              walk.root->outputs[node.index].UnmarkDeep(), output.sensitive,
                              output.deprecated});
        }
        return;
      }
      case NodeKind::kCheck:
        return EvaluateCheck(node_context, id, found);
      case NodeKind::kProvider:
        return ConfigureProvider(node_context, id, found);
      case NodeKind::kResource:
        return ExpandForApply(context, id, found);
      case NodeKind::kCell:
        return ExecuteCell(context, id, found);
      default:
        return;
    }
  };
  MakeRowGates(context);
  walk.Run(execute, diags);
  if (!recorder.failure().empty()) {
    diags.Error("Failed to record changes",
                "What had become of an object could not be written beside the state, so nothing "
                "further was started: " +
                    recorder.failure() +
                    ". What was done is written with the state, unless an error says otherwise.");
  }
  state::DropHusks(result.state);
  for (const plan::OutputChange& change : plan.outputs) {
    if (change.action == plan::Action::kDelete && !destroy_all) {
      recorder.SetOutput({change.name, Value::Null(Type::Dynamic()), false, ""});
    }
  }
  result.counts = recorder.counts;
  // Refreshing alone has checked everything already.
  result.checks = plan.mode == plan::Mode::kRefreshOnly ? plan.checks : checks.Results();
  result.state.checks = result.checks;
  result.state.has_checks = !result.checks.empty();
  return result;
}

}  // namespace kinu::engine
