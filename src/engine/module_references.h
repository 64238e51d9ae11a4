// The references of the blocks of a module, relative to the module.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/plan_graph.h"

namespace kinu::engine {

/// The references of a block: bindings of its traversals, and providers whose functions it calls.
struct Bindings {
  std::vector<uint32_t> list;
  std::vector<ProviderFunctionName> functions;
};

struct ModuleReferences {
  std::vector<Bindings> locals;
  std::vector<Bindings> outputs;
  std::vector<Bindings> variables;  ///< of validation rules
  std::vector<Bindings> resources;
  std::vector<Bindings> calls;  ///< of repetition and depends_on
  std::vector<Bindings> call_depends_on;
  std::vector<std::vector<Bindings>> inputs;  ///< per call, per input attribute
  std::vector<Bindings> checks;
};

/// The references of a configuration's modules. Collected once per module directory, even if the
/// module is called several times, and once for all walks of a command.
class ReferenceCollection {
 public:
  /// Collects those of the module at `node`, unless an earlier graph did. Needs the schemas of the
  /// graph's blocks. `diags`: receives functions of providers that the module does not require, if
  /// the references are collected now; may be null.
  const ModuleReferences& Of(PlanGraph& graph, const config::ConfigNode& node, Diagnostics* diags);

 private:
  FlatMap<uint64_t, std::unique_ptr<ModuleReferences>> modules_;  ///< by address
};

/// The references of expressions that stand in `module`.
Bindings ReferencesOf(PlanGraph& graph, const config::Module& module,
                      std::span<const hcl::Expr* const> expressions, Diagnostics* diags);
/// Those of a provider's block.
Bindings ReferencesOf(PlanGraph& graph, const ProviderInfo& provider, Diagnostics* diags);

}  // namespace kinu::engine
