// Plan files: what goes into them besides the plan, and how a saved one becomes an operation.
#pragma once

#include "operation/operation.h"
#include "plan/plan_file.h"

namespace kinu::operation {

/// Adds what only plan files keep: the configuration's sources and the lock file.
void AddPlanFileParts(const Operation& operation, plan::Plan& plan);

/// Whether a file is a plan file after all, which cannot be used.
bool IsUnusablePlan(const Error& error);
/// Whether the file is one without doubt, but damaged.
bool IsDamagedPlan(const Error& error);
/// Why there is no plan at `path`.
std::string NoPlanText(const std::string& path, const Error& error);

/// What a saved plan is opened for.
enum class SavedPlanUse : uint8_t {
  kApply,
  kDraw,  ///< without the values of this command; plans that ended with errors are drawn, too
};

/// Opens a saved plan: configuration from its snapshot, state checked against what was planned on.
/// Variables are those of the plan, or before it is applied what this command was given, until
/// SettleVariables(). `operation.encryption` opens it. False after an error.
bool OpenSavedPlan(const PlanRequest& request, const std::string& path, Operation& operation,
                   plan::Plan& plan, view::Audience& audience, Diagnostics& diags,
                   SavedPlanUse use);

/// Gives the variables of a plan that is applied its values. False if the command line or a file
/// gives one another value, or an ephemeral one has none.
bool SettleVariables(const plan::Plan& plan, session::Loaded& loaded, Diagnostics& diags);

}  // namespace kinu::operation
