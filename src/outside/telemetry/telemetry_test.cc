#include <map>

#include <gtest/gtest.h>

#include "base/testing/source_directory.h"
#include "codec/deflate.h"
#include "codec/protowire.h"
#include "net/testing/scripted_transport.h"
#include "telemetry/exporter.h"
#include "telemetry/otlp.h"
#include "telemetry/resource.h"
#include "telemetry/settings.h"

namespace kinu::telemetry {
namespace {

using Variables = std::map<std::string, std::string>;

Lookup In(const Variables& variables) {
  return [&variables](const char* name) -> std::string_view {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string_view() : found->second;
  };
}

std::string UrlOf(const Variables& variables) {
  const Result<Settings> settings = ReadSettings(In(variables));
  return settings ? settings->url : settings.error().message;
}

constexpr const char* kService = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";

TEST(TelemetrySettings, FindTheCollector) {
  const std::string e = "OTEL_EXPORTER_OTLP_ENDPOINT";
  const std::string t = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT";
  const std::string insecure = "OTEL_EXPORTER_OTLP_INSECURE";
  EXPECT_EQ(UrlOf({}), "https://localhost:4318/v1/traces");
  EXPECT_EQ(UrlOf({{insecure, " TRUE "}}), "http://localhost:4318/v1/traces");
  EXPECT_EQ(UrlOf({{e, "http://h:1"}}), "http://h:1/v1/traces");
  EXPECT_EQ(UrlOf({{e, "https://h/a/"}}), "https://h/a/v1/traces");
  EXPECT_EQ(UrlOf({{e, "http://h:1"}, {insecure, "false"}}), "https://h:1/v1/traces");
  EXPECT_EQ(UrlOf({{e, "http://h:1"}, {t, "http://g:2"}}), "http://g:2/");
  EXPECT_EQ(UrlOf({{t, "http://g:2/x/y"}}), "http://g:2/x/y");
  EXPECT_EQ(UrlOf({{e, "http://h:1"}, {"OTEL_EXPORTER_OTLP_TRACES_INSECURE", "no"}}),
            "https://h:1/v1/traces");
}

TEST(TelemetrySettings, FindTheServiceOfGrpc) {
  const std::pair<const std::string, std::string> grpc{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"};
  const std::string e = "OTEL_EXPORTER_OTLP_ENDPOINT";
  EXPECT_EQ(UrlOf({grpc}), std::string("https://localhost:4317") + kService);
  EXPECT_EQ(UrlOf({grpc, {e, "http://h:1"}}), std::string("http://h:1") + kService);
  EXPECT_EQ(UrlOf({{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"},
                   {"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf"},
                   {e, "http://h:1"}}),
            "http://h:1/v1/traces");
  EXPECT_EQ(UrlOf({{"OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"}}),
            "invalid OTLP protocol - should be one of ['grpc', 'http/protobuf']");
}

TEST(TelemetrySettings, ReadTheRest) {
  const Variables variables = {
      {"OTEL_EXPORTER_OTLP_HEADERS", "unused=1"},
      {"OTEL_EXPORTER_OTLP_TRACES_HEADERS", " a = x%20y ,b=1=2,bad name=3,nothing,=4"},
      {"OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"},
      {"OTEL_EXPORTER_OTLP_TIMEOUT", "250"},
      {"OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "1s"},
  };
  const Result<Settings> settings = ReadSettings(In(variables));
  ASSERT_TRUE(settings);
  ASSERT_EQ(settings->headers.list().size(), 2U);
  EXPECT_EQ(settings->headers.Get("a"), "x y");
  EXPECT_EQ(settings->headers.Get("b"), "1=2");
  EXPECT_TRUE(settings->gzip);
  EXPECT_EQ(settings->timeout, std::chrono::milliseconds(250));
}

TEST(TelemetrySettings, RefuseCertificatesWithoutTls) {
  const std::string file = SourceDirectory() + "/tests/servers/loopback.pem";
  EXPECT_EQ(UrlOf({{"OTEL_EXPORTER_OTLP_ENDPOINT", "http://h"},
                   {"OTEL_EXPORTER_OTLP_CERTIFICATE", file}}),
            "insecure HTTP endpoint cannot use TLS client configuration");
  EXPECT_EQ(UrlOf({{"OTEL_EXPORTER_OTLP_ENDPOINT", "https://h"},
                   {"OTEL_EXPORTER_OTLP_CERTIFICATE", file}}),
            "https://h/v1/traces");
}

TEST(TelemetryResource, HasWhatIsGivenAndWhatIsKnown) {
  const Variables variables = {
      {"OTEL_RESOURCE_ATTRIBUTES", "a=1 2%2C3, b = c ,none,service.name=x"}};
  const Resource resource = MakeResource({"1.2.3", "0.9", {"tofu", "plan"}}, In(variables));
  auto text = [&](const char* key) { return std::get<std::string>(resource.at(key)); };
  EXPECT_EQ(text("a"), "1 2,3");
  EXPECT_EQ(text("b"), "c");
  EXPECT_EQ(text("service.name"), "OpenTofu CLI");
  EXPECT_EQ(text("service.version"), "1.2.3");
  EXPECT_EQ(text("process.executable.name"), "tofu");
  EXPECT_EQ(std::get<std::vector<std::string>>(resource.at("process.command_args")).size(), 2U);
  EXPECT_FALSE(resource.contains("none"));
  const Variables named = {{"OTEL_SERVICE_NAME", "mine"}};
  EXPECT_EQ(std::get<std::string>(MakeResource({}, In(named)).at("service.name")), "mine");
}

TEST(TelemetryResource, NamesTheSystem) {
  EXPECT_EQ(NameOfSystem("# x\nNAME=\"Some Linux\"\nVERSION='1 (one)'\nID=x\n"),
            "Some Linux 1 (one)");
  EXPECT_EQ(NameOfSystem("PRETTY_NAME=\"P\"\nNAME=N\n"), "P");
  EXPECT_EQ(NameOfSystem("NAME=N\nVERSION_ID=2"), "N 2");
  EXPECT_EQ(NameOfSystem(""), "");
}

trace::Record Span(trace::SpanId id, trace::SpanId parent, std::string name) {
  trace::Record record;
  record.id = id;
  record.parent = parent;
  record.name = std::move(name);
  record.scope = "part";
  record.start = 1;
  record.end = 2;
  return record;
}

/// All fields of a message by number, the last of each.
std::map<uint32_t, ProtoField> FieldsOf(std::string_view message) {
  std::map<uint32_t, ProtoField> out;
  ProtoReader reader(message);
  ProtoField field;
  while (reader.Next(field)) {
    out[field.number] = field;
  }
  EXPECT_FALSE(reader.failed());
  return out;
}

std::string_view TheSpan(std::string_view request) {
  const std::string_view group = FieldsOf(request).at(1).bytes;
  return FieldsOf(FieldsOf(group).at(2).bytes).at(2).bytes;
}

TEST(Otlp, EncodesASpan) {
  trace::Record record = Span(0x0102030405060708, 9, "a step");
  record.attributes.push_back({"key", std::vector<std::string>{"x", ""}});
  record.failed = true;
  record.failure = "broken";
  TraceContext context;
  context.trace = {0xAB};
  context.state = "a=1";
  const std::string request =
      EncodeSpans({&record, 1}, {{"service.name", std::string("s")}}, context, 1000);
  const std::string_view group = FieldsOf(request).at(1).bytes;
  EXPECT_EQ(FieldsOf(group).at(3).bytes, "https://opentelemetry.io/schemas/1.40.0");
  EXPECT_EQ(FieldsOf(FieldsOf(FieldsOf(group).at(2).bytes).at(1).bytes).at(1).bytes, "part");
  auto span = FieldsOf(TheSpan(request));
  EXPECT_EQ(span.at(1).bytes, std::string("\xAB") + std::string(15, '\0'));
  EXPECT_EQ(span.at(2).bytes, "\1\2\3\4\5\6\7\10");
  EXPECT_EQ(span.at(3).bytes, "a=1");
  EXPECT_EQ(span.at(4).bytes, std::string("\0\0\0\0\0\0\0\11", 8));
  EXPECT_EQ(span.at(5).bytes, "a step");
  EXPECT_EQ(span.at(6).scalar, 1U);
  EXPECT_EQ(span.at(7).scalar, 1001U);
  EXPECT_EQ(span.at(8).scalar, 1002U);
  EXPECT_EQ(FieldsOf(span.at(9).bytes).at(1).bytes, "key");
  EXPECT_EQ(FieldsOf(span.at(11).bytes).at(2).bytes, "exception");
  EXPECT_EQ(FieldsOf(span.at(15).bytes).at(2).bytes, "broken");
  EXPECT_EQ(FieldsOf(span.at(15).bytes).at(3).scalar, 2U);
  EXPECT_EQ(span.at(16).scalar, 0x101U);
}

TEST(Otlp, ContinuesTheTraceOfAnotherProgram) {
  const trace::Record root = Span(1, 0, "root");
  TraceContext context;
  context.parent = 0xFF;
  context.flags = 3;
  const std::string request = EncodeSpans({&root, 1}, {}, context, 0);
  EXPECT_EQ(FieldsOf(TheSpan(request)).at(4).bytes, std::string("\0\0\0\0\0\0\0\xFF", 8));
  EXPECT_EQ(FieldsOf(TheSpan(request)).at(16).scalar, 0x303U);
}

TEST(Otlp, LeavesOutWhatIsNotExported) {
  std::vector<trace::Record> records = {Span(1, 0, "root"), Span(2, 1, "node"), Span(3, 2, "inner"),
                                        Span(4, 3, "call")};
  records[1].exported = records[2].exported = false;
  AdoptChildren(records);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].name, "call");
  EXPECT_EQ(records[1].parent, 1U);
}

/// An exporter with a collector that answers as scripted.
struct Sending {
  net::ScriptedTransport transport;
  Settings settings;
  std::vector<int64_t> waits;
  std::chrono::milliseconds whole{5000};

  Sending() { settings.url = "http://c/v1/traces"; }
  Result<void> Send(size_t count) {
    std::vector<trace::Record> records;
    for (size_t i = 0; i < count; ++i) {
      records.push_back(Span(i + 1, 0, "s"));
    }
    return SendSpans(transport, settings, records, {}, {},
                     {.whole = whole, .wait = [this](std::chrono::milliseconds time) {
                        waits.push_back(time.count());
                      }});
  }
};

TEST(Exporter, SendsInBatches) {
  Sending sending;
  sending.settings.headers.Set("x-key", "v");
  sending.transport.On("POST http://c/v1/traces", net::ScriptedTransport::Make(200));
  EXPECT_TRUE(sending.Send(1025));
  const auto requests = sending.transport.requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].headers.Get("content-type"), "application/x-protobuf");
  EXPECT_EQ(requests[0].headers.Get("x-key"), "v");
  EXPECT_LE(requests[0].timeout, std::chrono::milliseconds(5000));
  EXPECT_GT(requests[0].body.size(), requests[2].body.size());
  EXPECT_EQ(FieldsOf(TheSpan(requests[2].body)).at(5).bytes, "s");
}

TEST(Exporter, Compresses) {
  Sending sending;
  sending.settings.gzip = true;
  sending.transport.On("POST http://c/v1/traces", net::ScriptedTransport::Make(200));
  EXPECT_TRUE(sending.Send(1));
  const auto requests = sending.transport.requests();
  EXPECT_EQ(requests[0].headers.Get("content-encoding"), "gzip");
  const Result<std::string> body = Gunzip(requests[0].body, 10000);
  ASSERT_TRUE(body);
  EXPECT_EQ(FieldsOf(TheSpan(*body)).at(5).bytes, "s");
}

TEST(Exporter, SendsAgainWhenItIsAsked) {
  Sending sending;
  sending.transport
      .On("POST http://c/v1/traces", net::ScriptedTransport::Make(503, "", {{"Retry-After", "2"}}))
      .On("POST http://c/v1/traces", net::ScriptedTransport::Make(429))
      .On("POST http://c/v1/traces", net::ScriptedTransport::Make(200));
  EXPECT_TRUE(sending.Send(1));
  EXPECT_EQ(sending.waits, (std::vector<int64_t>{2000, 1000}));
}

TEST(Exporter, GivesUp) {
  Sending sending;
  sending.transport.On("POST http://c/v1/traces", net::ScriptedTransport::Make(400));
  const Result<void> sent = sending.Send(1);
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().message, "400 Bad Request");
  Sending later;
  later.transport.On("POST http://c/v1/traces",
                     net::ScriptedTransport::Make(503, "", {{"Retry-After", "60"}}));
  EXPECT_FALSE(later.Send(1));
  EXPECT_TRUE(later.waits.empty());
  Sending late;
  late.whole = std::chrono::milliseconds(0);
  EXPECT_FALSE(late.Send(1));
  EXPECT_TRUE(late.transport.requests().empty());
}

