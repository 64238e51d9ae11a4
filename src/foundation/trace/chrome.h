// Spans as a Chrome trace, the JSON that chrome://tracing, Perfetto and Speedscope show.
// Ref: the Trace Event Format, complete events ("ph":"X").
#pragma once

#include <span>
#include <string>

#include "trace/trace.h"

namespace kinu::trace {

/// The document of the spans. Times begin with the first of them.
std::string ChromeTrace(std::span<const Record> records);

}  // namespace kinu::trace
