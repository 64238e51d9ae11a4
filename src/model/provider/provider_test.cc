#include <cstdlib>
#include <fstream>
#include <map>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "addrs/provider_source.h"
#include "base/files.h"
#include "base/testing/source_directory.h"
#include "provider/builtin.h"
#include "provider/schema_cache.h"
#include "provider/testing/scripted.h"
#include "provider/wire_schema.h"
#include "schema/declarations.h"

namespace kinu::provider {
namespace {

Value Data(Value id, Value input, Value output, Value triggers) {
  return Value::Object({{"id", std::move(id)},
                        {"input", std::move(input)},
                        {"output", std::move(output)},
                        {"triggers_replace", std::move(triggers)}});
}

/// The names of all types of a set in the order of a visit, with those of their blocks.
std::string NamesOf(const schema::ProviderSchema& provider, schema::TypeSet set) {
  std::string out;
  provider.Visit(set, [&](std::string_view name, const schema::Declaration& declaration) {
    out += name;
    for (const schema::DeclaredNestedBlock& nested : declaration.block.blocks) {
      out += &nested == declaration.block.blocks.begin() ? ":" : ",";
      out += nested.name;
    }
    out += ' ';
  });
  return out;
}

/// All that a declaration says, as text.
std::string TextOf(const schema::DeclaredBlock& block);

std::string TextOf(const ArenaList<schema::DeclaredAttribute>& attributes) {
  std::string out;
  for (const schema::DeclaredAttribute& a : attributes) {
    (out += a.name) += '=';
    out += a.nested == nullptr ? std::string(a.type)
                               : std::to_string(static_cast<int>(a.nested->nesting)) + '(' +
                                     TextOf(a.nested->attributes) + ')';
    ((out += a.description) += '/') += a.deprecation_message;
    for (const bool flag : {a.description_kind == schema::TextKind::kMarkdown, a.required,
                            a.optional, a.computed, a.sensitive, a.deprecated, a.write_only}) {
      out += flag ? '1' : '0';
    }
    out += ' ';
  }
  return out;
}

std::string TextOf(const schema::DeclaredBlock& block) {
  std::string out = TextOf(block.attributes);
  for (const schema::DeclaredNestedBlock& nested : block.blocks) {
    (out += nested.name) += ':';
    for (const int64_t number :
         {static_cast<int64_t>(nested.nesting), nested.min_items, nested.max_items}) {
      out += std::to_string(number) + ',';
    }
    out += '{' + TextOf(nested.block) + "} ";
  }
  ((out += block.description) += '/') += block.deprecation_message;
  out += block.description_kind == schema::TextKind::kMarkdown ? 'm' : 'p';
  return out += block.deprecated ? '1' : '0';
}

std::string TextOf(const schema::Declaration& declaration) {
  return std::to_string(declaration.version) + ' ' + TextOf(declaration.block);
}

const Value kNullString = Value::Null(Type::String());

// --- terraform_data. ---

class TerraformData : public ::testing::Test {
 protected:
  PlanResponse Plan(const Value& prior, const Value& proposed) {
    PlanRequest request;
    request.type = "terraform_data";
    request.prior = prior;
    request.proposed = proposed;
    request.config = proposed;
    return provider_->PlanResourceChange(request, problems_);
  }
  Value Apply(const Value& planned) {
    ApplyRequest request;
    request.type = "terraform_data";
    request.planned = planned;
    return provider_->ApplyResourceChange(request, problems_).state;
  }

