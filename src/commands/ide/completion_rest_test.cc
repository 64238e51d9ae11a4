// Completion in the middle of a reference: what has no such rest is left out.
#include <gtest/gtest.h>

#include "ide/testing/marked_workspace.h"

namespace kinu::ide {
namespace {

class CompletionRestTest : public testing::MarkedWorkspace {
 protected:
  /// The labels offered at the mark in the value of a local.
  std::string Offered(const std::string& value) {
    Write("net/main.tf", "output \"id\" { value = 1 }\noutput \"cidr\" { value = { low = 1 } }\n");
    Write("log/main.tf", "output \"id\" { value = 1 }\n");
    return Labels(
        "variable \"size\" { type = number }\n"
        "variable \"nets\" { type = map(object({ cidr = string })) }\n"
        "variable \"zone\" { type = object({ name = string, hosts = list(string) }) }\n"
        "variable \"any\" {}\n"
        "locals {\n  flat = { name = \"a\" }\n  list = [{ name = \"b\" }]\n}\n"
        "resource \"aws_vpc\" \"main\" {\n  cidr_block = \"x\"\n}\n"
        "resource \"aws_vpc\" \"many\" {\n  count = 2\n  cidr_block = \"x\"\n}\n"
        "resource \"aws_acl\" \"acl\" {\n}\n"
        "data \"aws_image\" \"img\" {\n  owner = \"me\"\n}\n"
        "module \"net\" {\n  source = \"./net\"\n}\n"
        "module \"log\" {\n  source = \"./log\"\n}\n"
        "output \"o\" {\n  value = " +
        value + "\n}\n");
  }
};

TEST_F(CompletionRestTest, NamesWithTheRestOfTheReference) {
  EXPECT_EQ(Offered("module.|"), "log net ");
  EXPECT_EQ(Offered("module.|.id"), "log net ");
  EXPECT_EQ(Offered("module.|.cidr"), "net ");
  EXPECT_EQ(Offered("module.l|og.cidr"), "net ");
  EXPECT_EQ(Offered("module.|.cidr.low"), "net ");
  EXPECT_EQ(Offered("module.net.|.low"), "cidr ");
  EXPECT_EQ(Offered("var.|.name"), "any nets zone ");  // a map may have it
  EXPECT_EQ(Offered("var.|[\"a\"].cidr"), "any nets ");
  EXPECT_EQ(Offered("var.zone.|[0]"), "hosts ");
  EXPECT_EQ(Offered("local.|.name"), "flat ");
  EXPECT_EQ(Offered("local.|[0].name"), "list ");
  EXPECT_EQ(Offered("aws_vpc.|.id"), "main ");
  EXPECT_EQ(Offered("aws_vpc.|[0].id"), "many ");
  EXPECT_EQ(Offered("resource.|.acl"), "aws_acl ");
  EXPECT_EQ(Offered("\"${module.|.cidr}\""), "net ");
}

TEST_F(CompletionRestTest, RootsWithTheRestOfTheReference) {
  const std::string of_vpc = Offered("|.main.id");
  EXPECT_TRUE(of_vpc.contains("aws_vpc ")) << of_vpc;
  EXPECT_FALSE(of_vpc.contains("aws_acl ")) << of_vpc;
  EXPECT_FALSE(of_vpc.contains("module ")) << of_vpc;
  EXPECT_FALSE(of_vpc.contains("var.size ")) << of_vpc;
  const std::string of_data = Offered("|.aws_image.img");
  EXPECT_TRUE(of_data.contains("data ")) << of_data;
  EXPECT_FALSE(of_data.contains("aws_vpc ")) << of_data;
}

TEST_F(CompletionRestTest, SelfWithTheRestOfTheReference) {
  const auto labels_in = [&](const std::string& block) {
    return Labels(block +
                  " {\n  lifecycle {\n    postcondition {\n      condition = |.cidr_block\n");
  };
  EXPECT_TRUE(labels_in("resource \"aws_vpc\" \"a\"").contains("self "));
  EXPECT_FALSE(labels_in("data \"aws_image\" \"a\"").contains("self "));  // has no such attribute
  EXPECT_TRUE(labels_in("ephemeral \"aws_secret\" \"a\"").contains("self "));  // nobody knows
  EXPECT_TRUE(Labels("removed {\n  from = aws_vpc.a\n  provisioner \"local-exec\" {\n"
                     "    when = destroy\n    command = |.id\n")
                  .contains("self "));
}

TEST_F(CompletionRestTest, AVariableThatATestAloneDeclares) {
  Write("main.tf", "variable \"other\" {}\n");
  EXPECT_TRUE(Labels("variables {\n  own = { id = 1 }\n}\nrun \"a\" {\n  assert {\n"
                     "    condition = |.own.id == 1\n",
                     "a.tftest.hcl")
                  .contains("var "));
}

TEST_F(CompletionRestTest, ARestThatNothingHas) {
  EXPECT_EQ(Offered("module.|.nothing"), "");
  EXPECT_EQ(Offered("var.zone.|.nothing"), "");
  EXPECT_EQ(Offered("[for v in local.list : v.|.x]"), "");
}

TEST_F(CompletionRestTest, BehindASplatAreTheStepsOfElements) {
  EXPECT_EQ(Offered("module.|[*].cidr"), "net ");
  EXPECT_EQ(Offered("local.|[*].name"), "flat list ");
  EXPECT_EQ(Offered("aws_vpc.|[*].id"), "main many ");
  EXPECT_EQ(Offered("aws_vpc.|.*.id[0]"), "main many ");
  EXPECT_EQ(Offered("aws_vpc.|[*].tags[\"a\"]"), "main many ");
  EXPECT_EQ(Offered("module.|[*].cidr[*].low"), "net ");
}

TEST_F(CompletionRestTest, ValuesAndResultsWithoutTheRest) {
  const std::string named = Offered("|.name");
  EXPECT_TRUE(named.contains("var.zone ")) << named;
  EXPECT_FALSE(named.contains("true ")) << named;
  EXPECT_FALSE(named.contains("upper ")) << named;      // a text has no attributes
  EXPECT_TRUE(named.contains("jsondecode ")) << named;  // nobody knows
}

TEST_F(CompletionRestTest, TheRestEndsAtALine) {
  EXPECT_FALSE(Offered("|[0]").contains("var.size "));
  EXPECT_TRUE(Offered("| [0]").contains("var.size "));  // a list
  EXPECT_EQ(Offered("module.|\n  .cidr"), "log net ");
}

TEST_F(CompletionRestTest, AValueWithARestNeedsNoTypeItself) {
  const std::string before =
      "variable \"cidr\" { type = string }\n"
      "variable \"zone\" { type = object({ cidr = string }) }\n"
      "resource \"aws_vpc\" \"a\" {\n  cidr_block = var.";
  EXPECT_EQ(Labels(before + "|.cidr\n}\n"), "zone ");
}

}  // namespace
}  // namespace kinu::ide
