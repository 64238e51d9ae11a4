// DescribedValues: what is written as the value of a variable or local value, without evaluating
// references. Values of sensitive variables are left out.
#pragma once

#include <optional>
#include <string>

#include "ide/module_names.h"
#include "lang/type_expr.h"

namespace kinu::ide {

/// Whether the declaration says `sensitive = true`, or something that nobody can know.
bool IsSensitive(const Declaration& declaration);

/// The type that a variable declares, with the defaults of optional attributes; any type if it
/// declares none, or one that is wrong.
lang::TypeConstraint DeclaredType(const Declaration& variable);

/// The text of a constant expression's value on one line; nothing if it is no constant or long.
std::optional<std::string> ConstantText(const hcl::Expr& expr);

/// The text of a value without marks on one line; nothing if it is long or unknown.
std::optional<std::string> LineOfValue(const Value& value);

/// The value that a variable (`var.a`) or local value (`local.a`) has if nothing outside of the
/// files says otherwise: from the variable files of the directory, else the default.
struct DescribedValue {
  std::string text;
  std::string origin;  ///< "default", "terraform.tfvars"
};
std::optional<DescribedValue> ValueOf(ModuleNames& names, const Key& key);

}  // namespace kinu::ide
