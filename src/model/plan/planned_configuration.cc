#include "plan/planned_configuration.h"

#include <utility>

namespace kinu::plan {

std::shared_ptr<config::Config> LoadPlanned(const config::SourceSnapshot& snapshot,
                                            const std::map<std::string, Value>& variables,
                                            const std::string& workspace_name,
                                            std::shared_ptr<Program> program, Diagnostics& diags) {
  config::LoadOptions options;
  options.workspace = workspace_name;
  options.snapshot = &snapshot;
  options.planned = &variables;
  return config::LoadConfig(std::move(program), ".", options, diags);
}

}  // namespace kinu::plan
