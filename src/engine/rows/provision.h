// Running the provisioners of a row, and checking those of a block. Ref: opentofu
// internal/tofu/node_resource_abstract_instance.go evalApplyProvisioners, node_resource_validate.go
// validateProvisioner.
#pragma once

#include "engine/reference_check.h"
#include "engine/rows/rows.h"
#include "refactoring/refactoring.h"

namespace kinu::engine {

/// Validate walk: decodes body and connection of each provisioner of a block, up to the first with
/// an error; only the first one if the block is not `sound`. False if it stops. `self` is what
/// bodies see of the object that does not exist yet.
bool ValidateProvisioners(const Walk& walk, const config::ConfigNode& place,
                          const config::Resource& resource, const ModuleScope& scope,
                          const Value& self, bool sound, Diagnostics& diags);

/// Whether a resource has provisioners for that moment.
bool HasProvisioners(const config::Resource& resource, config::Provisioner::When when);

/// Runs the provisioners of the row's block, or of its `removed` block, in the order of the source,
/// until one fails. `self` is the object.
void RunProvisioners(RowContext& row, config::Provisioner::When when, const Value& self,
                     const refactoring::Refactoring* removed, Diagnostics& diags);

}  // namespace kinu::engine
