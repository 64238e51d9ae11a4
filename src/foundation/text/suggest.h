// Suggestions for misspelt names ("Did you mean …?").
#pragma once

#include <span>
#include <string_view>

namespace kinu::text {

/// The first candidate that fewer than three insertions, deletions and replacements of code points
/// make of `given`; empty if there is none.
/// Ref: opentofu internal/didyoumean, hcl hclsyntax/didyoumean.go.
std::string_view SuggestName(std::string_view given, std::span<const std::string_view> candidates);

}  // namespace kinu::text
