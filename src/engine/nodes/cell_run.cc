// Execution of the rows of a cell. Rows of different cells can follow each other one by one: a
// replacement creates its new object when its old one is destroyed, even if other rows fail. So a
// cell starts as soon as the cells that it follows have begun; each row starts when the rows that
// it waits for are done, on the thread that finished last. Ref: rule A4 of docs/engine.md.
#include <algorithm>

#include "engine/rows/apply_row.h"
#include "engine/spans.h"

namespace kinu::engine {

/// The execution of one cell.
class CellRun {
 public:
  CellRun(ApplyContext& context, NodeId id, Diagnostics& diags)
      : context_(context),
        walk_(context.node.walk),
        id_(id),
        cell_(walk_.apply->cells[walk_.graph.node(id).index]),
        info_(&context.orphan_infos[walk_.graph.node(id).index]),
        diags_(diags),
        found_(cell_.rows.size()),
        failed_(cell_.rows.size(), 0) {}

  /// Finds the block and its instance, and expands it for live rows. False, with diagnostics, if no
  /// row can be executed.
  bool Prepare();
  /// Executes a row, and then the rows of other cells that waited only for it. Thread-safe for
  /// different rows.
  /// `after`: the span of the row that it waited for last; 0: it did not wait.
  void RunRow(size_t i, trace::SpanId after = 0);
  /// Releases the rows of other cells that wait for rows of this cell.
  void GiveUp();
  /// After all rows: appends their diagnostics in their order.
  void Conclude();

 private:
  /// Returns the span of the row; 0: none.
  trace::SpanId RunRowItself(size_t i, trace::SpanId after);
  bool OtherHalfDone(const plan::ResourceChange& change, uint32_t index) const;
  bool CurrentDone(const ResourceInstance& address) const;
  bool CallsProvider(const plan::ResourceChange& change) const;
  RowStep StepOf(uint32_t change) const;
  void Carry(size_t i, RowContext& row, bool configured);

