// Semantic comparison of two plans or two states: which resources and outputs one has that the
// other lacks, and which values inside them differ. What changes with every run (timestamps,
// versions, serial, lineage, the order of resources) is ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/tree.h"

namespace kinu::compare {

/// A step of a path: the name of a member, or the index of an element.
struct PathStep {
  std::string name;
  std::optional<uint64_t> index;
};

/// A value that differs.
struct ValueChange {
  std::vector<PathStep> path;         ///< from the resource or output
  std::optional<std::string> before;  ///< compact JSON; none: no such value
  std::optional<std::string> after;
  bool sensitive = false;  ///< a part of `before` or `after` was replaced by tfjson::kRedacted
};

enum class ChangeKind : uint8_t { kAdded, kRemoved, kChanged };

/// A resource instance or an output that differs.
struct ObjectChange {
  /// The address of the resource, with " (deposed KEY)" for a deposed object, or "output.NAME".
  std::string address;
  ChangeKind kind = ChangeKind::kChanged;
  std::vector<ValueChange> paths;  ///< of changed ones only, sorted by path
};

/// What `left` and `right` differ in, sorted by address, resources before outputs.
using Difference = std::vector<ObjectChange>;

/// Compares two plans, or two states, which are documents of `show -json` or state files of
/// version 4 as they are stored. Of changes in plans the actions, `before`, `after`,
/// `after_unknown` and `replace_paths` are compared, of resources in states the values and whether
/// they are tainted, of outputs the values. Numbers are compared by value, members of objects by
/// name, arrays in order. A document of neither sort, or of different sorts, is an error.
///
/// Of documents that were read as kComparedShape only those resources and outputs are read further
/// whose text differs; `read_further` then counts them, on either side.
Result<Difference> Compare(const json::Node& left, const json::Node& right,
                           size_t* read_further = nullptr);

/// What a tree must have of a document for Compare(); everything else is checked when it is read.
extern const json::Shape kComparedShape;

/// One line per object and per value, and a closing line of counts. `color`: escape sequences.
std::string RenderText(const Difference& difference, bool color);
/// The document that docs/diff.md describes, with a line end.
std::string RenderJson(const Difference& difference);
/// Folds of tables, as GitHub and GitLab show them.
std::string RenderMarkdown(const Difference& difference);

/// Whether a document is a plan.
bool IsPlan(const json::Node& document);
/// Whether a document is a state file as it is stored.
bool IsStateFile(const json::Node& document);

}  // namespace kinu::compare
