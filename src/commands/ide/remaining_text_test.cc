// What is left of a text while parts of it are wrong.
#include "ide/remaining_text.h"

#include <string>

#include <gtest/gtest.h>

namespace kinu::ide {
namespace {

/// The lines that are left, without those that are blank.
std::string Left(std::string_view text) {
  const auto left = WithoutWrongParts(text);
  if (!left) {
    return "nothing";
  }
  EXPECT_EQ(left->size(), text.size());
  std::string out;
  for (size_t begin = 0; begin < left->size();) {
    const size_t end = std::min(left->find('\n', begin), left->size());
    const std::string line = left->substr(begin, end - begin);
    out += line.find_first_not_of(' ') == std::string::npos ? "" : line + "\n";
    begin = end + 1;
  }
  return out;
}

constexpr std::string_view kBefore = "variable \"a\" {\n  type = string\n}\n";
constexpr std::string_view kAfter = "output \"é\" { value = 1 }\n";

std::string Around(std::string_view middle) {
  return std::string(kBefore) + "\n" + std::string(middle) + "\n" + std::string(kAfter);
}
const std::string kBoth = std::string(kBefore) + std::string(kAfter);

TEST(RemainingText, WholeText) {
  EXPECT_EQ(Left(Around("locals {\n  x = 1\n}\n")),
            std::string(kBefore) + "locals {\n  x = 1\n}\n" + std::string(kAfter));
  EXPECT_EQ(Left(""), "");
}

TEST(RemainingText, BlocksAroundAWrongOne) {
  for (const std::string_view wrong : {
           "locals {\n  x = \n}\n",                          // a value is missing
           "locals {\n  x = local.\n  y = 2\n}\n",           // so is a name
           "locals {\n  x = {\n}\n",                         // a brace is open
           "locals {\n  x = 1\n",                            // the block is
           "resource \"a\" \"b\" {\n  inst\n}\n",            // an argument is typed
           "reso\n",                                         // a block is
           "resource \"a\" \"b\"\n",                         //
           "locals {\n  x = \"${\n}\n",                      // a template is open
           "locals {\n  x = <<EOT\n{\n}\nEOT\n  y = \n}\n",  // braces that are text
       }) {
    EXPECT_EQ(Left(Around(wrong)), kBoth) << wrong;
  }
}

TEST(RemainingText, BracesThatAreText) {
  const std::string heredoc = "locals {\n  x = <<EOT\n{\n}\nEOT\n}\n";
  EXPECT_EQ(Left(heredoc + "\nwrong\n"), heredoc);
}

TEST(RemainingText, NothingIsCertain) {
  for (const std::string_view wrong : {
           "locals {\n  x = 1\n}\n  y = 2\n}\n",  // ends too early: its arguments are missing
           "locals\n  x = 1\n}\n",                // the lines below belong to what?
           "locals {\n  x = */\n}\n",             // where did the comment begin?
           "locals {\n  x = 1 /* \n}\n",          // and where does it end?
           "resource \"a\" \"b\"\nlifecycle {\n}\n}\n",
           "x = \nresource \"a\" \"b\" {\n}\nEOT\n}\n",  // a heredoc that has lost its beginning
       }) {
    EXPECT_EQ(Left(Around(wrong)), "nothing") << wrong;
  }
}

TEST(RemainingText, WithoutABlock) {
  const std::string text = Around("locals {\n  x = 1\n}\n");
  EXPECT_EQ(Left(WithoutBlockAt(text, static_cast<uint32_t>(text.find("x = 1"))).value_or("?")),
            kBoth);
  EXPECT_EQ(WithoutBlockAt(text, static_cast<uint32_t>(text.size())), std::nullopt);
  EXPECT_EQ(WithoutBlockAt("x = 1\n", 0), std::nullopt);
}

}  // namespace
}  // namespace kinu::ide
