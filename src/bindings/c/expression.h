// Expressions and variables in the JSON texts of the C interface.
#pragma once

#include <optional>
#include <string_view>

#include <kinu/hcl.h>

#include "json/writer.h"

namespace kinu::c {

/// Writes the members "text", "references" and, for an expression without references, "value".
void WriteExpressionMembers(JsonWriter& json, const v1::Expression& expression);

/// The object in a JSON text; an empty one for an empty text. Nothing, and an error, for other
/// texts.
std::optional<v1::Value> ReadVariables(std::string_view variables, v1::Diagnostics& problems);

}  // namespace kinu::c
