// The JSON Schemas of the documents: docs/schemas, included when building.
#pragma once

#include <span>
#include <string_view>

namespace kinu::cli {

struct JsonSchema {
  std::string_view name;
  std::string_view text;
};

/// Sorted by name.
std::span<const JsonSchema> JsonSchemas();

}  // namespace kinu::cli
