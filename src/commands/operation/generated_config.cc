#include "operation/generated_config.h"

#include "base/files.h"
#include "hcl/writer/tokens.h"

namespace kinu::operation {

bool CheckGeneratedConfigPath(const std::string& path, plan::Mode mode, Diagnostics& diags) {
  if (mode != plan::Mode::kNormal) {
    diags.Error("Invalid generate-config-out flag",
                "Config can only be generated during a normal plan operation, and not during a "
                "refresh-only or destroy plan.");
  } else if (FileExists(path)) {
    diags.Error("Target generated file already exists",
                "Generated configuration is only written to a new file. Name another one, or "
                "move what is in " +
                    path + " elsewhere.");
  }
  return !diags.has_errors();
}

bool SaveGeneratedConfig(const plan::Plan& plan, const std::string& path, Diagnostics& diags) {
  std::string text;
  for (const plan::ResourceChange& change : plan.changes) {
    if (change.generated_config.empty()) {
      continue;
    }
    if (text.empty()) {
      text =
          "# __generated__ by OpenTofu\n# Please review these resources and move them into your "
          "main configuration files.\n";
    }
    text += "\n# __generated__ by OpenTofu";
    if (change.importing && !change.importing->id.empty()) {
      text += " from " + hcl::writer::StringText(change.importing->id);
    }
    text += "\n" + change.generated_config.text() + "\n";
  }
  if (text.empty()) {
    return false;
  }
  if (auto written = ReplaceFile(path, text); !written) {
    diags.Error(
        "Failed to create target generated file",
        "The file for generated configuration cannot be written: " + written.error().message + ".");
    return false;
  }
  diags.Warning("Config generation is experimental",
                "Generating configuration during import is currently experimental, and the "
                "generated configuration format may change in future versions.");
  return true;
}

}  // namespace kinu::operation
