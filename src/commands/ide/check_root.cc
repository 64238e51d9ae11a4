#include "ide/check_root.h"

#include "base/files.h"
#include "compatibility/level.h"
#include "config/load.h"
#include "ide/validation.h"
#include "plan_json/snippet.h"
#include "session/load.h"
#include "session/offline_providers.h"
#include "session/provider_set.h"

namespace kinu::ide {
namespace {

/// The bytes are those that `validate -json` gives.
Problem MakeProblem(const Diagnostic& diagnostic, const std::optional<view::Place>& place) {
  Problem problem{.severity = diagnostic.severity,
                  .summary = diagnostic.summary,
                  .detail = diagnostic.detail,
                  .is_deprecation = diagnostic.tag == DiagnosticTag::kDeprecation};
  if (place) {
    problem.span = {place->start.byte, place->end.byte};
  }
  return problem;
}

Problems ByFile(const Diagnostics& diags, const std::string& directory) {
  Problems problems;
  for (const Diagnostic& diagnostic : diags) {
    const std::optional<view::Place> place = view::PlaceWithoutSnippet(diagnostic);
    const bool has_file = place && !place->file.empty();
    problems[has_file ? PathIn(directory, std::string(place->file)) : directory].push_back(
        MakeProblem(diagnostic, place));
  }
  return problems;
}

void LoadAndValidate(const RootCheck& check, NamedFiles& files, const session::Workspace& workspace,
                     const std::atomic<bool>& abandoned, Diagnostics& diags) {
  const functions::Surroundings surroundings{
      .base_dir = check.directory, .readable = functions::ReadableFiles::Below(check.readable)};
  session::Workspace here = workspace;  // which names files as the command does
  here.directory = ".";
  const config::RawInputs inputs = session::GatherInputs(here, {}, diags, files);
  if (diags.has_errors()) {
    return;
  }
  const session::Loaded loaded =
      session::Load(workspace,
                    {.intent = session::LoadIntent::kValidation,
                     .inputs = &inputs,
                     .test_directory = std::string(config::kTestDirectory),
                     .directory = ".",
                     .files = &files,
                     .surroundings = surroundings},
                    diags);
  files.Finish();
  if (diags.has_errors() || abandoned.load()) {
    return;
  }
  const auto providers =
      session::ProviderSet::Open(workspace, diags, install::ProviderLocator::Processes::kForbidden);
  if (diags.has_errors()) {
    return;
  }
  session::OfflineProviders offline(providers->source());
  Validate(loaded,
           {.require_providers =
                [&](const config::Config& config, Diagnostics& found) {
                  const size_t errors = found.error_count();
                  providers->RequirePlugins(config, found,
                                            session::ProviderSet::Packages::kOptional);
                  return found.error_count() == errors;
                },
            .request =
                [&](const config::Config& config, engine::ProviderPool& pool) {
                  engine::Request request;
                  request.config = &config;
                  request.pool = &pool;
                  request.variables = &loaded.variables;
                  request.providers = &offline;
                  request.abandoned = &abandoned;
                  request.missing_schemas = engine::MissingSchemas::kSkip;
                  request.options.workspace = workspace.Name();
                  request.options.original_directory = workspace.original_directory;
                  request.options.surroundings = surroundings;
                  return request;
                }},
           diags);
}

}  // namespace

session::Workspace OpenRoot(const std::string& directory, const install::CliConfig& cli_config) {
  session::Workspace workspace;
  workspace.directory = directory;
  workspace.original_directory = directory;
  workspace.data_directory = PathIn(directory, session::DataDirectory());
  workspace.cli_config = cli_config;
  return workspace;
}

std::string PathIn(const std::string& directory, const std::string& name) {
  return name.starts_with('/') ? CleanPath(name) : JoinPath(directory, name);
}

std::optional<Problems> CheckRoot(const RootCheck& check, const std::atomic<bool>& abandoned) {
  const compatibility::OwnLevel level;  // which the configuration chooses
  const config::RootedFiles rooted(check.files, check.directory);
  NamedFiles files(rooted, check.trees, check.directory);
  const session::Workspace workspace = OpenRoot(check.directory, check.cli_config);
  Diagnostics diags;
  LoadAndValidate(check, files, workspace, abandoned, diags);
  if (abandoned.load()) {
    return std::nullopt;
  }
  return ByFile(diags, check.directory);
}

}  // namespace kinu::ide
