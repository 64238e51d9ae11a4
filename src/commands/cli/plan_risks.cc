#include "cli/plan_risks.h"

#include <utility>

#include "cli/plan_document.h"
#include "cli/rule_files.h"
#include "config/decode.h"
#include "operation/plan_schemas.h"
#include "plan_json/documents.h"
#include "plan_json/plan_file.h"

namespace kinu::cli {
namespace {

/// What the block of an object says about its destruction.
risks::Prevention PreventionOf(const AbsResource& object, const Program& program,
                               const config::Config& config) {
  const config::ConfigNode* node = config.Find(program.ModuleOf(object.module));
  const int at = node == nullptr ? -1 : node->module->FindResource(object.resource);
  if (at < 0) {
    return risks::Prevention::kNoBlock;
  }
  const hcl::Expr* expr = node->module->resources[static_cast<size_t>(at)].prevent_destroy;
  if (expr == nullptr) {
    return risks::Prevention::kAbsent;
  }
  Diagnostics not_constant;
  const auto flag =
      config::ConvertToKnown(config::EvaluateConstant(*expr, not_constant), Type::Bool());
  return !not_constant.has_errors() && flag && !flag->AsBool() ? risks::Prevention::kOff
                                                               : risks::Prevention::kDecides;
}

/// Says how the provider of an object differs from the one that wrote the state.
void AddProvider(const plan::Plan& plan, const plan::ResourceChange& change,
                 const view::SchemaLookup& schemas, risks::ObjectFacts& facts) {
  const ResourceInstance& address = change.previous_address;
  const state::Resource* stored = plan.previous_state.Find(address.resource);
  const state::Instance* instance = stored == nullptr ? nullptr : stored->Find(address.key);
  if (instance == nullptr || instance->current == nullptr) {
    return;
  }
  const Program& program = *plan.program;
  const std::string_view provider = view::ProviderName(program, change.provider);
  if (const std::string_view earlier = view::ProviderName(program, stored->provider);
      earlier != provider) {
    facts.earlier_provider = earlier;
    return;
  }
  const ResourceName& name = address.resource.resource;
  const schema::ResourceSchema* schema =
      schemas.FindResource(provider, name.mode, program.Text(name.type));
  if (schema != nullptr && std::cmp_not_equal(schema->version, instance->current->schema_version)) {
    facts.schema_versions = {instance->current->schema_version,
                             static_cast<uint64_t>(schema->version)};
  }
}

std::optional<risks::Report> FindRisksIn(const json::Node& document, const risks::Facts& facts,
                                         const risks::Rules& rules, Diagnostics& diags) {
  auto report = risks::ReadRisks(document, facts, rules.limits());
  if (!report) {
    diags.Error("Failed to read document", report.error().message + ".");
    return std::nullopt;
  }
  rules.Apply(*report);
  risks::Collect(*report);
  return *std::move(report);
}

}  // namespace

std::shared_ptr<const risks::Rules> ReadRiskRules(const Flags& flags, Diagnostics& diags) {
  if (!flags.IsSet("risks")) {
    return nullptr;
  }
  const std::string& file = flags.String("risks");
  auto rules = std::make_shared<risks::Rules>();
  ReadRuleFiles(
      file.empty() ? std::vector<std::string>() : std::vector<std::string>{file}, "kinurisks",
      "Failed to read rules of risks",
      [&](const std::string& name, std::string text) { rules->Add(name, std::move(text), diags); },
      diags);
  return rules;
}

risks::Facts FactsOf(const plan::Plan& plan, const config::Config& config,
                     const view::SchemaLookup& schemas) {
  risks::Facts facts;
  for (const plan::ResourceChange& change : plan.changes) {
    if (change.address.resource.resource.mode == ResourceMode::kManaged) {
      risks::ObjectFacts of{.prevention =
                                PreventionOf(change.address.resource, *plan.program, config)};
      AddProvider(plan, change, schemas, of);
      facts.objects.emplace(plan.program->ToText(change.address), std::move(of));
    }
  }
  const config::Module& root = *config.root().module;
  for (const plan::OutputChange& output : plan.outputs) {
    const int at = root.FindOutput(config.program->Intern(output.name));
    const bool stays = !output.before.IsNull() && output.action != plan::Action::kDelete;
    if (stays && output.sensitive && at >= 0 && !root.outputs[static_cast<size_t>(at)].sensitive) {
      facts.revealed_outputs.push_back(output.name);
    }
  }
  return facts;
}

std::optional<risks::Report> RisksOfPlan(const plan::Plan& plan, const config::Config& config,
                                         const view::SchemaLookup& schemas,
                                         const risks::Rules& rules, Diagnostics& diags) {
  auto text = DocumentOfChanges(plan, &config, schemas, diags);
  if (!text) {
    return std::nullopt;
  }
  const auto document = json::Document::Parse(*std::move(text));
  if (!document) {
    diags.Error("Failed to read document", document.error().message + ".");
    return std::nullopt;
  }
  return FindRisksIn((*document)->root(), FactsOf(plan, config, schemas), rules, diags);
}

std::optional<risks::Report> RisksOfPlanFile(const session::Workspace& workspace,
                                             const plan::PlanFile& file, const risks::Rules& rules,
                                             Diagnostics& diags) {
  const auto read = operation::ReadPlanContent(workspace, file, diags);
  if (!read) {
    return std::nullopt;
  }
  return RisksOfPlan(read->content->plan, *read->content->config, *read->schemas, rules, diags);
}

std::optional<risks::Report> RisksOfDocument(const json::Node& document, const risks::Rules& rules,
                                             Diagnostics& diags) {
  return FindRisksIn(document, {}, rules, diags);
}

view::SummaryRisks RisksForSummary(const risks::Report& report) {
  view::SummaryRisks out{.headline = risks::Headline(report)};
  for (const risks::Risk& risk : report.risks) {
    if (risk.ignored.empty()) {
      out.risks.push_back({.rule = std::string(risk.rule),
                           .severity = std::string(risks::SeverityName(risk.severity)),
                           .objects = risks::Addresses(risk),
                           .addresses = risk.addresses,
                           .reason = risk.reason});
    }
  }
  return out;
}

}  // namespace kinu::cli
