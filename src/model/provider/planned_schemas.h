// Schemas in the plan files of OpenTofu 1.13: what a text or document of the plan needs of them, so
// without descriptions. Ref: opentofu internal/plans/internal/planproto/planfile.proto,
// internal/plans/planfile/schema_convert.go.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kinu::provider {

/// Stored schemas (stored_schemas.h) in that form, with those of the built-in provider.
Result<std::string> ToPlannedSchemas(const std::string& stored);
/// Such schemas as stored ones, whose messages are those of protocol 6.
Result<std::string> FromPlannedSchemas(std::string_view planned);

}  // namespace kinu::provider
