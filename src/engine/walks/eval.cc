// The eval walk: values of the configuration over the objects of the state, for the console.
//
// BuildGraph  the order of blocks
// Run         variables, locals and outputs of all modules, so that their problems are reported
//             first; objects are read from the state when an expression uses them, and providers
//             are started when it calls their functions
#include "lang/eval.h"

#include <algorithm>

#include "engine/build_graph.h"
#include "engine/evaluation.h"
#include "engine/nodes/nodes.h"
#include "engine/reference_check.h"
#include "engine/root_outputs.h"
#include "engine/scope.h"
#include "engine/spans.h"
#include "engine/walks/node_table.h"
#include "hcl/static.h"
#include "schema/marks.h"

namespace kinu::engine {
namespace {

constexpr NodeTable<NodeContext> kEvalNodes({
    {NodeKind::kModule, ExpandModule},
    {NodeKind::kVariable, EvaluateVariable},
    {NodeKind::kLocal, EvaluateLocal},
    {NodeKind::kOutput, EvaluateOutput},
});

/// Whether a reference names an output of the root module: "output.x", unless the module has
/// resources of a type "output".
bool NamesOutput(const Walk& walk, const hcl::TraversalExpr& traversal) {
  const Symbol type = walk.program.Find("output");
  const config::Module& root = *walk.config.root().module;
  return !OutputName(traversal).empty() &&
         std::ranges::none_of(root.resources, [&](const config::Resource& resource) {
           return resource.name.mode == ResourceMode::kManaged && resource.name.type == type;
         });
}

/// The names of the root module and its outputs.
class ConsoleNames final : public FunctionsOfModule {
 public:
  explicit ConsoleNames(const Walk& walk)
      : FunctionsOfModule(root_), walk_(walk), root_(walk, *walk.slots.root) {}

  Value Resolve(const hcl::TraversalExpr& traversal, Diagnostics& diags) const override {
    if (!NamesOutput(walk_, traversal)) {
      return root_.Resolve(traversal, diags);
    }
    const int index = FindRootOutput(walk_, OutputName(traversal));
    return index < 0 ? Value::DynamicUnknown()
                     : lang::ApplySteps(RootOutput(walk_, static_cast<size_t>(index)),
                                        traversal.steps.subspan(1), traversal, diags);
  }

