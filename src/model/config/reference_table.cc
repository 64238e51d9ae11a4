#include "config/reference_table.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace kinu::config {
namespace {

constexpr uint32_t kFree = 0xFFFFFFFF;

}  // namespace

size_t ReferenceTable::Content::PlaceOf(const hcl::TraversalExpr& traversal) const {
  // The upper bits of the product depend on all bits of the address, the lower ones do not.
  const uint64_t hash = reinterpret_cast<uintptr_t>(&traversal) * uint64_t{0x9E3779B97F4A7C15};
  const size_t mask = places.size() - 1;
  size_t place = hash >> (64 - std::countr_zero(places.size()));
  while (places[place] != kFree && entries[places[place]].traversal != &traversal) {
    place = (place + 1) & mask;
  }
  return place;
}

void ReferenceTable::Content::Grow() {
  constexpr size_t kLeast = 8;
  places.assign(std::max(places.size() * 2, kLeast), kFree);
  for (uint32_t i = 0; i < entries.size(); ++i) {
    places[PlaceOf(*entries[i].traversal)] = i;
  }
}

const Reference* ReferenceTable::Find(const hcl::TraversalExpr& traversal) const {
  if (content_->places.empty()) {
    return nullptr;
  }
  const uint32_t found = content_->places[content_->PlaceOf(traversal)];
  return found == kFree ? nullptr : &content_->entries[found].reference;
}

const Reference& ReferenceTable::Add(const hcl::TraversalExpr& traversal,
                                     Reference reference) const {
  Content& content = *content_;
  if ((content.entries.size() + 1) * 2 > content.places.size()) {
    content.Grow();
  }
  content.places[content.PlaceOf(traversal)] = static_cast<uint32_t>(content.entries.size());
  return content.entries.emplace_back(Entry{&traversal, std::move(reference)}).reference;
}

}  // namespace kinu::config
