// Hover, signatures and inlay hints.
#include <gtest/gtest.h>

#include "ide/testing/marked_workspace.h"

namespace kinu::ide {
namespace {

using HoverTest = testing::MarkedWorkspace;

TEST_F(HoverTest, Variables) {
  const std::string declared =
      "variable \"zone\" {\n  type = string\n  default = \"eu\"\n  description = \"Where.\"\n}\n"
      "variable \"key\" {\n  type = string\n  default = \"hush\"\n  sensitive = true\n}\n";
  const std::string zone = Hovered(declared + "output \"o\" {\n  value = var.zo|ne\n}\n");
  EXPECT_TRUE(zone.contains("variable \"zone\"")) << zone;
  EXPECT_TRUE(zone.contains("Type: `string`")) << zone;
  EXPECT_TRUE(zone.contains("Default: `\"eu\"`")) << zone;
  // A value on one line is one that could be written.
  EXPECT_TRUE(
      Hovered("variable \"si|ze\" {\n  default = {\n    a = 1\n    b = [{ c = 2 }]\n  }\n}\n")
          .contains("Default: `{ a = 1, b = ["));
  EXPECT_TRUE(zone.contains("Where.")) << zone;
  // It has the type of the variable, and the defaults of that.
  const std::string rules = Hovered(
      "variable \"ru|les\" {\n  type = list(object({\n    port = string\n    open = optional(bool, "
      "true)\n    note = optional(string)\n  }))\n  default = [{ port = 80 }]\n}\n");
  EXPECT_TRUE(rules.contains("Default: `[{ note = null, open = true, port = \"80\" }]`")) << rules;
  const std::string wrong =
      Hovered("variable \"wr|ong\" {\n  type = number\n  default = \"x\"\n}\n");
  EXPECT_TRUE(wrong.contains("Default: `\"x\"`")) << wrong;
  for (const std::string_view value : {"\"x\"", "[1]", "{}", "null", "[{}, 1]", "{ a = [] }"}) {
    for (const std::string_view type :
         {"object({ a = optional(string, \"y\") })",
          "list(object({ a = optional(string, \"y\") }))",
          "map(tuple([object({ a = optional(bool, 1) })]))", "optional(", "nope"}) {
      const std::string text = Hovered("variable \"od|d\" {\n  type = " + std::string(type) +
                                       "\n  default = " + std::string(value) + "\n}\n");
      EXPECT_TRUE(text.contains("variable \"odd\"")) << type << " " << value << " " << text;
    }
  }
  const std::string key = Hovered(declared + "output \"o\" {\n  value = var.key|\n}\n");
  EXPECT_TRUE(key.contains("Sensitive")) << key;
  EXPECT_FALSE(key.contains("hush")) << key;
  Write("terraform.tfvars", "zone = \"us\"\nkey = \"hush\"\n");
  workspace_.Changed(root_ + "/terraform.tfvars");
  Write("x.auto.tfvars", "size = \"7\"\n");
  workspace_.Changed(root_ + "/x.auto.tfvars");
  const std::string size = Hovered("variable \"si|ze\" {\n  type = number\n}\n");
  EXPECT_TRUE(size.contains("In `x.auto.tfvars`: `7`")) << size;
  const std::string given = Hovered(declared + "output \"o\" {\n  value = var.|zone\n}\n");
  EXPECT_TRUE(given.contains("In `terraform.tfvars`: `\"us\"`")) << given;
  EXPECT_FALSE(Hovered(declared + "output \"o\" {\n  value = var.|key\n}\n").contains("hush"));
}

const std::string kDisk =
    "variable \"disk\" {\n  type = object({\n    size = number\n"
    "    kind = optional(string, \"ssd\")\n    tag  = optional(string)\n"
    "    raid = optional(object({ level = optional(number, 5) }), {})\n"
    "    parts = optional(list(object({ fs = optional(string, \"ext4\") })), [])\n  })\n";

TEST_F(HoverTest, DefaultsInTypes) {
  const std::string whole = Hovered(kDisk + "}\nlocals {\n  a = var.di|sk\n}\n");
  EXPECT_TRUE(
      whole.contains("Type: `object({kind=optional(string, \"ssd\"),parts=optional(list("
                     "object({fs=optional(string, \"ext4\")})), []),raid=optional(object("
                     "{level=optional(number, 5)}), { level = 5 }),size=number,"
                     "tag=optional(string)})`"))
      << whole;
  const auto hovered = [&](const std::string& expression) {
    return Hovered(kDisk + "}\nlocals {\n  a = " + expression + "\n}\n");
  };
  EXPECT_TRUE(hovered("var.disk.ki|nd").contains("kind: string\n```\n\nDefault: `\"ssd\"`"))
      << hovered("var.disk.ki|nd");
  EXPECT_FALSE(hovered("var.disk.si|ze").contains("Default"));
  EXPECT_FALSE(hovered("var.disk.ta|g").contains("Default"));
  EXPECT_TRUE(hovered("var.disk.ra|id").contains("Default: `{ level = 5 }`"));
  EXPECT_TRUE(hovered("var.disk.raid.le|vel").contains("Default: `5`"));
  EXPECT_TRUE(hovered("var.disk.parts[0].f|s").contains("Default: `\"ext4\"`"));
  EXPECT_TRUE(hovered("[for part in var.disk.parts : part.f|s]").contains("Default: `\"ext4\"`"));
  EXPECT_FALSE(hovered("[for i, part in var.disk.parts : i.f|s]").contains("Default"));
  const std::string secret =
      Hovered(kDisk + "  sensitive = true\n}\nlocals {\n  a = var.disk.ki|nd\n}\n");
  EXPECT_FALSE(secret.contains("ssd")) << secret;
  EXPECT_FALSE(
      Hovered(kDisk + "  sensitive = true\n}\nlocals {\n  a = var.di|sk\n}\n").contains("ssd"));
}

TEST_F(HoverTest, DefaultsOfElementsAndInputs) {
  const std::string each =
      "variable \"nets\" {\n  type = map(object({ cidr = optional(string, \"10.0.0.0/8\") }))\n}\n"
      "resource \"aws_vpc\" \"a\" {\n  for_each   = var.nets\n  cidr_block = each.value.ci|dr\n}\n";
  EXPECT_TRUE(Hovered(each).contains("Default: `\"10.0.0.0/8\"`")) << Hovered(each);
  const std::string made =
      "variable \"rules\" {\n  type = list(object({ port = optional(number, 443) }))\n}\n"
      "resource \"aws_group\" \"a\" {\n  name = \"a\"\n  dynamic \"ingress\" {\n"
      "    for_each = var.rules\n    content {\n      from_port = ingress.value.po|rt\n    }\n  "
      "}\n}\n";
  EXPECT_TRUE(Hovered(made).contains("Default: `443`")) << Hovered(made);
  Write("child/main.tf", kDisk + "}\n");
  const std::string call = "module \"m\" {\n  source = \"./child\"\n  disk = {\n";
  EXPECT_TRUE(Hovered(call + "    ki|nd = \"\"\n  }\n}\n").contains("Default: `\"ssd\"`"));
  EXPECT_TRUE(
      Hovered(call + "    parts = [{ f|s = \"\" }]\n  }\n}\n").contains("Default: `\"ext4\"`"));
  EXPECT_TRUE(Hovered("module \"m\" {\n  source = \"./child\"\n  di|sk = {}\n}\n")
                  .contains("kind=optional(string, \"ssd\")"));
}

TEST_F(HoverTest, BlocksAndArguments) {
  const std::string body = "resource \"aws_vpc\" \"a\" {\n";
  EXPECT_TRUE(Hovered("resource \"aws_v|pc\" \"a\" {\n}\n").contains("A network."));
  const std::string cidr = Hovered(body + "  cidr_bl|ock = 1\n}\n");
  EXPECT_TRUE(cidr.contains("cidr_block: string")) << cidr;
  EXPECT_TRUE(cidr.contains("Required.")) << cidr;
  EXPECT_TRUE(cidr.contains("About cidr_block.")) << cidr;
  EXPECT_TRUE(Hovered(body + "  life|cycle {\n  }\n}\n").contains("changes"));
  EXPECT_TRUE(Hovered(body + "}\noutput \"o\" {\n  value = aws_vpc.a.ar|n\n}\n")
                  .contains("Set by the provider."));
  EXPECT_TRUE(Hovered(body + "}\noutput \"o\" {\n  value = aws_vpc.|a.arn\n}\n")
                  .contains("resource \"aws_vpc\" \"a\""));
  EXPECT_EQ(Hovered(body + "}\n\n|\n"), "");
}

TEST_F(HoverTest, FunctionsLocalsAndCalls) {
  EXPECT_TRUE(Hovered("locals {\n  a = sub|str(\"a\", 0, 1)\n}\n").contains("substr(str, "));
  const std::string local = Hovered("locals {\n  a = { b = 1 }\n  c = local.|a\n}\n");
  EXPECT_TRUE(local.contains("local.a")) << local;
  EXPECT_TRUE(local.contains("Value: `{")) << local;
  Write("child/main.tf",
        "variable \"size\" { type = number }\noutput \"id\" {\n  value = 1\n  "
        "description = \"What it is.\"\n}\n");
  const std::string call = "module \"m\" {\n  source = \"./child\"\n  size = 1\n}\n";
  const std::string module = Hovered(call + "locals {\n  a = module.m|.id\n}\n");
  EXPECT_TRUE(module.contains("./child")) << module;
  EXPECT_TRUE(module.contains("`size`: `number`, required")) << module;
  EXPECT_TRUE(Hovered(call + "locals {\n  a = module.m.i|d\n}\n").contains("What it is."));
  EXPECT_TRUE(
      Hovered("module \"m\" {\n  source = \"./child\"\n  si|ze = 1\n}\n").contains("size: number"));
}

/// A state with these resources and outputs.
std::string StateText(const std::string& resources, const std::string& outputs = "") {
  return R"({"version":4,"terraform_version":"1.12.6","serial":1,"lineage":"l","outputs":{)" +
         outputs + R"(},"resources":[)" + resources + "]}";
}
std::string ResourceText(const std::string& name, const std::string& instances,
                         const std::string& module = "") {
  return "{" + (module.empty() ? "" : "\"module\":\"" + module + "\",") +
         R"("mode":"managed","type":"aws_vpc","name":")" + name +
         R"(","provider":"provider[\"registry.opentofu.org/hashicorp/aws\"]","instances":[)" +
         instances + "]}";
}
std::string InstanceText(const std::string& attributes, const std::string& more = "") {
  return R"({"schema_version":0,"attributes":{)" + attributes + "}" + more + "}";
}

TEST_F(HoverTest, ValuesOfTheState) {
  const std::string body = "resource \"aws_vpc\" \"a\" {\n  cidr_block = 1\n}\n";
  const std::string use = body + "output \"o\" {\n  value = aws_vpc.a.ar|n\n}\n";
  EXPECT_FALSE(Hovered(use).contains("state"));
  Write("terraform.tfstate",
        StateText(ResourceText("a", InstanceText(R"("arn":"arn:1","cidr_block":"10.0.0.0/8")")) +
                      "," + ResourceText("b", InstanceText(R"("arn":"arn:b")")),
                  R"("o":{"value":"seen","type":"string"},)"
                  R"("p":{"value":"hush","type":"string","sensitive":true})"));
  EXPECT_TRUE(Hovered(use).contains("In the state: `\"arn:1\"`")) << Hovered(use);
  EXPECT_TRUE(Hovered("resource \"aws_vpc\" \"a\" {\n  cidr_b|lock = 1\n}\n")
                  .contains("In the state: `\"10.0.0.0/8\"`"));
  EXPECT_TRUE(Hovered("output \"|o\" {\n  value = 1\n}\n").contains("In the state: `\"seen\"`"));
  const std::string hidden = Hovered("output \"|p\" {\n  value = 1\n}\n");
  EXPECT_TRUE(hidden.contains("In the state: sensitive, not shown")) << hidden;
  EXPECT_FALSE(hidden.contains("hush"));
  // The file is read again when it has changed, whoever says so.
  Write("terraform.tfstate", StateText(ResourceText("a", InstanceText(R"("arn":"arn:two")"))));
  EXPECT_TRUE(Hovered(use).contains("`\"arn:two\"`"));
  Write(".terraform/terraform.tfstate",
        R"({"version":3,"backend":{"type":"http","config":{"address":"x"},"hash":1}})");
  EXPECT_FALSE(Hovered(use).contains("state")) << "it is elsewhere";
}

TEST_F(HoverTest, ValuesOfInstances) {
  Write("terraform.tfstate",
        StateText(ResourceText("a", InstanceText(R"("arn":"zero")", R"(,"index_key":0)") + "," +
                                        InstanceText(R"("arn":"one")", R"(,"index_key":1)")) +
                  "," + ResourceText("a", InstanceText(R"("arn":"inside")"), "module.m")));
  const std::string body = "resource \"aws_vpc\" \"a\" {\n  count = 2\n}\n";
  const std::string all = Hovered(body + "output \"o\" {\n  value = aws_vpc.a[*].ar|n\n}\n");
  EXPECT_TRUE(all.contains("- `aws_vpc.a[0]`: `\"zero\"`\n- `aws_vpc.a[1]`: `\"one\"`")) << all;
  EXPECT_FALSE(all.contains("inside")) << all;
  const std::string one = Hovered(body + "output \"o\" {\n  value = aws_vpc.a[1].ar|n\n}\n");
  EXPECT_TRUE(one.contains("In the state: `\"one\"`")) << one;
  Write("calls.tf", "module \"m\" {\n  source = \"./m\"\n}\n");
  workspace_.Changed(root_ + "/calls.tf");
  const Cursor cursor = Open("m/main.tf", body + "output \"o\" {\n  value = aws_vpc.a.ar|n\n}\n");
  const auto inside = HoverAt(*workspace_.Take(), cursor);
  ASSERT_TRUE(inside);
  EXPECT_TRUE(inside->markdown.contains("In the state: `\"inside\"`")) << inside->markdown;
}

TEST_F(HoverTest, NothingSensitiveOfTheState) {
  const std::string body =
      "data \"aws_secret\" \"a\" {\n}\noutput \"o\" {\n  value = data.aws_secret.a.";
  // Sensitive for the schema, for the state, and of a version whose schema nobody has.
  for (const auto& [attribute, more, version] :
       {std::tuple("pass|word", "", 0),
        std::tuple("ar|n", R"(,"sensitive_attributes":[[{"type":"get_attr","value":"arn"}]])", 0),
        std::tuple("ar|n", "", 7)}) {
    std::string state =
        StateText(ResourceText("a", InstanceText(R"("arn":"hush","password":"hush")", more)));
    state.replace(state.find("managed"), 7, "data");
    state.replace(state.find("aws_vpc"), 7, "aws_secret");
    const std::string before = "\"schema_version\":0";
    state.replace(state.find(before), before.size(),
                  "\"schema_version\":" + std::to_string(version));
    Write("terraform.tfstate", state);
    const std::string shown = Hovered(body + attribute + "\n}\n");
    EXPECT_FALSE(shown.contains("hush")) << shown;
    EXPECT_EQ(shown.contains("sensitive, not shown"), version == 0) << shown;
  }
}

TEST_F(HoverTest, NoCopiesOfWhatIsSensitive) {
  // A provider has copied what the state calls sensitive in another object.
  Write("terraform.tfstate",
        StateText(ResourceText("a", InstanceText(R"("arn":"hush-hush")",
                                                 R"(,"sensitive_attributes":[[{"type":"get_attr",)"
                                                 R"("value":"arn"}]])")) +
                  "," + ResourceText("b", InstanceText(R"("arn":"key:hush-hush","id":"b")"))));
  const std::string body = "resource \"aws_vpc\" \"b\" {\n}\noutput \"o\" {\n  value = aws_vpc.b.";
  EXPECT_TRUE(Hovered(body + "ar|n\n}\n").contains("In the state: sensitive, not shown"));
  EXPECT_TRUE(Hovered(body + "i|d\n}\n").contains("In the state: `\"b\"`"));
}

TEST_F(HoverTest, MembersInJson) {
  const auto hovered = [&](const std::string& text) {
    const Cursor cursor = Open("x.tf.json", text);
    const auto found = HoverAt(*workspace_.Take(), cursor);
    return found ? found->markdown : "";
  };
  const std::string vpc = "{\"provider\": {\"aws\": {}}, \"resource\": {\"aws_vpc\": {\"a\": ";
  EXPECT_TRUE(hovered(vpc + "{\"cidr_bl|ock\": 1}}}}").contains("About cidr_block."));
  EXPECT_TRUE(hovered("{\"provider\": {\"aws\": {}}, \"resource\": {\"aws_v|pc\": {}}}")
                  .contains("A network."));
  EXPECT_EQ(hovered("{\"output\": {\"a\": {\"value\": \"te|xt\"}}}"), "");
}

TEST_F(HoverTest, Signatures) {
  const auto help_at = [&](const std::string& text) {
    const Cursor cursor = Open("main.tf", "locals {\n  a = " + text + "\n}\n");
    return SignatureAt(*workspace_.Take(), cursor);
  };
  const auto help = help_at("substr(\"a\", |");
  ASSERT_TRUE(help);
  EXPECT_EQ(help->active, 1U);
  ASSERT_EQ(help->parameters.size(), 3U);
  EXPECT_EQ(help->label.substr(help->parameters[0].begin,
                               help->parameters[0].end - help->parameters[0].begin),
            "str");
  EXPECT_EQ(help_at("max(1, 2, 3, |)")->active, 0U);
  EXPECT_EQ(help_at("max(substr(\"a,b\", [1, 2][0]), |)")->label, "max(numbers...)");
  EXPECT_FALSE(help_at("max(1)|"));
  EXPECT_FALSE(help_at("nothing(|)"));
  EXPECT_EQ(help_at("provider::aws::arn_parse(|")->label, "provider::aws::arn_parse(arn)");
  const Cursor json = Open("main.tf.json", R"({"locals": {"a": "x${substr(b, |)}"}})");
  const auto in_json = SignatureAt(*workspace_.Take(), json);
  ASSERT_TRUE(in_json);
  EXPECT_EQ(in_json->label, help->label);
  EXPECT_EQ(in_json->active, 1U);
}

TEST_F(HoverTest, InlayHints) {
  const Cursor cursor = Open(
      "main.tf", "variable \"a\" {\n  default = 7\n}\nlocals {\n  b = var.a\n  c = \"x\"\n}\n|");
  const Span all{0, cursor.offset};
  EXPECT_TRUE(InlayHints(*workspace_.Take(), cursor.path, all).empty());
  workspace_.SetSettings({.inlay_values = true});
  const auto values = InlayHints(*workspace_.Take(), cursor.path, all);
  ASSERT_EQ(values.size(), 1U);
  EXPECT_EQ(values[0].label, " = 7");
  workspace_.SetSettings({.inlay_types = true});
  const auto types = InlayHints(*workspace_.Take(), cursor.path, all);
  ASSERT_EQ(types.size(), 1U);
  EXPECT_EQ(types[0].label, ": string");
}

TEST_F(HoverTest, InlayHintsInJson) {
  const std::string text =
      R"({"variable": {"a": {"type": "number", "default": 7}}, "locals": {"b": "${var.a}"}})";
  const Cursor cursor = Open("main.tf.json", text + "|");
  workspace_.SetSettings({.inlay_values = true, .inlay_types = true});
  std::string shown = text;
  auto hints = InlayHints(*workspace_.Take(), cursor.path, {0, cursor.offset});
  for (auto hint = hints.rbegin(); hint != hints.rend(); ++hint) {
    shown.insert(hint->offset, hint->label);
  }
  EXPECT_EQ(
      shown,
      R"({"variable": {"a": {"type": "number", "default": 7}}, "locals": {"b": number: "${var.a = 7}"}})");
}

TEST_F(HoverTest, NamesInStringsOfJson) {
  const auto hovered = [&](const std::string& value) {
    return Hovered(
        R"x({"variable": {"v": {"type": "list(object({a=number}))"}}, "locals": {"l": ")x" + value +
            R"x("}})x",
        "main.tf.json");
  };
  EXPECT_TRUE(hovered("${up|per(var.v)}").contains("upper(str)"));
  EXPECT_TRUE(hovered("${[for x in var.v : x.|a]}").contains("a: number"));
  EXPECT_TRUE(hovered("${[for x in var.v : |x.a]}").contains("x: object"));
  EXPECT_TRUE(hovered("${va|r.v}").empty());
  EXPECT_TRUE(hovered("tex|t").empty());
  const auto in_block = [&](const std::string& value) {
    return Hovered(R"x({"resource": {"a_b": {"c": {"for_each": {"x": 1}, "dynamic": {"d": {)x"
                   R"x("for_each": [1], "iterator": "it", "content": {"e": ")x" +
                       value + R"x("}}}}}}})x",
                   "main.tf.json");
  };
  EXPECT_TRUE(in_block("${it.va|lue}").contains("value: number"));
  EXPECT_TRUE(in_block("${i|t.value}").contains("it: object("));
  EXPECT_TRUE(in_block("${each.va|lue}").contains("value: number"));
}

}  // namespace
}  // namespace kinu::ide
