// Applies the sensitive and write-only attributes of a schema to values. Ref: opentofu
// internal/configs/configschema/marks.go, write_only.go.
#pragma once

#include <vector>

#include "cty/path.h"
#include "cty/value.h"
#include "schema/schema.h"

namespace kinu::schema {

/// The value with every sensitive attribute marked, at any depth.
Value MarkSensitive(const Block& block, const Value& value);
/// An object whose attributes are all unknown. Unlike one unknown value, its attributes can be
/// marked.
Value UnknownObject(const Block& block);
/// The value with every write-only attribute null, at any depth, with the marks that it had but the
/// ephemeral one. Only this form may be stored.
/// Ref: opentofu configschema/marks.go RemoveEphemeralFromWriteOnly.
Value WithoutWriteOnly(const Block& block, const Value& value);
/// The paths of write-only attributes that are not null. Elements of sets have no path, so sets are
/// skipped.
std::vector<Path> PresentWriteOnly(const Block& block, const Value& value);

}  // namespace kinu::schema
