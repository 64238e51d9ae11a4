#include "base/files.h"
#include "cli/command_run.h"
#include "cli/commands/commands.h"
#include "cli/modules.h"
#include "session/modules.h"

namespace kinu::cli {

int RunGet(Invocation& invocation) {
  static constexpr FlagSpec kFlags[] = {{"update"}, {"test-directory", FlagKind::kString, "tests"}};
  CommandRun run(invocation);
  const std::span<const FlagSpec> tables[] = {kFlags, kVariableFlags, kJsonFlags};
  run.Parse(tables);
  if (run.ArgumentsFit() && !run.flags.positionals().empty()) {
    run.diags.Error("Unexpected argument",
                    "Too many command line arguments. Did you mean to use -chdir?");
  }
  if (run.diags.has_errors()) {
    return run.Usage();
  }
  auto arguments = VariableArguments(run.flags);
  const std::string modules = invocation.workspace.data_directory + "/modules";
  if (auto made = MakeDirectories(modules); !made) {
    return run.Fail("Failed to create local modules directory", made.error().message);
  }
  (void)session::GatherInputs(invocation.workspace, arguments, run.diags);
  if (run.diags.has_errors()) {
    return run.Fail();
  }
  Narrator narrator(invocation, *run.audience);
  Loaded loaded = InstallModules(invocation, arguments,
                                 {.again = run.flags.Bool("update"),
                                  .only_fetch = true,
                                  .test_directory = run.flags.String("test-directory")},
                                 narrator, run.diags);
  // Modules with errors of their own are not recorded, nor what was fetched beside them.
  if (loaded.config->calls_complete) {
    session::WriteModuleManifest(invocation.workspace, loaded, run.diags);
  }
  return run.audience->Show(run.diags) ? 1 : 0;
}

}  // namespace kinu::cli
