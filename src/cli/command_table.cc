#include <utility>

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
    {"check", "Check assertions about plans and states", RunCheck, &kCheckHelp},
    {"console", "Try OpenTofu expressions at an interactive command prompt", RunConsole,
     &kConsoleHelp, UsageStyle::kHelp, false, true},
    {"convert", "Convert files between native and JSON syntax", RunConvert, &kConvertHelp},
    {"eval", "Evaluate expressions in a batch, as JSON lines", RunEval, &kEvalHelp},
    {"fmt", "Reformat your configuration in the standard style", RunFmt, &kFmtHelp,
     UsageStyle::kHelp, false, true},
    {"force-unlock", "Release a stuck lock on the current workspace", RunForceUnlock,
     &kForceUnlockHelp, UsageStyle::kHelp, false, true},
    {"get", "Install or upgrade remote OpenTofu modules", RunGet, &kGetHelp, UsageStyle::kHelp,
     false, true},
    {"graph", "Generate a Graphviz graph of the steps in an operation", RunGraph, &kGraphHelp,
     UsageStyle::kHelp, false, true},
    {"hcldec", "Decode HCL files by a specification, as JSON", RunHcldec, &kHcldecHelp},
    {"import", "Associate existing infrastructure with a OpenTofu resource", RunImport,
     &kImportHelp, UsageStyle::kHelp, false, true},
    {"login", "Obtain and save credentials for a remote host", RunLogin, &kLoginHelp,
     UsageStyle::kHelp, false, true},
    {"logout", "Remove locally-stored credentials for a remote host", RunLogout, &kLogoutHelp,
     UsageStyle::kHelp, false, true},
    {"metadata", "Metadata related commands", nullptr, &kMetadataHelp, UsageStyle::kHelp, false,
     false},
    {"metadata functions", "Show signatures and descriptions for the available functions",
     RunMetadataFunctions, &kMetadataFunctionsHelp, UsageStyle::kHelp, false, false},
    {"output", "Show output values from your root module", RunOutput, &kOutputHelp},
    {"providers", "Show information about required providers", RunProviders, &kProvidersHelp,
     UsageStyle::kHelp, false, true},
    {"providers lock", "Write out dependency locks for the configured providers", RunProvidersLock,
     &kProvidersLockHelp, UsageStyle::kHelp, false, true},
    {"providers mirror", "Save local copies of all required provider plugins", RunProvidersMirror,
     &kProvidersMirrorHelp, UsageStyle::kHelp, false, true},
    {"providers schema", "Show schemas of the providers in use", RunProvidersSchema,
     &kProvidersSchemaHelp, UsageStyle::kHelp},
    {"query", "Find values in plans, states and other JSON documents", RunQuery, &kQueryHelp},
    {"refresh", "Update the state to match remote systems", RunRefresh, &kRefreshHelp},
    {"schema", "Print the JSON Schema of a document", RunSchema, &kSchemaHelp},
    {"show", "Show the current state or a saved plan", RunShow, &kShowHelp},
    {"state", "Advanced state management", nullptr, &kStateHelp, UsageStyle::kHelp},
    {"state list", "List resources in the state", RunStateList, &kStateListHelp, UsageStyle::kHelp},
    {"state mv", "Move an item in the state", RunStateMv, &kStateMvHelp, UsageStyle::kHelp, false,
     true},
    {"state pull", "Pull current state and output to stdout", RunStatePull, &kStatePullHelp,
     UsageStyle::kHelp, false, true},
    {"state push", "Update remote state from a local state file", RunStatePush, &kStatePushHelp,
     UsageStyle::kHelp, false, true},
    {"state replace-provider", "Replace provider in the state", RunStateReplaceProvider,
     &kStateReplaceProviderHelp, UsageStyle::kHelp, false, true},
    {"state rm", "Remove instances from the state", RunStateRm, &kStateRmHelp, UsageStyle::kHelp,
     false, true},
    {"state show", "Show a resource in the state", RunStateShow, &kStateShowHelp, UsageStyle::kHelp,
     false, true},
    {"taint", "Mark a resource instance as not fully functional", RunTaint, &kTaintHelp,
     UsageStyle::kHelp, false, true},
    {"test", "Execute integration tests for OpenTofu modules", RunTest, &kTestHelp},
    {"untaint", "Remove the 'tainted' state from a resource instance", RunUntaint, &kUntaintHelp,
     UsageStyle::kHelp, false, true},
    {"version", "Show the current version", RunVersion, &kVersionHelp, UsageStyle::kHelp, false,
     true},
    {"workspace", "Workspace management", RunWorkspace, &kWorkspaceHelp, UsageStyle::kHelp, false,
     true},
    {"workspace delete", "Delete a workspace", RunWorkspaceDelete, &kWorkspaceDeleteHelp,
     UsageStyle::kHelp, false, true},
    {"workspace list", "List workspaces", RunWorkspaceList, &kWorkspaceListHelp, UsageStyle::kHelp,
     false, true},
    {"workspace new", "Create a new workspace", RunWorkspaceNew, &kWorkspaceNewHelp,
     UsageStyle::kHelp, false, true},
    {"workspace select", "Select a workspace", RunWorkspaceSelect, &kWorkspaceSelectHelp,
     UsageStyle::kHelp, false, true},
    {"workspace show", "Show the name of the current workspace", RunWorkspaceShow,
     &kWorkspaceShowHelp, UsageStyle::kHelp, false, true},
};

}  // namespace

std::span<const CommandSpec> Commands() {
  return kCommands;
}

const CommandSpec* FindCommand(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kAliases[] = {
      {"state ls", "state list"}, {"state move", "state mv"}, {"state remove", "state rm"}};
  for (const auto& [alias, meant] : kAliases) {
    if (name == alias) {
      name = meant;
    }
  }
  for (const CommandSpec& command : kCommands) {
    if (command.name == name) {
      return &command;
    }
  }
  return nullptr;
}

}  // namespace kinu::cli
