#include "session/address_pattern.h"

#include <gtest/gtest.h>

#include "session/word_lines.h"

namespace kinu::session {
namespace {

class AddressPatternTest : public ::testing::Test {
 protected:
  AddressPatternTest() {
    state_.program = std::make_shared<Program>();
    for (const char* text :
         {"aws_instance.web[0]", "aws_instance.web[1]", "aws_instance.db", "data.aws_ami.web",
          "module.a.aws_instance.web[\"x y\"]", "module.b[\"eu-1\"].aws_instance.web[0]",
          "module.b[\"eu-1\"].module.c.aws_instance.web_old",
          "module.d.module.c.null_resource.n"}) {
      ResourceInstance address;
      EXPECT_TRUE(state_.program->ParseResourceInstance(text, &address)) << text;
      state_.Ensure(address.resource, {}).Ensure(*state_.program, address.key);
    }
  }
  /// The addresses that a pattern selects, between spaces, or its error.
  std::string Select(std::string_view text, bool any_last_key = false) {
    const auto pattern = AddressPattern::Parse(text);
    if (!pattern) {
      return pattern.error().message;
    }
    std::string out;
    for (const PatternMatch& match : FindMatches(state_, *pattern, any_last_key)) {
      out += (out.empty() ? "" : " ") + match.text;
    }
    return out;
  }
  /// "from to" of each match, or the error of the destination.
  std::string Rename(std::string_view from, std::string_view to) {
    std::string out;
    const auto destination = AddressPattern::Parse(to);
    for (const PatternMatch& match : FindMatches(state_, *AddressPattern::Parse(from), false)) {
      EXPECT_EQ(match.captures.size(), destination->wildcards());
      const auto text = Substitute(*state_.program, *destination, match.captures);
      out += (out.empty() ? "" : " ") + (text ? *text : text.error().message);
    }
    return out;
  }

  state::State state_;
};

TEST_F(AddressPatternTest, SelectsInstancesResourcesAndModules) {
  EXPECT_EQ(Select("aws_instance.web[*]"), "aws_instance.web[0] aws_instance.web[1]");
  EXPECT_EQ(Select("aws_instance.web[1]"), "aws_instance.web[1]");
  EXPECT_EQ(Select("aws_instance.*"), "aws_instance.db aws_instance.web");
  EXPECT_EQ(Select("*.*"), "aws_instance.db aws_instance.web");
  EXPECT_EQ(Select("data.*.*"), "data.aws_ami.web");
  EXPECT_EQ(Select("module.*.aws_instance.web[*]"), R"(module.a.aws_instance.web["x y"])");
  EXPECT_EQ(Select("module.*[*].aws_instance.web[*]"), R"(module.b["eu-1"].aws_instance.web[0])");
  EXPECT_EQ(Select(R"(module.b["eu-*"].*.*)"), R"(module.b["eu-1"].aws_instance.web)");
  EXPECT_EQ(Select("**.*.web*"),
            "aws_instance.web module.a.aws_instance.web "
            R"(module.b["eu-1"].aws_instance.web module.b["eu-1"].module.c.aws_instance.web_old)");
  EXPECT_EQ(Select("**.module.c.*.*"),
            R"(module.b["eu-1"].module.c.aws_instance.web_old module.d.module.c.null_resource.n)");
  EXPECT_EQ(Select("module.*"), "module.a module.d");
  EXPECT_EQ(Select("module.*", true), R"(module.a module.b["eu-1"] module.d)");
  EXPECT_EQ(Select("**.module.c"), R"(module.b["eu-1"].module.c module.d.module.c)");
}

TEST_F(AddressPatternTest, SubstitutesWildcards) {
  EXPECT_EQ(Rename("aws_instance.web[*]", "aws_instance.w_*"), "aws_instance.w_0 aws_instance.w_1");
  EXPECT_EQ(Rename("aws_instance.web[*]", "aws_instance.w[*]"),
            "aws_instance.w[0] aws_instance.w[1]");
  EXPECT_EQ(Rename("aws_instance.web[*]", R"(aws_instance.w["n*"])"),
            R"(aws_instance.w["n0"] aws_instance.w["n1"])");
  EXPECT_EQ(Rename("module.*.module.c.*.*", "module.x[*].*.*"), R"(module.x["d"].null_resource.n)");
  EXPECT_EQ(Rename("**.*.web_*", "module.new.**.*.*"),
            R"(module.new.module.b["eu-1"].module.c.aws_instance.old)");
  EXPECT_EQ(Rename("aws_instance.w*b[0]", "**.aws_instance.a"),
            "\"**\" stands for modules, and \"*\" for other things.");
}

TEST_F(AddressPatternTest, ExplainsMistakes) {
  EXPECT_EQ(Select("aws_instance"), "A resource has a type and a name: \"aws_instance.web\".");
  EXPECT_EQ(Select("module.a.**"),
            "\"**\" stands for the modules before a name: a name must follow.");
  EXPECT_EQ(Select("**.**.a.b"), "\"**\" stands for any number of modules: one is enough.");
  EXPECT_EQ(Select("a.b[c]"), "A key is a number, a string in double quotes, or \"*\".");
  EXPECT_EQ(Select("a.b[\"c"), "A key is a number, a string in double quotes, or \"*\".");
  EXPECT_EQ(Select("a.b.c"), "Nothing can follow the name and the key of a resource.");
  EXPECT_EQ(Select("module.a[0]b.c"), "A period must stand between two parts.");
  EXPECT_EQ(Select("a..b"), "A name is missing.");
}

/// The words of lines, each in brackets, or the summaries of the errors.
std::string WordsOf(std::string text) {
  const auto file = SourceFile::Make("lines", std::move(text));
  Diagnostics diags;
  std::string out;
  for (const WordLine& line : ReadWordLines(file.get(), diags)) {
    for (const LineWord& word : line.words) {
      out += "(" + word.text + ")";
      EXPECT_TRUE(!word.verbatim || word.range.text() == word.text);
    }
    out += "\n";
  }
  for (const Diagnostic& diagnostic : diags) {
    out += diagnostic.summary + " " + ToText(diagnostic.subject) + "\n";
  }
  return out;
}

TEST(WordLines, SplitsAtSpacesOutsideOfQuotes) {
  EXPECT_EQ(WordsOf("\xEF\xBB\xBF a.b\tc.d # rest\r\n\n# a\n  e#f 'g h' \"i \\\" \\\\ \\n\"\n"),
            "(a.b)(c.d)\n(e#f)(g h)(i \" \\ \\n)\n");
  EXPECT_EQ(WordsOf(R"(a.b["x y"].c "a.b[\"x\"]" 'a.b["x"]' id"with)"),
            "(a.b[\"x y\"].c)(a.b[\"x\"])(a.b[\"x\"])(id\"with)\n");
  EXPECT_EQ(WordsOf("'' \"\""), "()()\n");
  EXPECT_EQ(WordsOf(R"(a.b["q \" # ]"] # c)"), "(a.b[\"q \\\" # ]\"])\n");
}

TEST(WordLines, ReportsQuotesThatDoNotFit) {
  EXPECT_EQ(WordsOf("a\n b 'c\n"), "(a)\n(b)\nUnclosed quote lines:2,4-6\n");
  EXPECT_EQ(WordsOf("a[\"b c\n"), "Unclosed quote lines:1,3-7\n");
  EXPECT_EQ(WordsOf("'a'b c\n"), "Text after a quoted word lines:1,1-5\n");
}

}  // namespace
}  // namespace kinu::session
