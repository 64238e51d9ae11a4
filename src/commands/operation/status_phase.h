// StatusPhase: the part of an operation that a status line shows.
#pragma once

#include <optional>
#include <string_view>

#include "plan/plan.h"
#include "terminal/status_line.h"
#include "view/events/status.h"

namespace kinu::operation {

/// Draws the status line while it lives. Does nothing without a status.
class StatusPhase {
 public:
  /// `total`: the number of objects, 0 if it is not known.
  StatusPhase(view::Status* status, std::string_view phase, size_t total) : status_(status) {
    if (status_ != nullptr) {
      status_->Begin(phase, total);
      line_.emplace([status](size_t width) { return status->Line(width); });
    }
  }
  StatusPhase(const StatusPhase&) = delete;
  StatusPhase& operator=(const StatusPhase&) = delete;
  ~StatusPhase() {
    line_.reset();
    if (status_ != nullptr) {
      status_->End();
    }
  }

 private:
  view::Status* status_;
  std::optional<terminal::StatusLine> line_;
};

/// How many objects a plan reads again: the managed ones of the state.
inline size_t ObjectsToRefresh(const state::State& state) {
  size_t count = 0;
  for (const auto& resource : state.resources) {
    if (resource->address.resource.mode == ResourceMode::kManaged) {
      count += resource->instances.size();
    }
  }
  return count;
}

/// How many steps an apply of a plan has: a replacement has two.
inline size_t StepsToApply(const plan::Plan& plan) {
  size_t count = 0;
  for (const plan::ResourceChange& change : plan.changes) {
    const bool data = change.address.resource.resource.mode != ResourceMode::kManaged;
    if (change.action == plan::Action::kNoOp || change.action == plan::Action::kForget ||
        (data && change.action != plan::Action::kRead)) {
      continue;
    }
    count += change.action == plan::Action::kDeleteThenCreate ||
                     change.action == plan::Action::kCreateThenDelete
                 ? 2
                 : 1;
  }
  return count;
}

}  // namespace kinu::operation
