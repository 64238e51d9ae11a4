// The canonical form of a plan or state: documents that mean the same have the same bytes.
#pragma once

#include <string>

#include "base/result.h"
#include "json/tree.h"

namespace kinu::compare {

/// Appends a document of `show -json` as compact JSON: members sorted by the bytes of their names,
/// resources, changes and modules by address, without `format_version`, `terraform_version` and
/// `timestamp`, numbers as CanonicalNumber() writes them. A document that is neither plan nor state
/// is an error.
Result<void> AppendCanonical(std::string& out, const json::Node& document);

/// Appends the SHA-256, in hexadecimal, of the canonical form of what a plan does: the changes to
/// resources and outputs that are more than a no-op. A document of another sort is an error.
Result<void> AppendFingerprint(std::string& out, const json::Node& document);

/// A JSON number with all its digits and no others: in decimal notation from 1e-6 to below 1e21,
/// otherwise as in 1.5e+30.
std::string CanonicalNumber(std::string_view number);

}  // namespace kinu::compare
