#include "engine/node_kinds.h"

#include <array>

#include "engine/cells.h"

namespace kinu::engine {
namespace {

using NameFunction = std::string (*)(const PlanGraph&, const Node&);
using ProviderFunction = uint32_t (*)(const PlanGraph&, const ApplyGraph*, const Node&);
using PictureFunction = NodePicture (*)(const PlanGraph&, const ApplyGraph*, const Node&);

struct KindRow {
  NodeKind kind;
  NameFunction name = nullptr;          ///< null: the node has none
  ProviderFunction provider = nullptr;  ///< null: it calls none
  PictureFunction picture = nullptr;    ///< null: one vertex with the node's name
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

std::string NameOfVariable(const PlanGraph& graph, const Node& node) {
  return Inside(graph, node, "var.",
                graph.program.Text(graph.PlaceOf(node).module->variables[node.index].name));
}

std::string NameOfStored(const PlanGraph& graph, const Node& node) {
  return graph.program.ToText(graph.stored[node.index].resource->address);
}

/// Pictures label all objects of a block with the address of the block.
std::string BlockText(const PlanGraph& graph, const AbsResource& resource) {
  return graph.program.ToText(
      ConfigResource{graph.program.ModuleOf(resource.module), resource.resource});
}

NodePicture PictureOfVariable(const PlanGraph& graph, const ApplyGraph*, const Node& node) {
  const std::string name = NameOfVariable(graph, node);
  const bool is_root = graph.PlaceOf(node).parent == nullptr;
  return {is_root ? "note" : "",
          is_root ? name : "",
          {name + (is_root ? "" : " (expand, input)")},
          name + " (expand, reference)"};
}

NodePicture PictureOfStored(const PlanGraph& graph, const ApplyGraph*, const Node& node) {
  const state::Resource& resource = *graph.stored[node.index].resource;
  NodePicture out{"box", BlockText(graph, resource.address)};
  for (const state::Instance& instance : resource.instances) {
    const std::string text = graph.program.ToText(ResourceInstance{resource.address, instance.key});
    if (node.kind == NodeKind::kOrphan) {
      out.vertices.push_back(text + " (orphan)");
      continue;
    }
    for (const state::DeposedObject& deposed : instance.deposed) {
      out.vertices.push_back(text + " (deposed " + deposed.key + ")");
    }
  }
  return out;
}

NodePicture PictureOfCell(const PlanGraph& graph, const ApplyGraph* apply, const Node& node) {
  const Cell& cell = apply->cells[node.index];
  NodePicture out{"box", BlockText(graph, cell.resource)};
  for (const CellRow& row : cell.rows) {
    out.vertices.push_back(CellRowName(graph, *apply, cell, row));
  }
  return out;
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
           return NameOfVariable(graph, node) +
                  (graph.PlaceOf(node).parent != nullptr ? " (expand, input)" : "");
         },
     .picture = PictureOfVariable},
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
           const WalkKind walk = graph.context.kind;
           const bool expands = walk != WalkKind::kValidate && walk != WalkKind::kEval;
           return NameOfResource(graph, node) + (expands ? " (expand)" : "");
         },
     .provider = kOfBlock,
     .picture =
         [](const PlanGraph& graph, const ApplyGraph*, const Node& node) {
           const std::string name = NameOfResource(graph, node);
           return NodePicture{"box", name, {name + " (expand)"}};
         },
     .works_on_objects = true},
    {.kind = NodeKind::kCheck,
     .name = [](const PlanGraph& graph,
                const Node& node) { return CheckAddress(graph, node) + " (expand)"; }},
    {.kind = NodeKind::kProvider,
     .name =
         [](const PlanGraph& graph, const Node& node) {
           return graph.program.ToText(graph.providers[node.index].address);
         },
     .picture =
         [](const PlanGraph& graph, const ApplyGraph*, const Node& node) {
           const std::string name = graph.program.ToText(graph.providers[node.index].address);
           return NodePicture{"diamond", name, {name}};
         }},
    {.kind = NodeKind::kOrphan,
     .name = [](const PlanGraph& graph,
                const Node& node) { return NameOfStored(graph, node) + " (orphan)"; },
     .provider = kOfStored,
     .picture = PictureOfStored,
     .works_on_objects = true},
    {.kind = NodeKind::kDeposed,
     .name = [](const PlanGraph& graph,
                const Node& node) { return NameOfStored(graph, node) + " (deposed)"; },
     .provider = kOfStored,
     .picture = PictureOfStored,
     .works_on_objects = true},
    {.kind = NodeKind::kClose,
     .name = [](const PlanGraph& graph,
                const Node& node) { return NameOfResource(graph, node) + " (close)"; },
     .provider = kOfBlock},
    {.kind = NodeKind::kCell,
     .provider = [](const PlanGraph&, const ApplyGraph* apply,
                    const Node& node) { return apply->cells[node.index].provider; },
     .picture = PictureOfCell,
     .works_on_objects = true},
    {.kind = NodeKind::kJoin,
     .picture =
         [](const PlanGraph&, const ApplyGraph*, const Node& node) {
           return node.index == kCheckStart ? NodePicture{"", "", {"(execute checks)"}}
                                            : NodePicture();
         }},
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

std::string BlockAddress(const PlanGraph& graph, const Node& node) {
  return NameOfResource(graph, node);
}

std::string CheckAddress(const PlanGraph& graph, const Node& node) {
  return Inside(graph, node, "check.",
                graph.program.Text(graph.PlaceOf(node).module->checks[node.index].name));
}

std::string NodeName(const PlanGraph& graph, NodeId id) {
  const Node& node = graph.node(id);
  const NameFunction name = RowOf(node.kind).name;
  return name == nullptr ? std::string() : name(graph, node);
}

NodePicture PictureOf(const PlanGraph& graph, const ApplyGraph* apply, NodeId id) {
  const Node& node = graph.node(id);
  const PictureFunction picture = RowOf(node.kind).picture;
  return picture == nullptr ? NodePicture{"", "", {NodeName(graph, id)}}
                            : picture(graph, apply, node);
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
