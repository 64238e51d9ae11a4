#include "hcl/syntax_checker.h"

#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "hcl/parse.h"

namespace kinu::hcl {
namespace {

std::string ManyBlocks(size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    const std::string number = std::to_string(i);
    text += "thing \"a\" \"b" + number + "\" {\n  a = \"x${var.b}\"\n  nested {\n    c = [" +
            number + ", local.d]\n  }\n}\n\n";
  }
  return text;
}

std::string Describe(const Diagnostics& diags) {
  std::string out;
  for (const Diagnostic& each : diags) {
    out += each.summary + ": " + each.detail + " " + std::to_string(each.subject.begin) + "-" +
           std::to_string(each.subject.end) + " " + std::string(each.subject.text()) + "\n";
  }
  return out;
}

std::string ParsedAtOnce(const std::string& text) {
  const Ref<const SourceFile> source = SourceFile::Make("test.tf", text);
  SyntaxTree tree;
  Diagnostics diags;
  (void)ParseNative(source.get(), tree, diags);
  return Describe(diags);
}

std::string Checked(SyntaxChecker& checker, const std::string& text) {
  return Describe(checker.Check(*SourceFile::Make("test.tf", text)));
}

TEST(SyntaxChecker, ParsesOnlyWhatIsNew) {
  for (const std::string_view end : {"\n", "\r\n"}) {
    std::string text;
    for (const char letter : ManyBlocks(10'000)) {
      text += letter == '\n' ? end : std::string_view(&letter, 1);
    }
    SyntaxChecker checker;
    EXPECT_EQ(Checked(checker, text), "");
    EXPECT_EQ(checker.parsed_bytes(), text.size());
    EXPECT_EQ(Checked(checker, text), "");
    EXPECT_EQ(checker.parsed_bytes(), 0);
    const size_t middle = text.find("a = ", text.size() / 2);
    for (const std::string_view typed :
         {"z = 1", "z = = 1", "a = 1", "x.y", "c d {}", "(", "\"", "}"}) {
      std::string edited = text;
      edited.insert(middle, typed);
      EXPECT_EQ(Checked(checker, edited), ParsedAtOnce(edited));
      EXPECT_EQ(Checked(checker, text), "");
      const bool goes_on =
          typed == "(" || typed == "\"" || typed == "}";  // until the end of the text
      if (!goes_on) {
        EXPECT_EQ(Checked(checker, edited), ParsedAtOnce(edited));
        EXPECT_LT(checker.parsed_bytes(), 100'000) << typed;
      }
    }
  }
}

TEST(SyntaxChecker, ErrorsOfOtherTextsThanAsciiKeepTheirSource) {
  const std::string text = ManyBlocks(100) + "e = \"é\"\nf = (\n";
  const Ref<const SourceFile> source = SourceFile::Make("test.tf", text);
  SyntaxChecker checker;
  const Diagnostics diags = checker.Check(*source);
  const auto other = SourceFile::Make("other.tf", std::string(text.size(), 'x'));
  EXPECT_EQ(Describe(diags), ParsedAtOnce(text));
  EXPECT_FALSE(diags.empty());
}

TEST(SyntaxChecker, FindsWhatTheParserFinds) {
  std::mt19937 chance(1);  // NOLINT(bugprone-random-generator-seed): the same each time
  const auto below = [&](size_t count) { return chance() % count; };
  constexpr std::string_view kTyped[] = {"\"",      "{",
                                         "}",       "(",
                                         ")",       "\n",
                                         "\n}\n",   "/*",
                                         "*/",      "#",
                                         "=",       "<<EOT\n",
                                         "\nEOT\n", "${",
                                         "%{",      "a = 1\n",
                                         "b = \n",  "c {\n",
                                         "\n}",     "é",
                                         "\t",      "a = 1\na = 2",
                                         "'",       "\xff",
                                         "[",       "thing \"a\" {\n"};
  size_t skipped = 0;
  for (int run = 0; run < 60; ++run) {
    std::string text = ManyBlocks(20 + below(150));
    SyntaxChecker checker;
    for (int edit = 0; edit < 40; ++edit) {
      const size_t at = below(text.size() + 1);
      if (below(3) == 0) {
        text.erase(at, below(40));
      } else {
        text.insert(at, kTyped[below(std::size(kTyped))]);
      }
      if (below(4) == 0) {
        text = ManyBlocks(20 + below(150));  // undone
      }
      ASSERT_EQ(Checked(checker, text), ParsedAtOnce(text)) << text;
      skipped += text.size() - std::min(text.size(), checker.parsed_bytes());
    }
  }
  EXPECT_GT(skipped, 1'000'000);
}

}  // namespace
}  // namespace kinu::hcl
