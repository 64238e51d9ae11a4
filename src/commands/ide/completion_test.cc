// Completion, on texts that do not parse for the most part.
#include <algorithm>
#include <iostream>

#include <gtest/gtest.h>

#include "hcl/lexer.h"
#include "ide/testing/marked_workspace.h"

namespace kinu::ide {
namespace {

using CompletionTest = testing::MarkedWorkspace;
using ::testing::Test;

bool Has(const std::string& labels, std::string_view label) {
  return (" " + labels).contains(" " + std::string(label) + " ");
}

TEST_F(CompletionTest, BlocksOfAFile) {
  const Completions all = Complete("res|");
  const Completion* resource = FindItem(all, "resource");
  ASSERT_NE(resource, nullptr);
  EXPECT_EQ(resource->insert, "resource \"${1:type}\" \"${2:name}\" {\n  $0\n}");
  EXPECT_TRUE(resource->is_snippet);
  EXPECT_EQ(all.replaced, (Span{0, 3}));
  const Completion* output = FindItem(all, "output");
  ASSERT_NE(output, nullptr);
  EXPECT_EQ(output->insert, "output \"${1:name}\" {\n  value = $2\n}");
  EXPECT_FALSE(Has(LabelsOf(all), "run"));
  EXPECT_TRUE(Has(Labels("|", "a.tftest.hcl"), "run"));
}

TEST_F(CompletionTest, TypesOfResources) {
  const Completions types = Complete("provider \"aws\" {}\nresource \"aws_v|\"\n");
  ASSERT_EQ(types.items.size(), 1U);
  EXPECT_EQ(types.items[0].label, "aws_vpc");
  EXPECT_EQ(types.items[0].insert, "aws_vpc\" \"${1:name}\" {\n  cidr_block = \"$2\"\n}");
  EXPECT_EQ(Labels("provider \"aws\" {}\ndata \"|\" \"x\" {\n}\n"),
            "aws_image aws_secret terraform_remote_state ");
  EXPECT_EQ(Labels("terraform {\n  backend \"s|\" {}\n}\n").substr(0, 8), "azurerm ");
}

TEST_F(CompletionTest, MembersOfABody) {
  const std::string labels = Labels("resource \"aws_vpc\" \"a\" {\n  enable_dns = true\n  |\n}\n");
  EXPECT_TRUE(labels.starts_with("cidr_block tags "));
  EXPECT_FALSE(Has(labels, "enable_dns"));  // is there already
  EXPECT_FALSE(Has(labels, "arn"));         // only the provider sets it
  EXPECT_TRUE(Has(labels, "for_each"));
  EXPECT_TRUE(Has(labels, "lifecycle"));
  EXPECT_EQ(Labels("resource \"aws_group\" \"a\" {\n  ingress {\n    |\n  }\n}\n"),
            "from_port protocol ");
  EXPECT_EQ(Labels("resource \"aws_group\" \"a\" {\n  dynamic \"ingress\" {\n    content {\n      "
                   "from_port = 1\n      |\n"),
            "protocol ");
  EXPECT_EQ(Labels("resource \"aws_group\" \"a\" {\n  dynamic \"|\" {\n"), "ingress timeouts ");
  const std::string repeated =
      Labels("resource \"aws_group\" \"a\" {\n  ingress {\n  }\n  timeouts {\n  }\n  |\n}\n");
  EXPECT_TRUE(Has(repeated, "ingress"));
  EXPECT_FALSE(Has(repeated, "timeouts"));
}

TEST_F(CompletionTest, ArgumentsWrittenAsBlocks) {
  const std::string body = "resource \"aws_acl\" \"a\" {\n";
  EXPECT_EQ(Labels(body + "  rule {\n    |\n  }\n}\n"), "cidr ports dynamic ");
  EXPECT_EQ(Labels(body + "  rule {\n    cidr = \"\"\n    ports {\n      |\n"), "from ");
  EXPECT_EQ(Labels(body + "  dynamic \"|\" {\n"), "rule ");  // the other is computed
  EXPECT_TRUE(Has(Labels(body + "  dyn|\n}\n"), "dynamic"));
  EXPECT_EQ(Labels(body + "  dynamic \"rule\" {\n    content {\n      |\n"), "cidr ports dynamic ");
  // Both forms may begin; then one is chosen.
  const auto forms = [&](const std::string& text) {
    std::string out;
    for (const Completion& item : Complete(body + text + "}\n").items) {
      out += item.label == "rule" ? item.insert + "; " : "";
    }
    return out;
  };
  EXPECT_EQ(forms("  |\n"), "rule = [$1]; rule {\n  $0\n}; ");
  EXPECT_EQ(forms("  rule {\n  }\n  |\n"), "rule {\n  $0\n}; ");
  EXPECT_EQ(forms("  rule = []\n  |\n"), "");
  EXPECT_EQ(forms("  ru| {\n  }\n"), "rule; ");
  EXPECT_EQ(forms("  ru| = []\n"), "rule; ");
  const Completions json = Complete(R"({"resource": {"aws_acl": {"a": {"r|"}}}})", "main.tf.json");
  EXPECT_EQ(std::ranges::count(json.items, "rule", &Completion::label), 1);
  EXPECT_EQ(Labels(R"({"resource": {"aws_acl": {"a": {"rule": [{"c|"}]}}}})", "main.tf.json"),
            "cidr ports ");
  // A schema with members of attributes is of a later kind, which does not allow it.
  const std::string app = "resource \"aws_app\" \"a\" {\n";
  EXPECT_EQ(Labels(app + "  rule {\n    |\n  }\n}\n"), "");
  EXPECT_FALSE(Has(Labels(app + "  dyn|\n}\n"), "dynamic"));
}

TEST_F(CompletionTest, ArgumentsOfProvisioners) {
  const auto labels = [&](const std::string& type) {
    return Labels("resource \"aws_acl\" \"a\" {\n  provisioner \"" + type +
                  "\" {\n    |\n  }\n}\n");
  };
  EXPECT_EQ(labels("file"), "connection content destination on_failure source when ");
  EXPECT_EQ(labels("remote-exec"), "connection inline on_failure script scripts when ");
  EXPECT_TRUE(Has(labels("local-exec"), "command"));
  EXPECT_FALSE(Has(labels("local-exec"), "inline"));
  EXPECT_TRUE(Has(labels(""), "command"));
  EXPECT_TRUE(Has(labels(""), "inline"));
  const std::string json =
      R"({"resource": {"aws_acl": {"a": {"provisioner": [{"file": {"s|"}}]}}}})";
  EXPECT_EQ(Labels(json, "main.tf.json"), labels("file"));
}

TEST_F(CompletionTest, MembersOfNestedAttributes) {
  const std::string app = "resource \"aws_app\" \"a\" {\n  disks = [";
  EXPECT_EQ(Labels(app + "{\n    |\n  }]\n}\n"), "size speed ");
  EXPECT_EQ(Labels(app + "{ size = 1 }, {\n    size = 2\n    |\n  }]\n}\n"), "speed ");
  EXPECT_EQ(Labels(app + "{\n    speed = {\n      |\n    }\n  }]\n}\n"), "burst ");
  EXPECT_EQ(Labels(app + "for s in [1] : {\n    |\n  }]\n}\n"), "size speed ");
  EXPECT_EQ(Labels(app + "merge({\n    |\n  })]\n}\n"), "");
  const Completions written = Complete(app + "{\n    |\n  }]\n}\n");
  EXPECT_EQ(FindItem(written, "size")->insert, "size = $1");
  EXPECT_EQ(FindItem(written, "size")->markdown, "About size.");
  EXPECT_EQ(Labels(R"({"resource": {"aws_app": {"a": {"disks": [{"|"}]}}}})", "main.tf.json"),
            "size speed ");
  EXPECT_TRUE(Hovered(app + "{ si|ze = 1 }]\n}\n").contains("Required."));
}

TEST_F(CompletionTest, InputsAndOutputsOfModules) {
  Write("child/main.tf",
        "variable \"size\" { type = number }\nvariable \"name\" { default = \"x\" }\n"
        "output \"id\" { value = { a = 1 } }\n");
  const std::string call = "module \"m\" {\n  source = \"./child\"\n";
  EXPECT_TRUE(Labels(call + "  |\n}\n").starts_with("size name "));
  EXPECT_EQ(Labels(call + "  size = 1\n}\nlocals {\n  x = module.m.|\n}\n"), "id ");
  EXPECT_EQ(Labels(call + "}\nlocals {\n  x = module.m.id.|\n}\n"), "a ");
  EXPECT_EQ(Labels("module \"m\" {\n  source = \"|\"\n}\n"), "./child ");
}

TEST_F(CompletionTest, OutputsInTests) {
  Write("main.tf", "output \"id\" { value = { a = 1 } }\noutput \"name\" { value = \"x\" }\n");
  Write("child/main.tf", "output \"inner\" { value = 1 }\n");
  const auto behind = [&](const std::string& value, const std::string& module = "") {
    return Labels("run \"one\" {\n  assert {\n    condition = true\n  }\n}\nrun \"two\" {\n" +
                      module + "  assert {\n    condition = " + value + "\n  }\n}\n",
                  "tests/a.tftest.hcl");
  };
  const std::string module = "  module {\n    source = \"./child\"\n  }\n";
  EXPECT_EQ(behind("output.|"), "id name ");
  EXPECT_EQ(behind("output.id.|"), "a ");
  EXPECT_EQ(behind("run.one.|"), "id name ");
  EXPECT_EQ(behind("output.|", module), "inner ");
  EXPECT_EQ(behind("run.two.| == 1 && true", module), "inner ");
  EXPECT_TRUE(behind("|").contains(" output "));
}

TEST_F(CompletionTest, References) {
  const std::string declared =
      "variable \"zone\" { type = string }\nvariable \"on\" { type = bool }\n"
      "locals {\n  net = { cidr = \"10\", deep = [{ leaf = 1 }] }\n}\n"
      "resource \"aws_vpc\" \"main\" {\n  cidr_block = \"x\"\n}\n"
      "resource \"aws_vpc\" \"many\" {\n  count = 2\n  cidr_block = \"x\"\n}\n"
      "data \"aws_image\" \"img\" {\n  owner = \"me\"\n}\n";
  const auto value = [&](const std::string& text) {
    return Labels(declared + "output \"o\" {\n  value = " + text + "\n}\n");
  };
  EXPECT_EQ(value("var.|"), "on zone ");
  EXPECT_EQ(value("local.|"), "net ");
  EXPECT_EQ(value("local.net.|"), "cidr deep ");
  EXPECT_EQ(value("local.net.deep[0].|"), "leaf ");
  EXPECT_EQ(value("aws_vpc.|"), "main many ");
  EXPECT_EQ(value("aws_vpc.main.|"), "arn cidr_block enable_dns id ranges tags ");
  EXPECT_EQ(value("aws_vpc.main.ranges[0].|"), "cidr zone ");
  EXPECT_EQ(value("aws_vpc.many[0].a|"), "arn cidr_block enable_dns id ranges tags ");
  EXPECT_EQ(value("aws_vpc.many.|"), "");
  EXPECT_EQ(value("data.|"), "aws_image ");
  EXPECT_EQ(value("data.aws_image.|"), "img ");
  EXPECT_EQ(value("data.aws_image.img.|"), "image_id owner ");
  EXPECT_EQ(value("path.|"), "cwd module root ");
  EXPECT_EQ(value("[for v in aws_vpc.many : v.|]"), "arn cidr_block enable_dns id ranges tags ");
  EXPECT_EQ(value("\"${local.net.|}\""), "cidr deep ");
  EXPECT_EQ(value("var.zone |"), "");
  EXPECT_EQ(value("\"text |\""), "");
  EXPECT_EQ(value("1 # var.|"), "");
  EXPECT_TRUE(Has(value("|"), "data"));
  EXPECT_TRUE(Has(value("|"), "aws_vpc"));
  EXPECT_TRUE(Has(value("upp|"), "upper"));
  EXPECT_TRUE(Has(value("upp|(1)"), "upper"));
  EXPECT_FALSE(Has(value("|(1)"), "path"));  // only functions can be called
  EXPECT_EQ(value("provider::aws::|"), "");  // a provider is not required
  EXPECT_FALSE(Has(value("|"), "provider::terraform::encode_expr"));
  workspace_.SetText(root_ + "/versions.tf",
                     "terraform {\n  required_providers {\n    aws = {}\n  }\n}\n");
  EXPECT_TRUE(Has(value("provider::aws::|"), "arn_parse"));
}

TEST_F(CompletionTest, FittingTypesComeFirst) {
  const std::string before =
      "variable \"zone\" { type = list(string) }\nvariable \"on\" { type = bool }\n"
      "variable \"cidr\" { type = string }\n";
  const std::string labels = Labels(before + "resource \"aws_vpc\" \"a\" {\n  enable_dns = |\n}\n");
  EXPECT_TRUE(labels.starts_with("false true var.on ") || labels.starts_with("var.on false true "))
      << labels;
  EXPECT_TRUE(Labels(before + "resource \"aws_vpc\" \"a\" {\n  cidr_block = var.|\n}\n")
                  .starts_with("cidr on "));
}

TEST_F(CompletionTest, NamesInScope) {
  const std::string each = Labels(
      "resource \"aws_vpc\" \"a\" {\n  for_each = { x = { cidr = 1 } }\n  cidr_block = "
      "each.|\n}\n");
  EXPECT_EQ(each, "key value ");
  EXPECT_EQ(Labels("resource \"aws_vpc\" \"a\" {\n  for_each = { x = { cidr = 1 } }\n  cidr_block "
                   "= each.value.|\n}\n"),
            "cidr ");
  EXPECT_TRUE(Labels("resource \"aws_vpc\" \"a\" {\n  count = 2\n  cidr_block = |\n}\n")
                  .contains("count.index "));
  EXPECT_FALSE(Has(Labels("resource \"aws_vpc\" \"a\" {\n  cidr_block = |\n}\n"), "each"));
  EXPECT_EQ(
      Labels("resource \"aws_group\" \"a\" {\n  dynamic \"ingress\" {\n    for_each = [{ port "
             "= 1 }]\n    content {\n      from_port = ingress.value.|\n    }\n  }\n}\n"),
      "port ");
  EXPECT_TRUE(Labels("locals {\n  a = [for name in [1] : |]\n}\n").starts_with("name "));
  EXPECT_FALSE(Has(Labels("locals {\n  a = [for name in | : name]\n}\n"), "name"));
}

TEST_F(CompletionTest, ValuesOfTheLanguage) {
  EXPECT_TRUE(Has(Labels("variable \"a\" {\n  type = |\n}\n"), "object"));
  EXPECT_FALSE(Has(Labels("variable \"a\" {\n  type = |\n}\n"), "upper"));
  EXPECT_EQ(Labels("provider \"aws\" {\n  alias = \"west\"\n}\nresource \"aws_vpc\" \"a\" {\n  "
                   "provider = aws.|\n}\n"),
            "west ");
  EXPECT_TRUE(
      Labels("resource \"aws_vpc\" \"a\" {\n  lifecycle {\n    ignore_changes = [|]\n  }\n}\n")
          .starts_with("arn cidr_block "));
  EXPECT_EQ(Labels("resource \"aws_vpc\" \"a\" {\n}\nmoved {\n  from = aws_vpc.|\n}\n"), "a ");
  EXPECT_EQ(
      Labels("resource \"aws_vpc\" \"a\" {\n}\noutput \"o\" {\n  depends_on = [aws_vpc.|]\n}\n"),
      "a ");
  EXPECT_TRUE(Has(Labels("terraform {\n  required_providers {\n    |\n  }\n}\nresource \"aws_vpc\" "
                         "\"a\" {\n}\n"),
                  "aws"));
}

TEST_F(CompletionTest, ObjectsThatAnArgumentNames) {
  Write("main.tf",
        "variable \"v\" {}\nlocals {\n  l = 1\n}\nresource \"aws_vpc\" \"a\" {\n}\n"
        "output \"out\" {\n  value = 1\n}\nmodule \"m\" {\n  source = \"./m\"\n}\n");
  EXPECT_EQ(Labels("output \"o\" {\n  depends_on = [|]\n}\n", "more.tf"),
            "aws_vpc.a local.l module.m var.v aws_vpc local module var ");
  EXPECT_EQ(Labels("run \"r\" {\n  expect_failures = [|]\n}\n", "a.tftest.hcl"),
            "aws_vpc.a output.o output.out var.v aws_vpc output var ");
  EXPECT_EQ(Labels("run \"r\" {\n  plan_options {\n    target = [|]\n", "a.tftest.hcl"),
            "aws_vpc.a module.m aws_vpc module ");
  EXPECT_EQ(Labels("resource \"aws_vpc\" \"b\" {\n  lifecycle {\n    replace_triggered_by = [|]\n",
                   "more.tf"),
            "aws_vpc.a aws_vpc ");
}

TEST_F(CompletionTest, VariablesAndTests) {
  Write("vars.tf", "variable \"size\" {\n  type = object({ width = number })\n}\n");
  const Completions names = Complete("|", "terraform.tfvars");
  ASSERT_EQ(names.items.size(), 1U);
  EXPECT_EQ(names.items[0].insert, "size = {\n  $1\n}");
  EXPECT_EQ(Labels("size = {\n  |\n}\n", "terraform.tfvars"), "width ");
  EXPECT_EQ(Labels("run \"a\" {\n  variables {\n    |\n  }\n}\n", "a.tftest.hcl"), "size ");
  EXPECT_EQ(Labels("run \"first\" {\n}\nrun \"b\" {\n  variables {\n    size = run.|\n  }\n}\n",
                   "a.tftest.hcl"),
            "b first ");
}

TEST_F(CompletionTest, ARunGivesVariablesToTheModuleThatItPlans) {
  Write("main.tf", "variable \"own\" {}\n");
  Write("m/main.tf", "variable \"inner\" {}\n");
  const std::string module = "  module {\n    source = \"./m\"\n  }\n";
  EXPECT_EQ(Labels("run \"a\" {\n" + module + "  variables {\n    |\n  }\n}\n", "a.tftest.hcl"),
            "inner ");
  EXPECT_EQ(Labels(R"({"run": {"a": {"module": {"source": "./m"}, "variables": {"|": 1}}}})",
                   "a.tftest.json"),
            "inner ");
  EXPECT_EQ(Labels("run \"a\" {\n  variables {\n    |\n  }\n}\n", "a.tftest.hcl"), "own ");
}

TEST_F(CompletionTest, ARunHasTheNamesOfTheModuleThatItPlans) {
  Write("main.tf", "variable \"own\" {}\n");
  Write("m/main.tf",
        "variable \"inner\" {}\nlocals {\n  l = 1\n}\nresource \"terraform_data\" \"x\" {}\n");
  const std::string begin =
      "variables {\n  all = 1\n}\nrun \"a\" {\n  module {\n    source = \"./m\"\n  }\n";
  const auto in_assertion = [&](const std::string& name) {
    return Labels(begin + "  variables {\n    given = 1\n  }\n  assert {\n    condition = " + name +
                      "|\n  }\n}\nrun \"b\" {\n  variables {\n    not = 1\n  }\n}\n",
                  "a.tftest.hcl");
  };
  EXPECT_EQ(in_assertion("var."), "all given inner ");
  EXPECT_EQ(in_assertion("local."), "l ");
  EXPECT_EQ(in_assertion("terraform_data."), "x ");
  EXPECT_EQ(in_assertion("run."), "") << "the engine knows none there";
  EXPECT_EQ(Labels(begin + "  variables {\n    inner = var.|\n  }\n}\n", "a.tftest.hcl"), "inner ");
  EXPECT_EQ(Labels(begin + "  expect_failures = [var.|]\n}\n", "a.tftest.hcl"), "inner ");
  EXPECT_EQ(Labels("run \"a\" {\n  assert {\n    condition = var.|\n  }\n}\n", "a.tftest.hcl"),
            "own ");
  EXPECT_EQ(
      Labels(
          R"({"run": {"a": {"module": {"source": "./m"}, "assert": {"condition": "${var.|}"}}}})",
          "a.tftest.json"),
      "inner ");
}

TEST_F(CompletionTest, MembersInJson) {
  const auto labels = [&](const std::string& text) {
    return LabelsOf(Complete(text, "x.tf.json"));
  };
  EXPECT_TRUE(Has(labels("{\"res|\"}"), "resource"));
  EXPECT_TRUE(Has(labels("{|}"), "resource"));
  EXPECT_TRUE(Has(labels("[{\"|\": {}}]"), "module"));
  EXPECT_EQ(labels("{\"provider\": {\"aws\": {}}, \"resource\": {\"aws_v|\": {}}}"), "aws_vpc ");
  const std::string vpc = "{\"provider\": {\"aws\": {}}, \"resource\": {\"aws_vpc\": {\"a\": ";
  // Without what stands there, before and behind; in objects and in arrays of them.
  EXPECT_TRUE(Has(labels(vpc + "{\"|\"}}}}"), "cidr_block"));
  EXPECT_TRUE(Has(labels(vpc + "[{\"|\"}]}}}"), "cidr_block"));
  const std::string rest = labels(vpc + "{\"tags\": {}, \"|\", \"cidr_block\": \"\"}}}}");
  EXPECT_FALSE(Has(rest, "cidr_block")) << rest;
  EXPECT_FALSE(Has(rest, "tags")) << rest;
  EXPECT_TRUE(Has(rest, "enable_dns")) << rest;
  EXPECT_TRUE(Has(labels(vpc + "{\"lifecycle\": {\"|\"}}}}}"), "prevent_destroy"));
  EXPECT_TRUE(Has(labels("{\"variable\": {\"a\": {\"|\"}}}"), "default"));
  EXPECT_EQ(labels("{\"variable\": {\"a|\"}}"), "");
  EXPECT_TRUE(Has(labels("{\"terraform\": {\"backend\": {\"|\"}}}"), "s3"));
  EXPECT_TRUE(Has(labels("{\"terraform\": {\"backend\": {\"s3\": {\"|\"}}}}"), "bucket"));
  EXPECT_TRUE(Has(labels("{\"terraform\": {\"required_providers\": {\"a\": {\"|\"}}}}"), "source"));
  EXPECT_EQ(labels("{\"locals\": {\"|\"}}"), "");
  EXPECT_EQ(labels(vpc + "{}} |"), "") << "behind a value";
  EXPECT_EQ(labels(""), "");
  EXPECT_EQ(labels("|"), "");
}

TEST_F(CompletionTest, WhatIsInsertedIntoJson) {
  const auto insert = [&](const std::string& text, std::string_view label) {
    const Completions found = Complete(text, "x.tf.json");
    const Completion* item = FindItem(found, label);
    std::string plain = text;
    plain.erase(plain.find('|'), 1);
    return item == nullptr ? "none"
                           : plain.replace(found.replaced.begin,
                                           found.replaced.end - found.replaced.begin, item->insert);
  };
  EXPECT_EQ(insert("{\"res|\"}", "resource"), "{\"resource\": {$0}}");
  EXPECT_EQ(insert("{\"res|", "resource"), "{\"resource\": {$0}");
  EXPECT_EQ(insert("{|}", "resource"), "{\"resource\": {$0}}");
  EXPECT_EQ(insert("{\"res|\": {}}", "resource"), "{\"resource\": {}}");
  EXPECT_EQ(insert("{\"output\": {\"a\": {\"va|\"}}}", "value"),
            "{\"output\": {\"a\": {\"value\": $0}}}");
}

TEST_F(CompletionTest, ValuesInJson) {
  Write("m/main.tf", "");
  workspace_.Changed(root_ + "/m/main.tf");
  const auto labels = [&](const std::string& text) {
    return LabelsOf(Complete(text, "x.tf.json"));
  };
  EXPECT_TRUE(Has(labels("{\"variable\": {\"a\": {\"type\": \"|\"}}}"), "string"));
  EXPECT_TRUE(Has(labels("{\"module\": {\"m\": {\"source\": \"|\"}}}"), "./m"));
  EXPECT_TRUE(
      Has(labels("{\"variable\": {\"b\": {}}, \"output\": {\"a\": {\"value\": 1, "
                 "\"depends_on\": [\"|\"]}}, \"resource\": {\"terraform_data\": {\"t\": {}}}}"),
          "terraform_data.t"));
  EXPECT_EQ(labels("{\"output\": {\"a\": {\"description\": \"|\"}}}"), "");
}

TEST_F(CompletionTest, NamesOfRepetitionAndIteratorsInJson) {
  const auto labels = [&](const std::string& value) {
    return Labels(R"({"resource": {"terraform_data": {"t": {"input": ")" + value +
                      R"(", "for_each": {"a": 1}}}}})",
                  "x.tf.json");
  };
  EXPECT_EQ(labels("${each.|}"), "key value ");
  EXPECT_TRUE(Has(labels("${|}"), "each.key"));
  EXPECT_FALSE(Has(labels("${|}"), "count.index"));
  const auto dynamic = [&](const std::string& iterator, const std::string& value) {
    return Labels(R"({"provider": {"aws": {}}, "resource": {"aws_group": {"t": {"dynamic": )"
                  R"({"ingress": [{"content": {"protocol": ")" +
                      value + R"("}, "for_each": "${[{\"a\": 1}]}")" + iterator + "}]}}}}}",
                  "x.tf.json");
  };
  EXPECT_EQ(dynamic("", "${ingress.|}"), "key value ");
  EXPECT_EQ(dynamic("", "${ingress.value.|}"), "a ");
  EXPECT_TRUE(Has(dynamic("", "a ${|}"), "ingress"));
  EXPECT_EQ(dynamic(R"(, "iterator": "it")", "${it.value.|}"), "a ");
  EXPECT_FALSE(Has(dynamic(R"(, "iterator": "it")", "${|}"), "ingress"));
}

