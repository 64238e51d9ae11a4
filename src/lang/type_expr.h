// Type constraints as written in configuration (`list(object({a = optional(string, "x")}))`), and
// the defaults of their optional attributes. Ref: hcl v2 ext/typeexpr.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cty/value.h"
#include "diag/diagnostic.h"
#include "hcl/ast.h"

namespace kinu::lang {

/// Defaults of a type's optional attributes and of the types inside it.
struct Defaults {
  Type type;
  /// Attribute name to default value, in the order of the source.
  std::vector<std::pair<std::string, Value>> values;
  /// Defaults inside: by attribute name, by index of a tuple element, or under "" for every element
  /// of a collection.
  std::vector<std::pair<std::string, std::shared_ptr<const Defaults>>> children;
};

struct TypeConstraint {
  Type type;
  std::shared_ptr<const Defaults> defaults;  ///< null when there are none
};

/// Reads a type constraint. `tree` receives what JSON strings parse to. After an error the type is
/// dynamic where it could not be told.
TypeConstraint ParseTypeConstraint(const hcl::Expr& expr, hcl::SyntaxTree& tree,
                                   Diagnostics& diags);

/// Puts defaults in the place of absent and null attributes. The value need not have the type yet:
/// this comes before conversion.
Value ApplyDefaults(const Value& value, const Defaults& defaults);

/// The constraint as text, on one line. Ref: typeexpr.TypeString.
std::string TypeString(const Type& type);

}  // namespace kinu::lang
