// The configuration of a saved plan, loaded from its snapshot of the sources.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "config/load.h"

namespace kinu::plan {

/// Loads the snapshot with the plan's values of variables, which module sources may use. Needs no
/// files.
std::shared_ptr<config::Config> LoadPlanned(const config::SourceSnapshot& snapshot,
                                            const std::map<std::string, Value>& variables,
                                            const std::string& workspace_name,
                                            std::shared_ptr<Program> program, Diagnostics& diags);

}  // namespace kinu::plan
