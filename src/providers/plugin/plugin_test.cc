#include <cstdlib>
#include <fstream>
#include <map>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/files.h"
#include "base/testing/source_directory.h"
#include "cty/ops.h"
#include "plugin/handshake.h"
#include "plugin/log_relay.h"
#include "plugin/messages.h"
#include "plugin/plugin_provider.h"
#include "plugin/process.h"
#include "provider/testing/scripted.h"

namespace kinu::plugin {
namespace {

using provider::Problems;

// --- Handshake and attached providers. ---

TEST(Handshake, Lines) {
  struct Case {
    const char* line;
    const char* want;  // target and protocol, or the start of the error
  };
  const std::string long_certificate(60, 'A');
  const std::string with_certificate = "1|6|unix|/tmp/p|grpc|" + long_certificate + "\n";
  const Case cases[] = {
      {"1|5|unix|/tmp/plugin123|grpc|\n", "unix:/tmp/plugin123 5 -"},
      {with_certificate.c_str(), "unix:/tmp/p 6 certificate"},
      {"1|6|tcp|127.0.0.1:1234|grpc|junk", "127.0.0.1:1234 6 -"},
      {"1|6|unix|/tmp/p|grpc||true", "unix:/tmp/p 6 -"},
      {"1|4|unix|/tmp/p|grpc|", "Incompatible API version"},
      {"1|x|unix|/tmp/p|grpc|", "Incompatible API version"},
      {"2|5|unix|/tmp/p|grpc|", "Incompatible core API version"},
      {"1|5|pipe|/tmp/p|grpc|", "Unknown address type"},
      {"1|5|unix|/tmp/p", "Unsupported plugin protocol"},
      {"1|5|unix|/tmp/p|netrpc|", "Unsupported plugin protocol"},
      {"hello", "Unrecognized remote plugin message: \"hello\""},
      {"a\033[31mb", "Unrecognized remote plugin message: \"a\\x1b[31mb\""},
      {"1|\a|unix|/tmp/p|grpc|", "Incompatible API version with plugin. Plugin version: \"\\a\","},
      {"", "Unrecognized remote plugin message"},
  };
  for (const Case& c : cases) {
    auto handshake = ParseHandshake(c.line);
    std::string got = handshake ? handshake->Target() + ' ' + std::to_string(handshake->protocol) +
                                      (handshake->certificate.empty() ? " -" : " certificate")
                                : handshake.error().message;
    EXPECT_TRUE(got.starts_with(c.want)) << c.line << ": " << got;
  }
  EXPECT_LT(ParseHandshake(std::string(65000, 'x')).error().message.size(), 500U);
}

TEST(Attachments, Parse) {
  auto parsed = ParseAttachments(
      R"({"hashicorp/aws": {"Protocol":"grpc","ProtocolVersion":6,"Pid":12,"Test":true,
          "Addr":{"Network":"unix","String":"/tmp/p"}},
          "example.com/a/b": {"Protocol":"grpc","Addr":{"Network":"tcp","String":"localhost:1"}}})");
  ASSERT_TRUE(parsed) << parsed.error().message;
  ASSERT_EQ(parsed->size(), 2U);
  const Attachment& aws = parsed->at("registry.opentofu.org/hashicorp/aws");
  EXPECT_EQ(aws.Target(), "unix:/tmp/p");
  EXPECT_EQ(aws.protocol, 6);
  EXPECT_EQ(aws.pid, 12);
  EXPECT_TRUE(aws.test);
  EXPECT_EQ(parsed->at("example.com/a/b").protocol, 5);
  EXPECT_TRUE(ParseAttachments("")->empty());
  for (const char* bad : {
           "{",
           "[]",
           R"({"a/b/c/d":{}})",
           R"({"a/b":{"Protocol":"grpc","Addr":{"Network":"pipe","String":"x"}}})",
       }) {
    EXPECT_FALSE(ParseAttachments(bad)) << bad;
  }
}

