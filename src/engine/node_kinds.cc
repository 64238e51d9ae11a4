#include "engine/node_kinds.h"

#include <array>

namespace kinu::engine {
namespace {

using NameFunction = std::string (*)(const PlanGraph&, const Node&);
using ProviderFunction = uint32_t (*)(const PlanGraph&, const ApplyGraph*, const Node&);

struct KindRow {
  NodeKind kind;
  NameFunction name = nullptr;          ///< null: the node has none
  ProviderFunction provider = nullptr;  ///< null: it asks none
  bool works_on_objects = false;
};

std::string ModulePath(const PlanGraph& graph, const Node& node) {
  return graph.program.ToText(graph.PlaceOf(node).path);
}

/// "module.m.var.x".
std::string Inside(const PlanGraph& graph, const Node& node, std::string_view kind,
                   std::string_view name) {
  std::string out = ModulePath(graph, node);
  if (!out.empty()) {
    out += '.';
  }
  out += kind;
  out += name;
  return out;
}

std::string NameOfResource(const PlanGraph& graph, const Node& node) {
  return Inside(graph, node, "", graph.program.ToText(graph.ResourceOf(node).name));
}

std::string NameOfStored(const PlanGraph& graph, const Node& node) {
  return graph.program.ToText(graph.stored[node.index].resource->address);
}

constexpr ProviderFunction kOfBlock = [](const PlanGraph& graph, const ApplyGraph*,
                                         const Node& node) { return graph.InfoOf(node).provider; };
constexpr ProviderFunction kOfStored = [](const PlanGraph& graph, const ApplyGraph*,
                                          const Node& node) {
  return graph.stored[node.index].provider;
};

/// In the order of NodeKind.
constexpr KindRow kKinds[] = {
    {.kind = NodeKind::kModule,
     .name = [](const PlanGraph& graph,
                const Node& node) { return ModulePath(graph, node) + " (expand)"; }},
    {.kind = NodeKind::kModuleEnd,
     .name = [](const PlanGraph& graph,
                const Node& node) { return ModulePath(graph, node) + " (close)"; }},
    {.kind = NodeKind::kVariable,
     .name =
         [](const PlanGraph& graph, const Node& node) {
           const config::ConfigNode& place = graph.PlaceOf(node);
           return Inside(graph, node, "var.",
                         graph.program.Text(place.module->variables[node.index].name)) +
                  (place.parent != nullptr ? " (expand, input)" : "");
         }},
    {.kind = NodeKind::kLocal,
     .name =
         [](const PlanGraph& graph, const Node& node) {
           return Inside(graph, node, "local.",
                         graph.program.Text(graph.PlaceOf(node).module->locals[node.index].name)) +
                  " (expand)";
         }},
    {.kind = NodeKind::kOutput,
     .name =
         [](const PlanGraph& graph, const Node& node) {
           return Inside(graph, node, "output.",
                         graph.program.Text(graph.PlaceOf(node).module->outputs[node.index].name)) +
                  " (expand)";
         }},
    {.kind = NodeKind::kResource,
     .name =
         [](const PlanGraph& graph, const Node& node) {
           return NameOfResource(graph, node) +
                  (graph.context.kind == WalkKind::kValidate ? "" : " (expand)");
         },
     .provider = kOfBlock,
     .works_on_objects = true},
    {.kind = NodeKind::kCheck,
     .name =
         [](const PlanGraph& graph, const Node& node) {
           return Inside(graph, node, "check.",
                         graph.program.Text(graph.PlaceOf(node).module->checks[node.index].name));
         }},
    {.kind = NodeKind::kProvider,
     .name =
         [](const PlanGraph& graph, const Node& node) {
           return graph.program.ToText(graph.providers[node.index].address);
         }},
    {.kind = NodeKind::kOrphan,
     .name = [](const PlanGraph& graph,
                const Node& node) { return NameOfStored(graph, node) + " (orphan)"; },
     .provider = kOfStored,
     .works_on_objects = true},
    {.kind = NodeKind::kDeposed,
     .name = [](const PlanGraph& graph,
                const Node& node) { return NameOfStored(graph, node) + " (deposed)"; },
     .provider = kOfStored,
     .works_on_objects = true},
    {.kind = NodeKind::kClose,
     .name = [](const PlanGraph& graph,
                const Node& node) { return NameOfResource(graph, node) + " (close)"; },
     .provider = kOfBlock},
    {.kind = NodeKind::kCell,
     .provider = [](const PlanGraph&, const ApplyGraph* apply,
                    const Node& node) { return apply->cells[node.index].provider; },
     .works_on_objects = true},
    {.kind = NodeKind::kJoin},
};

consteval bool InOrder() {
  for (size_t i = 0; i < kNodeKinds; ++i) {
    if (static_cast<size_t>(kKinds[i].kind) != i) {
      return false;
    }
  }
  return std::size(kKinds) == kNodeKinds;
}
static_assert(InOrder());

const KindRow& RowOf(NodeKind kind) {
  return kKinds[static_cast<size_t>(kind)];
}

}  // namespace

std::string NodeName(const PlanGraph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const NameFunction name = RowOf(node.kind).name;
  return name == nullptr ? std::string() : name(graph, node);
}

std::optional<uint32_t> ProviderOfNode(const PlanGraph& graph, const ApplyGraph* apply,
                                       const Node& node) {
  const ProviderFunction provider = RowOf(node.kind).provider;
  return provider == nullptr ? std::nullopt : std::optional(provider(graph, apply, node));
}

bool WorksOnObjects(NodeKind kind) {
  return RowOf(kind).works_on_objects;
}

}  // namespace kinu::engine
