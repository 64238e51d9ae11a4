// The property on which cells rest: for every configuration, state and set of changes, the rows of
// cells wait for each other exactly as rows do in a graph without cells. A second implementation
// builds that graph here, row by row and in quadratic time. Rules like A4 are in docs/engine.md.
#include "engine/cells.h"

#include <bitset>
#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include "engine/build_graph.h"
#include "engine/testing/engine_fixture.h"

namespace kinu::engine {
namespace {

using plan::Action;

constexpr size_t kMost = 512;  // nodes of a graph, more than any round has
using Set = std::bitset<kMost>;

struct Use {
  int block = 0;
  int key = -1;  ///< one instance; -1: all of it
};

/// A block of the configuration, or a removed one that only the state has.
struct Block {
  int module = 0;
  std::string name;
  bool configured = true;
  bool conditions = false;
  bool first = false;  ///< create_before_destroy
  bool takes_variable = false;
  int module_used = 0;  ///< root only: the module
  bool whole_module = false;
  std::vector<Use> uses;
};

struct RowPart {
  int block = 0;
  int instance = 0;
  int key = 0;
  Phase phase = Phase::kApply;
  uint32_t change = 0;
  state::DependencyList dependencies;
};

bool Live(Phase phase) {
  return phase == Phase::kApply || phase == Phase::kCheck || phase == Phase::kForget;
}

/// Which row waits for which, transitively.
class Relation {
 public:
  explicit Relation(size_t nodes) : reach_(nodes) {}
  void Wait(size_t from, size_t to) {
    if (from != to) {
      reach_[from].set(to);
    }
  }
  void Close() {
    for (size_t via = 0; via < reach_.size(); ++via) {
      for (Set& set : reach_) {
        if (set.test(via)) {
          set |= reach_[via];
        }
      }
    }
  }
  bool Cyclic() const {
    for (size_t i = 0; i < reach_.size(); ++i) {
      if (reach_[i].test(i)) {
        return true;
      }
    }
    return false;
  }
  bool Waits(size_t from, size_t to) const { return reach_[from].test(to); }

 private:
  std::vector<Set> reach_;
};

/// A random configuration with a state and changes.
class Round {
 public:
  explicit Round(uint32_t seed) : random_(seed) {
    calm_ = Chance(70);
    all_first_ = Chance(50);
    gentle_ = Chance(15);
    MakeBlocks();
  }

  std::vector<std::pair<std::string, std::string>> Files() const {
    std::string root;
    std::string modules[3];
    for (const Block& block : blocks_) {
      if (block.configured) {
        (block.module == 0 ? root : modules[block.module]) += TextOf(block);
      }
    }
    for (int m = 1; m < 3; ++m) {
      root += std::string("module \"") + kModules[m] + "\" {\n  source = \"./" + kModules[m] +
              "\"\n" + (m == 1 ? "  count = 2\n" : "") + "  in = join(\"\", test_thing." +
              blocks_[0].name + "[*].id)\n}\n";
      modules[m] += "variable \"in\" {}\noutput \"o\" {\n  value = join(\"\", test_thing." +
                    blocks_[static_cast<size_t>(last_[m])].name + "[*].id)\n}\n";
    }
    return {{"main.tf", root}, {"m/main.tf", modules[1]}, {"n/main.tf", modules[2]}};
  }

  /// Chooses stored rows and changes. Every configured block has a change, so that no block is
  /// omitted as unneeded.
  void MakeChanges(Program& program, state::State& state, plan::Plan& plan) {
    ProviderConfig provider{ModuleId(), program.Intern("registry.opentofu.org/hashicorp/test"),
                            Symbol()};
    for (size_t b = 0; b < blocks_.size(); ++b) {
      const Block& block = blocks_[b];
      std::vector<state::DependencyList> lists{RandomList(program, b), RandomList(program, b)};
      for (int instance = 0; instance < Instances(block.module); ++instance) {
        for (int key = 0; key < 3; ++key) {
          bool must = block.configured && instance == 0 && key == 0;
          ResourceInstance address;
          ASSERT_TRUE(program.ParseResourceInstance(Prefix(block.module, instance) + "test_thing." +
                                                        block.name + "[" + std::to_string(key) +
                                                        "]",
                                                    &address));
          AddRow(program, static_cast<int>(b), instance, key, must, address, provider, lists, state,
                 plan);
        }
      }
    }
  }

