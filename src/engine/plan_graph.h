// The graph of a walk with the facts about each block that are known before the walk: schemas,
// providers, dependency lists, stored objects. Passes fill it (engine/build_graph.h); a walk only
// reads it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/rare.h"
#include "engine/graph.h"
#include "engine/provider_functions.h"
#include "engine/request.h"

namespace kinu::engine {

/// A provider configuration that the walk needs.
struct ProviderInfo {
  ProviderConfig address;
  const config::ProviderBlock* block = nullptr;  ///< null: nothing configures it
  const config::ConfigNode* node = nullptr;      ///< the module of the block
  const schema::ProviderSchema* schema = nullptr;
  bool only_functions = false;  ///< only its functions are used: it is not configured
  bool declared = true;         ///< the configuration has it
  /// Of the block; an empty body if there is no block. Null: the provider is not configured here.
  const hcl::Body* body = nullptr;
  NodeId id = kNoNode;
};

/// A resource of the state with a node of its own: no block configures it, or it has deposed
/// objects.
struct StoredNode {
  const state::Resource* resource = nullptr;
  uint32_t provider = 0;  ///< index of the ProviderInfo
  /// Something that -target or -exclude keep waits for the node: all its objects are kept.
  bool whole = false;
};

/// The import blocks of a resource block.
struct ImportBlocks {
  std::vector<const config::Import*> blocks;
  std::vector<const ImportTarget*> commands;  ///< objects of the import command
  bool generated = false;                     ///< the block itself is generated
  bool refer_to_target = false;  ///< an expression of `blocks` refers to the resource itself
};

/// A reference of a block to itself, in its repetition, depends_on or create provisioners.
struct SelfReference {
  bool has_key = false;  ///< to one instance, by a literal key; else to all
  InstanceKey key;
};

/// The facts that all instances of a resource block share, indexed like Module::resources.
struct BlockInfo {
  const schema::ResourceSchema* schema = nullptr;
  uint32_t provider = 0;               ///< index of the ProviderInfo
  bool has_deprecated = false;         ///< the schema deprecates parts of its objects
  bool create_before_destroy = false;  ///< own setting or forced by a dependent
  bool pick_rows = false;              ///< -target or -exclude decides row by row
  /// Every resource that it depends on. Null: no object of the block can be stored in this walk.
  state::DependencyList dependencies;
  std::vector<const state::Resource*> stored;  ///< its entries in the prior state
  std::unique_ptr<ImportBlocks> imports;       ///< null: nothing is imported
  Rare<std::vector<SelfReference>> self_references;
};

class PlanGraph : public Graph {
 public:
  explicit PlanGraph(const WalkContext& walk_context);
  ~PlanGraph();

  /// Node ids of a config node's blocks are contiguous: first node of each kind.
  struct Bases {
    NodeId module = kNoNode, module_end = kNoNode, variables = 0, locals = 0, outputs = 0,
           resources = 0, checks = 0;
  };

  const WalkContext& context;
  const config::Config& config;
  Program& program;
  std::vector<Bases> bases;                    ///< per config node
  std::vector<std::vector<BlockInfo>> blocks;  ///< per config node, per resource
  std::vector<ProviderInfo> providers;
  std::vector<StoredNode> stored;  ///< by Node::index of orphaned and deposed nodes
  /// The nodes that `depends_on` of a module call names, per config node.
  std::vector<std::vector<NodeId>> call_dependencies;
  /// What `prevent_destroy` of blocks with objects names: needed to decide what may be destroyed.
  std::vector<NodeId> protections;
  /// Local values whose expressions refer to themselves, which is an error when they are evaluated.
  FlatSet<NodeId> self_referencing_locals;
  /// Providers whose functions their own configuration calls, which is an error.
  std::vector<NodeId> self_calling_providers;
  /// Blocks without an object in the prior state may get one, as in an apply.
  bool stores_new_objects = false;
  /// The nodes that -target and -exclude keep; the others are not executed. Empty: all.
  std::vector<bool> kept;

  bool Kept(NodeId id) const { return kept.empty() || kept[id]; }
  /// The config node and the block of a resource's node, or of the node that closes its objects.
  const config::ConfigNode& PlaceOf(const Node& node) const {
    return *config.nodes[node.config_node];
  }
  const config::Resource& ResourceOf(const Node& node) const {
    return PlaceOf(node).module->resources[node.index];
  }
  const BlockInfo& InfoOf(const Node& node) const { return blocks[node.config_node][node.index]; }
  BlockInfo& InfoOf(const Node& node) { return blocks[node.config_node][node.index]; }

  /// The context's, or those of this graph alone. ConnectReferences() fills them.
  ReferenceCollection& references() const { return *references_; }

  uint32_t EnsureProvider(const ProviderConfig& address);
  /// The provider whose function is called in a module; nothing if the module does not require it,
  /// or ConnectReferences() has not seen the call; the console may call any required provider.
  std::optional<uint32_t> FunctionProvider(const config::ConfigNode& node,
                                           const ProviderFunctionName& name) const;
  /// As FunctionProvider(), while the graph is built. Adds a provider that nothing else needs.
  std::optional<uint32_t> EnsureFunctionProvider(const config::ConfigNode& node,
                                                 const ProviderFunctionName& name);
  /// Whether expressions of a module call functions of providers.
  bool CallsProviders(const config::ConfigNode& node) const {
    return calling_nodes_.contains(node.index);
  }

 private:
  std::unique_ptr<ReferenceCollection> own_references_;
  FlatMap<ProviderConfig, uint32_t> provider_index_;
  /// The config nodes whose expressions call functions of providers.
  FlatSet<uint32_t> calling_nodes_;
  ReferenceCollection* references_;
};

}  // namespace kinu::engine
