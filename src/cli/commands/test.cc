// test: would run the tests of a configuration. Test files are read and validated by other
// commands.
#include "cli/command.h"

namespace kinu::cli {

static int RunTest(Invocation& invocation) {
  Diagnostics diags;
  diags.Error(
      "Tests cannot be run",
      "Running tests is not built yet. The command \"validate\" reads and checks test files "
      "together with the configuration.");
  invocation.Show(diags);
  return 1;
}

extern constexpr CommandSpec kTestCommand{
    .name = "test",
    .synopsis = "Execute integration tests for OpenTofu modules",
    .usage = "tofu [global options] test [options]",
    .description = R"(Would run the tests of a configuration. This version reads and checks test
files, as "validate" and "init" do, but runs none.)",
    .run = RunTest,
};

}  // namespace kinu::cli