  ApplyContext& context_;
  Walk& walk_;
  const NodeId id_;
  const Cell& cell_;
  ModuleInstance* instance_ = nullptr;
  NodeId block_id_ = kNoNode;
  const config::Resource* resource_ = nullptr;
  const BlockInfo* info_;
  Diagnostics& diags_;
  std::vector<Diagnostics> found_;
  std::vector<uint8_t> failed_;
};

bool CellRun::Prepare() {
  static const config::Resource kNoBlock;
  resource_ = &kNoBlock;
  if (cell_.block < 0) {
    return true;
  }
  auto block = static_cast<size_t>(cell_.block);
  resource_ = &cell_.node->module->resources[block];
  info_ = &walk_.graph.blocks[cell_.node->index][block];
  block_id_ = walk_.graph.bases[cell_.node->index].resources + static_cast<NodeId>(cell_.block);
  for (ModuleInstance* candidate : walk_.slots.instances[cell_.node->index]) {
    if (candidate->id == cell_.resource.module) {
      instance_ = candidate;
    }
  }
  return !cell_.live() || instance_ == nullptr ||
         ExpandTable(context_, block_id_, *instance_, diags_);
}

/// Whether the change of the current object at an address is done, or there is none. Deposed
/// objects beside it are destroyed after that.
bool CellRun::CurrentDone(const ResourceInstance& address) const {
  auto it = context_.change_of.find(address);
  if (it == context_.change_of.end()) {
    return true;
  }
  switch (context_.plan.changes[it->second].action) {
    case plan::Action::kNoOp:
      return (resource_->preconditions.empty() && resource_->postconditions.empty()) ||
             context_.Done(it->second, Phase::kCheck);
    case plan::Action::kDelete:
    case plan::Action::kForget:
      return true;
    default:
      return context_.Done(it->second, Phase::kApply);
  }
}

/// Whether the other half of a replacement is done. If it failed, the row is silently skipped.
bool CellRun::OtherHalfDone(const plan::ResourceChange& change, uint32_t index) const {
  if (cell_.phase == Phase::kApply && change.action == plan::Action::kDeleteThenCreate) {
    return context_.Done(index, Phase::kDestroy);
  }
  if (cell_.phase == Phase::kDispose && change.action == plan::Action::kCreateThenDelete) {
    return context_.Done(index, Phase::kApply);
  }
  return cell_.phase != Phase::kDispose || change.deposed.empty() || CurrentDone(change.address);
}

void CellRun::RunRow(size_t i, trace::SpanId after) {
  const trace::SpanId span = RunRowItself(i, after);
  auto [first, last] =
      std::equal_range(cell_.order.followers.begin(), cell_.order.followers.end(),
                       RowFollower{static_cast<uint32_t>(i), 0, 0},
                       [](const RowFollower& a, const RowFollower& b) { return a.row < b.row; });
  for (; first != last; ++first) {
    context_.gates[first->cell]->Arrive(first->following_row, span);
  }
}

void CellRun::GiveUp() {
  for (const RowFollower& follower : cell_.order.followers) {
    context_.gates[follower.cell]->Arrive(follower.following_row);
  }
}

trace::SpanId CellRun::RunRowItself(size_t i, trace::SpanId after) {
  if (!cell_.rows[i].kept) {
    return 0;
  }
  uint32_t change_index = cell_.rows[i].change;
  const plan::ResourceChange& change = context_.plan.changes[change_index];
  if (!OtherHalfDone(change, change_index)) {
    failed_[i] = 1;
    return 0;
  }
  if (walk_.scheduler.stopping()) {
    failed_[i] = 1;
    if (!walk_.scheduler.quiet()) {
      found_[i].Error("execution halted", "");
    }
    return 0;
  }
  Row detached;
  detached.key = change.address.key;
  const state::Resource* stored = context_.plan.prior_state.Find(cell_.resource);
  detached.stored = stored == nullptr ? nullptr : stored->Find(change.address.key);
  Row* row = nullptr;
  if (cell_.live() && instance_ != nullptr) {
    row = instance_->resources[static_cast<size_t>(cell_.block)]->Find(change.address.key);
  }
  RowContext row_context{context_.node,
                         block_id_,
                         *resource_,
                         *info_,
                         instance_,
                         change.address,
                         row != nullptr ? *row : detached};
  row_context.create_before_destroy = cell_.flags.forced_create_first ||
                                      resource_->create_before_destroy.value_or(false) ||
                                      change.action == plan::Action::kCreateThenDelete;
  row_context.trace_node = id_;
  RowSpan span(row_context, StepOf(change_index), after);
  Carry(i, row_context, row != nullptr);
  span.Conclude(found_[i]);
  if (CallsProvider(change) && walk_.scheduler.stopping() && !walk_.scheduler.quiet()) {
    // The call has ended, but its progress event and its state update report an error each.
    // Ref: hook_stop.go PostApply, PostStateUpdate.
    found_[i].Error("execution halted", "");
    found_[i].Error("execution halted", "");
  }
  if (!found_[i].has_errors()) {
    context_.SetDone(change_index, cell_.phase);
  } else {
    failed_[i] = 1;
  }
  return span.id();
}

/// What a span of a row says about it.
RowStep CellRun::StepOf(uint32_t change) const {
  const bool forgets =
      cell_.phase == Phase::kForget || (cell_.phase == Phase::kDestroy && !TakesProvider(cell_));
  const bool disposes = !context_.plan.changes[change].deposed.empty() ||
                        (cell_.phase == Phase::kDispose && !context_.deposed_keys[change].empty());
  return forgets || disposes ? RowStep::kDispose : RowStep::kApply;
}

/// Whether executing the row changes an object by its provider.
bool CellRun::CallsProvider(const plan::ResourceChange& change) const {
  switch (cell_.phase) {
    case Phase::kApply:
      return change.action != plan::Action::kRead;
    case Phase::kDestroy:
      return TakesProvider(cell_);
    case Phase::kDispose:
      return true;
    case Phase::kCheck:
    case Phase::kForget:
      return false;
  }
  return false;
}

void CellRun::Carry(size_t i, RowContext& row, bool configured) {
  const uint32_t change_index = cell_.rows[i].change;
  const plan::ResourceChange& change = context_.plan.changes[change_index];
  switch (cell_.phase) {
    case Phase::kApply:
      if (!configured) {
        found_[i].Error("Resource instance is not in the configuration any more",
                        "The plan has a change for " + row.AddressText() +
                            ", which count or for_each no longer gives.");
      } else if (change.action == plan::Action::kRead) {
        ApplyDataRow(context_, row, found_[i]);
      } else {
        ApplyManagedRow(context_, row, change_index, found_[i]);
      }
      break;
    case Phase::kCheck:
      if (configured && row.row.value &&
          CheckConditions(row, meta_arguments::ConditionKind::kPrecondition,
                          resource_->preconditions, nullptr, Severity::kError, found_[i])) {
        (void)CheckConditions(row, meta_arguments::ConditionKind::kPostcondition,
                              resource_->postconditions, &*row.row.value, Severity::kError,
                              found_[i]);
      }
      break;
    case Phase::kDestroy:
      if (!TakesProvider(cell_)) {
        ForgetRow(context_, row, "");
        break;
      }
      DestroyRow(context_, row, change_index, change.deposed, found_[i]);
      break;
    case Phase::kDispose:
      DestroyRow(
          context_, row, change_index,
          !change.deposed.empty() ? change.deposed.text() : context_.deposed_keys[change_index],
          found_[i]);
      break;
    case Phase::kForget:
      ForgetRow(context_, row, change.deposed);
      break;
  }
}

void CellRun::Conclude() {
  bool failed = false;
  for (size_t i = 0; i < cell_.rows.size(); ++i) {
    failed = failed || failed_[i] != 0;
    diags_.Append(std::move(found_[i]));
  }
  if (failed) {
    walk_.scheduler.MarkFailed(id_);
  }
}

RowGates::RowGates(const Cell& cell)
    : pending_(std::make_unique<std::atomic<uint32_t>[]>(cell.rows.size())),
      unfinished_(cell.rows.size() + 1) {
  for (size_t i = 0; i < cell.rows.size(); ++i) {
    pending_[i].store(1, std::memory_order_relaxed);
  }
}

void RowGates::Open(std::shared_ptr<CellRun> run, std::function<void()> over) {
  run_ = std::move(run);
  over_ = std::move(over);
}

void RowGates::Arrive(size_t row, trace::SpanId by) {
  if (pending_[row].fetch_sub(1, std::memory_order_acq_rel) == 1) {
    run_->RunRow(row, by);
    End();
  }
}

void RowGates::End() {
  if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    // The walk, and these gates with it, may be destroyed before this returns.
    const std::function<void()> over = std::move(over_);
    over();
  }
}