TEST(Attachments, HaveOneForm) {
  struct Row {
    const char* text;
    const char* problem;
  };
  constexpr Row kRows[] = {
      {" ", "unexpected end of JSON input"},
      {"{} x", "invalid character 'x' after top-level value"},
      {R"({"a":1})", "json: cannot unmarshal number into Go value of type main.reattachConfig"},
      {R"({"a":{"Test":1}})",
       "json: cannot unmarshal number into Go struct field reattachConfig.Test of type bool"},
      {R"({"a":{"Pid":1.5}})",
       "json: cannot unmarshal number 1.5 into Go struct field reattachConfig.Pid of type int"},
      {R"({"a":{"Addr":{"Network":1}}})",
       "json: cannot unmarshal number into Go struct field .Addr.Network of type string"},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(ParseAttachments(row.text).error().message,
              std::string("Invalid format for TF_REATTACH_PROVIDERS: ") + row.problem);
  }
  EXPECT_TRUE(
      ParseAttachments(R"({"a":{"protocol":"grpc","ADDR":{"network":"unix","string":"/x"}}})"));
}

TEST(Attachments, ProtocolsMatterOnlyWhereTheyAreUsed) {
  const auto parsed = ParseAttachments(
      R"({"a/b":{"Protocol":"grpc","ProtocolVersion":7,"Addr":{"Network":"unix","String":"x"}},
          "a/c":{"Protocol":"netrpc","Addr":{"Network":"unix","String":"x"}}})");
  ASSERT_TRUE(parsed);
  const auto why = [&](const char* address) {
    const auto plugin = PluginProvider::Attach(address, parsed->at(address));
    return plugin ? "" : plugin.error().message;
  };
  EXPECT_EQ(why("registry.opentofu.org/a/b"), "no supported plugins for protocol 7");
  EXPECT_EQ(why("registry.opentofu.org/a/c"),
            "Unsupported plugin protocol \"netrpc\". Supported: [grpc]");
}

// --- Output of providers. ---

TEST(LogLine, Forms) {
  struct Case {
    const char* line;
    LogLevel level;
    const char* message;
    const char* fields;
  };
  const Case cases[] = {
      {R"({"@level":"warn","@message":"hi","@module":"sdk","@timestamp":"t","n":1,"s":"a b"})",
       LogLevel::kWarn, "hi", ": n=1 s=\"a b\""},
      {"[ERROR] it broke", LogLevel::kError, "it broke", ""},
      {"plain words", LogLevel::kDebug, "plain words", ""},
      {"{not json", LogLevel::kDebug, "{not json", ""},
  };
  for (const Case& c : cases) {
    LogLine line = ParseLogLine(c.line);
    EXPECT_EQ(line.level, c.level) << c.line;
    EXPECT_EQ(line.message, c.message) << c.line;
    EXPECT_EQ(line.fields, c.fields) << c.line;
  }
}

TEST(LogRelay, KeepsPanics) {
  LogRelay relay("test");
  relay.Line("{\"@level\":\"trace\"}", false);
  relay.Line("harmless", false);
  relay.Line("panic: oh no", false);
  relay.Line("goroutine 1 [running]:", false);
  EXPECT_EQ(relay.Panic(), "panic: oh no\ngoroutine 1 [running]:\n");
  EXPECT_EQ(relay.LastWords(), "harmless\n");
}

/// Writes a shell script that acts as a provider.
std::string Script(const std::string& text) {
  static int count = 0;
  std::string path = ::testing::TempDir() + "/kinu-script-" + std::to_string(getpid()) + '-' +
                     std::to_string(count++);
  std::ofstream(path) << "#!/bin/sh\n" << text;
  std::string command = "chmod +x " + path;
  EXPECT_EQ(std::system(command.c_str()), 0);
  return path;
}

