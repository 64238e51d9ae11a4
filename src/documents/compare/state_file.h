// Values that are read when they are needed, and instances of state files as resources of
// documents.
#pragma once

#include <memory>

#include "base/result.h"
#include "json/tree.h"

namespace kinu::compare {

/// The value of a node that may be folded; `tree` then has it.
Result<json::Node> Unfolded(const json::Node& node, json::Tree& tree);

/// An instance of a state file as a document with the members `tainted`, `values` and
/// `sensitive_values` of a resource. Its attributes may be folded.
Result<std::unique_ptr<json::Document>> ResourceOfInstance(const json::Node& instance);

}  // namespace kinu::compare
