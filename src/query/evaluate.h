// Evaluation of selectors over a tree. Nodes are found one after the other, in the order of RFC
// 9535, and given to a function with the trail that leads to them; nothing is collected.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "query/functions.h"
#include "query/selector.h"
#include "tfjson/masks.h"
#include "tfjson/tree.h"

namespace kinu::query {

/// Takes a node that was found; false ends the evaluation. The trail is valid during the call.
using Sink = std::function<bool(tfjson::Node, std::span<const tfjson::TrailStep>)>;

class Evaluator {
 public:
  /// `root` is what `$` means inside of filters.
  explicit Evaluator(tfjson::Node root) : root_(root) {}

  /// Applies segments to a node. False when the sink ended it or a member's name is ambiguous.
  bool Run(std::span<const Segment> segments, tfjson::Node node, const Sink& sink);
  /// Whether a filter is true of a node, which stands below its container.
  bool Test(const Expression& filter, tfjson::Node node);

  /// A name selector met an object that has the name twice: the second occurrence.
  const std::optional<tfjson::Problem>& problem() const { return problem_; }

 private:
  bool Segments(std::span<const Segment> segments, tfjson::Node node, const Sink& sink);
  bool Select(const Segment& segment, std::span<const Segment> rest, tfjson::Node node,
              const Sink& sink);
  bool Descend(const Segment& segment, std::span<const Segment> rest, tfjson::Node node,
               const Sink& sink);
  bool Slice(const Selector& selector, std::span<const Segment> rest, tfjson::Node array,
             const Sink& sink);
  bool Filter(const Selector& selector, std::span<const Segment> rest, tfjson::Node node,
              const Sink& sink);
  template <typename Visit>
  bool EachChild(tfjson::Node node, Visit visit);

  bool Holds(const Expression& expression, tfjson::Node node);
  bool Compare(const Expression& expression, tfjson::Node node);
  Operand ValueOf(const Expression& expression, tfjson::Node node);
  Answer Call(const Expression& expression, tfjson::Node node);
  /// Runs a query of a filter; for `$` the trail begins anew.
  bool RunQuery(const Query& query, tfjson::Node node, const Sink& sink);
  tfjson::Node FindMember(tfjson::Node object, std::string_view name, tfjson::Node& name_node);

  tfjson::Node root_;
  std::vector<tfjson::TrailStep> trail_;
  std::optional<tfjson::Problem> problem_;
};

/// The trail as a normalized path.
std::string NormalizedPath(std::span<const tfjson::TrailStep> trail);

/// Equality of RFC 9535: numbers by value, objects without regard to order.
bool SameValue(const tfjson::Node& a, const tfjson::Node& b);

}  // namespace kinu::query
