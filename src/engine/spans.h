// The spans of walks and of what they work on, for traces. Their names and attributes are those of
// OpenTofu. Ref: opentofu internal/tofu, every tracing.Tracer().Start.
#pragma once

#include <optional>

#include "diag/diagnostic.h"
#include "engine/graph.h"
#include "plan/plan.h"
#include "trace/trace.h"

namespace kinu::engine {

struct RowContext;
struct Request;
struct ProviderInfo;
class Walk;

inline constexpr std::string_view kTraceScope = "kinu/engine";

/// Marks a span as failed if `diags` has errors.
void FailSpan(trace::Span& span, const Diagnostics& diags);

/// How the words of a mode are in attributes.
std::string_view ModeWord(plan::Mode mode);
/// Sets the attributes of the span of a plan.
void DescribePlan(trace::Span& span, const Request& request);

/// What is done with a row.
enum class RowStep : uint8_t {
  kPlan,
  kPlanDestroy,  ///< of a destruction, or of a deposed object
  kApply,
  kDispose,  ///< destroys a deposed object, or forgets one: no exported span
};

/// The span of the work on one row; none unless traces are recorded.
class RowSpan {
 public:
  /// `after`: the row whose end let this one begin; 0: what the whole node waited for.
  RowSpan(const RowContext& row, RowStep step, trace::SpanId after = 0) : row_(row) {
    if (trace::On()) [[unlikely]] {
      Begin(step, after);
    }
  }
  /// Records the result.
  void Conclude(const Diagnostics& diags) {
    if (span_) [[unlikely]] {
      Finish(diags);
    }
  }
  trace::SpanId id() const { return span_ ? span_->id() : 0; }

 private:
  void Begin(RowStep step, trace::SpanId after);
  void Finish(const Diagnostics& diags);

  const RowContext& row_;
  std::optional<trace::Span> span_;
};

/// Begins the span of the configuration or validation of a provider instance, if traces are
/// recorded.
void BeginProviderSpan(std::optional<trace::Span>& span, const Walk& walk, NodeId id,
                       const ProviderInfo& info, const InstanceKey& key = {});

}  // namespace kinu::engine
