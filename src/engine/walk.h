// A walk: one run over a graph (validate, plan, apply, eval). It reads a finished PlanGraph, fills
// the Slots and has a Scheduler; results are assembled from the slots afterwards, in graph order.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/apply_graph.h"
#include "engine/plan_graph.h"
#include "engine/progress.h"
#include "engine/provider_functions.h"
#include "engine/provider_pool.h"
#include "engine/scheduler.h"
#include "engine/slots.h"
#include "functions/function.h"
#include "trace/trace.h"

namespace kinu::engine {

class EphemeralKeeper;

class Walk {
 public:
  /// Makes the root module instance. The graphs outlive the walk; `built_apply` is null unless the
  /// walk applies.
  explicit Walk(const PlanGraph& built, const ApplyGraph* built_apply = nullptr);
  /// Returns the providers to the request's pool.
  ~Walk();

  const WalkContext& context;
  const config::Config& config;
  Program& program;
  const PlanGraph& graph;
  const ApplyGraph* const apply;
  const trace::SpanId phase = trace::Current();  ///< the span that is around this walk
  Slots slots;
  Scheduler scheduler;
  ProgressTicker ticker;                       ///< posts the progress of slow operations
  std::unique_ptr<EphemeralKeeper> ephemeral;  ///< has the open ephemeral objects
  /// Functions of providers, by name.
  std::unique_ptr<ProviderFunctions> functions;

  void Run(const Scheduler::Execute& execute, Diagnostics& diags) {
    scheduler.Run(execute, [this](NodeId id) { return IsBlocking(id); }, diags);
  }

  /// The entry of a block in a module instance in the prior state; null: there is none.
  const state::Resource* StoredOf(const ModuleInstance& instance, size_t resource) const;

  /// A provider that validates its types: the configured one, or one started for this.
  provider::Provider* ProviderForValidation(uint32_t provider, Diagnostics& diags);

  const functions::CallContext& call_context() const { return call_context_; }
  void Post(Event event) const {
    if (context.request.events != nullptr) {
      context.request.events->Post(std::move(event));
    }
  }

 private:
  /// Whether executing the node calls another process.
  bool IsBlocking(NodeId id) const;

  provider::Provider* StartForValidation(uint32_t provider, Diagnostics& diags);

  functions::CallContext call_context_;
  std::mutex validation_mutex_;  ///< for the start of providers that validate
  /// By provider, what ProviderForValidation() has returned; null: nothing yet.
  std::vector<std::atomic<provider::Provider*>> validating_;
};

}  // namespace kinu::engine
