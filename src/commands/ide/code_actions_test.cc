#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "ide/answers.h"
#include "ide/testing/marked_workspace.h"
#include "ide/testing/texts.h"

namespace kinu::ide {
namespace {

using testing::Texts;

std::vector<CodeAction> ActionsOf(const Texts& texts) {
  return CodeActionsAt(texts.snapshot(), texts.path(), texts.span());
}

/// The titles, one a line, without those that need no particular place.
std::string Titles(const Texts& texts) {
  std::string out;
  for (const CodeAction& action : ActionsOf(texts)) {
    out += action.title + "\n";
  }
  return out;
}

/// Applies the action of that title, and expects the result to be valid.
void RunAction(Texts& texts, std::string_view title) {
  const auto actions = ActionsOf(texts);
  const auto found = std::ranges::find(actions, title, &CodeAction::title);
  ASSERT_NE(found, actions.end()) << "offered: " << Titles(texts);
  ASSERT_TRUE(texts.Change(found->edit));
  EXPECT_EQ(texts.Errors(), "");
}

TEST(MissingInputs, AreAddedWithValuesOfTheirTypes) {
  Texts texts{{"main.tf", "module \"m\" {\n  source = \"./m‸\"\n  given  = 1\n}\n"},
              {"m/main.tf",
               "variable \"given\" {}\nvariable \"s\" {\n  type = string\n}\n"
               "variable \"object\" {\n  type = object({ a = number, b = optional(bool), c = "
               "tuple([bool]) })\n}\n"
               "variable \"list\" {\n  type = list(string)\n}\nvariable \"any\" {}\n"
               "variable \"free\" {\n  default = 1\n}\n"}};
  EXPECT_NE(texts.Errors(), "");
  RunAction(texts, "Add the required arguments");
  EXPECT_EQ(texts["main.tf"],
            "module \"m\" {\n  source = \"./m\"\n  given  = 1\n  any    = null\n  list   = []\n"
            "  object = { a = 0, c = [false] }\n  s      = \"\"\n}\n");
  EXPECT_EQ(Titles(texts).find("required"), std::string::npos);
}

TEST(MissingInputs, InABlockOfOneLine) {
  Texts texts{{"main.tf", "module \"m‸\" { source = \"./m\" }\n"},
              {"m/main.tf", "variable \"a\" {}\n"}};
  RunAction(texts, "Add the required arguments");
  EXPECT_EQ(texts["main.tf"], "module \"m\" {\n  source = \"./m\"\n  a = null\n}\n");
}

class MissingArguments : public testing::MarkedWorkspace {
 protected:
  /// The text after "Add the required arguments" at the mark; empty if that is not offered.
  std::string After(std::string text) {
    const Cursor cursor = Open("main.tf", text);
    const auto actions =
        CodeActionsAt(*workspace_.Take(), cursor.path, {cursor.offset, cursor.offset});
    const auto found = std::ranges::find(actions, "Add the required arguments", &CodeAction::title);
    if (found == actions.end()) {
      return "";
    }
    text.erase(text.find('|'), 1);
    const TextEdit& edit = found->edit[0].edits[0];
    return text.replace(edit.span.begin, edit.span.end - edit.span.begin, edit.text);
  }
};

TEST_F(MissingArguments, OfResourcesWithBlocksInside) {
  EXPECT_EQ(After("resource \"aws_vpc\" \"a|\" {\n}\n"),
            "resource \"aws_vpc\" \"a\" {\n  cidr_block = \"\"\n}\n");
  EXPECT_EQ(After("resource \"aws_vpc\" \"a|\" {\n  cidr_block = null\n}\n"), "");
  EXPECT_EQ(After("data \"aws_image\" \"a|\" {\n  count = 1\n}\n"),
            "data \"aws_image\" \"a\" {\n  count = 1\n  owner = \"\"\n}\n");
}

TEST_F(MissingArguments, OfBlocksOfTheLanguage) {
  EXPECT_EQ(After("moved {|\n  from = a.b\n}\n"), "moved {\n  from = a.b\n  to = null\n}\n");
  EXPECT_EQ(After("check \"c\" {\n  assert {|\n  }\n}\n"),
            "check \"c\" {\n  assert {\n    condition     = false\n    error_message = \"\"\n"
            "  }\n}\n");
  EXPECT_EQ(After("module \"m\" {|\n}\n"), "");
  EXPECT_EQ(After("nothing {|\n}\n"), "");
}

TEST(CodeActions, OfABlockThatIsNotClosed) {
  for (const std::string_view text :
       {"output \"a\" ‸{\n  value = 1\n", "variable \"‸a\" {", "locals {\n  a‸ = 1",
        "module \"m‸\" {\n  source = \"./m\"", "check \"c\" {\n  data \"a\" \"b\" {‸"}) {
    const Texts texts{{"main.tf", text}, {"variables.tf", "variable \"b\" {}\n"}};
    for (const CodeAction& action : ActionsOf(texts)) {
      Texts changed{{"main.tf", text}, {"variables.tf", "variable \"b\" {}\n"}};
      EXPECT_TRUE(changed.Change(action.edit)) << text << ": " << action.title;
    }
  }
}

TEST(SimilarNames, OfEachKind) {
  const std::pair<std::string, std::string_view> declarations{
      "other.tf",
      "variable \"region\" {\n  default = \"\"\n}\nlocals {\n  size = 1\n}\n"
      "resource \"terraform_data\" \"server\" {}\nmodule \"net\" {\n  source = \"./net\"\n}\n"};
  const std::pair<std::string, std::string_view> net{
      "net/main.tf",
      "variable \"cidr\" {\n  default = 1\n}\noutput \"subnet\" {\n  value = 1\n}\n"};
  const auto check = [&](std::string_view text, std::string_view name, std::string_view fixes) {
    Texts texts{{"main.tf", text}, declarations, net};
    const auto actions = ActionsOf(texts);
    ASSERT_FALSE(actions.empty()) << text;
    EXPECT_EQ(actions[0].title, "Change to \"" + std::string(name) + "\"");
    EXPECT_EQ(actions[0].fixes, fixes);
    EXPECT_NE(texts.Errors().find(fixes), std::string::npos) << texts.Errors();
    RunAction(texts, actions[0].title);
  };
  check("output \"o\" {\n  value = var.regoin‸\n}\n", "region",
        "Reference to undeclared input variable");
  check("output \"o\" {\n  value = v‸ar.regoin\n}\n", "region",
        "Reference to undeclared input variable");
  check("output \"o\" {\n  value = local.sise‸\n}\n", "size",
        "Reference to undeclared local value");
  check("output \"o\" {\n  value = terraform_data.serve‸\n}\n", "server",
        "Reference to undeclared resource");
  check("output \"o\" {\n  value = module.nett‸.subnet\n}\n", "net",
        "Reference to undeclared module");
  check("output \"o\" {\n  value = module.net.subnets‸\n}\n", "subnet", "Unsupported attribute");
  check("module \"n\" {\n  source = \"./net\"\n  cdir‸ = 1\n}\n", "cidr", "Unsupported argument");
}

TEST(SimilarNames, InJson) {
  Texts texts{{"main.tf.json", R"({"output": {"o": {"value": "${var.regoin‸}"}}})"},
              {"other.tf", "variable \"region\" {\n  default = \"\"\n}\n"}};
  RunAction(texts, "Change to \"region\"");
}

TEST(SimilarNames, InTests) {
  const auto check = [](std::string_view file, std::string_view text, std::string_view titles) {
    Texts texts{{std::string(file), text},
                {"main.tf",
                 "variable \"region\" {\n  default = 1\n}\noutput \"result\" {\n  value = 1\n}\n"},
                {"m/main.tf", "variable \"inner\" {}\nlocals {\n  size = 1\n}\n"}};
    EXPECT_EQ(Titles(texts), titles) << text;
  };
  const std::string run = "run \"first\" {\n  assert {\n    condition     = ";
  const std::string end = " == 1\n    error_message = \"No.\"\n  }\n}\n";
  check("x.tftest.hcl", run + "var.regoin‸" + end,
        "Change to \"region\"\nDeclare variable \"regoin\" in variables.tf\n");
  check("x.tftest.hcl", run + "output.resutl‸" + end,
        "Change to \"result\"\nDeclare output \"resutl\" in outputs.tf\n");
  check("x.tftest.hcl", run + "run.frist‸.id" + end, "Change to \"first\"\n");
  check("x.tftest.hcl", "variables {\n  regoin = 1\n}\n" + run + "var.regoin‸" + end, "");
  check("x.tftest.hcl", "variables {\n  regoin‸ = 1\n}\n" + run + "var.regoin" + end, "");
  check("x.tftest.hcl", "variables {\n  regoin‸ = 1\n}\n",
        "Change to \"region\"\nDeclare variable \"regoin\" in variables.tf\n"
        "Remove the value of \"regoin\"\n");
  const std::string planned =
      "run \"first\" {\n  module {\n    source = \"./m\"\n  }\n  assert {\n    condition = ";
  check("x.tofutest.hcl", planned + "local.sise‸" + end, "Change to \"size\"\n");
  check("x.tofutest.hcl", planned + "var.iner‸" + end,
        "Change to \"inner\"\nDeclare variable \"iner\" in variables.tofu\n");
  check("x.tftest.json", R"({"run": {"a": {"assert": {"condition": "${var.regoin‸ > 0}"}}}})",
        "Change to \"region\"\nDeclare variable \"regoin\" in variables.tf\n");
}

TEST(Removal, OfValuesWithoutVariable) {
  Texts texts{{"main.tf", "variable \"a\" {}\n"}, {"terraform.tfvars", "# it\nb‸ = 1\na = 2\n"}};
  RunAction(texts, "Remove the value of \"b\"");
  EXPECT_EQ(texts["terraform.tfvars"], "a = 2\n");
  Texts test{{"main.tf", "variable \"a\" {}\n"},
             {"x.tftest.hcl", "variables {\n  a = 1\n  b‸ = 1\n}\n"}};
  RunAction(test, "Remove the value of \"b\"");
  EXPECT_EQ(test["x.tftest.hcl"], "variables {\n  a = 1\n}\n");
}

TEST(Declarations, OfAVariableWithTheTypeOfItsPlace) {
  const auto check = [](std::string_view text, std::string_view type) {
    Texts texts{{"main.tf", text},
                {"variables.tf", "# kept\n"},
                {"m/main.tf", "variable \"in\" {\n  type = map(string)\n}\n"}};
    RunAction(texts, "Declare variable \"abcdef\" in variables.tf");
    EXPECT_EQ(texts["variables.tf"],
              "# kept\n\nvariable \"abcdef\" {\n  type = " + std::string(type) + "\n}\n");
  };
  check("output \"o\" {\n  value = \"x ${var.abcdef‸}\"\n}\n", "string");
  check("output \"o\" {\n  value = 1 + var.abcdef‸\n}\n", "number");
  check("output \"o\" {\n  value = var.abcdef‸ ? 1 : 2\n}\n", "bool");
  check("output \"o\" {\n  value = var.abcdef‸\n}\n", "any");
  check("output \"o\" {\n  value = var.abcdef‸.x.y\n}\n", "any");
  check("resource \"terraform_data\" \"a\" {\n  count = var.abcdef‸\n}\n", "number");
  check("resource \"terraform_data\" \"a\" {\n  for_each = var.abcdef‸\n}\n", "set(string)");
  check("module \"m\" {\n  source = \"./m\"\n  in = var.abcdef‸\n}\n", "map(string)");
}

TEST(Declarations, InTheSameFileOrANewOne) {
  Texts here{{"main.tf", "output \"o\" {\n  value = var.a‸\n}"}};
  RunAction(here, "Declare variable \"a\" in main.tf");
  EXPECT_EQ(here["main.tf"],
            "output \"o\" {\n  value = var.a\n}\n\nvariable \"a\" {\n  type = any\n}\n");
  Texts json{{"main.tf.json", R"({"output": {"o": {"value": "${var.a‸}"}}})"}};
  RunAction(json, "Declare variable \"a\" in variables.tf");
  EXPECT_EQ(json["variables.tf"], "variable \"a\" {\n  type = any\n}\n");
}

TEST(Declarations, InTheCalledModule) {
  Texts output{{"main.tf",
                "module \"m\" {\n  source = \"./m\"\n}\noutput \"o\" {\n  value = "
                "module.m.x‸\n}\n"},
               {"m/main.tf", ""},
               {"m/outputs.tf", ""}};
  RunAction(output, "Declare output \"x\" in module \"m\"");
  EXPECT_EQ(output["m/outputs.tf"], "output \"x\" {\n  value = null\n}\n");
  Texts input{{"main.tf", "module \"m\" {\n  source = \"./m\"\n  x‸ = 1\n}\n"}, {"m/main.tf", ""}};
  RunAction(input, "Declare variable \"x\" in variables.tf");
  EXPECT_EQ(input["m/variables.tf"], "variable \"x\" {\n  type    = number\n  default = null\n}\n");
}

TEST(Extraction, IntoALocal) {
  Texts texts{
      {"main.tf",
       "# about a\noutput \"a\" {\n  value = upper(«join(\"-\", [\n    \"x\"\n  ])»)\n}\n"}};
  RunAction(texts, "Extract into local value \"value\"");
  EXPECT_EQ(texts["main.tf"],
            "locals {\n  value = join(\"-\", [\n    \"x\"\n  ])\n}\n\n# about a\noutput \"a\" {\n"
            "  value = upper(local.value)\n}\n");
}

TEST(Extraction, IntoTheLocalsThatAreThere) {
  Texts texts{{"main.tf",
               "locals {\n  value = (1 +\n  2)\n}\n"
               "output \"a\" {\n  value = [« 3 +\n 4»]\n}\n"}};
  RunAction(texts, "Extract into local value \"value_2\"");
  EXPECT_EQ(texts["main.tf"],
            "locals {\n  value = (1 +\n  2)\n  value_2 = (3 +\n 4)\n}\n"
            "output \"a\" {\n  value = [ local.value_2]\n}\n");
}

TEST(Extraction, IntoAVariable) {
  Texts texts{{"main.tf", "resource \"terraform_data\" \"a\" {\n  input = «\"x\"»\n}\n"}};
  RunAction(texts, "Extract into variable \"input\" in variables.tf");
  EXPECT_EQ(texts["main.tf"], "resource \"terraform_data\" \"a\" {\n  input = var.input\n}\n");
  EXPECT_EQ(texts["variables.tf"],
            "variable \"input\" {\n  type    = string\n  default = \"x\"\n}\n");
}

TEST(Extraction, NotOfWhatHoldsThereAlone) {
  const auto check = [](std::string_view text) {
    const std::string titles = Titles({{"main.tf", text}});
    EXPECT_EQ(titles.find("Extract"), std::string::npos) << text << titles;
  };
  check("locals {\n  a = [for x in [1] : «x + 1»]\n}\n");
  check("resource \"terraform_data\" \"a\" {\n  count = 1\n  input = «count.index + 1»\n}\n");
  check("resource \"terraform_data\" \"a\" {\n  depends_on = [«terraform_data.b»]\n}\n");
  check(
      "resource \"terraform_data\" \"a\" {\n  lifecycle {\n    prevent_destroy = «true»\n  }\n}\n");
  check("variable \"a\" {\n  default = «1»\n}\n");
  check("module \"a\" {\n  source = «\"./m\"»\n}\n");
  check("output \"a\" {\n  value = \"x«y»z\"\n}\n");
  check("output \"a\" {\n  value = {«x» = 1}\n}\n");
  check("output \"a\" {\n  description = «\"x\"»\n  value = 1\n}\n");
  check("output \"a\" {\n  value = 1 «+ 2»\n}\n");
}

TEST(Inlining, PutsTheValueEverywhere) {
  Texts texts{{"main.tf",
               "locals {\n  a = 1\n  # about b\n  b‸ = local.a + 1 # b\n}\n"
               "output \"o\" {\n  value = 2 * local.b\n}\n"},
              {"other.tf", "output \"p\" {\n  value = \"${local.b}\"\n}\n"}};
  RunAction(texts, "Inline local value \"b\"");
  EXPECT_EQ(texts["main.tf"],
            "locals {\n  a = 1\n}\noutput \"o\" {\n  value = 2 * (local.a + 1)\n}\n");
  EXPECT_EQ(texts["other.tf"], "output \"p\" {\n  value = \"${(local.a + 1)}\"\n}\n");
}

TEST(Inlining, FromAUseRemovesTheBlock) {
  Texts texts{
      {"main.tf", "locals {\n  a = { x = 1 }\n}\n\noutput \"o\" {\n  value = local.a‸.x\n}\n"}};
  RunAction(texts, "Inline local value \"a\"");
  EXPECT_EQ(texts["main.tf"], "output \"o\" {\n  value = { x = 1 }.x\n}\n");
}

TEST(Inlining, NotWhereItWouldChange) {
  const auto check = [](std::string_view text, std::string_view other) {
    const std::string titles = Titles({{"main.tf", text}, {"other.tf.json", other}});
    EXPECT_EQ(titles.find("Inline"), std::string::npos) << titles;
  };
  check("locals {\n  a‸ = x.y\n  b = [for x in [1] : local.a]\n}\n", "{}");
  check("locals {\n  a‸ = 1\n}\n", "{}");
  check("locals {\n  a‸ = 1\n}\ncheck \"c\" {\n  assert {\n    condition = local.a == 1\n  }\n}\n",
        "{}");
  check("locals {\n  a‸ = 1\n}\n", R"({"output": {"o": {"value": "${local.a}"}}})");
}

TEST(Removal, OfWhatNothingUses) {
  Texts local{{"main.tf", "locals {\n  a = 1\n  b‸ = 2\n}\n"}};
  RunAction(local, "Remove the unused local value \"b\"");
  EXPECT_EQ(local["main.tf"], "locals {\n  a = 1\n}\n");
  Texts variable{{"main.tf",
                  "# one\n\n# about a\nvariable \"a‸\" {\n  validation {\n    condition = "
                  "var.a != 1\n    error_message = \"x\"\n  }\n}\n\nlocals {}\n"}};
  RunAction(variable, "Remove the unused variable \"a\"");
  EXPECT_EQ(variable["main.tf"], "# one\n\nlocals {}\n");
}

TEST(Removal, NotOfWhatIsUsed) {
  const std::pair<std::string, std::string_view> variable{"m/main.tf",
                                                          "variable \"a‸\" {\n  default = 1\n}\n"};
  const auto check = [&](std::string name, std::string_view text) {
    const std::string titles = Titles({variable, {std::move(name), text}});
    EXPECT_EQ(titles.find("Remove"), std::string::npos) << text;
  };
  check("main.tf", "module \"m\" {\n  source = \"./m\"\n  a = 1\n}\n");
  check("m/terraform.tfvars", "a = 1\n");
  check("m/other.tf", "output \"o\" {\n  value = var.a\n}\n");
  check("m/tests/a.tftest.hcl", "run \"a\" {\n  assert {\n    condition = var.a == 1\n  }\n}\n");
}

TEST(Moving, TakesCommentsAlong) {
  Texts texts{
      {"main.tf", "locals {}\n\n# about a\nvariable \"a‸\" {\n  default = 1\n}\n\n# rest\n"},
      {"variables.tf", "# kept"}};
  RunAction(texts, "Move the block to variables.tf");
  EXPECT_EQ(texts["main.tf"], "locals {}\n\n# rest\n");
  EXPECT_EQ(texts["variables.tf"], "# kept\n\n# about a\nvariable \"a\" {\n  default = 1\n}\n");
}

TEST(Moving, KeepsFilesThatAreRead) {
  Texts tofu{{"a.tofu", "output \"o‸\" {\n  value = 1\n}\n"}};
  RunAction(tofu, "Move the block to outputs.tofu");
  EXPECT_EQ(Titles({{"variables.tf", "variable \"a‸\" {}\n"}}).find("Move"), std::string::npos);
  EXPECT_EQ(Titles({{"a_override.tf", "variable \"a‸\" {}\n"}}).find("Move"), std::string::npos);
  EXPECT_EQ(Titles({{"main.tf", "variable \"a‸\" {}\n"}, {"variables.tf", "x = {\n"}}).find("Move"),
            std::string::npos);
}

TEST(Conversion, ThereAndBack) {
  const std::string text = "locals {\n  a = [1, \"x ${local.b}\"]\n  b = 2\n}\n";
  Texts texts{{"main.tf", "‸" + text}};
  RunAction(texts, "Convert to main.tf.json, and empty this file");
  EXPECT_EQ(texts["main.tf"], "");
  Texts back{{"main.tf.json", "‸" + texts["main.tf.json"]}};
  RunAction(back, "Convert to main.tf, and empty this file");
  EXPECT_EQ(back["main.tf"], text);
  EXPECT_EQ(back["main.tf.json"], "{}\n");
}

TEST(Conversion, NotOntoAFileOrWithLosses) {
  EXPECT_EQ(Titles({{"main.tf", "‸locals {}\n"}, {"main.tf.json", "{}"}}).find("Convert"),
            std::string::npos);
  EXPECT_EQ(Titles({{"main.tf.json", R"(‸{"resource": {"a_b": {"c": {"d": [{"e": 1}]}}}})"}})
                .find("Convert"),
            std::string::npos);
}

constexpr std::string_view kMain = R"(terraform {
  required_version = ">= 1.0"
}

# All sizes.
locals {
  names = ["a", "b"]
  sizes = { for name in local.names : name => length(name) + var.extra }
  first = local.sizes["a"] > 1 ? { x = 1 } : { x = 2 }
  text  = <<-EOT
    ${join(", ", local.names)}
  EOT
}

resource "terraform_data" "one" {
  for_each         = toset(local.names)
  input            = "${each.key} ${local.first.x}"
  triggers_replace = [var.extra, !false, -1]
  lifecycle {
    precondition {
      condition     = var.extra > 0
      error_message = "Wrong: ${var.extra}."
    }
  }
  provisioner "local-exec" {
    command = "echo ${self.id}"
  }
}

module "child" {
  source = "./child"
  count  = 1 + 1
  given  = { a = [1], (var.key) = "x" }
}

check "all" {
  assert {
    condition     = length(local.names) == 2
    error_message = "No."
  }
}

output "all" {
  description = "All."
  value       = [module.child[*].out, terraform_data.one["a"].output, local.text, local.unused]
}
)";

