#include "base/digraph.h"

#include <algorithm>

namespace kinu {

void Digraph::Finish() {
  for (Id id = 0; id + 1 < out_begin_.size(); ++id) {
    for (Id to : dependencies(id)) {
      edges_.emplace_back(id, to);
    }
  }
  const size_t n = count_;
  // Counting sort by source, then by target inside each source: linear, and duplicates become
  // neighbours.
  auto bucket = [n](const std::vector<std::pair<Id, Id>>& edges, bool forward,
                    std::vector<uint32_t>& begin, std::vector<Id>& list) {
    begin.assign(n + 1, 0);
    for (const auto& [from, to] : edges) {
      ++begin[(forward ? from : to) + 1];
    }
    for (size_t i = 0; i < n; ++i) {
      begin[i + 1] += begin[i];
    }
    list.resize(edges.size());
    std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
    for (const auto& [from, to] : edges) {
      list[next[forward ? from : to]++] = forward ? to : from;
    }
  };
  bucket(edges_, true, out_begin_, out_);
  std::vector<std::pair<Id, Id>> unique;
  unique.reserve(edges_.size());
  for (Id id = 0; id < n; ++id) {
    auto first = out_.begin() + out_begin_[id];
    auto last = out_.begin() + out_begin_[id + 1];
    std::sort(first, last);
    last = std::unique(first, last);
    for (auto it = first; it != last; ++it) {
      unique.emplace_back(id, *it);
    }
  }
  bucket(unique, true, out_begin_, out_);
  bucket(unique, false, in_begin_, in_);
  edges_.clear();
  edges_.shrink_to_fit();
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
