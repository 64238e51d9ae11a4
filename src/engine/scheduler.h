// The scheduler executes the nodes of a graph, each when all that it waits for is done. Problems
// are collected in graph order afterwards, so that output never depends on timing.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

#include "diag/diagnostic.h"
#include "engine/apply_graph.h"
#include "engine/plan_graph.h"

namespace kinu::engine {

class Scheduler {
 public:
  using Execute = std::function<void(NodeId, Diagnostics&)>;
  /// Whether executing a node calls another process, so that it belongs on a thread of its own.
  using IsBlocking = std::function<bool(NodeId)>;

  /// `apply`: null when the graph has no cells.
  Scheduler(const PlanGraph& graph, const ApplyGraph* apply);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Executes every node in dependency order. A failing node silences all that wait for it.
  /// Problems of all nodes are appended to `diags` in graph order; none of a walk that was
  /// abandoned.
  void Run(const Execute& execute, const IsBlocking& blocking, Diagnostics& diags);

  /// Called by a node that is executed: its work goes on elsewhere after that, until Finish().
  void Detach(NodeId id) { detached_[id] = 1; }
  /// From any thread: a detached node is done. It must not touch the walk after this.
  void Finish(NodeId id) { finish_(id); }
  /// Makes a node count as failed although it reports nothing (rows were skipped). Called by the
  /// node.
  void MarkFailed(NodeId id) { status_[id] = Status::kFailed; }
  /// Whether a node was executed without error.
  bool Succeeded(NodeId id) const { return status_[id] == Status::kDone; }
  /// Whether a cell was executed, or is being executed.
  bool Began(uint32_t cell) const { return began_[cell] != 0; }

  /// Whether nothing further that works on objects is to be started.
  bool stopping() const { return quiet() || (request_.stop != nullptr && request_.stop->load()); }
  /// Whether what is not started for that reason reports nothing.
  bool quiet() const { return halted_.load() || abandoned(); }
  /// From any thread: nothing further that works on objects is started. The caller reports why.
  void Halt() { halted_.store(true); }

  /// Runs `work(i)` for i in [0, count), on several threads when `blocking`.
  void ForEachRow(size_t count, bool blocking, const std::function<void(size_t)>& work);

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
  std::vector<uint8_t> began_;  ///< per cell
  std::atomic<bool> halted_{false};
  std::function<void(NodeId)> finish_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace kinu::engine
