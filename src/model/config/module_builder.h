// Builds a module from the content of its files. Private to config. Ref: opentofu
// internal/configs/module.go NewModule, module_merge.go.
#pragma once

#include "config/decode.h"

namespace kinu::config {

/// Moves all blocks into `module`: reports duplicate declarations, applies override files, sorts
/// the tables and builds their indexes.
void BuildModule(Program& program, FileContent primary, std::vector<FileContent> overrides,
                 Module& module, Diagnostics& diags);

/// Applies one override file. The indexes of `module` must exist. Defined in override.cc.
void ApplyOverrides(Program& program, FileContent over, Module& module, Diagnostics& diags);

}  // namespace kinu::config
