// state pull and state push: the whole state, out and in.
#include "base/files.h"
#include "cli/flag_groups.h"
#include "cli/state_session.h"

namespace kinu::cli {

static int RunStatePull(Invocation& invocation) {
  StateSession session(invocation);
  session.beside_errors = session::BackendWarnings::kLeftOut;
  session.Parse();
  if (!session.flags.positionals().empty()) {
    WordsError(session.diags, "Unexpected argument",
               "Too many command line arguments. Did you mean to use -chdir?");
  }
  if (!session.ArgumentsFit()) {
    return session.Usage();
  }
  session.unreadable = {"", "Failed to refresh state: "};
  if (!session.CheckConfiguration() || !session.Open()) {
    return session.Fail();
  }
  if (!session.state.absent() || session.store().exports_absent_state()) {
    Print(state::WriteState(session.state, state::Layout::kCompact) + "\n");
  }
  return 0;
}

/// Fails with what is wrong with the given file, unless the encryption has errors: those come
/// first.
static int FailOnFile(StateSession& session, std::string summary, std::string detail) {
  return session.CheckEncryption() ? session.Fail(std::move(summary), std::move(detail))
                                   : session.Fail();
}

static int RunStatePush(Invocation& invocation) {
  StateSession session(invocation);
  session.beside_errors = session::BackendWarnings::kLeftOut;
  session.Parse();
  if (!WordsFit(session.flags.positionals(), 1)) {
    WordsError(session.diags,
               WrongWordsSummary("Invalid number of arguments", session.flags.positionals(), 1),
               "Exactly one argument expected");
  }
  if (!session.ArgumentsFit()) {
    return session.Usage();
  }
  if (!session.CheckConfiguration()) {
    return session.Fail();
  }
  const std::string& path = session.flags.positionals()[0];
  Result<std::string> bytes = path == "-" ? terminal::ReadStandardInput() : ReadFile(path);
  if (!bytes) {
    return FailOnFile(session,
                      IsDirectory(path) ? "Failed to read source state \"" + path + "\""
                                        : "Failed to open the given state file",
                      bytes.error().message);
  }
  auto source = state::ReadGivenState(session.program, std::move(*bytes));
  if (!source) {
    return FailOnFile(session, "Failed to read source state \"" + path + "\"",
                      source.error().message);
  }
  session.unreadable = {"Failed to refresh destination state", ""};
  session.unopened = {"Failed to load destination state", ""};
  if (!session.Open("state-push")) {
    return session.Fail();
  }
  bool force = session.flags.Bool("force");
  if (!session.state.lineage.empty() && !force) {
    if (auto allowed = state::CheckReplacement(*source, session.state); !allowed) {
      return session.Fail("Failed to write the imported state", allowed.error().message);
    }
  }
  if (auto written = session.store().Replace(*source, force); !written) {
    return session.Fail("Failed to write the imported state", written.error().message);
  }
  session.Close();
  return session.diags.has_errors() ? session.Fail() : 0;
}

constexpr auto kStatePullFlags = JoinFlags(kBackendVariables);

extern constexpr CommandSpec kStatePullCommand{
    .name = "state pull",
    .synopsis = "Pull current state and output to stdout",
    .usage = "tofu [global options] state pull [options]",
    .description = R"(Prints the stored state of the current workspace.)",
    .flags = kStatePullFlags,
    .run = RunStatePull,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

constexpr auto kStatePushFlags =
    JoinFlags(FlagSpec{.name = "force", .help = "Store it whatever the lineage and serial."},
              kBackendVariables, kMessages, kStateLock, kIgnoreRemoteVersion);

extern constexpr CommandSpec kStatePushCommand{
    .name = "state push",
    .synopsis = "Update remote state from a local state file",
    .usage = "tofu [global options] state push [options] PATH",
    .description = R"(Stores a state file (or standard input, for "-") as the state of the current
workspace. A state of another lineage or of an older serial is refused.)",
    .flags = kStatePushFlags,
    .run = RunStatePush,
    .on_misuse = MisuseAnswer::kHelp,
    .newline_after_diagnostics = true,
};

}  // namespace kinu::cli
