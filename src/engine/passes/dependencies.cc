#include <algorithm>
#include <array>
#include <deque>
#include <ranges>

#include "base/text_key.h"
#include "config/validate_reference.h"
#include "engine/node_kinds.h"
#include "engine/passes/passes.h"

namespace kinu::engine {
namespace {

using List = std::shared_ptr<const std::vector<NodeId>>;

/// The union of sorted lists and single ids, which it sorts; shares a list when nothing has to be
/// added to it.
List Union(std::vector<List>& lists, std::vector<NodeId>& singles) {
  std::sort(singles.begin(), singles.end());
  singles.erase(std::unique(singles.begin(), singles.end()), singles.end());
  std::sort(lists.begin(), lists.end());
  lists.erase(std::unique(lists.begin(), lists.end()), lists.end());
  if (lists.empty() && singles.empty()) {
    return nullptr;
  }
  auto largest = std::max_element(lists.begin(), lists.end(), [](const List& a, const List& b) {
    return a->size() < b->size();
  });
  auto contains = [&](const std::vector<NodeId>& small) {
    return largest != lists.end() &&
           std::includes((*largest)->begin(), (*largest)->end(), small.begin(), small.end());
  };
  bool covered = contains(singles);
  for (const List& list : lists) {
    covered = covered && contains(*list);
  }
  if (covered) {
    return *largest;
  }
  std::vector<NodeId> merged;
  size_t size = singles.size();
  for (const List& list : lists) {
    size += list->size();
  }
  merged.reserve(size);
  merged.assign(singles.begin(), singles.end());
  for (const List& list : lists) {
    merged.insert(merged.end(), list->begin(), list->end());
  }
  std::sort(merged.begin(), merged.end());
  merged.erase(std::unique(merged.begin(), merged.end()), merged.end());
  return std::make_shared<const std::vector<NodeId>>(std::move(merged));
}

ConfigResource AddressOf(const PlanGraph& graph, NodeId id) {
  const Node& node = graph.node(id);
  return {graph.PlaceOf(node).path, graph.ResourceOf(node).name};
}

/// The text of a resource's address in two parts, so that resources of one type in one module share
/// the first one.
struct AddressText {
  uint32_t group;  ///< of resources with the same `start`
  NodeId id;
  std::string_view start;
  TextKey name;

  friend bool operator<(const AddressText& a, const AddressText& b) {
    if (a.group == b.group) {
      return a.name < b.name;
    }
    const auto whole = [](const AddressText& text) {
      return std::array{text.start, text.name.text()} | std::views::join;
    };
    return std::ranges::lexicographical_compare(whole(a), whole(b), {}, Unsigned, Unsigned);
  }

 private:
  static unsigned char Unsigned(char c) { return static_cast<unsigned char>(c); }
};

/// The rank of each resource node in the order of the texts of their addresses, by node.
std::vector<uint32_t> RankByAddress(const PlanGraph& graph, const std::vector<NodeId>& resources) {
  struct Group {
    ConfigResource first;
    std::string start;
  };
  std::deque<Group> groups;
  std::vector<AddressText> texts;
  texts.reserve(resources.size());
  for (const NodeId id : resources) {
    const ConfigResource address = AddressOf(graph, id);
    const auto same = [&](const Group& group) {
      return group.first.module == address.module &&
             group.first.resource.mode == address.resource.mode &&
             group.first.resource.type == address.resource.type;
    };
    // Blocks of one type usually follow each other.
    if (groups.empty() || !same(groups.back())) {
      std::string start = graph.program.ToText(address);
      start.resize(start.size() - graph.program.Text(address.resource.name).size());
      groups.push_back({address, std::move(start)});
    }
    texts.push_back({static_cast<uint32_t>(groups.size()), id, groups.back().start,
                     TextKey(graph.program.Text(address.resource.name))});
  }
  // Modules have their blocks in this order already if those are of one type.
  if (!std::is_sorted(texts.begin(), texts.end())) {
    std::sort(texts.begin(), texts.end());
  }
  std::vector<uint32_t> rank(graph.size(), 0);
  for (uint32_t i = 0; i < texts.size(); ++i) {
    rank[texts[i].id] = i;
  }
  return rank;
}

/// Whether the walk reads the block's list: to store it with an object, or to order an apply, where
/// the disposal of an object also waits for data that depend on it.
bool NeedsList(const PlanGraph& graph, const Node& node) {
  const BlockInfo& info = graph.InfoOf(node);
  return graph.stores_new_objects || (graph.ResourceOf(node).name.mode == ResourceMode::kManaged &&
                                      (!info.stored.empty() || info.imports != nullptr));
}

/// Makes the lists of addresses from lists of nodes. Equal lists of nodes become one.
class AddressLists {
 public:
  AddressLists(const PlanGraph& graph, const std::vector<NodeId>& resources)
      : graph_(graph), rank_(RankByAddress(graph, resources)) {}

