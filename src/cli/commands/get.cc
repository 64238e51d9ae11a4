#include "base/files.h"
#include "cli/commands/commands.h"
#include "cli/modules.h"
#include "cli/state_session.h"

namespace kinu::cli {

int RunGet(Invocation& invocation) {
  static constexpr FlagSpec kFlags[] = {{"update"}, {"test-directory", FlagKind::kString, "tests"}};
  StateSession session(invocation);
  const std::span<const FlagSpec> tables[] = {kFlags, kVariableFlags, kJsonFlags};
  session.Parse(tables);
  if (session.ArgumentsFit() && !session.flags.positionals().empty()) {
    session.diags.Error("Unexpected argument",
                        "Too many command line arguments. Did you mean to use -chdir?");
  }
  if (session.diags.has_errors()) {
    return session.Usage();
  }
  auto arguments = VariableArguments(session.flags);
  const std::string modules = invocation.data_directory + "/modules";
  if (auto made = MakeDirectories(modules); !made) {
    return session.Fail("Failed to create local modules directory", made.error().message);
  }
  (void)GatherWorkingInputs(arguments, session.diags);
  if (session.diags.has_errors()) {
    return session.Fail();
  }
  Narrator narrator(invocation, *session.audience);
  Loaded loaded = InstallModules(invocation, arguments,
                                 {.again = session.flags.Bool("update"),
                                  .only_fetch = true,
                                  .test_directory = session.flags.String("test-directory")},
                                 narrator, session.diags);
  // Modules with errors of their own are not recorded, nor what was fetched beside them.
  if (loaded.config->calls_complete) {
    WriteModuleManifest(invocation, loaded, session.diags);
  }
  return session.audience->Show(session.diags) ? 1 : 0;
}

}  // namespace kinu::cli
