// Conversion to the type that two types unify to, as conditional expressions need it.
#pragma once

#include "cty/path.h"
#include "cty/value.h"

namespace kinu {

/// Converts to `unified`, which the value's type and `other` unify to. A tuple beside a list, or an
/// object beside a map, is taken for the collection of what its own members unify to, and only then
/// becomes `unified`; but the second step is applied to the members as they were, so that they must
/// be alike already where it leaves them as they are. Ref: go-cty convert/unify.go,
/// unifyTuplesAsList, unifyObjectsAsMaps.
ValueResult<Value> ConvertToUnified(const Value& value, const Type& other, const Type& unified);

}  // namespace kinu
