// Bodies of WalkValue and TransformValue. Both keep their own stack: values nest as deep as the
// decoders that made them allow.
#pragma once

#include <utility>
#include <vector>

#include "cty/ops.h"

namespace kinu {

/// The step from a known container to its element `index`.
PathStep StepToElement(const Value& container, size_t index);
/// Whether walking goes inside: a known, non-null container with elements.
bool HasElementsInside(const Value& value);

template <typename F>
void WalkValue(const Value& value, Path& path, F&& visit) {
  if (!visit(std::as_const(path), value) || !HasElementsInside(value)) {
    return;
  }
  struct Frame {
    const Value* container;
    size_t next;
  };
  std::vector<Frame> frames{{&value, 0}};
  while (!frames.empty()) {
    Frame& frame = frames.back();
    if (frame.next > 0) {
      path.Pop();
    }
    if (frame.next == frame.container->size()) {
      frames.pop_back();
      continue;
    }
    size_t index = frame.next++;
    const Value& element = frame.container->elements()[index];
    path.Push(StepToElement(*frame.container, index));
    if (visit(std::as_const(path), element) && HasElementsInside(element)) {
      frames.push_back({&element, 0});
    }
  }
}

template <typename F>
Value TransformValue(const Value& value, Path& path, F&& change) {
  struct Frame {
    const Value* container;
    bool changed;
    std::vector<Value> elements;
  };
  if (!HasElementsInside(value)) {
    return change(std::as_const(path), value);
  }
  std::vector<Frame> frames;
  frames.push_back({&value, false, {}});
  for (;;) {
    Frame& frame = frames.back();
    Value result;
    if (frame.elements.size() < frame.container->size()) {
      size_t index = frame.elements.size();
      const Value& element = frame.container->elements()[index];
      path.Push(StepToElement(*frame.container, index));
      if (HasElementsInside(element)) {
        frames.push_back({&element, false, {}});
        continue;
      }
      result = change(std::as_const(path), element);
    } else {
      Value rebuilt = frame.changed ? frame.container->WithElements(std::move(frame.elements))
                                    : *frame.container;
      frames.pop_back();
      result = change(std::as_const(path), rebuilt);
      if (frames.empty()) {
        return result;
      }
    }
    path.Pop();
    Frame& parent = frames.back();
    const Value& before = parent.container->elements()[parent.elements.size()];
    parent.changed = parent.changed || !result.SameRepresentation(before);
    parent.elements.push_back(std::move(result));
  }
}

}  // namespace kinu
