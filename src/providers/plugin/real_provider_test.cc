// Tests with real provider processes: protocol 6 (kinutest, tests/providers) and protocol 5
// (hashicorp/time), with and without TLS. Skipped on machines that cannot build the providers.
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files.h"
#include "cty/json.h"
#include "plugin/plugin_provider.h"
#include "provider/wire_schema.h"
#include "schema/marks.h"

namespace kinu::plugin {
namespace {

using provider::Problems;

std::string TextOf(const Problems& problems) {
  std::string out;
  for (const provider::Problem& problem : problems) {
    out += problem.summary + ": " + problem.detail + '\n';
  }
  return out;
}

/// An object of the block's type. Attributes that are not given are null or empty.
Value ObjectWith(const schema::Block& block, std::vector<std::pair<std::string, Value>> given) {
  std::vector<std::pair<std::string, Value>> attributes;
  Value empty = block.EmptyValue();
  for (size_t i = 0; i < empty.size(); ++i) {
    attributes.emplace_back(empty.key(i), empty.elements()[i]);
  }
  attributes.insert(attributes.end(), given.begin(), given.end());
  return Value::Object(std::move(attributes));
}

/// How the program connects to the provider.
enum class Connection { kPrivate, kPlain, kTls };

class RealProvider : public ::testing::TestWithParam<Connection> {
 protected:
  void SetUp() override {
    unsetenv("TF_DISABLE_PLUGIN_TLS");
    unsetenv("KINU_PLUGIN_TLS");
    if (GetParam() == Connection::kPlain) {
      setenv("TF_DISABLE_PLUGIN_TLS", "1", 1);
    } else if (GetParam() == Connection::kTls) {
      setenv("KINU_PLUGIN_TLS", "1", 1);
    }
  }

  /// Starts a provider of the mirror and sets its schema. Null if the mirror does not have it.
  static std::unique_ptr<PluginProvider> Start(const std::string& place, const std::string& name) {
    std::string executable = KINU_TEST_MIRROR "/registry.opentofu.org/" + place + '/' + name;
    if (!FileExists(executable)) {
      return nullptr;
    }
    auto started = PluginProvider::Start(
        {.address = "registry.opentofu.org/kinu/kinutest", .executable = executable});
    EXPECT_TRUE(started) << started.error().message;
    auto raw = (*started)->FetchSchema();
    EXPECT_TRUE(raw) << raw.error().message;
    auto checked = provider::CheckWireSchema(*raw);
    EXPECT_TRUE(checked) << checked.error().message;
    auto schema = provider::OpenWireSchema(*raw);
    EXPECT_TRUE(schema) << schema.error().message;
    (*started)->UseSchema(*schema);
    return *std::move(started);
  }
  static std::unique_ptr<PluginProvider> StartKinutest() {
    return Start("kinu/kinutest/1.0.0/linux_amd64", "terraform-provider-kinutest_v1.0.0");
  }
};

#define START_OR_SKIP(provider, expression)                                        \
  auto provider = expression;                                                      \
  if (provider == nullptr) {                                                       \
    GTEST_SKIP() << "the test providers are not built (tests/providers/build.sh)"; \
  }

TEST_P(RealProvider, LifeOfAResource) {
  START_OR_SKIP(provider, StartKinutest());
  EXPECT_EQ(provider->protocol(), 6);
  const schema::ResourceSchema* thing = provider->schema().FindResource("kinutest_thing");
  ASSERT_NE(thing, nullptr);
  EXPECT_EQ(thing->version, 2);
  EXPECT_TRUE(thing->block.FindAttribute("secret")->sensitive);
  EXPECT_TRUE(thing->block.FindAttribute("password")->write_only);
  EXPECT_TRUE(thing->block.FindAttribute("behave")->deprecated);
  ASSERT_NE(thing->block.FindAttribute("rules")->nested, nullptr);
  EXPECT_EQ(thing->block.FindAttribute("rules")->nested->nesting, schema::Nesting::kList);
  EXPECT_EQ(thing->block.FindBlock("label")->nesting, schema::Nesting::kSet);

  Problems problems;
  Value provider_config =
      ObjectWith(provider->schema().provider_config().block, {{"prefix", Value::String("real")}});
  provider->ValidateProviderConfig(provider_config, problems);
  provider->Configure(provider_config, problems);
  ASSERT_TRUE(problems.empty()) << TextOf(problems);

  Value config =
      ObjectWith(thing->block, {{"name", Value::String("one")},
                                {"password", Value::String("hidden")},
                                {"rules", Value::Null(thing->block.FindAttribute("rules")->type)}});
  provider->ValidateResourceConfig("kinutest_thing", config, problems);
  ASSERT_TRUE(problems.empty()) << TextOf(problems);
  Value bad = ObjectWith(thing->block, {{"name", Value::String("invalid")}});
  provider->ValidateResourceConfig("kinutest_thing", bad, problems);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].summary, "Invalid name");
  EXPECT_EQ(problems[0].attribute->ToText(), ".name");
  problems.clear();

