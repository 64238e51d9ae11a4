// Values in documents: the value without its unknown parts, and two masks of the same shape, one
// for unknown and one for sensitive parts.
//
// All three walk through the value in its own order and write directly. Marks are not written. Ref:
// opentofu internal/command/jsonplan/plan.go omitUnknowns, unknownAsBool;
// internal/command/jsonstate/state.go SensitiveAsBool.
#pragma once

#include <span>
#include <string>

#include "addrs/address.h"
#include "cty/path.h"
#include "cty/value.h"
#include "json/writer.h"
#include "schema/schema.h"

namespace kinu::view {

/// Writes a value. Unknown members of objects and maps are omitted, unknown elements of sequences
/// are null. For a wholly unknown value writes null; callers omit such a value.
void WriteValue(JsonWriter& out, const Value& value);
/// The text that WriteValue() writes.
std::string ValueText(const Value& value);

/// Writes the mask of unknown parts: true where unknown. Members of objects that are known are
/// omitted.
void WriteUnknownMask(JsonWriter& out, const Value& value);

/// Writes the mask of sensitive parts: by the marks and, if `block` is not null, by the schema.
void WriteSensitiveMask(JsonWriter& out, const Value& value, const schema::Block* block = nullptr);

/// Writes a type in cty's JSON notation.
void WriteType(JsonWriter& out, const Type& type);

/// Writes a path as an array of steps. Attribute names and string keys have the same form.
void WritePath(JsonWriter& out, const Path& path);
/// Writes a set of paths. Ordered by CRC-64 of the paths, as OpenTofu prints it.
void WritePathSet(JsonWriter& out, std::span<const Path> paths);

/// Writes an instance key as number or string. The key must not be none.
void WriteInstanceKey(JsonWriter& out, const Program& program, const InstanceKey& key);

/// Writes `key: text` unless the text is empty.
void WriteOptional(JsonWriter& out, JsonKey key, std::string_view text);
/// Writes `key: true` unless the value is false.
void WriteOptional(JsonWriter& out, JsonKey key, bool value);
void WriteOptional(JsonWriter& out, JsonKey key, const char* text) = delete;

}  // namespace kinu::view
