// A tree of module instances by the steps that lead to them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "addrs/address.h"

namespace kinu::refactoring {

/// A module call on the way to an address. Without a key it stands for all instances of the call.
struct StepPattern {
  Symbol call;
  std::optional<InstanceKey> key;

  uint64_t Hash() const { return HashCombine(call.id, key ? key->Hash() : ~uint64_t{0}); }
  friend bool operator==(const StepPattern&, const StepPattern&) = default;
};

class StepTree {
 public:
  using Id = uint32_t;
  static constexpr Id kRoot = 0;

  size_t size() const { return children_.size(); }
  std::span<const Id> children(Id node) const { return children_[node]; }

  /// The node at the end of the steps; adds what is missing.
  Id Add(std::span<const StepPattern> steps) {
    Id at = kRoot;
    for (const StepPattern& step : steps) {
      auto [it, added] = index_.emplace(Edge{at, step}, static_cast<Id>(children_.size()));
      const Id next = it->second;
      if (added) {
        children_.emplace_back();
        children_[at].push_back(next);
        if (step.key) {
          keyed_[CallOf(at, step.call)].push_back(next);
        }
      }
      at = next;
    }
    return at;
  }

  /// Calls visit(node, at_end) for every node that the first steps can lead to, root included.
  template <typename F>
  void Visit(std::span<const StepPattern> steps, F&& visit, Id at = kRoot) const {
    visit(at, steps.empty());
    if (steps.empty()) {
      return;
    }
    const StepPattern& step = steps.front();
    const auto follow = [&](const StepPattern& wanted) {
      if (auto it = index_.find(Edge{at, wanted}); it != index_.end()) {
        Visit(steps.subspan(1), visit, it->second);
      }
    };
    follow({step.call, std::nullopt});
    if (step.key) {
      follow(step);
    } else if (auto it = keyed_.find(CallOf(at, step.call)); it != keyed_.end()) {
      for (const Id next : it->second) {
        Visit(steps.subspan(1), visit, next);
      }
    }
  }

 private:
  struct Edge {
    Id from;
    StepPattern step;
    uint64_t Hash() const { return HashCombine(from, step.Hash()); }
    friend bool operator==(const Edge&, const Edge&) = default;
  };
  static uint64_t CallOf(Id node, Symbol call) { return uint64_t{node} << 32 | call.id; }

  std::vector<std::vector<Id>> children_{1};
  FlatMap<Edge, Id> index_;
  FlatMap<uint64_t, std::vector<Id>> keyed_;  ///< by node and call: the instances with keys
};

}  // namespace kinu::refactoring
