// Path: a place inside a value. Ref: go-cty cty/path.go.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "cty/value.h"

namespace kinu {

/// One step: an attribute of an object, or an index into a list, set, map or tuple.
struct PathStep {
  enum class Kind : uint8_t { kAttribute, kIndex };
  Kind kind = Kind::kAttribute;
  std::string name;  ///< kAttribute
  Value key;         ///< kIndex: number, string, or (for sets) the element

  static PathStep Attribute(std::string_view name);
  static PathStep Index(Value key);
  friend bool operator==(const PathStep& a, const PathStep& b);
};

class Path {
 public:
  Path() = default;
  explicit Path(std::vector<PathStep> steps) : steps_(std::move(steps)) {}
  Path Attribute(std::string_view name) const;
  Path Index(Value key) const;
  Path Index(int64_t index) const;

  std::span<const PathStep> steps() const { return steps_; }
  bool empty() const { return steps_.empty(); }
  size_t size() const { return steps_.size(); }
  void Push(PathStep step) { steps_.push_back(std::move(step)); }
  void Pop() { steps_.pop_back(); }
  friend bool operator==(const Path& a, const Path& b) { return a.steps_ == b.steps_; }

  /// Follows the path. Fails when a step does not fit the value. Ref: go-cty Path.Apply.
  Result<Value> Apply(const Value& value) const;
  /// The reference's text in error messages: `.a[0]["k"]`. Ref: opentofu tfdiags.FormatCtyPath.
  std::string ToText() const;

 private:
  std::vector<PathStep> steps_;
};

struct PathMarks {
  Path path;
  MarkSet marks;
};

/// An operation on a value failed at `path` inside it. The message has no full stop.
struct ValueError {
  Path path;
  std::string message;
  /// `.a[0]: message`, or just the message at the root.
  std::string ToText() const;
};

template <typename T>
using ValueResult = std::expected<T, ValueError>;

inline std::unexpected<ValueError> ValueFail(std::string message, Path path = {}) {
  return std::unexpected<ValueError>(ValueError{std::move(path), std::move(message)});
}

/// An error inside an element, seen from the container that `step` leads out of.
inline ValueError ErrorInside(PathStep step, const ValueError& error) {
  std::vector<PathStep> steps;
  steps.reserve(error.path.size() + 1);
  steps.push_back(std::move(step));
  steps.insert(steps.end(), error.path.steps().begin(), error.path.steps().end());
  return ValueError{Path(std::move(steps)), error.message};
}

}  // namespace kinu
