// Sorts many resource instances.
#pragma once

#include <vector>

#include "addrs/address.h"

namespace kinu {

/// Sorts in the order of Program::Less. Faster than a plain sort for thousands of instances of a
/// few types.
void SortInstances(const Program& program, std::vector<ResourceInstance>& instances);

}  // namespace kinu
