#include "operation/show.h"

#include <algorithm>
#include <utility>

#include "operation/documents.h"
#include "operation/saved_plan.h"
#include "plan_json/plan_file.h"
#include "session/open_workspace.h"
#include "trace/trace.h"

namespace kinu::operation {
namespace {

using Target = ShowRequest::Target;

/// The reasons why a plan file cannot be used, in the words for a file that was only guessed to be
/// one or for that of -plan.
Diagnostics OfUnusablePlan(const Diagnostics& diags, bool guessed) {
  Diagnostics out;
  for (const Diagnostic& problem : diags) {
    if (!problem.is_error() || problem.kind != DiagnosticKind::kUnreadablePlan) {
      out.Add(problem);
    } else if (guessed) {
      out.Error("Couldn't show local plan", "Plan read error: " + problem.detail);
    } else {
      out.Error(problem.detail, "");
    }
  }
  return out;
}

/// Reports that the file of -plan is no plan file.
int ReportNoPlan(const std::string& path, const Error& error, Diagnostics& diags) {
  const std::string missing = "open " + path + ": no such file or directory";
  diags.Error(error.code == ErrorCode::kNotFound
                  ? "couldn't load the provided path as either a local plan file (" + missing +
                        ") or a saved cloud plan (" + missing + ")"
                  : NoPlanText(path, error),
              "");
  return 1;
}

/// Reports why a file is neither plan nor state. The reader that knows the file says why.
/// Ref: opentofu internal/command/show.go legacyShowFromPath.
void ReportNeither(const std::string& path, const Error& not_plan, const Error& not_state,
                   Diagnostics& diags) {
  if (IsUnusablePlan(not_plan)) {
    diags.Error("Couldn't show local plan", "Plan read error: " + not_plan.message);
  } else if (not_plan.code != ErrorCode::kInvalid) {
    const std::string& why = not_plan.message;
    diags.Error("Failed to read the given file as a state or plan file",
                "State read error: Error loading statefile: " + why +
                    "\n\nPlan read error: couldn't load the provided path as either a local plan "
                    "file (" +
                    why + ") or a saved cloud plan (" + why + ")");
  } else if (not_state.code == ErrorCode::kInvalid) {
    diags.Error("Couldn't show state file", "State read error: " + not_state.message);
  } else {
    diags.Error("Failed to read the given file as a state or plan file",
                "State read error: Error reading " + path + " as a statefile: " +
                    not_state.message + "\n\nPlan read error: " + NoPlanText(path, not_plan));
  }
}

/// Whether there are errors, other than documents that cannot be written. Those are found after
/// everything else.
bool HasEarlyErrors(const Diagnostics& diags) {
  return std::ranges::any_of(diags, [](const Diagnostic& problem) {
    return problem.is_error() &&
           dynamic_cast<const view::UnwrittenDocument*>(problem.extra.get()) == nullptr;
  });
}

/// Warnings that were set aside are shown if there are errors, before these.
void ShowBesideErrors(Diagnostics warnings, Diagnostics& diags) {
  if (HasEarlyErrors(diags)) {
    warnings.Append(std::move(diags));
    diags = std::move(warnings);
  }
}

/// One call of Show().
class Shower {
 public:
  Shower(const session::Workspace& workspace, const ShowRequest& request, ShowView& view,
         Diagnostics& diags)
      : workspace_(workspace), request_(request), view_(view), diags_(diags) {}

  int CurrentState();
  int File();
  int Configuration();

 private:
  /// Whether that the file is a plan is a guess.
  bool guessed() const { return request_.target == Target::kFile; }
  /// Whether the encryption of the root module is right and, where another module is shown, which
  /// does not read it again, all of the root is readable.
  bool CheckRoot();
  /// Shows a plan file or, if it was guessed, whichever kind of file it is.
  int SealedFile(const encryption::Encryption& encryption);
  /// Shows the plan that a file names.
  int ServicePlan(const CloudPlan& plan);
  /// Shows a file that is no plan file as a state. `not_plan` is why it is no plan.
  int StateFile(const state::Sealer& sealer, const Error& not_plan);
  int RefusePositions() {
    ReportNoPositions(diags_);
    return 1;
  }

