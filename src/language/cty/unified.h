// Conversion to the type that two types unify to, as conditional expressions need it.
#pragma once

#include "cty/path.h"
#include "cty/value.h"

namespace kinu {

/// Converts to `unified`, which the value's type and `other` unify to. A tuple beside a list, or an
/// object beside a map, is first treated as the collection of the type that its own members unify
/// to, and then converted to `unified`. The second step is applied to the original members, so they
/// must already have one type where it does not convert them. Ref: go-cty convert/unify.go,
/// unifyTuplesAsList, unifyObjectsAsMaps.
ValueResult<Value> ConvertToUnified(const Value& value, const Type& other, const Type& unified);

}  // namespace kinu