  /// The graph without cells.
  Relation RowGraph(const PlanGraph& graph) {
    size_t expand = rows_.size();
    size_t variable = expand + blocks_.size();
    size_t output = variable + 3;
    size_t end = output + 3;
    Relation out(end + 3);
    bool needs_variable[3] = {}, needs_output[3] = {};
    for (const Block& block : blocks_) {
      needs_variable[block.module] = needs_variable[block.module] || block.takes_variable;
      if (block.module_used > 0) {
        needs_output[block.module_used] = true;
      }
    }
    auto refer = [&](size_t from, int instance, const Use& use) {
      bool named = false;
      for (const RowPart& row : rows_) {
        named = named || (row.block == use.block && row.key == use.key && Live(row.phase));
      }
      if (!named) {
        out.Wait(from, expand + static_cast<size_t>(use.block));
      }
      for (size_t i = 0; i < rows_.size(); ++i) {
        const RowPart& row = rows_[i];
        if (row.block == use.block && Live(row.phase) && (!named || row.key == use.key) &&
            (instance < 0 || row.instance == instance)) {
          out.Wait(from, i);
        }
      }
    };
    auto configuration = [&](size_t from, int instance, const Block& block) {
      for (const Use& use : block.uses) {
        refer(from, instance, use);
      }
      if (block.takes_variable) {
        out.Wait(from, variable + static_cast<size_t>(block.module));
      }
      if (block.module_used > 0) {
        out.Wait(from,
                 (block.whole_module ? end : output) + static_cast<size_t>(block.module_used));
      }
    };
    for (size_t b = 0; b < blocks_.size(); ++b) {
      if (blocks_[b].configured) {
        configuration(expand + b, -1, blocks_[b]);
      }
    }
    for (size_t m = 1; m < 3; ++m) {
      refer(variable + m, -1, {0, -1});
      refer(output + m, -1, {last_[m], -1});
      for (size_t b = 0; b < blocks_.size(); ++b) {
        if (blocks_[b].module == static_cast<int>(m) && blocks_[b].configured) {
          refer(end + m, -1, {static_cast<int>(b), -1});
        }
      }
      if (needs_variable[m]) {
        out.Wait(end + m, variable + m);
      }
      if (needs_output[m]) {
        out.Wait(end + m, output + m);
      }
    }
    for (size_t i = 0; i < rows_.size(); ++i) {
      const RowPart& row = rows_[i];
      const Block& block = blocks_[static_cast<size_t>(row.block)];
      if (Live(row.phase) && block.configured) {
        configuration(i, row.instance, block);
        if (row.phase != Phase::kForget && block.module != 1) {
          out.Wait(i, expand + static_cast<size_t>(row.block));  // A3
        }
      }
      for (size_t j = 0; j < rows_.size(); ++j) {
        Own(i, j, out);
        if (Depends(graph, row, rows_[j])) {
          Removal(i, j, out);
        }
      }
    }
    out.Close();
    return out;
  }

  /// The order of the same rows by their cells.
  Relation CellGraph(const PlanGraph& graph, const ApplyGraph& apply) {
    std::vector<std::vector<size_t>> rows(graph.size());
    std::vector<uint32_t> changes(rows_.size(), 0);
    size_t nodes = rows_.size();
    for (NodeId id = 0; id < graph.size(); ++id) {
      if (graph.node(id).kind != NodeKind::kCell) {
        rows[id].push_back(nodes++);
        continue;
      }
      const Cell& cell = apply.cells[graph.node(id).index];
      for (const CellRow& row : cell.rows) {
        for (size_t i = 0; i < rows_.size(); ++i) {
          if (rows_[i].change == row.change && rows_[i].phase == cell.phase) {
            rows[id].push_back(i);
            ++changes[i];
          }
        }
      }
    }
    EXPECT_EQ(std::count(changes.begin(), changes.end(), 1u), static_cast<ptrdiff_t>(rows_.size()))
        << "each row is in one cell";
    Relation out(nodes);
    for (NodeId id = 0; id < graph.size(); ++id) {
      for (NodeId to : graph.dependencies(id)) {
        const bool own = graph.IsSoft(id, to);
        if (own &&
            (graph.node(id).kind != NodeKind::kCell || graph.node(to).kind != NodeKind::kCell)) {
          continue;  // where only values are read
        }
        for (size_t a : rows[id]) {
          for (size_t b : rows[to]) {
            if (!own || (rows_[a].key == rows_[b].key)) {
              out.Wait(a, b);
            }
          }
        }
      }
    }
    out.Close();
    return out;
  }

