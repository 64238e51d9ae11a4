// A warning about written-out objects: an attribute that the type does not have is dropped when the
// value is converted, and most often is a misspelt name.
#pragma once

#include <functional>
#include <string>

#include "cty/path.h"
#include "cty/type.h"
#include "diag/diagnostic.h"
#include "hcl/ast.h"

namespace kinu::config {

/// Names what has the type that drops an attribute, such as "this variable". `place`: where the
/// object stands inside the value; empty for the value itself.
using NameDroppingType = std::function<std::string(const Path& place)>;

/// Reports each attribute of an object constructor in `expr` that a conversion to `type` drops, as
/// "Object attribute is ignored". Ref: opentofu internal/lang/lint DiscardedObjectConstructorAttrs.
void WarnAboutDroppedAttributes(const hcl::Expr& expr, const Type& type,
                                const NameDroppingType& name, Diagnostics& diags);

}  // namespace kinu::config