  // Create. The proposed value has no write-only attribute.
  provider::PlanRequest plan;
  plan.type = "kinutest_thing";
  plan.prior = Value::Null(thing->block.implied_type());
  plan.config = config;
  plan.proposed = ObjectWith(thing->block, {
                                               {"name", Value::String("one")},
                                           });
  auto planned = provider->PlanResourceChange(plan, problems);
  ASSERT_TRUE(problems.empty()) << TextOf(problems);
  EXPECT_FALSE(planned.planned.Attribute("id").IsKnown());
  EXPECT_EQ(planned.planned.Attribute("size").AsInt64(), 1);
  EXPECT_FALSE(planned.legacy_type_system);

  provider::ApplyRequest apply;
  apply.type = "kinutest_thing";
  apply.prior = plan.prior;
  apply.planned = planned.planned;
  apply.config = config;
  apply.private_data = planned.private_data;
  auto applied = provider->ApplyResourceChange(apply, problems);
  ASSERT_TRUE(problems.empty()) << TextOf(problems);
  EXPECT_EQ(applied.state.Attribute("id").AsString(), "real-one");
  EXPECT_TRUE(applied.state.Attribute("password").IsNull());
  EXPECT_FALSE(applied.private_data.empty());

  // Read the object, then plan a change that requires replacement.
  provider::ReadRequest read;
  read.type = "kinutest_thing";
  read.prior = applied.state;
  read.private_data = applied.private_data;
  auto was_read = provider->ReadResource(read, problems);
  ASSERT_TRUE(problems.empty()) << TextOf(problems);
  EXPECT_TRUE(Value::RawEquals(was_read.state, applied.state));
  EXPECT_EQ(was_read.private_data, applied.private_data);

  plan.prior = applied.state;
  plan.private_data = applied.private_data;
  plan.config = ObjectWith(thing->block, {{"name", Value::String("two")}});
  std::vector<std::pair<std::string, Value>> renamed = {
      {"name", Value::String("two")},
      {"id", applied.state.Attribute("id")},
      {"revision", applied.state.Attribute("revision")}};
  plan.proposed = ObjectWith(thing->block, renamed);
  auto replaced = provider->PlanResourceChange(plan, problems);
  ASSERT_TRUE(problems.empty()) << TextOf(problems);
  ASSERT_EQ(replaced.requires_replace.size(), 1U);
  EXPECT_EQ(replaced.requires_replace[0].ToText(), ".name");

  // Upgrade the stored state.
  auto json = ValueToJson(applied.state, thing->block.implied_type());
  ASSERT_TRUE(json);
  provider::RawState raw;
  raw.json = *json;
  Value upgraded = provider->UpgradeResourceState("kinutest_thing", 2, raw, problems);
  EXPECT_TRUE(Value::RawEquals(upgraded, applied.state)) << TextOf(problems);
  raw.json = R"({"id":"old-1","title":"old"})";
  upgraded = provider->UpgradeResourceState("kinutest_thing", 1, raw, problems);
  ASSERT_TRUE(problems.empty()) << TextOf(problems);
  EXPECT_EQ(upgraded.Attribute("name").AsString(), "old");

  auto imported = provider->ImportResourceState("kinutest_thing", "abc", {}, problems);
  ASSERT_EQ(imported.size(), 1U) << TextOf(problems);
  EXPECT_EQ(imported[0].state.Attribute("id").AsString(), "abc");
  provider->Close();
}

