// Look-up of names in a schema. Private to hcl. Schemas are small, so a scan is faster than a hash
// table.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "hcl/body.h"

namespace kinu::hcl {

inline bool Contains(std::span<const std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

inline const AttributeSchema* FindAttribute(const BodySchema& schema, std::string_view name) {
  const auto found = std::find_if(schema.attributes.begin(), schema.attributes.end(),
                                  [&](const AttributeSchema& item) { return item.name == name; });
  return found == schema.attributes.end() ? nullptr : &*found;
}

/// The last entry of that type, as in the reference.
inline const BlockSchema* FindBlock(const BodySchema& schema, std::string_view type) {
  const auto found = std::find_if(schema.blocks.rbegin(), schema.blocks.rend(),
                                  [&](const BlockSchema& item) { return item.type == type; });
  return found == schema.blocks.rend() ? nullptr : &*found;
}

}  // namespace kinu::hcl
