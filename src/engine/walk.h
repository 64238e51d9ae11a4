// A walk: one pass over the graph of blocks (validate, plan, apply, …) with its inputs, its slots
// and its scheduler. Passes build the graph, node functions execute nodes, results are assembled
// from the slots afterwards, in graph order, so that output never depends on timing.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config.h"
#include "config/variables.h"
#include "engine/events.h"
#include "engine/graph.h"
#include "engine/instances.h"
#include "engine/progress.h"
#include "engine/provider_functions.h"
#include "engine/targets.h"
#include "functions/function.h"
#include "plan/plan.h"
#include "provider/provider.h"
#include "state/state.h"

namespace kinu::engine {

/// Everything that a command decides before a walk.
struct Options {
  plan::Mode mode = plan::Mode::kNormal;
  bool refresh = true;
  bool imports = true;  ///< `import` blocks count; they do only in normal plans
  /// A plan for what it learns of objects that are about to be destroyed: imports nothing.
  bool before_destroy = false;
  int parallelism = 10;
  std::vector<std::string> force_replace;
  std::vector<std::string> targets;   ///< addresses as Program::ToText() writes them
  std::vector<std::string> excludes;  ///< empty when there are targets
  std::string workspace = "default";
  std::string original_directory;  ///< path.cwd
  std::string plan_timestamp;      ///< RFC 3339
};

/// What an import block came to: the object that becomes an instance.
struct ImportTarget {
  ResourceInstance address;
  const config::Import* block = nullptr;  ///< null: the import command's
  std::string id;
  bool has_id = false;  ///< the id of the import command may be empty
  Value identity;       ///< null when imported by id
};

/// The import blocks of a resource block.
struct BlockImports {
  std::vector<const config::Import*> blocks;
  std::vector<ImportTarget> targets;  ///< evaluated when the block is planned
  FlatMap<ResourceInstance, uint32_t> index;
  bool generated = false;  ///< the block itself has to be written first
};

/// Blocks that are made up while planning, for import blocks whose target no block configures.
/// Outlives the diagnostics of the walk, which may point into the texts.
struct GeneratedBlocks {
  FlatSet<ResourceName> names;  ///< in the root module
  std::mutex mutex;
  std::vector<std::unique_ptr<hcl::SyntaxTree>> trees;
  std::vector<Ref<const SourceFile>> sources;
};

/// What a walk works on. Outlives the walk.
struct Input {
  config::Config* config = nullptr;
  const state::State* prior_state = nullptr;
  const std::map<std::string, config::InputValue>* variables = nullptr;
  provider::ProviderSource* providers = nullptr;
  class ProviderPool* pool = nullptr;
  EventSink* events = nullptr;
  std::atomic<bool>* stop = nullptr;  ///< set by the first interrupt
  /// Planning: what `moved` and `removed` blocks did to the prior state. Null: there are none.
  const class Refactoring* refactoring = nullptr;
  /// The import command's object; planning with it only reads. Null: none.
  const ImportTarget* command_import = nullptr;
  GeneratedBlocks* generated = nullptr;  ///< null: no configuration is to be generated
  Options options;
};

enum class WalkKind : uint8_t { kValidate, kPlan, kApply, kEval };

/// A provider configuration in a walk.
struct ProviderSlot {
  ProviderConfig address;
  const config::ProviderBlock* block = nullptr;  ///< null: nothing configures it
  const config::ConfigNode* node = nullptr;      ///< where the block stands
  const schema::ProviderSchema* schema = nullptr;
  std::unique_ptr<provider::Provider> provider;
  /// The provider for an instance key, or null.
  provider::Provider* Get(const InstanceKey& key) const;
  Expansion expansion;                                     ///< of for_each
  std::vector<std::unique_ptr<provider::Provider>> keyed;  ///< per expansion row with for_each
  bool blocking = true;                                    ///< calls go to another process
  bool only_functions = false;  ///< nothing but its functions is used: it is not configured
  bool declared = true;         ///< the configuration has it
  /// Of the block; an empty one when there is none. Null: the provider is not configured here.
  const hcl::Body* body = nullptr;
};

/// A resource in the state that no block configures any more.
struct OrphanSlot {
  const state::Resource* resource = nullptr;
  uint32_t provider = 0;
  std::vector<Row> rows;
  plan::Reason reason = plan::Reason::kDeleteNoResourceConfig;
};
struct DeposedSlot {
  const state::Resource* resource = nullptr;
  uint32_t provider = 0;
  std::vector<plan::ResourceChange> changes;
};

/// Rows of the state whose block exists but whose module instance does not any more.
struct StrayRows {
  const state::Resource* resource = nullptr;
  std::vector<Row> rows;
};

/// A block that names itself, in its repetition, depends_on or create provisioners.
struct SelfReference {
  bool has_key = false;  ///< one instance, by a literal key; else all
  InstanceKey key;
};

/// What is the same for all instances of a block: computed once, indexed like Module::resources.
struct BlockInfo {
  const schema::ResourceSchema* schema = nullptr;
  uint32_t provider = 0;                       ///< index of the ProviderSlot
  state::DependencyList dependencies;          ///< R1: every resource that it depends on
  bool has_deprecated = false;                 ///< the schema deprecates parts of its objects
  bool create_before_destroy = false;          ///< own setting or forced by a dependent
  std::vector<const state::Resource*> stored;  ///< its entries in the prior state
  std::vector<StrayRows> strays;
  std::unique_ptr<BlockImports> imports;  ///< null: nothing is imported
  bool pick_rows = false;                 ///< -target or -exclude decides row by row
  std::vector<SelfReference> self_references;
  /// Module instances in which some row has a change to make: data sources wait for it.
  std::vector<ModuleInstId> pending;
  void AddPending(ModuleInstId module) {
    if (pending.empty() || pending.back() != module) {
      pending.push_back(module);
    }
  }
};

/// Providers kept between the walks of one command, so that each process starts once.
class ProviderPool {
 public:
  /// A provider that an earlier walk left for this configuration, or null.
  std::unique_ptr<provider::Provider> Take(const ProviderConfig& address, size_t row);
  void Put(const ProviderConfig& address, size_t row, std::unique_ptr<provider::Provider> provider);
  /// Asks all providers that are in use to stop.
  void StopAll();
  void CloseAll();
  ~ProviderPool() { CloseAll(); }

