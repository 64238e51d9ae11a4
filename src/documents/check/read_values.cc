#include "check/read_values.h"

namespace kinu::check {
namespace {

/// The most values that are kept, some dozens of megabytes.
constexpr size_t kMostValues = size_t{1} << 20;

/// A text that only traversals with the same root and steps have.
std::string TextOf(const hcl::TraversalExpr& traversal) {
  std::string text(traversal.root);
  for (const hcl::TraversalStep& step : traversal.steps) {
    if (step.kind == hcl::TraversalStep::Kind::kAttribute) {
      text += '.';
      text += step.name();
    } else if (step.key() != nullptr && step.key()->type() == Type::String()) {
      text += '[' + std::to_string(step.key()->AsString().size()) + ':';
      text += step.key()->AsString();
    } else {
      text += '[' + (step.key() == nullptr ? "*" : step.key()->AsNumber().ToText());
    }
  }
  return text;
}

}  // namespace

void ReadValues::Column::Keep(size_t object, const Value& value) {
  if (kept_.empty()) {
    values_.resize(objects_);
    kept_.resize(objects_);
  }
  values_[object] = value;
  kept_[object] = true;
}

ReadValues::Column* ReadValues::ColumnOf(const hcl::TraversalExpr& traversal) {
  const auto key = reinterpret_cast<uintptr_t>(&traversal);
  if (const auto known = by_traversal_.find(key); known != by_traversal_.end()) {
    return known->second;
  }
  const auto [at, is_first] = by_text_.emplace(TextOf(traversal), static_cast<Column*>(nullptr));
  if (!is_first && at->second == nullptr && (columns_.size() + 1) * objects_ <= kMostValues) {
    at.value() = &columns_.emplace_back(objects_);
  }
  by_traversal_.emplace(key, at->second);
  return at->second;
}

}  // namespace kinu::check