TEST_P(RealProvider, OtherKindsOfObjects) {
  START_OR_SKIP(provider, StartKinutest());
  Problems problems;
  provider->Configure(ObjectWith(provider->schema().provider_config().block, {}), problems);
  const schema::ResourceSchema* lookup = provider->schema().FindData("kinutest_lookup");
  ASSERT_NE(lookup, nullptr);
  Value anything = Value::Object({{"k", Value::Tuple({Value::Int(1), Value::True()})}});
  Value found = provider->ReadDataSource(
      "kinutest_lookup", "",
      ObjectWith(lookup->block, {{"key", Value::String("abc")}, {"anything", anything}}), {},
      problems);
  ASSERT_TRUE(problems.empty()) << TextOf(problems);
  EXPECT_TRUE(Value::RawEquals(found.Attribute("echo"), anything));
  EXPECT_EQ(found.Attribute("value").AsString(), "ABC");

  const schema::ResourceSchema* token = provider->schema().FindEphemeral("kinutest_token");
  ASSERT_NE(token, nullptr);
  auto opened = provider->OpenEphemeral(
      "kinutest_token", ObjectWith(token->block, {{"name", Value::String("x")}}), problems);
  EXPECT_EQ(opened.result.Attribute("token").AsString(), "token-x");
  EXPECT_TRUE(opened.renew_at.has_value());
  auto renewed = provider->RenewEphemeral("kinutest_token", opened.private_data, problems);
  provider->CloseEphemeral("kinutest_token", renewed.private_data, problems);
  EXPECT_TRUE(problems.empty()) << TextOf(problems);

  const schema::FunctionSignature* shout = provider->schema().FindFunction("shout");
  ASSERT_NE(shout, nullptr);
  ASSERT_EQ(shout->parameters.size(), 1U);
  ASSERT_NE(shout->variadic, nullptr);
  int argument = 0;
  std::vector<Value> words = {Value::String("a"), Value::Null(Type::String()), Value::String("b")};
  auto text = provider->CallFunction("shout", words, &argument);
  ASSERT_TRUE(text) << text.error();
  EXPECT_EQ(text->AsString(), "A B");
  words = {Value::String("")};
  text = provider->CallFunction("shout", words, &argument);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error(), "there is nothing to shout");
  EXPECT_EQ(argument, 0);
}

TEST_P(RealProvider, FunctionsOfTheConfiguredProvider) {
  START_OR_SKIP(provider, StartKinutest());
  Problems problems;
  EXPECT_EQ(provider->schema().FindFunction("prefixed"), nullptr);
  provider->Configure(
      ObjectWith(provider->schema().provider_config().block, {{"prefix", Value::String("p")}}),
      problems);
  ASSERT_TRUE(problems.empty()) << TextOf(problems);
  ASSERT_NE(provider->ConfiguredFunction("prefixed"), nullptr);
  int argument = 0;
  const std::vector<Value> words = {Value::String("x")};
  auto text = provider->CallFunction("prefixed", words, &argument);
  ASSERT_TRUE(text) << text.error();
  EXPECT_EQ(text->AsString(), "p-x");
}

TEST_P(RealProvider, ManyCallsAtOnce) {
  START_OR_SKIP(provider, StartKinutest());
  const schema::ResourceSchema* lookup = provider->schema().FindData("kinutest_lookup");
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int i = 0; i < 10; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 50; ++k) {
        Problems problems;
        std::string key = "k" + std::to_string(i * 100 + k);
        Value found = provider->ReadDataSource(
            "kinutest_lookup", "", ObjectWith(lookup->block, {{"key", Value::String(key)}}), {},
            problems);
        key[0] = 'K';
        right += problems.empty() && found.Attribute("value").AsString() == key ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(right, 500);
}

TEST_P(RealProvider, CrashIsReported) {
  START_OR_SKIP(provider, StartKinutest());
  Problems problems;
  const schema::ResourceSchema* thing = provider->schema().FindResource("kinutest_thing");
  provider->Configure(ObjectWith(provider->schema().provider_config().block, {}), problems);
  provider::ApplyRequest apply;
  apply.type = "kinutest_thing";
  apply.prior = Value::Null(thing->block.implied_type());
  apply.config =
      ObjectWith(thing->block, {{"name", Value::String("x")}, {"behave", Value::String("crash")}});
  apply.planned = apply.config;
  size_t before = PluginPanics().size();
  auto response = provider->ApplyResourceChange(apply, problems);
  EXPECT_FALSE(response.has_state);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].summary, "Plugin did not respond");
  provider->Close();
  auto panics = PluginPanics();
  ASSERT_EQ(panics.size(), before + 1);
  EXPECT_EQ(panics.back().name, "kinutest");
  EXPECT_TRUE(panics.back().trace.starts_with("panic: crashed as told")) << panics.back().trace;
}