 private:
  friend class Walk;
  struct Entry {
    ProviderConfig address;
    size_t row = 0;
    std::unique_ptr<provider::Provider> provider;
  };
  std::mutex mutex_;
  std::vector<Entry> idle_;
  std::vector<provider::Provider*> in_use_;
};

struct Cell;
class EphemeralKeeper;

/// A reference of a block, as an edge of the block graph that apply turns into edges between cells.
struct BlockReference {
  NodeId target = kNoNode;
  bool to_resource = false;
  bool has_key = false;  ///< names one instance by a literal key
  InstanceKey key;
};

class Walk {
 public:
  Walk(WalkKind walk_kind, const Input& walk_input);
  ~Walk();

  const WalkKind kind;
  const Input& input;
  config::Config& config;
  Program& program;
  Graph graph;

  /// Node ids of a config node's blocks are contiguous: first node of each kind.
  struct Bases {
    NodeId module = kNoNode, module_end = kNoNode, variables = 0, locals = 0, outputs = 0,
           resources = 0, checks = 0, calls = 0;
  };
  std::vector<Bases> bases;                    ///< per config node
  std::vector<std::vector<BlockInfo>> blocks;  ///< per config node, per resource
  std::vector<ProviderSlot> providers;
  std::vector<OrphanSlot> orphans;
  std::vector<DeposedSlot> deposed;
  std::unique_ptr<ModuleInstance> root;
  std::vector<std::vector<ModuleInstance*>> instances;  ///< per config node

  /// What `depends_on` of a module's call names, per config node.
  std::vector<std::vector<NodeId>> call_dependencies;

  std::vector<NodeId> provider_nodes;  ///< node of each provider slot

  Targets targets;  ///< what -target or -exclude name
  /// Nodes that targeting keeps; the others are not executed. Empty: all.
  std::vector<bool> kept;
  bool Kept(NodeId id) const { return kept.empty() || kept[id]; }

