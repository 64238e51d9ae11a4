// Pictures of graphs: the nodes, names and edges that `tofu graph` shows.
// Ref: opentofu internal/tofu/graph_dot.go.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/flat_map.h"
#include "diag/diagnostic.h"
#include "plan/plan.h"

namespace kinu::engine {

struct Request;

/// Named vertices and the order between them.
class Picture {
 public:
  using Id = uint32_t;

  struct Vertex {
    std::string name;
    std::string label;
    std::string_view shape;  ///< empty: it is not listed, only its edges are
    std::set<Id> edges;      ///< what it waits for
    bool dissolved = false;
  };

  /// The vertex of that name.
  Id Add(std::string name);
  Id Add(std::string name, std::string label, std::string_view shape);
  void Connect(Id from, Id to) {
    if (from != to) {
      vertices_[from].edges.insert(to);
    }
  }
  void Disconnect(Id from, Id to) { vertices_[from].edges.erase(to); }
  /// Removes a vertex and connects its dependents with its dependencies.
  void Dissolve(Id gone);

  /// All vertices that wait for a vertex, directly or not.
  std::vector<Id> Dependents(Id id) const;

  const std::vector<Vertex>& vertices() const { return vertices_; }

 private:
  FlatMap<std::string, Id> index_;
  std::vector<Vertex> vertices_;
};

/// The picture of the plan walk of that mode.
Picture DrawPlan(const Request& request, plan::Mode mode, Diagnostics& diags);
/// The picture of the walk that applies the plan.
Picture DrawApply(const Request& request, const plan::Plan& plan, Diagnostics& diags);

}  // namespace kinu::engine
