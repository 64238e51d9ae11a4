// The values in plan files: DynamicValue messages. Private to plan.
#pragma once

#include <string_view>

#include "base/result.h"
#include "cty/value.h"

namespace kinu::plan {

/// A value of a type that is known.
Result<Value> ReadValue(std::string_view dynamic, const Type& type);
/// A value with the type that its bytes imply.
Result<Value> ReadUntyped(std::string_view dynamic);

}  // namespace kinu::plan
