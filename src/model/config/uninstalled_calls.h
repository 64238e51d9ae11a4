// UninstalledCalls: local modules that calls lead to before `init` has seen them, for loads that
// say what is certain of incomplete configurations.
#pragma once

#include <set>
#include <string>
#include <utility>

#include "config/call_target.h"
#include "config/config.h"
#include "config/load.h"
#include "config/source_files.h"

namespace kinu::config {

/// Reports that a call's module is not installed.
void ReportUninstalled(const SourceRange& call, Diagnostics& diags);

class UninstalledCalls {
 public:
  explicit UninstalledCalls(const SourceFiles& files) : files_(files) {}

  /// The directory that the call `name` in `directory` leads to, in `out`. Null: there is none, or
  /// it is that of `caller` or of a module that calls this one. Each call is followed once, however
  /// many calls lead to it, so that the work grows with the calls that are written.
  const InstalledModule* Follow(const ConfigNode* caller, const std::string& directory,
                                const std::string& name, const CallTarget& target,
                                InstalledModule& out);

 private:
  bool IsAround(const ConfigNode* caller, const std::string& directory) const;

  const SourceFiles& files_;
  std::set<std::pair<std::string, std::string>> followed_;
};

}  // namespace kinu::config
