// Configuration that describes an imported object, for import blocks whose target no block
// configures. Ref: opentofu internal/genconfig.
#pragma once

#include <string>

#include "addrs/address.h"
#include "cty/value.h"
#include "schema/schema.h"

namespace kinu::config {

/// What stands between the braces of the resource block. `provider` is what the `provider` argument
/// says; empty: no argument is needed. What only providers can set is left out, and so is what is
/// deprecated; sensitive values are not written.
std::string ConfigOfObject(const schema::Block& block, const Value& object,
                           std::string_view provider);

/// The whole block around it.
std::string ResourceBlockText(const Program& program, const ResourceName& name,
                              std::string_view contents);

}  // namespace kinu::config
