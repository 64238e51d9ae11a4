// Look-up of names in schemas and bodies. Private to hcl.
#pragma once

#include <algorithm>
#include <memory>
#include <ranges>
#include <span>
#include <string_view>

#include "base/flat_map.h"
#include "hcl/body.h"

namespace kinu::hcl {

inline std::string_view NameOf(std::string_view name) {
  return name;
}
inline std::string_view NameOf(const AttributeSchema& schema) {
  return schema.name;
}
inline std::string_view NameOf(const BlockSchema& schema) {
  return schema.type;
}
inline std::string_view NameOf(const Attribute& attribute) {
  return attribute.name;
}

/// Finds items by name; of several with one name the last, as the reference does for blocks.
template <typename Item>
class NameIndex {
 public:
  /// `items` must outlive the index and stay as they are. `lookups`: about how many names will be
  /// looked up. If there are few of either, a scan is faster than a hash table.
  NameIndex(std::span<const Item> items, size_t lookups) : items_(items) {
    constexpr size_t kScanLimit = 16;
    if (std::min(items.size(), lookups) <= kScanLimit) {
      return;
    }
    index_ = std::make_unique<FlatMap<std::string_view, const Item*>>();
    index_->reserve(items.size());
    for (const Item& item : items) {
      index_->insert_or_assign(NameOf(item), &item);
    }
  }

  /// Null if no item has the name.
  const Item* Find(std::string_view name) const {
    if (index_ != nullptr) {
      const auto found = index_->find(name);
      return found == index_->end() ? nullptr : found->second;
    }
    for (const Item& item : std::views::reverse(items_)) {
      if (NameOf(item) == name) {
        return &item;
      }
    }
    return nullptr;
  }
  bool Has(std::string_view name) const { return Find(name) != nullptr; }

 private:
  std::span<const Item> items_;
  std::unique_ptr<FlatMap<std::string_view, const Item*>> index_;  ///< of many items only
};

/// The names of a schema, for a body with so many items.
struct SchemaIndex {
  SchemaIndex(const BodySchema& schema, size_t items)
      : attributes(schema.attributes, items),
        blocks(schema.blocks, items),
        hidden(schema.hidden, items) {}
  NameIndex<AttributeSchema> attributes;
  NameIndex<BlockSchema> blocks;
  NameIndex<std::string_view> hidden;
};

/// The names of arguments that a body may still have.
inline std::vector<std::string_view> UnsetNames(const BodySchema& schema,
                                                const NameIndex<Attribute>& found) {
  std::vector<std::string_view> unset;
  for (const AttributeSchema& candidate : schema.attributes) {
    if (!found.Has(candidate.name)) {
      unset.push_back(candidate.name);
    }
  }
  return unset;
}

}  // namespace kinu::hcl
