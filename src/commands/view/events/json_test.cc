#include "cty/json.h"

#include <gtest/gtest.h>

#include "base/testing/golden.h"
#include "hcl/parse.h"
#include "json/reader.h"
#include "plan_json/documents.h"
#include "plan_json/expression.h"
#include "plan_json/stored_value.h"
#include "plan_json/value.h"
#include "view/events/json_ui.h"
#include "view/human/progress.h"
#include "view/testing/plan_from_json.h"

namespace kinu::view {
namespace {

Value Sensitive(const Value& value) {
  return value.WithMarks(MarkSet::Sensitive());
}

struct Case {
  const char* name;
  Value value;
  const char* shown;
  const char* unknown;
  const char* sensitive;
};

class Masks : public testing::TestWithParam<Case> {};

TEST_P(Masks, Written) {
  const Case& test = GetParam();
  EXPECT_EQ(ValueText(test.value), test.shown);
  std::string unknown;
  JsonWriter unknown_out(unknown);
  WriteUnknownMask(unknown_out, test.value);
  EXPECT_EQ(unknown, test.unknown);
  std::string sensitive;
  JsonWriter sensitive_out(sensitive);
  WriteSensitiveMask(sensitive_out, test.value);
  EXPECT_EQ(sensitive, test.sensitive);
}

const Value kUnknownString = Value::Unknown(Type::String());

const Case kCases[] = {
    {"Null", Value::Null(Type::String()), "null", "false", "false"},
    {"String", Value::String("a<b"), R"("a\u003cb")", "false", "false"},
    {"SensitiveNull", Sensitive(Value::Null(Type::String())), "null", "false", "true"},
    {"UnknownList", Value::Unknown(Type::List(Type::String())), "null", "true", "[]"},
    {"UnknownMap", Value::Unknown(Type::Map(Type::String())), "null", "true", "{}"},
    {"List", Value::List(Type::String(), {Value::String("a"), kUnknownString}), R"(["a",null])",
     "[false,true]", "[false,false]"},
    {"EmptyList", Value::List(Type::String(), {}), "[]", "[]", "[]"},
    {"Object",
     Value::Object({{"id", kUnknownString},
                    {"n", Value::Null(Type::Number())},
                    {"secret", Sensitive(Value::String("s"))},
                    {"tags", Value::Map(Type::String(), {{"a", Value::String("b")}})},
                    {"l", Value::List(Type::Bool(), {Value::True()})}}),
     R"({"l":[true],"n":null,"secret":"s","tags":{"a":"b"}})",
     R"({"id":true,"l":[false],"tags":{}})", R"({"l":[false],"secret":true,"tags":{}})"},
    {"SensitiveInside",
     Value::Tuple({Sensitive(Value::Int(1)), Value::Object({{"a", Sensitive(Value::Int(2))}})}),
     R"([1,{"a":2}])", "[false,{}]", R"([true,{"a":true}])"},
};

INSTANTIATE_TEST_SUITE_P(All, Masks, testing::ValuesIn(kCases),
                         [](const auto& param) { return std::string(param.param.name); });

TEST(SensitiveMask, FollowsTheSchema) {
  const schema::Block block = BlockFromJson(R"({
    "attributes": {
      "password": {"type": "string", "sensitive": true},
      "nested": {"nested_type": {"nesting_mode": "list", "attributes": {
          "key": {"type": "string", "sensitive": true}, "name": {"type": "string"}}}}
    },
    "block_types": {"b": {"nesting_mode": "set", "block": {"attributes": {
        "a": {"type": "string", "sensitive": true}}}}}
  })");
  const auto mask = [&block](std::string_view json) {
    std::string text;
    JsonWriter out(text);
    WriteSensitiveMask(out, ValueFromDocument(json, block.implied_type()), &block);
    return text;
  };
  EXPECT_EQ(mask("null"), "false");
  // A null password is sensitive too.
  EXPECT_EQ(mask(R"({"nested": [{"key": "k", "name": "n"}], "b": [{"a": "x"}]})"),
            R"({"b":[{"a":true}],"nested":[{"key":true}],"password":true})");
}

TEST(BodyExpressions, FollowTheSchema) {
  const schema::Block block = BlockFromJson(R"({
    "attributes": {"a": {"type": "string"}, "b": {"type": "number"}, "c": {"type": "string"}},
    "block_types": {
      "one": {"nesting_mode": "single", "block": {"attributes": {"x": {"type": "string"}}}},
      "many": {"nesting_mode": "list", "block": {"attributes": {"x": {"type": "string"}}}},
      "some": {"nesting_mode": "set", "block": {"attributes": {"x": {"type": "string"}}}},
      "named": {"nesting_mode": "map", "block": {"attributes": {"x": {"type": "string"}}}},
      "made": {"nesting_mode": "list", "block": {"attributes": {"x": {"type": "string"}}}}}
  })");
  hcl::SyntaxTree tree;
  Diagnostics diags;
  const SourceFile* source = tree.KeepSource(SourceFile::Make("t.tf", R"(
a = "hello"
b = data.template_file.foo[1].vars["baz"] + module.foo.bar + var.example[0]
one {
  x = each.key
}
many {
  x = "1"
}
many {
}
some {
  x = "s"
}
named "k" {
  x = null
}
dynamic "made" {
  for_each = var.list
  content {
    x = made.value
  }
}
unknown = 1
)"));
  const hcl::Body* body = hcl::ParseNative(source, tree, diags);
  ASSERT_FALSE(diags.has_errors());
  std::string text;
  JsonWriter out(text);
  BodyShapes shapes(false);
  WriteBodyExpressions(out, *body, block, shapes);
  // Generated blocks of `dynamic` are not in the document.
  EXPECT_EQ(text, R"j({"a":{"constant_value":"hello"},)j"
                  R"j("b":{"references":["data.template_file.foo[1].vars[\"baz\"]",)j"
                  R"j("data.template_file.foo[1].vars","data.template_file.foo[1]",)j"
                  R"j("data.template_file.foo","module.foo.bar","module.foo","var.example[0]",)j"
                  R"j("var.example"]},)j"
                  R"j("many":[{"x":{"constant_value":"1"}},{}],)j"
                  R"j("named":{"k":{"x":{"constant_value":null}}},)j"
                  R"j("one":{"x":{"references":["each.key"]}},)j"
                  R"j("some":[{"x":{"constant_value":"s"}}]})j");
}

TEST(PathSet, OrderIsThatOfTheHash) {
  const auto path = [](std::initializer_list<const char*> names) {
    Path made;
    for (const char* name : names) {
      made.Push(PathStep::Attribute(name));
    }
    return made;
  };
  const std::vector<Path> paths = {path({"triggers", "a"}), Path().Attribute("list").Index(1),
                                   path({"ami"})};
  std::string text;
  JsonWriter out(text);
  WritePathSet(out, paths);
  EXPECT_NE(text.find(R"(["list",1])"), std::string::npos);
  EXPECT_NE(text.find(R"(["triggers","a"])"), std::string::npos);
}

TEST(ProviderSchemas, BuiltIn) {
  const TestSchemas schemas;
  const std::vector<std::pair<std::string, const schema::ProviderSchema*>> providers = {
      {"terraform.io/builtin/terraform", schemas.Find("terraform.io/builtin/terraform")}};
  std::string text;
  const auto append = [&](std::string_view piece) { text += piece; };
  WriteProviderSchemas(providers, append);
  golden::Expect(text + "\n", "src/commands/view/testdata/provider_schemas.json");
  text.clear();
  WriteProviderSchemas({}, append);
  EXPECT_EQ(text, R"({"format_version":"1.0"})");
}

TEST(Documents, Functions) {
  std::string text;
  JsonWriter out(text);
  WriteFunctions(out, functions::Table::Standard());
  const JsonDocument document = ParseJson(text);
  ASSERT_TRUE(document.ok());
  const JsonNode& signatures = *document.root().Find("function_signatures");
  EXPECT_EQ(signatures.Find("list"), nullptr);
  const auto shape = [&](std::string_view name) {
    const JsonNode* node = signatures.Find(name);
    if (node == nullptr) {
      return std::string("absent");
    }
    std::string result(
        text.substr(node->Find("return_type")->begin(),
                    node->Find("return_type")->end() - node->Find("return_type")->begin()));
    for (const std::string_view key : {"parameters", "variadic_parameter"}) {
      if (node->Find(key) != nullptr) {
        result += " ";
        result += key;
      }
    }
    return result;
  };
  EXPECT_EQ(shape("abs"), R"("number" parameters)");
  EXPECT_EQ(shape("core::abs"), R"("number" parameters)");
  EXPECT_EQ(shape("can"), R"("bool" parameters)");
  EXPECT_EQ(shape("try"), R"("dynamic" variadic_parameter)");
  EXPECT_EQ(shape("timestamp"), R"("string")");
}

TEST(Documents, Version) {
  std::string text;
  JsonWriter out(text, {.indent = "  "});
  WriteVersion(out, {.version = "1.12.6", .platform = "linux_amd64"});
  EXPECT_EQ(text,
            "{\n  \"terraform_version\": \"1.12.6\",\n  \"platform\": \"linux_amd64\",\n"
            "  \"provider_selections\": {}\n}");
}

TEST(Documents, Outputs) {
  const std::vector<state::OutputValue> outputs = {
      {.name = "a", .value = Sensitive(Value::Int(1)), .sensitive = true, .deprecated = "old"},
      {.name = "b", .value = Value::Tuple({Value::String("<")})}};
  std::string text;
  JsonWriter out(text);
  WriteOutputs(out, outputs);
  EXPECT_EQ(text, R"({"a":{"sensitive":true,"deprecated":"old","type":"number","value":1},)"
                  R"("b":{"sensitive":false,"type":["tuple",["string"]],"value":["\u003c"]}})");
}

TEST(Documents, Checks) {
  Program program;
  const auto block = [&](CheckableKind kind, std::string_view text) {
    ConfigCheckable out;
    EXPECT_TRUE(ParseConfigCheckable(program, kind, text, &out));
    return out;
  };
  const auto object = [&](CheckableKind kind, std::string_view text) {
    Checkable out;
    EXPECT_TRUE(ParseCheckable(program, kind, text, &out));
    return out.object;
  };
  constexpr auto kResource = CheckableKind::kResource;
  constexpr auto kCheck = CheckableKind::kCheck;
  const std::vector<state::CheckResult> checks = {
      {.block = block(kResource, "module.m.terraform_data.a"),
       .status = CheckStatus::kFail,
       .objects = {{object(kResource, "module.m[0].terraform_data.a[\"k\"]"),
                    CheckStatus::kFail,
                    {"second", "first"}}}},
      {.block = block(CheckableKind::kOutput, "module.m.output.o"), .objects = {}},
      {.block = block(kCheck, "check.c"),
       .status = CheckStatus::kPass,
       .objects = {{object(kCheck, "check.c"), CheckStatus::kPass, {}}}}};
  std::string text;
  JsonWriter out(text);
  WriteChecks(out, program, checks);
  EXPECT_EQ(
      text,
      R"([{"address":{"kind":"check","name":"c","to_display":"check.c"},"status":"pass","instances":[{"address":{"to_display":"check.c"},"status":"pass"}]},)"
      R"({"address":{"kind":"output_value","module":"module.m","name":"o","to_display":"module.m.output.o"},"status":"unknown"},)"
      R"({"address":{"kind":"resource","mode":"managed","module":"module.m","name":"a","to_display":"module.m.terraform_data.a","type":"terraform_data"},"status":"fail",)"
      R"("instances":[{"address":{"instance_key":"k","module":"module.m[0]","to_display":"module.m[0].terraform_data.a[\"k\"]"},"status":"fail","problems":[{"message":"first"},{"message":"second"}]}]}])");
}

