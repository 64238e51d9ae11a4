// lsp: a language server for editors, on the standard streams.

#include <fcntl.h>
#include <unistd.h>

#include "cli/build_info.h"
#include "cli/command_run.h"
#include "cli/flag_groups.h"
#include "lsp/server.h"

namespace kinu::cli {
namespace {

/// Takes a standard stream for the server alone, so that nothing else reads or writes messages.
int TakeStream(int stream, const char* replacement, int mode) {
  const int taken = fcntl(stream, F_DUPFD_CLOEXEC, 3);
  if (const int other = open(replacement, mode | O_CLOEXEC); other >= 0) {
    dup2(other, stream);
    close(other);
  }
  return taken;
}

}  // namespace

static int RunLsp(Invocation& invocation) {
  CommandRun run(invocation);
  run.Parse();
  if (!run.HasNoWords()) {
    return run.Usage();
  }
  const int input = TakeStream(STDIN_FILENO, "/dev/null", O_RDONLY);
  const int output = TakeStream(STDOUT_FILENO, "/dev/null", O_WRONLY);
  return lsp::Serve(input, output,
                    {.version = std::string(kOwnVersion), .rest = invocation.give_back_memory});
}

constexpr auto kLspFlags =
    JoinFlags(FlagSpec{.name = "stdio", .help = "Use the standard streams. There is no other way."},
              kNoColor);

extern constexpr CommandSpec kLspCommand{
    .name = "lsp",
    .synopsis = "Serve an editor",
    .group = CommandGroup::kLanguage,
    .usage = "tofu [global options] lsp [-stdio]",
    .description = R"(Runs a language server: an editor starts it, and asks it for problems,
completions, definitions and the like while a configuration is written. It
speaks the Language Server Protocol 3.17 on the standard streams. It starts no
other process and does not use the network.

docs/lsp.md has the settings, and what to write into the configurations of
editors. TF_LOG=trace logs the messages on stderr.)",
    .flags = kLspFlags,
    .help_column = 21,
    .run = RunLsp,
};

}  // namespace kinu::cli
