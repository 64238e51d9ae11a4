// Workspaces of the local backend: which files they are, and which one is current.
// Ref: opentofu internal/backend/local/backend.go StatePaths, Workspaces; command/meta_backend.go.
#include "backend/local.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "base/files.h"

namespace kinu::backend {
namespace {

constexpr std::string_view kDefaultWorkspace = "default";
constexpr std::string_view kStateName = "terraform.tfstate";

bool IsDefault(std::string_view workspace) {
  return workspace.empty() || workspace == kDefaultWorkspace;
}

std::string_view TrimSpace(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\v\f";
  size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) {
    return {};
  }
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

std::string EnvironmentPath(const std::string& data_dir) {
  return JoinPath(data_dir, "environment");
}

}  // namespace

std::string LocalBackend::WorkspaceDir() const {
  return options_.workspace_dir.empty() ? "terraform.tfstate.d" : options_.workspace_dir;
}

LocalPaths LocalBackend::Paths(std::string_view workspace) const {
  LocalPaths paths;
  paths.read = options_.state;
  if (paths.read.empty()) {
    if (!IsDefault(workspace)) {
      paths.read = JoinPath(JoinPath(WorkspaceDir(), workspace), kStateName);
    } else {
      paths.read = options_.path.empty() ? std::string(kStateName) : options_.path;
    }
  }
  paths.write = options_.state_out.empty() ? paths.read : options_.state_out;
  if (options_.backup.empty()) {
    paths.backup = paths.write + ".backup";
  } else if (options_.backup != "-") {
    paths.backup = options_.backup;
  }
  return paths;
}

Result<std::vector<std::string>> LocalBackend::Workspaces() const {
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

Result<void> LocalBackend::CreateWorkspace(std::string_view workspace) const {
  return IsDefault(workspace) ? Result<void>{}
                              : MakeDirectories(JoinPath(WorkspaceDir(), workspace));
}

Result<void> LocalBackend::DeleteWorkspace(std::string_view workspace) const {
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

Result<std::unique_ptr<LocalStore>> LocalBackend::Open(std::string_view workspace,
                                                       std::shared_ptr<Program> program) const {
  if (Result<void> made = CreateWorkspace(workspace); !made) {
    return std::unexpected(std::move(made).error());
  }
  return std::make_unique<LocalStore>(Paths(workspace), std::move(program));
}

std::string CurrentWorkspace(const std::string& data_dir, std::string_view override) {
  if (!override.empty()) {
    return std::string(override);
  }
  Result<std::string> text = ReadFile(EnvironmentPath(data_dir));
  std::string_view name = text ? TrimSpace(*text) : std::string_view();
  return std::string(name.empty() ? kDefaultWorkspace : name);
}

Result<void> SelectWorkspace(const std::string& data_dir, std::string_view workspace) {
  if (Result<void> made = MakeDirectories(data_dir); !made) {
    return made;
  }
  return ReplaceFile(EnvironmentPath(data_dir), workspace, 0644);
}

bool IsValidWorkspaceName(std::string_view name) {
  // Ref: net/url PathEscape, which leaves these alone.
  return std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_.~$&+=:@").find(c) != std::string_view::npos;
  });
}

Result<void> WriteErroredState(state::State& state) {
  LocalStore store(LocalPaths{.read = "errored.tfstate", .write = "errored.tfstate", .backup = {}},
                   state.program);
  const bool existed = FileExists("errored.tfstate");
  Result<void> written = store.Replace(state, true);
  if (!written && !existed) {
    (void)::unlink("errored.tfstate");  // an empty file says nothing
  }
  return written;
}

}  // namespace kinu::backend
