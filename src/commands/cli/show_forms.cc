#include "cli/show_forms.h"

#include <algorithm>

#include "cli/audience.h"
#include "cli/command_run.h"
#include "cli/plan_risks.h"
#include "cli/why_plan.h"
#include "operation/documents.h"
#include "operation/plan_schemas.h"
#include "plan_json/plan_file.h"
#include "terminal/pager.h"
#include "trace/trace.h"
#include "view/human/plan.h"
#include "view/human/state.h"
#include "view/human/text.h"
#include "view/recorded/service_plan.h"
#include "view/report/report.h"
#include "view/source_schemas.h"
#include "view/summary/summary.h"
#include "why/report.h"

namespace kinu::cli {
namespace {

using Form = DocumentForm;

/// Writes the copy of -json-into. A document that cannot be written is an error, and no reason to
/// leave out the text. Returns whether the text follows.
bool WriteCopy(const Form& form, const std::optional<std::string>& document,
               const Diagnostics& diags) {
  if (document) {
    form.copy->Write(*document);
    return true;
  }
  return std::ranges::all_of(diags, IsUnwritten);
}

int PrintPlan(const Invocation& invocation, const plan::Plan& plan,
              const view::SchemaLookup& schemas, const Form& form) {
  const view::PlanTextOptions options{.width = invocation.stdout_width,
                                      .show_sensitive = form.show_sensitive,
                                      .actions = form.actions ? &*form.actions : nullptr};
  terminal::PagedOutput paged(form.pager);
  const auto done = view::RenderPlanTo([&](std::string_view piece) { paged.Write(piece); }, plan,
                                       schemas, invocation.style(), options);
  if (!done) {
    PrintUnrenderedPlan(done.error());
  }
  return done ? 0 : 1;
}

int PrintState(const Invocation& invocation, const state::State& state,
               const view::SchemaLookup& schemas, const Form& form, Diagnostics& diags) {
  if (form.actions) {
    diags.Error("No changes to choose from", "The -actions option chooses changes of a plan.");
    return 1;
  }
  auto text = view::RenderState(state, schemas, invocation.style(),
                                {.show_sensitive = form.show_sensitive});
  if (!text) {
    PrintError("Failed to marshal state to json: " + text.error().message);
    return 1;
  }
  terminal::PagedOutput(form.pager).Write(*text);
  return 0;
}

/// Shows a document of a plan or state as the text for people.
int ShowDocument(const Invocation& invocation, std::string text, const Form& form,
                 Diagnostics& diags) {
  const auto document = json::Document::Parse(std::move(text));
  const auto unreadable = [&](const Error& error) {
    diags.Error("Failed to read document", error.message + ".");
    return 1;
  };
  if (!document) {
    return unreadable(document.error());
  }
  const json::Node root = (*document)->root();
  if (view::IsPlanDocument(root)) {
    const auto recorded = view::ReadPlanDocument(root);
    return recorded ? PrintPlan(invocation, recorded->plan, *recorded->schemas, form)
                    : unreadable(recorded.error());
  }
  const auto recorded = view::ReadStateDocument(root);
  if (!recorded) {
    return unreadable(recorded.error());
  }
  if (!root.Find("values")) {
    Print(std::string(view::kNoState) + "\n");
    return 0;
  }
  return PrintState(invocation, recorded->state, *recorded->schemas, form, diags);
}

/// Prints the text of a plan that a service has made.
int PrintServicePlan(const Invocation& invocation, operation::FetchedPlan plan, const Form& form,
                     Diagnostics& diags) {
  const auto document = json::Document::Parse(std::move(plan.document));
  const auto unreadable = [&](const Error& error) {
    diags.Error("Couldn't decode renderable JSON plan format", error.message + ".");
    return 1;
  };
  if (!document) {
    return unreadable(document.error());
  }
  if (form.summary) {
    const auto recorded = view::ReadServicePlan((*document)->root());
    if (!recorded) {
      return unreadable(recorded.error());
    }
    Print(view::RenderSummary(view::MakeSummary(recorded->plan), *form.summary));
    return 0;
  }
  const terminal::Style style = invocation.style();
  const auto text = view::RenderServicePlan((*document)->root(),
                                            {.mode = plan.mode, .errored = plan.errored}, style,
                                            {.width = invocation.stdout_width,
                                             .show_sensitive = form.show_sensitive,
                                             .in_automation = invocation.in_automation,
                                             .can_apply = plan.has_changes,
                                             .actions = form.actions ? &*form.actions : nullptr});
  if (!text) {
    return unreadable(text.error());
  }
  terminal::PagedOutput(form.pager)
      .Write(style.Paint(plan.header + "\n") + *text + style.Paint("\n" + plan.footer + "\n"));
  return 0;
}

/// The report of a plan file.
int ReportPlan(const Invocation& invocation, const plan::PlanFile& file, const Form& form,
               Diagnostics& diags) {
  std::string locals;
  auto text = operation::PlanJson(
      invocation.workspace, file, diags,
      {.visit = [&](const config::Config& config) { locals = view::LocalReferences(config); }});
  std::string why;
  if (text && form.why) {
    const auto explanation = ExplainPlanFile(invocation.workspace, file, {}, diags);
    if (!explanation) {
      return 1;
    }
    why::WriteJson(why, *explanation, [](JsonWriter&) {});
    why.pop_back();  // the line end
  }
  std::string risks;
  if (text && form.risks) {
    const auto found = RisksOfPlanFile(invocation.workspace, file, *form.risks, diags);
    if (!found) {
      return 1;
    }
    JsonWriter json(risks);
    risks::WriteRisks(json, *found);
  }
  return text ? WriteReport(*std::move(text), form, diags,
                            {.locals = locals, .why = why, .risks = risks})
              : 1;
}

/// The causes of all changes of a plan file.
int PrintCauses(const Invocation& invocation, const plan::PlanFile& file, const Form& form,
                Diagnostics& diags) {
  const auto explanation = ExplainPlanFile(invocation.workspace, file, {}, diags);
  if (!explanation) {
    return 1;
  }
  std::string text;
  if (form.json) {
    why::WriteJson(text, *explanation, [](JsonWriter&) {});
  } else {
    why::WriteText(text, *explanation);
  }
  Print(text);
  return 0;
}

/// The summary of a plan file, whose changes have been read.
int SummarizePlan(const Invocation& invocation, const plan::PlanFile& file, const plan::Plan& plan,
                  const Form& form, Diagnostics& diags) {
  view::CausesOf causes;
  if (form.why) {
    const auto explanation = ExplainPlanFile(invocation.workspace, file, {}, diags);
    if (!explanation) {
      return 1;
    }
    causes = CausesForSummary(*explanation);
  }
  view::Summary summary = view::MakeSummary(plan, causes);
  if (form.risks) {
    const auto report = RisksOfPlanFile(invocation.workspace, file, *form.risks, diags);
    if (!report) {
      return 1;
    }
    summary.risks = RisksForSummary(*report);
  }
  Print(view::RenderSummary(summary, *form.summary));
  return 0;
}

/// Reports that a state has no risks, which only plans have.
int ReportNoRisks(Diagnostics& diags) {
  diags.Error("Not a plan", "The -risks option shows the risks of a plan. A state has none.");
  return 1;
}

/// Reports that something is no plan file, which alone has causes.
int ReportNoCauses(Diagnostics& diags) {
  diags.Error(
      "Not a plan file",
      "The -why option explains the changes of a plan file. Documents of plans have neither "
      "the expressions of local values nor the text of arguments.");
  return 1;
}

}  // namespace

bool IsUnwritten(const Diagnostic& problem) {
  return dynamic_cast<const view::UnwrittenDocument*>(problem.extra.get()) != nullptr;
}

int ShowForms::Document(std::string text, Diagnostics& diags) {
  if (form_.why) {
    return ReportNoCauses(diags);
  }
  return form_.json || form_.summary || form_.html || form_.risks
             ? PrintDocument(std::move(text), form_, diags)
             : ShowDocument(invocation_, std::move(text), form_, diags);
}

int ShowForms::Configuration(std::string text) {
  Print(text + "\n");
  return 0;
}

int ShowForms::Plan(const plan::PlanFile& file, Diagnostics& diags) {
  if (form_.html) {
    return ReportPlan(invocation_, file, form_, diags);
  }
  if (form_.why && !form_.summary) {
    return PrintCauses(invocation_, file, form_, diags);
  }
  if (form_.risks && !form_.summary) {
    return PrintRisks(RisksOfPlanFile(invocation_.workspace, file, *form_.risks, diags), form_);
  }
  if (form_.json) {
    return PrintDocument(
        operation::PlanJson(invocation_.workspace, file, diags, {.positions = form_.positions}),
        form_, diags);
  }
  if (auto version = file.CheckVersion(); !version) {
    diags.Error("Failed to read plan file", version.error().message).kind =
        DiagnosticKind::kUnreadablePlan;
    return 1;
  }
  if (form_.copy->wanted() &&
      !WriteCopy(form_, operation::PlanJson(invocation_.workspace, file, diags), diags)) {
    return 1;
  }
  auto program = std::make_shared<Program>();
  std::optional<trace::Span> getting(std::in_place, "kinu/cli", "Get Schemas");
  const auto schemas = operation::PlanSchemas::Open(invocation_.workspace, file, diags);
  getting.reset();
  if (schemas == nullptr) {
    return 1;
  }
  const plan::SchemaLookup lookup = view::LookupFor(*schemas, *program);
  auto read = form_.summary ? file.ReadChanges(program, lookup) : file.Read(program, lookup);
  if (!read) {
    diags
        .Error("Failed to read plan from plan file",
               view::Explained(read.error(), schemas->advice()))
        .kind = DiagnosticKind::kUnreadablePlan;
    return 1;
  }
  return form_.summary ? SummarizePlan(invocation_, file, *read, form_, diags)
                       : PrintPlan(invocation_, *read, *schemas, form_);
}

int ShowForms::State(const state::State& state, const config::Config& config, bool from_file,
                     Diagnostics& diags) {
  if (form_.why) {
    return ReportNoCauses(diags);
  }
  if (form_.risks) {
    return ReportNoRisks(diags);
  }
  if (form_.summary) {
    Print(view::RenderSummary(view::MakeSummary(state), *form_.summary));
    return 0;
  }
  if (form_.positions) {
    operation::ReportNoPositions(diags);
    return 1;
  }
  const bool exists = from_file || !state.absent();
  std::optional<trace::Span> getting(std::in_place, "kinu/cli", "Get Schemas");
  auto providers = session::ProviderSet::Open(invocation_.workspace, diags);
  if (!providers->RequirePackages(session::ProviderSet::Missing::kList, diags) ||
      (exists && !providers->RequireForSchemas(config, state, diags))) {
    return 1;
  }
  getting.reset();
  if (form_.json || form_.html) {
    return PrintDocument(operation::StateJson(*providers, state, diags), form_, diags);
  }
  if (form_.copy->wanted() &&
      !WriteCopy(form_, operation::StateJson(*providers, state, diags), diags)) {
    return 1;
  }
  if (state.empty()) {
    Print(exists ? "The state file is empty. No resources are represented.\n"
                 : std::string(view::kNoState) + "\n");
    return 0;
  }
  view::SourceSchemas schemas(providers->source());
  return PrintState(invocation_, state, schemas, form_, diags);
}

int ShowForms::ServicePlan(const Fetch& fetch, Diagnostics& diags) {
  if (form_.why) {
    return ReportNoCauses(diags);
  }
  const bool document = form_.json || form_.html || form_.risks;
  if (document || form_.copy->wanted()) {
    auto fetched = fetch(false);
    if (!fetched) {
      return 1;
    }
    fetched->document += '\n';
    if (document) {
      return PrintDocument(std::move(fetched->document), form_, diags);
    }
    form_.copy->Write(fetched->document);
  }
  auto fetched = fetch(true);
  return fetched ? PrintServicePlan(invocation_, *std::move(fetched), form_, diags) : 1;
}

}  // namespace kinu::cli
