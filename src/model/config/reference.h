// What a traversal in a module refers to. Resolved once per module. Ref: opentofu
// internal/addrs/parse_ref.go, internal/lang/eval.go.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "addrs/address.h"
#include "cty/path.h"
#include "diag/diagnostic.h"
#include "hcl/ast.h"

namespace kinu::config {

struct Module;

/// What a reference means.
enum class ReferenceKind : uint8_t {
  kInvalid,   ///< no valid reference: ResolveReference() reports why
  kVariable,  ///< var.x: index into Module::variables
  kLocal,     ///< local.x: index into Module::locals
  kResource,  ///< t.n, data.t.n, ephemeral.t.n: index into Module::resources
  kModule,    ///< module.m: index into Module::calls
  kCountIndex,
  kEachKey,
  kEachValue,
  kPathModule,
  kPathRoot,
  kPathCwd,
  kWorkspace,  ///< terraform.workspace, tofu.workspace
  kApplying,   ///< terraform.applying
  kSelf,
};

/// Whether references of this kind name a declaration in the module and therefore have an index.
constexpr bool NamesObject(ReferenceKind kind) {
  return kind == ReferenceKind::kVariable || kind == ReferenceKind::kLocal ||
         kind == ReferenceKind::kResource || kind == ReferenceKind::kModule;
}

/// A resolved traversal. `index` is -1 if the module declares no such object.
struct Reference {
  ReferenceKind kind = ReferenceKind::kInvalid;
  uint8_t consumed = 0;  ///< number of traversal steps that belong to the reference
  /// kResource, kModule: a literal instance key follows the name. `consumed` counts it only for
  /// kModule with an output.
  bool has_key = false;
  int32_t index = -1;
  /// kModule: the output that is read; empty if the whole module is meant.
  Symbol output;
  InstanceKey key;
};

/// Parses and resolves a traversal against a module. Reports malformed references and undeclared
/// objects to `diags` if it is not null; messages name the module `path`.
Reference ResolveReference(Program& program, const Module& module,
                           const hcl::TraversalExpr& traversal, Diagnostics* diags,
                           ModuleId path = {});

/// What a traversal stands for in a module. Resolves it at first use and keeps the result in
/// Module::references. Not thread-safe: the graph builder binds all references before a walk
/// starts.
const Reference& BindReference(Program& program, const Module& module,
                               const hcl::TraversalExpr& traversal);

/// What a traversal stands for in Module::overridden, if that is a resource, which a test has left
/// out of `module`.
std::optional<Reference> LeftOutResource(Program& program, const Module& module,
                                         const hcl::TraversalExpr& traversal);

/// The range of the reference in a traversal, instance key included, for diagnostics.
SourceRange ReferenceRange(const hcl::TraversalExpr& traversal);

/// Whether a malformed reference names an unknown attribute of `path`, `terraform`, `tofu`, `count`
/// or `each`. Such a reference fails only when it is evaluated.
bool NamesMember(const hcl::TraversalExpr& traversal);

/// The address of the referenced object in documents and messages ("aws_instance.a", "var.x").
std::string ReferenceSubject(const Program& program, const Module& module, const Reference& ref);

/// The steps of a traversal as those of a path. Splat steps are skipped.
std::vector<PathStep> PathSteps(std::span<const hcl::TraversalStep> steps);

}  // namespace kinu::config
