// What a traversal in a module stands for, resolved once per module.
// Ref: opentofu internal/addrs/parse_ref.go, internal/lang/eval.go.
#pragma once

#include <cstdint>
#include <string>

#include "addrs/address.h"
#include "diag/diagnostic.h"
#include "hcl/ast.h"

namespace kinu::config {

struct Module;

enum class ReferenceKind : uint8_t {
  kInvalid,   ///< not a valid reference: Resolve() says why
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

/// Whether references of this kind name a declaration of the module, so that they have an index.
constexpr bool NamesObject(ReferenceKind kind) {
  return kind == ReferenceKind::kVariable || kind == ReferenceKind::kLocal ||
         kind == ReferenceKind::kResource || kind == ReferenceKind::kModule;
}

/// A resolved traversal. `index` is -1 when the object is not declared.
struct Reference {
  ReferenceKind kind = ReferenceKind::kInvalid;
  uint8_t consumed = 0;  ///< steps of the traversal that the reference itself uses
  int32_t index = -1;
  /// kResource, kModule: the literal instance key written right after the name (already counted in
  /// `consumed` only for kModule with an output).
  bool has_key = false;
  InstanceKey key;
  /// kModule: the name of the output that is read, empty when the whole module is meant.
  Symbol output;
};

/// Parses and resolves a traversal against a module. Problems (a malformed reference, or something
/// that is not declared) go to `diags` when given; they name the module by `path`.
Reference ResolveReference(Program& program, const Module& module,
                           const hcl::TraversalExpr& traversal, Diagnostics* diags,
                           ModuleId path = {});

/// The index into Module::references of a traversal, resolving it on first use. Not thread-safe:
/// the graph builder binds everything before a walk starts.
uint32_t BindReference(Program& program, Module& module, const hcl::TraversalExpr& traversal);

/// The part of a traversal that its reference uses, instance key included: where messages about the
/// reference point.
SourceRange ReferenceRange(const hcl::TraversalExpr& traversal);

/// Whether a malformed reference has the form of one: a name in `path`, `terraform`, `tofu`,
/// `count` or `each` that does not exist there, which shows only when its value is asked for.
bool NamesMember(const hcl::TraversalExpr& traversal);

/// Address of what is referenced, as documents and messages show it ("aws_instance.a", "var.x").
std::string ReferenceSubject(const Program& program, const Module& module, const Reference& ref);

}  // namespace kinu::config
