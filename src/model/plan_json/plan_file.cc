#include "plan_json/plan_file.h"

#include <utility>

#include "base/address_space.h"
#include "base/loop_threads.h"
#include "compatibility/level.h"
#include "json/writer.h"
#include "plan/planned_configuration.h"
#include "plan_json/documents.h"

namespace kinu::view {

std::unique_ptr<PlanFileSchemas> PlanFileSchemas::Open(const plan::PlanFile& file) {
  auto text = file.Schemas();
  auto stored = text ? provider::StoredSchemas::Open(*std::move(text))
                     : std::unexpected(std::move(text).error());
  if (!stored) {
    return nullptr;
  }
  auto schemas = std::make_unique<PlanFileSchemas>();
  schemas->stored_ = *std::move(stored);
  return schemas;
}

std::unique_ptr<PlanFileSchemas> PlanFileSchemas::BuiltIn() {
  auto schemas = std::make_unique<PlanFileSchemas>();
  schemas->stored_ = std::make_shared<const provider::StoredSchemas>();
  return schemas;
}

plan::SchemaLookup LookupFor(const SchemaLookup& schemas, const Program& program) {
  return [&schemas, &program](Symbol provider, const ResourceName& name) {
    return schemas.FindResource(program.Text(provider), name.mode, program.Text(name.type));
  };
}

std::string Explained(const Error& error, std::string_view advice) {
  return error.code == ErrorCode::kNotFound ? error.message + std::string(advice) : error.message;
}

namespace {

/// The configuration of the plan; null, with one error, if it has errors.
std::shared_ptr<const config::Config> ConfigurationOf(const plan::PlanFile& file,
                                                      const config::SourceSnapshot& sources,
                                                      const std::shared_ptr<Program>& program,
                                                      Diagnostics& diags) {
  const auto variables = file.Variables();
  const auto workspace = file.Workspace();
  if (!variables || !workspace) {
    diags
        .Error("Failed to read plan from plan file",
               variables ? workspace.error().message : variables.error().message)
        .kind = DiagnosticKind::kUnreadablePlan;
    return nullptr;
  }
  Diagnostics problems;
  auto config = plan::LoadPlanned(sources, *variables, *workspace, program, problems);
  if (!problems.has_errors()) {
    return config;
  }
  std::string list;
  for (const Diagnostic& problem : problems) {
    if (problem.is_error()) {
      list += (list.empty() ? "" : "; ") + problem.summary;
    }
  }
  diags.Error("Failed to read configuration from plan file", std::move(list)).kind =
      DiagnosticKind::kUnreadablePlan;
  return nullptr;
}

}  // namespace

std::shared_ptr<const PlanFileContent> ReadPlanFileContent(const plan::PlanFile& file,
                                                           const SchemaLookup& schemas,
                                                           std::string_view advice,
                                                           Diagnostics& diags) {
  if (auto version = file.CheckVersion(); !version) {
    diags.Error("Failed to read plan file", version.error().message).kind =
        DiagnosticKind::kUnreadablePlan;
    return nullptr;
  }
  const auto program = std::make_shared<Program>();
  const auto sources = file.Configuration();
  auto plan = Result<plan::Plan>();
  std::shared_ptr<const config::Config> config;
  Diagnostics problems;
  const auto read = [&] {
    const plan::SchemaLookup lookup = LookupFor(schemas, *program);
    plan = sources ? file.ReadWithoutSources(program, lookup) : file.Read(program, lookup);
  };
  const auto load = [&] {
    if (sources) {
      config = ConfigurationOf(file, *sources, program, problems);
    }
  };
  constexpr size_t kLarge = size_t{256} << 10;
  if (file.size() < kLarge) {
    read();
    load();
  } else {
    RunTogether(read, load);
  }
  if (!plan) {
    diags.Error("Failed to read plan from plan file", Explained(plan.error(), advice)).kind =
        DiagnosticKind::kUnreadablePlan;
    return nullptr;
  }
  diags.Append(std::move(problems));
  if (config == nullptr) {
    return nullptr;
  }
  return std::make_shared<const PlanFileContent>(*std::move(plan), std::move(config), file.size());
}

void AddUnwritten(std::string summary, const Error& error, Diagnostics& diags) {
  diags.Error(std::move(summary), error.message).extra = std::make_shared<UnwrittenDocument>();
}

std::optional<std::string> PlanFileDocument(const PlanFileContent& content,
                                            const SchemaLookup& schemas,
                                            const PlanFileDocumentOptions& options,
                                            Diagnostics& diags) {
  constexpr size_t kMostGrowth = 16;  // of the compressed file
  std::string document;
  ReserveAddressSpace(document, kMostGrowth * content.file_size);
  JsonWriter out(document);
  const auto written = WritePlan(out, content.plan, content.config.get(), schemas,
                                 {.version = compatibility::FullRelease(),
                                  .positions = options.positions,
                                  .parts = options.parts});
  if (!written) {
    AddUnwritten("Failed to marshal plan to json", written.error(), diags);
    return std::nullopt;
  }
  document += '\n';
  return document;
}

}  // namespace kinu::view
