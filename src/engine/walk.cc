#include "engine/walk.h"

#include <algorithm>
#include <condition_variable>
#include <deque>

#include "base/thread.h"
#include "engine/cells.h"
#include "engine/ephemeral.h"
#include "engine/refactoring.h"
#include "lang/template.h"

namespace kinu::engine {

// Workers for blocking provider calls. Everything else runs on the coordinating thread: handing a
// microsecond of work to another thread costs more than doing it.
struct Walk::Pool {
  explicit Pool(int threads) : limit(threads) {}
  ~Pool() {
    {
      std::lock_guard lock(mutex);
      closing = true;
    }
    wake.notify_all();
    for (auto& worker : workers) {
      worker->Join();
    }
  }

  void Submit(std::function<void()> task) {
    std::lock_guard lock(mutex);
    tasks.push_back(std::move(task));
    // Those who are idle may not have woken up for earlier tasks yet.
    if (tasks.size() > idle && workers.size() < static_cast<size_t>(limit)) {
      workers.push_back(std::make_unique<BigThread>([this] { Work(); }));
    } else {
      wake.notify_one();
    }
  }

  void Work() {
    std::unique_lock lock(mutex);
    for (;;) {
      ++idle;
      wake.wait(lock, [this] { return closing || !tasks.empty(); });
      --idle;
      if (tasks.empty()) {
        return;
      }
      auto task = std::move(tasks.front());
      tasks.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }

  const int limit;
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<std::function<void()>> tasks;
  std::vector<std::unique_ptr<BigThread>> workers;
  size_t idle = 0;
  bool closing = false;
};

Walk::Walk(WalkKind walk_kind, const Input& walk_input)
    : kind(walk_kind),
      input(walk_input),
      config(*walk_input.config),
      program(*walk_input.config->program),
      targets(*walk_input.config->program, walk_input.options.targets, walk_input.options.excludes),
      ticker(walk_input.events),
      ephemeral(std::make_unique<EphemeralKeeper>(walk_input.events, ticker)) {
  instances.resize(config.nodes.size());
  blocks.resize(config.nodes.size());
  call_dependencies.resize(config.nodes.size());
  call_context_.timestamp = input.options.plan_timestamp;
  call_context_.pure_only = kind == WalkKind::kValidate || kind == WalkKind::kPlan;
  call_context_ = lang::WithTemplates(std::move(call_context_), functions::Table::Standard());
}

Walk::~Walk() {
  pool_.reset();
  ephemeral.reset();
  if (input.pool == nullptr) {
    return;
  }
  for (ProviderSlot& slot : providers) {
    if (slot.provider != nullptr) {
      input.pool->Put(slot.address, 0, std::move(slot.provider));
    }
    for (size_t row = 0; row < slot.keyed.size(); ++row) {
      if (slot.keyed[row] != nullptr) {
        input.pool->Put(slot.address, row, std::move(slot.keyed[row]));
      }
    }
  }
}

provider::Provider* ProviderSlot::Get(const InstanceKey& key) const {
  if (key.none()) {
    return provider.get();
  }
  for (size_t row = 0; row < keyed.size(); ++row) {
    if (expansion.key(row) == key) {
      return keyed[row].get();
    }
  }
  return nullptr;
}

std::unique_ptr<provider::Provider> ProviderPool::Take(const ProviderConfig& address, size_t row) {
  std::lock_guard lock(mutex_);
  for (size_t i = 0; i < idle_.size(); ++i) {
    if (idle_[i].address == address && idle_[i].row == row) {
      auto provider = std::move(idle_[i].provider);
      idle_.erase(idle_.begin() + static_cast<ptrdiff_t>(i));
      in_use_.push_back(provider.get());
      return provider;
    }
  }
  return nullptr;
}

void ProviderPool::Put(const ProviderConfig& address, size_t row,
                       std::unique_ptr<provider::Provider> provider) {
  std::lock_guard lock(mutex_);
  std::erase(in_use_, provider.get());
  idle_.push_back({address, row, std::move(provider)});
}

void ProviderPool::StopAll() {
  std::lock_guard lock(mutex_);
  for (provider::Provider* provider : in_use_) {
    provider->Stop();
  }
}

void ProviderPool::CloseAll() {
  std::lock_guard lock(mutex_);
  for (Entry& entry : idle_) {
    entry.provider->Close();
  }
  idle_.clear();
}

uint32_t Walk::EnsureProvider(const ProviderConfig& address) {
  auto [it, added] = provider_index_.emplace(address, static_cast<uint32_t>(providers.size()));
  if (added) {
    ProviderSlot slot;
    slot.address = address;
    slot.block = config.FindProviderBlock(address);
    slot.node = config.Find(address.module);
    slot.declared = config.HasProvider(address, kind == WalkKind::kValidate);
    providers.push_back(std::move(slot));
  }
  return it->second;
}

uint32_t Walk::EnsureStoredProvider(const ProviderConfig& address) {
  return EnsureProvider(config.ProviderAt(address).value_or(address));
}

std::optional<uint32_t> Walk::FunctionProvider(const config::ConfigNode& node,
                                               const ProviderFunctionName& name) const {
  const config::RequiredProvider* required =
      node.module->FindRequiredProvider(program.Find(name.provider));
  if (required == nullptr) {
    return std::nullopt;
  }
  Symbol alias = name.alias.empty() ? Symbol() : program.Find(name.alias);
  ProviderConfig address = config.ResolveProviderAddress(node, required->provider, alias);
  auto it = provider_index_.find(address);
  if (it == provider_index_.end()) {
    it = provider_index_.find({ModuleId(), required->provider, Symbol()});
  }
  return it == provider_index_.end() ? std::nullopt : std::optional(it->second);
}

std::optional<uint32_t> Walk::EnsureFunctionProvider(const config::ConfigNode& node,
                                                     const ProviderFunctionName& name) {
  const config::RequiredProvider* required =
      node.module->FindRequiredProvider(program.Find(name.provider));
  if (required == nullptr) {
    return std::nullopt;
  }
  if (std::optional<uint32_t> known = FunctionProvider(node, name)) {
    return known;
  }
  uint32_t index = EnsureProvider({ModuleId(), required->provider, Symbol()});
  ProviderSlot& slot = providers[index];
  slot.only_functions = true;
  if (auto schema = input.providers->Schema(program.Text(required->provider))) {
    slot.schema = *schema;
  }
  provider_nodes.push_back(graph.Add({NodeKind::kProvider, 0, index}));
  return index;
}

namespace {

/// Whether a node does what an interrupt stops. Ref: hook_stop.go.
bool WorksOnObjects(NodeKind kind) {
  return kind == NodeKind::kResource || kind == NodeKind::kOrphan || kind == NodeKind::kDeposed ||
         kind == NodeKind::kCell;
}

/// Whether rows of the cell wait for rows of the cell that is that node.
bool Follows(const Walk& walk, const Cell& cell, NodeId earlier) {
  const Node& node = walk.graph.node(earlier);
  return node.kind == NodeKind::kCell &&
         std::binary_search(cell.follows.begin(), cell.follows.end(), node.index);
}

}  // namespace

void Walk::Run(const std::function<void(NodeId, Diagnostics&)>& execute, Diagnostics& diags) {
  status_.assign(graph.size(), Status::kWaiting);
  detached_.assign(graph.size(), 0);
  std::vector<Diagnostics> found(graph.size());
  // Nodes whose rows need a provider process run as tasks of the pool, so independent nodes
  // overlap. The coordinator hands out ready nodes and collects finished ones.
  std::mutex mutex;
  std::condition_variable finished_one;
  std::deque<NodeId> finished;
  std::vector<uint32_t> waiting(graph.size());
  std::vector<bool> queued(graph.size(), false);
  std::deque<NodeId> ready;
  size_t running = 0;
  auto enqueue = [&](NodeId id) {
    if (!queued[id]) {
      queued[id] = true;
      ready.push_back(id);
    }
  };
  for (NodeId id = 0; id < graph.size(); ++id) {
    waiting[id] = static_cast<uint32_t>(graph.dependencies(id).size());
    if (waiting[id] == 0) {
      enqueue(id);
    }
  }
  std::vector<EarlyStart> early(cells.size());
  for (size_t i = 0; i < cells.size(); ++i) {
    auto followed = static_cast<uint32_t>(cells[i].follows.size());
    if (followed > 0) {
      early[i] = {waiting[cells[i].id] - followed, followed, true};
    }
  }
  auto start_early = [&](uint32_t cell) {
    NodeId id = cells[cell].id;
    if (early[cell].others == 0 && early[cell].not_begun == 0 && status_[id] == Status::kWaiting &&
        IsBlocking(id)) {
      enqueue(id);
    }
  };
  // Told once of each node, when it is executed or it is clear that it will not be.
  auto begin = [&](NodeId id, bool executed) {
    if (graph.node(id).kind != NodeKind::kCell) {
      return;
    }
    Cell& cell = cells[graph.node(id).index];
    cell.begun = executed;
    for (uint32_t later : cell.followed_by) {
      --early[later].not_begun;
      start_early(later);
    }
  };
  auto complete = [&](NodeId id) {
    if (status_[id] == Status::kWaiting) {
      status_[id] = found[id].has_errors() ? Status::kFailed : Status::kDone;
    }
    for (NodeId dependent : graph.dependents(id)) {
      bool stands = status_[id] == Status::kDone || status_[id] == Status::kLeftOut;
      if (!stands && !graph.IsSoft(dependent, id)) {
        status_[dependent] = Status::kSkipped;
      }
      if (--waiting[dependent] == 0) {
        enqueue(dependent);
        continue;
      }
      const Node& node = graph.node(dependent);
      if (node.kind == NodeKind::kCell && early[node.index].follows && !queued[dependent] &&
          !Follows(*this, cells[node.index], id)) {
        --early[node.index].others;
        start_early(node.index);
      }
    }
  };
  finish_ = [&](NodeId id) {
    std::lock_guard lock(mutex);
    finished.push_back(id);
    finished_one.notify_one();
  };
  while (!ready.empty() || running > 0) {
    if (ready.empty()) {
      std::unique_lock lock(mutex);
      finished_one.wait(lock, [&] { return !finished.empty(); });
      NodeId id = finished.front();
      finished.pop_front();
      --running;
      lock.unlock();
      complete(id);
      continue;
    }
    NodeId id = ready.front();
    ready.pop_front();
    if (status_[id] == Status::kWaiting && !Kept(id)) {
      status_[id] = Status::kLeftOut;
    } else if (status_[id] == Status::kWaiting && stopping() &&
               WorksOnObjects(graph.node(id).kind)) {
      status_[id] = Status::kSkipped;
      if (!halted()) {
        found[id].Error("execution halted", "");
      }
    }
    const bool executes = status_[id] == Status::kWaiting;
    begin(id, executes);
    if (!executes) {
      complete(id);
      continue;
    }
    if (!IsBlocking(id)) {
      execute(id, found[id]);
      if (detached_[id] != 0) {
        ++running;
      } else {
        complete(id);
      }
      continue;
    }
    if (pool_ == nullptr) {
      pool_ = std::make_unique<Pool>(std::max(1, input.options.parallelism));
    }
    ++running;
    pool_->Submit([this, &execute, &found, id] {
      execute(id, found[id]);
      if (detached_[id] == 0) {
        finish_(id);
      }
    });
  }
  for (auto& list : found) {
    diags.Append(std::move(list));
  }
}

provider::Provider* Walk::ProviderForValidation(uint32_t provider, Diagnostics& diags) {
  ProviderSlot& slot = providers[provider];
  if (!slot.keyed.empty()) {
    return slot.keyed[0].get();
  }
  if (slot.provider == nullptr) {
    if (input.pool != nullptr) {
      slot.provider = input.pool->Take(slot.address, 0);
    }
    if (slot.provider == nullptr) {
      auto started = input.providers->Start(program.Text(slot.address.provider));
      if (!started) {
        diags.Error("Failed to instantiate provider", started.error().message);
        return nullptr;
      }
      slot.provider = std::move(*started);
    }
  }
  return slot.provider.get();
}

ResourceInstance Walk::PreviousAddress(const ResourceInstance& address) const {
  return input.refactoring != nullptr ? input.refactoring->PreviousAddress(address) : address;
}

bool Walk::IsBlocking(NodeId id) const {
  const Node& node = graph.node(id);
  if (kind == WalkKind::kEval) {
    return false;
  }
  switch (node.kind) {
    case NodeKind::kProvider:
      return providers[node.index].provider != nullptr;
    case NodeKind::kResource: {
      // Validation starts providers on first use, so it stays on one thread.
      const BlockInfo& info = blocks[node.config_node][node.index];
      return kind != WalkKind::kValidate && info.schema != nullptr &&
             providers[info.provider].blocking;
    }
    case NodeKind::kClose:
      return providers[blocks[node.config_node][node.index].provider].blocking;
    case NodeKind::kOrphan:
      return providers[orphans[node.index].provider].blocking;
    case NodeKind::kDeposed:
      return providers[deposed[node.index].provider].blocking;
    case NodeKind::kCell:
      return cells[node.index].runs_commands || providers[cells[node.index].provider].blocking;
    default:
      return false;
  }
}

void Walk::ForEachRow(size_t count, bool blocking, const std::function<void(size_t)>& work) {
  if (!blocking || count < 2 || pool_ == nullptr) {
    for (size_t i = 0; i < count; ++i) {
      work(i);
    }
    return;
  }
  // This thread is one of the pool's. It takes rows itself and invites the others to take some too;
  // invitations that nobody had time for find nothing left to do.
  struct Shared {
    std::atomic<size_t> next{0};
    std::mutex mutex;
    std::condition_variable done;
    size_t finished = 0;
  };
  auto shared = std::make_shared<Shared>();
  auto take = [shared, count, &work] {
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
  size_t helpers = std::min(count, static_cast<size_t>(pool_->limit)) - 1;
  for (size_t i = 0; i < helpers; ++i) {
    pool_->Submit(take);
  }
  take();
  std::unique_lock lock(shared->mutex);
  shared->done.wait(lock, [&] { return shared->finished == count; });
}

const functions::CallContext& Walk::call_context(const ModuleInstance&) const {
  return call_context_;
}

}  // namespace kinu::engine