  const session::Workspace& workspace_;
  const ShowRequest& request_;
  ShowView& view_;
  Diagnostics& diags_;
  bool files_are_valid_ = false;  ///< those of the root module, after SealedFile()
};

int Shower::ServicePlan(const CloudPlan& plan) {
  if (request_.positions) {
    return RefusePositions();
  }
  const auto fetch = [&](bool redacted) -> std::optional<FetchedPlan> {
    auto fetched = FetchCloudPlan(workspace_, request_.variables, plan, redacted);
    if (!fetched) {
      const std::string& why = fetched.error().message;
      diags_.Error(guessed() ? "Couldn't show cloud plan" : why,
                   guessed() ? "Plan read error: " + why : "");
      return std::nullopt;
    }
    return *std::move(fetched);
  };
  return view_.ServicePlan(fetch, diags_);
}

int Shower::StateFile(const state::Sealer& sealer, const Error& not_plan) {
  const auto state = ReadStateFile(request_.path, sealer);
  if (!state) {
    ReportNeither(request_.path, not_plan, state.error(), diags_);
    return 1;
  }
  // All modules must be valid, as for the current state.
  session::OpenWorkspace open(workspace_);
  open.LoadModules({.variables = request_.variables});
  if (open.of_modules().has_errors()) {
    diags_.Append(open.of_modules());
    return 1;
  }
  return view_.State(*state, *open.loaded.config, true, diags_);
}

int Shower::SealedFile(const encryption::Encryption& encryption) {
  const std::string& path = request_.path;
  const auto file = plan::PlanFile::Open(path, *encryption.plan());
  if (!session::CheckFiles(workspace_, request_.variables, file ? &*file : nullptr, diags_)) {
    return 1;
  }
  diags_ = Diagnostics();  // warnings about the configuration are for those who work with it
  files_are_valid_ = true;
  if (file) {
    const int code = view_.Plan(*file, diags_);
    diags_ = OfUnusablePlan(diags_, guessed());
    return code;
  }
  if (const auto named = ReadCloudPlan(path)) {
    return ServicePlan(*named);
  }
  if (guessed()) {
    return StateFile(*encryption.state(), file.error());
  }
  if (IsUnusablePlan(file.error())) {
    diags_.Error(file.error().message, "");
    return 1;
  }
  return ReportNoPlan(path, file.error(), diags_);
}

int Shower::File() {
  const trace::Span span("kinu/cli", guessed() ? "Show" : "Show Plan");
  if (request_.path == "-" || IsDocument(request_.path)) {
    if (request_.positions) {
      return RefusePositions();
    }
    auto text = ReadDocument(workspace_, request_.path, {}, diags_);
    return text ? view_.Document(*std::move(text), diags_) : 1;
  }
  const auto encryption = session::LoadEncryption(workspace_, request_.variables, diags_);
  if (!encryption) {
    return 1;
  }
  Diagnostics warnings = std::exchange(diags_, {});
  const int code = SealedFile(**encryption);
  if (HasEarlyErrors(diags_) && warnings.empty() && files_are_valid_) {
    // Without encryption nobody has loaded them.
    (void)session::Load(
        workspace_, {.intent = session::LoadIntent::kEncryption, .variables = request_.variables},
        warnings);
  }
  ShowBesideErrors(std::move(warnings), diags_);
  return code;
}

int Shower::CurrentState() {
  const trace::Span span("kinu/cli", "Show State");
  session::OpenWorkspace open(workspace_);
  open.LoadModules({.variables = request_.variables});
  // The root module alone chooses the backend. Only a state to show needs the other modules.
  const bool broken = open.of_modules().has_errors();
  if (!open.CheckRoot(diags_) || !open.OpenBackend({}, diags_)) {
    return 1;
  }
  Diagnostics warnings = std::exchange(diags_, {});
  const auto program = std::make_shared<Program>();
  std::optional<trace::Span> reading(std::in_place, "kinu/cli", "Get State from Backend");
  auto store = open.backend->backend->Open(workspace_.Name(), program);
  Result<state::State> state = store ? (*store)->View(program) : std::unexpected(store.error());
  reading.reset();
  if (!state) {
    diags_.Error((store ? "failed to load state: " : "failed to load state manager: ") +
                     state.error().message,
                 "");
    ShowBesideErrors(std::move(warnings), diags_);
    return 1;
  }
  const bool from_file = (*store)->exports_absent_state();
  int code = 1;
  if (broken && (from_file || !state->absent())) {
    diags_.Append(open.of_modules());
  } else {
    code = view_.State(*state, *open.loaded.config, from_file, diags_);
  }
  ShowBesideErrors(std::move(warnings), diags_);
  return code;
}

bool Shower::CheckRoot() {
  if (request_.target != Target::kModule) {
    return session::LoadEncryption(workspace_, request_.variables, diags_).has_value();
  }
  const session::Loaded loaded = session::Load(
      workspace_, {.intent = session::LoadIntent::kEncryption, .variables = request_.variables},
      diags_);
  return !diags_.has_errors() && session::SetUpEncryption(workspace_, loaded, diags_);
}

int Shower::Configuration() {
  if (!CheckRoot()) {
    return 1;
  }
  Diagnostics warnings = std::exchange(diags_, {});
  auto text =
      request_.target == Target::kModule
          ? ModuleJson(workspace_, request_.path, request_.variables, request_.positions, diags_)
          : ConfigurationJson(workspace_, request_.variables, request_.positions, diags_);
  if (!text) {
    ShowBesideErrors(std::move(warnings), diags_);
    return 1;
  }
  diags_ = Diagnostics();  // of warnings, which programs that read the document do not expect
  return view_.Configuration(*std::move(text));
}

}  // namespace

void ReportNoPositions(Diagnostics& diags) {
  diags.Error(
      "No source positions",
      "Only plan files and configurations have source positions: a state or a document does "
      "not say where its configuration is.");
}

int Show(const session::Workspace& workspace, const ShowRequest& request, ShowView& view,
         Diagnostics& diags) {
  Shower shower(workspace, request, view, diags);
  switch (request.target) {
    case Target::kState:
      return shower.CurrentState();
    case Target::kFile:
    case Target::kPlanFile:
      return shower.File();
    case Target::kConfiguration:
    case Target::kModule:
      break;
  }
  return shower.Configuration();
}

}  // namespace kinu::operation