TEST(Process, FirstLineAndTheRest) {
  std::vector<std::string> lines;
  auto process = Process::Start(
      {.executable = Script("echo first; echo second; echo third >&2; printf end"),
       .environment = {"PATH=/usr/bin:/bin"},
       .on_line = [&](Stream stream, std::string_view line) {
         lines.push_back((stream == Stream::kStdout ? "out " : "err ") + std::string(line));
       }});
  ASSERT_TRUE(process) << process.error().message;
  EXPECT_EQ((*process)->AwaitFirstLine(10'000).value_or("-"), "first");
  ASSERT_TRUE((*process)->AwaitExit(10'000));
  std::sort(lines.begin(), lines.end());
  EXPECT_EQ(lines, (std::vector<std::string>{"err third", "out end", "out second"}));
}

TEST(Process, ReadsMoreThanAPipeHolds) {
  size_t bytes = 0;
  auto process =
      Process::Start({.executable = Script("head -c 3000000 /dev/zero | tr '\\0' x >&2; echo done"),
                      .environment = {"PATH=/usr/bin:/bin"},
                      .on_line = [&](Stream, std::string_view line) { bytes += line.size(); }});
  ASSERT_TRUE(process);
  EXPECT_EQ((*process)->AwaitFirstLine(10'000).value_or("-"), "done");
  ASSERT_TRUE((*process)->AwaitExit(10'000));
  EXPECT_EQ(bytes, 3'000'000U);
}

TEST(Process, EndsAndTimeouts) {
  auto gone = Process::Start({.executable = Script("exit 3"), .environment = {}, .on_line = {}});
  ASSERT_TRUE(gone);
  EXPECT_EQ((*gone)->AwaitFirstLine(10'000).error().message,
            "plugin exited before we could connect");
  auto slow = Process::Start({.executable = Script("exec sleep 60"),
                              .environment = {"PATH=/usr/bin:/bin"},
                              .on_line = {}});
  ASSERT_TRUE(slow);
  EXPECT_EQ((*slow)->AwaitFirstLine(20).error().message,
            "timeout while waiting for plugin to start");
  EXPECT_FALSE((*slow)->exited());
  (*slow)->Kill();
  EXPECT_TRUE((*slow)->AwaitExit(10'000));
  auto missing =
      Process::Start({.executable = "/does/not/exist", .environment = {}, .on_line = {}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "fork/exec /does/not/exist: no such file or directory");
}

TEST(PluginProvider, ReportsWhatADyingProviderSaid) {
  auto started = PluginProvider::Start({.address = "registry.opentofu.org/x/y",
                                        .executable = Script("echo 'no config' >&2; exit 1")});
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message.find("plugin exited before we could connect"),
            std::string::npos);
  EXPECT_NE(started.error().message.find("no config"), std::string::npos);
}

// --- Messages, compared with those that protoc encodes from proto/*.proto. ---

/// Runs protoc. `mode` is --encode or --decode.
std::string Protoc(const std::string& mode, const std::string& message, const std::string& input,
                   int protocol = 6) {
  std::string base = ::testing::TempDir() + "/kinu-protoc-" + std::to_string(getpid());
  std::ofstream(base + ".in", std::ios::binary) << input;
  std::string file = "tfplugin" + std::to_string(protocol);
  std::string command = "protoc --" + mode + '=' + file + '.' + message + " -I " +
                        SourceDirectory() + "/proto " + SourceDirectory() + "/proto/" + file +
                        ".proto < " + base + ".in > " + base + ".out";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return ReadFile(base + ".out").value_or("");
}

/// A channel with prepared responses. Logs the requests.
class FakeChannel final : public Channel {
 public:
  struct Log {
    std::map<std::string, std::string> requests;
    std::map<std::string, std::string> responses;
    std::map<std::string, int> failures;
  };
  explicit FakeChannel(Log& log) : log_(log) {}
  CallStatus Call(const char* method, std::string_view request, std::string* response,
                  const CallLimits&) override {
    log_.requests[method] = request;
    if (auto it = log_.failures.find(method); it != log_.failures.end()) {
      return {it->second, "told to fail"};
    }
    *response = log_.responses[method];
    return {};
  }
  void Listen(const char*, std::function<void(std::string_view)>) override {}
  void Cancel() override {}

 private:
  Log& log_;
};

class Messages : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    provider::testing::FillWithTestThings(script_);
    provider_ = PluginProvider::Over(std::make_unique<FakeChannel>(log_), GetParam());
    provider_->UseSchema(
        std::shared_ptr<const schema::ProviderSchema>(std::shared_ptr<void>(), &script_.schema));
  }
  std::string Method(const std::string& v5, const std::string& v6) const {
    return GetParam() == 5 ? "/tfplugin5.Provider/" + v5 : "/tfplugin6.Provider/" + v6;
  }
  Value Thing(Value id, std::string_view name) const {
    const Type& type = script_.schema.FindResource("test_thing")->block.implied_type();
    std::vector<Value> values;
    for (const ObjectAttribute& attribute : type.attributes()) {
      if (attribute.name == "id") {
        values.push_back(id);
      } else {
        values.push_back(attribute.name == "name" ? Value::String(name)
                                                  : Value::Null(attribute.type));
      }
    }
    return Value::ObjectOf(type, std::move(values));
  }

  provider::testing::Script script_;
  FakeChannel::Log log_;
  std::unique_ptr<PluginProvider> provider_;
};

TEST_P(Messages, PlanResourceChange) {
  std::string method = Method("PlanResourceChange", "PlanResourceChange");
  log_.responses[method] = Protoc("encode", "PlanResourceChange.Response", R"(
      planned_state { json: "{\"id\":\"7\",\"name\":\"n\",\"value\":null,\"tags\":{\"a\":\"b\"},\"force\":null,\"output\":null}" }
      requires_replace { steps { attribute_name: "tags" } steps { element_key_string: "a" } }
      requires_replace { steps { attribute_name: "x" } steps { element_key_int: 3 } }
      planned_private: "secret\000bytes"
      legacy_type_system: true
      diagnostics { severity: WARNING summary: "careful" detail: "why"
                    attribute { steps { attribute_name: "name" } } })",
                                  GetParam());
  Problems problems;
  provider::PlanRequest request;
  request.type = "test_thing";
  request.prior = Value::Null(Type::Dynamic());
  request.proposed = Thing(Value::Unknown(Type::String()), "n");
  request.config = Thing(Value::Null(Type::String()), "n");
  request.private_data = "p";
  auto response = provider_->PlanResourceChange(request, problems);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].severity, Severity::kWarning);
  EXPECT_EQ(problems[0].summary, "careful");
  EXPECT_EQ(problems[0].detail, "why");
  EXPECT_EQ(problems[0].attribute->ToText(), ".name");
  EXPECT_EQ(response.planned.Attribute("id").AsString(), "7");
  EXPECT_EQ(response.planned.Attribute("tags").Find("a")->AsString(), "b");
  EXPECT_TRUE(response.legacy_type_system);
  EXPECT_EQ(response.private_data, std::string("secret\0bytes", 12));
  ASSERT_EQ(response.requires_replace.size(), 2U);
  EXPECT_EQ(response.requires_replace[0].ToText(), ".tags[\"a\"]");
  EXPECT_EQ(response.requires_replace[1].ToText(), ".x[3]");

  std::string text =
      Protoc("decode", "PlanResourceChange.Request", log_.requests[method], GetParam());
  EXPECT_EQ(text,
            "type_name: \"test_thing\"\n"
            "prior_state {\n  msgpack: \"\\300\"\n}\n"
            "proposed_new_state {\n"
            "  msgpack: \"\\206\\245force\\300\\242id\\324\\000\\000\\244name\\241n"
            "\\246output\\300\\244tags\\300\\245value\\300\"\n}\n"
            "config {\n"
            "  msgpack: \"\\206\\245force\\300\\242id\\300\\244name\\241n"
            "\\246output\\300\\244tags\\300\\245value\\300\"\n}\n"
            "prior_private: \"p\"\n"
            "client_capabilities {\n  write_only_attributes_allowed: true\n}\n");
}

TEST_P(Messages, DestroyIsNotPlannedWithoutTheCapability) {
  script_.schema.can.plan_destroy = false;
  Problems problems;
  provider::PlanRequest request;
  request.type = "test_thing";
  request.prior = Thing(Value::String("1"), "n");
  request.proposed = Value::Null(Type::Dynamic());
  request.private_data = "kept";
  auto response = provider_->PlanResourceChange(request, problems);
  EXPECT_TRUE(log_.requests.empty());
  EXPECT_TRUE(response.planned.IsNull());
  EXPECT_EQ(response.private_data, "kept");
}

TEST_P(Messages, TransportFailures) {
  struct Case {
    int code;
    const char* summary;
  };
  const Case cases[] = {{kStatusUnavailable, "Plugin did not respond"},
                        {kStatusCancelled, "Request cancelled"},
                        {kStatusUnimplemented, "Unsupported plugin method"},
                        {2, "Plugin error"}};
  for (const Case& c : cases) {
    log_.failures[Method("ApplyResourceChange", "ApplyResourceChange")] = c.code;
    Problems problems;
    provider::ApplyRequest request;
    request.type = "test_thing";
    request.planned = Thing(Value::String("1"), "n");
    auto response = provider_->ApplyResourceChange(request, problems);
    ASSERT_EQ(problems.size(), 1U);
    EXPECT_EQ(problems[0].summary, c.summary);
    EXPECT_FALSE(response.has_state);
  }
}

TEST_P(Messages, MalformedResponsesAreProblems) {
  std::string method = Method("ReadResource", "ReadResource");
  for (const std::string& bytes :
       {std::string("\x0a\x20zz"), std::string("\x0a\x04\x0a\x02\xc1\xc1")}) {
    log_.responses[method] = bytes;
    Problems problems;
    provider::ReadRequest request;
    request.type = "test_thing";
    request.prior = Thing(Value::String("1"), "n");
    provider_->ReadResource(request, problems);
    EXPECT_TRUE(provider::HasErrors(problems));
  }
}

TEST_P(Messages, OtherRequests) {
  Problems problems;
  Value config = Value::Object({{"region", Value::String("r")}});
  provider_->ValidateProviderConfig(config, problems);
  provider_->Configure(config, problems);
  provider_->ValidateResourceConfig("test_thing", Thing(Value::Null(Type::String()), "n"),
                                    problems);
  provider::RawState raw;
  raw.flatmap = {{"id", "1"}, {"name", ""}};
  provider_->UpgradeResourceState("test_thing", 3, raw, problems);
  provider_->ImportResourceState("test_thing", "the-id", {}, problems);
  provider_->CloseEphemeral("test_secret", "priv", problems);
  EXPECT_TRUE(problems.empty());
  auto text = [&](const std::string& v5, const std::string& v6, const std::string& m5,
                  const std::string& m6) {
    return Protoc("decode", (GetParam() == 5 ? m5 : m6) + ".Request",
                  log_.requests.at(Method(v5, v6)), GetParam());
  };
  EXPECT_EQ(text("PrepareProviderConfig", "ValidateProviderConfig", "PrepareProviderConfig",
                 "ValidateProviderConfig"),
            "config {\n  msgpack: \"\\201\\246region\\241r\"\n}\n");
  EXPECT_EQ(text("Configure", "ConfigureProvider", "Configure", "ConfigureProvider"),
            "terraform_version: \"1.13.0\"\n"
            "config {\n  msgpack: \"\\201\\246region\\241r\"\n}\n"
            "client_capabilities {\n  write_only_attributes_allowed: true\n}\n");
  EXPECT_EQ(text("UpgradeResourceState", "UpgradeResourceState", "UpgradeResourceState",
                 "UpgradeResourceState"),
            "type_name: \"test_thing\"\nversion: 3\nraw_state {\n"
            "  flatmap {\n    key: \"id\"\n    value: \"1\"\n  }\n"
            "  flatmap {\n    key: \"name\"\n    value: \"\"\n  }\n}\n");
  EXPECT_EQ(text("ImportResourceState", "ImportResourceState", "ImportResourceState",
                 "ImportResourceState"),
            "type_name: \"test_thing\"\nid: \"the-id\"\n"
            "client_capabilities {\n  write_only_attributes_allowed: true\n}\n");
  EXPECT_EQ(text("CloseEphemeralResource", "CloseEphemeralResource", "CloseEphemeralResource",
                 "CloseEphemeralResource"),
            "type_name: \"test_secret\"\nprivate: \"priv\"\n");
}

TEST_P(Messages, OpenEphemeralAndFunctions) {
  log_.responses[Method("OpenEphemeralResource", "OpenEphemeralResource")] =
      Protoc("encode", "OpenEphemeralResource.Response",
             R"(renew_at { seconds: 1700000000 nanos: 5 }
                result { json: "{\"name\":\"n\",\"token\":\"t\"}" } private: "p")",
             GetParam());
  Problems problems;
  Value config =
      Value::Object({{"name", Value::String("n")}, {"token", Value::Null(Type::String())}});
  auto opened = provider_->OpenEphemeral("test_secret", config, problems);
  EXPECT_EQ(opened.renew_at, 1700000000);
  EXPECT_EQ(opened.private_data, "p");
  EXPECT_EQ(opened.result.Attribute("token").AsString(), "t");

  std::string method = Method("CallFunction", "CallFunction");
  log_.responses[method] =
      Protoc("encode", "CallFunction.Response", R"(result { json: "\"HI\"" })", GetParam());
  int argument = 0;
  std::vector<Value> arguments = {Value::String("hi")};
  auto result = provider_->CallFunction("upper", arguments, &argument);
  ASSERT_TRUE(result) << result.error();
  EXPECT_EQ(result->AsString(), "HI");
  log_.responses[method] = Protoc("encode", "CallFunction.Response",
                                  R"(error { text: "bad" function_argument: 0 })", GetParam());
  result = provider_->CallFunction("upper", arguments, &argument);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), "bad");
  EXPECT_EQ(argument, 0);
  log_.requests.clear();
  arguments = {Value::Unknown(Type::String())};
  result = provider_->CallFunction("upper", arguments, &argument);
  EXPECT_FALSE(result->IsKnown());
  EXPECT_TRUE(log_.requests.empty());
}

TEST_P(Messages, AConfiguredProviderMayHaveMoreFunctions) {
  EXPECT_EQ(provider_->schema().FindFunction("late"), nullptr);
  log_.responses[Method("GetFunctions", "GetFunctions")] = Protoc("encode", "GetFunctions.Response",
                                                                  R"(functions { key: "late" value {
                  parameters { name: "text" type: "\"string\"" } return { type: "\"number\"" } } })",
                                                                  GetParam());
  log_.responses[Method("CallFunction", "CallFunction")] =
      Protoc("encode", "CallFunction.Response", R"(result { json: "3" })", GetParam());
  const schema::FunctionSignature* late = provider_->ConfiguredFunction("late");
  ASSERT_NE(late, nullptr);
  ASSERT_EQ(late->parameters.size(), 1u);
  EXPECT_EQ(late->return_type, Type::Number());
  EXPECT_EQ(provider_->ConfiguredFunction("none"), nullptr);
  int argument = 0;
  const std::vector<Value> arguments = {Value::String("abc")};
  auto result = provider_->CallFunction("late", arguments, &argument);
  ASSERT_TRUE(result) << result.error();
  EXPECT_TRUE(Value::RawEquals(*result, Value::Int(3)));
}

INSTANTIATE_TEST_SUITE_P(Protocol, Messages, ::testing::Values(5, 6));

}  // namespace
}  // namespace kinu::plugin
