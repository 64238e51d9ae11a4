// A plan within a number of bytes: what somebody must know of it, the most important changes first.
#pragma once

#include <string>

#include "tfjson/tree.h"

namespace kinu::query {

/// Lines for people and programs, at most `bytes` long: how many changes of each sort, then the
/// changes themselves (what is lost first), then how many are left out. The same plan always gives
/// the same lines; values do not occur in them.
std::string SummarizePlan(const tfjson::Node& plan, size_t bytes);

}  // namespace kinu::query
