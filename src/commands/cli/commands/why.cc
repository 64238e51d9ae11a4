// why: the causes of planned changes. A plan that is explained and never kept, or a plan file.
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "cli/why_plan.h"
#include "view/source_schemas.h"
#include "why/report.h"

namespace kinu::cli {
namespace {

/// How the value of a variable was given.
std::string OriginOf(const config::InputValue& value) {
  switch (value.source) {
    case config::InputSource::kConfig:
      return "default";
    case config::InputSource::kEnvironment:
      return "environment";
    case config::InputSource::kAutoFile:
    case config::InputSource::kNamedFile:
      return value.range.valid() ? "file " + value.range.file->root().name() : "file";
    case config::InputSource::kCommandLine:
      return "-var";
    case config::InputSource::kPrompt:
    case config::InputSource::kCaller:
    case config::InputSource::kPlan:
      break;
  }
  return "";
}

class WhyRun : public OperationRun {
 public:
  using OperationRun::OperationRun;

  int Run() {
    Parse("Failed to parse command-line flags", false);
    BeSilent();
    json_ = flags.Bool("json");
    const std::vector<std::string>& words = flags.positionals();
    if (words.size() > 2) {
      diags.Error("Too many command line arguments",
                  "The why command takes the address of an object, a block, a module or an output, "
                  "and perhaps a plan file.");
    }
    PlanRequest request = ReadPlanRequest(OperationKind::kPlan, invocation, flags, diags);
    if (diags.has_errors()) {
      return json_ ? Finish({}) : UsageError(invocation, diags);
    }
    address_ = words.empty() ? "" : words[0];
    CatchInterrupts();
    const auto explanation = words.size() == 2 ? OfFile(words[1]) : OfDirectory(request);
    if (explanation && explanation->empty() && !address_.empty() && !explanation->errored) {
      diags.Error("No such object", "Neither the plan nor the state has an object or an output \"" +
                                        address_ + "\".");
    }
    return Finish(explanation.value_or(why::Explanation()));
  }

 private:
  std::optional<why::Explanation> OfFile(const std::string& path) {
    const auto file = OpenPlanToExplain(invocation.workspace, path, diags);
    return file ? ExplainPlanFile(invocation.workspace, *file,
                                  {.address = address_, .since = flags.String("since")}, diags)
                : std::nullopt;
  }

  std::optional<why::Explanation> OfDirectory(PlanRequest& request) {
    request.precondition = [&](Diagnostics& found) {
      return request.mode == plan::Mode::kDestroy || operation::RequireConfiguration("plan", found);
    };
    std::optional<why::Explanation> explanation;
    ReportOnPlan(request, [&](const plan::Plan& plan) { explanation = OfPlan(plan, request); });
    return explanation;
  }

  std::optional<why::Explanation> OfPlan(const plan::Plan& plan, const PlanRequest& request) {
    const config::Config& config = *operation.loaded.config;
    const view::SourceSchemas schemas(operation.providers->source());
    why::Request question{plan, config, schemas};
    question.origin = [this](std::string_view name) {
      const auto found = operation.loaded.variables.find(std::string(name));
      return found == operation.loaded.variables.end() ? "default" : OriginOf(found->second);
    };
    std::optional<EarlierSource> earlier;
    if (const std::string& since = flags.String("since"); !since.empty()) {
      earlier = ReadEarlier(invocation.workspace, since, request.variables, config.program, diags);
      if (!earlier) {
        return std::nullopt;
      }
      invocation.workspace.kept->Add(earlier->config);
      question.earlier = earlier->earlier();
    }
    const auto is_meant = [&](const std::string& address) { return IsMeant(address_, address); };
    return address_.empty() ? why::Explain(question) : why::Explain(question, is_meant);
  }

  /// Prints the explanation and what was reported on the way. Returns the exit code.
  int Finish(why::Explanation explanation) {
    const bool failed = diags.has_errors();
    explanation.errored = explanation.errored || failed;
    std::string text;
    if (json_) {
      why::WriteJson(text, explanation, [&](JsonWriter& json) { WriteProblems(json); });
    } else {
      invocation.Show(diags);
      if (!failed || !explanation.empty()) {
        why::WriteText(text, explanation);
      }
    }
    Print(text);
    return explanation.errored ? 1 : 0;
  }

  std::string address_;
  bool json_ = false;
};

}  // namespace

static int RunWhy(Invocation& invocation) {
  return WhyRun(invocation).Run();
}

constexpr auto kWhyFlags =
    JoinFlags(FlagSpec{.name = "json", .help = "The explanation as one JSON object."},
              FlagSpec{.name = "since",
                       .kind = FlagKind::kString,
                       .form = "=PATH",
                       .help = "An earlier plan file, or a directory with the earlier\n"
                               "configuration: names what has been edited since."},
              kPlanning, kPlanModes, kTargets, kVariables, kParallelism, kOperationLock,
              kStateToRead, kCompactWarnings, kColor, kNoColor);

extern constexpr CommandSpec kWhyCommand{
    .name = "why",
    .synopsis = "Explain why a plan changes an object",
    .group = CommandGroup::kMain,
    .usage = "tofu [global options] why [options] [ADDRESS [PLAN]]",
    .description =
        R"(Explains what a plan does to an object: for each attribute that changes the
expression, what of it has changed and why in turn, down to what somebody did:
an edit, the value of a variable, a file, a change outside, -replace and the
like. ADDRESS means an object, all objects of a block, all of a module or an
output of the root module ("output.name"); without it all changes are explained.

Without PLAN, a plan is made of the working directory, and nothing is written.
PLAN is a plan file.

What cannot be known says so: a state has no earlier values of variables, local
values and files. With -since they can be compared.)",
    .flags = kWhyFlags,
    .run = RunWhy,
};

}  // namespace kinu::cli
