// Parts of resources that their provider deprecates. Expressions that use one cause a warning, as
// for deprecated outputs. Only expressions see these marks; states and plans have none. Ref:
// opentofu internal/configs/configschema/marks.go, internal/tofu/evaluate.go GetResource.
#pragma once

#include <string>
#include <string_view>

#include "addrs/address.h"
#include "config/config.h"
#include "cty/value.h"
#include "schema/schema.h"

namespace kinu::meta_arguments {

/// Whether any attribute, at any depth, is deprecated. A deprecated block does not count by itself.
bool HasDeprecatedParts(const schema::Block& block);

/// Whether the attribute or nested block of that name, or a part of it, is marked.
bool HasDeprecatedParts(const schema::Block& block, std::string_view name);

/// The object of a resource, with marks where the schema deprecates a part.
Value MarkDeprecatedParts(const schema::Block& block, const Value& object, const Program& program,
                          const config::ConfigNode& place, const ResourceInstance& address);

/// Whether a module's source is not a local directory.
bool IsRemote(const config::ConfigNode& node);

}  // namespace kinu::meta_arguments