/// At every place of a valid workspace, every action leaves it valid.
TEST(CodeActionsAt, KeepWorkspacesValid) {
  const std::pair<std::string, std::string_view> files[] = {
      {"main.tf", kMain},
      {"more.tf",
       "variable \"extra\" {\n  default = 1\n}\nvariable \"key\" {\n  default = "
       "\"k\"\n}\nlocals {\n  unused = true\n}\n"},
      {"child/main.tf",
       "variable \"given\" {\n  type = map(any)\n  default = {}\n}\noutput \"out\" "
       "{\n  value = var.given\n}\n"},
  };
  Texts texts{files[0], files[1], files[2]};
  ASSERT_EQ(texts.Errors(), "");
  std::set<std::string> families;
  std::set<std::string> seen;
  for (const auto& [name, text] : files) {
    const std::string path = "/w/" + name;
    for (uint32_t offset = 0; offset <= text.size(); ++offset) {
      std::vector<Span> spans = SelectionsAt(texts.snapshot(), {path, offset});
      spans.push_back({offset, offset});
      for (const Span span : spans) {
        for (const CodeAction& action : CodeActionsAt(texts.snapshot(), path, span)) {
          std::string key = path + action.title;
          key.append(std::to_string(action.edit.back().edits.front().span.begin));
          key.append(std::to_string(action.edit.back().edits.back().span.begin));
          if (!seen.insert(key).second) {
            continue;
          }
          families.insert(action.title.substr(0, action.title.find(' ')));
          Texts changed{files[0], files[1], files[2]};
          ASSERT_TRUE(changed.Change(action.edit)) << action.title;
          EXPECT_EQ(changed.Errors(), "") << action.title << " in " << path << "\n"
                                          << changed["main.tf"];
        }
      }
    }
  }
  EXPECT_EQ(families, (std::set<std::string>{"Convert", "Extract", "Inline", "Move"}));
  EXPECT_GT(seen.size(), 60U);
}

}  // namespace
}  // namespace kinu::ide