  std::string Name(size_t row) const {
    static constexpr const char* kPhases[] = {"A", "check", "D", "K", "F"};
    const RowPart& part = rows_[row];
    const Block& block = blocks_[static_cast<size_t>(part.block)];
    return std::string(kPhases[static_cast<size_t>(part.phase)]) + "(" +
           Prefix(block.module, part.instance) + block.name + "[" + std::to_string(part.key) + "])";
  }
  size_t rows() const { return rows_.size(); }

 private:
  static constexpr const char* kModules[] = {"", "m", "n"};

  int Pick(int below) { return static_cast<int>(random_() % static_cast<uint32_t>(below)); }
  bool Chance(int percent) { return Pick(100) < percent; }
  static int Instances(int module) { return module == 1 ? 2 : 1; }
  static std::string Prefix(int module, int instance) {
    if (module == 0) {
      return "";
    }
    return module == 1 ? "module.m[" + std::to_string(instance) + "]." : "module.n.";
  }

  void MakeBlocks() {
    auto add = [&](int module, std::string name) -> Block& {
      std::vector<int> earlier;
      for (size_t i = 0; i < blocks_.size(); ++i) {
        if (blocks_[i].module == module && blocks_[i].configured) {
          earlier.push_back(static_cast<int>(i));
        }
      }
      Block& block = blocks_.emplace_back();
      block.module = module;
      block.name = std::move(name);
      block.conditions = Chance(30);
      block.first = calm_ ? all_first_ : Chance(25);
      for (int use : earlier) {
        if (Chance(50)) {
          block.uses.push_back({use, Chance(40) ? Pick(3) : -1});
        }
      }
      return block;
    };
    add(0, "r0");
    add(0, "r1");
    for (int m = 1; m < 3; ++m) {
      for (int i = 0; i < 2 + Pick(2); ++i) {
        add(m, std::string(kModules[m]) + std::to_string(i)).takes_variable = Chance(30);
      }
      last_[m] = static_cast<int>(blocks_.size()) - 1;
    }
    for (int i = 2; i < 3 + Pick(2); ++i) {
      Block& block = add(0, "r" + std::to_string(i));
      block.module_used = Chance(60) ? 1 + Pick(2) : 0;
      block.whole_module = Chance(40);
    }
    for (int i = 0; i < Pick(3); ++i) {
      Block& gone = blocks_.emplace_back();
      gone.module = Pick(2);
      gone.name = "gone" + std::to_string(i);
      gone.configured = false;
    }
  }

  std::string TextOf(const Block& block) const {
    std::string out = "resource \"test_thing\" \"" + block.name + "\" {\n  count = 3\n  name = \"" +
                      block.name + "\"\n  value = join(\"\", [";
    for (const Use& use : block.uses) {
      const std::string other = "test_thing." + blocks_[static_cast<size_t>(use.block)].name;
      out += use.key < 0 ? other + "[count.index].id, "
                         : other + "[" + std::to_string(use.key) + "].id, ";
    }
    if (block.takes_variable) {
      out += "var.in, ";
    }
    if (block.module_used > 0) {
      std::string module = std::string("module.") + kModules[block.module_used];
      out += block.whole_module ? "jsonencode(" + module + "), "
                                : module + (block.module_used == 1 ? "[0]" : "") + ".o, ";
    }
    out += "])\n  lifecycle {\n";
    if (block.first) {
      out += "    create_before_destroy = true\n";
    }
    if (block.conditions) {
      out +=
          "    precondition {\n      condition = path.module != \"none\"\n      error_message = "
          "\"no\"\n    }\n";
    }
    return out + "  }\n}\n";
  }

  ConfigResource ConfigOf(Program& program, const Block& block) {
    ResourceInstance address;
    EXPECT_TRUE(program.ParseResourceInstance(Prefix(block.module, 0) + "test_thing." + block.name,
                                              &address));
    return {program.ModuleOf(address.resource.module), address.resource.resource};
  }