  std::unique_ptr<Provider> provider_ = MakeBuiltInProvider();
  Problems problems_;
};

TEST_F(TerraformData, Create) {
  Value input = Value::Object({{"a", Value::Int(1)}});
  Value planned = Plan({}, Data(kNullString, input, {}, {})).planned;
  EXPECT_FALSE(planned.Attribute("id").IsKnown());
  EXPECT_TRUE(planned.Attribute("id").refinements().not_null);
  EXPECT_FALSE(planned.Attribute("output").IsKnown());
  EXPECT_EQ(planned.Attribute("output").type(), input.type());
  Value state = Apply(planned);
  EXPECT_EQ(state.Attribute("id").AsString().size(), 36U);
  EXPECT_TRUE(Value::RawEquals(state.Attribute("output"), input));
}

TEST_F(TerraformData, CreateWithoutInput) {
  Value planned = Plan({}, Data(kNullString, {}, {}, {})).planned;
  EXPECT_TRUE(planned.Attribute("output").IsNull());
  EXPECT_TRUE(Apply(planned).Attribute("output").IsNull());
}

TEST_F(TerraformData, UpdateOfInputKeepsTheId) {
  Value prior = Data(Value::String("x"), Value::String("a"), Value::String("a"), {});
  auto same = Plan(prior, prior);
  EXPECT_TRUE(Value::RawEquals(same.planned, prior));
  auto changed = Plan(prior, Data(Value::String("x"), Value::Int(2), Value::String("a"), {}));
  EXPECT_TRUE(changed.requires_replace.empty());
  EXPECT_EQ(changed.planned.Attribute("id").AsString(), "x");
  EXPECT_FALSE(changed.planned.Attribute("output").IsKnown());
  EXPECT_EQ(changed.planned.Attribute("output").type(), Type::Number());
  EXPECT_EQ(Apply(changed.planned).Attribute("output").AsInt64(), 2);
}

TEST_F(TerraformData, ChangedTriggersReplace) {
  Value prior = Data(Value::String("x"), {}, {}, Value::String("1"));
  auto changed = Plan(prior, Data(Value::String("x"), {}, {}, Value::String("2")));
  ASSERT_EQ(changed.requires_replace.size(), 1U);
  EXPECT_EQ(changed.requires_replace[0].ToText(), ".triggers_replace");
  EXPECT_FALSE(changed.planned.Attribute("id").IsKnown());
}

TEST_F(TerraformData, DestroyIsNull) {
  Value null = Value::Null(Type::Dynamic());
  EXPECT_TRUE(Plan(Data(Value::String("x"), {}, {}, {}), null).planned.IsNull());
  EXPECT_TRUE(Apply(null).IsNull());
}

TEST_F(TerraformData, ReadOnlyAttributes) {
  provider_->ValidateResourceConfig(
      "terraform_data", Data(Value::String("x"), {}, Value::String("y"), {}), problems_);
  ASSERT_EQ(problems_.size(), 2U);
  EXPECT_EQ(problems_[0].summary, "\"id\" attribute is read-only");
}

TEST_F(TerraformData, UpgradeImportAndMove) {
  RawState raw;
  raw.json = R"({"id":"i","input":{"value":"a","type":"string"},"output":null,
                 "triggers_replace":null})";
  Value state = provider_->UpgradeResourceState("terraform_data", 0, raw, problems_);
  EXPECT_TRUE(problems_.empty());
  EXPECT_EQ(state.Attribute("input").AsString(), "a");
  auto imported = provider_->ImportResourceState("terraform_data", "the-id", {}, problems_);
  ASSERT_EQ(imported.size(), 1U);
  EXPECT_EQ(imported[0].state.Attribute("id").AsString(), "the-id");
  MoveRequest move;
  move.source_type = "null_resource";
  move.target_type = "terraform_data";
  move.source_state.json = R"({"id":"7","triggers":{"a":"b"}})";
  Value moved = provider_->MoveResourceState(move, problems_).state;
  EXPECT_TRUE(problems_.empty());
  EXPECT_EQ(moved.Attribute("triggers_replace").Attribute("a").AsString(), "b");
  move.source_type = "other";
  provider_->MoveResourceState(move, problems_);
  EXPECT_TRUE(HasErrors(problems_));
}

TEST(BuiltIn, Schema) {
  const schema::ProviderSchema& schema = BuiltInSchema();
  EXPECT_EQ(NamesOf(schema, schema::TypeSet::kResources), "terraform_data ");
  EXPECT_EQ(NamesOf(schema, schema::TypeSet::kData), "terraform_remote_state ");
  EXPECT_EQ(schema.FunctionNames(),
            (std::vector<std::string>{"decode_tfvars", "encode_expr", "encode_tfvars"}));
  EXPECT_EQ(schema.FindResource("nothing"), nullptr);
}

// --- The scripted provider. ---

