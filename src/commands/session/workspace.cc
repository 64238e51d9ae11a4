// Ref: opentofu internal/command/meta_backend.go, Meta.Workspace.
#include "session/workspace.h"

#include <algorithm>
#include <cctype>

#include "backend/backend.h"
#include "base/environment.h"
#include "base/files.h"
#include "install/lock_file.h"
#include "text/unicode.h"

namespace kinu::session {
namespace {

std::string SelectionPath(const Workspace& workspace) {
  return JoinPath(workspace.data_directory, "environment");
}

}  // namespace

void KeptObjects::Add(std::shared_ptr<const void> object) {
  const std::scoped_lock hold(mutex_);
  objects_.push_back(std::move(object));
}

void KeptObjects::Clear() {
  std::vector<std::shared_ptr<const void>> dropped;
  const std::scoped_lock hold(mutex_);
  dropped.swap(objects_);
}

std::string Workspace::Name() const {
  if (!chosen.empty()) {
    return chosen;
  }
  const Result<std::string> text = ReadFile(SelectionPath(*this));
  const std::string_view name = text ? text::TrimSpace(*text) : std::string_view();
  return std::string(name.empty() ? backend::kDefaultWorkspace : name);
}

Result<void> Workspace::Select(std::string_view name) const {
  if (Result<void> made = MakeDirectories(data_directory); !made) {
    return made;
  }
  return ReplaceFile(SelectionPath(*this), name, 0644);
}

std::string Workspace::lock_file_path() const {
  const std::string name(install::kLockFileName);
  return directory == "." ? name : JoinPath(directory, name);
}

std::string DataDirectory() {
  const std::string_view chosen = Environment("TF_DATA_DIR");
  return chosen.empty() ? ".terraform" : std::string(chosen);
}

bool IsValidWorkspaceName(std::string_view name) {
  // Ref: net/url PathEscape, which leaves these alone.
  return std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("-_.~$&+=:@").find(c) != std::string_view::npos;
  });
}

}  // namespace kinu::session