  state::DependencyList RandomList(Program& program, size_t own) {
    auto list = std::make_shared<std::vector<ConfigResource>>();
    // Mostly equal to the configuration, or nearly every graph would have a cycle.
    const int against = calm_ ? 0 : 2;
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (i != own && Chance(i < own ? 40 : against)) {
        list->push_back(ConfigOf(program, blocks_[i]));
      }
    }
    return list;
  }

  Action RandomAction(bool configured, bool stored, bool must) {
    static constexpr Action kAny[] = {Action::kNoOp,
                                      Action::kUpdate,
                                      Action::kUpdate,
                                      Action::kDelete,
                                      Action::kDeleteThenCreate,
                                      Action::kDeleteThenCreate,
                                      Action::kCreateThenDelete,
                                      Action::kForget,
                                      Action::kForgetThenCreate};
    if (!configured) {
      return Action::kDelete;
    }
    if (!stored) {
      return Action::kCreate;
    }
    if (gentle_) {
      return Chance(50) ? Action::kUpdate : Action::kNoOp;
    }
    if (must) {
      return Chance(50) ? Action::kUpdate : Action::kDeleteThenCreate;
    }
    return kAny[Pick(static_cast<int>(std::size(kAny)))];
  }

  void AddRow(Program& program, int block, int instance, int key, bool must,
              const ResourceInstance& address, const ProviderConfig& provider,
              const std::vector<state::DependencyList>& lists, state::State& state,
              plan::Plan& plan) {
    const Block& about = blocks_[static_cast<size_t>(block)];
    bool stored = Chance(75) || !about.configured;
    if ((!stored && !must && Chance(30)) || (gentle_ && !about.configured)) {
      return;
    }
    state::DependencyList list;
    bool flag = false;
    if (stored) {
      state::Instance& entry =
          state.Ensure(address.resource, provider).Ensure(program, address.key);
      entry.current = std::make_unique<state::Object>();
      entry.current->dependencies = list = lists[static_cast<size_t>(Pick(2))];
      entry.current->create_before_destroy = flag = calm_ ? all_first_ : Chance(30);
      if (Chance(8) && !gentle_) {
        entry.deposed.push_back({"0000000" + std::to_string(key), state::Object()});
      }
    }
    plan::ResourceChange change;
    change.address = change.previous_address = address;
    change.provider = provider;
    change.action = RandomAction(about.configured, stored, must);
    if (calm_ && plan::IsReplace(change.action) && change.action != Action::kForgetThenCreate) {
      change.action = all_first_ ? Action::kCreateThenDelete : Action::kDeleteThenCreate;
    }
    auto part = [&](Phase phase) {
      rows_.push_back(
          {block, instance, key, phase, static_cast<uint32_t>(plan.changes.size()), list});
    };
    switch (change.action) {
      case Action::kNoOp:
        if (about.conditions) {
          part(Phase::kCheck);
        }
        break;
      case Action::kDelete:
        part(flag ? Phase::kDispose : Phase::kDestroy);
        break;
      case Action::kDeleteThenCreate:
        part(Phase::kDestroy);
        part(Phase::kApply);
        break;
      case Action::kCreateThenDelete:
        part(Phase::kApply);
        part(Phase::kDispose);
        break;
      case Action::kForget:
        part(Phase::kForget);
        break;
      case Action::kForgetThenCreate:
        part(Phase::kForget);
        part(Phase::kApply);
        break;
      default:
        part(Phase::kApply);
        break;
    }
    plan.changes.push_back(change);
    const state::Resource* kept = stored ? state.Find(address.resource) : nullptr;
    if (kept != nullptr && !kept->Find(address.key)->deposed.empty()) {
      change.deposed = kept->Find(address.key)->deposed[0].key;
      change.action = Action::kDelete;
      part(Phase::kDispose);
      plan.changes.push_back(change);
    }
  }

  /// A4: destruction and creation of one instance.
  void Own(size_t i, size_t j, Relation& out) const {
    const RowPart& a = rows_[i];
    const RowPart& b = rows_[j];
    if (a.block != b.block || a.instance != b.instance || a.key != b.key) {
      return;
    }
    bool live = a.phase == Phase::kApply || a.phase == Phase::kCheck;
    if (live && (b.phase == Phase::kDestroy || b.phase == Phase::kForget)) {
      out.Wait(i, j);
    } else if (live && b.phase == Phase::kDispose) {
      out.Wait(j, i);
    }
  }

