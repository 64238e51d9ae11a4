// lifecycle.ignore_changes: arguments that keep the value that the object has. Ref: opentofu
// internal/tofu/node_resource_abstract_instance.go processIgnoreChanges.
#pragma once

#include "config/config.h"
#include "cty/value.h"
#include "schema/schema.h"

namespace kinu::meta_arguments {

/// Returns `config` with the values of `prior` at the ignored paths. With `ignore_changes = all`,
/// attributes that only the provider may set become null; if `block` is null they keep their value.
Value IgnoreChanges(const config::Resource& resource, const schema::Block* block,
                    const Value& prior, const Value& config);

}  // namespace kinu::meta_arguments
