#include "engine/scheduler.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "base/loop_threads.h"
#include "base/rare.h"
#include "base/thread.h"
#include "engine/node_kinds.h"
#include "engine/spans.h"

namespace kinu::engine {
namespace {

/// How many threads run loops. What an apply does is recorded in the order of its nodes, on one
/// thread.
unsigned LoopThreadsOf(const WalkContext& context) {
  if (context.kind != WalkKind::kValidate && context.kind != WalkKind::kPlan) {
    return 1;
  }
  return std::min(UsableCores(),
                  static_cast<unsigned>(std::max(1, context.request.options.parallelism)));
}

}  // namespace

// Threads for calls to provider processes. Other work runs on the coordinating thread, and on the
// threads for loops when much of it is ready: passing a microsecond of work to another thread takes
// longer than the work.
class Scheduler::Pool {
 public:
  explicit Pool(int threads) : limit(threads) {}
  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      closing_ = true;
    }
    wake_.notify_all();
    for (auto& worker : workers_) {
      worker->Join();
    }
  }

  void Submit(std::function<void()> task) {
    std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    // Idle workers may not have woken up for earlier tasks yet.
    if (tasks_.size() > idle_ && workers_.size() < static_cast<size_t>(limit)) {
      workers_.push_back(std::make_unique<BigThread>([this] { Work(); }));
    } else {
      wake_.notify_one();
    }
  }

  const int limit;

 private:
  void Work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      wake_.wait(lock, [this] { return closing_ || !tasks_.empty(); });
      --idle_;
      if (tasks_.empty()) {
        return;
      }
      auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::unique_ptr<BigThread>> workers_;
  size_t idle_ = 0;
  bool closing_ = false;
};

// One run: the coordinator starts ready nodes and collects finished ones. Nodes that call a
// provider process are tasks of the pool, so that independent nodes overlap.
class Scheduler::Loop {
 public:
  Loop(Scheduler& scheduler, const Execute& execute, const IsBlocking& blocking)
      : scheduler_(scheduler),
        graph_(scheduler.graph_),
        execute_(execute),
        blocking_(blocking),
        found_(graph_.size()),
        waiting_(graph_.size()),
        queued_(graph_.size(), false) {
    if (trace::Detailed()) {
      scheduler_.spans_.resize(graph_.size());
      released_by_.resize(graph_.size());
    }
  }

  void Run() {
    for (NodeId id = 0; id < graph_.size(); ++id) {
      waiting_[id] = static_cast<uint32_t>(graph_.dependencies(id).size());
      if (waiting_[id] == 0) {
        Enqueue(id);
      }
    }
    PrepareEarlyStarts();
    while (!ready_.empty() || running_ > 0) {
      SetBurst(!ready_.empty());
      if (ready_.empty()) {
        Complete(AwaitFinished());
      } else if (ready_.size() >= kManyReady && scheduler_.loop_threads_ > 1) {
        StartTogether(std::exchange(ready_, {}));
      } else {
        NodeId id = ready_.front();
        ready_.pop_front();
        Start(id);
      }
    }
    SetBurst(false);
  }

  /// From any thread.
  void Finish(NodeId id) {
    std::lock_guard lock(inbox_.mutex);
    inbox_.finished.push_back(id);
    inbox_.arrived.notify_one();
  }

  /// What the nodes reported, those that reported something.
  std::vector<Rare<Diagnostics>>& found() { return found_; }

 private:
  using Status = Scheduler::Status;
  /// From so many ready nodes on, other threads help.
  static constexpr size_t kManyReady = 128;
  /// A cell that follows other cells row by row can begin when these have begun.
  struct EarlyStart {
    uint32_t others = 0;     ///< dependencies that must be done
    uint32_t not_begun = 0;  ///< cells that it follows and that have not begun
    bool follows = false;
  };

  /// Nodes that other threads have finished.
  struct Inbox {
    std::mutex mutex;
    std::condition_variable arrived;
    std::deque<NodeId> finished;
  };

  const std::vector<Cell>& cells() const { return scheduler_.apply_->cells; }

  /// This thread waits for nothing while nodes are ready, so their events come close together.
  void SetBurst(bool burst) {
    EventSink* const sink = scheduler_.request_.events;
    if (sink == nullptr || burst == burst_) {
      return;
    }
    burst_ = burst;
    if (burst) {
      sink->BeginBurst();
    } else {
      sink->EndBurst();
    }
  }

  void Enqueue(NodeId id) {
    if (!queued_[id]) {
      queued_[id] = true;
      ready_.push_back(id);
    }
  }