TEST(Exporter, SpeaksGrpc) {
  Sending sending;
  sending.settings.protocol = Protocol::kGrpc;
  sending.transport
      .On("POST http://c/v1/traces",
          net::ScriptedTransport::Make(200, "", {{"grpc-status", "14"}, {"grpc-message", "wait"}}))
      .On("POST http://c/v1/traces", net::ScriptedTransport::Make(200, "", {{"grpc-status", "0"}}));
  EXPECT_TRUE(sending.Send(1));
  EXPECT_EQ(sending.waits.size(), 1U);
  const auto requests = sending.transport.requests();
  EXPECT_EQ(requests[0].headers.Get("content-type"), "application/grpc");
  EXPECT_EQ(requests[0].headers.Get("te"), "trailers");
  EXPECT_EQ(requests[0].body[0], '\0');
  EXPECT_EQ(static_cast<size_t>(static_cast<unsigned char>(requests[0].body[4])) +
                (static_cast<size_t>(static_cast<unsigned char>(requests[0].body[3])) << 8) + 5,
            requests[0].body.size());
  Sending refused;
  refused.settings.protocol = Protocol::kGrpc;
  refused.transport.On("POST http://c/v1/traces",
                       net::ScriptedTransport::Make(
                           200, "", {{"grpc-status", "16"}, {"grpc-message", "who are you"}}));
  EXPECT_EQ(refused.Send(1).error().message, "status 16: who are you");
}

}  // namespace
}  // namespace kinu::telemetry
