// Finds resource blocks by name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "addrs/address.h"

namespace kinu::config {

struct Resource;

/// The places of resource blocks in a table. It has no names: each call passes the table, which has
/// them. A table of a million blocks needs 8 MB for it.
class ResourceIndex {
 public:
  /// The place of the block of that name, or -1.
  int Find(const std::vector<Resource>& table, const ResourceName& name) const;
  /// Adds a block of the table, whose name is new.
  void Add(const std::vector<Resource>& table, size_t place);
  /// Indexes all blocks of a table, whose names differ, and forgets all others.
  void Rebuild(const std::vector<Resource>& table);
  void Clear() {
    places_.clear();
    size_ = 0;
  }

 private:
  static constexpr uint32_t kFree = 0xFFFFFFFF;

  /// Makes room for this many blocks; those that are there find their new slots.
  void Grow(const std::vector<Resource>& table, size_t blocks);
  void Put(const ResourceName& name, uint32_t place);

  std::vector<uint32_t> places_;  // a power of two, at least half of them free
  size_t size_ = 0;
};

}  // namespace kinu::config