  void PrepareEarlyStarts() {
    if (scheduler_.apply_ == nullptr) {
      return;
    }
    early_.resize(cells().size());
    for (size_t i = 0; i < cells().size(); ++i) {
      auto followed = static_cast<uint32_t>(cells()[i].order.follows.size());
      if (followed > 0) {
        early_[i] = {waiting_[cells()[i].id] - followed, followed, true};
      }
    }
  }

  void StartEarly(uint32_t cell) {
    NodeId id = cells()[cell].id;
    if (early_[cell].others == 0 && early_[cell].not_begun == 0 &&
        scheduler_.status_[id] == Status::kWaiting && blocking_(id)) {
      Enqueue(id);
    }
  }

  NodeId AwaitFinished() {
    std::unique_lock lock(inbox_.mutex);
    inbox_.arrived.wait(lock, [&] { return !inbox_.finished.empty(); });
    NodeId id = inbox_.finished.front();
    inbox_.finished.pop_front();
    --running_;
    return id;
  }

  /// Decides whether a ready node is executed, and sets its status if not.
  bool Admit(NodeId id) {
    Status& status = scheduler_.status_[id];
    if (status != Status::kWaiting) {
      return false;
    }
    if (!graph_.Kept(id)) {
      status = Status::kLeftOut;
    } else if (scheduler_.abandoned()) {
      // Open ephemeral objects are closed anyway.
      status = graph_.node(id).kind == NodeKind::kClose ? status : Status::kSkipped;
    } else if (scheduler_.stopping() && WorksOnObjects(graph_.node(id).kind)) {
      status = Status::kSkipped;
      if (!scheduler_.quiet()) {
        found_[id].Ensure().Error("execution halted", "");
      }
    }
    return status == Status::kWaiting;
  }

  /// Keeps what the node reports.
  void Do(NodeId id) {
    std::optional<trace::Span> span;
    if (!released_by_.empty()) [[unlikely]] {
      BeginSpan(span, id);
    }
    if (graph_.node(id).kind == NodeKind::kCell) {
      execute_(id, found_[id].Ensure());  // a detached cell adds to them later
      return;
    }
    Diagnostics found;
    execute_(id, found);
    if (!found.empty()) {
      found_[id] = std::move(found);
    }
  }

  void BeginSpan(std::optional<trace::Span>& span, NodeId id) {
    span.emplace(kTraceScope, "node", trace::Kind::kNode, phase_);
    const Node& node = graph_.node(id);
    trace::Record& record = span->record();
    record.object = node.kind == NodeKind::kCell
                        ? graph_.program.ToText(cells()[node.index].resource)
                        : NodeName(graph_, id);
    record.after = released_by_[id];
    scheduler_.spans_[id] = span->id();
  }

  /// Records that a node waited for another one last.
  void NoteRelease(NodeId dependent, NodeId done) {
    if (!released_by_.empty()) [[unlikely]] {
      const trace::SpanId span = scheduler_.spans_[done];
      released_by_[dependent] = span != 0 ? span : released_by_[done];
    }
  }

  void Start(NodeId id) {
    const bool executes = Admit(id);
    Begin(id, executes);
    if (!executes) {
      Complete(id);
    } else if (blocking_(id)) {
      ++running_;
      // A detached node may finish, and this loop end, before its function returns.
      scheduler_.EnsurePool().Submit([this, &scheduler = scheduler_, id] {
        Do(id);
        if (scheduler.detached_[id] == 0) {
          Finish(id);
        }
      });
    } else {
      Do(id);
      if (scheduler_.detached_[id] != 0) {
        ++running_;
      } else {
        Complete(id);
      }
    }
  }

  /// Starts many nodes: resource blocks whose providers are no other processes run on all cores.
  void StartTogether(const std::deque<NodeId>& ready) {
    std::vector<NodeId> together;
    for (const NodeId id : ready) {
      if (graph_.node(id).kind != NodeKind::kResource || blocking_(id) || !Admit(id)) {
        Start(id);
      } else {
        together.push_back(id);
      }
    }
    LoopThreads::OfProcess().Run(together.size(), scheduler_.loop_threads_,
                                 [&](size_t i) { Do(together[i]); });
    for (const NodeId id : together) {
      Complete(id);
    }
  }

  /// Called once for each node, before it is executed or when it is skipped.
  void Begin(NodeId id, bool executed) {
    if (graph_.node(id).kind != NodeKind::kCell) {
      return;
    }
    const uint32_t cell = graph_.node(id).index;
    scheduler_.began_[cell] = executed ? 1 : 0;
    for (uint32_t later : cells()[cell].order.followed_by) {
      --early_[later].not_begun;
      StartEarly(later);
    }
  }

