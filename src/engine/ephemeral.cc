#include "engine/ephemeral.h"

#include "engine/nodes/nodes.h"

namespace kinu::engine {

EphemeralKeeper::~EphemeralKeeper() {
  {
    std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) {
    thread_.join();
  }
  for (Entry& entry : open_) {
    CloseOne(entry);
  }
}

void EphemeralKeeper::Post(EventKind kind, const OpenEphemeral& object, int64_t seconds) {
  if (sink_ != nullptr) {
    sink_->Post({.kind = kind, .address = object.address, .elapsed_seconds = seconds});
  }
}

void EphemeralKeeper::Keep(NodeId block, OpenEphemeral object) {
  std::lock_guard lock(mutex_);
  bool renewed = object.renew_at.has_value();
  open_.push_back({block, std::move(object), {}});
  if (renewed && !thread_.joinable()) {
    thread_ = std::thread([this] { RenewLoop(); });
  } else if (renewed) {
    changed_.notify_all();
  }
}

void EphemeralKeeper::RenewLoop() {
  std::unique_lock lock(mutex_);
  while (!closing_) {
    Entry* next = nullptr;
    for (Entry& entry : open_) {
      if (entry.object.renew_at && !entry.busy &&
          (next == nullptr || *entry.object.renew_at < *next->object.renew_at)) {
        next = &entry;
      }
    }
    if (next == nullptr) {
      changed_.wait(lock);
      continue;
    }
    auto when = std::chrono::system_clock::time_point(std::chrono::seconds(*next->object.renew_at));
    if (when > std::chrono::system_clock::now()) {
      changed_.wait_until(lock, when);
      continue;  // it may be closed by now, or another object may be due earlier
    }
    next->busy = true;
    lock.unlock();
    Post(EventKind::kEphemeralRenewStart, next->object);
    Timed timed(ticker_, false, {});
    provider::EphemeralResponse response = next->object.provider->RenewEphemeral(
        next->object.type, next->object.private_data, next->problems);
    Post(EventKind::kEphemeralRenewComplete, next->object, timed.seconds());
    lock.lock();
    next->object.renew_at = response.renew_at;
    next->object.private_data = std::move(response.private_data);
    next->busy = false;
    changed_.notify_all();
  }
}

void EphemeralKeeper::CloseOne(Entry& entry) {
  Post(EventKind::kEphemeralCloseStart, entry.object);
  Timed timed(ticker_, false, {});
  entry.object.provider->CloseEphemeral(entry.object.type, entry.object.private_data,
                                        entry.problems);
  Post(EventKind::kEphemeralCloseComplete, entry.object, timed.seconds());
}

void EphemeralKeeper::Close(NodeId block, Diagnostics& diags) {
  std::list<Entry> mine;
  {
    std::unique_lock lock(mutex_);
    for (auto it = open_.begin(); it != open_.end();) {
      auto here = it++;
      if (here->block == block) {
        changed_.wait(lock, [&] { return !here->busy; });
        it = std::next(here);
        mine.splice(mine.end(), open_, here);
      }
    }
  }
  changed_.notify_all();
  for (Entry& entry : mine) {
    CloseOne(entry);
    AppendProblems(entry.problems, entry.object.body, entry.object.address_text, diags);
  }
}

}  // namespace kinu::engine
