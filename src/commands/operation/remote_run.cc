#include "operation/remote_run.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>

#include "base/files.h"
#include "config/variables.h"
#include "hcl/writer/tokens.h"
#include "json/reader.h"
#include "operation/configuration_archive.h"
#include "operation/generated_config.h"
#include "terminal/interrupts.h"
#include "terminal/prompt.h"
#include "view/recorded/service_plan.h"

namespace kinu::operation {
namespace {

using std::chrono::milliseconds;

/// The directory whose files the service wants: that of the configuration without the part that
/// the workspace adds itself.
std::string UploadRoot(const std::string& directory, const std::string& working_directory) {
  const std::string path = CleanPath(AbsolutePath(directory));
  const std::string suffix = '/' + CleanPath(working_directory);
  return !working_directory.empty() && path.ends_with(suffix)
             ? path.substr(0, path.size() - suffix.size())
             : path;
}

/// The text of a line of a log that is a JSON message, with its diagnostic; the line itself where
/// it is none.
std::string LogText(std::string_view line) {
  if (!line.starts_with('{')) {
    return std::string(line);
  }
  const JsonDocument document = ParseJson(line);
  const JsonNode* message =
      document.ok() && document.root().is_object() ? document.root().Find("@message") : nullptr;
  if (message == nullptr || !message->is_string()) {
    return std::string(line);
  }
  std::string out(message->text());
  if (const JsonNode* diagnostic = document.root().Find("diagnostic"); diagnostic != nullptr) {
    const std::string detail = backend::TextMember(diagnostic, "detail");
    out += detail.empty() ? "" : "\n\n" + detail + '\n';
  }
  return out;
}

}  // namespace

milliseconds RemoteRun::PauseBefore(int n) {
  return milliseconds(std::min<int64_t>(3000, std::llround(300 * std::pow(2.0, n / 3.0))));
}

bool RemoteRun::Wait(milliseconds time) {
  constexpr milliseconds kStep(50);
  for (; time > milliseconds(0); time -= kStep) {
    if (terminal::StopRequested()) {
      return false;
    }
    const timespec step{.tv_sec = 0, .tv_nsec = std::min(time, kStep).count() * 1'000'000};
    ::nanosleep(&step, nullptr);
  }
  return !terminal::StopRequested();
}

bool RemoteRun::Fail(std::string summary, std::string detail) {
  diags_.Error(std::move(summary), std::move(detail));
  return false;
}

bool RemoteRun::FailedTo(std::string_view what, const Error& error) {
  if (error.code == ErrorCode::kCancelled || terminal::StopRequested()) {
    return false;
  }
  return Fail("Failed to " + std::string(what) + ": " + error.message,
              error.code == ErrorCode::kNotFound
                  ? "The service may also hide what the token has no right to see."
                  : "The service gave an unexpected error. If it is one of the connection, trying "
                    "again may help.");
}

void RemoteRun::Say(std::string_view markup) {
  const std::string text = request_.style.Paint(markup);
  audience_.Text(text + '\n');
  if (audience_.json() != nullptr) {
    audience_.json()->Log(terminal::Style(false).Paint(markup));
  }
}

void RemoteRun::ShowLine(std::string_view line, view::LoggedPhase phase) {
  if (runs_.takes_variables()) {
    audience_.Text(view::RenderLogLine(line, phase, request_.style));
  } else {
    audience_.Text(LogText(line) + '\n');
  }
  if (audience_.json() != nullptr) {
    audience_.json()->Log(LogText(line));
  }
}

bool RemoteRun::Renew() {
  Result<backend::HostedRun> now = runs_.Read(run_.id);
  if (!now) {
    return FailedTo("retrieve run", now.error());
  }
  run_ = *std::move(now);
  return true;
}

bool RemoteRun::Check() {
  const size_t errors = diags_.error_count();
  const backend::HostedWorkspace& workspace = runs_.workspace();
  if (!workspace.may_plan && !options_.applies) {
    return Fail("Insufficient rights to generate a plan",
                "The token has no right to plan in this workspace.");
  }
  if (options_.applies && !workspace.may_apply) {
    return Fail("Insufficient rights to apply changes",
                "The token has no right to apply changes in this workspace.");
  }
  if (options_.applies && workspace.has_repository) {
    return Fail("Apply not allowed for workspaces with a VCS connection",
                "The configuration of this workspace comes from a repository, and so do its "
                "applies.");
  }
  if (request_.options.parallelism != 0 &&
      request_.options.parallelism != engine::Options().parallelism) {
    Fail("Custom parallelism values are currently not supported",
         "The service decides how many objects it works on at a time.");
  }
  if (!options_.out.empty() && !runs_.takes_variables()) {
    Fail("Saving a generated plan is currently not supported",
         "A plan that the service makes stays in the service.");
  }
  if (!options_.generated.empty() && !runs_.takes_variables()) {
    Fail("Generating configuration is not currently supported",
         "The service cannot write configuration for imported objects.");
  }
  if (!request_.options.excludes.empty()) {
    Fail("-exclude option is not supported",
         "The -exclude option is not currently supported for remote plans.");
  }
  return diags_.error_count() == errors;
}

/// Passes values of the command line on, or refuses them.
bool RemoteRun::TakeVariables(backend::NewRun& run) {
  if (request_.variables.empty()) {
    return true;
  }
  const session::Loaded& loaded = operation_.loaded;
  Diagnostics ignored;  // the service reports what is wrong with values
  const auto values = config::CollectGivenVariables(*loaded.program, *loaded.config->root().module,
                                                    loaded.inputs, ignored);
  for (const auto& [name, given] : values) {
    const bool of_command = given.source == config::InputSource::kCommandLine ||
                            given.source == config::InputSource::kNamedFile;
    if (!of_command || !given.value) {
      continue;
    }
    if (!runs_.takes_variables()) {
      return Fail("Run variables are currently not supported",
                  "A run of a \"remote\" backend takes no values of -var and -var-file. Files "
                  "\"*.auto.tfvars\" are uploaded, and the workspace can have values itself.");
    }
    // Values that can be given can be written.
    if (Result<std::string> text = hcl::writer::ValueText(given.value->UnmarkDeep()); text) {
      run.variables.emplace_back(name, *std::move(text));
    }
  }
  return true;
}

bool RemoteRun::Start() {
  const std::string backend = runs_.takes_variables() ? "cloud backend" : "the remote backend";
  Say(options_.applies
          ? "[reset][yellow]Running apply in " + backend +
                ". Output will stream here. Pressing Ctrl-C\nwill cancel the remote apply if it's "
                "still pending. If the apply started it\nwill stop streaming the logs, but will "
                "not stop the apply running remotely.[reset]\n"
          : "[reset][yellow]Running plan in " + backend +
                ". Output will stream here. Pressing Ctrl-C\nwill stop streaming the logs, but "
                "will not stop the plan running remotely.[reset]\n");
  backend::NewRun wanted;
  if (!TakeVariables(wanted)) {
    return false;
  }
  Say("Preparing the remote " + std::string(options_.applies ? "apply" : "plan") + "...\n");
  const Result<std::string> archive =
      ArchiveConfiguration(UploadRoot(".", runs_.workspace().directory));
  if (!archive) {
    return FailedTo("upload configuration files", archive.error());
  }
  using Use = backend::ConfigurationUse;
  Use use = options_.out.empty() ? Use::kPlan : Use::kSavedPlan;
  if (options_.applies) {
    use = Use::kApply;
  }
  Result<std::string> configuration = runs_.Upload(*archive, use, Wait);
  if (!configuration) {
    return FailedTo("upload configuration files", configuration.error());
  }
  wanted.configuration = *std::move(configuration);
  wanted.saves = use == Use::kSavedPlan;
  wanted.destroy = request_.mode == plan::Mode::kDestroy;
  wanted.refresh_only = request_.mode == plan::Mode::kRefreshOnly;
  wanted.refresh = request_.options.refresh;
  if (request_.options.refresh_changed) {
    diags_.Warning("All objects are refreshed",
                   "The service that plans knows no -refresh=changed.");
  }
  wanted.generates = !options_.generated.empty();
  for (const TargetAddress& target : request_.options.targets) {
    wanted.targets.push_back(ToText(*request_.program, target));
  }
  for (const ResourceInstance& instance : request_.options.force_replace) {
    wanted.replacements.push_back(request_.program->ToText(instance));
  }
  Result<backend::HostedRun> started = runs_.Start(wanted);
  if (!started) {
    return FailedTo("create run", started.error());
  }
  run_ = *std::move(started);
  Say("[reset][yellow]To view this run in a browser, visit:\n" + runs_.PageOf(run_) + "[reset]\n");
  return true;
}

/// Why a saved plan cannot be applied, by the status of its run.
struct UnusableRun {
  std::string_view status;
  std::string_view summary;
  std::string_view reason;
};
constexpr UnusableRun kUnusableRuns[] = {
    {"applied", "Saved plan is already applied", "It can be applied only once."},
    {"applying", "Saved plan is already confirmed", "It is being applied."},
    {"apply_queued", "Saved plan is already confirmed", "It is about to be applied."},
    {"confirmed", "Saved plan is already confirmed", "It is about to be applied."},
    {"canceled", "Saved plan is canceled", "Someone has canceled its run in the service."},
    {"discarded", "Saved plan is discarded",
     "Another run was applied first, or someone has discarded this one in the service."},
    {"errored", "Saved plan is errored", "The plan ended with errors."},
    {"planned_and_finished", "Saved plan has no changes", "There is nothing to apply."},
    {"policy_override", "Saved plan requires policy override",
     "Policy checks have failed, which someone with the right to do so must override first."},
};

bool RemoteRun::FailUnusable(const std::string& page) {
  const auto* found = std::ranges::find(kUnusableRuns, run_.status, &UnusableRun::status);
  const bool known = found != std::end(kUnusableRuns);
  return Fail(
      std::string(known ? found->summary : "Saved plan cannot be applied"),
      std::string(known ? found->reason : "The plan and its checks may not have ended yet.") +
          " For more details, view this run in a browser at:\n" + page);
}

bool RemoteRun::OpenSaved() {
  if (options_.saved.host != runs_.host()) {
    return Fail("Saved plan is for a different hostname",
                "The given saved plan refers to a run on " + options_.saved.host +
                    ", but the currently configured cloud backend instance is " + runs_.host() +
                    ".");
  }
  run_.id = options_.saved.run;
  if (!Renew()) {
    return false;
  }
  if (auto stages = runs_.ReadTaskStages(run_.id)) {
    stages_ = *std::move(stages);
  }
  const std::string page = runs_.PageOf(run_);
  if (!run_.workspace.empty() && run_.workspace != runs_.workspace().id) {
    return Fail("Saved plan is for a different workspace",
                "The run of the given saved plan is not one of the current workspace (" +
                    runs_.workspace().name + "), so it cannot be applied here.");
  }
  if (!run_.confirmable) {
    return FailUnusable(page);
  }
  Say("[reset][yellow]Running apply in cloud backend. Output will stream here. Pressing Ctrl-C\n"
      "will stop streaming the logs, but will not stop the apply running remotely.[reset]\n\n"
      "Preparing the remote apply...\n");
  Say("[reset][yellow]To view this run in a browser, visit:\n" + page + "[reset]\n");
  const Result<void> approved = runs_.Act(run_.id, "apply");
  return approved || FailedTo("approve the apply command", approved.error());
}

bool RemoteRun::Save() {
  if (options_.out.empty() || run_.has_failed()) {
    return true;
  }
  const Result<void> saved = SaveCloudPlan(options_.out, {.run = run_.id, .host = runs_.host()});
  return saved || Fail("Failed to write plan file", saved.error().message);
}

bool RemoteRun::EndLockedOut() {
  Say("[reset][red]Lock timeout exceeded, sending interrupt to cancel the remote operation.\n"
      "[reset]");
  if (const Result<void> cancelled = runs_.Act(run_.id, "cancel"); !cancelled) {
    return FailedTo("cancel run", cancelled.error());
  }
  Say("[reset][red]The remote operation was successfully cancelled.[reset]");
  return false;
}

bool RemoteRun::AwaitStart(std::string_view what) {
  milliseconds waited(0);
  for (int i = 0;; ++i) {
    waited += PauseBefore(i);
    if (!Wait(PauseBefore(i)) || !Renew()) {
      return false;
    }
    if (request_.lock_timeout > milliseconds(0) && waited > request_.lock_timeout &&
        run_.status == "pending" && run_.cancelable) {
      return EndLockedOut();
    }
    if (i == 0 && (what == "plan" || run_.is_waiting())) {
      Say("Waiting for the " + std::string(what) + " to start...\n");
    }
    if (!run_.is_waiting()) {
      return true;
    }
  }
}

bool RemoteRun::ShowLog(std::string_view kind, const std::string& id, int skipped_lines) {
  const view::LoggedPhase phase =
      kind == "plans" ? view::LoggedPhase::kPlan : view::LoggedPhase::kApply;
  const auto show = [&](std::string_view line) {
    if (skipped_lines-- <= 0) {
      ShowLine(line, phase);
    }
    return true;
  };
  const Result<void> read = runs_.ReadLog(kind, id, Wait, show);
  return read || FailedTo("retrieve logs", read.error());
}

bool RemoteRun::ShowWarnings() {
  const auto warnings = runs_.ReadWarnings(run_.id);
  if (!warnings) {
    // Services that do not know warnings have none.
    return warnings.error().code == ErrorCode::kNotFound ||
           FailedTo("retrieve warnings of the run", warnings.error());
  }
  for (const std::string& warning : *warnings) {
    Say("[reset][yellow]Warning:[reset] " + warning + '\n');
  }
  return true;
}

bool RemoteRun::ShowDocument(const backend::HostedPlan& plan, bool shows) {
  Result<std::string> text = runs_.ReadPlanDocument(run_.plan, /*redacted=*/true);
  if (!text) {
    return FailedTo("read JSON plan", text.error());
  }
  const auto document = json::Document::Parse(*std::move(text));
  if (!document) {
    return FailedTo("decode JSON plan", document.error());
  }
  if (plan.has_generated && !options_.generated.empty()) {
    const auto recorded = view::ReadServicePlan((*document)->root());
    if (!recorded) {
      return FailedTo("decode JSON plan", recorded.error());
    }
    SaveGeneratedConfig(recorded->plan, options_.generated, diags_);
  }
  if (!shows || diags_.has_errors()) {
    return !diags_.has_errors();
  }
  const auto rendered = view::RenderServicePlan((*document)->root(), {.mode = request_.mode},
                                                request_.style, options_.plan_text);
  if (!rendered) {
    return FailedTo("decode JSON plan", rendered.error());
  }
  audience_.Text(*rendered);
  return true;
}

bool RemoteRun::ShowPlan() {
  if (!runs_.takes_variables()) {
    return true;
  }
  const auto plan = runs_.ReadPlan(run_.id);
  if (!plan) {
    return FailedTo("retrieve run", plan.error());
  }
  const bool shows = !plan->run.has_failed() && plan->run.status != "discarded" &&
                     runs_.gives_plans() && plan->workspace_shows_plans;
  const bool keeps = !options_.generated.empty() && plan->has_generated &&
                     (plan->status == "errored" || plan->status == "finished");
  return (!shows && !keeps) || ShowDocument(*plan, shows);
}

bool RemoteRun::Plan() {
  if (runs_.takes_variables()) {
    if (!ShowWarnings()) {
      return false;
    }
    auto stages = runs_.ReadTaskStages(run_.id);
    if (!stages) {
      return FailedTo("retrieve run", stages.error());
    }
    stages_ = *std::move(stages);
  }
  return AwaitTasks("pre_plan", "Pre-plan Tasks") && AwaitStart("plan") &&
         ShowLog("plans", run_.plan, 0) && ShowPlan() && Renew() &&
         AwaitTasks("post_plan", "Post-plan Tasks") && ShowCostEstimate() && CheckPolicies();
}

bool RemoteRun::AskToApply() {
  const bool destroys = request_.mode == plan::Mode::kDestroy;
  const std::string name = " in workspace \"" + runs_.workspace().name + "\"?";
  const auto answer = terminal::Ask(
      request_.style,
      {.query = destroys ? "\nDo you really want to destroy all resources" + name
                         : "\nDo you want to perform these actions" + name,
       .description = destroys ? "OpenTofu will destroy all your managed infrastructure, as shown "
                                 "above.\nThere is no undo. Only 'yes' will be accepted to confirm."
                               : "OpenTofu will perform the actions described above.\nOnly 'yes' "
                                 "will be accepted to approve."});
  if (answer && *answer == "yes") {
    return true;
  }
  if (terminal::StopRequested()) {
    return false;
  }
  if (Renew() && run_.discardable) {
    if (const Result<void> discarded = runs_.Act(run_.id, "discard"); !discarded) {
      return FailedTo(destroys ? "discard destroy" : "discard apply", discarded.error());
    }
  }
  if (!answer) {
    return Fail("Error asking approve: " + answer.error().message);
  }
  return Fail(destroys ? "Destroy discarded." : "Apply discarded.");
}

bool RemoteRun::Approve() {
  const backend::HostedWorkspace& workspace = runs_.workspace();
  if (workspace.auto_apply) {
    return true;
  }
  if (!run_.may_apply) {
    if (run_.discardable) {
      (void)runs_.Act(run_.id, "discard");
    }
    return Fail("Insufficient rights to approve the pending changes",
                "There are changes, and the token has no right to approve them. The run is "
                "discarded, so that it does not keep others waiting.");
  }
  if (!options_.approved && !AskToApply()) {
    return false;
  }
  const Result<void> approved = runs_.Act(run_.id, "apply");
  return approved || FailedTo("approve the apply command", approved.error());
}

bool RemoteRun::Apply() {
  if (!run_.has_changes || run_.has_failed()) {
    return true;
  }
  if (!Renew()) {
    return false;
  }
  if (!runs_.workspace().auto_apply && !run_.confirmable) {
    return true;
  }
  if (!Approve()) {
    return false;
  }
  Say("");
  return ShowApply();
}

bool RemoteRun::ShowApply() {
  // The log begins with three lines that the plan has shown.
  constexpr int kKnownLines = 3;
  return AwaitTasks("pre_apply", "Pre-apply Tasks") && AwaitStart("apply") &&
         ShowLog("applies", run_.apply, kKnownLines) && Renew();
}

void RemoteRun::EndInterrupted() {
  // Requests after this go on.
  terminal::StopRequested() = false;
  if (run_.id.empty() || !Renew() || !run_.cancelable) {
    return;
  }
  if (!options_.approved) {
    const auto answer =
        terminal::Ask(request_.style, {.query = "\nDo you want to cancel the remote operation?",
                                       .description = "Only 'yes' will be accepted to cancel."});
    if (!answer || *answer != "yes") {
      Say("[reset][red]The remote operation was not cancelled.[reset]");
      return;
    }
  }
  if (const Result<void> cancelled = runs_.Act(run_.id, "cancel"); !cancelled) {
    FailedTo("cancel run", cancelled.error());
    return;
  }
  Say("[reset][red]The remote operation was successfully cancelled.[reset]");
}

int RemoteRun::Run() {
  const bool is_saved = !options_.saved.run.empty();
  const bool finished =
      Check() && (is_saved ? OpenSaved() && ShowApply()
                           : Start() && Plan() && (options_.applies ? Apply() : Save()));
  if (!finished) {
    if (terminal::StopRequested() && !diags_.has_errors()) {
      EndInterrupted();
    }
    return 1;
  }
  if (run_.has_failed()) {
    return 1;
  }
  return options_.changes_are_2 && run_.has_changes ? 2 : 0;
}

}  // namespace kinu::operation
