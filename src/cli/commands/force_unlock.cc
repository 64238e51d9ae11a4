#include "cli/commands/commands.h"
#include "cli/state_session.h"

namespace kinu::cli {

int RunForceUnlock(Invocation& invocation) {
  static constexpr FlagSpec kFlags[] = {{"force"}};
  StateSession session(invocation);
  const std::span<const FlagSpec> tables[] = {kFlags, kVariableFlags, kJsonFlags};
  session.Parse(tables);
  if (session.ArgumentsFit() && session.flags.positionals().size() != 1) {
    session.diags.Error("Wrong number of arguments", "Expected a single argument: LOCK_ID");
  }
  if (session.diags.has_errors()) {
    return session.Usage();
  }
  backend::LocalOptions options;
  if (!session.Options(options)) {
    return session.Fail();
  }
  // The lock of a local state is the operating system's and ends with its holder.
  if (!session.flags.Bool("force")) {
    return session.Fail("State locked by another local process",
                        "Local state cannot be unlocked by another process.");
  }
  return session.Fail("Failed to unlock state: LocalState not locked",
                      "A local state is locked only as long as the process that works on it runs. "
                      "End that process to release the lock.");
}

}  // namespace kinu::cli
