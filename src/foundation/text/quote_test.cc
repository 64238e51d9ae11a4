#include "text/quote.h"

#include <gtest/gtest.h>

#include "text/suggest.h"

namespace kinu::text {
namespace {

TEST(Quote, AsGoPrintsIt) {
  struct Case {
    std::string_view text;
    std::string_view want;
  };
  const Case cases[] = {
      {"plain", R"("plain")"},
      {"tab\tnl\n\"q\"\\", R"("tab\tnl\n\"q\"\\")"},
      {std::string_view("\0\x7f\x1b", 3), R"("\x00\x7f\x1b")"},
      {"\xff\xc3", R"("\xff\xc3")"},
      {"é世🙂", "\"é世🙂\""},
      {"\u200b\u00a0", R"("\u200b\u00a0")"},
      {"\U000E0001", R"("\U000e0001")"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(GoQuote(c.text), c.want);
  }
  EXPECT_EQ(EscapeControls("a \"b\" \\ 世\n\tc"), "a \"b\" \\ 世\n\tc");
  EXPECT_EQ(EscapeControls("\x1b]0;t\a\r\x7f \u009b \xff"), R"(\x1b]0;t\a\r\x7f \u009b \xff)");
  EXPECT_EQ(GoQuoteRune('\''), R"('\'')");
  EXPECT_EQ(GoQuoteRune('"'), R"('"')");
  EXPECT_EQ(GoQuoteRune(0x4E16), "'世'");
}

TEST(Suggest, FirstWithinTwoEdits) {
  const std::string_view keywords[] = {"false", "true", "null"};
  EXPECT_EQ(SuggestName("ture", keywords), "true");
  EXPECT_EQ(SuggestName("flse", keywords), "false");
  EXPECT_EQ(SuggestName("NULL", keywords), "");
  EXPECT_EQ(SuggestName("bananas", keywords), "");
  const std::string_view words[] = {"sitting", "mitten"};
  EXPECT_EQ(SuggestName("kitten", words), "mitten");
  const std::string_view accented[] = {"ééa", "éé"};
  EXPECT_EQ(SuggestName("ee", accented), "éé");
}

}  // namespace
}  // namespace kinu::text
