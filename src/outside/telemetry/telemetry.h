// Traces of a run for a collector, if OTEL_TRACES_EXPORTER asks for them.
// Ref: opentofu internal/tracing/init.go.
#pragma once

#include <vector>

#include "base/result.h"
#include "telemetry/resource.h"
#include "trace/trace.h"

namespace kinu::telemetry {

/// Whether the environment asks for traces.
bool Wanted();
/// Reads the environment and turns tracing on. Call it once, if Wanted(). An error ends the
/// program.
Result<void> Start(Identity identity);
/// Sends the spans of the run, if tracing was started, within seconds. Failures are logged.
void Send(std::vector<trace::Record> records);

}  // namespace kinu::telemetry
