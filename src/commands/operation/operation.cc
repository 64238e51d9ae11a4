#include "operation/operation.h"

#include <ctime>
#include <utility>

#include "base/program_name.h"
#include "compatibility/level.h"
#include "operation/status_phase.h"
#include "operation/variable_prompt.h"
#include "session/offline_backend.h"
#include "terminal/interrupts.h"
#include "trace/trace.h"

namespace kinu::operation {
namespace {

void CollectInputs(const PlanRequest& request, const view::Audience& audience,
                   session::Loaded& loaded, Diagnostics& diags) {
  std::optional<trace::Span> span;
  if (request.input) {
    span.emplace("kinu/operation", "Gather input");
  }
  CollectValues(request.style, loaded, request.input && !audience.json_only(), diags);
}

}  // namespace

std::string Timestamp() {
  std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

std::string_view LockReason(OperationKind kind) {
  switch (kind) {
    case OperationKind::kPlan:
      return "OperationTypePlan";
    case OperationKind::kApply:
      return "OperationTypeApply";
    case OperationKind::kRefresh:
      return "OperationTypeRefresh";
    case OperationKind::kImport:
    case OperationKind::kConsole:
      break;
  }
  return "OperationTypeInvalid";
}

engine::Request MakeRequest(const session::Workspace& workspace, const config::Config& config,
                            const std::map<std::string, config::InputValue>& variables,
                            session::ProviderSet& providers, engine::ProviderPool& pool,
                            engine::Options options) {
  engine::Request request;
  request.config = &config;
  request.variables = &variables;
  request.providers = &providers.source();
  request.pool = &pool;
  request.options = std::move(options);
  if (request.options.refresh_changed) {
    request.provider_version = [&locks = providers.locks()](std::string_view address) {
      const install::ProviderLock* lock = locks.Find(address);
      return lock == nullptr ? std::string() : lock->version.ToText();
    };
  }
  request.options.workspace = workspace.Name();
  request.options.original_directory = workspace.original_directory;
  return request;
}

bool Operation::Open(const PlanRequest& request, view::Audience& audience, Diagnostics& diags) {
  const bool begun = Begin(request, audience, diags);
  if (!begun) {
    GiveUp();
  }
  return begun;
}

bool Operation::Begin(const PlanRequest& request, view::Audience& audience, Diagnostics& diags) {
  if (loaded.config == nullptr) {
    LoadFor(request, QuestionsOf(request, audience));
  }
  // Of the root module alone; shown again with all others. An import has those of all modules, too.
  Diagnostics early_warnings;
  if (request.kind == OperationKind::kImport) {
    early_warnings = std::exchange(diags, {});
  }
  if (request.kind != OperationKind::kApply) {
    (void)CheckRoot(early_warnings);
  }
  const bool prepared = CheckModules(
      [&](Diagnostics& found) { return Prepare(request, early_warnings, audience, found); }, diags);
  if (!prepared) {
    return false;
  }
  if (!offline) {
    providers->RequireSelected(*loaded.config, diags);
  }
  CollectInputs(request, audience, loaded, diags);
  if (diags.has_errors()) {
    return false;
  }
  if (request.options.parallelism < 0) {
    diags.Error("Invalid parallelism value", "The parallelism must be a positive value. Not " +
                                                 std::to_string(request.options.parallelism) + ".");
    return false;
  }
  if (request.again) {
    KeepForAgain();
  }
  return MakeReady(request, audience, diags);
}

session::AskVariable QuestionsOf(const PlanRequest& request, const view::Audience& audience) {
  const bool asks = request.input && request.kind != OperationKind::kApply && !audience.json_only();
  return asks ? VariableQuestions(request.style) : session::AskVariable();
}

void Operation::LoadFor(const PlanRequest& request, session::AskVariable ask) {
  LoadModules({.intent = session::LoadIntent::kOperation,
               .variables = request.variables,
               .ask = std::move(ask),
               .program = request.program,
               .files = request.files});
}

void Operation::Fill(const PlanRequest& request, view::Audience& audience) {
  engine::Options options = request.options;
  if (options.parallelism == 0) {
    options.parallelism = engine::Options().parallelism;
  }
  options.mode = request.mode;
  options.plan_timestamp = Timestamp();
  FillInput(std::move(options), prior, audience);
}

bool Operation::MakeReady(const PlanRequest& request, view::Audience& audience,
                          Diagnostics& diags) {
  session::AdoptProviders(*loaded.config, prior);
  Fill(request, audience);
  return RequireProviders(request, diags);
}

bool Operation::RequireProviders(const PlanRequest& request, Diagnostics& diags) {
  if (offline) {
    return offline->Require(*loaded.config, prior, diags);
  }
  const bool applies =
      request.kind == OperationKind::kApply || request.kind == OperationKind::kRefresh;
  Diagnostics missing;
  if (!providers->RequireForState(prior, missing)) {
    if (!applies) {
      lacks_stored_provider = true;  // a plan may not need it, and says so if it does
      return true;
    }
    engine::Validate(input, diags);
    lacks_stored_provider = !diags.has_errors();
    if (lacks_stored_provider) {
      diags.Append(std::move(missing));
    }
    return false;
  }
  if (applies) {
    providers->LoadSchemas(*loaded.config, nullptr, session::ProviderSet::Provisioners::kValidated,
                           diags);
  }
  return !diags.has_errors();
}

bool Operation::RequireStoredProviders(const plan::Plan& plan, Diagnostics& diags) const {
  if (!lacks_stored_provider || plan.rejected) {
    return true;
  }
  const bool complete = providers->RequireForState(plan.prior_state, diags);
  return providers->RequireForState(prior, diags) && complete;
}

void Operation::FillInput(engine::Options options, const state::State& prior_state,
                          view::Audience& audience) {
  input = MakeRequest(workspace, *loaded.config, loaded.variables, *providers, pool,
                      std::move(options));
  input.prior_state = &prior_state;
  if (offline) {
    offline->Answer(input);
  }
  input.stop = &terminal::StopRequested();
  input.events = audience.Sink(*loaded.program);
  status = audience.status();
}

/// Takes away the warnings of a configuration that the reference has not loaded yet.
static void LeaveErrors(Diagnostics& diags) {
  std::erase_if(diags.list(), [](const Diagnostic& problem) { return !problem.is_error(); });
}

bool Operation::Prepare(const PlanRequest& request, Diagnostics& early_warnings,
                        view::Audience& audience, Diagnostics& diags) {
  Diagnostics found;  // with what the encryption warns of
  if (!PrepareBackend(request, early_warnings, found)) {
    LeaveErrors(diags);
    early_warnings.Append(std::move(diags));
    early_warnings.Append(std::move(found));
    diags = std::move(early_warnings);
    return false;
  }
  diags.Append(std::move(found));
  if (request.kind == OperationKind::kApply) {
    session::WarnOfOverrides(workspace, false, early_warnings);
  }
  Diagnostics again;
  if (request.kind == OperationKind::kImport) {
    again = early_warnings;
  }
  audience.Show(early_warnings);
  const bool opened = (!request.precondition || request.precondition(diags)) &&
                      OpenState(request, root().program, audience, diags);
  if (!opened) {
    LeaveErrors(diags);
  }
  again.Append(std::move(diags));
  diags = std::move(again);
  return opened;
}

bool Operation::PrepareBackend(const PlanRequest& request, Diagnostics& early_warnings,
                               Diagnostics& diags) {
  if (request.offline) {
    return PrepareOffline(request, diags);
  }
  Diagnostics of_backend;
  const bool applies = request.kind == OperationKind::kApply;
  const auto beside_errors =
      applies ? session::BackendWarnings::kLeftOut : session::BackendWarnings::kBesideErrors;
  if (!OpenBackend(request.state_flags, of_backend, beside_errors)) {
    (applies ? diags : early_warnings).Append(std::move(of_backend));
    return false;
  }
  if (request.may_run_remotely && !RunsHere(request, diags)) {
    return false;
  }
  if (!applies) {  // which has no warnings about encryption
    early_warnings.Append(std::move(of_backend));
  }
  const bool opened = OpenProviders(diags);
  providers->Decrypt(backend->encryption);
  return opened;
}

bool Operation::PrepareOffline(const PlanRequest& request, Diagnostics& diags) {
  backend = session::ChooseOfflineBackend(workspace, root(), request.state_flags, diags);
  if (!backend) {
    return false;
  }
  providers =
      session::ProviderSet::Open(workspace, diags, install::ProviderLocator::Processes::kForbidden);
  offline = OfflinePlanning::Open(*providers, request.schemas, diags);
  return !diags.has_errors();
}

bool Operation::RunsHere(const PlanRequest& request, Diagnostics& diags) {
  const Result<bool> remotely = backend->backend->RunsRemotely(workspace.Name());
  if (remotely && !*remotely) {
    return true;
  }
  if (!remotely) {
    diags.Error(remotely.error().message, "");
    return false;
  }
  if (request.precondition && !request.precondition(diags)) {
    return false;
  }
  auto runs = backend->backend->Runs(workspace.Name());
  if (runs) {
    remote_runs = *std::move(runs);
  } else {
    diags.Error(runs.error().message, "");
  }
  return false;
}

bool Operation::FitsService(const PlanRequest& request, Diagnostics& diags) const {
  // An import runs here whatever the service runs, and its result has to suit it.
  return request.kind == OperationKind::kImport
             ? session::CheckServiceVersion(*backend, workspace.Name(), request.ignore_version,
                                            diags)
             : request.may_run_remotely ||
                   session::RequireLocalRuns(*backend, workspace.Name(), diags);
}

bool Operation::OpenState(const PlanRequest& request, const std::shared_ptr<Program>& program,
                          view::Audience& audience, Diagnostics& diags) {
  if (!FitsService(request, diags)) {
    return false;
  }
  auto opened = session::StateHandle::Open(*backend, workspace.Name(), program);
  if (!opened) {
    diags.Error("error loading state: " + opened.error().message, "");
    return false;
  }
  handle = *std::move(opened);
  if (request.lock) {
    state::LockRequest lock;
    lock.operation = LockReason(request.kind);
    lock.timeout = request.lock_timeout;
    lock.cancelled = [] { return terminal::StopRequested().load(); };
    lock.on_slow = [&] { audience.ReportSlowLock(); };
    if (!handle->Lock(lock, diags)) {
      return false;
    }
  }
  auto state = store().Read(program);
  if (!state) {
    diags.Error("error loading state: " + state.error().message, "");
    return false;
  }
  prior = std::move(*state);
  handle->WarnOfInterruptedRun(diags);
  return true;
}

void Operation::GiveUp() {
  handle.reset();
}

void Operation::Close(Diagnostics& diags) {
  pool.CloseAll();
  if (handle) {
    (void)handle->Unlock(diags);
  }
}

plan::Plan RunPlanning(Operation& operation, Diagnostics& diags) {
  operation.input.record.version = compatibility::FullRelease();
  operation.input.record.backend.type = operation.backend->type;
  operation.input.record.backend.config = operation.backend->settings;
  operation.input.record.backend.workspace = operation.input.options.workspace;
  const engine::Options& asked = operation.input.options;
  const bool refreshes = asked.refresh && !asked.refresh_changed;
  const StatusPhase phase(operation.status, "plan",
                          refreshes ? ObjectsToRefresh(operation.prior) : 0);
  return engine::MakePlan(operation.input, diags);
}

void CollectValues(const terminal::Style& style, session::Loaded& loaded, bool interactive,
                   Diagnostics& diags) {
  const config::Module& root = *loaded.config->root().module;
  const session::AskVariable ask = VariableQuestions(style);
  for (const config::Variable& variable : root.variables) {
    const std::string name(loaded.program->Text(variable.name));
    if (!interactive || variable.default_value || loaded.inputs.values.contains(name)) {
      continue;
    }
    if (auto answer = ask(*loaded.program, variable)) {
      loaded.inputs.values[name] = *std::move(answer);
    }
  }
  loaded.variables = config::CollectVariables(*loaded.program, root, loaded.inputs, diags);
}

bool RequireConfiguration(std::string_view command, Diagnostics& diags) {
  if (config::IsConfigDir(".")) {
    return true;
  }
  diags.Error(
      "No configuration files",
      std::string(command == "apply" ? "Apply" : "Plan") +
          Hint(" needs a configuration, and this directory has none: without one everything "
               "that the state knows would be destroyed. If that is what you want, run "
               "\"tofu destroy\"."));
  return false;
}

}  // namespace kinu::operation
