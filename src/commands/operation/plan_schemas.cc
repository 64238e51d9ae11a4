#include "operation/plan_schemas.h"

#include <map>

#include "base/program_name.h"
#include "provider/stored_schemas.h"

namespace kinu::operation {
namespace {

/// The types that a plan names, by the address of their provider.
class TypeCollector {
 public:
  void Add(const Program& program, Symbol provider, const ResourceName& name) {
    // Blocks of one type usually follow each other.
    if (last_.program == &program && last_.provider == provider && last_.mode == name.mode &&
        last_.type == name.type) {
      return;
    }
    last_ = {&program, provider, name.mode, name.type};
    provider::NamedTypes& types = providers[std::string(program.Text(provider))];
    switch (name.mode) {
      case ResourceMode::kManaged:
        types.resources.emplace(program.Text(name.type));
        break;
      case ResourceMode::kData:
        types.data.emplace(program.Text(name.type));
        break;
      case ResourceMode::kEphemeral:
        types.ephemeral.emplace(program.Text(name.type));
        break;
    }
  }
  void Add(const state::State& state) {
    for (const auto& resource : state.resources) {
      Add(*state.program, resource->provider.provider, resource->address.resource);
    }
  }
  void Add(const Program& program, const plan::BoxList<plan::ResourceChange>& changes) {
    for (const plan::ResourceChange& change : changes) {
      Add(program, change.provider.provider, change.address.resource.resource);
    }
  }
  void Add(const config::Config& config) {
    const Program& program = *config.program;
    for (const auto& node : config.nodes) {
      for (const config::Resource& resource : node->module->resources) {
        Add(program, resource.provider, resource.name);
      }
      for (const config::ProviderBlock& block : node->module->providers) {
        providers.try_emplace(
            std::string(program.Text(config.ProviderAddress(*node->module, block.local_name))));
      }
    }
  }

  std::map<std::string, provider::NamedTypes> providers;

 private:
  /// What was added last.
  struct Last {
    const Program* program = nullptr;
    Symbol provider;
    ResourceMode mode = ResourceMode::kManaged;
    Symbol type;
  };
  Last last_;
};

}  // namespace

std::unique_ptr<PlanSchemas> PlanSchemas::Open(const session::Workspace& workspace,
                                               const plan::PlanFile& file, Diagnostics& diags) {
  auto out = std::make_unique<PlanSchemas>();
  out->stored_ = view::PlanFileSchemas::Open(file);
  if (out->stored_ != nullptr) {
    return out;
  }
  out->providers_ = session::ProviderSet::Open(workspace, diags);
  return out->providers_->RequirePackages(session::ProviderSet::Missing::kList, diags)
             ? std::move(out)
             : nullptr;
}

const schema::ProviderSchema* PlanSchemas::Find(std::string_view provider) const {
  if (stored_ != nullptr) {
    return stored_->Find(provider);
  }
  const auto schema = providers_->source().Schema(provider);
  return schema ? *schema : nullptr;
}

std::string PlanSchemas::advice() const {
  return stored_ != nullptr
             ? ""
             : Hint(
                   "\n\nThe plan file has no schemas of its providers, so that it can be read only "
                   "where they are installed: run \"tofu init\" in a directory with the plan's "
                   "configuration and read the plan there. Plan files that kinu writes have "
                   "schemas.");
}

std::optional<PlanReading> ReadPlanContent(const session::Workspace& workspace,
                                           const plan::PlanFile& file, Diagnostics& diags) {
  PlanReading out{.schemas = PlanSchemas::Open(workspace, file, diags), .content = nullptr};
  if (out.schemas == nullptr) {
    return std::nullopt;
  }
  out.content = view::ReadPlanFileContent(file, *out.schemas, out.schemas->advice(), diags);
  if (out.content == nullptr) {
    return std::nullopt;
  }
  workspace.kept->Add(out.content);
  return out;
}

std::string SchemasForPlanFile(session::ProviderSet& providers, const config::Config& config,
                               const plan::Plan& plan) {
  TypeCollector types;
  types.Add(config);
  types.Add(*plan.program, plan.changes);
  types.Add(*plan.program, plan.drift);
  types.Add(plan.prior_state);
  std::string out;
  for (const auto& [address, names] : types.providers) {
    // All of these were needed for planning; one that has no schema by now is not stored.
    if (const auto schema = providers.source().Schema(address)) {
      provider::AppendStoredSchema(out, address, **schema, names);
    }
  }
  return out;
}

}  // namespace kinu::operation
