// Whether an installed module is the one that a call wants. Private to config.
#pragma once

#include <string>

#include "config/load.h"
#include "config/module_source.h"

namespace kinu::config {

/// Whether a module was installed from a source. The manifest has no secrets.
bool HasSource(const InstalledModule& installed, const ModuleSource& source);
/// Whether the version of a module satisfies a constraint.
bool HasVersion(const InstalledModule& installed, const std::string& constraint);
/// Reports a module that was installed for another call. `source`: null if the call has no valid
/// one; `constraint`: empty if it has none.
void CheckInstalled(const InstalledModule& installed, const ModuleSource* source,
                    const std::string& constraint, const SourceRange& range, Diagnostics& diags);

}  // namespace kinu::config
