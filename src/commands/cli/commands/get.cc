#include "base/files.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "cli/narrator.h"
#include "session/modules.h"

namespace kinu::cli {

static int RunGet(Invocation& invocation) {
  CommandRun run(invocation);
  run.Parse();
  if (!run.HasNoWords()) {
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
  run.StopOnInterrupt();
  Narrator narrator(invocation, *run.audience);
  const Loaded loaded =
      session::InstallModules(invocation.workspace,
                              {.variables = arguments,
                               .again = run.flags.Bool("update"),
                               .only_fetch = true,
                               .test_directory = run.flags.String("test-directory")},
                              narrator, run.diags);
  // Modules with errors of their own are not recorded, nor what was fetched beside them.
  if (loaded.config->calls_complete) {
    session::WriteModuleManifest(invocation.workspace, loaded, run.diags);
  }
  return run.audience->Show(run.diags) ? 1 : 0;
}

constexpr auto kGetFlags =
    JoinFlags(FlagSpec{.name = "update", .help = "Look for newer versions as well."},
              kTestDirectory, kBackendVariables, kMessages);

extern constexpr CommandSpec kGetCommand{
    .name = "get",
    .synopsis = "Install or upgrade remote OpenTofu modules",
    .group = CommandGroup::kSetup,
    .usage = "tofu [global options] get [options]",
    .description = R"(Finds the modules that the configuration calls and records where they are.)",
    .flags = kGetFlags,
    .run = RunGet,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

}  // namespace kinu::cli