/// Collects messages without their time stamps.
class Stream : public testing::Test {
 protected:
  std::string text_;
  JsonUi ui_{[this](std::string_view line) {
    std::string copy(line);
    const size_t begin = copy.find("\"@timestamp\"");
    const size_t end = copy.find(',', begin);
    text_ += copy.erase(begin, end + 1 - begin);
  }};
};

TEST_F(Stream, Version) {
  ui_.Version("1.12.6");
  EXPECT_EQ(text_, R"({"@level":"info","@message":"OpenTofu 1.12.6","@module":"tofu.ui",)"
                   R"("tofu":"1.12.6","type":"version","ui":"1.2"})"
                   "\n");
}

TEST_F(Stream, Events) {
  Program program;
  ui_.SetProgram(&program);
  engine::Event event{.kind = engine::EventKind::kApplyComplete,
                      .action = plan::Action::kCreate,
                      .id_key = "id",
                      .id_value = "a<b",
                      .elapsed_seconds = 61};
  ASSERT_TRUE(program.ParseResourceInstance("module.m.terraform_data.x[\"<\"]", &event.address));
  ui_.Post(event);
  EXPECT_EQ(
      text_,
      R"json({"@level":"info","@message":"module.m.terraform_data.x[\"<\"]: Creation complete after 1m1s [id=a<b]","@module":"tofu.ui","hook":{"resource":{"addr":"module.m.terraform_data.x[\"<\"]","module":"module.m","resource":"terraform_data.x[\"<\"]","implied_provider":"terraform","resource_type":"terraform_data","resource_name":"x","resource_key":"\u003c"},"action":"create","id_key":"id","id_value":"a<b","elapsed_seconds":61},"type":"apply_complete"})json"
      "\n");
}

