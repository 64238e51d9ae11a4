#include <vector>

#include "engine/passes/passes.h"

namespace kinu::engine {

void AddCloseNodes(PlanGraph& graph) {
  std::vector<NodeId> blocks;
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    if (node.kind == NodeKind::kResource &&
        graph.config.nodes[node.config_node]->module->resources[node.index].name.mode ==
            ResourceMode::kEphemeral) {
      blocks.push_back(id);
    }
  }
  // Finds the last users of each block. If there are very many blocks, all are closed at the end
  // instead, so that this stays linear.
  constexpr size_t kFollowed = 100;
  std::vector<NodeId> last_of_all;
  if (blocks.size() > kFollowed) {
    for (NodeId id = 0; id < graph.size(); ++id) {
      if (graph.dependents(id).empty()) {
        last_of_all.push_back(id);
      }
    }
  }
  std::vector<uint32_t> seen(graph.size(), 0);
  uint32_t round = 0;
  const size_t before = graph.size();
  for (NodeId block : blocks) {
    const Node node = graph.node(block);
    NodeId close = graph.Add({NodeKind::kClose, node.config_node, node.index});
    graph.AddSoftEdge(close, block);
    if (blocks.size() > kFollowed) {
      for (NodeId id : last_of_all) {
        graph.AddSoftEdge(close, id);
      }
      continue;
    }
    ++round;
    std::vector<NodeId> work{block};
    while (!work.empty()) {
      NodeId id = work.back();
      work.pop_back();
      auto users = id < before ? graph.dependents(id) : std::span<const NodeId>();
      if (users.empty() && id != block) {
        graph.AddSoftEdge(close, id);
      }
      for (NodeId user : users) {
        if (seen[user] != round) {
          seen[user] = round;
          work.push_back(user);
        }
      }
    }
  }
  if (!blocks.empty()) {
    graph.Finish();
    if (!graph.kept.empty()) {
      graph.kept.resize(graph.size(), true);
    }
  }
}

}  // namespace kinu::engine