TEST_F(CompletionTest, SequencesInJson) {
  Write("vars.tf", "variable \"size\" {}\n");
  const Completions found = Complete("{\"locals\": {\"a\": \"${var.s|}\"}}", "x.tf.json");
  EXPECT_EQ(LabelsOf(found), "size ");
  EXPECT_EQ(found.replaced, (Span{24, 25}));
}

TEST_F(CompletionTest, NamesOfJsonThatDoesNotParse) {
  EXPECT_EQ(
      Labels(R"({"locals": {"one": 1, "two": "${local.|"}, "variable": {"v": {})", "main.tf.json"),
      "one ");
  Write("b.tf.json", "{\n  \"variable\": {\n    \"named\": {\n  \"output\": {\n");
  EXPECT_EQ(Labels("locals {\n  a = var.|\n}\n"), "named v ");
}

TEST_F(CompletionTest, LikelyNamesComeFirst) {
  const std::string names =
      "variable \"alpha\" { type = string }\nvariable \"beta\" { type = string }\n"
      "variable \"cidr_block\" { type = string }\nvariable \"name\" { type = string }\n";
  const auto first = [&](const std::string& text, const std::string& wanted) {
    const std::string labels = Labels(names + text);
    EXPECT_TRUE(labels.starts_with(wanted)) << text << labels;
  };
  const std::string used = "locals {\n  all = [var.alpha, var.beta, var.cidr_block, var.name]\n}\n";
  // The name of the argument says what its value is.
  first(used + "resource \"aws_vpc\" \"a\" {\n  cidr_block = var.|\n}\n", "cidr_block ");
  first(used + "resource \"aws_group\" \"a\" {\n  name = var.|\n}\n", "name ");
  first(used + "resource \"aws_vpc\" \"a\" {\n}\noutput \"vpc_id\" {\n  value = aws_vpc.a.|\n}\n",
        "id ");
  // Others have the argument with this value.
  first(used +
            "resource \"aws_group\" \"a\" {\n  name = upper(var.beta)\n}\n"
            "resource \"aws_group\" \"b\" {\n  name = |\n}\n",
        "upper ");
  // Others have the items in this order.
  first(
      "resource \"aws_vpc\" \"a\" {\n  cidr_block = \"\"\n  tags = {}\n}\n"
      "resource \"aws_vpc\" \"b\" {\n  cidr_block = \"\"\n  |\n}\n",
      "tags ");
  // The value that stands there has the name.
  first("resource \"aws_vpc\" \"a\" {\n  cidr_block = \"\"\n  | = var.enable_dns\n}\n",
        "enable_dns ");
}

TEST_F(CompletionTest, NamesThatNothingUsesComeFirst) {
  // Of files in JSON syntax only the uses are known, not the places.
  Write("uses.tf.json", R"({"locals": {"all": ["${var.alpha}", "${var.gamma}"]}})");
  EXPECT_EQ(Labels("variable \"alpha\" {}\nvariable \"beta\" {}\nvariable \"gamma\" {}\n"
                   "output \"o\" {\n  value = var.|\n}\n"),
            "beta alpha gamma ");
}

TEST_F(CompletionTest, OnlyWhatFitsBeforeAValueOrABody) {
  const std::string before = "resource \"aws_group\" \"a\" {\n  name = \"\"\n  ";
  EXPECT_FALSE(Has(Labels(before + "| = 1\n}\n"), "ingress"));
  EXPECT_TRUE(Has(Labels(before + "| = 1\n}\n"), "count"));
  EXPECT_TRUE(Has(Labels(before + "| {\n  }\n}\n"), "ingress"));
  EXPECT_FALSE(Has(Labels(before + "| {\n  }\n}\n"), "count"));
}

TEST_F(CompletionTest, TypesOfMissingObjects) {
  const std::string use = "provider \"aws\" {}\noutput \"o\" {\n  value = aws_vpc.net.id\n}\n";
  EXPECT_TRUE(Labels(use + "resource \"|\" \"net\" {\n}\n").starts_with("aws_vpc "));
  EXPECT_TRUE(Labels("resource \"|\" \"net\" {\n}\nresource \"aws_vpc\" \"a\" {\n}\n"
                     "output \"o\" {\n  value = aws_group.net.id\n}\n")
                  .starts_with("aws_group "));
}

TEST_F(CompletionTest, WithoutSchema) {
  const std::string other =
      "resource \"other_thing\" \"a\" {\n  size = 1\n  dynamic \"part\" {\n"
      "    for_each = []\n    content {\n      weight = 1\n    }\n  }\n}\n";
  EXPECT_TRUE(Has(Labels(other + "resource \"other_thing\" \"b\" {\n  |\n}\n"), "size"));
  EXPECT_TRUE(Has(Labels(other + "resource \"other_thing\" \"b\" {\n  |\n}\n"), "dynamic"));
  EXPECT_FALSE(
      Has(Labels(other + "resource \"other_thing\" \"b\" {\n  size = 1\n  |\n}\n"), "size"));
  EXPECT_EQ(Labels(other + "resource \"other_thing\" \"b\" {\n  dynamic \"part\" {\n    |\n"),
            "for_each content iterator labels ");
  EXPECT_EQ(Labels("locals {\n  o = jsondecode(\"\")\n  a = local.o.size\n  b = local.o.|\n}\n"),
            "size ");
}

TEST_F(CompletionTest, SettingsOfStates) {
  const std::string backend = Labels("terraform {\n  backend \"s3\" {\n    |\n  }\n}\n");
  EXPECT_TRUE(Has(backend, "bucket"));
  EXPECT_TRUE(Has(backend, "assume_role"));
  EXPECT_FALSE(Has(backend, "dynamic"));
  EXPECT_EQ(Labels("terraform {\n  backend \"local\" {\n    path = \"\"\n    |\n  }\n}\n"),
            "workspace_dir ");
  const auto in_encryption = [&](const std::string& text) {
    return Labels("terraform {\n  encryption {\n    " + text + "\n    }\n  }\n}\n");
  };
  EXPECT_TRUE(Has(in_encryption("key_provider \"pbkdf2\" \"a\" {\n      |"), "passphrase"));
  EXPECT_TRUE(Has(in_encryption("key_provider \"aws_kms\" \"a\" {\n      |"), "endpoints"));
  EXPECT_TRUE(in_encryption("method \"aes_gcm\" \"a\" {\n      |").starts_with("keys "));
}

TEST_F(CompletionTest, EachInsideABlockOfWhatIsRepeated) {
  const std::string labels = Labels(
      "resource \"aws_group\" \"a\" {\n  for_each = {}\n  name = \"\"\n  dynamic \"ingress\" {\n"
      "    for_each = |\n  }\n}\n");
  EXPECT_TRUE(Has(labels, "each.value"));
}

/// Names that stand in a file, with what is declared in it.
constexpr std::string_view kCorpus = R"(terraform {
  required_version = ">= 1.6"
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = "~> 5.0"
    }
  }
}

