// Sends spans to a collector, by HTTP or gRPC.
#pragma once

#include <chrono>
#include <functional>
#include <span>

#include "net/http.h"
#include "telemetry/otlp.h"
#include "telemetry/settings.h"

namespace kinu::telemetry {

/// How long sending may take, and how it waits.
struct Patience {
  std::chrono::milliseconds whole{5'000};
  std::function<void(std::chrono::milliseconds)> wait;  ///< empty: sleeps
};

/// Sends the spans in as many requests as they need. Returns after a while in any case; the error
/// is that of the first request that failed.
Result<void> SendSpans(net::Transport& transport, const Settings& settings,
                       std::span<const trace::Record> records, const Resource& resource,
                       const TraceContext& context, const Patience& patience = {});

}  // namespace kinu::telemetry
