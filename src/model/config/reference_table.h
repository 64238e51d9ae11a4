// ReferenceTable: what the traversals of a module stand for, beside the syntax tree. A tree may be
// used by several modules, in which its traversals differ in meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
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
  const Reference* Find(const hcl::TraversalExpr& traversal) const;
  /// Binds a traversal that is not bound. The result stays where it is.
  const Reference& Add(const hcl::TraversalExpr& traversal, Reference reference) const;
  /// Calls use(reference) for each bound traversal.
  template <typename Use>
  void ForEach(Use&& use) const {
    for (const Entry& entry : content_->entries) {
      use(entry.reference);
    }
  }

 private:
  struct Entry {
    const hcl::TraversalExpr* traversal;
    Reference reference;
  };
  struct Content {
    std::deque<Entry> entries;
    /// A hash table of places in `entries`, by traversal. Its size is a power of two or 0; at least
    /// half of it is free.
    std::vector<uint32_t> places;

    /// The place in `places` of a traversal, or the free one where it belongs.
    size_t PlaceOf(const hcl::TraversalExpr& traversal) const;
    void Grow();
  };

  std::unique_ptr<Content> content_ = std::make_unique<Content>();
};

}  // namespace kinu::config
