#include <utility>

#include "base/files.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "engine/picture.h"
#include "operation/saved_plan.h"
#include "session/provider_installation.h"
#include "view/dot.h"

namespace kinu::cli {
namespace {

/// Finds the providers and reads the state without a lock. Returns false after an error.
bool ReadPriorState(Operation& operation, Diagnostics& diags) {
  if (!operation.OpenBackend({}, diags) || !operation.OpenProviders(diags)) {
    return false;
  }
  const std::shared_ptr<Program>& program = operation.root().program;
  auto opened = operation.backend->backend->Open(operation.workspace.Name(), program);
  auto state =
      opened ? (*opened)->Read(program) : Result<state::State>(std::unexpected(opened.error()));
  if (!state) {
    diags.Error("error loading state: " + state.error().message, "");
    return false;
  }
  operation.prior = std::move(*state);
  return true;
}

/// Opens a saved plan and its state, which is not locked. Returns false after an error.
bool OpenPlan(OperationRun& run, const std::string& path, plan::Plan& plan) {
  const session::Workspace& workspace = run.invocation.workspace;
  PlanRequest request;
  request.kind = OperationKind::kApply;
  request.variables = VariableArguments(run.flags);
  request.lock = false;
  const auto encryption = session::LoadEncryption(workspace, request.variables, run.diags);
  if (!encryption) {
    return false;
  }
  run.operation.encryption = *encryption;
  const auto file = plan::PlanFile::Open(path, *(*encryption)->plan());
  if (!session::CheckFiles(workspace, request.variables, file ? &*file : nullptr, run.diags)) {
    return false;
  }
  if (!file && run.diags.empty()) {
    // Without encryption nobody has loaded the root module, whose warnings come first.
    (void)session::Load(
        workspace, {.intent = LoadIntent::kEncryption, .variables = request.variables}, run.diags);
  }
  if (!file && !operation::IsUnusablePlan(file.error())) {
    run.diags.Error("Failed loading the plan file", file.error().message);
    return false;
  }
  return operation::OpenSavedPlan(request, path, run.operation, plan, *run.audience, run.diags,
                                  operation::SavedPlanUse::kDraw);
}

/// Loads the configuration and reads the state. Returns false after an error. Only the graph of a
/// plan has the objects of the state.
bool OpenConfiguration(OperationRun& run, std::string_view type, plan::Plan& plan) {
  Operation& operation = run.operation;
  const auto variables = VariableArguments(run.flags);
  operation.LoadModules({.intent = LoadIntent::kOperation, .variables = variables});
  Diagnostics warnings;  // beside the errors of modules
  const auto read_state = [&](Diagnostics& diags) {
    const bool read = ReadPriorState(operation, diags);
    if (read && operation.of_modules().has_errors()) {
      warnings = std::exchange(diags, {});
    }
    return read;
  };
  if (!operation.CheckModules(read_state, run.diags)) {
    warnings.Append(std::move(run.diags));
    run.diags = std::move(warnings);
    return false;
  }
  const bool of_plan = type.starts_with("plan");
  const config::Config& config = *operation.loaded.config;
  operation.providers->RequireSelected(config, run.diags);
  session::AdoptProviders(config, operation.prior);
  if (run.diags.has_errors()) {
    return false;
  }
  operation.input = operation::MakeRequest(operation.workspace, config, operation.loaded.variables,
                                           *operation.providers, operation.pool);
  plan.program = operation.loaded.program;
  plan.prior_state = operation.prior.Clone();
  // The plan changes nothing, so no object has a part in its apply.
  operation.input.prior_state = of_plan ? &operation.prior : nullptr;
  return true;
}

engine::Picture Draw(const std::string& type, const engine::Request& input, const plan::Plan& plan,
                     Diagnostics& diags) {
  if (type == "plan") {
    return engine::DrawPlan(input, plan::Mode::kNormal, diags);
  }
  if (type == "plan-refresh-only") {
    return engine::DrawPlan(input, plan::Mode::kRefreshOnly, diags);
  }
  if (type == "plan-destroy") {
    return engine::DrawPlan(input, plan::Mode::kDestroy, diags);
  }
  if (type == "apply") {
    return engine::DrawApply(input, plan, diags);
  }
  if (type == "eval" || type == "validate") {
    diags.Error("Graph type no longer available",
                "The graph type \"" + type +
                    "\" is no longer available. Use -type=plan instead to get a similar result.");
  } else {
    diags.Error("Unsupported graph type",
                "The -type=... argument must be either \"plan\", \"plan-refresh-only\", "
                "\"plan-destroy\", or \"apply\".");
  }
  return {};
}

}  // namespace

static int RunGraph(Invocation& invocation) {
  OperationRun run(invocation);
  run.Parse();
  if (!run.HasNoWords()) {
    return run.Usage();
  }
  if (const auto read = session::CheckPluginDirectories(invocation.workspace); !read) {
    return run.Fail("Error loading plugin path",
                    "The list of -plugin-dir cannot be read: " + read.error().message);
  }
  plan::Plan plan;
  const std::string& path = run.flags.String("plan");
  // A directory is no plan, but no mistake either.
  const bool of_plan = !path.empty() && !IsDirectory(path);
  std::string type = run.flags.String("type");
  if (type.empty()) {
    type = of_plan ? "apply" : "plan";
  }
  if (!(of_plan ? OpenPlan(run, path, plan) : OpenConfiguration(run, type, plan))) {
    return run.Fail();
  }
  engine::Picture picture = Draw(type, run.operation.input, plan, run.diags);
  if (run.diags.has_errors()) {
    return run.Fail();
  }
  // Programs read this, so it comes without warnings.
  Print(view::DotText(std::move(picture), run.flags.Bool("verbose")));
  return 0;
}

constexpr auto kGraphFlags =
    JoinFlags(FlagSpec{.name = "draw-cycles",
                       .help = "Kept for compatibility: graphs with cycles are errors."},
              FlagSpec{.name = "module-depth",
                       .kind = FlagKind::kInt,
                       .default_value = "-1",
                       .form = "=n",
                       .help = "Kept for compatibility, has no effect."},
              FlagSpec{.name = "plan",
                       .kind = FlagKind::kString,
                       .form = "=path",
                       .help = "The graph of applying that saved plan."},
              FlagSpec{.name = "type",
                       .kind = FlagKind::kString,
                       .form = "=plan",
                       .help = "plan, plan-refresh-only, plan-destroy or apply."},
              kVariables, FlagSpec{.name = "verbose"});

extern constexpr CommandSpec kGraphCommand{
    .name = "graph",
    .synopsis = "Generate a Graphviz graph of the steps in an operation",
    .group = CommandGroup::kLanguage,
    .usage = "tofu [global options] graph [options]",
    .description = R"(Prints, in the DOT language, what waits for what when the configuration is
planned or a plan is applied. Graphviz draws pictures of such texts.)",
    .flags = kGraphFlags,
    .help_column = 23,
    .run = RunGraph,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

}  // namespace kinu::cli
