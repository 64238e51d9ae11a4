// What files of rules about documents have in common: their syntax, and days on which rules end.
#pragma once

#include <string>
#include <string_view>

#include "diag/diagnostic.h"
#include "hcl/ast.h"
#include "hcl/body.h"

namespace kinu::check {

/// Parses a file in native syntax, or in JSON syntax if its name ends with ".json". The tree keeps
/// the source and must outlive the body. Use the body only if no errors were added.
const hcl::Body* ParseRuleFile(const std::string& name, std::string text, hcl::SyntaxTree& tree,
                               Diagnostics& diags);

/// Whether a text is a day in the form "2027-03-31".
bool IsDay(std::string_view text);
/// The current day in UTC, in that form.
std::string Today();

}  // namespace kinu::check
