#include "engine/module_references.h"

#include "hcl/static.h"
#include "provisioners/provisioner.h"
#include "schema/decode.h"

namespace kinu::engine {
namespace {

class Collector {
 public:
  Collector(PlanGraph& graph, const config::Module& module, Diagnostics* diags)
      : graph_(graph), module_(module), diags_(diags) {}

  void Expr(const hcl::Expr* expr, Bindings& out) {
    if (expr == nullptr) {
      return;
    }
    traversals_.clear();
    calls_.clear();
    hcl::CollectTraversalsAndCalls(*expr, traversals_, calls_);
    Bind(out);
  }
  void Traversals(const std::vector<const hcl::TraversalExpr*>& list, Bindings& out) {
    traversals_ = list;
    calls_.clear();
    Bind(out);
  }
  void Conditions(const std::vector<config::Condition>& conditions, Bindings& out) {
    for (const config::Condition& condition : conditions) {
      Expr(condition.condition, out);
      Expr(condition.error_message, out);
    }
  }
  void Body(const schema::Block& block, const hcl::Body* body,
            std::span<const std::string_view> hidden, Bindings& out,
            ResourceReferences* found = nullptr) {
    if (body == nullptr) {
      return;
    }
    traversals_.clear();
    calls_.clear();
    schema::CollectBodyTraversals(block, *body, hidden, traversals_, calls_);
    Bind(out);
    if (found != nullptr) {
      found->traversals.Add(traversals_);
      found->calls.Add(calls_);
    }
  }

 private:
  /// Collects called functions of providers. Reports providers that the module does not require.
  void BindCalls(Bindings& out) {
    for (const hcl::CallExpr* call : calls_) {
      std::optional<ProviderFunctionName> name = ParseProviderFunction(call->name);
      if (!name) {
        continue;
      }
      if (module_.FindRequiredProvider(graph_.program.Intern(name->provider)) != nullptr) {
        out.functions.push_back(*name);
      } else if (diags_ != nullptr && !module_.has_gaps) {
        ReportUnknownFunctionProvider(*call, *name, *diags_);
      }
    }
  }

  void Bind(Bindings& out) {
    for (const hcl::TraversalExpr* traversal : traversals_) {
      out.list.push_back(&config::BindReference(graph_.program, module_, *traversal));
    }
    BindCalls(out);
  }

