#include "cli/plan_difference_report.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/command_run.h"
#include "json/writer.h"
#include "plan_json/documents.h"
#include "view/human/plan.h"
#include "view/human/text.h"
#include "view/source_schemas.h"

namespace kinu::cli {
namespace {

using plan::PlanDifference;
using plan::ResourceChange;

std::string NameOf(const Program& program, const ResourceChange& change) {
  std::string name = program.ToText(change.address);
  if (!change.deposed.empty()) {
    name += " (deposed object " + std::string(change.deposed.text()) + ")";
  }
  return name;
}

/// What no longer happens to an object.
std::string_view Undone(const ResourceChange& change) {
  switch (change.action) {
    case plan::Action::kNoOp:
      return change.importing ? "imported" : "moved";
    case plan::Action::kCreate:
      return "created";
    case plan::Action::kRead:
      return "read during apply";
    case plan::Action::kUpdate:
      return "updated";
    case plan::Action::kDelete:
      return "destroyed";
    case plan::Action::kDeleteThenCreate:
    case plan::Action::kCreateThenDelete:
      return "replaced";
    case plan::Action::kForget:
    case plan::Action::kForgetThenCreate:
      return "removed from the state";
  }
  return {};
}

std::string Counts(const PlanDifference& difference) {
  if (difference.empty()) {
    return "Nothing differs from the plan before.";
  }
  std::string text = "Beside the plan before: " + std::to_string(difference.added.size()) +
                     " new, " + std::to_string(difference.changed.size()) + " other, " +
                     std::to_string(difference.gone.size()) + " gone";
  if (!difference.outputs.empty()) {
    text += ", " + std::to_string(difference.outputs.size()) +
            (difference.outputs.size() == 1 ? " output" : " outputs");
  }
  return text + ".";
}

void WriteChange(JsonWriter& out, const Program& program, const ResourceChange& change) {
  out.BeginObject();
  out.Member("addr", program.ToText(change.address));
  if (!change.deposed.empty()) {
    out.Member("deposed", change.deposed.text());
  }
  out.Member("action", view::ActionWord(change.action));
  out.EndObject();
}

std::string ListOf(const Program& program, const std::vector<const ResourceChange*>& changes) {
  std::string text;
  JsonWriter out(text);
  out.BeginArray();
  for (const ResourceChange* change : changes) {
    WriteChange(out, program, *change);
  }
  out.EndArray();
  return text;
}

std::string OutputsOf(const PlanDifference& difference) {
  std::string text;
  JsonWriter out(text);
  out.BeginArray();
  for (const auto& [before, after] : difference.outputs) {
    out.BeginObject();
    out.Member("name", after != nullptr ? after->name : before->name);
    out.Member("action", view::ActionWord(after != nullptr ? after->action : plan::Action::kNoOp));
    out.EndObject();
  }
  out.EndArray();
  return text;
}

std::vector<const ResourceChange*> Afterwards(const PlanDifference& difference) {
  std::vector<const ResourceChange*> out;
  for (const PlanDifference::Pair& pair : difference.changed) {
    out.push_back(pair.after);
  }
  return out;
}

/// Sends the message of a round. `lists`: JSON texts, by name; those that are missing are empty.
void SendRound(Audience& audience, std::string_view message, size_t round, bool planned,
               const std::map<std::string_view, std::string>& lists = {}) {
  view::JsonUi::Fields fields = {{"round", std::to_string(round)},
                                 {"planned", planned ? "true" : "false"}};
  for (const char* name : {"new", "other", "gone", "outputs"}) {
    const auto found = lists.find(name);
    fields.emplace_back(name, found == lists.end() ? "[]" : found->second);
  }
  audience.json()->Message(view::JsonUi::Level::kInfo, message, "watch_round", std::move(fields));
}

constexpr std::string_view kWaiting = "Watching for changes. Ctrl-C ends it.";

}  // namespace

void DifferenceReport::ShowFirst() const {
  audience.Text("\n" + time + " " + std::string(kWaiting) + "\n");
  if (audience.json() != nullptr) {
    SendRound(audience, kWaiting, round, true);
  }
}

void DifferenceReport::Show(const plan::Plan& before, const plan::Plan& after) const {
  const PlanDifference difference = plan::Compare(before, after);
  if (!audience.json_only()) {
    Print(difference, after);
  }
  if (audience.json() != nullptr) {
    Send(difference, after);
  }
}

void DifferenceReport::Send(const PlanDifference& difference, const plan::Plan& after) const {
  const Program& program = *after.program;
  const std::vector<const ResourceChange*> changed = Afterwards(difference);
  for (const auto* changes : {&difference.added, &changed}) {
    for (const ResourceChange* change : *changes) {
      audience.json()->PlannedChange(program, *change);
    }
  }
  audience.json()->ChangeSummary("plan", view::CountChanges(after));
  SendRound(audience, Counts(difference), round, true,
            {{"new", ListOf(program, difference.added)},
             {"other", ListOf(program, changed)},
             {"gone", ListOf(program, difference.gone)},
             {"outputs", OutputsOf(difference)}});
}

void DifferenceReport::PrintChanges(std::string_view heading, const plan::Plan& plan,
                                    const std::vector<const ResourceChange*>& changes,
                                    const PlanDifference* with_outputs) const {
  if (changes.empty() && (with_outputs == nullptr || with_outputs->outputs.empty())) {
    return;
  }
  std::string text(changes.empty() ? "" : "\n" + std::string(heading) + "\n");
  const auto shows = [&](const plan::OutputChange& output) {
    return with_outputs != nullptr &&
           std::ranges::any_of(with_outputs->outputs,
                               [&](const auto& pair) { return pair.after == &output; });
  };
  const view::SourceSchemas schemas(operation.schemas());
  const auto done = view::RenderChangesTo(
      [&](std::string_view piece) { text += piece; }, plan, changes, shows, schemas,
      invocation.style(), {.width = invocation.stdout_width, .show_sensitive = show_sensitive});
  if (!done) {
    PrintUnrenderedPlan(done.error());
    return;
  }
  audience.Text(text);
}

void DifferenceReport::Print(const PlanDifference& difference, const plan::Plan& after) const {
  const Program& program = *after.program;
  const terminal::Style style = invocation.style();
  audience.Text(style.Paint("\n[bold]" + time + " ") +
                view::PlanSummary(view::CountChanges(after)) + " " + Counts(difference) + "\n");
  PrintChanges("New in the plan:", after, difference.added, nullptr);
  PrintChanges("Other than before:", after, Afterwards(difference), &difference);
  std::string text;
  for (const ResourceChange* change : difference.gone) {
    text += style.Paint("[bold]  # %[reset]", NameOf(program, *change)) + " will no longer be " +
            std::string(Undone(*change)) + "\n";
  }
  for (const auto& [output, now] : difference.outputs) {
    if (now == nullptr) {
      text +=
          style.Paint("[bold]  # %[reset]", "output." + output->name) + " will no longer change\n";
    }
  }
  if (!text.empty()) {
    audience.Text("\nNo longer in the plan:\n\n" + text);
  }
}

void ShowFailedRound(Audience& audience, size_t round, const std::string& time, bool planned) {
  const std::string text = planned ? "There is no plan. The next one is compared with the last one."
                                   : "There is no plan yet. The next save may bring one.";
  audience.Text("\n" + time + " " + text + "\n");
  if (audience.json() != nullptr) {
    SendRound(audience, text, round, false);
  }
}

}  // namespace kinu::cli
