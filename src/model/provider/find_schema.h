// The schema of a resource of any mode.
#pragma once

#include <string_view>

#include "addrs/address.h"
#include "schema/schema.h"

namespace kinu::provider {

/// The schema of a resource type, data source or ephemeral resource. Null if there is none.
inline const schema::ResourceSchema* FindSchema(const schema::ProviderSchema& provider,
                                                ResourceMode mode, std::string_view type) {
  switch (mode) {
    case ResourceMode::kManaged:
      return provider.FindResource(type);
    case ResourceMode::kData:
      return provider.FindData(type);
    case ResourceMode::kEphemeral:
      return provider.FindEphemeral(type);
  }
  return nullptr;
}

}  // namespace kinu::provider
