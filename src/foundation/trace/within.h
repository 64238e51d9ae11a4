// Work that one thread hands to another: its spans belong into the span that handed it over.
#pragma once

#include "trace/trace.h"

namespace kinu::trace {

/// Makes a span, which another thread may have begun, the current one of this thread for as long as
/// this object lasts. Spans that begin meanwhile must end before it.
class Within {
 public:
  explicit Within(SpanId span);
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;
  ~Within();

 private:
  SpanId outer_;
};

}  // namespace kinu::trace