class Scripted : public ::testing::Test {
 protected:
  void SetUp() override {
    testing::Script& script = source_.Add(kAddress);
    testing::FillWithTestThings(script);
    script_ = &script;
    provider_ = *source_.Start(kAddress);
  }
  Value Thing(std::string_view id, std::string_view name, std::string_view force) {
    const std::map<std::string_view, std::string_view> texts = {
        {"id", id}, {"name", name}, {"force", force}};
    const Type& type = provider_->schema().FindResource("test_thing")->block.implied_type();
    std::vector<Value> values;
    for (const ObjectAttribute& attribute : type.attributes()) {
      const auto given = texts.find(attribute.name);
      const std::string_view text = given == texts.end() ? "" : given->second;
      values.push_back(text.empty() ? Value::Null(attribute.type) : Value::String(text));
    }
    return Value::ObjectOf(type, std::move(values));
  }
  Value Create(std::string_view name) {
    PlanRequest plan;
    plan.type = "test_thing";
    plan.proposed = Thing("", name, "");
    plan.config = plan.proposed;
    ApplyRequest apply;
    apply.type = plan.type;
    apply.config = plan.config;
    apply.planned = provider_->PlanResourceChange(plan, problems_).planned;
    return provider_->ApplyResourceChange(apply, problems_).state;
  }

  static constexpr const char* kAddress = "registry.opentofu.org/x/test";
  testing::ScriptedSource source_;
  testing::Script* script_ = nullptr;
  std::unique_ptr<Provider> provider_;
  Problems problems_;
};

TEST_F(Scripted, CreatesPredictably) {
  Value state = Create("a");
  EXPECT_EQ(state.Attribute("id").AsString(), "id-a");
  EXPECT_EQ(state.Attribute("output").AsString(), "output-a");
  EXPECT_EQ(script_->CallLines(), (std::vector<std::string>{"PlanResourceChange test_thing a",
                                                            "ApplyResourceChange test_thing a"}));
}

TEST_F(Scripted, ReplacesAndFailsAsTold) {
  PlanRequest plan;
  plan.type = "test_thing";
  plan.prior = Thing("1", "a", "x");
  plan.proposed = Thing("1", "a", "y");
  plan.config = Thing("", "a", "y");
  auto planned = provider_->PlanResourceChange(plan, problems_);
  ASSERT_EQ(planned.requires_replace.size(), 1U);
  EXPECT_FALSE(planned.planned.Attribute("output").IsKnown());
  EXPECT_EQ(planned.planned.Attribute("id").AsString(), "1");
  script_->types["test_thing"].failures = {"ApplyResourceChange b"};
  Create("a");
  EXPECT_FALSE(HasErrors(problems_));
  Create("b");
  EXPECT_TRUE(HasErrors(problems_));
}

TEST_F(Scripted, WaitsUntilReleased) {
  script_->types["test_thing"].waits = {"ApplyResourceChange a"};
  std::thread thread([&] { Create("a"); });
  script_->AwaitWaiting("ApplyResourceChange a");
  EXPECT_EQ(script_->CountCalls("ApplyResourceChange"), 1U);
  script_->Release("ApplyResourceChange a");
  thread.join();
}

TEST_F(Scripted, BuiltInIsThereAndOthersAreNot) {
  EXPECT_TRUE(source_.Schema(kBuiltInProvider));
  EXPECT_FALSE(source_.Schema("registry.opentofu.org/x/nothing"));
}

// --- Schemas as bytes. ---

std::string Protoc(int protocol, const std::string& message, const std::string& text) {
  std::string base = ::testing::TempDir() + "/kinu-schema-" + std::to_string(getpid());
  std::ofstream(base + ".in", std::ios::binary) << text;
  std::string file = "tfplugin" + std::to_string(protocol);
  std::string command = "protoc --encode=" + file + '.' + message + " -I " + SourceDirectory() +
                        "/proto " + SourceDirectory() + "/proto/" + file + ".proto < " + base +
                        ".in > " + base + ".out";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return ReadFile(base + ".out").value_or("");
}

