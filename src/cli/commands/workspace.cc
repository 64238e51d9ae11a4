#include <algorithm>

#include "base/environment.h"
#include "base/files.h"
#include "cli/commands/commands.h"
#include "cli/state_session.h"
#include "codec/json_writer.h"

namespace kinu::cli {
namespace {

bool Overridden() {
  return !Environment("TF_WORKSPACE").empty();
}

void ListFlags(StateSession& session, std::span<const FlagSpec> own, bool locks) {
  const std::span<const FlagSpec> all[] = {own, kVariableFlags, kJsonFlags, kLockFlags};
  session.Parse(std::span(all).first(locks ? 4 : 3));
}

/// Warns whoever calls "tofu env". Always true.
bool WarnOfOldName(StateSession& session) {
  if (!session.invocation.old_name) {
    return true;
  }
  if (session.audience->json() != nullptr) {
    session.audience->json()->Message(
        view::JsonUi::Level::kWarn,
        "The \"tofu env\" family of commands is deprecated. Use \"tofu workspace\" instead");
  }
  if (!session.json_only()) {
    Diagnostics diags;
    diags.Warning("The \"tofu env\" family of commands is deprecated",
                  "What was called an environment is called a workspace now: use the commands "
                  "\"tofu workspace\". Those of \"tofu env\" will be removed.");
    session.invocation.Show(diags);
  }
  return true;
}

/// Takes exactly one word: the name.
bool TakeName(StateSession& session, std::string& name) {
  if (session.flags.positionals().size() == 1) {
    name = session.flags.positionals()[0];
  } else {
    session.diags.Error("Invalid arguments list", "Expected a single argument: NAME.");
  }
  return session.ArgumentsFit() && WarnOfOldName(session);
}

bool TakeNothing(StateSession& session) {
  if (!session.flags.positionals().empty()) {
    session.diags.Error("Unexpected argument",
                        "Too many command line arguments. Did you mean to use -chdir?");
  }
  return session.ArgumentsFit() && WarnOfOldName(session);
}

void Paint(StateSession& session, std::string_view markup, const std::string& plain) {
  if (session.audience->json() != nullptr) {
    session.audience->json()->Message(view::JsonUi::Level::kInfo, plain);
  }
  session.audience->Text(session.invocation.style().Paint(std::string(markup)) + "\n");
}

void SayCreated(StateSession& session, const std::string& name) {
  std::string heading = "Created and switched to workspace \"" + name + "\"!";
  std::string rest =
      "\n\nYou're now on a new, empty workspace. Workspaces isolate their state,\n"
      "so if you run \"tofu plan\" OpenTofu will not see any existing state\n"
      "for this configuration.";
  Paint(session, "[reset][green][bold]" + heading + "[reset][green]" + rest,
        "Created and switched to workspace \"" + name +
            "\". You're now on a new, empty workspace. Workspaces isolate their state, so if you "
            "run \"tofu plan\" OpenTofu will not see any existing state for this configuration");
}

int DoesNotExist(StateSession& session, const std::string& name) {
  return session.Refuse(
      "Workspace \"" + name +
          "\" doesn't exist. You can create this workspace with the \"new\" subcommand or include "
          "the \"-or-create\" flag with the \"select\" subcommand",
      "Workspace \"" + name + "\" doesn't exist",
      "Create it with \"tofu workspace new\", or add -or-create to \"tofu workspace select\".");
}

int InvalidName(StateSession& session, const std::string& name) {
  return session.Refuse(
      "The workspace name \"" + name +
          "\" is not allowed. The name must contain only URL safe characters, and no path "
          "separators",
      "Invalid workspace name",
      "The name \"" + name +
          "\" cannot be used: a workspace's name has only characters that need no escaping in a "
          "URL, and no slash.");
}

}  // namespace

int RunWorkspace(Invocation& invocation) {
  StateSession session(invocation);
  session.Parse({});
  (void)TakeNothing(session);
  return session.Usage();
}

int RunWorkspaceList(Invocation& invocation) {
  StateSession session(invocation);
  ListFlags(session, {}, false);
  if (!TakeNothing(session)) {
    return session.Usage();
  }
  backend::LocalOptions options;
  if (!session.Options(options)) {
    return session.Fail();
  }
  auto names = backend::LocalBackend(options).Workspaces();
  if (!names) {
    return session.Fail("Error listing workspaces", names.error().message);
  }
  std::string current = WorkspaceOf(invocation);
  std::string text;
  for (const std::string& name : *names) {
    text += (name == current ? "* " : "  ") + name + "\n";
  }
  if (view::JsonUi* json = session.audience->json()) {
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
  session.audience->Text(text + "\n");
  if (Overridden()) {
    if (session.audience->json() != nullptr) {
      session.audience->json()->Message(view::JsonUi::Level::kInfo,
                                        "The active workspace is being overridden using the "
                                        "TF_WORKSPACE environment variable");
    }
    session.audience->Text(
        "\n\nThe active workspace is being overridden using the TF_WORKSPACE environment\n"
        "variable.\n\n");
  }
  return 0;
}

int RunWorkspaceShow(Invocation& invocation) {
  StateSession session(invocation);
  const std::span<const FlagSpec> tables[] = {kVariableFlags};
  session.Parse(tables);
  if (!TakeNothing(session)) {
    return session.Usage();
  }
  if (!backend::IsValidWorkspaceName(Environment("TF_WORKSPACE"))) {
    return session.Fail("Error getting the current workspace",
                        "Invalid workspace name set using TF_WORKSPACE.");
  }
  Print(WorkspaceOf(invocation) + "\n");
  return 0;
}

int RunWorkspaceNew(Invocation& invocation) {
  static constexpr FlagSpec kFlags[] = {{"state", FlagKind::kString}};
  StateSession session(invocation);
  ListFlags(session, kFlags, true);
  std::string name;
  if (!TakeName(session, name)) {
    return session.Usage();
  }
  if (!backend::IsValidWorkspaceName(name)) {
    return InvalidName(session, name);
  }
  if (Overridden() && WorkspaceOf(invocation) != name) {
    return session.Refuse(
        "The workspace is currently overridden using the TF_WORKSPACE environment variable. You "
        "cannot create a new workspace when using this setting. To create a new workspace, either "
        "unset this environment variable or update it to match the workspace name you are trying "
        "to create, and then run this command again",
        "The workspace is overridden using the TF_WORKSPACE environment variable",
        "Unset TF_WORKSPACE, or set it to the name of the new workspace, and try again.");
  }
  backend::LocalOptions options;
  if (!session.Options(options)) {
    return session.Fail();
  }
  backend::LocalBackend workspaces(options);
  auto names = workspaces.Workspaces();
  if (!names) {
    return session.Fail("Error getting existing workspaces", names.error().message);
  }
  if (std::find(names->begin(), names->end(), name) != names->end()) {
    return session.Refuse("Workspace \"" + name + "\" already exists",
                          "Workspace \"" + name + "\" already exists",
                          "Select it with \"tofu workspace select\", or choose another name.");
  }
  if (auto made = workspaces.CreateWorkspace(name); !made) {
    return session.Fail("Error getting the state manager", made.error().message);
  }
  if (auto selected = backend::SelectWorkspace(invocation.data_directory, name); !selected) {
    return session.Fail("Error selecting the new workspace", selected.error().message);
  }
  SayCreated(session, name);
  std::string path = session.flags.String("state");
  if (path.empty()) {
    return 0;
  }
  // The flag names the file of every workspace, so the state is read from where it is written to:
  // the new workspace itself stays empty, as the reference leaves it.
  options.state = path;
  auto store = backend::LocalBackend(options).Open(name, session.program);
  if (!store) {
    return session.Fail("Error getting the state manager for the new workspace",
                        store.error().message);
  }
  bool lock = session.flags.Bool("lock");
  if (lock) {
    state::LockRequest request;
    request.operation = "workspace-new";
    request.timeout = std::chrono::milliseconds(session.flags.Duration("lock-timeout"));
    request.on_slow = [&] { session.audience->TellSlowLock(); };
    if (auto held = (*store)->Lock(request); !held) {
      return session.Fail("Error acquiring the state lock", LockProblem(held.error().message));
    }
  }
  auto bytes = ReadFile(path);
  if (!bytes) {
    return session.Fail("Error opening the given state", bytes.error().message);
  }
  auto state = state::ReadGivenState(session.program, std::move(*bytes));
  if (!state) {
    return session.Fail("Error reading the given state", state.error().message);
  }
  (void)(*store)->Read(session.program);
  if (auto written = (*store)->Write(*state); !written) {
    return session.Fail("Error writing the new state", written.error().message);
  }
  if (lock) {
    (void)(*store)->Unlock();
  }
  return 0;
}

int RunWorkspaceSelect(Invocation& invocation) {
  static constexpr FlagSpec kFlags[] = {{"or-create"}};
  StateSession session(invocation);
  ListFlags(session, kFlags, false);
  std::string name;
  if (!TakeName(session, name)) {
    return session.Usage();
  }
  if (Overridden()) {
    return session.Refuse(
        "The selected workspace is currently overridden using the TF_WORKSPACE environment "
        "variable. To select a new workspace, either update this environment variable or unset it "
        "and then run this command again",
        "The selected workspace is overridden using the TF_WORKSPACE environment variable",
        "Change or unset TF_WORKSPACE, and try again.");
  }
  backend::LocalOptions options;
  if (!session.Options(options)) {
    return session.Fail();
  }
  if (!backend::IsValidWorkspaceName(name)) {
    return InvalidName(session, name);
  }
  backend::LocalBackend workspaces(options);
  auto names = workspaces.Workspaces();
  if (!names) {
    return session.Fail("Error loading workspaces", names.error().message);
  }
  if (name == WorkspaceOf(invocation)) {
    return 0;
  }
  bool found = std::find(names->begin(), names->end(), name) != names->end();
  if (!found) {
    if (!session.flags.Bool("or-create")) {
      return DoesNotExist(session, name);
    }
    if (auto made = workspaces.CreateWorkspace(name); !made) {
      return session.Fail("Error getting the state manager", made.error().message);
    }
  }
  if (auto selected = backend::SelectWorkspace(invocation.data_directory, name); !selected) {
    return session.Fail("Error setting workspace", selected.error().message);
  }
  if (!found) {
    SayCreated(session, name);
  } else {
    std::string text = "Switched to workspace \"" + name + "\".";
    Paint(session, "[reset][green]" + text, "Switched to workspace \"" + name + "\"");
  }
  return 0;
}

int RunWorkspaceDelete(Invocation& invocation) {
  static constexpr FlagSpec kFlags[] = {{"force"}};
  StateSession session(invocation);
  ListFlags(session, kFlags, true);
  std::string name;
  if (!TakeName(session, name)) {
    return session.Usage();
  }
  backend::LocalOptions options;
  if (!session.Options(options)) {
    return session.Fail();
  }
  backend::LocalBackend workspaces(options);
  auto names = workspaces.Workspaces();
  if (!names) {
    return session.Fail("Error loading workspaces", names.error().message);
  }
  if (std::find(names->begin(), names->end(), name) == names->end()) {
    return DoesNotExist(session, name);
  }
  if (name == WorkspaceOf(invocation)) {
    return session.Refuse("Workspace \"" + name +
                              "\" is your active workspace. You cannot delete the currently active "
                              "workspace. Please switch to another workspace and try again",
                          "Workspace \"" + name + "\" is your active workspace",
                          "The workspace in use cannot be deleted: select another one first.");
  }
  bool has_objects = false;
  {
    auto store = workspaces.Open(name, session.program);
    if (!store) {
      return session.Fail("Failed to fetch the state", store.error().message);
    }
    bool lock = session.flags.Bool("lock");
    if (lock) {
      state::LockRequest request;
      request.operation = "state-replace-provider";
      request.timeout = std::chrono::milliseconds(session.flags.Duration("lock-timeout"));
      request.on_slow = [&] { session.audience->TellSlowLock(); };
      if (auto held = (*store)->Lock(request); !held) {
        return session.Fail("Error acquiring the state lock", LockProblem(held.error().message));
      }
    }
    auto state = (*store)->Read(session.program);
    if (lock) {
      (void)(*store)->Unlock();
    }
    if (!state) {
      return session.Fail("Failed to refresh state", state.error().message);
    }
    std::string list;
    for (const auto& resource : state->resources) {
      for (const state::Instance& instance : resource->instances) {
        std::string address =
            session.program->ToText(ResourceInstance{resource->address, instance.key});
        has_objects = has_objects || resource->address.resource.mode == ResourceMode::kManaged;
        if (instance.current != nullptr) {
          list += "\n  - " + address;
        }
        for (const state::DeposedObject& deposed : instance.deposed) {
          list += "\n  - " + address + " (deposed object " + deposed.key + ")";
        }
      }
    }
    if (has_objects && !session.flags.Bool("force")) {
      return session.Fail("Workspace is not empty",
                          "The workspace \"" + name + "\" keeps track of these objects:" + list +
                              "\n\nIf it were deleted, nothing would know of them any more. "
                              "Destroy them first, or use -force to forget them.");
    }
  }
  if (auto deleted = workspaces.DeleteWorkspace(name); !deleted) {
    return session.Fail("Workspace deletion failed", deleted.error().message);
  }
  std::string text = "Deleted workspace \"" + name + "\"!";
  Paint(session, "[reset][green]" + text, "Deleted workspace \"" + name + "\"");
  if (has_objects) {
    if (session.audience->json() != nullptr) {
      session.audience->json()->Message(
          view::JsonUi::Level::kWarn,
          "\"" + name +
              "\" was non-empty. The resources managed by the deleted workspace may still exist, "
              "but are no longer manageable by OpenTofu since the state has been deleted");
    }
    if (!session.json_only()) {
      session.diags.Warning("\"" + name + "\" was non-empty",
                            "The objects that the workspace kept track of may still exist, but "
                            "nothing manages them any more.");
      invocation.Show(session.diags);
    }
  }
  return 0;
}

}  // namespace kinu::cli
