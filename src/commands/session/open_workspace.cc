#include "session/open_workspace.h"

#include <memory>
#include <optional>
#include <utility>

#include "base/files.h"
#include "base/invariant.h"
#include "config/loaded_files.h"

namespace kinu::session {

namespace {

/// The same questions up to the first without an answer: the configuration is loaded once more
/// then.
AskVariable UntilUnanswered(AskVariable ask) {
  if (!ask) {
    return ask;
  }
  return [ask = std::move(ask), ended = std::make_shared<bool>(false)](
             const Program& program,
             const config::Variable& variable) -> std::optional<config::RawInput> {
    std::optional<config::RawInput> answer;
    if (!*ended) {
      answer = ask(program, variable);
      *ended = !answer.has_value();
    }
    return answer;
  };
}

}  // namespace

void OpenWorkspace::LoadModules(const LoadRequest& request) {
  request_ = request;
  request_.ask = UntilUnanswered(request.ask);
  of_modules_ = Diagnostics();
  root_.reset();
  loaded = Load(workspace, request_, of_modules_);
}

bool OpenWorkspace::LoadModules(const LoadRequest& request, Diagnostics& diags) {
  LoadModules(request);
  diags.Append(of_modules_);
  return !of_modules_.has_errors();
}

void OpenWorkspace::Unload() {
  loaded = Loaded();
  root_.reset();
  of_modules_ = Diagnostics();
  of_root_ = Diagnostics();
}

bool OpenWorkspace::LoadByAbsolutePath(const LoadRequest& request, Diagnostics& diags) {
  LoadRequest there = request;
  there.directory = WorkingDirectory();
  return LoadModules(there, diags);
}

bool OpenWorkspace::CheckRoot(Diagnostics& diags) {
  if (of_modules_.empty()) {
    return true;
  }
  if (!root_) {
    const config::LoadedFiles files(
        request_.files != nullptr ? *request_.files : config::DiskFiles(), *loaded.config);
    LoadRequest alone = request_;
    alone.files = &files;
    alone.program = nullptr;
    alone.test_directory.clear();
    of_root_ = Diagnostics();
    root_ = LoadForBackend(workspace, alone, of_root_);
  }
  diags.Append(of_root_);
  return !of_root_.has_errors();
}

const Loaded& OpenWorkspace::root() const {
  if (!of_modules_.has_errors()) {
    return loaded;
  }
  KINU_INVARIANT(root_, "the root module is checked before it is used");
  return *root_;
}

bool OpenWorkspace::OpenBackend(const backend::StateFlags& flags, Diagnostics& diags,
                                BackendWarnings warnings) {
  backend = ChooseBackend(workspace, root(), flags, diags, warnings);
  return backend.has_value();
}

bool OpenWorkspace::CheckModules(const std::function<bool(Diagnostics& diags)>& steps,
                                 Diagnostics& diags) {
  if (!of_modules_.has_errors()) {
    diags.Append(of_modules_);
    return steps(diags);
  }
  Diagnostics before;
  if (CheckRoot(before) && steps(before)) {
    diags.Append(of_modules_);
  } else {
    loaded = *root_;
    diags.Append(std::move(before));
  }
  return false;
}

bool OpenWorkspace::OpenProviders(Diagnostics& diags) {
  providers = ProviderSet::Open(workspace, diags);
  return !diags.has_errors();
}

}  // namespace kinu::session