  PlanGraph& graph_;
  const config::Module& module_;
  Diagnostics* diags_;
  std::vector<const hcl::TraversalExpr*> traversals_;
  std::vector<const hcl::CallExpr*> calls_;
};

/// `out`: memory for the bindings, used again for each block.
void CollectResource(const config::Resource& resource, const BlockInfo& info, Collector& collect,
                     Bindings& out, ResourceReferences& references) {
  out.list.clear();
  out.functions.clear();
  collect.Expr(resource.count, out);
  collect.Expr(resource.for_each, out);
  collect.Expr(resource.enabled, out);
  collect.Expr(resource.provider_ref ? resource.provider_ref->key : nullptr, out);
  collect.Traversals(resource.depends_on, out);
  for (const hcl::Expr* trigger : resource.replace_triggered_by) {
    collect.Expr(trigger, out);
  }
  if (info.schema != nullptr) {
    collect.Body(info.schema->block, resource.body, config::MetaNames(resource.name.mode), out,
                 &references);
  }
  collect.Expr(resource.prevent_destroy, out);
  collect.Body(provisioners::ConnectionSchema(), resource.connection, {}, out);
  for (const config::Provisioner& block : resource.provisioners) {
    const provisioners::Provisioner* provisioner = provisioners::FindProvisioner(block.type);
    if (block.when == config::Provisioner::When::kCreate && provisioner != nullptr) {
      collect.Body(provisioners::ConnectionSchema(), block.connection, {}, out);
      collect.Body(provisioner->schema(), block.body, config::kProvisionerMetaNames, out);
    }
  }
  collect.Conditions(resource.preconditions, out);
  collect.Conditions(resource.postconditions, out);
  references.End(out);
}

ResourceReferences CollectResources(const std::vector<config::Resource>& resources,
                                    const std::vector<BlockInfo>& infos, Collector& collect) {
  ResourceReferences references;
  references.Reserve(resources.size());
  Bindings bindings;
  for (size_t i = 0; i < resources.size(); ++i) {
    CollectResource(resources[i], infos[i], collect, bindings, references);
  }
  references.Shrink();
  return references;
}

ModuleReferences Collect(PlanGraph& graph, const config::ConfigNode& node, Diagnostics* diags) {
  const config::Module& module = *node.module;
  Collector collect(graph, module, diags);
  ModuleReferences refs;
  refs.locals.resize(module.locals.size());
  for (size_t i = 0; i < module.locals.size(); ++i) {
    collect.Expr(module.locals[i].expr, refs.locals[i]);
  }
  refs.outputs.resize(module.outputs.size());
  for (size_t i = 0; i < module.outputs.size(); ++i) {
    const config::Output& output = module.outputs[i];
    collect.Expr(output.expr, refs.outputs[i]);
    collect.Traversals(output.depends_on, refs.outputs[i]);
    collect.Conditions(output.preconditions, refs.outputs[i]);
  }
  refs.variables.resize(module.variables.size());
  for (size_t i = 0; i < module.variables.size(); ++i) {
    collect.Conditions(module.variables[i].validations, refs.variables[i]);
  }
  refs.resources = CollectResources(module.resources, graph.blocks[node.index], collect);
  refs.calls.resize(module.calls.size());
  refs.call_depends_on.resize(module.calls.size());
  refs.inputs.resize(module.calls.size());
  for (size_t i = 0; i < module.calls.size(); ++i) {
    const config::ModuleCall& call = module.calls[i];
    collect.Expr(call.count, refs.calls[i]);
    collect.Expr(call.for_each, refs.calls[i]);
    collect.Expr(call.enabled, refs.calls[i]);
    for (const config::ModuleCall::PassedProvider& passed : call.providers) {
      collect.Expr(passed.outside.key, refs.calls[i]);
    }
    collect.Traversals(call.depends_on, refs.call_depends_on[i]);
    refs.inputs[i].resize(call.inputs.size());
    for (size_t k = 0; k < call.inputs.size(); ++k) {
      collect.Expr(call.inputs[k].expr, refs.inputs[i][k]);
    }
  }
  refs.checks.resize(module.checks.size());
  for (size_t i = 0; i < module.checks.size(); ++i) {
    collect.Conditions(module.checks[i].asserts, refs.checks[i]);
  }
  return refs;
}

}  // namespace

void ResourceReferences::Reserve(size_t resources) {
  bindings.Reserve(resources);
  functions.Reserve(resources);
  traversals.Reserve(resources);
  calls.Reserve(resources);
}

void ResourceReferences::End(const Bindings& all) {
  bindings.Add(all.list);
  functions.Add(all.functions);
  bindings.End();
  functions.End();
  traversals.End();
  calls.End();
}

void ResourceReferences::Shrink() {
  bindings.Shrink();
  functions.Shrink();
  traversals.Shrink();
  calls.Shrink();
}

const ModuleReferences& ReferenceCollection::Of(PlanGraph& graph, const config::ConfigNode& node,
                                                Diagnostics* diags) {
  std::unique_ptr<ModuleReferences>& slot = modules_[reinterpret_cast<uint64_t>(node.module)];
  if (slot == nullptr) {
    slot = std::make_unique<ModuleReferences>(Collect(graph, node, diags));
  }
  return *slot;
}

BodyReferences ReferenceCollection::OfBody(const config::Module& module, size_t resource) const {
  return modules_.at(reinterpret_cast<uint64_t>(&module))->resources.Body(resource);
}

Bindings ReferencesOf(PlanGraph& graph, const config::Module& module,
                      std::span<const hcl::Expr* const> expressions, Diagnostics* diags) {
  Bindings out;
  Collector collect(graph, module, diags);
  for (const hcl::Expr* expr : expressions) {
    collect.Expr(expr, out);
  }
  return out;
}

Bindings ReferencesOf(PlanGraph& graph, const ProviderInfo& provider, Diagnostics* diags) {
  Bindings out;
  Collector collect(graph, *provider.node->module, diags);
  // `for_each` was evaluated when the configuration was loaded.
  if (provider.schema != nullptr) {
    collect.Body(provider.schema->provider_config().block, provider.block->body,
                 config::kProviderMetaNames, out);
  }
  return out;
}

}  // namespace kinu::engine
