// The validate walk: checks the configuration for all values of its variables and any state.
//
// CheckProvisioners  before the graph, because OpenTofu finds unknown provisioners with the schemas
// BuildGraph         the order of blocks; a cycle or a wrong module argument ends the walk
// Run                each node checks its block: values are unknown, each block has one row
#include "engine/build_graph.h"
#include "engine/nodes/nodes.h"
#include "engine/plan.h"
#include "engine/spans.h"
#include "engine/walk.h"
#include "engine/walks/node_table.h"
#include "provisioners/provisioner.h"

namespace kinu::engine {
namespace {

constexpr NodeTable<NodeContext> kValidateNodes({
    {NodeKind::kModule, ExpandModule},
    {NodeKind::kVariable, EvaluateVariable},
    {NodeKind::kLocal, EvaluateLocal},
    {NodeKind::kOutput, EvaluateOutput},
    {NodeKind::kCheck, EvaluateCheck},
    {NodeKind::kProvider, ConfigureProvider},
    {NodeKind::kResource, ValidateResource},
});

}  // namespace

bool CheckProvisioners(const config::Config& config, Diagnostics& diags) {
  const size_t errors = diags.error_count();
  for (const auto& node : config.nodes) {
    for (const config::Resource& resource : node->module->resources) {
      for (const config::Provisioner& block : resource.provisioners) {
        if (provisioners::FindProvisioner(block.type) == nullptr) {
          diags.Error("Failed to load plugin schemas",
                      "There is no provisioner \"" + std::string(block.type) +
                          "\": this program has local-exec, file and remote-exec.");
        }
      }
    }
  }
  return diags.error_count() == errors;
}

bool Validate(const Request& request, Diagnostics& diags, ReferenceCollection* references) {
  if (!CheckProvisioners(*request.config, diags)) {
    return false;
  }
  const trace::Span phase(kTraceScope, "Validation phase");
  WalkContext context(WalkKind::kValidate, request);
  context.prior_state = nullptr;
  context.targets = Targets();
  context.references = references;
  PlanGraph graph(context);
  if (!BuildGraph(graph, diags)) {
    return false;
  }
  Walk walk(graph);
  CheckRecord checks;
  NodeContext node_context{walk, checks};
  walk.Run(
      [&](NodeId id, Diagnostics& found) {
        kValidateNodes.Execute(graph.node(id).kind, node_context, id, found);
      },
      diags);
  return true;
}

}  // namespace kinu::engine
