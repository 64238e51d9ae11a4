// The other calls of a provider: imports, upgrades, moves, data, functions, configuration, stop.
#include <future>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "codec/protowire.h"
#include "cty/json.h"
#include "cty/ops.h"
#include "sdk/testing/served.h"

namespace kinu::sdk {
namespace {

using V = v1::Value;

// --- Import, upgrades, moves, identities. ---

TEST(ProviderImport, ByIdAndByIdentity) {
  v1::ManagedResource thing =
      Thing({{.name = "name", .required = true}, {.name = "id", .computed = true}});
  thing.identity = {{.name = "name", .required_for_import = true}};
  thing.import = [](v1::ResourceCall& call) {
    call.private_data = "imported";
    const V name = call.id.empty() ? *call.identity.Find("name") : V::String(call.id);
    return V::Object({{"name", name}});
  };
  Served served(With(std::move(thing)));
  Problems problems;
  auto objects = served->ImportResourceState("t_thing", "x", Value(), problems);
  ASSERT_EQ(objects.size(), 1U) << TextOf(problems);
  EXPECT_EQ(objects[0].state.Attribute("name").AsString(), "x");
  EXPECT_EQ(objects[0].identity.Attribute("name").AsString(), "x");
  EXPECT_EQ(objects[0].private_data, "imported");
  objects = served->ImportResourceState("t_thing", "",
                                        Value::Object({{"name", Value::String("y")}}), problems);
  ASSERT_EQ(objects.size(), 1U) << TextOf(problems);
  EXPECT_EQ(objects[0].state.Attribute("name").AsString(), "y");
}

TEST(ProviderImport, Impossible) {
  Served served(With(Thing({{.name = "name", .required = true}})));
  Problems problems;
  EXPECT_TRUE(served->ImportResourceState("t_thing", "x", Value(), problems).empty());
  EXPECT_TRUE(TextOf(problems).starts_with(
      "error: Resource cannot be imported (Objects of type t_thing cannot be imported.)\n"))
      << TextOf(problems);
}

TEST(ProviderUpgrade, Versions) {
  v1::ManagedResource thing = Thing({{.name = "name", .required = true}});
  thing.schema.version = 2;
  thing.upgrade = [](v1::UpgradeCall& call) {
    EXPECT_EQ(call.version, 1);
    return V::Object({{"name", *call.stored.Find("title")}});
  };
  Served served(With(std::move(thing)));
  Problems problems;
  const auto upgrade = [&](int64_t version, const char* json) {
    return served->UpgradeResourceState("t_thing", version, {.json = json, .flatmap = {}},
                                        problems);
  };
  EXPECT_EQ(upgrade(1, R"({"title":"a"})").Attribute("name").AsString(), "a");
  EXPECT_EQ(upgrade(2, R"({"name":"b"})").Attribute("name").AsString(), "b");
  EXPECT_EQ(upgrade(2, R"({"name":"c","gone":true})").Attribute("name").AsString(), "c");
  EXPECT_EQ(TextOf(problems), "");
}

TEST(ProviderUpgrade, Impossible) {
  Served served(With(Thing({{.name = "name", .required = true}})));
  Problems problems;
  served->UpgradeResourceState("t_thing", 7, {.json = "{}", .flatmap = {}}, problems);
  EXPECT_EQ(TextOf(problems),
            "error: Unable to upgrade the stored object (t_thing cannot read objects of version 7 "
            "of its schema.)\n");
}

TEST(ProviderMove, KnownAndUnknownSources) {
  v1::ManagedResource thing = Thing({{.name = "name", .required = true}});
  thing.move = [](v1::MoveCall& call) {
    return call.source_type == "o_thing" ? V::Object({{"name", *call.source.Find("title")}}) : V();
  };
  Served served(With(std::move(thing)));
  Problems problems;
  provider::MoveRequest request{.source_provider = "example.com/o/o",
                                .source_type = "o_thing",
                                .source_state = {.json = R"({"title":"a"})", .flatmap = {}},
                                .source_private = "p",
                                .target_type = "t_thing"};
  auto moved = served->MoveResourceState(request, problems);
  EXPECT_EQ(moved.state.Attribute("name").AsString(), "a");
  EXPECT_EQ(moved.private_data, "p");
  EXPECT_EQ(TextOf(problems), "");
  request.source_type = "x";
  served->MoveResourceState(request, problems);
  EXPECT_TRUE(
      TextOf(problems).starts_with("error: Resource cannot be moved (t_thing cannot be made "
                                   "of an object of type x of example.com/o/o.)\n"))
      << TextOf(problems);
}

TEST(ProviderIdentity, CannotBeUpgradedWithoutAFunction) {
  v1::ManagedResource thing = Thing({{.name = "name", .required = true}});
  thing.identity = {{.name = "name", .required_for_import = true}};
  Served served(With(std::move(thing)));
  Problems problems;
  served->UpgradeResourceIdentity("t_thing", 3, R"({"name":"b"})", problems);
  EXPECT_EQ(TextOf(problems),
            "error: Unable to upgrade the stored identity (t_thing cannot read identities of "
            "version 3.)\n");
}

TEST(ProviderIdentity, FollowsTheObjectAndUpgrades) {
  v1::ManagedResource thing = Thing({{.name = "name", .required = true}});
  thing.create = [](v1::ResourceCall& call) { return call.planned; };
  thing.identity = {{.name = "name", .required_for_import = true}};
  thing.identity_version = 1;
  thing.upgrade_identity = [](v1::UpgradeCall& call) {
    return V::Object({{"name", *call.stored.Find("id")}});
  };
  Served served(With(std::move(thing)));
  Problems problems;
  const auto applied = served.Apply(served.Null(), served.Object(R"({"name":"a"})"), problems);
  EXPECT_EQ(applied.identity.Attribute("name").AsString(), "a");
  const Value identity = served->UpgradeResourceIdentity("t_thing", 0, R"({"id":"b"})", problems);
  EXPECT_EQ(identity.Attribute("name").AsString(), "b");
  EXPECT_EQ(TextOf(problems), "");
}

// --- Data sources, ephemeral resources, functions. ---

TEST(ProviderData, IsNotReadWithAnInvalidConfiguration) {
  v1::Provider provider;
  v1::DataSource source{.type = "t_data"};
  source.schema.attributes = {{.name = "name", .required = true}, {.name = "n", .computed = true}};
  int reads = 0;
  source.read = [&](v1::DataCall& call) {
    ++reads;
    return V::Object({{"name", *call.config.Find("name")}, {"n", V::String("1")}});
  };
  provider.data_sources = {source};
  Served served(std::move(provider));
  Problems problems;
  const Value config =
      Value::Object({{"name", Value::String("a")}, {"n", Value::Null(Type::String())}});
  EXPECT_EQ(served->ReadDataSource("t_data", "", config, {}, problems).Attribute("n").AsString(),
            "1");
  std::string request;
  ProtoWriter out(request);
  out.Bytes(1, "t_data");
  const size_t value = out.Begin(2);
  out.Bytes(1, "\xff");
  out.End(value);
  const Reply reply = served.service().Answer("ReadDataSource", request);
  EXPECT_NE(reply.message.find("Invalid value"), std::string::npos);
  EXPECT_NE(served.service()
                .Answer("ReadDataSource", "\x0a\x06t_data")
                .message.find("The configuration is missing."),
            std::string::npos);
  const std::string unknown("\x0a\x06t_data\x12\x05\x0a\x03\xd4\0\0", 15);
  EXPECT_NE(
      served.service().Answer("ReadDataSource", unknown).message.find("The object is unknown."),
      std::string::npos);
  EXPECT_EQ(reads, 1);
}

TEST(ProviderEphemeral, OpensRenewsAndCloses) {
  v1::Provider provider;
  v1::EphemeralResource token{.type = "t_token"};
  token.schema.attributes = {{.name = "value", .computed = true}};
  std::string log;
  token.open = [&](v1::EphemeralCall& call) {
    call.private_data = "one";
    call.renew_at = std::chrono::system_clock::time_point(std::chrono::seconds(1000));
    return V::Object({{"value", V::String("v")}});
  };
  token.renew = [&](v1::EphemeralCall& call) {
    log += "renew " + call.private_data + '\n';
    call.private_data = "two";
  };
  token.close = [&](v1::EphemeralCall& call) { log += "close " + call.private_data + '\n'; };
  provider.ephemeral_resources = {token};
  Served served(std::move(provider));
  Problems problems;
  const Value config = Value::Object({{"value", Value::Null(Type::String())}});
  const auto opened = served->OpenEphemeral("t_token", config, problems);
  EXPECT_EQ(opened.result.Attribute("value").AsString(), "v");
  EXPECT_EQ(opened.renew_at, 1000);
  const auto renewed = served->RenewEphemeral("t_token", opened.private_data, problems);
  EXPECT_EQ(renewed.renew_at, std::nullopt);
  served->CloseEphemeral("t_token", renewed.private_data, problems);
  EXPECT_EQ(log, "renew one\nclose two\n");
  EXPECT_EQ(TextOf(problems), "");
}

TEST(ProviderFunctions, ArgumentsResultsAndErrors) {
  v1::Provider provider;
  v1::ProviderFunction join{.name = "join"};
  join.parameters = {{.name = "by"}};
  join.variadic = {.name = "parts"};
  join.call = [](v1::FunctionCall& call) {
    std::string text;
    for (size_t i = 1; i < call.arguments.size(); ++i) {
      const std::string part = *call.arguments[i].AsString();
      if (part == "bad") {
        call.error = "a bad part";
        call.error_argument = static_cast<int64_t>(i);
      } else if (part == "throw") {
        throw std::runtime_error("thrown");
      }
      text += (i > 1 ? *call.arguments[0].AsString() : "") + part;
    }
    return text == "wrong" ? V::Tuple({}) : V::String(text);
  };
  provider.functions = {join};
  Served served(std::move(provider));
  const auto call = [&](std::vector<std::string_view> texts) {
    std::vector<Value> arguments;
    for (const std::string_view text : texts) {
      arguments.push_back(Value::String(text));
    }
    int argument = -1;
    const auto result = served->CallFunction("join", arguments, &argument);
    return result ? std::string(result->AsString())
                  : result.error() + " at " + std::to_string(argument);
  };
  EXPECT_EQ(call({"-", "a", "b"}), "a-b");
  EXPECT_EQ(call({"-"}), "");
  EXPECT_EQ(call({"-", "a", "bad"}), "a bad part at 2");
  EXPECT_EQ(call({"-", "throw"}), "thrown at -1");
  EXPECT_EQ(call({"-", "wrong"}), "the result is invalid: string required, but have tuple at -1");
}

// --- Configuration, stop, unknown names. ---

TEST(ProviderConfigure, GetsItsConfiguration) {
  v1::Provider provider;
  provider.schema.attributes = {{.name = "url", .required = true}};
  provider.validate = [](const V& config, v1::ProviderProblems& problems) {
    if (config.Find("url")->AsString() == "bad") {
      problems.AddError("Bad", {}, "url");
    }
  };
  std::string seen;
  provider.configure = [&](v1::ConfigureCall& call) {
    seen = *call.config.Find("url")->AsString() + ' ' + call.client_version;
  };
  Served served(std::move(provider));
  Problems problems;
  served->Configure(Value::Object({{"url", Value::String("x")}}), problems);
  EXPECT_TRUE(seen.starts_with("x 1.")) << seen;
  served->ValidateProviderConfig(Value::Object({{"url", Value::String("bad")}}), problems);
  EXPECT_EQ(TextOf(problems), "error: Bad ().url\n");
}

TEST(ProviderStop, AsksRunningCallsAndOnlyThem) {
  v1::ManagedResource thing = Thing({{.name = "name", .required = true}});
  std::promise<void> running;
  bool wait = true;
  thing.create = [&](v1::ResourceCall& call) {
    running.set_value();
    while (wait && !call.stopped.stop_requested()) {
      std::this_thread::yield();
    }
    EXPECT_EQ(call.stopped.stop_requested(), wait);
    return call.planned;
  };
  v1::Provider provider = With(std::move(thing));
  bool told = false;
  provider.stop = [&] { told = true; };
  Served served(std::move(provider));
  const Value planned = served.Object(R"({"name":"a"})");
  auto create = std::async(std::launch::async, [&] {
    Problems problems;
    return served.Apply(served.Null(), planned, problems).state;
  });
  running.get_future().wait();
  served->Stop();
  EXPECT_FALSE(create.get().IsNull());
  EXPECT_TRUE(told);
  running = {};
  wait = false;
  Problems problems;
  served.Apply(served.Null(), planned, problems);
}

/// A provider with one of each thing, whose functions look at what they get.
v1::Provider Everything() {
  v1::ManagedResource thing =
      Thing({{.name = "name", .required = true}, {.name = "id", .computed = true}},
            {{.name = "rule", .attributes = {{.name = "a", .optional = true}}}});
  const auto name = [](const V& object) { return V::Object({{"name", *object.Find("name")}}); };
  thing.validate = [=](const V& config, v1::ProviderProblems&) { name(config); };
  thing.plan = [](v1::ResourceCall& call) { return call.planned; };
  thing.create = [=](v1::ResourceCall& call) { return name(call.planned); };
  thing.update = [=](v1::ResourceCall& call) { return name(call.prior); };
  thing.read = thing.update;
  thing.destroy = [=](v1::ResourceCall& call) { name(call.prior); };
  thing.import = [](v1::ResourceCall& call) { return V::Object({{"name", V::String(call.id)}}); };
  thing.upgrade = [](v1::UpgradeCall& call) { return call.stored; };
  thing.move = [](v1::MoveCall& call) { return call.source; };
  thing.identity = {{.name = "name", .required_for_import = true}};
  v1::Provider provider = With(std::move(thing));
  v1::DataSource data{.type = "t_data"};
  data.schema.attributes = {{.name = "name", .optional = true}};
  data.read = [=](v1::DataCall& call) { return name(call.config); };
  provider.data_sources = {data};
  v1::EphemeralResource token{.type = "t_token"};
  token.schema.attributes = {{.name = "name", .optional = true}};
  token.open = [=](v1::EphemeralCall& call) { return name(call.config); };
  provider.ephemeral_resources = {token};
  v1::ProviderFunction echo{.name = "echo", .parameters = {{.name = "a"}}};
  echo.call = [](v1::FunctionCall& call) { return call.arguments[0]; };
  provider.functions = {echo};
  return provider;
}

TEST(ProviderCalls, SurviveAnyRequest) {
  const v1::Provider provider = Everything();
  ProviderService service(provider);
  std::minstd_rand random;  // NOLINT(cert-msc51-cpp): the same requests each time
  const char* methods[] = {"ValidateProviderConfig",
                           "ValidateResourceConfig",
                           "ValidateDataResourceConfig",
                           "ValidateEphemeralResourceConfig",
                           "ConfigureProvider",
                           "UpgradeResourceState",
                           "UpgradeResourceIdentity",
                           "ReadResource",
                           "PlanResourceChange",
                           "ApplyResourceChange",
                           "ImportResourceState",
                           "MoveResourceState",
                           "ReadDataSource",
                           "OpenEphemeralResource",
                           "RenewEphemeralResource",
                           "CloseEphemeralResource",
                           "CallFunction"};
  const std::string values[] = {"",
                                "\xc0",
                                "\x81\xa4name\xa1x",
                                "\x82\xa2id\xc0\xa4name\xa1x",
                                "\x83\xa2id\xc0\xa4name\xa1x\xa4rule\x91\x81\xa1"
                                "a\xc0",
                                R"({"name":"a"})",
                                std::string("\xd4\x00\x00", 3)};
  for (const char* method : methods) {
    for (int i = 0; i < 2000; ++i) {
      std::string request;
      ProtoWriter out(request);
      for (uint32_t field = 1; field <= 8; ++field) {
        const std::string& value = values[random() % std::size(values)];
        switch (random() % 5) {
          case 0:
            break;
          case 1:
            out.Bytes(field, field == 5 || field == 1 ? "t_thing" : value);
            break;
          case 2:
            out.Uint(field, random() % 3);
            break;
          default:
            if (field == 1) {
              static constexpr const char* kNames[] = {"t_data", "t_data", "t_token", "echo"};
              out.Bytes(1, kNames[random() % std::size(kNames)]);
            } else {
              const size_t begin = out.Begin(field);
              out.Bytes(1, value);
              out.End(begin);
            }
        }
      }
      if (random() % 8 == 0 && !request.empty()) {
        request[random() % request.size()] = static_cast<char>(random());
      }
      service.Answer(method, request);
    }
  }
}

TEST(ProviderCalls, UnknownNames) {
  v1::Provider provider;
  ProviderService service(provider);
  EXPECT_EQ(service.Answer("Nothing", "").status, 12);
  EXPECT_EQ(service.Answer("ReadResource", "").status, 3);
}

}  // namespace
}  // namespace kinu::sdk
