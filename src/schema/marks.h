// What a schema says about the secrecy of a value's parts.
// Ref: opentofu internal/configs/configschema/marks.go, write_only.go.
#pragma once

#include <vector>

#include "cty/path.h"
#include "cty/value.h"
#include "schema/schema.h"

namespace kinu::schema {

/// The value with every sensitive attribute marked, at any depth.
Value MarkSensitive(const Block& block, const Value& value);
/// An object of which every part is unknown, so that its parts can be marked.
Value UnknownObject(const Block& block);
/// The value with every write-only attribute null, at any depth: what may be stored.
Value WithoutWriteOnly(const Block& block, const Value& value);
/// Where write-only attributes are not null. Elements of sets have no path and are not looked at.
std::vector<Path> PresentWriteOnly(const Block& block, const Value& value);

}  // namespace kinu::schema
