#include "operation/saved_plan.h"

#include "base/files.h"
#include "base/program_name.h"
#include "compatibility/level.h"
#include "json/syntax_problem.h"
#include "operation/plan_schemas.h"

namespace kinu::operation {

void AddPlanFileParts(const Operation& operation, plan::Plan& plan) {
  plan.configuration = config::TakeSnapshot(*operation.loaded.config);
  auto lock = ReadFile(std::string(install::kLockFileName));
  plan.lock_file = lock ? *lock : install::LockFile().ToText();
  plan.schemas = SchemasForPlanFile(*operation.providers, *operation.loaded.config, plan);
}

namespace {

/// Gives the variables the values of the plan. Ephemeral ones are not in it and must be given
/// again; others may be, if they are the same. Ref: opentofu internal/tofu/context_apply.go
/// mergePlanAndApplyVariables.
void TakePlannedValues(const plan::Plan& plan, session::Loaded& loaded, Diagnostics& diags) {
  for (const plan::PlanVariable& variable : plan.variables) {
    if (variable.ephemeral) {
      continue;
    }
    auto given = loaded.variables.find(variable.name);
    if (given != loaded.variables.end() && given->second.value &&
        !Value::RawEquals(given->second.value->UnmarkDeep(), variable.value.UnmarkDeep())) {
      diags.Error("Mismatch between input and plan variable value",
                  "Value saved in the plan file for variable \"" + variable.name +
                      "\" is different from the one given to the current command.");
    }
    loaded.variables[variable.name] = {
        .value = variable.value, .source = config::InputSource::kPlan, .range = {}};
  }
}

/// Reports the ephemeral variables of the plan that have no value now.
void RequireEphemeralVariables(const plan::Plan& plan, const session::Loaded& loaded,
                               Diagnostics& diags) {
  FlatSet<std::string> ephemeral;
  for (const plan::PlanVariable& variable : plan.variables) {
    if (variable.ephemeral) {
      ephemeral.insert(variable.name);
    }
  }
  for (const config::Variable& variable : loaded.config->root().module->variables) {
    const std::string name(loaded.program->Text(variable.name));
    if (!variable.default_value && ephemeral.contains(name) && !loaded.variables.contains(name)) {
      diags.Error("No value for required variable",
                  "Variable \"" + name +
                      Hint("\" is configured as ephemeral. This type of variables need to be given "
                           "a value during `tofu plan` and also during `tofu apply`."),
                  variable.range);
    }
  }
}

/// Whether the state is the one that the plan was made on. A state without a lineage is only known
/// by its serial number.
void RequireSameState(const plan::Plan& plan, const state::State& state, Diagnostics& diags) {
  const state::State& planned = plan.prior_state;
  if (!planned.lineage.empty() && planned.lineage != state.lineage) {
    diags.Error("Saved plan does not match the given state",
                "The given plan file can not be applied because it was created from a different "
                "state lineage.");
  } else if (planned.serial != state.serial) {
    diags.Error("Saved plan is stale",
                "The given plan file can no longer be applied because the state was changed by "
                "another operation after the plan was created.");
  }
}

/// Whether an action works by what the configuration says.
bool NeedsBlock(plan::Action action) {
  return action == plan::Action::kCreate || action == plan::Action::kRead ||
         action == plan::Action::kUpdate || action == plan::Action::kDeleteThenCreate ||
         action == plan::Action::kCreateThenDelete || action == plan::Action::kForgetThenCreate;
}

/// Whether a configuration that the plan does not vouch for can be the one that it was made of: it
/// is valid, and has a block for each change that needs one.
bool FitsConfiguration(const plan::Plan& plan, const Operation& operation, Diagnostics& diags) {
  const config::Config& config = *operation.loaded.config;
  Program& program = *operation.loaded.program;
  for (const plan::ResourceChange& change : plan.changes) {
    if (!NeedsBlock(change.action) || !change.deposed.empty()) {
      continue;
    }
    const config::ConfigNode* node = config.Find(program.ModuleOf(change.address.resource.module));
    if (node == nullptr || node->module->FindResource(change.address.resource.resource) < 0) {
      diags.Error("Failed to read plan from plan file",
                  "the plan file is damaged: it changes " + program.ToText(change.address) +
                      ", and its configuration has no such block");
      return false;
    }
  }
  Diagnostics found;
  engine::Validate(operation.input, found);
  if (found.has_errors()) {
    diags.Append(std::move(found));
    return false;
  }
  return true;
}

}  // namespace

bool IsUnusablePlan(const Error& error) {
  return error.code == ErrorCode::kUnsupported || IsDamagedPlan(error);
}

bool IsDamagedPlan(const Error& error) {
  return error.code == ErrorCode::kDamaged;
}

std::string NoPlanText(const std::string& path, const Error& error) {
  const Result<std::string> text = ReadFile(path);
  if (!text) {
    return "stat " + path + ": no such file or directory";
  }
  // Why it is no JSON document that names a run, either. Ref: cloudplan.LoadSavedPlanBookmark.
  std::string other = json::SyntaxProblem(*text);
  if (other.empty()) {
    other = "invalid remote plan format, must be 1";
  }
  return "couldn't load the provided path as either a local plan file (" + error.message +
         ") or a saved cloud plan (" + other + ")";
}

bool SettleVariables(const plan::Plan& plan, session::Loaded& loaded, Diagnostics& diags) {
  Diagnostics found;
  TakePlannedValues(plan, loaded, found);
  RequireEphemeralVariables(plan, loaded, found);
  const bool settled = !found.has_errors();
  diags.Append(std::move(found));
  return settled;
}

namespace {

/// Opens a plan file that can be used. What is wrong with it is in `diags`.
std::optional<plan::PlanFile> OpenPlanFile(const std::string& path, const Operation& operation,
                                           SavedPlanUse use, Diagnostics& diags) {
  auto file = plan::PlanFile::Open(path, *operation.encryption->plan());
  if (!file && IsDamagedPlan(file.error())) {
    diags.Error("Failed to read plan from plan file", file.error().message);
    return std::nullopt;
  }
  if (!file) {
    diags.Error("Failed to load \"" + path + "\" as a plan file",
                "Error: " + (IsUnusablePlan(file.error()) ? file.error().message
                                                          : NoPlanText(path, file.error())));
    return std::nullopt;
  }
  const auto level = file->CheckVersion();
  if (!level) {
    diags.Error("Failed to read plan from plan file", level.error().message);
    return std::nullopt;
  }
  compatibility::Choose(*level);
  // What is wrong with the file must be known before anything is changed.
  if (auto whole = use == SavedPlanUse::kApply ? file->Verify() : Result<void>(); !whole) {
    diags.Error("Failed to read plan from plan file", whole.error().message);
    return std::nullopt;
  }
  return *std::move(file);
}

/// OpenSavedPlan(), which may leave the lock behind after an error.
bool ReadSavedPlan(const PlanRequest& request, const std::string& path, Operation& operation,
                   plan::Plan& plan, view::Audience& audience, Diagnostics& diags,
                   SavedPlanUse use) {
  const session::Workspace& workspace = operation.workspace;
  const bool applies = use == SavedPlanUse::kApply;
  auto file = OpenPlanFile(path, operation, use, diags);
  if (!file) {
    return false;
  }
  auto snapshot = file->Configuration();
  if (!snapshot) {
    diags.Error("Invalid plan file",
                "The configuration in it cannot be read: " + snapshot.error().message + ".");
    return false;
  }
  // The saved configuration is what counts, whatever the files say by now.
  auto variables = file->Variables();
  if (!variables) {
    diags.Error("Failed to read plan from plan file", variables.error().message);
    return false;
  }
  operation.loaded.program = std::make_shared<Program>();
  Diagnostics of_configuration;
  operation.loaded.config = session::LoadPlanned(workspace, *snapshot, *variables, workspace.Name(),
                                                 operation.loaded.program, of_configuration);
  const bool opened = operation.OpenProviders(diags);
  operation.providers->Decrypt(operation.encryption);
  if (!opened ||
      !operation.providers->RequirePackages(session::ProviderSet::Missing::kList, diags)) {
    return false;
  }
  auto read = file->Read(operation.loaded.program,
                         operation.providers->PlanSchemas(*operation.loaded.program));
  if (!read) {
    diags.Error("Failed to read plan from plan file", read.error().message);
    return false;
  }
  plan = std::move(*read);
  operation.backend = session::PlannedBackend(workspace, plan.backend, request.state_flags, diags);
  if (!operation.backend) {
    return false;
  }
  operation.backend->Prepare(workspace, operation.encryption);
  if (applies) {
    session::WarnOfOverrides(workspace, false, diags);
    audience.Show(diags);
  }
  diags.Append(std::move(of_configuration));
  session::Loaded& loaded = operation.loaded;
  if (applies) {
    loaded.inputs = session::GatherInputs(workspace, request.variables, diags);
  }
  if (diags.has_errors() || !operation.OpenState(request, loaded.program, audience, diags)) {
    return false;
  }
  if (applies) {
    loaded.variables = config::CollectGivenVariables(*loaded.program, *loaded.config->root().module,
                                                     loaded.inputs, diags);
  }
  operation.providers->RequireSelected(*loaded.config, diags);
  operation.providers->RequireSame(file->LockFile(), workspace, diags);
  RequireSameState(plan, operation.prior, diags);
  if (diags.has_errors()) {
    return false;
  }
  if (plan.errored && applies) {
    diags.Error(
        "Cannot apply incomplete plan",
        "OpenTofu encountered an error when generating this plan, so it cannot be applied.");
    return false;
  }
  if (!applies) {
    TakePlannedValues(plan, loaded, diags);
  }
  engine::Options options;
  options.mode = plan.mode;
  options.refresh_changed = plan.refresh_changed;
  options.parallelism = std::max(1, request.options.parallelism);
  options.show_sensitive = request.options.show_sensitive;
  options.plan_timestamp = plan.timestamp;
  operation.FillInput(std::move(options), plan.prior_state, audience);
  return !applies || file->knows_sources() || FitsConfiguration(plan, operation, diags);
}

}  // namespace

bool OpenSavedPlan(const PlanRequest& request, const std::string& path, Operation& operation,
                   plan::Plan& plan, view::Audience& audience, Diagnostics& diags,
                   SavedPlanUse use) {
  const bool opened = ReadSavedPlan(request, path, operation, plan, audience, diags, use);
  if (!opened) {
    operation.GiveUp();
  }
  return opened;
}

}  // namespace kinu::operation