void MakeRowGates(ApplyContext& context) {
  const std::vector<Cell>& cells = context.node.walk.apply->cells;
  context.gates.resize(cells.size());
  for (size_t i = 0; i < cells.size(); ++i) {
    if (!cells[i].order.follows.empty()) {
      context.gates[i] = std::make_unique<RowGates>(cells[i]);
    }
  }
  for (const Cell& cell : cells) {
    for (const RowFollower& follower : cell.order.followers) {
      context.gates[follower.cell]->Expect(follower.following_row);
    }
  }
}

void ExecuteCell(ApplyContext& context, NodeId id, Diagnostics& diags) {
  Walk& walk = context.node.walk;
  const uint32_t cell_index = walk.graph.node(id).index;
  const Cell& cell = walk.apply->cells[cell_index];
  auto run = std::make_shared<CellRun>(context, id, diags);
  if (!run->Prepare()) {
    run->GiveUp();
    return;
  }
  // Only a cell that takes a provider waits until that is started.
  const bool blocking = cell.flags.runs_commands ||
                        (TakesProvider(cell) &&
                         walk.slots.providers[cell.provider].Blocks(cell.resource.resource.mode));
  RowGates* gates = context.gates[cell_index].get();
  if (gates == nullptr) {
    walk.scheduler.ForEachRow(cell.rows.size(), blocking, [&](size_t i) { run->RunRow(i); });
    run->Conclude();
    return;
  }
  // No row waits for a cell that is left out or skipped.
  for (uint32_t earlier : cell.order.follows) {
    for (const RowFollower& follower : walk.apply->cells[earlier].order.followers) {
      if (!walk.scheduler.Began(earlier) && follower.cell == cell_index) {
        gates->Arrive(follower.following_row);
      }
    }
  }
  walk.scheduler.Detach(id);
  gates->Open(run, [&walk, run, id] {
    run->Conclude();
    walk.scheduler.Finish(id);
  });
  walk.scheduler.ForEachRow(cell.rows.size(), blocking, [&](size_t i) { gates->Arrive(i); });
  gates->End();
}

}  // namespace kinu::engine
