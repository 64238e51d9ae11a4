// Suggestions for misspelt names ("Did you mean …?").
#pragma once

#include <span>
#include <string_view>

namespace kinu::text {

/// Number of code points to insert, delete or replace to turn one text into the other.
size_t EditDistance(std::string_view a, std::string_view b);

/// The first candidate whose EditDistance from `given` is below 3; empty if there is none.
/// Ref: opentofu internal/didyoumean, hcl hclsyntax/didyoumean.go.
std::string_view SuggestName(std::string_view given, std::span<const std::string_view> candidates);

}  // namespace kinu::text