constexpr const char* kSchemaText = R"(
  provider { block { attributes { name: "region" type: "\"string\"" optional: true } } }
  provider_meta { block { attributes { name: "module" type: "\"string\"" optional: true } } }
  server_capabilities { plan_destroy: true move_resource_state: true }
  resource_schemas { key: "x_b" value { version: 3 block {
    description: "text" description_kind: MARKDOWN deprecated: true
    attributes { name: "tags" type: "[\"map\",\"string\"]" optional: true sensitive: true }
    attributes { name: "id" type: "\"string\"" computed: true WRITE_ONLY }
    block_types { type_name: "disk" nesting: LIST max_items: 2 block {
      attributes { name: "size" type: "\"number\"" required: true }
      block_types { type_name: "inner" nesting: GROUP block {} } } }
    block_types { type_name: "any" nesting: MAP block {
      attributes { name: "v" type: "\"dynamic\"" required: true } } } } } }
  resource_schemas { key: "x_a" value { block { NESTED } } }
  data_source_schemas { key: "x_a" value { version: 9 block {} } }
  ephemeral_resource_schemas { key: "x_e" value { block {} } }
  functions { key: "f" value { parameters { name: "p" type: "\"bool\"" allow_null_value: true }
    variadic_parameter { name: "rest" type: "\"string\"" } return { type: "[\"list\",\"string\"]" }
    summary: "s" deprecation_message: "old" } })";

RawSchema Encoded(int protocol, std::string nested) {
  std::string text = kSchemaText;
  text.replace(text.find("WRITE_ONLY"), 10, "write_only: true deprecation_message: \"gone\"");
  text.replace(text.find("NESTED"), 6, nested);
  auto bytes = std::make_shared<std::string>(Protoc(protocol, "GetProviderSchema.Response", text));
  RawSchema raw;
  raw.protocol = protocol;
  raw.schema = *bytes;
  raw.owner = bytes;
  return raw;
}

TEST(WireSchema, BothProtocols) {
  for (int protocol : {5, 6}) {
    RawSchema raw = Encoded(protocol, "");
    EXPECT_TRUE(CheckWireSchema(raw));
    auto schema = *OpenWireSchema(raw);
    EXPECT_EQ(NamesOf(*schema, schema::TypeSet::kResources), "x_a x_b:any,disk ");
    EXPECT_EQ(NamesOf(*schema, schema::TypeSet::kData), "x_a ");
    EXPECT_EQ(NamesOf(*schema, schema::TypeSet::kEphemeral), "x_e ");
    EXPECT_EQ(NamesOf(*schema, schema::TypeSet::kIdentities), "");
    EXPECT_TRUE(schema->capabilities().plan_destroy);
    EXPECT_FALSE(schema->capabilities().get_provider_schema_optional);
    EXPECT_NE(schema->provider_config().block.FindAttribute("region"), nullptr);
    EXPECT_NE(schema->provider_meta()->block.FindAttribute("module"), nullptr);
    const schema::ResourceSchema* b = schema->FindResource("x_b");
    ASSERT_NE(b, nullptr);
    EXPECT_EQ(b, schema->FindResource("x_b"));
    EXPECT_EQ(b->version, 3);
    EXPECT_TRUE(b->block.deprecated);
    EXPECT_EQ(b->block.description_kind, schema::TextKind::kMarkdown);
    EXPECT_TRUE(b->block.FindAttribute("id")->write_only);
    EXPECT_EQ(b->block.FindAttribute("id")->deprecation_message, "gone");
    EXPECT_TRUE(b->block.FindAttribute("tags")->sensitive);
    EXPECT_EQ(b->block.FindBlock("disk")->max_items, 2);
    EXPECT_EQ(b->block.FindBlock("disk")->block.FindBlock("inner")->nesting,
              schema::Nesting::kGroup);
    EXPECT_EQ(TypeToJson(b->block.implied_type()),
              R"(["object",{"any":"dynamic","disk":["list",["object",{"inner":["object",{}],)"
              R"("size":"number"}]],"id":"string","tags":["map","string"]}])");
    EXPECT_EQ(schema->FindData("x_a")->version, 0);
    EXPECT_NE(schema->FindEphemeral("x_e"), nullptr);
    const schema::FunctionSignature* f = schema->FindFunction("f");
    ASSERT_NE(f, nullptr);
    EXPECT_TRUE(f->parameters[0].allow_null);
    EXPECT_EQ(f->variadic->name, "rest");
    EXPECT_EQ(f->return_type, Type::List(Type::String()));
    EXPECT_EQ(f->deprecation_message, "old");
    EXPECT_EQ(schema->FindResource("x_c"), nullptr);
  }
}

