#include <algorithm>

#include "base/environment.h"
#include "base/files.h"
#include "base/program_name.h"
#include "cli/command_help.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "compatibility/features.h"
#include "json/writer.h"
#include "session/state_handle.h"

namespace kinu::cli {
namespace {

bool Overridden() {
  return !Environment("TF_WORKSPACE").empty();
}

/// Warns whoever calls "tofu env". Always true.
bool WarnOfOldName(CommandRun& run) {
  if (!run.invocation.old_name) {
    return true;
  }
  if (run.audience->json() != nullptr) {
    run.audience->json()->Message(
        view::JsonUi::Level::kWarn,
        Hint("The \"tofu env\" family of commands is deprecated. Use \"tofu workspace\" instead"));
  }
  if (!run.json_only()) {
    Diagnostics diags;
    diags.Warning(Hint("The \"tofu env\" family of commands is deprecated"),
                  Hint("What was called an environment is called a workspace now: use the commands "
                       "\"tofu workspace\". Those of \"tofu env\" will be removed."));
    run.invocation.Show(diags);
  }
  return true;
}

/// Takes exactly one word: the name.
bool TakeName(CommandRun& run, std::string& name) {
  if (WordsFit(run.flags.positionals(), 1)) {
    name = run.flags.positionals()[0];
  } else {
    WordsError(run.diags, WrongWordsSummary(kWrongWords, run.flags.positionals(), 1),
               "Expected a single argument: NAME.");
  }
  return run.ArgumentsFit() && WarnOfOldName(run);
}

bool TakeNothing(CommandRun& run) {
  if (!run.flags.positionals().empty()) {
    WordsError(run.diags, "Unexpected argument",
               "Too many command line arguments. Did you mean to use -chdir?");
  }
  return run.ArgumentsFit() && WarnOfOldName(run);
}

void Paint(CommandRun& run, std::string_view markup, const std::string& plain) {
  if (run.audience->json() != nullptr) {
    run.audience->json()->Message(view::JsonUi::Level::kInfo, plain);
  }
  run.audience->Text(run.invocation.style().Paint(std::string(markup)) + "\n");
}

void SayCreated(CommandRun& run, const std::string& name) {
  std::string heading = "Created and switched to workspace \"" + name + "\"!";
  std::string rest = Hint(
      "\n\nYou're now on a new, empty workspace. Workspaces isolate their state,\n"
      "so if you run \"tofu plan\" OpenTofu will not see any existing state\n"
      "for this configuration.");
  Paint(
      run, "[reset][green][bold]" + heading + "[reset][green]" + rest,
      "Created and switched to workspace \"" + name +
          Hint(
              "\". You're now on a new, empty workspace. Workspaces isolate their state, so if you "
              "run \"tofu plan\" OpenTofu will not see any existing state for this configuration"));
}

int DoesNotExist(CommandRun& run, const std::string& name) {
  return run.Refuse(
      "Workspace \"" + name +
          "\" doesn't exist. You can create this workspace with the \"new\" subcommand or include "
          "the \"-or-create\" flag with the \"select\" subcommand",
      "Workspace \"" + name + "\" doesn't exist",
      Hint("Create it with \"tofu workspace new\", or add -or-create to \"tofu workspace "
           "select\"."));
}

int InvalidName(CommandRun& run, const std::string& name) {
  return run.Refuse(
      "The workspace name \"" + name +
          "\" is not allowed. The name must contain only URL safe characters, and no path "
          "separators",
      "Invalid workspace name",
      "The name \"" + name +
          "\" cannot be used: a workspace's name has only characters that need no escaping in a "
          "URL, and no slash.");
}

/// Writes the state in a file into a new workspace. The flag -state names the file of every
/// workspace, so the state is read from where it is written to: the workspace itself stays empty,
/// as the reference leaves it.
int CopyIntoNew(CommandRun& run, const std::string& name, const std::string& path) {
  const auto target = run.ChooseBackend({.state = path});
  if (!target) {
    return run.Fail();
  }
  auto opened = session::StateHandle::Open(*target, name, run.program);
  if (!opened) {
    return run.Fail("Error getting the state manager for the new workspace",
                    opened.error().message);
  }
  if (run.flags.Bool("lock") && !opened->Lock(run.LockRequestFor("workspace-new"), run.diags)) {
    return run.Fail();
  }
  auto bytes = ReadFile(path);
  if (!bytes) {
    return run.Fail("Error opening the given state", bytes.error().message);
  }
  auto state = state::ReadGivenState(run.program, std::move(*bytes));
  if (!state) {
    return run.Fail("Error reading the given state", state.error().message);
  }
  (void)opened->store().Read(run.program);
  if (auto written = opened->store().Write(*state); !written) {
    return run.Fail("Error writing the new state", written.error().message);
  }
  return 0;
}

/// A line for each object in a state.
std::string ListObjects(const state::State& state, bool& has_managed) {
  std::string list;
  for (const auto& resource : state.resources) {
    for (const state::Instance& instance : resource->instances) {
      const std::string address =
          state.program->ToText(ResourceInstance{resource->address, instance.key});
      has_managed = has_managed || resource->address.resource.mode == ResourceMode::kManaged;
      if (instance.current != nullptr) {
        list += "\n  - " + address;
      }
      for (const state::DeposedObject& deposed : instance.deposed) {
        list += "\n  - " + address + " (deposed object " + deposed.key + ")";
      }
    }
  }
  return list;
}

/// Reads the state of a workspace that is to be deleted, under a lock. Nothing after an error,
/// which has been shown.
std::optional<state::State> ReadDoomed(CommandRun& run, const session::ConfiguredBackend& chosen,
                                       const std::string& name) {
  auto opened = session::StateHandle::Open(chosen, name, run.program);
  if (!opened) {
    run.Fail("Failed to fetch the state", opened.error().message);
    return std::nullopt;
  }
  if (run.flags.Bool("lock") &&
      !opened->Lock(run.LockRequestFor("state-replace-provider"), run.diags)) {
    run.Fail();
    return std::nullopt;
  }
  auto state = opened->store().Read(run.program);
  if (!state) {
    run.Fail("Failed to refresh state", state.error().message);
    return std::nullopt;
  }
  return *std::move(state);
}

/// Warns of objects that nothing manages any more.
void WarnOfObjects(CommandRun& run, const std::string& name) {
  if (run.audience->json() != nullptr) {
    run.audience->json()->Message(
        view::JsonUi::Level::kWarn,
        "\"" + name +
            "\" was non-empty. The resources managed by the deleted workspace may still exist, "
            "but are no longer manageable by OpenTofu since the state has been deleted");
  }
  if (!run.json_only()) {
    run.diags.Warning("\"" + name + "\" was non-empty",
                      "The objects that the workspace kept track of may still exist, but "
                      "nothing manages them any more.");
    run.invocation.Show(run.diags);
  }
}

}  // namespace

static int RunWorkspace(Invocation& invocation) {
  CommandRun run(invocation);
  run.Parse();
  const bool later = compatibility::Has(compatibility::Feature::kArgumentErrors);
  if (later && !run.diags.has_errors() && run.flags.positionals().empty()) {
    Print(HelpText(*invocation.command));
    return 1;
  }
  (void)TakeNothing(run);
  return run.Usage();
}

static int RunWorkspaceList(Invocation& invocation) {
  CommandRun run(invocation);
  run.beside_errors = session::BackendWarnings::kLeftOut;
  run.Parse();
  if (!TakeNothing(run)) {
    return run.Usage();
  }
  const auto chosen = run.ChooseBackend({});
  if (!chosen) {
    return run.Fail();
  }
  auto names = chosen->backend->Workspaces();
  if (!names) {
    return run.Fail("Error loading workspaces", names.error().message);
  }
  std::string current = invocation.workspace.Name();
  std::string text;
  for (const std::string& name : *names) {
    text += (name == current ? "* " : "  ") + name + "\n";
  }
  if (view::JsonUi* json = run.audience->json()) {
    std::string list;
    JsonWriter out(list);
    out.BeginArray();
    for (const std::string& name : *names) {
      out.String(name);
    }
    out.EndArray();
    std::string current_text;
    JsonWriter current_out(current_text);
    current_out.String(current);
    json->Message(view::JsonUi::Level::kInfo, "list of workspaces", "workspace_list",
                  {{"workspaces", list}, {"current_workspace", current_text}});
  }
  run.audience->Text(text + "\n");
  if (Overridden()) {
    if (run.audience->json() != nullptr) {
      run.audience->json()->Message(view::JsonUi::Level::kInfo,
                                    "The active workspace is being overridden using the "
                                    "TF_WORKSPACE environment variable");
    }
    run.audience->Text(
        "\n\nThe active workspace is being overridden using the TF_WORKSPACE environment\n"
        "variable.\n\n");
  }
  return 0;
}

static int RunWorkspaceShow(Invocation& invocation) {
  CommandRun run(invocation);
  run.Parse();
  if (!TakeNothing(run)) {
    return run.Usage();
  }
  if (!session::IsValidWorkspaceName(Environment("TF_WORKSPACE"))) {
    return run.Fail("Error getting the current workspace",
                    "Invalid workspace name set using TF_WORKSPACE.");
  }
  Print(invocation.workspace.Name() + "\n");
  return 0;
}

static int RunWorkspaceNew(Invocation& invocation) {
  CommandRun run(invocation);
  run.Parse();
  std::string name;
  if (!TakeName(run, name)) {
    return run.Usage();
  }
  if (!session::IsValidWorkspaceName(name)) {
    return InvalidName(run, name);
  }
  if (Overridden() && invocation.workspace.Name() != name) {
    return run.Refuse(
        "The workspace is currently overridden using the TF_WORKSPACE environment variable. You "
        "cannot create a new workspace when using this setting. To create a new workspace, either "
        "unset this environment variable or update it to match the workspace name you are trying "
        "to create, and then run this command again",
        "The workspace is overridden using the TF_WORKSPACE environment variable",
        "Unset TF_WORKSPACE, or set it to the name of the new workspace, and try again.");
  }
  run.backend_comes_first = true;
  const auto chosen = run.ChooseBackend({});
  if (!chosen) {
    return run.Fail();
  }
  auto names = chosen->backend->Workspaces();
  if (!names) {
    return run.Fail("Error getting existing workspaces", names.error().message);
  }
  if (std::find(names->begin(), names->end(), name) != names->end()) {
    const std::string summary = "Workspace \"" + name + "\" already exists";
    const bool hints = compatibility::Has(compatibility::Feature::kWorkspaceHint);
    return run.Refuse(
        summary +
            (hints ? Hint(". Use \"tofu workspace select " + name + "\" to switch to it") : ""),
        summary,
        Hint("Select it with \"tofu workspace select " + name + "\", or choose another name."));
  }
  if (auto made = chosen->backend->Open(name, run.program); !made) {
    return run.Fail("Error getting the state manager", made.error().message);
  }
  if (auto selected = invocation.workspace.Select(name); !selected) {
    return run.Fail("Error selecting the new workspace", selected.error().message);
  }
  SayCreated(run, name);
  std::string path = run.flags.String("state");
  if (path.empty()) {
    return 0;
  }
  return CopyIntoNew(run, name, path);
}

/// Whether the root module can be read for its backend. Adds the errors if not.
static bool CheckRoot(CommandRun& run) {
  const auto arguments = VariableArguments(run.flags);
  OpenWorkspace root(run.invocation.workspace);
  root.LoadModules(
      {.intent = LoadIntent::kBackend, .variables = arguments, .encryption_off = true});
  if (root.of_modules().has_errors()) {
    run.diags.Append(root.of_modules());
  }
  return !run.diags.has_errors();
}

static int RunWorkspaceSelect(Invocation& invocation) {
  CommandRun run(invocation);
  run.Parse();
  std::string name;
  if (!TakeName(run, name)) {
    return run.Usage();
  }
  if (Overridden()) {
    if (!CheckRoot(run)) {
      return run.Fail();
    }
    return run.Refuse(
        "The selected workspace is currently overridden using the TF_WORKSPACE environment "
        "variable. To select a new workspace, either update this environment variable or unset it "
        "and then run this command again",
        "The selected workspace is overridden using the TF_WORKSPACE environment variable",
        "Change or unset TF_WORKSPACE, and try again.");
  }
  run.backend_comes_first = true;
  const auto chosen = run.ChooseBackend({});
  if (!chosen) {
    return run.Fail();
  }
  if (!session::IsValidWorkspaceName(name)) {
    return InvalidName(run, name);
  }
  auto names = chosen->backend->Workspaces();
  if (!names) {
    return run.Fail("Error loading workspaces", names.error().message);
  }
  if (name == invocation.workspace.Name()) {
    return 0;
  }
  bool found = std::find(names->begin(), names->end(), name) != names->end();
  if (!found) {
    if (!run.flags.Bool("or-create")) {
      return DoesNotExist(run, name);
    }
    if (auto made = chosen->backend->Open(name, run.program); !made) {
      return run.Fail("Error getting the state manager", made.error().message);
    }
  }
  if (auto selected = invocation.workspace.Select(name); !selected) {
    return run.Fail("Error setting workspace", selected.error().message);
  }
  if (!found) {
    SayCreated(run, name);
  } else {
    std::string text = "Switched to workspace \"" + name + "\".";
    Paint(run, "[reset][green]" + text, "Switched to workspace \"" + name + "\"");
  }
  return 0;
}

static int RunWorkspaceDelete(Invocation& invocation) {
  CommandRun run(invocation);
  run.Parse();
  std::string name;
  if (!TakeName(run, name)) {
    return run.Usage();
  }
  run.backend_comes_first = true;
  const auto chosen = run.ChooseBackend({});
  if (!chosen) {
    return run.Fail();
  }
  auto names = chosen->backend->Workspaces();
  if (!names) {
    return run.Fail("Error loading workspaces", names.error().message);
  }
  if (std::find(names->begin(), names->end(), name) == names->end()) {
    return DoesNotExist(run, name);
  }
  if (name == invocation.workspace.Name()) {
    return run.Refuse("Workspace \"" + name +
                          "\" is your active workspace. You cannot delete the currently active "
                          "workspace. Please switch to another workspace and try again",
                      "Workspace \"" + name + "\" is your active workspace",
                      "The workspace in use cannot be deleted: select another one first.");
  }
  bool has_objects = false;
  {
    const auto state = ReadDoomed(run, *chosen, name);
    if (!state) {
      return 1;
    }
    const std::string list = ListObjects(*state, has_objects);
    if (has_objects && !run.flags.Bool("force")) {
      run.diags.Append(std::move(run.left_warnings));
      return run.Fail("Workspace is not empty",
                      "The workspace \"" + name + "\" keeps track of these objects:" + list +
                          "\n\nIf it were deleted, nothing would know of them any more. "
                          "Destroy them first, or use -force to forget them.");
    }
  }
  auto deleted = run.flags.Bool("force") ? chosen->backend->DeleteWorkspace(name)
                                         : chosen->backend->DeleteUnusedWorkspace(name);
  if (!deleted) {
    return run.Fail("Workspace deletion failed", deleted.error().message);
  }
  std::string text = "Deleted workspace \"" + name + "\"!";
  Paint(run, "[reset][green]" + text, "Deleted workspace \"" + name + "\"");
  if (has_objects) {
    WarnOfObjects(run, name);
  }
  return 0;
}

extern constexpr CommandSpec kWorkspaceCommand{
    .name = "workspace",
    .synopsis = "Workspace management",
    .group = CommandGroup::kStates,
    .usage = "tofu [global options] workspace <subcommand> [options] [args]",
    .lists_subcommands = true,
    .run = RunWorkspace,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

constexpr auto kWorkspaceDeleteFlags = JoinFlags(
    FlagSpec{.name = "force", .help = "Even if its state has objects, which are then forgotten."},
    kBackendVariables, kMessages, kStateLock);

extern constexpr CommandSpec kWorkspaceDeleteCommand{
    .name = "workspace delete",
    .synopsis = "Delete a workspace",
    .usage = "tofu [global options] workspace delete [options] NAME",
    .description = R"(Deletes a workspace and its state.)",
    .flags = kWorkspaceDeleteFlags,
    .run = RunWorkspaceDelete,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

constexpr auto kWorkspaceListFlags = JoinFlags(kBackendVariables, kMessages);

extern constexpr CommandSpec kWorkspaceListCommand{
    .name = "workspace list",
    .synopsis = "List workspaces",
    .usage = "tofu [global options] workspace list [options]",
    .description = R"(Lists the workspaces; the current one has a star.)",
    .flags = kWorkspaceListFlags,
    .run = RunWorkspaceList,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

constexpr auto kWorkspaceNewFlags =
    JoinFlags(FlagSpec{.name = "state",
                       .kind = FlagKind::kString,
                       .form = "=path",
                       .help = "Start with a copy of this state file."},
              kBackendVariables, kMessages, kStateLock);

extern constexpr CommandSpec kWorkspaceNewCommand{
    .name = "workspace new",
    .synopsis = "Create a new workspace",
    .usage = "tofu [global options] workspace new [options] NAME",
    .description = R"(Makes a workspace with an empty state and selects it.)",
    .flags = kWorkspaceNewFlags,
    .run = RunWorkspaceNew,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

constexpr auto kWorkspaceSelectFlags =
    JoinFlags(FlagSpec{.name = "or-create",
                       .form = "=false",
                       .help = "Create the workspace if it does not exist."},
              kBackendVariables, kMessages);

extern constexpr CommandSpec kWorkspaceSelectCommand{
    .name = "workspace select",
    .synopsis = "Select a workspace",
    .usage = "tofu [global options] workspace select [options] NAME",
    .description = R"(Makes another workspace the current one.)",
    .flags = kWorkspaceSelectFlags,
    .run = RunWorkspaceSelect,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

constexpr auto kWorkspaceShowFlags = JoinFlags(kBackendVariables);

extern constexpr CommandSpec kWorkspaceShowCommand{
    .name = "workspace show",
    .synopsis = "Show the name of the current workspace",
    .usage = "tofu [global options] workspace show [options]",
    .description = R"(Prints the name of the current workspace.)",
    .flags = kWorkspaceShowFlags,
    .run = RunWorkspaceShow,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

}  // namespace kinu::cli