variable "region" {
  type        = string
  description = "Where."
  default     = "eu"
}

variable "nets" {
  type = map(object({
    cidr = string
    tags = optional(map(string))
  }))
  nullable = false
  validation {
    condition     = length(var.nets) > 0
    error_message = "None."
  }
}

locals {
  prefix = "x-${var.region}"
  names  = [for key, net in var.nets : upper("${local.prefix}-${key}-${net.cidr}")]
  first  = { id = aws_vpc.main.id, on = true }
}

provider "aws" {
  region = var.region
}

data "aws_image" "img" {
  owner = local.first.id
}

resource "aws_vpc" "main" {
  cidr_block = var.nets["a"].cidr
  enable_dns = local.first.on
  tags = {
    Name = data.aws_image.img.image_id
  }
  depends_on = [data.aws_image.img]
  lifecycle {
    create_before_destroy = true
    ignore_changes        = [tags]
    precondition {
      condition     = length(local.names) > 0
      error_message = "None."
    }
  }
}

resource "aws_group" "many" {
  for_each = var.nets
  name     = "${each.key}-${each.value.cidr}"
  dynamic "ingress" {
    for_each = aws_vpc.main.ranges
    content {
      from_port = 1
      protocol  = ingress.value.zone
    }
  }
}

output "ids" {
  value     = { for key, group in aws_group.many : key => group.id }
  sensitive = false
}

