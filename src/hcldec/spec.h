// Decoder specifications: a small language that says how a body becomes a value. For tools and for
// users of the library; configuration itself is read through schemas. Ref: hcl v2 hcldec.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cty/value.h"
#include "diag/diagnostic.h"
#include "hcl/body.h"
#include "lang/scope.h"

namespace kinu::hcldec {

struct Spec {
  enum class Kind {
    kObject,
    kTuple,
    kAttribute,
    kLiteral,
    kDefault,
    kTransform,
    kBlock,
    kBlockList,
    kBlockTuple,
    kBlockSet,
    kBlockMap,
    kBlockObject,
    kBlockAttributes,
    kBlockLabel,
  };
  Kind kind = Kind::kObject;
  std::string name;  ///< of the attribute, block type or label
  Type type;         ///< kAttribute, and the element type of kBlockAttributes
  Value literal;
  bool required = false;
  int64_t min_items = 0;
  int64_t max_items = 0;  ///< 0: any number
  size_t label_index = 0;
  std::vector<std::string> label_names;   ///< kBlockMap, kBlockObject: those that make the keys
  std::vector<std::string> member_names;  ///< kObject
  /// kObject, kTuple: all; kDefault: primary and default; kTransform: what is transformed; blocks:
  /// the spec of the body.
  std::vector<Spec> children;
  /// kTransform: evaluated in `transform_scope` with the child's value as `nested`. Both must
  /// outlive the spec.
  const hcl::Expr* transform = nullptr;
  const lang::Scope* transform_scope = nullptr;

  bool is_block() const { return kind >= Kind::kBlock && kind <= Kind::kBlockAttributes; }
};

/// The type that decoding gives (dynamic where it depends on what is decoded).
Type ImpliedType(const Spec& spec);

struct DecodeOptions {
  bool expand_dynamic = false;
  /// There is no scope at all: strings of JSON are not templates.
  bool literal = false;
};
/// Decodes the body. With errors the value is what could be told of it.
Value DecodeSpec(const Spec& spec, const hcl::Body& body, const lang::Scope& scope,
                 const DecodeOptions& options, Diagnostics& diags);

/// The traversals that decoding would evaluate, in the order of the spec.
std::vector<const hcl::TraversalExpr*> CollectVariables(const Spec& spec, const hcl::Body& body);

}  // namespace kinu::hcldec