TEST_P(RealProvider, ProtocolFive) {
  START_OR_SKIP(provider,
                Start("hashicorp/time/0.13.1/linux_amd64", "terraform-provider-time_v0.13.1_x5"));
  EXPECT_EQ(provider->protocol(), 5);
  const schema::ResourceSchema* offset = provider->schema().FindResource("time_offset");
  ASSERT_NE(offset, nullptr);
  Problems problems;
  provider->Configure(Value::EmptyObject(), problems);
  provider::PlanRequest plan;
  plan.type = "time_offset";
  plan.prior = Value::Null(offset->block.implied_type());
  plan.config = ObjectWith(offset->block, {{"base_rfc3339", Value::String("2020-01-01T00:00:00Z")},
                                           {"offset_days", Value::Int(1)}});
  plan.proposed = plan.config;
  auto planned = provider->PlanResourceChange(plan, problems);
  ASSERT_TRUE(problems.empty()) << TextOf(problems);
  provider::ApplyRequest apply;
  apply.type = plan.type;
  apply.prior = plan.prior;
  apply.config = plan.config;
  apply.planned = planned.planned;
  apply.private_data = planned.private_data;
  auto applied = provider->ApplyResourceChange(apply, problems);
  ASSERT_TRUE(problems.empty()) << TextOf(problems);
  EXPECT_EQ(applied.state.Attribute("rfc3339").AsString(), "2020-01-02T00:00:00Z");
  int argument = 0;
  std::vector<Value> arguments = {Value::String("2020-01-01T00:00:00Z")};
  auto parsed = provider->CallFunction("rfc3339_parse", arguments, &argument);
  ASSERT_TRUE(parsed) << parsed.error();
  EXPECT_EQ(parsed->Attribute("year").AsInt64(), 2020);
}

