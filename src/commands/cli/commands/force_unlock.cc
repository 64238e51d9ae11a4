#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "cli/narrator.h"
#include "session/state_handle.h"
#include "terminal/prompt.h"

namespace kinu::cli {
namespace {

const terminal::Question kQuestion{
    .query = "Do you really want to force-unlock?",
    .description =
        "OpenTofu will remove the lock on the remote state.\n"
        "This will allow local OpenTofu commands to modify this state, even though it\n"
        "may still be in use. Only 'yes' will be accepted to confirm."};

}  // namespace

static int RunForceUnlock(Invocation& invocation) {
  CommandRun run(invocation);
  run.beside_errors = session::BackendWarnings::kLeftOut;
  run.Parse();
  if (run.ReadsWords() && !WordsFit(run.flags.positionals(), 1)) {
    WordsError(run.diags,
               WrongWordsSummary("Wrong number of arguments", run.flags.positionals(), 1),
               "Expected a single argument: LOCK_ID");
  }
  if (run.diags.has_errors()) {
    return run.Usage();
  }
  const auto chosen = run.ChooseBackend({});
  if (!chosen) {
    return run.Fail();
  }
  auto opened = session::StateHandle::Open(*chosen, invocation.workspace.Name(), run.program);
  if (!opened) {
    return run.Fail("Failed to load state: " + opened.error().message, "");
  }
  if (!opened->store().can_lock()) {
    return run.Fail("Locking disabled",
                    "The settings of this backend switch locks off, so there is none to release.");
  }
  const bool force = run.flags.Bool("force");
  if (!force && opened->store().lock_ends_with_process()) {
    return run.Fail("State locked by another local process",
                    "Local state cannot be unlocked by another process.");
  }
  if (!force) {
    auto answer = terminal::Ask(invocation.style(), kQuestion);
    if (!answer) {
      return run.Fail("Error asking for confirmation: " + answer.error().message, "");
    }
    if (*answer != "yes") {
      run.Say("force-unlock cancelled.", "force-unlock cancelled");
      return 1;
    }
  }
  auto released = opened->store().ForceUnlock(run.flags.positionals()[0]);
  if (!released) {
    return run.Fail("Failed to unlock state: " + released.error().message,
                    opened->store().lock_ends_with_process()
                        ? "A local state is locked only as long as the process that works on it "
                          "runs. End that process to release the lock."
                        : "");
  }
  Narrator(invocation, *run.audience)
      .Say(
          "[reset][bold][green]OpenTofu state has been successfully unlocked![reset][green]\n\n"
          "The state has been unlocked, and OpenTofu commands should now be able to\n"
          "obtain a new lock on the remote state.",
          "The state has been unlocked, and OpenTofu commands should now be able to obtain a new "
          "lock on the remote state.");
  return 0;
}

constexpr auto kForceUnlockFlags =
    JoinFlags(FlagSpec{.name = "force", .help = "Do not ask."}, kBackendVariables, kMessages);

extern constexpr CommandSpec kForceUnlockCommand{
    .name = "force-unlock",
    .synopsis = "Release a stuck lock on the current workspace",
    .group = CommandGroup::kStates,
    .usage = "tofu [global options] force-unlock [options] LOCK_ID",
    .description = R"(Releases the lock on the state of the current workspace. The lock of a local
state ends with the process that holds it and cannot be released this way.)",
    .flags = kForceUnlockFlags,
    .run = RunForceUnlock,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

}  // namespace kinu::cli
