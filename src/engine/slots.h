// The results of a walk. The node that owns a slot writes it once; nodes that wait for that node
// read it. The counters of the scheduler order the write before the reads.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/rare.h"
#include "engine/instances.h"
#include "engine/plan_graph.h"

namespace kinu::engine {

/// A provider configuration once it is started.
struct ProviderSlot {
  std::unique_ptr<provider::Provider> provider;
  Expansion expansion;                                     ///< of for_each
  std::vector<std::unique_ptr<provider::Provider>> keyed;  ///< per expansion row with for_each
  std::vector<uint64_t> digests;  ///< of each configuration (configuration_digest.h); 0: unknown
  bool blocking = true;           ///< calls go to another process
  bool reads_block = true;        ///< the same of reading data sources

  /// Whether calls for resources of that mode wait for something else.
  bool Blocks(ResourceMode mode) const {
    return mode == ResourceMode::kData ? reads_block : blocking;
  }
  /// The provider for an instance key, or null.
  provider::Provider* Get(const InstanceKey& key) const;
  /// Any of them, or null.
  provider::Provider* Any() const { return keyed.empty() ? provider.get() : keyed[0].get(); }
};

/// The results of a node for objects of the state.
struct StoredSlot {
  std::vector<Row> rows;                        ///< kOrphan
  plan::BoxList<plan::ResourceChange> changes;  ///< kDeposed
};

/// Rows of the state whose block still exists, but whose module instance does not.
struct StrayRows {
  const state::Resource* resource = nullptr;
  std::vector<Row> rows;
};

/// The objects that the import blocks of a resource block import.
struct ImportSlot {
  std::vector<ImportTarget> targets;
  FlatMap<ResourceInstance, uint32_t> index;
};

/// Results of a resource block over all its module instances.
struct BlockSlot {
  Rare<std::vector<StrayRows>> strays;
  std::unique_ptr<ImportSlot> imports;  ///< set when the block is planned, if it has any
  /// Module instances with a row that changes, for which data sources wait.
  std::vector<ModuleInstId> pending;

  std::span<StrayRows> Strays() { return strays ? std::span(*strays) : std::span<StrayRows>(); }
  std::span<const StrayRows> Strays() const {
    return strays ? std::span<const StrayRows>(*strays) : std::span<const StrayRows>();
  }
  void AddPending(ModuleInstId module) {
    if (pending.empty() || pending.back() != module) {
      pending.push_back(module);
    }
  }
};

struct Slots {
  explicit Slots(const PlanGraph& graph);

  std::unique_ptr<ModuleInstance> root;
  std::vector<std::vector<ModuleInstance*>> instances;  ///< per config node
  std::vector<ProviderSlot> providers;                  ///< like PlanGraph::providers
  std::vector<std::vector<BlockSlot>> blocks;           ///< like PlanGraph::blocks; only of a plan
  std::vector<StoredSlot> stored;                       ///< like PlanGraph::stored

  /// Frees what is known of resource blocks and their instances, once no expression is evaluated
  /// any more: what follows a walk of a million rows needs memory, too.
  void DropRows();

  BlockSlot& BlockOf(const Node& node) { return blocks[node.config_node][node.index]; }
  const BlockSlot& BlockOf(const Node& node) const { return blocks[node.config_node][node.index]; }
};

}  // namespace kinu::engine