TEST(Progress, Lines) {
  Program program;
  const terminal::Style style(false);
  engine::Event event{.kind = engine::EventKind::kApplyStart, .action = plan::Action::kUpdate};
  ASSERT_TRUE(program.ParseResourceInstance("terraform_data.x", &event.address));
  const auto line = [&] { return RenderEvent(program, style, event); };
  event.id_key = "id";
  event.id_value = "v";
  EXPECT_EQ(line(), "terraform_data.x: Modifying... [id=v]\n");
  event.kind = engine::EventKind::kApplyProgress;
  event.elapsed_seconds = 80;
  EXPECT_EQ(line(), "terraform_data.x: Still modifying... [id=v, 1m20s elapsed]\n");
  event.kind = engine::EventKind::kApplyComplete;
  EXPECT_EQ(line(), "terraform_data.x: Modifications complete after 1m20s [id=v]\n");
  EXPECT_EQ(RenderEvent(program, terminal::Style(true), event),
            "\x1b[0m\x1b[1mterraform_data.x: Modifications complete after 1m20s [id=v]\x1b[0m\n");
  event.kind = engine::EventKind::kRefreshStart;
  event.deposed = "deadbeef";
  EXPECT_EQ(line(), "terraform_data.x (deposed object deadbeef): Refreshing state... [id=v]\n");
  event.kind = engine::EventKind::kRefreshComplete;
  EXPECT_EQ(line(), "");
  event.kind = engine::EventKind::kProvisionOutput;
  event.provisioner = "local-exec";
  event.text = "a  \n\nb\n";
  EXPECT_EQ(line(), "terraform_data.x (local-exec): a\nterraform_data.x (local-exec): b\n");
  event.text = "\n";
  EXPECT_EQ(line(), "\n");
}

