// Access to elements and attributes with the rules and diagnostics of the language: `a[key]`,
// `a.name`.
// Ref: hcl v2 ops.go Index, GetAttr.
#pragma once

#include <string_view>

#include "cty/value.h"
#include "diag/diagnostic.h"

namespace kinu::lang {

/// `collection[key]`. After an error the result is an unknown value of dynamic type.
Value IndexElement(const Value& collection, const Value& key, const SourceRange& subject,
                   Diagnostics& diags);
/// `object.name`, for objects and maps. After an error the result is an unknown value of dynamic
/// type.
Value ReadAttribute(const Value& object, std::string_view name, const SourceRange& subject,
                    Diagnostics& diags);

}  // namespace kinu::lang
