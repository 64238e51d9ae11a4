#include "base/digraph.h"

#include <algorithm>

namespace kinu {
namespace {

/// Where the items of each of `nodes` nodes begin when all are sorted by node; last their number.
template <typename Item, typename NodeOf>
std::vector<uint32_t> Starts(size_t nodes, const std::vector<Item>& items, const NodeOf& node_of) {
  std::vector<uint32_t> begin(nodes + 1);
  for (const Item& item : items) {
    ++begin[node_of(item) + 1];
  }
  for (size_t i = 0; i < nodes; ++i) {
    begin[i + 1] += begin[i];
  }
  return begin;
}

}  // namespace

void Digraph::Finish() {
  for (Id id = 0; id + 1 < out_begin_.size(); ++id) {
    for (Id to : dependencies(id)) {
      edges_.emplace_back(id, to);
    }
  }
  // Counting sort by source: linear. Then by target, which makes duplicates neighbours.
  out_begin_ = Starts(count_, edges_, [](const auto& edge) { return edge.first; });
  out_.resize(edges_.size());
  std::vector<uint32_t> next(out_begin_.begin(), out_begin_.end() - 1);
  for (const auto& [from, to] : edges_) {
    out_[next[from]++] = to;
  }
  edges_.clear();
  edges_.shrink_to_fit();
  size_t kept = 0;
  for (Id id = 0; id < count_; ++id) {
    const auto first = out_.begin() + out_begin_[id];
    const auto last = out_.begin() + out_begin_[id + 1];
    std::sort(first, last);
    const auto end = std::unique(first, last);
    out_begin_[id] = static_cast<uint32_t>(kept);
    kept = static_cast<size_t>(
        std::move(first, end, out_.begin() + static_cast<std::ptrdiff_t>(kept)) - out_.begin());
  }
  out_begin_[count_] = static_cast<uint32_t>(kept);
  out_.resize(kept);
  in_begin_ = Starts(count_, out_, [](Id to) { return to; });
  in_.resize(kept);
  next.assign(in_begin_.begin(), in_begin_.end() - 1);
  for (Id id = 0; id < count_; ++id) {
    for (Id to : dependencies(id)) {
      in_[next[to]++] = id;
    }
  }
}

void Digraph::MarkReached(Id from, std::vector<bool>& marked) const {
  std::vector<Id> work;
  auto mark = [&](Id id) {
    if (!marked[id]) {
      marked[id] = true;
      work.push_back(id);
    }
  };
  mark(from);
  while (!work.empty()) {
    Id id = work.back();
    work.pop_back();
    for (Id dependency : dependencies(id)) {
      mark(dependency);
    }
  }
}

std::vector<Digraph::Id> Digraph::Order() const {
  std::vector<uint32_t> waiting(size());
  std::vector<Id> order;
  order.reserve(size());
  for (Id id = 0; id < size(); ++id) {
    waiting[id] = static_cast<uint32_t>(dependencies(id).size());
    if (waiting[id] == 0) {
      order.push_back(id);
    }
  }
  for (size_t at = 0; at < order.size(); ++at) {
    for (Id dependent : dependents(order[at])) {
      if (--waiting[dependent] == 0) {
        order.push_back(dependent);
      }
    }
  }
  return order;
}

std::vector<std::vector<Digraph::Id>> Digraph::Cycles() const {
  // Tarjan's algorithm with an explicit stack: graphs can be deeper than any call stack.
  constexpr uint32_t kUnseen = 0xFFFFFFFF;
  std::vector<uint32_t> number(size(), kUnseen), low(size(), 0);
  std::vector<bool> on_stack(size(), false);
  std::vector<Id> stack;
  struct Frame {
    Id node;
    uint32_t next;
  };
  std::vector<Frame> frames;
  std::vector<std::vector<Id>> cycles;
  uint32_t counter = 0;
  for (Id root = 0; root < size(); ++root) {
    if (number[root] != kUnseen) {
      continue;
    }
    frames.push_back({root, 0});
    while (!frames.empty()) {
      Frame& frame = frames.back();
      Id id = frame.node;
      if (frame.next == 0) {
        number[id] = low[id] = counter++;
        stack.push_back(id);
        on_stack[id] = true;
      }
      auto targets = dependencies(id);
      if (frame.next < targets.size()) {
        Id target = targets[frame.next++];
        if (number[target] == kUnseen) {
          frames.push_back({target, 0});
        } else if (on_stack[target]) {
          low[id] = std::min(low[id], number[target]);
        }
        continue;
      }
      if (low[id] == number[id]) {
        const auto first = std::find(stack.rbegin(), stack.rend(), id).base() - 1;
        for (auto member = first; member != stack.end(); ++member) {
          on_stack[*member] = false;
        }
        if (stack.end() - first > 1) {
          std::sort(first, stack.end());
          cycles.emplace_back(first, stack.end());
        }
        stack.erase(first, stack.end());
      }
      frames.pop_back();
      if (!frames.empty()) {
        Id parent = frames.back().node;
        low[parent] = std::min(low[parent], low[id]);
      }
    }
  }
  return cycles;
}

}  // namespace kinu