TEST(AttachedProvider, IsUsedAndLeftAlone) {
  std::string executable = KINU_TEST_MIRROR
      "/registry.opentofu.org/kinu/kinutest/1.0.0/linux_amd64/terraform-provider-kinutest_v1.0.0";
  if (!FileExists(executable)) {
    GTEST_SKIP() << "the test providers are not built (tests/providers/build.sh)";
  }
  auto process = Process::Start(
      {.executable = executable,
       .environment = {"TF_PLUGIN_MAGIC_COOKIE="
                       "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
                       "PLUGIN_PROTOCOL_VERSIONS=6"},
       .on_line = {}});
  ASSERT_TRUE(process) << process.error().message;
  auto handshake = ParseHandshake((*process)->AwaitFirstLine(60'000).value_or(""));
  ASSERT_TRUE(handshake) << handshake.error().message;
  Attachment attachment;
  attachment.protocol = handshake->protocol;
  attachment.network = handshake->network;
  attachment.address = handshake->address;
  attachment.pid = (*process)->pid();
  attachment.test = true;
  for (int round = 0; round < 2; ++round) {
    auto attached = PluginProvider::Attach("registry.opentofu.org/kinu/kinutest", attachment);
    ASSERT_TRUE(attached) << attached.error().message;
    auto raw = (*attached)->FetchSchema();
    ASSERT_TRUE(raw) << raw.error().message;
    (*attached)->Close();
    EXPECT_FALSE((*process)->exited());
  }
  (*process)->Kill();
  ASSERT_TRUE((*process)->AwaitExit(10'000));
  auto gone = PluginProvider::Attach("registry.opentofu.org/kinu/kinutest", attachment);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().message, "Reattachment process not found");
  unlink(attachment.address.c_str());
}

/// Sets a fault of the test provider for the life of this object.
class Fault {
 public:
  explicit Fault(const char* fault) { setenv("KINUTEST_FAULT", fault, 1); }
  Fault(const Fault&) = delete;
  Fault& operator=(const Fault&) = delete;
  ~Fault() { unsetenv("KINUTEST_FAULT"); }
};

TEST_P(RealProvider, MovesObjectsOfOtherTypes) {
  START_OR_SKIP(provider, StartKinutest());
  provider::MoveRequest move;
  move.source_provider = "terraform.io/builtin/terraform";
  move.source_type = "terraform_data";
  move.source_state.json = R"({"id":"1","input":{"value":"x","type":"string"}})";
  move.target_type = "kinutest_thing";
  Problems problems;
  provider::ImportedObject moved = provider->MoveResourceState(move, problems);
  ASSERT_TRUE(problems.empty()) << TextOf(problems);
  EXPECT_EQ(moved.state.Attribute("id").AsString(), "1");
  EXPECT_EQ(moved.state.Attribute("name").AsString(), "x");
  EXPECT_FALSE(moved.private_data.empty());

  move.source_state.json = R"({"id":"1","input":{"value":"stuck","type":"string"}})";
  provider->MoveResourceState(move, problems);
  ASSERT_EQ(problems.size(), 1U) << TextOf(problems);
  EXPECT_EQ(problems[0].summary, "Cannot move");
  EXPECT_EQ(problems[0].attribute->ToText(), ".name");
  problems.clear();
  move.source_type = "other";
  provider->MoveResourceState(move, problems);
  EXPECT_TRUE(provider::HasErrors(problems)) << "there is no way from that type";
}

TEST_P(RealProvider, ValuesOfWriteOnlyAttributesAreRefused) {
  Fault fault(
      "UpgradeResourceState=write,ReadResource=write,PlanResourceChange=write,"
      "ApplyResourceChange=write,MoveResourceState=write,ImportResourceState=write");
  START_OR_SKIP(provider, StartKinutest());
  const schema::ResourceSchema* thing = provider->schema().FindResource("kinutest_thing");
  const Type& type = thing->block.implied_type();
  Problems problems;
  auto expect_refusal = [&](const char* call) {
    ASSERT_EQ(problems.size(), 1U) << call << ": " << TextOf(problems);
    EXPECT_EQ(problems[0].summary, "Invalid provider response") << call;
    EXPECT_TRUE(problems[0].sourceless) << call;
    problems.clear();
  };
  provider::RawState raw;
  raw.json = R"({"id":"1","name":"x","disk":[],"label":[]})";
  provider->UpgradeResourceState("kinutest_thing", 2, raw, problems);
  expect_refusal("upgrade");
  const Value object = ObjectWith(
      thing->block,
      {{"id", Value::String("1")}, {"name", Value::String("x")}, {"revision", Value::Int(1)}});
  provider->ReadResource({.type = "kinutest_thing",
                          .prior = object,
                          .private_data = {},
                          .provider_meta = {},
                          .identity = {}},
                         problems);
  expect_refusal("read");
  provider::PlanRequest plan;
  plan.type = "kinutest_thing";
  plan.prior = Value::Null(type);
  plan.config = plan.proposed = ObjectWith(thing->block, {{"name", Value::String("x")}});
  auto planned = provider->PlanResourceChange(plan, problems);
  expect_refusal("plan");
  provider::ApplyRequest apply;
  apply.type = "kinutest_thing";
  apply.prior = plan.prior;
  apply.config = plan.config;
  apply.planned = schema::WithoutWriteOnly(thing->block, planned.planned);
  apply.private_data = planned.private_data;
  EXPECT_TRUE(provider->ApplyResourceChange(apply, problems).has_state);
  expect_refusal("apply");
  provider::MoveRequest move;
  move.source_provider = "terraform.io/builtin/terraform";
  move.source_type = "terraform_data";
  move.source_state.json = R"({"id":"1","input":{"value":"x","type":"string"}})";
  move.target_type = "kinutest_thing";
  provider->MoveResourceState(move, problems);
  expect_refusal("move");
  provider->ImportResourceState("kinutest_thing", "x", {}, problems);
  EXPECT_TRUE(problems.empty()) << "nobody looks at what is imported: " << TextOf(problems);
}

std::string NameOf(const ::testing::TestParamInfo<Connection>& test) {
  constexpr const char* kNames[] = {"Private", "Plain", "Tls"};
  return kNames[static_cast<size_t>(test.param)];
}

INSTANTIATE_TEST_SUITE_P(Connections, RealProvider,
                         ::testing::Values(Connection::kPrivate, Connection::kPlain,
                                           Connection::kTls),
                         NameOf);

}  // namespace
}  // namespace kinu::plugin