  state::DependencyList Of(const List& list) {
    static const auto kNone = std::make_shared<const std::vector<ConfigResource>>();
    if (list == nullptr) {
      return kNone;
    }
    auto& known = interned_[reinterpret_cast<uint64_t>(list.get())];
    if (known == nullptr) {
      std::vector<NodeId> sorted = *list;
      std::sort(sorted.begin(), sorted.end(),
                [&](NodeId a, NodeId b) { return rank_[a] < rank_[b]; });
      std::vector<ConfigResource> addresses;
      addresses.reserve(sorted.size());
      for (NodeId dependency : sorted) {
        addresses.push_back(AddressOf(graph_, dependency));
      }
      known = std::make_shared<const std::vector<ConfigResource>>(std::move(addresses));
      kept_.push_back(list);
    }
    return known;
  }

 private:
  const PlanGraph& graph_;
  std::vector<uint32_t> rank_;
  /// Lists by identity; `kept_` holds them so that no address is used twice.
  FlatMap<uint64_t, state::DependencyList> interned_;
  std::vector<List> kept_;
};

}  // namespace

void CollectDependencies(PlanGraph& graph) {
  std::vector<NodeId> resources;
  std::vector<bool> needed(graph.size());
  bool any = false;
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (graph.node(id).kind == NodeKind::kResource) {
      resources.push_back(id);
      if (NeedsList(graph, graph.node(id))) {
        graph.MarkReached(id, needed);
        any = true;
      }
    }
  }
  // The lists of a chain of blocks grow with the square of its length: no list is made in vain.
  if (!any) {
    return;
  }
  AddressLists addresses(graph, resources);
  std::vector<List> lists(graph.size());
  std::vector<uint32_t> readers(graph.size());
  for (NodeId id = 0; id < graph.size(); ++id) {
    readers[id] = static_cast<uint32_t>(std::ranges::count_if(
        graph.dependents(id), [&](NodeId dependent) { return needed[dependent]; }));
  }
  std::vector<List> inputs;
  std::vector<NodeId> singles;
  for (NodeId id : graph.Order()) {
    if (!needed[id]) {
      continue;
    }
    inputs.clear();
    singles.clear();
    for (NodeId dependency : graph.dependencies(id)) {
      if (lists[dependency] != nullptr) {
        inputs.push_back(lists[dependency]);
      }
      if (graph.node(dependency).kind == NodeKind::kResource) {
        singles.push_back(dependency);
      }
    }
    lists[id] = Union(inputs, singles);
    const Node& node = graph.node(id);
    if (node.kind == NodeKind::kResource && NeedsList(graph, node)) {
      graph.InfoOf(node).dependencies = addresses.Of(lists[id]);
    }
    for (NodeId dependency : graph.dependencies(id)) {
      if (--readers[dependency] == 0) {
        lists[dependency] = nullptr;
      }
    }
  }
}

void PropagateCreateBeforeDestroy(PlanGraph& graph) {
  std::vector<NodeId> order = graph.Order();
  std::vector<bool> forced(graph.size(), false);
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    NodeId id = *it;
    const Node& node = graph.node(id);
    bool flag = false;
    for (NodeId dependent : graph.dependents(id)) {
      flag = flag || (forced[dependent] && graph.Kept(dependent));
    }
    if (node.kind == NodeKind::kResource) {
      const config::Resource& resource =
          graph.config.nodes[node.config_node]->module->resources[node.index];
      flag = flag || resource.create_before_destroy.value_or(false);
      graph.blocks[node.config_node][node.index].create_before_destroy = flag;
    }
    forced[id] = flag;
  }
}

bool CheckAcyclic(const PlanGraph& graph, Diagnostics& diags) {
  auto cycles = graph.Cycles();
  for (const auto& cycle : cycles) {
    std::string members;
    for (NodeId id : cycle) {
      std::string name = NodeName(graph, id);
      members += (members.empty() ? "" : ", ") + name;
      // A variable of a called module has two nodes in OpenTofu: its argument and its references.
      if (constexpr std::string_view kInput = "(expand, input)"; name.ends_with(kInput)) {
        members += ", " + name.substr(0, name.size() - kInput.size()) + "(expand, reference)";
      }
    }
    diags.Error("Cycle: " + members, "");
  }
  for (const NodeId id : graph.self_calling_providers) {
    diags.Error("Self reference: " + NodeName(graph, id), "");
  }
  return cycles.empty() && graph.self_calling_providers.empty();
}

bool CheckModuleInputs(const PlanGraph& graph, Diagnostics& diags) {
  if (graph.context.validated) {
    return true;
  }
  const size_t errors = diags.error_count();
  for (const auto& node : graph.config.nodes) {
    if (node->parent != nullptr) {
      const config::ModuleCall& call = node->parent->module->calls[static_cast<size_t>(node->call)];
      (void)config::ReadModuleInputs(graph.program, call, *node->module, diags);
    }
  }
  return diags.error_count() == errors || graph.config.is_incomplete;
}

}  // namespace kinu::engine
