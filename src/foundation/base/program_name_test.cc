#include "base/program_name.h"

#include <gtest/gtest.h>

namespace kinu {
namespace {

class ProgramNameTest : public ::testing::Test {
 protected:
  ~ProgramNameTest() override { SetProgramName("tofu"); }
};

TEST_F(ProgramNameTest, IsTheLastPartOfTheCallIfKnown) {
  EXPECT_EQ(ProgramName(), "tofu");
  SetProgramName("/usr/bin/kinu");
  EXPECT_EQ(ProgramName(), "kinu");
  SetProgramName("terraform");
  EXPECT_EQ(ProgramName(), "terraform");
  SetProgramName("./kinu-1.2");
  EXPECT_EQ(ProgramName(), "kinu");
  SetProgramName("");
  EXPECT_EQ(ProgramName(), "kinu");
}

TEST_F(ProgramNameTest, HintsNameCommandsByIt) {
  SetProgramName("kinu");
  EXPECT_EQ(Hint("Run \"tofu init\", then tofu -help."), "Run \"kinu init\", then kinu -help.");
  EXPECT_EQ(Hint("tofu [global options] plan"), "kinu [global options] plan");
  EXPECT_EQ(Hint("run:\n  tofu force-unlock "), "run:\n  kinu force-unlock ");
  EXPECT_EQ(Hint("no command here"), "no command here");
}

TEST_F(ProgramNameTest, HintsKeepWhatIsNoCommand) {
  SetProgramName("kinu");
  for (const char* text : {"OpenTofu found", ".tofu files", "a.tofu file", "tofu", "tofu  x",
                           "only .tf, .tofu, .tfvars"}) {
    EXPECT_EQ(Hint(text), text);
  }
}

}  // namespace
}  // namespace kinu
