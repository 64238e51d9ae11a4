#include "telemetry/telemetry.h"

#include <memory>

#include "base/environment.h"
#include "log/log.h"
#include "net/curl_transport.h"
#include "telemetry/exporter.h"

namespace kinu::telemetry {
namespace {

/// What Start() has found.
struct Session {
  Settings settings;
  Identity identity;
  TraceContext context;
};

std::unique_ptr<Session>& TheSession() {
  static std::unique_ptr<Session> session;
  return session;
}

/// The trace that TRACEPARENT names, or a new one.
TraceContext MakeContext() {
  TraceContext context;
  if (const auto parent = trace::ParseTraceParent(Environment("TRACEPARENT"))) {
    context.trace = parent->trace;
    context.parent = parent->span;
    context.flags = static_cast<uint8_t>(parent->flags | 1);  // every span is sampled
    context.state = trace::ParseTraceState(Environment("TRACESTATE"));
  } else {
    context.trace = trace::NewTraceId();
  }
  return context;
}

}  // namespace

bool Wanted() {
  return Environment("OTEL_TRACES_EXPORTER") == "otlp";
}

Result<void> Start(Identity identity) {
  Result<Settings> settings = ReadSettings([](const char* name) { return Environment(name); });
  if (!settings) {
    return std::unexpected(settings.error());
  }
  TheSession() =
      std::make_unique<Session>(Session{*std::move(settings), std::move(identity), MakeContext()});
  trace::NameTrace(TheSession()->context.trace, TheSession()->context.flags);
  trace::Start(trace::Detail::kSpans);
  return {};
}

void Send(std::vector<trace::Record> records) {
  const Session* session = TheSession().get();
  if (session == nullptr) {
    return;
  }
  AdoptChildren(records);
  const Resource resource =
      MakeResource(session->identity, [](const char* name) { return Environment(name); });
  const Result<void> sent =
      SendSpans(net::CurlTransport(), session->settings, records, resource, session->context);
  if (!sent && log::Enabled(log::Level::kWarn)) {
    log::Write(log::Level::kWarn,
               "OpenTelemetry: error flushing spans: traces export: " + sent.error().message);
  }
}

}  // namespace kinu::telemetry
