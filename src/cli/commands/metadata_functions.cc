#include "cli/command_run.h"
#include "cli/commands/commands.h"
#include "codec/json_writer.h"
#include "functions/function.h"
#include "view/json/documents.h"

namespace kinu::cli {

int RunMetadataFunctions(Invocation& invocation) {
  static constexpr FlagSpec kFlags[] = {{"json"}};
  CommandRun run(invocation);
  const std::span<const FlagSpec> tables[] = {kFlags};
  run.Parse(tables);
  if (run.ArgumentsFit() && !run.flags.Bool("json")) {
    run.diags.Error("Invalid arguments",
                    "The `tofu metadata functions` command requires the `-json` flag.");
  }
  if (run.diags.has_errors()) {
    return run.Usage();
  }
  std::string document;
  JsonWriter out(document);
  view::WriteFunctions(out, functions::Table::Standard());
  Print(document + "\n");
  return 0;
}

}  // namespace kinu::cli
