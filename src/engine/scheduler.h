// The scheduler executes the nodes of a graph, each when all its dependencies are done. Diagnostics
// are collected in graph order afterwards, so that output does not depend on timing.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "diag/diagnostic.h"
#include "engine/apply_graph.h"
#include "engine/plan_graph.h"
#include "trace/trace.h"

namespace kinu::engine {

class Scheduler {
 public:
  using Execute = std::function<void(NodeId, Diagnostics&)>;
  /// Whether executing a node calls another process, so that it runs on a thread of the pool.
  using IsBlocking = std::function<bool(NodeId)>;

  /// `apply`: null if the graph has no cells.
  Scheduler(const PlanGraph& graph, const ApplyGraph* apply);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Executes all nodes in the order of their dependencies. A node that fails silently skips all
  /// nodes that wait for it. Appends the diagnostics of all nodes in graph order; those of an
  /// abandoned walk are dropped.
  void Run(const Execute& execute, const IsBlocking& blocking, Diagnostics& diags);

  /// Called by a node while it is executed: its work continues on other threads until Finish().
  void Detach(NodeId id) { detached_[id] = 1; }
  /// From any thread: a detached node is done. The caller must not use the walk after this.
  void Finish(NodeId id) { finish_(id); }
  /// Called by a node that fails without a diagnostic, because it skipped rows.
  void MarkFailed(NodeId id) { status_[id] = Status::kFailed; }
  /// Whether a node was executed without errors.
  bool Succeeded(NodeId id) const { return status_[id] == Status::kDone; }
  /// Whether a cell was executed, or is being executed.
  bool Began(uint32_t cell) const { return began_[cell] != 0; }

  /// Whether no further node that works on objects is started.
  bool stopping() const { return quiet() || (request_.stop != nullptr && request_.stop->load()); }
  /// Whether nodes that are not started for that reason report nothing.
  bool quiet() const { return halted_.load() || abandoned(); }
  /// From any thread: no further node that works on objects is started. The caller reports why.
  void Halt() { halted_.store(true); }

  /// Runs `work(i)` for i in [0, count): on the threads for calls when `blocking`, else on all
  /// cores if there is much to do.
  void ForEachRow(size_t count, bool blocking, const std::function<void(size_t)>& work);

  /// The span of a node that is being executed, or was; 0: nodes are not recorded.
  trace::SpanId SpanOf(NodeId id) const { return spans_.empty() ? 0 : spans_[id]; }

  /// Ends the threads.
  void Join();

 private:
  enum class Status : uint8_t { kWaiting, kDone, kFailed, kSkipped, kLeftOut };
  class Pool;
  class Loop;
  bool abandoned() const { return request_.abandoned != nullptr && request_.abandoned->load(); }
  Pool& EnsurePool();

  const PlanGraph& graph_;
  const ApplyGraph* apply_;
  const Request& request_;
  std::vector<Status> status_;
  std::vector<uint8_t> detached_;
  std::vector<uint8_t> began_;        ///< per cell
  std::vector<trace::SpanId> spans_;  ///< per node, if nodes are recorded
  std::atomic<bool> halted_{false};
  std::function<void(NodeId)> finish_;
  std::unique_ptr<Pool> pool_;
  unsigned loop_threads_;  ///< for work that calls no other process
};

}  // namespace kinu::engine
