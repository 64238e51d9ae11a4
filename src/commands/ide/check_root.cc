#include "ide/check_root.h"

#include <algorithm>

#include "base/files.h"
#include "compatibility/level.h"
#include "config/load.h"
#include "ide/remaining_files.h"
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

/// One check of a root: loads its configuration, and validates it.
class Check {
 public:
  Check(const RootCheck& root, const session::Workspace& workspace,
        const std::atomic<bool>& abandoned)
      : root_(root),
        workspace_(workspace),
        abandoned_(abandoned),
        surroundings_{.base_dir = root.directory,
                      .readable = functions::ReadableFiles::Below(root.readable)} {}

  /// What `validate` does. False if errors have kept it from looking at all blocks.
  bool Whole(const config::SourceFiles& files, Diagnostics& diags) const;
  /// What is certain although Whole() has stopped.
  void Remains(RemainingFiles& files, Diagnostics& diags) const;

 private:
  config::RawInputs Inputs(const config::SourceFiles& files, Diagnostics& diags) const {
    session::Workspace here = workspace_;  // which names files as the command does
    here.directory = ".";
    return session::GatherInputs(here, {}, diags, files);
  }

  session::Loaded Load(session::LoadIntent intent, const config::SourceFiles& files,
                       const config::RawInputs& inputs, Diagnostics& diags) const {
    return session::Load(workspace_,
                         {.intent = intent,
                          .inputs = &inputs,
                          .test_directory = std::string(config::kTestDirectory),
                          .directory = ".",
                          .files = &files,
                          .surroundings = surroundings_},
                         diags);
  }

  bool Validate(const session::Loaded& loaded, Diagnostics& diags) const;

  const RootCheck& root_;
  const session::Workspace& workspace_;
  const std::atomic<bool>& abandoned_;
  functions::Surroundings surroundings_;
};

bool Check::Whole(const config::SourceFiles& files, Diagnostics& diags) const {
  const config::RawInputs inputs = Inputs(files, diags);
  if (diags.has_errors()) {
    return false;
  }
  const session::Loaded loaded = Load(session::LoadIntent::kValidation, files, inputs, diags);
  return !diags.has_errors() && !abandoned_.load() && Validate(loaded, diags);
}

bool Check::Validate(const session::Loaded& loaded, Diagnostics& diags) const {
  const bool is_incomplete = loaded.config->is_incomplete;
  Diagnostics ignored;  // what the lock file lacks was reported before
  const auto providers = session::ProviderSet::Open(
      workspace_, is_incomplete ? ignored : diags, install::ProviderLocator::Processes::kForbidden);
  if (diags.has_errors() && !is_incomplete) {
    return false;
  }
  session::OfflineProviders offline(providers->source());
  return ide::Validate(loaded,
                       {.require_providers =
                            [&](const config::Config& config, Diagnostics& found) {
                              const size_t errors = found.error_count();
                              if (!is_incomplete) {
                                providers->RequirePlugins(
                                    config, found, session::ProviderSet::Packages::kOptional);
                              }
                              return found.error_count() == errors;
                            },
                        .request =
                            [&](const config::Config& config, engine::ProviderPool& pool) {
                              engine::Request request;
                              request.config = &config;
                              request.pool = &pool;
                              request.variables = &loaded.variables;
                              request.providers = &offline;
                              request.abandoned = &abandoned_;
                              request.missing_schemas = engine::MissingSchemas::kSkip;
                              request.options.workspace = workspace_.Name();
                              request.options.original_directory = workspace_.original_directory;
                              request.options.surroundings = surroundings_;
                              return request;
                            }},
                       diags);
}

bool HasIncompatible(const config::Config& config) {
  return std::ranges::any_of(config.modules,
                             [](const auto& module) { return module->incompatible; });
}

/// Adds what is wrong with the files of modules that are whole: others may mean something else.
void AddOfWholeModules(const Diagnostics& of_files, const RemainingFiles& files,
                       Diagnostics& diags) {
  for (const Diagnostic& problem : of_files) {
    const bool has_file = problem.subject.valid();
    if (has_file && !files.HasGaps(DirName(problem.subject.file->root().name()))) {
      diags.Add(problem);
    }
  }
}

void Check::Remains(RemainingFiles& files, Diagnostics& diags) const {
  // Without a block, errors appear in those that need it.
  constexpr int kMostLoads = 4;
  Diagnostics ignored;
  const config::RawInputs inputs = Inputs(files, ignored);
  for (int loads = 0; loads < kMostLoads && !abandoned_.load(); ++loads) {
    Diagnostics between_files;
    const session::Loaded loaded =
        Load(session::LoadIntent::kRemains, files, inputs, between_files);
    const Diagnostics& of_files = loaded.config->of_files;
    if (loads == 0) {
      diags.Append(files.syntax());
      AddOfWholeModules(of_files, files, diags);
    }
    if (files.is_lost() || HasIncompatible(*loaded.config)) {
      return;
    }
    if (!of_files.has_errors()) {
      diags.Append(std::move(between_files));
      (void)Validate(loaded, diags);
      return;
    }
    if (!files.LeaveOut(of_files)) {
      return;
    }
  }
}

/// Adds the problems that are not among the others yet.
void AddNew(Problems more, Problems& problems) {
  for (auto& [path, list] : more) {
    std::vector<Problem>& known = problems[path];
    const auto end = static_cast<std::ptrdiff_t>(known.size());
    for (Problem& problem : list) {
      if (std::find(known.begin(), known.begin() + end, problem) == known.begin() + end) {
        known.push_back(std::move(problem));
      }
    }
  }
  std::erase_if(problems, [](const auto& entry) { return entry.second.empty(); });
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
  RemainingFiles remaining(files, abandoned);
  const session::Workspace workspace = OpenRoot(check.directory, check.cli_config);
  const Check here(check, workspace, abandoned);
  Diagnostics diags;
  const bool is_whole = here.Whole(files, diags);
  Problems problems = ByFile(diags, check.directory);
  if (!is_whole && !abandoned.load()) {
    Diagnostics more;
    here.Remains(remaining, more);
    AddNew(ByFile(more, check.directory), problems);
  }
  files.Finish();
  return abandoned.load() ? std::nullopt : std::optional(std::move(problems));
}

}  // namespace kinu::ide
