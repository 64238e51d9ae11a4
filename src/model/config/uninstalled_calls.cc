#include "config/uninstalled_calls.h"

#include "base/files.h"
#include "base/program_name.h"

namespace kinu::config {

void ReportUninstalled(const SourceRange& call, Diagnostics& diags) {
  diags.Error("Module not installed",
              Hint("This module is not yet installed. Run \"tofu init\" to install all modules "
                   "required by this configuration."),
              call);
}

bool UninstalledCalls::IsAround(const ConfigNode* caller, const std::string& directory) const {
  const std::string identity = files_.Identify(directory);
  for (const ConfigNode* at = caller; at != nullptr; at = at->parent) {
    if (files_.Identify(at->source_dir) == identity) {
      return true;
    }
  }
  return false;
}

const InstalledModule* UninstalledCalls::Follow(const ConfigNode* caller,
                                                const std::string& directory,
                                                const std::string& name, const CallTarget& target,
                                                InstalledModule& out) {
  if (!target.valid || target.source.kind != ModuleSourceKind::kLocal) {
    return nullptr;
  }
  const Result<std::string> found = files_.Resolve(JoinPath(directory, target.source.text));
  if (!found || !files_.HasDirectory(*found) || IsAround(caller, *found) ||
      !followed_.emplace(directory, name).second) {
    return nullptr;
  }
  out = {*found, target.source.text, ""};
  return &out;
}

}  // namespace kinu::config
