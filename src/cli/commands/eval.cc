#include <iostream>

#include "cli/command.h"
#include "cli/flag_groups.h"
#include "eval/run.h"

namespace kinu::cli {

static int RunEval(Invocation& invocation) {
  auto flags = Flags::Parse(invocation.command->flags, invocation.args);
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

constexpr auto kEvalFlags = std::to_array<FlagSpec>({
    {.name = "json"},
});

extern constexpr CommandSpec kEvalCommand{
    .name = "eval",
    .synopsis = "Evaluate expressions in a batch, as JSON lines",
    .usage = "kinu eval -json",
    .description = R"(A batch evaluator for editors, test suites and other programs. Reads one
JSON request per line, writes one JSON response per line: expressions,
templates, type constraints, conversions, bodies. docs/eval.md has the
interface.)",
    .flags = kEvalFlags,
    .run = RunEval,
};

}  // namespace kinu::cli
