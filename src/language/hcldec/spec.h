// Decoder specifications: describe how to decode a body into a value. For tools and for users of
// the library; the engine reads configurations through schemas. Ref: hcl v2 hcldec.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cty/value.h"
#include "diag/diagnostic.h"
#include "hcl/body.h"
#include "lang/scope.h"

namespace kinu::hcldec {

/// A specification, which is a tree. The kinds are those of hcldec: kTuple is its `array`,
/// kAttribute its `attr`.
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
  std::vector<std::string> label_names;   ///< kBlockMap, kBlockObject: labels that are the keys
  std::vector<std::string> member_names;  ///< kObject
  /// kObject, kTuple: the members; kDefault: primary and default; kTransform: the operand; blocks:
  /// the spec of their body.
  std::vector<Spec> children;
  /// kTransform: the expression, evaluated in `transform_scope` with the child's value as the
  /// variable `nested`. Expression and scope must outlive the spec.
  const hcl::Expr* transform = nullptr;
  const lang::Scope* transform_scope = nullptr;

  bool is_block() const { return kind >= Kind::kBlock && kind <= Kind::kBlockAttributes; }
};

/// The type of decoded values; dynamic where it depends on the body.
Type ImpliedType(const Spec& spec);

/// Options of DecodeSpec().
struct DecodeOptions {
  bool expand_dynamic = false;  ///< expand `dynamic` blocks
  /// Do not process templates in JSON strings.
  bool literal = false;
};
/// Decodes the body. After errors the value is partial.
Value DecodeSpec(const Spec& spec, const hcl::Body& body, const lang::Scope& scope,
                 const DecodeOptions& options, Diagnostics& diags);

/// The traversals that decoding evaluates, in the order of the spec.
std::vector<const hcl::TraversalExpr*> CollectVariables(const Spec& spec, const hcl::Body& body);

}  // namespace kinu::hcldec
