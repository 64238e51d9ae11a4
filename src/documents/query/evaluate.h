// Evaluation of selectors over a tree. Passes each node to a function, with the trail to the node,
// in the order of RFC 9535. Collects no results.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "json/tree.h"
#include "query/functions.h"
#include "query/selector.h"
#include "tfjson/masks.h"

namespace kinu::query {

/// Receives a found node; false ends the evaluation. The trail is valid during the call.
using Sink = std::function<bool(json::Node, std::span<const tfjson::TrailStep>)>;

/// Evaluates queries and filters over one tree.
class Evaluator {
 public:
  /// `root` is the meaning of `$` in filters.
  explicit Evaluator(json::Node root) : root_(root) {}

  /// Applies segments to a node. False if the sink ended the evaluation, or after a problem().
  bool Run(std::span<const Segment> segments, json::Node node, const Sink& sink);
  /// Whether a filter is true for a node.
  bool Test(const Expression& filter, json::Node node);

  /// Set if a name selector was applied to an object with two members of that name: the second one.
  const std::optional<json::Problem>& problem() const { return problem_; }

 private:
  bool ApplySegments(std::span<const Segment> segments, json::Node node, const Sink& sink);
  bool Select(const Segment& segment, std::span<const Segment> rest, json::Node node,
              const Sink& sink);
  bool Descend(const Segment& segment, std::span<const Segment> rest, json::Node node,
               const Sink& sink);
  bool SelectSlice(const Selector& selector, std::span<const Segment> rest, json::Node array,
                   const Sink& sink);
  bool SelectFiltered(const Selector& selector, std::span<const Segment> rest, json::Node node,
                      const Sink& sink);
  template <typename Visit>
  bool ForEachChild(json::Node node, Visit visit);

  bool Holds(const Expression& expression, json::Node node);
  bool Compare(const Expression& expression, json::Node node);
  Operand ValueOf(const Expression& expression, json::Node node);
  CallResult CallFunction(const Expression& expression, json::Node node);
  /// Runs a query of a filter; the trail of a `$` query starts at the root.
  bool RunQuery(const Query& query, json::Node node, const Sink& sink);
  json::Node FindMember(json::Node object, std::string_view name, json::Node& name_node);

  json::Node root_;
  std::vector<tfjson::TrailStep> trail_;
  std::optional<json::Problem> problem_;
};

/// The trail as a normalized path of RFC 9535.
std::string NormalizedPath(std::span<const tfjson::TrailStep> trail);

/// Equality of RFC 9535: compares numbers by value and objects without regard to order.
bool SameValue(const json::Node& a, const json::Node& b);

}  // namespace kinu::query
