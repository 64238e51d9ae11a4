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
  EXPECT_EQ(GoQuoteRune('\''), R"('\'')");
  EXPECT_EQ(GoQuoteRune('"'), R"('"')");
  EXPECT_EQ(GoQuoteRune(0x4E16), "'世'");
}

TEST(Quote, Floats) {
  EXPECT_EQ(GoFloat(0), "0");
  EXPECT_EQ(GoFloat(0.1), "0.1");
  EXPECT_EQ(GoFloat(100000), "100000");
  EXPECT_EQ(GoFloat(1e20), "100000000000000000000");
  EXPECT_EQ(GoFloat(1e21), "1e+21");
  EXPECT_EQ(GoFloat(1.5e-7), "1.5e-07");
  EXPECT_EQ(GoFloat(0.0001), "0.0001");
  EXPECT_EQ(GoFloat(-1e300), "-1e+300");
}

TEST(Suggest, FirstWithinTwoEdits) {
  const std::string_view keywords[] = {"false", "true", "null"};
  EXPECT_EQ(SuggestName("ture", keywords), "true");
  EXPECT_EQ(SuggestName("flse", keywords), "false");
  EXPECT_EQ(SuggestName("NULL", keywords), "");
  EXPECT_EQ(SuggestName("bananas", keywords), "");
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(EditDistance("é", "e"), 1u);
}

}  // namespace
}  // namespace kinu::text
