#include <gtest/gtest.h>

#include "manual/completions.h"
#include "manual/man_pages.h"

namespace kinu::manual {
namespace {

TEST(ManPages, HaveTheirSections) {
  EXPECT_EQ(ManPageName(*cli::FindCommand("state mv")), "kinu-state-mv");
  for (const cli::CommandSpec* command : cli::Commands()) {
    const std::string page = ManPage(*command);
    EXPECT_TRUE(page.starts_with(".TH KINU-")) << command->name;
    EXPECT_EQ(page.find("\ntofu "), std::string::npos) << command->name;
    for (const char* section : {".SH NAME\n", ".SH SYNOPSIS\n", ".SH SEE ALSO\n"}) {
      EXPECT_NE(page.find(section), std::string::npos) << command->name << section;
    }
  }
  EXPECT_NE(TopManPage().find(".BR kinu\\-plan (1)\n"), std::string::npos);
}

TEST(Completions, NameAllCommands) {
  for (const cli::CommandSpec* command : cli::Commands()) {
    const std::string quoted = "'" + std::string(command->name) + "'";
    EXPECT_NE(BashCompletion().find(quoted), std::string::npos);
    EXPECT_NE(ZshCompletion().find(quoted), std::string::npos);
    EXPECT_NE(FishCompletion().find(quoted), std::string::npos);
  }
}

}  // namespace
}  // namespace kinu::manual
