#include <iostream>

#include "cli/command.h"
#include "cli/commands/commands.h"
#include "eval/run.h"

namespace kinu::cli {

int RunEval(Invocation& invocation) {
  static constexpr FlagSpec kFlags[] = {{"json"}};
  const std::span<const FlagSpec> tables[] = {kFlags};
  auto flags = Flags::Parse(tables, invocation.args);
  Diagnostics diags;
  if (!flags) {
    diags.Error("Failed to parse command-line flags", flags.error().message);
  } else if (!flags->Bool("json")) {
    diags.Error("Invalid arguments", "The eval command works on JSON lines: give -json.");
  }
  if (diags.has_errors()) {
    return UsageError(invocation, diags);
  }
  std::ios::sync_with_stdio(false);
  return eval::RunEvalJson(std::cin, std::cout);
}

}  // namespace kinu::cli
