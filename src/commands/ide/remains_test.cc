// What is reported beside the errors that end a validation: all that stays true when these are
// mended, and nothing else.
#include <string>

#include <gtest/gtest.h>

#include "ide/testing/texts.h"
#include "ide/testing/workspace_fixture.h"

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

class BeforeInit : public WorkspaceFixture {};

TEST_F(BeforeInit, LocalModulesAreLookedInto) {
  Write("main.tf",
        "module \"m\" {\n  source = \"./m\"\n  b      = 1\n}\n"
        "output \"x\" {\n  value = module.m.o\n}\n");
  Write("m/main.tf",
        "variable \"a\" {}\nmodule \"n\" {\n  source = \"../n\"\n}\n"
        "output \"o\" {\n  value = local.none\n}\n");
  Write("n/main.tf", "locals {\n  x = var.none\n}\n");
  const std::vector<std::string> found = Check();
  const auto count = [&](const std::string& problem) { return std::ranges::count(found, problem); };
  EXPECT_EQ(count("main.tf: Module not installed"), 2);
  EXPECT_EQ(count("main.tf: Reference to undeclared local value"), 1);
  EXPECT_EQ(count("main.tf: Reference to undeclared input variable"), 1);
  EXPECT_EQ(count("main.tf: Missing required argument"), 1);
  EXPECT_EQ(count("main.tf: Unsupported argument"), 1);
}

TEST(Remains, ALevelThatNobodyKnows) {
  constexpr std::string_view kWrong = "resource \"terraform_data\" \"a\" {\n  none = 1\n}\n";
  const Texts texts{{"main.tf", "terraform {\n  required_version = \">= 1.13\"\n  x = = 1\n}\n"},
                    {"other.tf", kWrong}};
  EXPECT_EQ(Count(texts.Errors(), "/w/other.tf"), 0) << texts.Errors();
  const Texts other{{"main.tf", "terraform {\n  x = = 1\n}\n"}, {"other.tf", kWrong}};
  EXPECT_EQ(Count(other.Errors(), "/w/other.tf: Unsupported argument"), 1) << other.Errors();
}

TEST_F(BeforeInit, ModulesThatCallEachOtherEnd) {
  const std::string self =
      "module \"a\" {\n  source = \"../m\"\n}\n"
      "module \"b\" {\n  source = \"./.\"\n}\n"
      "module \"c\" {\n  source = \"../n\"\n}\n"
      "locals {\n  x = var.none\n}\n";
  Write("m/main.tf", self);
  Write("n/main.tf", "module \"m\" {\n  source = \"../m\"\n}\nlocals {\n  x = var.none\n}\n");
  const std::vector<std::string> found = Check("m");
  EXPECT_EQ(std::ranges::count(found, "main.tf: Reference to undeclared input variable"), 2);
  EXPECT_EQ(std::ranges::count(found, "main.tf: Module not installed"), 4);
  EXPECT_EQ(found.size(), 6U);
}

TEST_F(BeforeInit, WorkGrowsWithTheCalls) {
  constexpr int kModules = 40;  // each calls the next one twice
  for (int i = 0; i < kModules; ++i) {
    const std::string next = "\"../m" + std::to_string(i + 1) + "\"";
    Write("m" + std::to_string(i) + "/main.tf", "module \"a\" {\n  source = " + next +
                                                    "\n}\nmodule \"b\" {\n  source = " + next +
                                                    "\n}\nlocals {\n  x = var.none\n}\n");
  }
  const std::vector<std::string> found = Check("m0");
  // Both calls of the module before lead to each.
  EXPECT_EQ(std::ranges::count(found, "main.tf: Reference to undeclared input variable"),
            2 * kModules - 1);
}

}  // namespace
}  // namespace kinu::ide::testing
