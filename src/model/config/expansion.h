// count, for_each and enabled: from an expression to the instances of a block or module call.
// Ref: opentofu internal/lang/evalchecks, internal/instances.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "addrs/address.h"
#include "config/reference.h"
#include "cty/value.h"
#include "lang/scope.h"

namespace kinu::config {

struct ModuleCall;
struct Resource;

/// The result of `count`, `for_each` or `enabled` of a block or module call.
struct Expansion {
  enum class Kind : uint8_t {
    kSingle,
    kCount,
    kForEach,
    kDisabled,  ///< enabled = false: no instance, the object is null
    kUnknown,   ///< validation: not known how many, one pseudo instance stands for all
  };
  Kind kind = Kind::kSingle;
  bool is_tuple = false;      ///< kForEach of an import block over a tuple: keys are positions
  bool by_count = false;      ///< kUnknown: `count` is what is not known, not `for_each`
  bool by_either = false;     ///< kUnknown: `count` and `each` are both taken as given
  int64_t count = 0;          ///< kCount
  std::vector<Symbol> keys;   ///< kForEach: keys in order
  std::vector<Value> values;  ///< kForEach: each.value per key
  size_t size() const;
  InstanceKey key(size_t row) const;
  /// Whether there is a count.index, and whether there are each.key and each.value.
  bool has_index() const {
    return kind == Kind::kCount || (kind == Kind::kUnknown && (by_count || by_either));
  }
  bool has_each() const {
    return kind == Kind::kForEach || (kind == Kind::kUnknown && (!by_count || by_either));
  }
};

/// count.index, each.key and each.value for one row.
struct Repetition {
  const Expansion* expansion = nullptr;
  size_t row = 0;
};

struct ExpansionArguments {
  const hcl::Expr* count = nullptr;
  const hcl::Expr* for_each = nullptr;
  const hcl::Expr* enabled = nullptr;
};

/// The arguments that decide about the instances of a block. An override can add `for_each` to one
/// that has `enabled`, which decides for a resource. Ref: opentofu
/// internal/tofu/node_resource_abstract.go writeResourceState.
ExpansionArguments ArgumentsOf(const config::Resource& resource);
/// As above, of a call, where `for_each` decides.
ExpansionArguments ArgumentsOf(const config::ModuleCall& call);

/// The kind of expansion that a block's arguments ask for.
Expansion::Kind ExpansionKindOf(const config::Resource& resource);

/// The expansion of a resource whose instances are not counted: unknown if it is repeated.
Expansion UncountedExpansion(const config::Resource& resource);

/// Evaluates the arguments and reports invalid ones ("Invalid count argument", …). An unknown
/// result is an error unless `validating`, which returns kUnknown.
Expansion Expand(const ExpansionArguments& arguments, const lang::Scope& scope, Program& program,
                 bool validating, Diagnostics& diags);

/// Validates count or for_each of a resource. Problems of a for_each with an unknown value are left
/// to the plan. Ref: node_resource_validate.go validateForEach.
void ValidateExpansion(const ExpansionArguments& arguments, const lang::Scope& scope,
                       Program& program, Diagnostics& diags);

/// As Expand(), for the for_each of an import block, which may be a tuple too.
Expansion ExpandImport(const hcl::Expr& for_each, const lang::Scope& scope, Program& program,
                       bool validating, Diagnostics& diags);

/// As Expand(), for the for_each of a provider configuration, which must be known while loading.
Expansion ExpandProvider(const hcl::Expr& for_each, const lang::Scope& scope, Program& program,
                         Diagnostics& diags);

/// Whether `count` or `each` exists where a reference of that kind stands; true for other kinds.
/// `repetition`: of the block around the reference; null: it is not repeated.
bool HasRepetition(config::ReferenceKind kind, const Expansion* repetition);
/// Reports a reference to `count` or `each` where it does not exist.
void ReportNoRepetition(config::ReferenceKind kind, const hcl::TraversalExpr& traversal,
                        Diagnostics& diags);
/// The value of count.index, each.key or each.value, which HasRepetition() says exists.
Value RepetitionValue(config::ReferenceKind kind, const Repetition& repetition,
                      const Program& program);

}  // namespace kinu::config
