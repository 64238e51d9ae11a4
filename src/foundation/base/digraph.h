// A directed graph of dependencies: nodes are dense ids, edges are contiguous arrays of ids in both
// directions. The edge x → y means that x waits for y.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kinu {

/// Nodes and edges. Finish() makes added edges visible.
class Digraph {
 public:
  using Id = uint32_t;

  /// Adds a node; the first has id 0.
  Id AddNode() { return count_++; }
  /// `from` waits for `to`. Finish() drops duplicates; edges from a node to itself are ignored.
  void AddEdge(Id from, Id to) {
    if (from != to) {
      edges_.emplace_back(from, to);
    }
  }
  /// Sorts the edges. More nodes and edges may be added afterwards, and Finish() called again.
  void Finish();

  /// Drops the edges for which `unwanted(from, to)` holds. Call after Finish(); calls it again.
  template <typename F>
  void RemoveEdges(F&& unwanted) {
    for (Id from = 0; from + 1 < out_begin_.size(); ++from) {
      for (Id to : dependencies(from)) {
        if (!unwanted(from, to)) {
          edges_.emplace_back(from, to);
        }
      }
    }
    out_begin_.clear();
    Finish();
  }

  size_t size() const { return count_; }
  /// The nodes that `id` waits for, and those that wait for it, in id order. After Finish().
  std::span<const Id> dependencies(Id id) const { return Slice(out_begin_, out_, id); }
  std::span<const Id> dependents(Id id) const { return Slice(in_begin_, in_, id); }
  size_t edge_count() const { return out_.size(); }

  /// Marks a node and everything that it waits for, directly or not. `marked` has size() elements;
  /// the dependencies of nodes that are marked already are not followed.
  void MarkReached(Id from, std::vector<bool>& marked) const;

  /// The nodes, each after all that it waits for, lowest id first among the free ones. Shorter than
  /// size() if there are cycles.
  std::vector<Id> Order() const;
  /// The members of each cycle (strongly connected component of two or more nodes), in id order.
  std::vector<std::vector<Id>> Cycles() const;

 private:
  static std::span<const Id> Slice(const std::vector<uint32_t>& begin, const std::vector<Id>& list,
                                   Id id) {
    return std::span<const Id>(list).subspan(begin[id], begin[id + 1] - begin[id]);
  }

  uint32_t count_ = 0;
  std::vector<std::pair<Id, Id>> edges_;
  std::vector<uint32_t> out_begin_, in_begin_;
  std::vector<Id> out_, in_;
};

}  // namespace kinu
