#include "operation/cloud_plan.h"

#include <algorithm>

#include "backend/hosted_runs.h"
#include "base/files.h"
#include "base/program_name.h"
#include "json/reader.h"
#include "json/writer.h"
#include "session/backend_choice.h"

namespace kinu::operation {
namespace {

/// The errors of a list in one line.
std::string ErrorsOf(const Diagnostics& diags) {
  std::string out;
  for (const Diagnostic& problem : diags) {
    if (problem.is_error()) {
      out += (out.empty() ? "" : "; ") + problem.summary;
      out += problem.detail.empty() ? "" : ": " + problem.detail;
    }
  }
  return out;
}

/// What can be done with a run, and whether something else happens in its workspace.
std::string FooterOf(const backend::HostedPlan& plan) {
  std::string status = plan.run.status;
  std::ranges::replace(status, '_', ' ');
  return std::string("[reset]") + (plan.run.confirmable ? "[green]" : "[red]") +
         "Run status: " + status +
         (plan.run.confirmable ? " (confirmable)" : " (not confirmable)") + "[reset]\n" +
         (plan.workspace_locked ? "[red]" : "[green]") + "Workspace is " +
         (plan.workspace_locked ? "locked" : "unlocked") + "[reset]";
}

/// What a failed request means to someone who wants to see a plan.
std::unexpected<Error> NotRead(std::string_view what, const std::string& run,
                               std::string_view right, const Error& error) {
  const std::string text = "couldn't read " + std::string(what) + " for cloud run " + run;
  return Fail(error.code, error.code == ErrorCode::kNotFound
                              ? text +
                                    Hint("; make sure you've run `tofu login` and that you have ") +
                                    std::string(right)
                              : text + ": " + error.message);
}

/// Runs in the service of the working directory, whatever its workspaces.
Result<std::shared_ptr<const backend::HostedRuns>> RunsOf(
    const session::Workspace& workspace, std::span<const config::VariableArgument> variables) {
  Diagnostics diags;
  const auto chosen = session::ChooseBackend(workspace, variables, {}, diags);
  if (!chosen) {
    return Fail(ErrorCode::kInvalid, ErrorsOf(diags));
  }
  if (chosen->type != backend::kCloudBackend) {
    return Fail(ErrorCode::kInvalid,
                "can't show a saved cloud plan unless the current root module is connected to "
                "Terraform Cloud");
  }
  return chosen->backend->Runs("");
}

plan::Mode ModeOf(const backend::HostedPlan& plan) {
  if (plan.destroy) {
    return plan::Mode::kDestroy;
  }
  return plan.refresh_only ? plan::Mode::kRefreshOnly : plan::Mode::kNormal;
}

}  // namespace

std::optional<CloudPlan> ReadCloudPlan(const std::string& path) {
  const Result<std::string> text = ReadFile(path);
  if (!text || !text->starts_with('{')) {
    return std::nullopt;
  }
  const JsonDocument document = ParseJson(*text);
  if (!document.ok() || !document.root().is_object()) {
    return std::nullopt;
  }
  const JsonNode* format = document.root().Find("remote_plan_format");
  const JsonNode* run = document.root().Find("run_id");
  const JsonNode* host = document.root().Find("hostname");
  if (format == nullptr || !format->is_number() || format->text() != "1" || run == nullptr ||
      !run->is_string() || !run->text().starts_with("run-") || host == nullptr ||
      !host->is_string() || host->text().empty()) {
    return std::nullopt;
  }
  return CloudPlan{.run = std::string(run->text()), .host = std::string(host->text())};
}

Result<void> SaveCloudPlan(const std::string& path, const CloudPlan& plan) {
  std::string text;
  JsonWriter writer(text);
  writer.BeginObject();
  writer.Member("remote_plan_format", 1);
  writer.Member("run_id", std::string_view(plan.run));
  writer.Member("hostname", std::string_view(plan.host));
  writer.EndObject();
  constexpr unsigned kMode = 0644;
  return ReplaceFile(path, text, kMode);
}

Result<FetchedPlan> FetchCloudPlan(const session::Workspace& workspace,
                                   std::span<const config::VariableArgument> variables,
                                   const CloudPlan& plan, bool redacted) {
  KINU_TRY(const std::shared_ptr<const backend::HostedRuns> runs, RunsOf(workspace, variables));
  if (plan.host != runs->host()) {
    return Fail(ErrorCode::kInvalid, "hostname for run (" + plan.host +
                                         ") does not match the configured cloud integration (" +
                                         runs->host() + ")");
  }
  constexpr std::string_view kToSee = "permission to view the run";
  const Result<backend::HostedPlan> found = runs->ReadPlan(plan.run);
  if (!found) {
    return NotRead("information", plan.run, kToSee, found.error());
  }
  if (found->status != "finished" && found->status != "errored") {
    return Fail(ErrorCode::kInvalid,
                "can't display a cloud plan that is currently " + found->status);
  }
  Result<std::string> document = runs->ReadPlanDocument(found->run.plan, redacted);
  if (!document) {
    const bool hidden = !redacted && document.error().code == ErrorCode::kNotFound;
    return NotRead(hidden ? "unredacted JSON plan data" : "plan data", plan.run,
                   hidden ? "admin permissions on the workspace" : kToSee, document.error());
  }
  return FetchedPlan{.document = *std::move(document),
                     .mode = ModeOf(*found),
                     .errored = found->status == "errored",
                     .has_changes = found->has_changes,
                     .header = "[reset][yellow]To view this run in a browser, visit:\n" +
                               runs->PageOf(found->workspace, found->run) + "[reset]",
                     .footer = FooterOf(*found)};
}

}  // namespace kinu::operation