  /// Whether rows of the cell wait for rows of the cell that is that node.
  bool Follows(const Cell& cell, NodeId earlier) const {
    const Node& node = graph_.node(earlier);
    return node.kind == NodeKind::kCell &&
           std::binary_search(cell.order.follows.begin(), cell.order.follows.end(), node.index);
  }

  void Complete(NodeId id) {
    std::vector<Status>& status = scheduler_.status_;
    if (status[id] == Status::kWaiting) {
      status[id] = found_[id] && found_[id]->has_errors() ? Status::kFailed : Status::kDone;
    }
    const bool stands = status[id] == Status::kDone || status[id] == Status::kLeftOut;
    for (NodeId dependent : graph_.dependents(id)) {
      if (!stands && !graph_.IsSoft(dependent, id)) {
        status[dependent] = Status::kSkipped;
      }
      if (--waiting_[dependent] == 0) {
        if (!queued_[dependent]) {
          NoteRelease(dependent, id);
        }
        Enqueue(dependent);
        continue;
      }
      const Node& node = graph_.node(dependent);
      if (node.kind == NodeKind::kCell && early_[node.index].follows && !queued_[dependent] &&
          !Follows(cells()[node.index], id)) {
        --early_[node.index].others;
        NoteRelease(dependent, id);
        StartEarly(node.index);
      }
    }
  }

  Scheduler& scheduler_;
  const PlanGraph& graph_;
  const Execute& execute_;
  const IsBlocking& blocking_;
  std::vector<Rare<Diagnostics>> found_;
  std::vector<uint32_t> waiting_;  ///< dependencies that are not done
  std::vector<bool> queued_;
  std::deque<NodeId> ready_;
  std::vector<EarlyStart> early_;           ///< per cell
  std::vector<trace::SpanId> released_by_;  ///< per node, if nodes are recorded
  trace::SpanId phase_ = trace::Current();  ///< the span around the walk
  size_t running_ = 0;
  bool burst_ = false;
  Inbox inbox_;
};

Scheduler::Scheduler(const PlanGraph& graph, const ApplyGraph* apply)
    : graph_(graph),
      apply_(apply),
      request_(graph.context.request),
      status_(graph.size(), Status::kWaiting),
      detached_(graph.size(), 0),
      began_(apply == nullptr ? 0 : apply->cells.size(), 0),
      loop_threads_(LoopThreadsOf(graph.context)) {
}

Scheduler::~Scheduler() = default;

void Scheduler::Run(const Execute& execute, const IsBlocking& blocking, Diagnostics& diags) {
  Loop loop(*this, execute, blocking);
  finish_ = [&loop](NodeId id) { loop.Finish(id); };
  loop.Run();
  if (abandoned()) {
    return;
  }
  for (Rare<Diagnostics>& list : loop.found()) {
    if (list) {
      diags.Append(std::move(*list));
    }
  }
}

Scheduler::Pool& Scheduler::EnsurePool() {
  if (pool_ == nullptr) {
    pool_ = std::make_unique<Pool>(std::max(1, request_.options.parallelism));
  }
  return *pool_;
}

void Scheduler::Join() {
  pool_.reset();
}

void Scheduler::ForEachRow(size_t count, bool blocking, const std::function<void(size_t)>& work) {
  constexpr size_t kManyRows = 256;
  if (!blocking && count >= kManyRows && loop_threads_ > 1) {
    LoopThreads::OfProcess().Run(count, loop_threads_, work);
    return;
  }
  if (!blocking || count < 2 || pool_ == nullptr) {
    for (size_t i = 0; i < count; ++i) {
      work(i);
    }
    return;
  }
  // This thread belongs to the pool. It runs rows itself, and other threads of the pool run some of
  // them; a task that starts late finds no rows left.
  struct Shared {
    std::atomic<size_t> next{0};
    std::mutex mutex;
    std::condition_variable done;
    size_t finished = 0;
  };
  auto shared = std::make_shared<Shared>();
  auto run_some = [shared, count, &work] {
    size_t did = 0;
    for (size_t i = shared->next++; i < count; i = shared->next++) {
      work(i);
      ++did;
    }
    if (did > 0) {
      std::lock_guard lock(shared->mutex);
      shared->finished += did;
      if (shared->finished == count) {
        shared->done.notify_one();
      }
    }
  };
  size_t invited = std::min(count, static_cast<size_t>(pool_->limit)) - 1;
  for (size_t i = 0; i < invited; ++i) {
    pool_->Submit(run_some);
  }
  run_some();
  std::unique_lock lock(shared->mutex);
  shared->done.wait(lock, [&] { return shared->finished == count; });
}

}  // namespace kinu::engine
