// The rows of the command table, and what is made of them.
#include "cli/command.h"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "cli/command_help.h"

namespace kinu::cli {
namespace {

constexpr size_t kPrimary = 5;
constexpr size_t kWidest = 95;

TEST(CommandTable, IsSortedBehindThePrimaryCommands) {
  const auto others = Commands().subspan(kPrimary);
  EXPECT_TRUE(std::ranges::is_sorted(others, {}, &CommandSpec::name));
  for (const CommandSpec* command : Commands()) {
    EXPECT_EQ(FindCommand(command->name), command);
    if (!command->alias.empty()) {
      EXPECT_EQ(FindCommand(command->alias), command);
    }
  }
  EXPECT_EQ(FindCommand("nothing"), nullptr);
}

TEST(CommandTable, RowsAreComplete) {
  for (const CommandSpec* command : Commands()) {
    EXPECT_FALSE(command->synopsis.empty()) << command->name;
    EXPECT_NE(command->usage.find(command->name), std::string_view::npos) << command->name;
    EXPECT_TRUE(command->run != nullptr || command->lists_subcommands) << command->name;
    std::set<std::string_view> names;
    for (const FlagSpec& flag : command->flags) {
      EXPECT_TRUE(names.insert(flag.name).second)
          << command->name << " has -" << flag.name << " twice";
      EXPECT_TRUE(flag.kind != FlagKind::kView || !flag.help.empty());
    }
  }
}

/// Words that give a flag a value it takes.
std::vector<std::string> Given(const FlagSpec& flag) {
  const std::string word = "-" + std::string(flag.name);
  switch (flag.kind) {
    case FlagKind::kBool:
      return {word + "=true"};
    case FlagKind::kInt:
      return {word, "1"};
    case FlagKind::kDuration:
      return {word, "1s"};
    default:
      return {word + "=x"};
  }
}

TEST(CommandTable, EachFlagIsAcceptedAndExplained) {
  for (const CommandSpec* command : Commands()) {
    const std::string help = HelpText(*command);
    EXPECT_TRUE(help.starts_with("Usage: ")) << command->name;
    for (const FlagSpec& flag : command->flags) {
      if (flag.kind != FlagKind::kView) {
        auto flags = Flags::Parse(command->flags, Given(flag));
        ASSERT_TRUE(flags) << command->name << " -" << flag.name << ": " << flags.error().message;
        EXPECT_TRUE(flags->IsSet(flag.name));
      }
      const std::string line = "\n  -" + std::string(flag.name) + std::string(flag.form) + " ";
      EXPECT_EQ(help.find(line) != std::string::npos, !flag.help.empty()) << command->name << line;
    }
    size_t begin = 0;
    for (size_t end = help.find('\n'); end != std::string::npos; end = help.find('\n', begin)) {
      EXPECT_LE(end - begin, kWidest) << help.substr(begin, end - begin);
      begin = end + 1;
    }
  }
}

TEST(CommandHelp, HasItsForm) {
  constexpr FlagSpec kFlags[] = {
      {.name = "out", .kind = FlagKind::kString, .form = "=path", .help = "Where to.\nOr not."},
      {.name = "quiet"},
      {.name = "a-name-that-is-longer-than-its-column", .help = "Long."}};
  const CommandSpec command{.name = "try",
                            .synopsis = "Try it",
                            .usage = "tofu try [options]\ntofu try -x",
                            .description = "Tries.\n\nTwice.",
                            .flags = kFlags,
                            .notes = "Notes:\n\n  One.",
                            .help_column = 12};
  EXPECT_EQ(HelpText(command),
            "Usage: tofu try [options]\n"
            "       tofu try -x\n"
            "\n"
            "  Tries.\n"
            "\n"
            "  Twice.\n"
            "\n"
            "Options:\n"
            "\n"
            "  -out=path Where to.\n"
            "            Or not.\n"
            "  -a-name-that-is-longer-than-its-column  Long.\n"
            "\n"
            "Notes:\n"
            "\n"
            "  One.\n");
}

TEST(CommandHelp, GroupsListTheirCommands) {
  const std::string help = HelpText(*FindCommand("workspace"));
  EXPECT_NE(help.find("\nSubcommands:\n    delete    Delete a workspace\n"), std::string::npos);
  EXPECT_TRUE(TopHelpText().find("  workspace     Workspace management\n") != std::string::npos);
  EXPECT_TRUE(TopHelpText().find("workspace new") == std::string::npos);
}

}  // namespace
}  // namespace kinu::cli
