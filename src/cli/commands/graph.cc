#include "base/files.h"
#include "cli/flag_groups.h"
#include "cli/saved_plan.h"
#include "engine/picture.h"
#include "engine/plan.h"
#include "view/dot.h"

namespace kinu::cli {

namespace {

/// Those of an operation that changes nothing.
constexpr FlagSpec kQuietFlags[] = {
    {"lock", FlagKind::kBool, "true"}, {"lock-timeout", FlagKind::kDuration, "0s"},
    {"state", FlagKind::kString},      {"state-out", FlagKind::kString},
    {"backup", FlagKind::kString},     {"parallelism", FlagKind::kInt, "10"}};

/// Finds the providers and reads the state, which is not changed and so not locked.
bool ReadPriorState(const Invocation& invocation, const Loaded& root, Operation& operation,
                    Diagnostics& diags) {
  operation.backend = session::ChooseBackend(invocation.workspace, root, {}, diags);
  if (!operation.backend) {
    return false;
  }
  operation.providers = session::ProviderSet::Open(invocation.workspace, diags);
  if (diags.has_errors() ||
      !operation.providers->RequirePackages(session::ProviderSet::Missing::kAdvice, diags)) {
    return false;
  }
  auto opened = operation.backend->backend->Open(invocation.workspace.Name(), root.program);
  auto state = opened ? (*opened)->Read(root.program)
                      : Result<state::State>(std::unexpected(opened.error()));
  if (!state) {
    diags.Error("error loading state: " + state.error().message, "");
    return false;
  }
  operation.prior = std::move(*state);
  return true;
}

}  // namespace

static int RunGraph(Invocation& invocation) {
  Diagnostics diags;
  const Flags flags = Flags::Read(invocation.command->flags, invocation.args, diags);
  if (!diags.has_errors() && !flags.positionals().empty()) {
    diags.Error("Unexpected argument",
                "Too many command line arguments. Did you mean to use -chdir?");
  }
  std::vector<config::VariableArgument> variables = VariableArguments(flags);
  if (diags.has_errors()) {
    return UsageError(invocation, diags);
  }
  auto fail = [&] {
    invocation.Show(diags);
    return 1;
  };
  Operation operation;
  plan::Plan plan;
  engine::Request& input = operation.input;
  std::string path = flags.String("plan");
  std::string type = flags.String("type");
  if (IsDirectory(path)) {
    path.clear();  // no plan, but no mistake either
  }
  if (!path.empty()) {
    auto file = plan::PlanFile::Open(path);
    if (!session::FilesAreRight(invocation.workspace, variables, file ? &*file : nullptr, diags)) {
      return fail();
    }
    // Nothing is changed, so the state is not locked.
    const std::vector<std::string> no_lock{"-lock=false"};
    auto settings = Flags::Parse(kQuietFlags, no_lock);
    auto audience = Audience::Make(invocation, nullptr, diags);
    if (!file && !IsUnusablePlan(file.error())) {
      diags.Error("Failed loading the plan file", file.error().message);
      return fail();
    }
    if (!OpenSavedPlan(invocation, *settings, path, operation, plan, *audience, diags, true)) {
      return fail();
    }
  } else {
    operation.loaded = session::Load(
        invocation.workspace, {.intent = LoadIntent::kOperation, .variables = variables}, diags);
    if (diags.has_errors()) {
      // What is wrong with the state is told before what is wrong below the root module.
      Diagnostics before;
      const Loaded root = session::Load(
          invocation.workspace, {.intent = LoadIntent::kBackend, .variables = variables}, before);
      if (session::StopsEarly(before) ||
          (!before.has_errors() && !ReadPriorState(invocation, root, operation, before))) {
        diags = std::move(before);
      }
      return fail();
    }
    if (!ReadPriorState(invocation, operation.loaded, operation, diags)) {
      return fail();
    }
    operation.providers->RequireSelected(*operation.loaded.config, diags);
    if (diags.has_errors() || !operation.providers->RequireForState(
                                  operation.prior, operation.loaded.config.get(), diags)) {
      return fail();
    }
    session::AdoptProviders(*operation.loaded.config, operation.prior);
    input.config = operation.loaded.config.get();
    input.prior_state = &operation.prior;
    input.variables = &operation.loaded.variables;
    input.providers = &operation.providers->source();
    input.pool = &operation.pool;
    plan.program = operation.loaded.program;
    plan.prior_state = operation.prior.Clone();
  }
  if (type.empty()) {
    type = path.empty() ? "plan" : "apply";
  }
  engine::Picture picture;
  if (type == "plan") {
    picture = engine::DrawPlan(input, plan::Mode::kNormal, diags);
  } else if (type == "plan-refresh-only") {
    picture = engine::DrawPlan(input, plan::Mode::kRefreshOnly, diags);
  } else if (type == "plan-destroy") {
    picture = engine::DrawPlan(input, plan::Mode::kDestroy, diags);
  } else if (type == "apply") {
    picture = engine::DrawApply(input, plan, diags);
  } else if (type == "eval" || type == "validate") {
    diags.Error("Graph type no longer available",
                "The graph type \"" + type +
                    "\" is no longer available. Use -type=plan instead to get a similar result.");
  } else {
    diags.Error("Unsupported graph type",
                "The -type=... argument must be either \"plan\", \"plan-refresh-only\", "
                "\"plan-destroy\", or \"apply\".");
  }
  if (diags.has_errors()) {
    return fail();
  }
  // Programs read this, so it comes without warnings.
  Print(view::DotText(std::move(picture), flags.Bool("verbose")));
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
