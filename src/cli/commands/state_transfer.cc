// state pull and state push: the whole state, out and in.
#include <iostream>
#include <iterator>

#include "base/files.h"
#include "cli/commands/commands.h"
#include "cli/state_session.h"

namespace kinu::cli {

int RunStatePull(Invocation& invocation) {
  StateSession session(invocation);
  const std::span<const FlagSpec> tables[] = {kVariableFlags};
  session.Parse(tables);
  if (!session.flags.positionals().empty()) {
    session.diags.Error("Unexpected argument",
                        "Too many command line arguments. Did you mean to use -chdir?");
  }
  if (!session.ArgumentsFit()) {
    return session.Usage();
  }
  session.unreadable = {"", "Failed to refresh state: "};
  if (!session.CheckConfiguration() || !session.Open()) {
    return session.Fail();
  }
  if (!session.state.empty() || !session.state.lineage.empty() ||
      session.store().exports_absent_state()) {
    Print(state::WriteState(session.state, state::Layout::kCompact) + "\n");
  }
  return 0;
}

int RunStatePush(Invocation& invocation) {
  static constexpr FlagSpec kFlags[] = {{"force"}, {"ignore-remote-version"}};
  StateSession session(invocation);
  const std::span<const FlagSpec> tables[] = {kFlags, kVariableFlags, kJsonFlags, kLockFlags};
  session.Parse(tables);
  if (session.flags.positionals().size() != 1) {
    session.diags.Error("Invalid number of arguments", "Exactly one argument expected");
  }
  if (!session.ArgumentsFit()) {
    return session.Usage();
  }
  if (!session.CheckConfiguration()) {
    return session.Fail();
  }
  const std::string& path = session.flags.positionals()[0];
  Result<std::string> bytes =
      path == "-" ? std::string(std::istreambuf_iterator<char>(std::cin), {}) : ReadFile(path);
  if (!bytes) {
    return session.Fail(IsDirectory(path) ? "Failed to read source state \"" + path + "\""
                                          : "Failed to open the given state file",
                        bytes.error().message);
  }
  auto source = state::ReadGivenState(session.program, std::move(*bytes));
  if (!source) {
    return session.Fail("Failed to read source state \"" + path + "\"", source.error().message);
  }
  if (!session.Open("state-push")) {
    return session.Fail();
  }
  bool force = session.flags.Bool("force");
  bool stored = !session.state.lineage.empty();
  if (stored && !force) {
    if (auto allowed = state::CheckReplacement(*source, session.state); !allowed) {
      return session.Fail("Failed to write the imported state", allowed.error().message);
    }
  }
  // Ref: statemgr.Import and the write after it both count as a change of the stored content.
  if (stored && !state::SameContent(*source, session.state)) {
    ++source->serial;
  }
  if (auto written = session.store().Replace(*source, force); !written) {
    return session.Fail("Failed to write the imported state", written.error().message);
  }
  session.Close();
  return session.diags.has_errors() ? session.Fail() : 0;
}

}  // namespace kinu::cli
