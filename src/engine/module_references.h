// The references of the blocks of a module, relative to the module.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/packed_lists.h"
#include "engine/plan_graph.h"

namespace kinu::engine {

/// The references of a block: what its traversals stand for, and providers whose functions it
/// calls.
struct Bindings {
  std::vector<const config::Reference*> list;
  std::vector<ProviderFunctionName> functions;
};

/// A view of the references of a block.
struct BlockBindings {
  BlockBindings(const Bindings& bindings) : list(bindings.list), functions(bindings.functions) {}
  BlockBindings(std::span<const config::Reference* const> listed,
                std::span<const ProviderFunctionName> called)
      : list(listed), functions(called) {}
  std::span<const config::Reference* const> list;
  std::span<const ProviderFunctionName> functions;
};

/// What the expressions of a body mention, in the order of the source.
struct BodyReferences {
  std::span<const hcl::TraversalExpr* const> traversals;
  std::span<const hcl::CallExpr* const> calls;
};

/// The references of all resource blocks of a module.
struct ResourceReferences {
  PackedLists<const config::Reference*> bindings;
  PackedLists<ProviderFunctionName> functions;
  PackedLists<const hcl::TraversalExpr*> traversals;  ///< of the bodies of those with a schema
  PackedLists<const hcl::CallExpr*> calls;            ///< likewise

  void Reserve(size_t resources);
  /// Ends the lists of a resource, whose bindings these are.
  void End(const Bindings& all);
  /// Frees what was reserved for more.
  void Shrink();

  BlockBindings operator[](size_t resource) const {
    return {bindings[resource], functions[resource]};
  }
  BodyReferences Body(size_t resource) const { return {traversals[resource], calls[resource]}; }
};

struct ModuleReferences {
  std::vector<Bindings> locals;
  std::vector<Bindings> outputs;
  std::vector<Bindings> variables;  ///< of validation rules
  ResourceReferences resources;
  std::vector<Bindings> calls;  ///< of repetition and keys of passed providers
  std::vector<Bindings> call_depends_on;
  std::vector<std::vector<Bindings>> inputs;  ///< per call, per input attribute
  std::vector<Bindings> checks;
};

/// The references of a configuration's modules. Collected once per module directory, even if the
/// module is called several times, and once for the walks of a command that share them.
class ReferenceCollection {
 public:
  /// Collects those of the module at `node`, unless an earlier graph did. Needs the schemas of the
  /// graph's blocks. `diags`: receives functions of providers that the module does not require, if
  /// the references are collected now; may be null.
  const ModuleReferences& Of(PlanGraph& graph, const config::ConfigNode& node, Diagnostics* diags);
  /// Those of the body of a resource in a module that Of() has seen.
  BodyReferences OfBody(const config::Module& module, size_t resource) const;

 private:
  FlatMap<uint64_t, std::unique_ptr<ModuleReferences>> modules_;  ///< by address
};

/// The references of expressions that stand in `module`.
Bindings ReferencesOf(PlanGraph& graph, const config::Module& module,
                      std::span<const hcl::Expr* const> expressions, Diagnostics* diags);
/// Those of a provider's block.
Bindings ReferencesOf(PlanGraph& graph, const ProviderInfo& provider, Diagnostics* diags);

}  // namespace kinu::engine