moved {
  from = aws_vpc.old
  to   = aws_vpc.main
}
)";

/// Names of the corpus that nothing can know: those that authors choose.
bool IsChosen(std::string_view text, const hcl::Token& token, std::string_view word) {
  constexpr std::string_view kChosen[] = {"for",  "in",     "old",   "key",   "net",    "group",
                                          "Name", "prefix", "names", "first", "number", "a"};
  if (std::ranges::find(kChosen, word) != std::end(kChosen)) {
    const bool is_reference = token.begin > 0 && text[token.begin - 1] == '.' && word != "old";
    return !is_reference;
  }
  const std::string_view before = text.substr(0, token.begin);
  const size_t line = before.rfind('\n') + 1;
  const std::string_view indent = before.substr(line);
  const bool begins_line = indent.find_first_not_of(' ') == std::string_view::npos;
  // Keys of the objects that are made here, and of the type of `nets`.
  const bool is_made = text.substr(token.end).starts_with(" = aws_vpc.main.id") ||
                       text.substr(token.end).starts_with(" = true }") ||
                       text.substr(token.end).starts_with(" = string\n    tags") ||
                       (begins_line && text.substr(token.end).starts_with(" = optional"));
  return is_made;
}

TEST_F(CompletionTest, FindsNamesThatWereCut) {
  const std::string text(kCorpus);
  size_t cut = 0;
  size_t found = 0;
  size_t among_first = 0;
  std::string missing;
  for (const hcl::Token& token : hcl::Lex(text, hcl::LexMode::kNormal)) {
    const std::string word = text.substr(token.begin, token.end - token.begin);
    if (token.kind != hcl::TokenKind::kIdent || IsChosen(text, token, word)) {
      continue;
    }
    std::string without = text;
    without.replace(token.begin, word.size(), "|");
    ++cut;
    const std::string labels = Labels(without);
    if (Has(labels, word)) {
      ++found;
      const std::string_view before =
          std::string_view(labels).substr(0, (" " + labels).find(" " + word + " "));
      among_first += std::ranges::count(before, ' ') < 5 ? 1 : 0;
    } else {
      missing += word + "@" + std::to_string(token.begin) + " ";
    }
  }
  std::cout << "cut " << cut << ", found " << found << ", among the first five " << among_first
            << "; missing: " << missing << "\n";
  EXPECT_GT(cut, 90U);
  EXPECT_GE(static_cast<double>(found), 0.97 * static_cast<double>(cut)) << missing;
}