TEST(WireSchema, NestedAttributesAndIdentity) {
  RawSchema raw = Encoded(6, R"(attributes { name: "n" optional: true nested_type { nesting: MAP
      attributes { name: "z" type: "\"string\"" optional: true }
      attributes { name: "a" type: "\"number\"" computed: true } } })");
  auto identities = std::make_shared<std::string>(
      Protoc(6, "GetResourceIdentitySchemas.Response", R"(identity_schemas { key: "x_a" value {
        version: 4 identity_attributes { name: "arn" type: "\"string\"" required_for_import: true }
      } })"));
  raw.identities = *identities;
  auto schema = *OpenWireSchema(raw);
  const schema::ResourceSchema* a = schema->FindResource("x_a");
  const schema::Attribute* n = a->block.FindAttribute("n");
  ASSERT_NE(n->nested, nullptr);
  EXPECT_EQ(n->nested->attributes[0].name, "a");
  EXPECT_EQ(TypeToJson(n->type), R"(["map",["object",{"a":"number","z":"string"}]])");
  EXPECT_EQ(a->identity_version, 4);
  EXPECT_EQ(TypeToJson(a->identity_type), R"(["object",{"arn":"string"}])");
  EXPECT_EQ(schema->FindResource("x_b")->identity, nullptr);
  EXPECT_EQ(NamesOf(*schema, schema::TypeSet::kIdentities), "x_a ");
}

TEST(WireSchema, DeclarationsAreThoseOfTheSchema) {
  const RawSchema raw = Encoded(6, R"(description: "d" deprecation_message: "old"
      attributes { name: "n" optional: true nested_type { nesting: MAP
        attributes { name: "z" type: "\"string\"" optional: true description: "of z" }
        attributes { name: "a" type: "\"number\"" computed: true description_kind: MARKDOWN } } }
      attributes { name: "m" optional: true
        type: "[\"object\", {\"y\": \"bool\", \"x\": \"number\"}, [\"x\"]]" }
      attributes { name: "l" type: "[\"list\",[\"object\",{\"x\":\"number\"}]]" deprecated: true }
      block_types { type_name: "z" nesting: LIST min_items: 1 max_items: 3 block {} }
      block_types { type_name: "n" nesting: LIST block {} }
      block_types { type_name: "b" nesting: SET block {
        block_types { type_name: "y" nesting: SINGLE block {} }
        block_types { type_name: "c" nesting: LIST block { deprecated: true } } } })");
  const auto schema = *OpenWireSchema(raw);
  size_t types = 0;
  for (const auto& [set, find] :
       {std::pair(schema::TypeSet::kResources, &schema::ProviderSchema::FindResource),
        std::pair(schema::TypeSet::kData, &schema::ProviderSchema::FindData),
        std::pair(schema::TypeSet::kEphemeral, &schema::ProviderSchema::FindEphemeral)}) {
    schema->Visit(set, [&](std::string_view name, const schema::Declaration& declaration) {
      Arena arena;
      const schema::ResourceSchema& decoded = *((*schema).*find)(name);
      EXPECT_EQ(TextOf(declaration), TextOf(schema::Declare(decoded, arena))) << name;
      ++types;
    });
  }
  EXPECT_EQ(types, 4U);
  schema->Visit(schema::TypeSet::kResources, [&](std::string_view name, const auto& declaration) {
    if (name == "x_a") {
      EXPECT_EQ(TextOf(declaration),
                R"(0 l=["list",["object",{"x":"number"}]]/0000010 )"
                R"(m=["object",{"x":"number","y":"bool"}]/0010000 )"
                R"(n=4(a="number"/1001000 z="string"of z/0010000 )/0010000 )"
                R"(b:3,0,0,{c:2,0,0,{/p1} y:0,0,0,{/p0} /p0} z:2,1,3,{/p0} d/oldp0)");
    }
  });
}

