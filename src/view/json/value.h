// How documents show values: the value itself without what is not known yet, and the two masks that
// lie over it, one for what is unknown and one for what is sensitive.
//
// All three walk the value in its own order and write as they go. Marks never show.
// Ref: opentofu internal/command/jsonplan/plan.go omitUnknowns, unknownAsBool;
// internal/command/jsonstate/state.go SensitiveAsBool.
#pragma once

#include <span>
#include <string>

#include "addrs/address.h"
#include "codec/json_writer.h"
#include "cty/path.h"
#include "cty/value.h"
#include "schema/schema.h"

namespace kinu::view {

/// A value as documents show it. Unknown members of objects and maps are left out, unknown elements
/// of sequences are null. A value that is unknown as a whole writes null: callers leave it out.
void WriteValue(JsonWriter& out, const Value& value);
std::string ValueText(const Value& value);

/// The mask of unknowns: true where unknown; known members of objects are left out.
void WriteUnknownMask(JsonWriter& out, const Value& value);

/// The mask of sensitive parts: by the value's marks and, when `block` is given, by its schema too.
void WriteSensitiveMask(JsonWriter& out, const Value& value, const schema::Block* block = nullptr);

/// A value's type in cty's notation.
void WriteType(JsonWriter& out, const Type& type);

/// A path as a list of its steps; attribute names and string keys look the same.
void WritePath(JsonWriter& out, const Path& path);
/// A set of paths in the order of the reference, which is the order of a hash (spec: plan 3.7).
void WritePathSet(JsonWriter& out, std::span<const Path> paths);

/// An instance key as number or string. It must not be none.
void WriteInstanceKey(JsonWriter& out, const Program& program, const InstanceKey& key);

/// `key: text`, left out when empty.
void WriteOptional(JsonWriter& out, std::string_view key, std::string_view text);
/// `key: true`, left out when false.
void WriteOptional(JsonWriter& out, std::string_view key, bool value);
void WriteOptional(JsonWriter& out, std::string_view key, const char* text) = delete;

}  // namespace kinu::view
