#include "config/installed_module.h"

#include "addrs/version.h"
#include "base/program_name.h"
#include "text/quote.h"

namespace kinu::config {

bool HasSource(const InstalledModule& installed, const ModuleSource& source) {
  return WithoutSecrets(source.text) == WithoutSecrets(installed.source);
}

bool HasVersion(const InstalledModule& installed, const std::string& constraint) {
  const auto constraints = VersionConstraints::Parse(constraint);
  const auto version = Version::Parse(installed.version);
  return constraints && version && constraints->Allows(*version);
}

void CheckInstalled(const InstalledModule& installed, const ModuleSource* source,
                    const std::string& constraint, const SourceRange& range, Diagnostics& diags) {
  if (source != nullptr && !HasSource(installed, *source)) {
    diags.Error(
        "Module source has changed",
        "The source address was changed from " + text::Quoted(WithoutSecrets(installed.source)) +
            " to " + text::Quoted(WithoutSecrets(source->text)) +
            Hint(" since this module was installed. Run \"tofu init\" to install it again."),
        range);
  }
  if (constraint.empty() || !VersionConstraints::Parse(constraint) ||
      HasVersion(installed, constraint)) {
    return;
  }
  const std::string version = installed.version.empty() ? "" : "(" + installed.version + ") ";
  diags.Error("Module version requirements have changed",
              "The version requirements have changed since this module was installed and the "
              "installed version " +
                  version +
                  Hint("is no longer acceptable. Run \"tofu init\" to install another one."),
              range);
}

}  // namespace kinu::config