TEST(WireSchema, RejectsWhatBreaksTheRules) {
  const char* cases[] = {
      R"(attributes { name: "x" type: "\"string\"" })",
      R"(attributes { name: "x" type: "\"string\"" optional: true required: true })",
      R"(attributes { name: "x" type: "\"strung\"" optional: true })",
      R"(block_types { type_name: "Upper" nesting: LIST block {} })",
      R"(block_types { type_name: "b" nesting: LIST min_items: 3 max_items: 2 block {} })",
      R"(block_types { type_name: "b" nesting: SINGLE min_items: 1 block {} })",
      R"(block_types { type_name: "b" nesting: SET block {
           attributes { name: "d" type: "\"dynamic\"" optional: true } } })",
      R"(block_types { type_name: "b" block {} })",
  };
  for (const char* text : cases) {
    EXPECT_FALSE(CheckWireSchema(Encoded(6, text))) << text;
  }
  RawSchema raw;
  raw.schema = "\x0a\x7fxx";
  EXPECT_FALSE(OpenWireSchema(raw));
}

TEST(WireSchema, SurvivesDamage) {
  RawSchema raw = Encoded(6, R"(attributes { name: "n" optional: true nested_type { nesting: MAP
      attributes { name: "z" type: "\"string\"" optional: true } } })");
  const std::string good(raw.schema);
  int usable = 0;
  const auto check = [&usable](const RawSchema& damaged) {
    usable += CheckWireSchema(damaged) ? 1 : 0;
    if (const auto schema = OpenWireSchema(damaged)) {
      (void)NamesOf(**schema, schema::TypeSet::kResources);
    }
  };
  for (size_t i = 0; i < good.size(); ++i) {
    for (char change : {'\x01', '\x80', '\xff'}) {
      std::string bytes = good;
      bytes[i] = static_cast<char>(bytes[i] ^ change);
      RawSchema damaged;
      damaged.schema = bytes;
      check(damaged);
      damaged.schema = std::string_view(bytes).substr(0, i);
      check(damaged);
    }
  }
  EXPECT_GT(usable, 0);
  EXPECT_LT(usable, static_cast<int>(good.size()) * 6);
}

// --- The cache. ---

TEST(SchemaCache, StoresAndFinds) {
  std::string directory = ::testing::TempDir() + "/kinu-cache-" + RandomUuid();
  SchemaCache cache(directory + "/deeper");
  RawSchema raw;
  raw.protocol = 5;
  raw.schema = "schema bytes";
  raw.identities = "identity bytes";
  EXPECT_FALSE(cache.Find("h1:a"));
  cache.Store("h1:a", raw);
  auto found = cache.Find("h1:a");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->protocol, 5);
  EXPECT_EQ(found->schema, raw.schema);
  EXPECT_EQ(found->identities, raw.identities);
  EXPECT_FALSE(cache.Find("h1:b"));
  EXPECT_FALSE(cache.FindNote("key"));
  cache.StoreNote("key", "text");
  EXPECT_EQ(cache.FindNote("key"), "text");
  // Files stay readable for later versions: this is their layout.
  const std::string header(
      "kinu schema1\5\0\0\0\x0c\0\0\0\0\0\0\0\x0e\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0", 40);
  size_t recorded = 0;
  const std::vector<std::string> names = ListDirectory(directory + "/deeper").value();
  for (const std::string& name : names) {
    recorded +=
        *ReadFile(directory + "/deeper/" + name) == header + "h1:aschema bytesidentity bytes";
  }
  EXPECT_EQ(recorded, 1u);
  // A file of another layout is not used.
  for (const std::string& name : names) {
    std::string content = *ReadFile(directory + "/deeper/" + name);
    if (content.starts_with("kinu schema1")) {
      content[11] = '2';
      ASSERT_TRUE(ReplaceFile(directory + "/deeper/" + name, content, 0600));
    }
  }
  EXPECT_FALSE(cache.Find("h1:a"));
  cache.Store("h1:a", raw);
  EXPECT_TRUE(cache.Find("h1:a"));
  // A directory that other users can write to is not used.
  chmod((directory + "/deeper").c_str(), 0777);
  EXPECT_FALSE(cache.Find("h1:a"));
  EXPECT_FALSE(SchemaCache("").Find("h1:a"));
}

}  // namespace
}  // namespace kinu::provider
