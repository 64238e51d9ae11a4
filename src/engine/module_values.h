// What expressions see of module calls: the outputs of their instances.
#pragma once

#include <cstddef>
#include <optional>

#include "engine/walk.h"

namespace kinu::engine {

/// The value of a whole module call. An instance exists if one of its outputs has a value, so that
/// calls of a module without outputs have none. Ref: evaluate.go GetModule.
Value WholeModule(const Walk& walk, const ModuleInstance& instance, size_t call);

/// The value of an output of an instance; nothing if the walk has not come to it.
std::optional<Value> OutputOf(const ModuleInstance& child, Symbol output);

/// A call before its instances are known: no output has a value, but the names of the outputs are
/// known.
Value ModuleBeforeExpansion(const Walk& walk, const ModuleInstance& instance, size_t call);

}  // namespace kinu::engine
