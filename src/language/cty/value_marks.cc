// Marks inside values: found, removed and put at paths.
#include <algorithm>

#include "cty/path.h"
#include "cty/value.h"
#include "cty/value_node.h"
#include "cty/walk_inl.h"

namespace kinu {
namespace {

using Access = ValueAccess;

void CollectMarks(const Value& value, MarkSet& all) {
  if (value.IsMarked()) {
    all = all.Union(value.marks());
  }
  if ((Access::Flags(value) & Access::kInnerFlags) != 0 && Access::IsContainer(value)) {
    for (const Value& element : value.elements()) {
      if (element.ContainsMarked()) {
        CollectMarks(element, all);
      }
    }
  }
}

}  // namespace

MarkSet Value::MarksDeep() const {
  MarkSet all;
  if (ContainsMarked()) {
    CollectMarks(*this, all);
  }
  return all;
}

bool Value::HasMarkDeep(const MarkSet& mark) const {
  return ContainsMarked() && MarksDeep().Contains(mark);
}

Value Value::UnmarkDeep(MarkSet* marks) const {
  if (marks != nullptr) {
    *marks = MarksDeep();
  }
  if (!ContainsMarked()) {
    return *this;
  }
  Value plain = Unmark();
  if ((plain.flags_ & kContainsMarks) == 0) {
    return plain;
  }
  std::vector<Value> values;
  values.reserve(plain.size());
  for (const Value& element : plain.elements()) {
    values.push_back(element.UnmarkDeep());
  }
  return Access::SameShape(plain, values);
}

namespace {

// Index of the element that `step` leads to, or -1.
int64_t IndexOfStep(const Value& container, const PathStep& step) {
  if (container.IsNull() || !container.IsKnown() || !Access::IsContainer(container)) {
    return -1;
  }
  auto all = container.elements();
  ValueTag tag = Access::Tag(container);
  if (tag == ValueTag::kObject || tag == ValueTag::kMap) {
    bool fits = tag == ValueTag::kObject
                    ? step.kind == PathStep::Kind::kAttribute
                    : step.kind == PathStep::Kind::kIndex && step.key.type() == Type::String() &&
                          step.key.IsKnown() && !step.key.IsNull();
    const Value* found =
        fits ? container.Find(tag == ValueTag::kObject ? step.name : step.key.AsString()) : nullptr;
    return found == nullptr ? -1 : found - all.data();
  }
  if (step.kind != PathStep::Kind::kIndex) {
    return -1;
  }
  if (tag == ValueTag::kSet) {
    for (size_t i = 0; i < all.size(); ++i) {
      if (Value::RawEquals(all[i], step.key)) {
        return static_cast<int64_t>(i);
      }
    }
    return -1;
  }
  if (step.key.type() != Type::Number() || !step.key.IsKnown() || step.key.IsNull()) {
    return -1;
  }
  std::optional<int64_t> index = step.key.AsInt64();
  return index && *index >= 0 && static_cast<size_t>(*index) < all.size() ? *index : -1;
}

Value UnmarkInto(const Value& value, Path& path, std::vector<PathMarks>& paths) {
  if (!value.ContainsMarked()) {
    return value;
  }
  if (value.IsMarked()) {
    paths.push_back({path, value.marks()});
  }
  Value plain = value.Unmark();
  if (!plain.ContainsMarked()) {
    return plain;
  }
  std::vector<Value> values;
  auto all = plain.elements();
  values.reserve(all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i].ContainsMarked()) {
      path.Push(StepToElement(plain, i));
      values.push_back(UnmarkInto(all[i], path, paths));
      path.Pop();
    } else {
      values.push_back(all[i]);
    }
  }
  return Access::SameShape(plain, values);
}

Value MarkAt(const Value& value, std::span<const PathMarks* const> paths, size_t depth) {
  MarkSet own;
  std::vector<std::pair<int64_t, const PathMarks*>> inner;
  for (const PathMarks* entry : paths) {
    if (entry->path.size() == depth) {
      own = own.Union(entry->marks);
    } else if (int64_t index = IndexOfStep(value, entry->path.steps()[depth]); index >= 0) {
      inner.emplace_back(index, entry);
    }
  }
  Value result = value;
  if (!inner.empty()) {
    std::stable_sort(inner.begin(), inner.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    auto all = value.elements();
    std::vector<Value> values(all.begin(), all.end());
    for (size_t i = 0; i < inner.size();) {
      size_t end = i;
      std::vector<const PathMarks*> group;
      for (; end < inner.size() && inner[end].first == inner[i].first; ++end) {
        group.push_back(inner[end].second);
      }
      Value& element = values[static_cast<size_t>(inner[i].first)];
      element = MarkAt(element, group, depth + 1);
      i = end;
    }
    result = value.WithElements(std::move(values));
  }
  return result.WithMarks(own);
}

}  // namespace

Value Value::UnmarkDeepWithPaths(std::vector<PathMarks>* paths) const {
  Path path;
  return UnmarkInto(*this, path, *paths);
}

Value Value::MarkWithPaths(std::span<const PathMarks> paths) const {
  if (paths.empty()) {
    return *this;
  }
  std::vector<const PathMarks*> entries;
  for (const PathMarks& entry : paths) {
    entries.push_back(&entry);
  }
  return MarkAt(*this, entries, 0);
}

}  // namespace kinu
