// What a change does, as one word.
#pragma once

#include <string>

#include "json/tree.h"

namespace kinu::tfjson {

/// Of a list of actions: no-op, create, read, update, delete, forget, replace, or two actions with
/// "-then-" between them. Empty for all else.
std::string ActionOf(const json::Node& actions);

}  // namespace kinu::tfjson
