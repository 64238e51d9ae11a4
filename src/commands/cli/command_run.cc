#include "cli/command_run.h"

#include "cli/plan_risks.h"
#include "cli/why_plan.h"
#include "compatibility/features.h"
#include "plan_json/diagnostic.h"
#include "plan_json/snippet.h"
#include "session/encryption.h"
#include "session/provider_installation.h"
#include "terminal/interrupts.h"
#include "terminal/pager.h"
#include "view/human/plan.h"
#include "view/source_schemas.h"

namespace kinu::cli {

void CommandRun::Parse(std::string_view summary, bool reads_json) {
  flags = Flags::Read(invocation.command->flags, invocation.args, diags, summary);
  // From level 1.13 on they come before what the command itself says.
  const bool first = compatibility::Has(compatibility::Feature::kArgumentErrors);
  audience = MakeAudience(invocation, reads_json && flags.Has("json-into") ? &flags : nullptr,
                          first ? diags : of_audience_);
}

bool CommandRun::ArgumentsFit() {
  diags.Append(std::move(of_audience_));
  of_audience_ = Diagnostics();
  return !diags.has_errors();
}

bool CommandRun::ReadsWords() {
  return ArgumentsFit() || compatibility::Has(compatibility::Feature::kArgumentErrors);
}

bool CommandRun::HasNoWords() {
  if (ReadsWords() && !flags.positionals().empty()) {
    WordsError(diags, "Unexpected argument",
               "Too many command line arguments. Did you mean to use -chdir?");
  }
  return !diags.has_errors();
}

int CommandRun::Usage() {
  return UsageError(invocation, *audience, diags);
}

std::optional<session::ConfiguredBackend> CommandRun::ChooseBackend(
    const backend::StateFlags& state_flags, OpenWorkspace* open) {
  std::optional<session::ConfiguredBackend> chosen;
  if (open == nullptr && checked_) {
    open = &*checked_;
  }
  if (open != nullptr) {
    if (open->CheckRoot(diags) && open->OpenBackend(state_flags, diags, beside_errors)) {
      chosen = open->backend;
    }
  } else if (!diags.has_errors()) {
    const auto arguments = VariableArguments(flags);
    const session::LoadRequest request{.intent = session::LoadIntent::kBackend,
                                       .variables = arguments};
    const session::Loaded root =
        backend_comes_first ? session::Load(invocation.workspace, request, diags)
                            : session::LoadForBackend(invocation.workspace, request, diags);
    if (!diags.has_errors()) {
      chosen =
          session::ChooseBackend(invocation.workspace, root, state_flags, diags, beside_errors);
    }
  }
  if (chosen && !warns_of_configuration) {
    left_warnings = std::exchange(diags, Diagnostics());
  }
  return chosen;
}

state::LockRequest CommandRun::LockRequestFor(std::string_view operation) {
  state::LockRequest request;
  request.operation = operation;
  request.on_slow = [this] { audience->ReportSlowLock(); };
  if (flags.Has("lock-timeout")) {
    request.timeout = std::chrono::milliseconds(flags.Duration("lock-timeout"));
  }
  return request;
}

bool CommandRun::CheckConfiguration() {
  checked_arguments_ = VariableArguments(flags);
  const session::LoadRequest request{.variables = checked_arguments_};
  OpenWorkspace& open = checked_.emplace(invocation.workspace);
  open.LoadModules(request);
  if (open.of_modules().has_errors()) {
    // The encryption is looked at with the backend, where files have their usual names.
    session::LoadRequest files = request;
    files.encryption_off = true;
    Diagnostics found;
    OpenWorkspace by_path(invocation.workspace);
    if (!by_path.LoadByAbsolutePath(files, found)) {
      diags.Append(std::move(found));
    }
  }
  return !diags.has_errors();
}

bool CommandRun::CheckEncryption() {
  Diagnostics found;
  if (checked_->CheckRoot(found) &&
      session::SetUpEncryption(invocation.workspace, checked_->root(), found)) {
    return true;
  }
  diags.Append(std::move(found));
  return false;
}

int CommandRun::Fail() {
  if (audience != nullptr) {
    audience->Show(diags);
  } else {
    invocation.Show(diags);
  }
  return 1;
}

int CommandRun::Fail(std::string summary, std::string detail) {
  diags.Error(std::move(summary), std::move(detail));
  return Fail();
}

void CommandRun::StopOnInterrupt() {
  terminal::StopOnInterrupt();
  invocation.workspace.stop = &terminal::StopRequested();
}

int CommandRun::Refuse(const std::string& message, std::string summary, std::string detail) {
  if (audience != nullptr && audience->json() != nullptr) {
    audience->json()->Message(view::JsonUi::Level::kError, message);
  }
  if (json_only()) {
    return Fail();
  }
  Diagnostics refusal;
  refusal.Error(std::move(summary), std::move(detail));
  invocation.Show(refusal);
  return Fail();
}

void CommandRun::Say(const std::string& text, const std::string& message) {
  if (audience != nullptr && audience->json() != nullptr) {
    audience->json()->Message(view::JsonUi::Level::kInfo, message);
  }
  if (!json_only()) {
    Print(text + "\n");
  }
}

void PrintUnrenderedPlan(const Error& error) {
  PrintError("Failed to marshal plan to json: " + error.message);
}

void OperationRun::CatchInterrupts() {
  terminal::CatchInterruptsOfOperation(
      [this] {
        return operation.status != nullptr ? operation.status->Interrupted() : std::string();
      },
      [this] { operation.pool.StopAll(); });
}

void OperationRun::BeSilent() {
  audience = std::make_unique<view::Audience>(
      view::Audience::Options{.concise = true,
                              .version = compatibility::FullRelease(),
                              .print = [](std::string_view) {},
                              .print_error = [](std::string_view) {},
                              .show = [](Diagnostics&) {}});
}

void OperationRun::ReportOnPlan(const PlanRequest& request,
                                const std::function<void(const plan::Plan&)>& report) {
  const auto directories = session::CheckPluginDirectories(invocation.workspace);
  if (!directories) {
    diags.Error(directories.error().message, "");
    return;
  }
  if (!Open(request)) {
    return;
  }
  const plan::Plan plan = operation::RunPlanning(operation, diags);
  if (operation.RequireStoredProviders(plan, diags) && !plan.rejected) {
    report(plan);
  }
  operation.Close(diags);
}

void OperationRun::WriteProblems(JsonWriter& json) {
  diags.Sort();
  view::SourceIndex index;
  for (Diagnostic problem : diags) {
    problem.extra.reset();
    view::WriteDiagnostic(json, problem, index);
  }
}

std::optional<risks::Report> OperationRun::FindRisks(const plan::Plan& plan,
                                                     const PlanParts& parts) {
  if (parts.risks == nullptr) {
    return std::nullopt;
  }
  const view::SourceSchemas schemas(operation.schemas());
  auto report = RisksOfPlan(plan, *operation.loaded.config, schemas, *parts.risks, diags);
  if (report && audience->json() != nullptr) {
    std::string risks;
    JsonWriter json(risks);
    risks::WriteRisks(json, *report);
    audience->json()->Message(view::JsonUi::Level::kInfo, risks::Headline(*report), "risks",
                              {{"risks", std::move(risks)}});
  }
  return report;
}

/// Says how many objects -refresh=changed has not read; empty without that option.
static std::string UnreadNotice(const plan::Plan& plan) {
  if (!plan.refresh_changed || plan.mode != plan::Mode::kNormal) {
    return "";
  }
  return plan.unread_objects == 1
             ? "1 object was not refreshed, because its configuration has not changed."
             : std::to_string(plan.unread_objects) +
                   " objects were not refreshed, because their configuration has not changed.";
}

void OperationRun::ShowPlan(const plan::Plan& plan, const PlanParts& parts) {
  if (audience->json() != nullptr) {
    audience->json()->Plan(plan);
    if (parts.offline != nullptr) {
      audience->json()->Message(view::JsonUi::Level::kInfo, parts.offline->Summary(),
                                "offline_plan", parts.offline->Members());
    }
  }
  const auto risks = FindRisks(plan, parts);
  const std::string unread = UnreadNotice(plan);
  if (!unread.empty() && audience->json() != nullptr) {
    audience->json()->Message(view::JsonUi::Level::kInfo, unread, "refresh_changed",
                              {{"not_refreshed", std::to_string(plan.unread_objects)}});
  }
  if (parts.summary != nullptr) {
    view::CausesOf causes;
    if (parts.why) {
      const view::SourceSchemas schemas(operation.schemas());
      causes = CausesForSummary(why::Explain({plan, *operation.loaded.config, schemas}));
    }
    view::Summary summary = view::MakeSummary(plan, causes);
    if (parts.offline != nullptr) {
      summary.incomplete = parts.offline->Counts();
    }
    if (risks) {
      summary.risks = RisksForSummary(*risks);
    }
    audience->Text(view::RenderSummary(summary, *parts.summary));
    return;
  }
  if (json_only()) {
    return;
  }
  const view::SourceSchemas schemas(operation.schemas());
  view::PlanTextOptions options{.width = invocation.stdout_width,
                                .show_sensitive = flags.Bool("show-sensitive"),
                                .in_automation = invocation.in_automation,
                                .actions = parts.actions};
  if (parts.offline != nullptr) {
    options.remark = [&](const plan::ResourceChange& change) {
      return parts.offline->Remark(change);
    };
  }
  terminal::PagedOutput paged(flags.Has("pager") && parts.may_page
                                  ? terminal::ChoosePager(flags.Bool("pager"))
                                  : std::string());
  if (parts.offline != nullptr) {
    paged.Write(terminal::WordWrap(std::string(operation::kOfflineNotice), options.width) + "\n");
  }
  const auto done = view::RenderPlanTo([&](std::string_view piece) { paged.Write(piece); }, plan,
                                       schemas, invocation.style(), options);
  if (!done) {
    PrintUnrenderedPlan(done.error());
  } else if (parts.offline != nullptr) {
    paged.Write("\n" + terminal::WordWrap(parts.offline->Summary(), options.width) + "\n");
  }
  if (plan.unread_objects > 0) {
    paged.Write("\n" + terminal::WordWrap(unread, options.width) + "\n");
  }
  if (risks) {
    std::string text = "\n";
    risks::WriteText(text, *risks);
    paged.Write(text);
  }
}

int OperationRun::Fail() {
  operation.Close(diags);
  return CommandRun::Fail();
}

int OperationRun::RunInService(const PlanRequest& request, operation::RemoteRunOptions options) {
  options.plan_text = {.width = invocation.stdout_width, .can_apply = true};
  const int code =
      operation::RemoteRun(operation, request, std::move(options), *audience, diags).Run();
  return audience->Show(diags) ? 1 : code;
}

}  // namespace kinu::cli
