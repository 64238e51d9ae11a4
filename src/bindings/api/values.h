// Between values of the language and those of include/kinu/hcl.h.
#pragma once

#include <kinu/hcl.h>

#include "cty/value.h"

namespace kinu::api {

v1::Value ToPublic(Value value);
/// A null of unknown type for a public value that was never set.
Value ToInner(const v1::Value& value);

}  // namespace kinu::api