  // Apply only.
  /// Nodes that more than root outputs need: what those alone name is not expanded (A12).
  std::vector<bool> expanded;
  std::vector<Cell> cells;
  /// References of each resource block, per config node.
  std::vector<std::vector<std::vector<BlockReference>>> block_references;
  /// What users of a block wait for: the join behind its rows, by node of the block.
  FlatMap<NodeId, NodeId> block_ends;
  /// Edges to resource blocks, which become edges to the ends of their rows.
  struct ResourceEdge {
    NodeId from = kNoNode;
    NodeId to = kNoNode;
    bool has_key = false;  ///< only the instance of that literal key is meant
    InstanceKey key;
  };
  std::vector<ResourceEdge> resource_edges;
  /// Local values whose expressions name themselves: an error where they are evaluated.
  FlatSet<NodeId> self_referencing_locals;
  /// Edges that are dropped where they would close a cycle (rule A8). Whether they do is asked of
  /// the order that there would be without create_before_destroy, where those of `turned_edges`,
  /// and optional ones that are turned, point the other way.
  struct OptionalEdge {
    NodeId from = kNoNode;
    NodeId to = kNoNode;
    bool turned = false;
  };
  std::vector<OptionalEdge> optional_edges;
  std::vector<std::pair<NodeId, NodeId>> turned_edges;

  uint32_t EnsureProvider(const ProviderConfig& address);
  /// The same for an address that a state has.
  uint32_t EnsureStoredProvider(const ProviderConfig& address);
  /// The slot of the provider whose function is called in a module; nothing when the module does
  /// not require it, or ConnectReferences() has not seen the call.
  std::optional<uint32_t> FunctionProvider(const config::ConfigNode& node,
                                           const ProviderFunctionName& name) const;
  /// The same while the graph is built: a provider that nothing else needs is added.
  std::optional<uint32_t> EnsureFunctionProvider(const config::ConfigNode& node,
                                                 const ProviderFunctionName& name);
  /// Functions of providers, by name.
  ProviderFunctions functions;
  /// Tells that something is still going on.
  ProgressTicker ticker;
  /// Ephemeral objects that are open.
  std::unique_ptr<EphemeralKeeper> ephemeral;

  /// Executes every node in dependency order. A failing node silences all that wait for it.
  /// Problems of all nodes are appended to `diags` in graph order.
  void Run(const std::function<void(NodeId, Diagnostics&)>& execute, Diagnostics& diags);
  /// Said by a node that is executed: its work goes on elsewhere after that, until Finish().
  void Detach(NodeId id) { detached_[id] = 1; }
  /// From any thread: a detached node is done. Nothing of the walk may be touched by it any more.
  void Finish(NodeId id) { finish_(id); }
  /// Makes a node count as failed although it says nothing (rows were skipped). Called by the node.
  void MarkFailed(NodeId id) { status_[id] = Status::kFailed; }
  /// Whether a node was executed without error.
  bool Succeeded(NodeId id) const { return status_[id] == Status::kDone; }
  /// The address that an object had before this plan.
  ResourceInstance PreviousAddress(const ResourceInstance& address) const;
  bool stopping() const { return halted() || (input.stop != nullptr && input.stop->load()); }
  /// From any thread: nothing further that works on objects is started. Whoever halts says why.
  void Halt() { halted_.store(true); }
  bool halted() const { return halted_.load(); }

  /// A provider to ask for validation of its types: the configured one, or one started for this.
  provider::Provider* ProviderForValidation(uint32_t provider, Diagnostics& diags);

  /// Runs `work(i)` for i in [0, count), on the pool when `blocking` (provider processes), else
  /// here.
  void ForEachRow(size_t count, bool blocking, const std::function<void(size_t)>& work);

  const functions::CallContext& call_context(const ModuleInstance& instance) const;
  void Post(Event event) const {
    if (input.events != nullptr) {
      input.events->Post(std::move(event));
    }
  }

 private:
  enum class Status : uint8_t { kWaiting, kDone, kFailed, kSkipped, kLeftOut };
  struct Pool;
  /// What a cell waits for that follows others row by row: it can begin when they have begun.
  struct EarlyStart {
    uint32_t others = 0;     ///< nodes that it has to wait for to the end
    uint32_t not_begun = 0;  ///< cells that it follows
    bool follows = false;
  };
  /// Whether executing the node calls another process, so that it belongs on the pool.
  bool IsBlocking(NodeId id) const;

  std::vector<Status> status_;
  std::vector<uint8_t> detached_;
  std::atomic<bool> halted_{false};
  std::function<void(NodeId)> finish_;
  FlatMap<ProviderConfig, uint32_t> provider_index_;
  std::unique_ptr<Pool> pool_;
  mutable functions::CallContext call_context_;
};

}  // namespace kinu::engine