TEST_F(CompletionTest, NoOffsetOfAnyPrefixCrashes) {
  const std::string text(kCorpus);
  size_t items = 0;
  for (uint32_t offset = 0; offset <= text.size(); offset += 3) {
    const Cursor cursor = Open("main.tf", text.substr(0, offset));
    const auto snapshot = workspace_.Take();
    items += CompletionsAt(*snapshot, {cursor.path, offset}).items.size();
    (void)HoverAt(*snapshot, {cursor.path, offset});
    (void)SignatureAt(*snapshot, {cursor.path, offset});
  }
  Open("main.tf", text);
  const auto snapshot = workspace_.Take();
  for (uint32_t offset = 0; offset <= text.size(); ++offset) {
    const Cursor cursor{root_ + "/main.tf", offset};
    const Completions completions = CompletionsAt(*snapshot, cursor);
    EXPECT_LE(completions.replaced.begin, offset);
    EXPECT_GE(completions.replaced.end, offset);
    items += completions.items.size();
    (void)HoverAt(*snapshot, cursor);
    (void)SignatureAt(*snapshot, cursor);
  }
  EXPECT_GT(items, 1000U);
}

/// Diagnostics about names that are not declared or not there.
size_t UnknownNames(const Snapshot& snapshot, const std::string& directory) {
  const std::atomic<bool> abandoned = false;
  const std::optional<Problems> all = snapshot.CheckRoot(directory, abandoned);
  size_t count = 0;
  for (const auto& [path, problems] : *all) {
    for (const Problem& problem : problems) {
      count += problem.summary.contains("undeclared") || problem.summary.contains("Unsupported") ||
               problem.summary.contains("unknown function");
    }
  }
  return count;
}

