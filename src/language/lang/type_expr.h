// Type constraints of configurations (`list(object({a = optional(string, "x")}))`) and the defaults
// of their optional attributes. Ref: hcl v2 ext/typeexpr.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cty/value.h"
#include "diag/diagnostic.h"
#include "hcl/ast.h"

namespace kinu::lang {

/// Defaults of the optional attributes of a type and of the types inside it.
struct Defaults {
  Type type;
  /// Attribute names and default values, in source order.
  std::vector<std::pair<std::string, Value>> values;
  /// Defaults of inner types, by attribute name or index of a tuple element; under "" those of all
  /// elements of a collection.
  std::vector<std::pair<std::string, std::shared_ptr<const Defaults>>> children;
};

/// A type constraint with its defaults.
struct TypeConstraint {
  Type type;
  std::shared_ptr<const Defaults> defaults;  ///< null when there are none
};

/// Reads a type constraint. `tree` owns the nodes parsed from JSON strings. After an error the
/// faulty part of the type is dynamic.
TypeConstraint ParseTypeConstraint(const hcl::Expr& expr, hcl::SyntaxTree& tree,
                                   Diagnostics& diags);

/// Replaces absent and null attributes by their defaults. Call it before the conversion to the
/// type.
Value ApplyDefaults(const Value& value, const Defaults& defaults);

/// The type in the syntax of type constraints, on one line. Aborts on capsule types.
/// Ref: typeexpr.TypeString.
std::string TypeString(const Type& type);

}  // namespace kinu::lang
