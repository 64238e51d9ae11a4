#include "plan/plan.h"

#include <algorithm>
#include <array>

namespace kinu::plan {
namespace {

constexpr std::array<std::string_view, 17> kReasonNames = {
    "",
    "replace_because_tainted",
    "replace_by_request",
    "replace_because_cannot_update",
    "delete_because_no_resource_config",
    "delete_because_wrong_repetition",
    "delete_because_count_index",
    "delete_because_each_key",
    "delete_because_no_module",
    "replace_by_triggers",
    "read_because_config_unknown",
    "read_because_dependency_pending",
    "delete_because_no_move_target",
    "read_because_check_nested",
    "delete_because_enabled_false",
    "forgot_because_lifecycle_destroy_in_state",
    "forgot_because_lifecycle_destroy_in_config",
};

/// Ref: opentofu internal/plans/changes.go Changes.Empty.
bool AnyChange(const Plan& plan) {
  return std::any_of(plan.changes.begin(), plan.changes.end(),
                     [](const ResourceChange& change) {
                       return change.action != Action::kNoOp || change.importing ||
                              !(change.address == change.previous_address);
                     }) ||
         std::any_of(plan.outputs.begin(), plan.outputs.end(),
                     [](const OutputChange& output) { return output.action != Action::kNoOp; });
}

}  // namespace

std::string_view MessageName(Action action) {
  switch (action) {
    case Action::kNoOp:
      return "NoOp";
    case Action::kCreate:
      return "Create";
    case Action::kRead:
      return "Read";
    case Action::kUpdate:
      return "Update";
    case Action::kDelete:
      return "Delete";
    case Action::kDeleteThenCreate:
      return "DeleteThenCreate";
    case Action::kCreateThenDelete:
      return "CreateThenDelete";
    case Action::kForget:
      return "Forget";
    case Action::kForgetThenCreate:
      return "ForgetThenCreate";
  }
  return "";
}

bool IsReplace(Action action) {
  return action == Action::kDeleteThenCreate || action == Action::kCreateThenDelete;
}

std::string_view ReasonName(Reason reason) {
  auto index = static_cast<size_t>(reason);
  return index < kReasonNames.size() ? kReasonNames[index] : std::string_view();
}

bool Plan::CanApply() const {
  if (errored) {
    return false;
  }
  return AnyChange(*this) ||
         (mode == Mode::kRefreshOnly && !state::SameManagedResources(prior_state, previous_state));
}

}  // namespace kinu::plan
