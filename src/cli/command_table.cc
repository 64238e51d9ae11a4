#include "cli/command.h"
#include "cli/commands/commands.h"

namespace kinu::cli {
namespace {

constexpr CommandSpec kCommands[] = {
    {"init", "Prepare your working directory for other commands", RunInit, &kInitHelp,
     UsageStyle::kHelp, false, true},
    {"validate", "Check whether the configuration is valid", RunValidate, &kValidateHelp},
    {"plan", "Show changes required by the current configuration", RunPlan, &kPlanHelp},
    {"apply", "Create or update infrastructure", RunApply, &kApplyHelp},
    {"destroy", "Destroy previously-created infrastructure", RunDestroy, &kDestroyHelp},
    {"about", "Say what this program is and what it is made of", RunAbout, &kAboutHelp},
    {"eval", "Evaluate expressions in a batch, as JSON lines", RunEval, &kEvalHelp},
    {"output", "Show output values from your root module", RunOutput, &kOutputHelp},
    {"providers", "Show information about required providers", nullptr, &kProvidersHelp,
     UsageStyle::kHelp},
    {"providers schema", "Show schemas of the providers in use", RunProvidersSchema,
     &kProvidersSchemaHelp, UsageStyle::kHelp},
    {"show", "Show the current state or a saved plan", RunShow, &kShowHelp},
    {"state", "Advanced state management", nullptr, &kStateHelp, UsageStyle::kHelp},
    {"state list", "List resources in the state", RunStateList, &kStateListHelp, UsageStyle::kHelp},
    {"version", "Show the current version", RunVersion, &kVersionHelp, UsageStyle::kHelp},
};

}  // namespace

std::span<const CommandSpec> Commands() {
  return kCommands;
}

const CommandSpec* FindCommand(std::string_view name) {
  if (name == "state ls") {
    name = "state list";
  }
  for (const CommandSpec& command : kCommands) {
    if (command.name == name) {
      return &command;
    }
  }
  return nullptr;
}

}  // namespace kinu::cli
