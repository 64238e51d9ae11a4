#include "config/resource_index.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "config/config.h"

namespace kinu::config {

int ResourceIndex::Find(const std::vector<Resource>& table, const ResourceName& name) const {
  if (places_.empty()) {
    return -1;
  }
  const size_t mask = places_.size() - 1;
  for (size_t slot = name.Hash() & mask; places_[slot] != kFree; slot = (slot + 1) & mask) {
    if (table[places_[slot]].name == name) {
      return static_cast<int>(places_[slot]);
    }
  }
  return -1;
}

void ResourceIndex::Put(const ResourceName& name, uint32_t place) {
  const size_t mask = places_.size() - 1;
  size_t slot = name.Hash() & mask;
  while (places_[slot] != kFree) {
    slot = (slot + 1) & mask;
  }
  places_[slot] = place;
}

void ResourceIndex::Grow(const std::vector<Resource>& table, size_t blocks) {
  constexpr size_t kLeast = 8;
  const size_t wanted = std::bit_ceil(std::max(blocks * 2, kLeast));
  if (wanted <= places_.size()) {
    return;
  }
  const std::vector<uint32_t> old = std::exchange(places_, std::vector<uint32_t>(wanted, kFree));
  for (const uint32_t place : old) {
    if (place != kFree) {
      Put(table[place].name, place);
    }
  }
}

void ResourceIndex::Add(const std::vector<Resource>& table, size_t place) {
  Grow(table, size_ + 1);
  Put(table[place].name, static_cast<uint32_t>(place));
  ++size_;
}

void ResourceIndex::Rebuild(const std::vector<Resource>& table) {
  places_.assign(places_.size(), kFree);
  size_ = table.size();
  Grow(table, size_);
  for (size_t place = 0; place < table.size(); ++place) {
    Put(table[place].name, static_cast<uint32_t>(place));
  }
}

}  // namespace kinu::config
