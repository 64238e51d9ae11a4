// The functions that execute nodes in one walk, by kind of node.
#pragma once

#include <array>
#include <initializer_list>

#include "diag/diagnostic.h"
#include "engine/graph.h"

namespace kinu::engine {

/// Nodes of kinds without an entry are not executed.
template <typename Context>
class NodeTable {
 public:
  using Function = void (*)(Context& context, NodeId id, Diagnostics& diags);
  struct Entry {
    NodeKind kind;
    Function function;
  };

  constexpr NodeTable(std::initializer_list<Entry> entries) {
    for (const Entry& entry : entries) {
      functions_[static_cast<size_t>(entry.kind)] = entry.function;
    }
  }

  void Execute(NodeKind kind, Context& context, NodeId id, Diagnostics& diags) const {
    if (const Function function = functions_[static_cast<size_t>(kind)]) {
      function(context, id, diags);
    }
  }

 private:
  std::array<Function, kNodeKinds> functions_{};
};

}  // namespace kinu::engine