TEST_F(CompletionTest, AcceptedReferencesAreKnown) {
  const std::string before =
      "variable \"nets\" {\n  type = map(object({ cidr = string }))\n}\n"
      "locals {\n  first = { id = 1, on = true }\n}\n"
      "resource \"terraform_data\" \"one\" {\n  input = 1\n}\n"
      "output \"o\" {\n  value = ";
  Write("tests/empty.tftest.hcl", "");
  size_t tried = 0;
  for (const std::string prefix :
       {"var.", "local.", "local.first.", "var.nets[\"a\"].", "terraform_data.",
        "terraform_data.one.", "path.", "[for net in var.nets : net.", ""}) {
    const std::string close = prefix.starts_with("[") ? "]\n}\n" : "\n}\n";
    for (const Completion& item : Complete(before + prefix + "|" + close).items) {
      const bool is_whole = !prefix.empty() || item.kind == CompletionKind::kVariable ||
                            item.kind == CompletionKind::kLocal;
      if (item.is_snippet || !is_whole) {
        continue;
      }
      ++tried;
      Open("main.tf", before + prefix + item.insert + close);
      EXPECT_EQ(UnknownNames(*workspace_.Take(), root_), 0U) << prefix << item.insert;
    }
  }
  EXPECT_GT(tried, 12U);
  Open("main.tf", before + "local.nothing\n}\n");
  EXPECT_GT(UnknownNames(*workspace_.Take(), root_), 0U);
}

}  // namespace
}  // namespace kinu::ide
