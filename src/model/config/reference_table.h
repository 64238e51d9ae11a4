// ReferenceTable: what the traversals of a module stand for, beside the syntax tree. A tree may be
// used by several modules, in which its traversals differ in meaning.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "config/reference.h"

namespace kinu::config {

/// The references of the bound traversals of a module. A traversal is bound while a graph is built,
/// so the table of a const module grows; threads only read it. Bound traversals must live as long
/// as the table.
class ReferenceTable {
 public:
  ReferenceTable() = default;
  /// A copy is empty: the module that it belongs to may declare other objects.
  ReferenceTable(const ReferenceTable&) : ReferenceTable() {}
  ReferenceTable& operator=(const ReferenceTable&) = delete;
  ~ReferenceTable() = default;

  /// Null if the traversal is not bound.
  const Reference* Find(const hcl::TraversalExpr& traversal) const {
    return content_->PlaceOf(traversal).reference;
  }
  /// The reference of a traversal, which make() returns where it is not bound. Stays where it is.
  template <typename Make>
  const Reference& Bind(const hcl::TraversalExpr& traversal, Make&& make) const {
    Content& content = *content_;
    if ((content.references.size() + 1) * 2 > content.places.size()) {
      content.Grow();
    }
    Place& place = content.PlaceOf(traversal);
    if (place.reference == nullptr) {
      place = {&traversal, &content.references.emplace_back(make())};
    }
    return *place.reference;
  }
  /// Calls use(reference) for each bound traversal.
  template <typename Use>
  void ForEach(Use&& use) const {
    for (const Reference& reference : content_->references) {
      use(reference);
    }
  }

 private:
  struct Place {
    const hcl::TraversalExpr* traversal = nullptr;
    const Reference* reference = nullptr;
  };
  struct Content {
    std::deque<Reference> references;
    /// A hash table by traversal. Its size is a power of two, and at least half of it is free.
    std::vector<Place> places = std::vector<Place>(2);

    /// The place of a traversal, or the free one where it belongs.
    Place& PlaceOf(const hcl::TraversalExpr& traversal) {
      // The upper bits of the product depend on all bits of the address, the lower ones do not.
      const uint64_t hash = reinterpret_cast<uintptr_t>(&traversal) * uint64_t{0x9E3779B97F4A7C15};
      Place* const begin = places.data();
      const size_t mask = places.size() - 1;
      size_t at = hash >> (64 - std::countr_zero(places.size()));
      while (begin[at].traversal != &traversal && begin[at].traversal != nullptr) {
        at = (at + 1) & mask;
      }
      return begin[at];
    }
    void Grow();
  };

  std::unique_ptr<Content> content_ = std::make_unique<Content>();
};

}  // namespace kinu::config
