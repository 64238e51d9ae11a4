#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "hcl/writer/format.h"
#include "ide/answers.h"
#include "ide/testing/texts.h"

namespace kinu::ide {
namespace {

std::string Formatted(const std::string& text) {
  Diagnostics problems;
  const Ref<const SourceFile> source = SourceFile::Make("x.tf", text);
  return hcl::writer::FormatFile(source.get(), problems).value_or("?");
}

TEST(FormatText, EditsSpacesAlone) {
  const auto edits = FormatText("a = 1\nbb   = 2\nblock   {\nc=1\n}\n", false);
  ASSERT_TRUE(edits);
  const std::vector<TextEdit> expected = {{{1, 2}, "  "},   {{8, 11}, " "},  {{20, 23}, " "},
                                          {{25, 25}, "  "}, {{26, 26}, " "}, {{27, 27}, " "}};
  EXPECT_EQ(*edits, expected);
}

TEST(FormatText, KeepsLinesAroundChangedOnes) {
  const std::string text = "variable \"a\" {\n  type = \"list\"\n}\n\nb   = \"${x}\"\nc = 1\n";
  const auto edits = FormatText(text, false);
  ASSERT_TRUE(edits);
  EXPECT_EQ(testing::Apply(text, *edits), Formatted(text));
  ASSERT_EQ(edits->size(), 2U);
  EXPECT_EQ((*edits)[0].text, "  type = list(string)\n");
}

TEST(FormatText, LeavesWhatDoesNotParseAndJson) {
  EXPECT_FALSE(FormatText("a = \n", false));
  EXPECT_FALSE(FormatText("{ \"a\":1 }", true));
}

/// Lines in wrong layout; together any of them parse.
std::string AnyText(std::mt19937& random) {
  constexpr std::string_view kParts[] = {
      "a{} = 1\n",
      "long_name =  \"x  y\" # comment\n",
      "\n",
      "block  \"l\"   {\n  x=1\n      yy = [1,2,\n3]\n}\n",
      "# comment\n",
      "h = <<EOT\n  text   ${ 1+1 }\n    EOT\n# z\n",
      "t = \"${var.x}\"\n",
      "variable v {\ntype = \"map\"\n\n\n}\n",
      "o = {\n\ta = 1\r\n\tbcd = 2\n}\n",
      "f = max( 1,2 )\n",
      "ü = \"é   ü\"\n",
  };
  std::string text;
  const size_t count = random() % 12;
  for (size_t i = 0; i < count; ++i) {
    std::string part(kParts[random() % std::size(kParts)]);
    // Arguments of a body have different names.
    if (part.find(" =") == 1 || part.starts_with("a{}") || part.starts_with("long") ||
        part.starts_with("ü")) {
      part.replace(0, part.find(' '), "n" + std::to_string(i) + std::string(random() % 3, 'x'));
    }
    text += std::string(random() % 3, ' ') + part;
  }
  return text;
}

TEST(FormatText, EqualsFmt) {
  std::mt19937 random(1);
  size_t changed = 0;
  for (int run = 0; run < 2000; ++run) {
    const std::string text = AnyText(random);
    const auto edits = FormatText(text, false);
    ASSERT_TRUE(edits) << text;
    const auto result = testing::Apply(text, *edits);
    ASSERT_EQ(result, Formatted(text)) << text;
    changed += edits->empty() ? 0 : 1;
    ASSERT_TRUE(FormatText(*result, false)->empty()) << text;
    const auto begin = static_cast<uint32_t>(random() % (text.size() + 1));
    const Span span{begin, begin + static_cast<uint32_t>(random() % 40)};
    const auto inside = FormatRange(text, false, span);
    ASSERT_TRUE(inside);
    for (const TextEdit& edit : *inside) {
      ASSERT_TRUE(std::ranges::find(*edits, edit) != edits->end());
      ASSERT_TRUE(edit.span.begin <= span.end && span.begin <= edit.span.end);
    }
  }
  EXPECT_GT(changed, 1000U);
}

TEST(FormatRange, KeepsWhatIsOutside) {
  const std::string text = "a={}\n\nb={}\n\nc={}\n";
  const auto edits = FormatRange(text, false, {6, 8});
  ASSERT_TRUE(edits);
  EXPECT_EQ(testing::Apply(text, *edits), "a={}\n\nb = {}\n\nc={}\n");
}

}  // namespace
}  // namespace kinu::ide
