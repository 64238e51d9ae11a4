#include <algorithm>
#include <optional>

#include "view/human/diff.h"

namespace kinu::view {

PathMatcher::PathMatcher(std::span<const Path> paths, bool propagate) : propagate_(propagate) {
  for (const Path& path : paths) {
    Add(path);
  }
}

PathMatcher PathMatcher::All() {
  PathMatcher matcher;
  matcher.all_ = true;
  return matcher;
}

bool PathMatcher::Matches() const {
  return all_ || std::ranges::any_of(paths_, [](const auto& path) { return path.empty(); });
}

namespace {

bool StepIsName(const PathStep& step, std::string_view name) {
  if (step.kind == PathStep::Kind::kAttribute) {
    return step.name == name;
  }
  return step.key.kind() == TypeKind::kString && step.key.IsKnown() && !step.key.IsNull() &&
         step.key.AsString() == name;
}

bool StepIsIndex(const PathStep& step, size_t index) {
  if (step.kind == PathStep::Kind::kAttribute || step.key.IsNull() || !step.key.IsKnown()) {
    const std::optional<Number> number =
        step.kind == PathStep::Kind::kAttribute ? Number::Parse(step.name) : std::nullopt;
    return number && Number::Truncate(*number).ToInt64() == static_cast<int64_t>(index);
  }
  if (step.key.kind() == TypeKind::kString) {
    const std::optional<Number> number = Number::Parse(step.key.AsString());
    return number && Number::Truncate(*number).ToInt64() == static_cast<int64_t>(index);
  }
  return step.key.kind() == TypeKind::kNumber && step.key.AsInt64() == static_cast<int64_t>(index);
}

}  // namespace

template <typename Takes>
PathMatcher PathMatcher::Below(const Takes& takes) const {
  PathMatcher child;
  child.all_ = all_;
  child.propagate_ = propagate_;
  for (const auto& path : paths_) {
    if (path.empty()) {
      if (propagate_) {
        child.paths_.push_back(path);
      }
    } else if (takes(path.front())) {
      child.paths_.push_back(path.subspan(1));
    }
  }
  return child;
}

PathMatcher PathMatcher::MemberOfPaths(std::string_view name) const {
  return Below([&](const PathStep& step) { return StepIsName(step, name); });
}

PathMatcher PathMatcher::ElementOfPaths(size_t index) const {
  return Below([&](const PathStep& step) { return StepIsIndex(step, index); });
}

}  // namespace kinu::view
