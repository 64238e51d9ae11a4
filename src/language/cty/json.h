// JSON of values, as state files, plan documents and jsonencode have it. Ref: go-cty cty/json.
#pragma once

#include <string>
#include <string_view>

#include "cty/path.h"
#include "cty/value.h"
#include "cty/whole_numbers.h"
#include "json/reader.h"
#include "json/writer.h"

namespace kinu {

/// Appends `value` encoded for `type` (a dynamic position becomes {"value":…,"type":…}). The value
/// must be unmarked. Unknown values and infinities are errors.
ValueResult<void> WriteJson(JsonWriter& out, const Value& value, const Type& type,
                            WholeNumbers whole = WholeNumbers::kShortest);
/// Encodes `value` for `type` into a compact string.
ValueResult<std::string> ValueToJson(const Value& value, const Type& type,
                                     WholeNumbers whole = WholeNumbers::kShortest);
/// Encodes by the value's own type, never wrapping: what documents and jsonencode show.
ValueResult<void> WriteSimpleJson(JsonWriter& out, const Value& value);

/// Reads JSON as a value of `type`: lenient on scalars as go-cty (a string for a number), missing
/// object attributes become null, unknown ones are errors.
ValueResult<Value> ValueFromJson(std::string_view json, const Type& type);
/// The type that a JSON text implies (objects, tuples; null is dynamic).
ValueResult<Type> ImpliedTypeOfJson(std::string_view json);
/// Reads cty's JSON notation of a type.
ValueResult<Type> TypeFromJson(std::string_view json);
/// Whether a text is known to be what TypeToJson() writes of the type that it names, without
/// making that type. False of some such texts: those with tuples or unusual names.
bool IsPlainTypeJson(std::string_view json);

// Reading of texts that are parsed already.
ValueResult<Value> ValueFromJson(const JsonNode& json, const Type& type);
ValueResult<Type> ImpliedTypeOfJson(const JsonNode& json);
ValueResult<Type> TypeFromJson(const JsonNode& json);
/// A value of the type that the text implies, in one pass: what jsondecode makes.
ValueResult<Value> ImpliedValueOfJson(const JsonNode& json);
ValueResult<Value> ImpliedValueOfJson(std::string_view json);

/// As TypeToJson, for capsule types too: ["capsule", name].
void WriteType(JsonWriter& out, const Type& type);

}  // namespace kinu
