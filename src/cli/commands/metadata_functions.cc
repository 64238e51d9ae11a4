#include "cli/commands/commands.h"
#include "cli/state_session.h"
#include "codec/json_writer.h"
#include "functions/function.h"
#include "view/json/documents.h"

namespace kinu::cli {

int RunMetadataFunctions(Invocation& invocation) {
  static constexpr FlagSpec kFlags[] = {{"json"}};
  StateSession session(invocation);
  const std::span<const FlagSpec> tables[] = {kFlags};
  session.Parse(tables);
  if (session.ArgumentsFit() && !session.flags.Bool("json")) {
    session.diags.Error("Invalid arguments",
                        "The `tofu metadata functions` command requires the `-json` flag.");
  }
  if (session.diags.has_errors()) {
    return session.Usage();
  }
  std::string document;
  JsonWriter out(document);
  view::WriteFunctions(out, functions::Table::Standard());
  Print(document + "\n");
  return 0;
}

}  // namespace kinu::cli
