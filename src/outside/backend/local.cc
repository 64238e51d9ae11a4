// The backend "local": which files the workspaces are.
// Ref: opentofu internal/backend/local/backend.go StatePaths, Workspaces.
#include "backend/local.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "backend/specs.h"
#include "backend/state_file.h"
#include "base/files.h"
#include "cloud/settings.h"

namespace kinu::backend {
namespace {

constexpr std::string_view kStateName = "terraform.tfstate";

bool IsDefault(std::string_view workspace) {
  return workspace.empty() || workspace == kDefaultWorkspace;
}

/// Adds a problem when a setting is the empty text.
void RequireText(const Value& settings, std::string_view name, std::string summary,
                 provider::Problems& problems) {
  const Value* value = settings.Find(name);
  if (value != nullptr && !value->IsNull() && value->AsString().empty()) {
    problems.push_back(
        {.summary = std::move(summary),
         .detail = "The \"" + std::string(name) + "\" attribute value must not be empty.",
         .attribute = Path().Attribute(name)});
  }
}

}  // namespace

std::string LocalBackend::WorkspaceDir() const {
  return options_.workspace_dir.empty() ? "terraform.tfstate.d" : options_.workspace_dir;
}

void LocalBackend::Check(const Value& settings, provider::Problems& problems) const {
  RequireText(settings, "path", "Invalid local state file path", problems);
  RequireText(settings, "workspace_dir", "Invalid local workspace directory path", problems);
}

void LocalBackend::Configure(const Value& settings, provider::Problems&) {
  options_.path = cloud::SettingText(settings, "path");
  options_.workspace_dir = cloud::SettingText(settings, "workspace_dir");
}

std::optional<StateFiles> LocalBackend::Files(std::string_view workspace) const {
  StateFiles paths;
  paths.read = options_.flags.state;
  if (paths.read.empty()) {
    if (!IsDefault(workspace)) {
      paths.read = JoinPath(JoinPath(WorkspaceDir(), workspace), kStateName);
    } else {
      paths.read = options_.path.empty() ? std::string(kStateName) : options_.path;
    }
  }
  paths.write = options_.flags.state_out.empty() ? paths.read : options_.flags.state_out;
  if (options_.flags.backup.empty()) {
    paths.backup = paths.write + ".backup";
  } else if (options_.flags.backup != "-") {
    paths.backup = options_.flags.backup;
  }
  return paths;
}

Result<std::vector<std::string>> LocalBackend::Workspaces() {
  std::vector<std::string> names = {std::string(kDefaultWorkspace)};
  Result<std::vector<std::string>> entries = ListDirectory(WorkspaceDir());
  if (!entries) {
    if (entries.error().code == ErrorCode::kNotFound) {
      return names;
    }
    return entries;
  }
  for (std::string& name : *entries) {
    if (IsDirectory(JoinPath(WorkspaceDir(), name))) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

Result<void> LocalBackend::DeleteWorkspace(std::string_view workspace) {
  if (workspace.empty()) {
    return Fail(ErrorCode::kInvalid, "empty state name");
  }
  if (workspace == kDefaultWorkspace) {
    return Fail(ErrorCode::kInvalid, "cannot delete default state");
  }
  std::error_code error;
  std::string path = JoinPath(WorkspaceDir(), workspace);
  std::filesystem::remove_all(path, error);
  if (error) {
    return Fail(ErrorCode::kIo, "remove " + path + ": " + SystemMessage(error.value()));
  }
  return {};
}

Result<std::unique_ptr<state::Store>> LocalBackend::Open(std::string_view workspace,
                                                         std::shared_ptr<Program> program,
                                                         Opening opening) {
  if (opening == Opening::kMake && !IsDefault(workspace)) {
    if (Result<void> made = MakeDirectories(JoinPath(WorkspaceDir(), workspace)); !made) {
      return std::unexpected(std::move(made).error());
    }
  }
  return std::make_unique<LocalStore>(*Files(workspace), std::move(program), sealer());
}

std::unique_ptr<state::Store> OpenStateFile(const std::string& path, const std::string& backup,
                                            std::shared_ptr<Program> program,
                                            state::SealerRef sealer) {
  return std::make_unique<LocalStore>(StateFiles{path, path, backup}, std::move(program), sealer);
}

Result<void> SaveStateIn(const std::string& path, state::State& state, state::SealerRef sealer) {
  return LocalStore(StateFiles{path, path, {}}, state.program, sealer).ReplaceAlone(state);
}

Result<void> WriteErroredState(state::State& state, state::SealerRef sealer) {
  constexpr const char* kName = "errored.tfstate";
  const bool existed = FileExists(kName);
  Result<void> written = SaveStateIn(kName, state, sealer);
  if (!written && !existed) {
    (void)::unlink(kName);  // an empty file says nothing
  }
  return written;
}

namespace {

constexpr Setting kSettings[] = {
    {.name = "path", .docs = "The file of the default workspace; \"terraform.tfstate\"."},
    {.name = "workspace_dir",
     .docs = "The directory of the other workspaces; \"terraform.tfstate.d\"."}};

std::unique_ptr<Backend> MakeLocal(const StateFlags& flags) {
  return std::make_unique<LocalBackend>(LocalOptions{.flags = flags});
}

}  // namespace

constexpr BackendSpec kLocal{.type = "local",
                             .docs = "States in files of this machine.",
                             .settings = kSettings,
                             .make = MakeLocal};

}  // namespace kinu::backend
