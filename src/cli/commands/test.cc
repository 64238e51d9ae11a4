// test: would run the tests of a configuration. Test files are read and validated by other
// commands.
#include "cli/command.h"
#include "cli/commands/commands.h"

namespace kinu::cli {

int RunTest(Invocation& invocation) {
  Diagnostics diags;
  diags.Error(
      "Tests cannot be run",
      "Running tests is not built yet. The command \"validate\" reads and checks test files "
      "together with the configuration.");
  invocation.Show(diags);
  return 1;
}

}  // namespace kinu::cli
