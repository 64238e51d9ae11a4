#include "cli/modules.h"

#include "session/modules.h"

namespace kinu::cli {

Loaded InstallModules(const Invocation& invocation,
                      std::span<const config::VariableArgument> arguments,
                      const ModuleInstall& install, Narrator& narrator, Diagnostics& diags) {
  session::ModuleInstallation found = session::FindModules(
      invocation.workspace,
      {.intent = install.only_fetch ? LoadIntent::kFetch : LoadIntent::kInstallation,
       .variables = arguments,
       .test_directory = install.test_directory},
      install.again, diags);
  for (const session::FoundModule& module : found.modules) {
    const std::string text = install.show_paths ? module.Key() + " in " + module.dir : module.Key();
    narrator.Say("- " + text, "installing " + text);
  }
  return std::move(found.loaded);
}

}  // namespace kinu::cli
