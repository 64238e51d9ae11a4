// How values are shown: as JSON, whatever their types. Two values are alike when they are shown
// alike.
#pragma once

#include <cstdint>
#include <string>

#include "cty/value.h"

namespace kinu::view {

/// The kinds of JSON that values are shown as.
enum class Shown : uint8_t { kNull, kBool, kNumber, kString, kArray, kObject };

/// Whether nothing is shown of a value: it is absent, null or unknown.
bool IsNothing(const Value* value);
Shown ShownAs(const Value* value);
bool IsSensitive(const Value* value);
/// Whether both are shown alike.
bool ShownEqual(const Value* a, const Value* b);
/// Appends a text that is equal exactly for values that are shown alike.
void AppendShown(std::string& out, const Value* value);

}  // namespace kinu::view