 private:
  const Walk& walk_;
  const ModuleScope root_;
};

/// Reports calls of functions whose providers the root module does not require.
void CheckFunctionProviders(const Walk& walk, std::span<const hcl::CallExpr* const> calls,
                            Diagnostics& diags) {
  for (const hcl::CallExpr* call : calls) {
    const auto name = ParseProviderFunction(call->name);
    if (name && walk.config.root().module->FindRequiredProvider(
                    walk.program.Find(name->provider)) == nullptr) {
      ReportUnknownFunctionProvider(*call, *name, diags);
    }
  }
}

}  // namespace

struct EvaluationSession::Parts {
  explicit Parts(const Request& request) : context(WalkKind::kEval, request), graph(context) {}
  WalkContext context;
  PlanGraph graph;
  std::unique_ptr<Walk> walk;
  CheckRecord checks;
  std::unique_ptr<ConsoleNames> scope;
};

EvaluationSession::EvaluationSession(const Request& request)
    : parts_(std::make_unique<Parts>(request)) {
}
EvaluationSession::~EvaluationSession() = default;

const lang::Scope& EvaluationSession::scope() const {
  return *parts_->scope;
}

bool EvaluationSession::CheckReferences(const hcl::Expr& expr, Diagnostics& diags) const {
  const Walk& walk = *parts_->walk;
  const config::Module& root = *walk.config.root().module;
  const size_t errors = diags.error_count();
  std::vector<const hcl::TraversalExpr*> traversals;
  std::vector<const hcl::CallExpr*> calls;
  hcl::CollectTraversalsAndCalls(expr, traversals, calls);
  std::erase_if(traversals, [&](const hcl::TraversalExpr* traversal) {
    if (!NamesOutput(walk, *traversal)) {
      return false;
    }
    if (FindRootOutput(walk, OutputName(*traversal)) < 0) {
      ReportUndeclaredOutput(walk, *traversal, diags);
    }
    return true;
  });
  CheckFunctionProviders(walk, calls, diags);
  (void)ReferenceCheck(walk, walk.config.root()).Traversals(traversals, diags, calls);
  if (diags.error_count() != errors) {
    return false;
  }
  for (const hcl::TraversalExpr* traversal : traversals) {
    const config::Reference ref = config::ResolveReference(walk.program, root, *traversal, nullptr);
    if (ref.kind == config::ReferenceKind::kVariable && ref.index >= 0 &&
        HasUnusableValue(static_cast<size_t>(ref.index))) {
      const config::Variable& variable = root.variables[static_cast<size_t>(ref.index)];
      diags.Error("Reference to unresolved input variable",
                  "The final value for var." + std::string(walk.program.Text(variable.name)) +
                      " is missing: the given one is not suitable.",
                  config::ReferenceRange(*traversal));
    }
  }
  return diags.error_count() == errors;
}

/// Whether the given value of a variable is invalid, which Open() has reported.
bool EvaluationSession::HasUnusableValue(size_t variable) const {
  const Walk& walk = *parts_->walk;
  const config::Variable& declared = walk.config.nodes[0]->module->variables[variable];
  if (walk.context.request.variables == nullptr || walk.slots.root->variables[variable].IsKnown()) {
    return false;
  }
  const auto given =
      walk.context.request.variables->find(std::string(walk.program.Text(declared.name)));
  return given != walk.context.request.variables->end() && given->second.value &&
         given->second.value->IsKnown();
}

bool EvaluationSession::Open(Diagnostics& diags) {
  const trace::Span phase(kTraceScope, "Evaluation phase");
  if (!BuildGraph(parts_->graph, diags)) {
    return false;
  }
  parts_->walk = std::make_unique<Walk>(parts_->graph);
  Walk& walk = *parts_->walk;
  NodeContext context{walk, parts_->checks};
  walk.Run(
      [&](NodeId id, Diagnostics& found) {
        kEvalNodes.Execute(walk.graph.node(id).kind, context, id, found);
      },
      diags);
  parts_->scope = std::make_unique<ConsoleNames>(walk);
  return true;
}

void Inspect(const Walk& walk) {
  Inspector* inspector = walk.context.request.inspector;
  if (inspector == nullptr) {
    return;
  }
  const ModuleInstance& root = *walk.slots.root;
  const NodeId first = walk.graph.bases[0].resources;
  for (size_t i = 0; i < root.resources.size(); ++i) {
    if (!walk.graph.Kept(first + static_cast<NodeId>(i)) && !root.resources[i]->expanded) {
      LoadStoredRows(walk, root, i);
    }
  }
  inspector->Inspect(walk);
}

namespace {

/// The kind of the keys that the instances of a resource have.
InstanceKey::Kind KeyKindOf(const config::Resource& block) {
  if (block.count != nullptr) {
    return InstanceKey::Kind::kInt;
  }
  return block.for_each != nullptr ? InstanceKey::Kind::kString : InstanceKey::Kind::kNone;
}

}  // namespace

void FillStoredRows(const config::Resource& block, const schema::ResourceSchema& schema,
                    const state::Resource* stored, ResourceTable& table) {
  Expansion& expansion = table.expansion;
  const InstanceKey::Kind wanted = KeyKindOf(block);
  std::vector<const state::Instance*> found;
  if (stored != nullptr) {
    for (const state::Instance& entry : stored->instances) {
      if (entry.key.kind() == wanted) {
        found.push_back(&entry);
      }
    }
  }
  if (block.count != nullptr) {
    expansion.kind = Expansion::Kind::kCount;
    for (const state::Instance* entry : found) {
      expansion.count = std::max(expansion.count, entry->key.index() + 1);
    }
  } else if (block.for_each != nullptr) {
    expansion.kind = Expansion::Kind::kForEach;
    for (const state::Instance* entry : found) {
      expansion.keys.push_back(entry->key.symbol());
      expansion.values.push_back(Value::DynamicUnknown());
    }
  } else if (block.enabled != nullptr && found.empty()) {
    expansion.kind = Expansion::Kind::kDisabled;
  }
  table.rows.resize(expansion.size());
  for (size_t i = 0; i < table.rows.size(); ++i) {
    table.rows[i].key = expansion.key(i);
  }
  for (const state::Instance* entry : found) {
    Row* row = table.Find(entry->key);
    if (row == nullptr || entry->current == nullptr) {
      continue;
    }
    row->stored = entry;
    row->value = StoredValue(schema, *entry->current);
  }
}

void LoadStoredRows(const Walk& walk, const ModuleInstance& instance, size_t resource) {
  ResourceTable& table = *instance.resources[resource];
  const config::Resource& block = instance.node->module->resources[resource];
  const BlockInfo& info = walk.graph.blocks[instance.node->index][resource];
  table.expanded = true;
  const state::Resource* stored = walk.StoredOf(instance, resource);
  Expansion& expansion = table.expansion;
  bool repeated = block.count != nullptr || block.for_each != nullptr;
  // After a plan or an apply, nothing stored means none.
  const bool walked = walk.context.kind == WalkKind::kPlan || walk.context.kind == WalkKind::kApply;
  if (info.schema == nullptr || (stored == nullptr && !walked)) {
    if (repeated || info.schema == nullptr) {
      expansion.kind = Expansion::Kind::kUnknown;
    }
    return;
  }
  FillStoredRows(block, *info.schema, stored, table);
}

}  // namespace kinu::engine
