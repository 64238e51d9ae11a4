// Tagged JSON of values: every value with its type, marks and refinements, for `kinu eval -json`
// and for tests. Strings and bools are plain; all else is an object whose key names the kind:
// {"number": "1.5"}, {"list": [...], "of": T}, {"unknown": T, "refinements": {...}},
// {"marked": [names], "value": V}.
#pragma once

#include "base/result.h"
#include "cty/value.h"
#include "json/reader.h"
#include "json/writer.h"

namespace kinu {

Result<Value> ValueFromTagged(const JsonNode& json);
void WriteTagged(JsonWriter& out, const Value& value);

/// A type in cty's notation, or ["capsule", name].
Result<Type> TypeFromTagged(const JsonNode& json);
void WriteTaggedType(JsonWriter& out, const Type& type);

}  // namespace kinu
