#include "cli/flags.h"

#include <gtest/gtest.h>

namespace kinu::cli {
namespace {

constexpr FlagSpec kSpecs[] = {{"json"},
                               {"lock", FlagKind::kBool, "true"},
                               {"out", FlagKind::kString},
                               {"parallelism", FlagKind::kInt, "10"},
                               {"lock-timeout", FlagKind::kDuration, "0s"},
                               {"var", FlagKind::kList},
                               {"var-file", FlagKind::kList},
                               {.name = "form", .kind = FlagKind::kString, .alone = "text"}};

Result<Flags> Parse(std::vector<std::string> args) {
  return Flags::Parse(kSpecs, args);
}

TEST(Flags, GoRules) {
  auto flags = Parse({"-json", "--lock=false", "-out", "p", "-parallelism=3", "-lock-timeout=1m5s",
                      "-var", "a=1", "-var-file=x", "-var=b=2", "rest", "-json"});
  ASSERT_TRUE(flags);
  EXPECT_TRUE(flags->Bool("json"));
  EXPECT_FALSE(flags->Bool("lock"));
  EXPECT_EQ(flags->String("out"), "p");
  EXPECT_EQ(flags->Int("parallelism"), 3);
  EXPECT_EQ(flags->Duration("lock-timeout"), 65000);
  EXPECT_EQ(flags->List("var"), (std::vector<std::string>{"a=1", "b=2"}));
  EXPECT_EQ(flags->occurrences()[1].value, "x");
  EXPECT_EQ(flags->positionals(), (std::vector<std::string>{"rest", "-json"}));
}

TEST(Flags, DefaultsAndDoubleDash) {
  auto flags = Parse({"--", "-json"});
  ASSERT_TRUE(flags);
  EXPECT_FALSE(flags->Bool("json"));
  EXPECT_TRUE(flags->Bool("lock"));
  EXPECT_EQ(flags->Int("parallelism"), 10);
  EXPECT_EQ(flags->positionals(), (std::vector<std::string>{"-json"}));
}

TEST(Flags, SomeStandWithoutValue) {
  for (const char* word : {"-form", "--form", "-form=text"}) {
    const auto flags = Parse({word, "-json", "rest"});
    ASSERT_TRUE(flags);
    EXPECT_EQ(flags->String("form"), "text");
    EXPECT_TRUE(flags->IsSet("form"));
    EXPECT_TRUE(flags->Bool("json"));
    EXPECT_EQ(flags->positionals(), std::vector<std::string>{"rest"});
  }
  EXPECT_EQ(Parse({"-form=tree"})->String("form"), "tree");
  EXPECT_EQ(Parse({"-form="})->String("form"), "");
  // The value of another flag is no flag, whatever it looks like.
  const auto flags = Parse({"-out", "-form"});
  EXPECT_EQ(flags->String("out"), "-form");
  EXPECT_FALSE(flags->IsSet("form"));
}

TEST(Flags, ErrorsInTheReferencesWords) {
  static const std::pair<std::vector<std::string>, const char*> kCases[] = {
      {{"-x"}, "flag provided but not defined: -x"},
      {{"-help=x"}, "flag: help requested"},
      {{"--h"}, "flag: help requested"},
      {{"-lock=x"}, "invalid boolean value \"x\" for -lock: parse error"},
      {{"-lock-timeout=5"}, "invalid value \"5\" for flag -lock-timeout: parse error"},
      {{"-parallelism=q"}, "invalid value \"q\" for flag -parallelism: parse error"},
      {{"-var"}, "flag needs an argument: -var"},
  };
  for (const auto& [args, message] : kCases) {
    auto flags = Parse(args);
    ASSERT_FALSE(flags);
    EXPECT_EQ(flags.error().message, message);
  }
}

TEST(ShellWords, QuotesAndEscapes) {
  EXPECT_EQ(*SplitShellWords("-a 'b c' \"d\\\"e\" f\\ g"),
            (std::vector<std::string>{"-a", "b c", "d\"e", "f g"}));
  EXPECT_FALSE(SplitShellWords("'open"));
}

TEST(ShellWords, OfShellsThatRunNothing) {
  struct Row {
    const char* text;
    const char* words;  // joined by "|"; null: none
  };
  // Each answer was given by mattn/go-shellwords v1.0.12.
  constexpr Row kRows[] = {
      {"a;b", "a"},           {"-var x=1&2 c", "-var|x=1"},
      {"a b>c", "a|b"},       {"a 1>c", "a"},
      {"'a;b' c", "a;b|c"},   {"$(a b) c", "$(a b)|c"},
      {"`a b` c", "`a b`|c"}, {"a(b)", nullptr},
      {"a)b) c", "a)b)|c"},   {"a)b", nullptr},
      {"`a", nullptr},        {"a\\", nullptr},
      {"'' a", "|a"},         {">x", ""},
  };
  for (const Row& row : kRows) {
    const auto words = SplitShellWords(row.text);
    ASSERT_EQ(words.has_value(), row.words != nullptr) << row.text;
    std::string joined;
    for (size_t i = 0; words && i < words->size(); ++i) {
      joined += (i == 0 ? "" : "|") + (*words)[i];
    }
    EXPECT_EQ(joined, row.words != nullptr ? row.words : "") << row.text;
  }
}

}  // namespace
}  // namespace kinu::cli
