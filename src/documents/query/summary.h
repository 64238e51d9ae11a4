// A summary of a plan within a number of bytes, with the most important changes first.
#pragma once

#include <string>

#include "json/tree.h"

namespace kinu::query {

/// A text of at most `bytes` bytes: the number of changes of each kind, then a line per change
/// (destroyed objects first), then the number of omitted changes. Deterministic; contains no values
/// of attributes.
std::string SummarizePlan(const json::Node& plan, size_t bytes);

}  // namespace kinu::query