TEST_F(Stream, ChangeSummary) {
  ui_.ChangeSummary("apply", {.added = 1});
  EXPECT_EQ(
      text_,
      R"({"@level":"info","@message":"Apply complete! Resources: 1 added, 0 changed, 0 destroyed.","@module":"tofu.ui","changes":{"add":1,"change":0,"import":0,"remove":0,"forget":0,"operation":"apply"},"type":"change_summary"})"
      "\n");
}

/// A block with members of every kind, some of them sensitive.
schema::Block StoredBlock() {
  schema::Block block;
  const auto add = [](std::vector<schema::Attribute>& to, const char* name, Type type,
                      bool sensitive = false) {
    schema::Attribute& attribute = to.emplace_back();
    attribute.name = name;
    attribute.type = std::move(type);
    attribute.optional = true;
    attribute.sensitive = sensitive;
  };
  const Type string = Type::String();
  add(block.attributes, "any", Type::Dynamic());
  add(block.attributes, "flag", Type::Bool());
  add(block.attributes, "list", Type::List(Type::List(string)));
  add(block.attributes, "map", Type::Map(string));
  add(block.attributes, "number", Type::Number());
  add(block.attributes, "object", *TypeFromJson(R"(["object",{"a":"string","b":["map","bool"]}])"));
  add(block.attributes, "other", Type::Dynamic());
  add(block.attributes, "secret", Type::List(string), true);
  add(block.attributes, "set", Type::Set(string));
  add(block.attributes, "text", string);
  add(block.attributes, "tuple", *TypeFromJson(R"(["tuple",["string","number"]])"));
  schema::NestedBlock& nested = block.blocks.emplace_back();
  nested.name = "rule";
  add(nested.block.attributes, "open", string);
  add(nested.block.attributes, "token", string, true);
  block.Finish();
  return block;
}

