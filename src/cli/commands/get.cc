#include "cli/commands/commands.h"
#include "cli/modules.h"
#include "cli/state_session.h"

namespace kinu::cli {

int RunGet(Invocation& invocation) {
  static constexpr FlagSpec kFlags[] = {{"update"}, {"test-directory", FlagKind::kString, "tests"}};
  StateSession session(invocation);
  const std::span<const FlagSpec> tables[] = {kFlags, kVariableFlags, kJsonFlags};
  session.Parse(tables);
  if (session.flags && !session.flags->positionals().empty()) {
    session.diags.Error("Unexpected argument",
                        "Too many command line arguments. Did you mean to use -chdir?");
  }
  if (session.diags.has_errors()) {
    return session.Usage();
  }
  auto arguments = VariableArguments(*session.flags, session.diags);
  Loaded loaded;
  loaded.program = session.program;
  loaded.inputs = GatherWorkingInputs(arguments, session.diags);
  config::LoadOptions options;
  options.workspace = WorkspaceOf(invocation);
  options.inputs = &loaded.inputs;
  options.require_installed = false;
  loaded.config = config::LoadConfig(loaded.program, ".", options, session.diags);
  if (session.diags.has_errors()) {
    return session.Fail();
  }
  std::string lines = ModuleLines(loaded);
  for (size_t begin = 0; begin < lines.size();) {
    size_t end = lines.find('\n', begin);
    session.Say(lines.substr(begin, end - begin));
    begin = end + 1;
  }
  WriteModuleManifest(invocation, loaded, session.diags);
  return session.audience->Show(session.diags) ? 1 : 0;
}

}  // namespace kinu::cli
