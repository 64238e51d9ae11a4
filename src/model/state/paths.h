// Sensitive paths in their JSON form: arrays of steps {"type":"get_attr"|"index","value":…}.
// Ref: opentofu internal/states/statefile/version4.go marshalPaths, unmarshalPaths.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cty/path.h"

namespace kinu::state {

/// Checks that `json` (valid JSON) is a list of paths. Sets `canonical` if its compact text is what
/// AppendPathsJson() would write.
Result<void> CheckPathsJson(std::string_view json, bool* canonical);
/// Decodes a text that CheckPathsJson() accepts.
std::vector<Path> PathsFromJson(std::string_view json);
/// Appends the paths as compact JSON.
void AppendPathsJson(std::string& out, std::span<const Path> paths);

}  // namespace kinu::state
