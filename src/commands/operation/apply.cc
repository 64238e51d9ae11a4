#include "operation/apply.h"

#include <optional>

#include "backend/state_file.h"
#include "base/program_name.h"
#include "operation/status_phase.h"

namespace kinu::operation {

void ReportRemains(const engine::ApplyResult& result, const plan::Plan& plan,
                   ForgetErrors forgotten, Diagnostics& diags) {
  if (plan.mode == plan::Mode::kDestroy && forgotten == ForgetErrors::kReported &&
      result.counts.forgotten > 0 && !diags.has_errors()) {
    diags.Error("Destroy was successful but left behind forgotten instances",
                "Objects with lifecycle.destroy = false were dropped from the state but "
                "still exist. With -suppress-forget-errors such a destroy succeeds.");
  }
  if (result.started && (!plan.targets.empty() || !plan.excludes.empty())) {
    diags.Warning(
        "Applied changes may be incomplete",
        "The plan was limited by -target or -exclude, so the configuration may ask for more than "
        "was done. Plan again without these options to see what is left.");
  }
}

namespace {

/// Saves a state that its store refused: in errored.tfstate, or else in the output.
void RescueState(state::State& state, state::Store& store, const state::SealerRef& sealer,
                 view::Audience& audience, Diagnostics& diags) {
  if (auto saved = backend::WriteErroredState(state, sealer); !saved) {
    diags.Error("Failed to create local state file", saved.error().message);
    // The last resort: whoever reads the output can keep it.
    const state::Snapshot snapshot{state.serial, state.lineage};
    const auto layout = sealer->encrypts() ? state::Layout::kCompact : state::Layout::kIndented;
    const auto sealed = sealer->Seal(state::WriteState(state, layout), &snapshot);
    if (!sealed) {
      diags.Error("Failed to serialize state",
                  "The state has to be encrypted, which failed, so it is not printed: " +
                      sealed.error().message + ".");
      diags.Error("Failed to persist state to backend",
                  "What this run has done is in no state. What was stored before is as it was.");
      return;
    }
    const std::string text = sealed->bytes() + (sealed->encrypted() ? "\n" : "");
    if (audience.json() != nullptr) {
      audience.json()->StateDump(text);
    }
    audience.ErrorText(text);
    if (const auto whole = state::CheckWritable(state); !whole) {
      diags.Error("Failed to serialize state",
                  "The state above lacks what has no form in JSON. " + whole.error().message);
    }
    diags.Error(
        "Failed to persist state to backend",
        Hint("The state could be written neither to its place nor to errored.tfstate, so it "
             "is printed above, as JSON. Copy it from the first { to the last } into a file, "
             "and once the cause is mended put it back with \"tofu state push\"."));
    return;
  }
  diags.Error("Failed to persist state to backend",
              Hint("The state was written to errored.tfstate in this directory instead. Put it "
                   "back with \"tofu state push errored.tfstate\" once the cause is mended."));
  store.DropRecords();
}

void StoreResult(engine::ApplyResult& result, Operation& operation, view::Audience& audience,
                 Diagnostics& diags) {
  auto written = result.started ? operation.store().Write(result.state) : Result<void>();
  if (!written) {
    diags.Error("Failed to save state", written.error().message);
    RescueState(result.state, operation.store(), operation.backend->sealer(), audience, diags);
  }
}

}  // namespace

engine::ApplyResult ApplyAndStore(Operation& operation, const plan::Plan& plan,
                                  ForgetErrors forgotten, view::Audience& audience,
                                  Diagnostics& diags) {
  Diagnostics apply_diags;
  operation.input.prior_state = &plan.prior_state;
  std::optional<StatusPhase> phase;
  phase.emplace(operation.status, plan.mode == plan::Mode::kDestroy ? "destroy" : "apply",
                StepsToApply(plan));
  engine::ApplyResult result =
      engine::Apply(operation.input, plan, &operation.store(), apply_diags);
  phase.reset();
  ReportRemains(result, plan, forgotten, apply_diags);
  StoreResult(result, operation, audience, diags);
  diags.Append(std::move(apply_diags));
  return result;
}

}  // namespace kinu::operation