  bool Depends(const PlanGraph& graph, const RowPart& row, const RowPart& other) const {
    const Block& block = blocks_[static_cast<size_t>(row.block)];
    const Block& target = blocks_[static_cast<size_t>(other.block)];
    if (block.module == target.module && row.instance != other.instance) {
      return false;  // A8: another instance of the module
    }
    state::DependencyList list = row.dependencies;
    if (list == nullptr && row.phase == Phase::kApply) {
      for (const auto& node : graph.config.nodes) {
        if (graph.program.ToText(node->path) ==
            (block.module == 0 ? "" : std::string("module.") + kModules[block.module])) {
          for (size_t i = 0; i < node->module->resources.size(); ++i) {
            if (graph.program.Text(node->module->resources[i].name.name) == block.name) {
              list = graph.blocks[node->index][i].dependencies;
            }
          }
        }
      }
    }
    return list != nullptr &&
           std::any_of(list->begin(), list->end(), [&](const ConfigResource& dependency) {
             std::string module = graph.program.ToText(dependency.module);
             return graph.program.Text(dependency.resource.name) == target.name &&
                    module == (target.module == 0
                                   ? ""
                                   : std::string("module.") + kModules[target.module]);
           });
  }

  /// A5, A6, A7: row `i` depends on the block of row `j`.
  void Removal(size_t i, size_t j, Relation& out) const {
    Phase own = rows_[i].phase;
    Phase other = rows_[j].phase;
    bool goes = other == Phase::kDestroy || other == Phase::kDispose;
    switch (own) {
      case Phase::kApply:
        if (other == Phase::kDestroy) {
          out.Wait(i, j);
        } else if (other == Phase::kDispose) {
          out.Wait(j, i);
        }
        break;
      case Phase::kDestroy:
        if (goes || other == Phase::kApply) {
          out.Wait(j, i);
        }
        break;
      case Phase::kDispose:
        if (goes) {
          out.Wait(j, i);
        } else if (other == Phase::kApply) {
          out.Wait(i, j);
        }
        break;
      default:
        break;
    }
  }

  std::mt19937 random_;
  bool calm_ = false;  ///< lists and flags fit together, so that cycles are rare
  bool all_first_ = false;
  bool gentle_ = false;  ///< nothing is destroyed or forgotten
  std::vector<Block> blocks_;
  std::vector<RowPart> rows_;
  int last_[3] = {};
};

class CellsTest : public testing::EngineTest {};

TEST_F(CellsTest, CellOrderEqualsOrderOfSingleRows) {
  const char* wanted = std::getenv("KINU_TEST_ROUNDS");
  const uint32_t rounds = wanted == nullptr ? 300 : static_cast<uint32_t>(std::atoi(wanted));
  uint32_t cyclic = 0;
  uint32_t following = 0;
  for (uint32_t seed = 1; seed <= rounds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Round round(seed);
    Configure(round.Files());
    if (HasFatalFailure()) {
      return;
    }
    state_ = state::State();
    state_.program = program_;
    plan::Plan plan;
    plan.program = program_;
    plan.prior_state.program = program_;
    round.MakeChanges(*program_, plan.prior_state, plan);
    Request input = MakeInput();
    input.prior_state = &plan.prior_state;
    const WalkContext context = ContextOfApply(input, plan);
    PlanGraph graph(context);
    ApplyGraph apply(plan);
    Diagnostics diags;
    bool ordered = BuildApplyGraph(graph, apply, diags);
    Relation rows = round.RowGraph(graph);
    ASSERT_EQ(rows.Cyclic(), !ordered) << Text(diags);
    const bool follows_blocks = FollowsBlocks(graph, plan);
    ASSERT_TRUE(ordered || !follows_blocks) << Text(diags);
    following += follows_blocks ? 1 : 0;
    if (!ordered) {
      ++cyclic;
      continue;
    }
    Relation cells = round.CellGraph(graph, apply);
    for (size_t a = 0; a < round.rows(); ++a) {
      for (size_t b = 0; b < round.rows(); ++b) {
        ASSERT_EQ(cells.Waits(a, b), rows.Waits(a, b))
            << round.Name(a) << " waits for " << round.Name(b);
      }
    }
  }
  // All kinds must occur, or the test has little value.
  EXPECT_GT(following, rounds / 50);
  EXPECT_GT(cyclic, rounds / 50);
  EXPECT_LT(cyclic, rounds - rounds / 5);
}

}  // namespace
}  // namespace kinu::engine
