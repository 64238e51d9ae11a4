// SharedNode: first base of everything that a Value or a Type points to, so that both can count
// references without knowing what the node is.
#pragma once

#include <atomic>
#include <cstdint>

namespace kinu {

struct SharedNode {
  constexpr SharedNode() = default;
  SharedNode(const SharedNode&) = delete;
  SharedNode& operator=(const SharedNode&) = delete;

  void AddRef() const { references.fetch_add(1, std::memory_order_relaxed); }
  /// True when this was the last reference; the caller then frees the node.
  bool Release() const { return references.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  /// Adds a reference unless the node is already being freed: how a weak table hands out nodes.
  bool TryAddRef() const {
    uint32_t count = references.load(std::memory_order_relaxed);
    while (count != 0) {
      if (references.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  mutable std::atomic<uint32_t> references{1};
};

}  // namespace kinu
