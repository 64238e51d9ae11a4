// The trace that a run is a part of: the variables TRACEPARENT and TRACESTATE.
// Ref: W3C Trace Context; go.opentelemetry.io/otel propagation/trace_context.go.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace kinu::trace {

using TraceId = std::array<unsigned char, 16>;

/// A span of another program.
struct Parent {
  TraceId trace{};
  SpanId span = 0;
  uint8_t flags = 0;  ///< sampled (1) and random (2)
};

/// Reads "VERSION-TRACE-SPAN-FLAGS", in lower-case hexadecimal digits; nothing if it is not that.
std::optional<Parent> ParseTraceParent(std::string_view text);
/// Checks a list "KEY=VALUE,KEY=VALUE": returns it without empty parts and spaces around parts, or
/// an empty text if a part is wrong.
std::string ParseTraceState(std::string_view text);
/// A new id of a trace, never zero.
TraceId NewTraceId();

/// Says which trace the spans of this run belong to, once, before programs are started.
void NameTrace(const TraceId& trace, uint8_t flags);
/// What TRACEPARENT says to a program that the current span of this thread starts; empty if no
/// collector gets the spans, or no span is current.
std::string TraceParentOfChildren();

}  // namespace kinu::trace
