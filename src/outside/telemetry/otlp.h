// Spans as the protobuf messages of OTLP. Ref: opentelemetry-proto collector/trace/v1, trace/v1.
#pragma once

#include <span>
#include <string>

#include "telemetry/resource.h"
#include "trace/parent.h"
#include "trace/trace.h"

namespace kinu::telemetry {

/// The trace of all spans.
struct TraceContext {
  trace::TraceId trace{};
  trace::SpanId parent = 0;  ///< of another program; 0: none
  uint8_t flags = 1;
  std::string state;
};

/// Spans whose parents are not exported become children of the nearest one that is.
void AdoptChildren(std::vector<trace::Record>& records);

/// The message ExportTraceServiceRequest of these spans. `epoch` is what their times need to be
/// nanoseconds since 1970.
std::string EncodeSpans(std::span<const trace::Record> records, const Resource& resource,
                        const TraceContext& context, int64_t epoch);

}  // namespace kinu::telemetry
