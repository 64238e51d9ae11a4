// Plans that follow each other in one process: what Open() has found stays, apart from the
// configuration.
#include <utility>

#include "operation/operation.h"

namespace kinu::operation {

std::string Operation::BackendBlock() const {
  Diagnostics reported_elsewhere;
  const session::BackendSettings settings =
      session::ReadBackendSettings(workspace, root(), {}, false, reported_elsewhere);
  return settings.type + ' ' + std::to_string(settings.hash);
}

void Operation::KeepForAgain() {
  stored_ = prior.Clone();
  backend_block_ = BackendBlock();
  for (const auto& [name, given] : loaded.inputs.values) {
    if (given.source == config::InputSource::kPrompt) {
      answers_[name] = given;
    }
  }
}

Operation::Again Operation::OpenAgain(const PlanRequest& request, view::Audience& audience,
                                      Diagnostics& diags) {
  LoadFor(request, {});  // nobody is asked
  Diagnostics known;     // what is wrong with the root module alone is said of all modules, too
  (void)CheckRoot(known);
  bool same_backend = true;
  const bool fits = CheckModules(
      [&](Diagnostics& found) {
        // Keys are made while a state is read.
        same_backend =
            !root().config->root().module->encryption && BackendBlock() == backend_block_;
        return same_backend && (!request.precondition || request.precondition(found));
      },
      diags);
  if (!same_backend) {
    diags = Diagnostics();
    return Again::kChanged;
  }
  if (!fits) {
    return Again::kFailed;
  }
  providers->RequireSelected(*loaded.config, diags);
  for (const auto& [name, answer] : answers_) {
    loaded.inputs.values.try_emplace(name, answer);
  }
  CollectValues(request.style, loaded, /*interactive=*/false, diags);
  if (diags.has_errors()) {
    return Again::kFailed;
  }
  prior = stored_.Clone();
  return MakeReady(request, audience, diags) ? Again::kOpen : Again::kFailed;
}

void Operation::Forget() {
  pool.CloseAll();
  handle.reset();
  input = engine::Request();
  status = nullptr;
  prior = state::State();
  stored_ = state::State();
  answers_.clear();
  offline.reset();
  providers.reset();
  backend.reset();
  Unload();
}

}  // namespace kinu::operation
