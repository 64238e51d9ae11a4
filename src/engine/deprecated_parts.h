// Parts of resources that their provider deprecates: whoever uses one is warned, as of deprecated
// outputs. Expressions alone see these marks; states and plans have none of them.
// Ref: opentofu internal/configs/configschema/marks.go, internal/tofu/evaluate.go GetResource.
#pragma once

#include <string>
#include <string_view>

#include "addrs/address.h"
#include "config/config.h"
#include "cty/value.h"
#include "schema/schema.h"

namespace kinu::engine {

/// Whether any attribute, at any depth, is deprecated. A deprecated block does not count by itself.
bool HasDeprecatedParts(const schema::Block& block);

/// Whether what stands under that name in an object has marks of its own or within.
bool HasDeprecatedParts(const schema::Block& block, std::string_view name);

/// The object of a resource, with marks where the schema says so.
Value MarkDeprecatedParts(const schema::Block& block, const Value& object, const Program& program,
                          const config::ConfigNode& place, const ResourceName& resource);

/// Whether a module was fetched from elsewhere.
bool IsRemote(const config::ConfigNode& node);

}  // namespace kinu::engine
