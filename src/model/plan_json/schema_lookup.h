// SchemaLookup: finds the schemas of the objects that a view shows. Implemented by the owner of a
// run's providers; views never start one.
#pragma once

#include <string_view>

#include "addrs/address.h"
#include "provider/find_schema.h"
#include "schema/schema.h"

namespace kinu::view {

/// Finds schemas by provider. Thread-safe.
class SchemaLookup {
 public:
  virtual ~SchemaLookup() = default;
  /// The schema of a provider by source address ("registry.opentofu.org/hashicorp/aws"). Null if it
  /// is not available.
  virtual const schema::ProviderSchema* Find(std::string_view provider) const = 0;

  /// The schema of a resource type, data source or ephemeral resource. Null if it is not available.
  const schema::ResourceSchema* FindResource(std::string_view provider, ResourceMode mode,
                                             std::string_view type) const {
    const schema::ProviderSchema* schema = Find(provider);
    return schema == nullptr ? nullptr : provider::FindSchema(*schema, mode, type);
  }
};

}  // namespace kinu::view
