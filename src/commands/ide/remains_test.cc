// What is reported beside the errors that end a validation: all that stays true when these are
// mended, and nothing else.
#include <string>

#include <gtest/gtest.h>

#include "ide/testing/texts.h"

namespace kinu::ide::testing {
namespace {

/// A block with an error that does not depend on others.
constexpr std::string_view kKnown = "output \"known\" {\n  value = upper()\n}\n";
constexpr std::string_view kKnownError = "/w/known.tf: Not enough function arguments";

int Count(const std::string& text, std::string_view part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(Remains, OtherFilesOfTheModule) {
  const Texts texts{{"main.tf", "locals {\n  x = \n}\n"}, {"known.tf", kKnown}};
  EXPECT_EQ(Count(texts.Errors(), kKnownError), 1) << texts.Errors();
  EXPECT_EQ(Count(texts.Errors(), "/w/main.tf: Invalid expression"), 1) << texts.Errors();
}

TEST(Remains, OtherBlocksOfTheFile) {
  const Texts texts{{"known.tf", "locals {\n  x = \n}\n\n" + std::string(kKnown)}};
  EXPECT_EQ(Count(texts.Errors(), kKnownError), 1) << texts.Errors();
}

TEST(Remains, NamesThatMayBeDeclared) {
  const Texts texts{{"main.tf", "variable \"a\" {\n  default = \n}\n"},
                    {"other.tf",
                     "output \"x\" {\n"
                     "  value = [var.a, local.b, terraform_data.c.id, data.x_y.d, module.m.e]\n"
                     "}\n"
                     "resource \"terraform_data\" \"z\" {\n"
                     "  input      = provider::aws::f(1)\n"
                     "  depends_on = [module.n, terraform_data.none]\n"
                     "  lifecycle {\n"
                     "    replace_triggered_by = [terraform_data.none]\n"
                     "  }\n"
                     "}\n"}};
  EXPECT_EQ(Count(texts.Errors(), "\n"), 1) << texts.Errors();
}

TEST(Remains, NamesAreKnownWhereNothingIsLeftOut) {
  // Only a module is missing: all names of this one are known.
  const Texts texts{{"main.tf", "module \"m\" {\n  source = \"../elsewhere\"\n}\n"},
                    {"other.tf", "output \"x\" {\n  value = [module.m.any, local.none]\n}\n"}};
  EXPECT_EQ(Count(texts.Errors(), "Module not installed"), 1) << texts.Errors();
  EXPECT_EQ(Count(texts.Errors(), "/w/other.tf: Reference to undeclared local value"), 1)
      << texts.Errors();
  EXPECT_EQ(Count(texts.Errors(), "\n"), 2) << texts.Errors();
}

constexpr std::string_view kCall = "module \"m\" {\n  source = \"./m\"\n  a      = 1\n}\n";

TEST(Remains, CalledModules) {
  const Texts texts{
      {"broken.tf", "x = \n"},
      {"main.tf", kCall},
      {"m/main.tf", "variable \"a\" {\n}\noutput \"o\" {\n  value = local.none\n}\n"}};
  EXPECT_EQ(Count(texts.Errors(), "/w/m/main.tf: Reference to undeclared local value"), 1)
      << texts.Errors();
  EXPECT_EQ(Count(texts.Errors(), "/w/broken.tf: "), 2) << texts.Errors();
  EXPECT_EQ(Count(texts.Errors(), "\n"), 3) << texts.Errors();
}

TEST(Remains, CallersOfABrokenModule) {
  const Texts texts{{"main.tf", std::string(kCall) + "output \"x\" {\n  value = module.m.o\n}\n"},
                    {"known.tf", kKnown},
                    {"m/main.tf", "variable \"a\" {\n"}};
  EXPECT_EQ(Count(texts.Errors(), kKnownError), 1) << texts.Errors();
  EXPECT_EQ(Count(texts.Errors(), "\n"), 2) << texts.Errors();
}

TEST(Remains, ArgumentsOfABrokenModule) {
  const Texts texts{{"main.tf", "module \"m\" {\n  source = \"./m\"\n}\n"},
                    {"m/main.tf", "variable \"a\" {\n}\n\nwrong\n"}};
  EXPECT_EQ(Count(texts.Errors(), "/w/main.tf: Missing required argument"), 1) << texts.Errors();
}

TEST(Remains, BlocksWithErrorsOfTheirOwn) {
  // The argument may be meant to be `default`, so that none is missing.
  const Texts texts{
      {"main.tf", "module \"m\" {\n  source = \"./m\"\n}\n"},
      {"known.tf", kKnown},
      {"m/main.tf", "variable \"a\" {\n  defualt = 1\n}\noutput \"o\" {\n  value = local.x\n}\n"}};
  EXPECT_EQ(Count(texts.Errors(), kKnownError), 1) << texts.Errors();
  EXPECT_EQ(Count(texts.Errors(), "Unsupported argument"), 1) << texts.Errors();
  EXPECT_EQ(Count(texts.Errors(), "\n"), 2) << texts.Errors();
}

TEST(Remains, AfterWrongArgumentsOfACall) {
  const Texts texts{{"main.tf", "module \"m\" {\n  source = \"./m\"\n  none   = 1\n}\n"},
                    {"known.tf", kKnown},
                    {"m/main.tf", "variable \"a\" {\n  default = 1\n}\n"}};
  EXPECT_EQ(Count(texts.Errors(), kKnownError), 1) << texts.Errors();
  EXPECT_EQ(Count(texts.Errors(), "Unsupported argument"), 1) << texts.Errors();
}

TEST(Remains, VariableFiles) {
  const Texts texts{{"terraform.tfvars", "a = \n"}, {"known.tf", kKnown}};
  EXPECT_EQ(Count(texts.Errors(), kKnownError), 1) << texts.Errors();
}

TEST(Remains, NothingBesideBrokenOverrides) {
  const Texts texts{{"a_override.tf", "output \"known\" {\n  value = \n}\n"}, {"known.tf", kKnown}};
  EXPECT_EQ(Count(texts.Errors(), kKnownError), 0) << texts.Errors();
}

}  // namespace
}  // namespace kinu::ide::testing