TEST(StoredValue, IsWrittenLikeTheValue) {
  const schema::Block block = StoredBlock();
  struct Stored {
    const char* json;
    bool read = true;  ///< false: values have to be made
  };
  const Stored cases[] = {
      {"{}"},
      {R"({"text":"plain","flag":true,"number":12})", false},  // not in order
      {R"({"flag":true,"number":12,"text":"plain"})"},
      {"{ \"flag\" : null ,\n\t\"number\":-0.50,\"text\":\"a<b>&\\u003c\\\"\\n\\u00e9\u00e9\" }"},
      {R"({"number":12345678901234567890.5,"text":"\ud83d\ude00\u2028\/"})"},
      {R"({"number":"7","text":7})"},
      {R"({"number":1e3,"text":true})"},
      {R"({"number":-0,"text":"e\u0301 e\u0301"})"},
      {R"({"list":[[],null,["a","b"]],"map":{"a":"1","b":null},"set":["a","b"]})"},
      {R"({"map":{"b":"1","a":"2"},"set":["b","a","b"]})"},
      {R"({"map":{"a\"":"1"},"set":["\u00e9","e"]})"},
      {R"({"map":{"a":"1","a":"2","a ":"3","a!":"4"},"set":[]})"},
      {R"({"object":{"a":"x","b":{"t":true,"u":false}},"tuple":["s",1]})"},
      {R"({"object":{"b":{}}})"},
      {R"({"any":{"value":{"z":[1,"a"],"a":{"k":"v"}},)"
       R"("type":["object",{"a":["map","string"],"z":["tuple",["number","string"]]}]}})",
       false},
      {R"({"any":{"value":{"a":{"k":"v"},"z":[1,"a"]},)"
       R"("type":["object",{"a":["map","string"],"z":["tuple",["number","string"]]}]},)"
       R"("other":{"type":"string","value":"x"}})"},
      {R"({"any":{"value":{"a":{"k":"w"},"z":[2,"b"]},)"
       R"("type":["object",{"a":["map","string"],"z":["tuple",["number","string"]]}]},)"
       R"("other":{"value":"x","type":"string"}})"},
      {R"({"any":{"value":[1],"type":["list","number"]},"other":{"value":3,"type":"number"}})"},
      {R"({"any":{"value":[],"type":["list","dynamic"]},"other":null})"},
      {R"({"rule":[{"open":"o","token":"t"},{"open":null,"token":null},{}],"secret":["s"]})"},
      {R"({"rule":[],"secret":null})"},
      {R"({"text":[]})", false},
      {R"({"tuple":["s"]})", false},
      {R"({"tuple":["s",1,2]})", false},
      {R"({"unknown":1})", false},
      {R"({"text":"a","text":"b"})", false},
      {R"({"any":{"value":1}})", false},
      {R"({"any":{"value":"x","type":"number"}})", false},
      {"null", false},
  };
  StoredValue stored;
  for (int round = 0; round < 2; ++round) {  // the second round uses what the first has cached
    for (const auto& [json, read] : cases) {
      for (const schema::Block* masks : {&block, static_cast<const schema::Block*>(nullptr)}) {
        SCOPED_TRACE(json);
        const std::string text = json;
        ASSERT_EQ(stored.Read(text, block.implied_type(), masks), read);
        if (!read) {
          continue;
        }
        const ValueResult<Value> value = ValueFromJson(text, block.implied_type());
        ASSERT_TRUE(value.has_value());
        EXPECT_EQ(stored.value(), ValueText(*value));
        std::string mask;
        JsonWriter out(mask);
        WriteSensitiveMask(out, *value, masks);
        EXPECT_EQ(stored.mask(), mask);
      }
    }
  }
}

}  // namespace
}  // namespace kinu::view
