// The entry points of the engine: validate a configuration, plan, import.
#pragma once

#include <span>

#include "engine/request.h"
#include "plan/plan.h"

namespace kinu::engine {

/// Whether all provisioners exist. Reports the others, as OpenTofu does with the schemas.
bool CheckProvisioners(const config::Config& config, Diagnostics& diags);

/// Validates a configuration for all values of its variables and any state. `references`: receives
/// the references of the configuration, for later walks; null: nobody needs them. False if errors
/// have kept it from looking at the blocks.
bool Validate(const Request& request, Diagnostics& diags,
              ReferenceCollection* references = nullptr);

/// Plans, and reports changes that an apply could not order. With errors the plan is partial
/// (`errored`) and can be shown, but not applied.
plan::Plan MakePlan(const Request& request, Diagnostics& diags);

/// Imports existing objects into the state, as the import command does: nothing else is refreshed
/// or planned. At most one per address. Returns the unchanged state if `diags` has errors.
state::State ImportToState(const Request& request, std::span<const ImportTarget> targets,
                           Diagnostics& diags);

}  // namespace kinu::engine
