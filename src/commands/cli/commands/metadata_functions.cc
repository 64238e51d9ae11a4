#include "base/program_name.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "compatibility/features.h"
#include "functions/function.h"
#include "json/writer.h"
#include "plan_json/documents.h"

namespace kinu::cli {

static int RunMetadataFunctions(Invocation& invocation) {
  CommandRun run(invocation);
  run.Parse();
  const bool reads_words = compatibility::Has(compatibility::Feature::kArgumentErrors);
  if (reads_words && !run.flags.positionals().empty()) {
    WordsError(run.diags, kUnexpectedWord,
               "Too many command line arguments. Did you mean to use -chdir?");
  }
  if ((run.ArgumentsFit() || reads_words) && !run.flags.Bool("json")) {
    run.diags.Error("Invalid arguments",
                    Hint("The `tofu metadata functions` command requires the `-json` flag."));
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

constexpr auto kMetadataFunctionsFlags = std::to_array<FlagSpec>({
    {.name = "json", .help = "As JSON, which is the only form there is."},
});

extern constexpr CommandSpec kMetadataFunctionsCommand{
    .name = "metadata functions",
    .synopsis = "Show signatures and descriptions for the available functions",
    .usage = "tofu [global options] metadata functions -json",
    .description = R"(Prints the signatures of all functions as JSON.)",
    .flags = kMetadataFunctionsFlags,
    .run = RunMetadataFunctions,
    .on_misuse = MisuseAnswer::kHelp,
};

}  // namespace kinu::cli
