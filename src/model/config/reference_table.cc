#include "config/reference_table.h"

namespace kinu::config {

void ReferenceTable::Content::Grow() {
  constexpr size_t kFactor = 4;
  const std::vector<Place> old = std::exchange(places, std::vector<Place>(places.size() * kFactor));
  for (const Place& place : old) {
    if (place.traversal != nullptr) {
      PlaceOf(*place.traversal) = place;
    }
  }
}

}  // namespace kinu::config
