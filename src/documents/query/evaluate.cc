#include "query/evaluate.h"

#include <algorithm>

#include "base/flat_map.h"
#include "tfjson/path.h"

namespace kinu::query {

using json::Kind;
using json::Member;
using json::Node;
using json::Tree;
using tfjson::TrailStep;

namespace {

using Tag = Operand::Tag;

Tag TagOf(const Operand& value) {
  if (value.tag != Tag::kNode) {
    return value.tag;
  }
  switch (value.node.kind()) {
    case Kind::kNull:
      return Tag::kNull;
    case Kind::kTrue:
      return Tag::kTrue;
    case Kind::kFalse:
      return Tag::kFalse;
    case Kind::kNumber:
      return Tag::kNumber;
    case Kind::kString:
    case Kind::kName:
      return Tag::kString;
    case Kind::kArray:
    case Kind::kObject:
      return Tag::kNode;
  }
  return Tag::kNothing;
}

std::string_view TextOf(const Operand& value, std::string& scratch) {
  if (value.tag != Tag::kNode) {
    return value.text();
  }
  return value.node.is_string() ? value.node.String(scratch) : value.node.text();
}

bool AreEqual(const Operand& a, const Operand& b) {
  const Tag tag = TagOf(a);
  if (tag != TagOf(b)) {
    return false;
  }
  std::string a_scratch;
  std::string b_scratch;
  switch (tag) {
    case Tag::kNode:
      return SameValue(a.node, b.node);
    case Tag::kNumber:
      return json::CompareNumbers(TextOf(a, a_scratch), TextOf(b, b_scratch)) == 0;
    case Tag::kString:
      return TextOf(a, a_scratch) == TextOf(b, b_scratch);
    default:
      return true;
  }
}

bool Less(const Operand& a, const Operand& b) {
  const Tag tag = TagOf(a);
  if (tag != TagOf(b)) {
    return false;
  }
  std::string a_scratch;
  std::string b_scratch;
  if (tag == Tag::kNumber) {
    return json::CompareNumbers(TextOf(a, a_scratch), TextOf(b, b_scratch)) < 0;
  }
  // The order of UTF-8 bytes is that of code points.
  return tag == Tag::kString && TextOf(a, a_scratch) < TextOf(b, b_scratch);
}

}  // namespace

bool SameValue(const Node& a, const Node& b) {
  if (a.kind() != b.kind()) {
    return false;
  }
  std::string a_scratch;
  std::string b_scratch;
  switch (a.kind()) {
    case Kind::kNumber:
      return json::CompareNumbers(a.text(), b.text()) == 0;
    case Kind::kString:
      return a.String(a_scratch) == b.String(b_scratch);
    case Kind::kArray: {
      if (a.size() != b.size()) {
        return false;
      }
      auto other = b.elements().begin();
      for (const Node element : a.elements()) {
        if (!SameValue(element, *other)) {
          return false;
        }
        ++other;
      }
      return true;
    }
    case Kind::kObject: {
      if (a.size() != b.size()) {
        return false;
      }
      FlatMap<std::string, Node> values;
      for (const Member member : b.members()) {
        values[member.name.String()] = member.value;
      }
      for (const Member member : a.members()) {
        const auto found = values.find(member.name.String());
        if (found == values.end() || !SameValue(member.value, found->second)) {
          return false;
        }
      }
      return true;
    }
    default:
      return true;
  }
}

std::string NormalizedPath(std::span<const TrailStep> trail) {
  std::string out = "$";
  std::string scratch;
  for (const TrailStep& step : trail) {
    if (step.name) {
      tfjson::AppendNormalizedName(out, step.name.String(scratch));
    } else {
      tfjson::AppendNormalizedIndex(out, step.index);
    }
  }
  return out;
}

bool Evaluator::Run(std::span<const Segment> segments, Node node, const Sink& sink) {
  return ApplySegments(segments, node, sink);
}

bool Evaluator::Test(const Expression& filter, Node node) {
  return Holds(filter, node);
}

bool Evaluator::ApplySegments(std::span<const Segment> segments, Node node, const Sink& sink) {
  if (segments.empty()) {
    return sink(node, trail_);
  }
  return segments[0].descendant ? Descend(segments[0], segments.subspan(1), node, sink)
                                : Select(segments[0], segments.subspan(1), node, sink);
}

/// Calls visit(child) for each child, with the step to the child at the end of trail_. Stops at the
/// first false and returns it.
template <typename Visit>
bool Evaluator::ForEachChild(Node node, Visit visit) {
  if (node.is_array()) {
    trail_.push_back({.container = node});
    const size_t depth = trail_.size();
    for (const Node element : node.elements()) {
      if (!visit(element)) {
        return false;
      }
      ++trail_[depth - 1].index;
    }
    trail_.pop_back();
  } else if (node.is_object()) {
    trail_.push_back({.container = node});
    const size_t depth = trail_.size();
    for (const Member member : node.members()) {
      trail_[depth - 1].name = member.name;
      if (!visit(member.value)) {
        return false;
      }
    }
    trail_.pop_back();
  }
  return true;
}

Node Evaluator::FindMember(Node object, std::string_view name, Node& name_node) {
  Node found;
  for (const Member member : object.members()) {
    if (member.name.Is(name)) {
      if (found && !problem_) {
        problem_ = json::Problem{member.name.offset(), "an object has this name twice"};
      }
      found = member.value;
      name_node = member.name;
    }
  }
  return found;
}

bool Evaluator::Select(const Segment& segment, std::span<const Segment> rest, Node node,
                       const Sink& sink) {
  for (const Selector& selector : segment.selectors) {
    bool keeps_going = true;
    switch (selector.kind) {
      case Selector::Kind::kName: {
        Node name;
        const Node found = FindMember(node, selector.name, name);
        if (problem_) {
          return false;
        }
        if (found) {
          trail_.push_back({.container = node, .name = name});
          keeps_going = ApplySegments(rest, found, sink);
          trail_.pop_back();
        }
        break;
      }
      case Selector::Kind::kIndex: {
        const int64_t size = node.is_array() ? node.size() : 0;
        const int64_t index = selector.index < 0 ? selector.index + size : selector.index;
        if (index >= 0 && index < size) {
          trail_.push_back({.container = node, .index = static_cast<uint64_t>(index)});
          keeps_going = ApplySegments(rest, node.At(static_cast<uint64_t>(index)), sink);
          trail_.pop_back();
        }
        break;
      }
      case Selector::Kind::kWildcard:
        keeps_going =
            ForEachChild(node, [&](Node child) { return ApplySegments(rest, child, sink); });
        break;
      case Selector::Kind::kSlice:
        keeps_going = !node.is_array() || SelectSlice(selector, rest, node, sink);
        break;
      case Selector::Kind::kFilter:
        keeps_going = SelectFiltered(selector, rest, node, sink);
        break;
    }
    if (!keeps_going) {
      return false;
    }
  }
  return true;
}

/// Applies the segment to the node and all values inside it. The tree's entries are in the order of
/// RFC 9535: each value before the values inside it.
bool Evaluator::Descend(const Segment& segment, std::span<const Segment> rest, Node node,
                        const Sink& sink) {
  const Tree& tree = node.tree();
  const uint32_t end = tree.entry(node.at()).next;
  const size_t bottom = trail_.size();
  for (uint32_t at = node.at(); at < end; ++at) {
    const Tree::Entry& entry = tree.entry(at);
    if (entry.kind() == Kind::kName) {
      trail_.back().name = Node(&tree, at);
      continue;
    }
    const Node here(&tree, at);
    if (entry.kind() != Kind::kArray && entry.kind() != Kind::kObject) {
      // A scalar has no children to select.
    } else {
      if (!Select(segment, rest, here, sink)) {
        trail_.resize(std::min(trail_.size(), bottom));
        return false;
      }
      if (entry.count > 0) {
        trail_.push_back({.container = here});
        continue;
      }
    }
    // Pops the containers that end with this value, and advances the index in the next one.
    uint32_t next = entry.next;
    while (trail_.size() > bottom && tree.entry(trail_.back().container.at()).next == next) {
      trail_.pop_back();
    }
    if (trail_.size() > bottom) {
      ++trail_.back().index;
    }
  }
  return true;
}

bool Evaluator::SelectSlice(const Selector& selector, std::span<const Segment> rest, Node array,
                            const Sink& sink) {
  // Ref: RFC 9535, section 2.3.4.2.2.
  const int64_t size = array.size();
  const int64_t step = selector.step;
  if (step == 0) {
    return true;
  }
  const auto normalize = [&](int64_t index) { return index >= 0 ? index : size + index; };
  const int64_t start = normalize(selector.start.value_or(step > 0 ? 0 : size - 1));
  const int64_t end = normalize(selector.end.value_or(step > 0 ? size : -size - 1));
  const bool forward = step > 0;
  const int64_t lower =
      forward ? std::clamp<int64_t>(start, 0, size) : std::clamp<int64_t>(end, -1, size - 1);
  const int64_t upper =
      forward ? std::clamp<int64_t>(end, 0, size) : std::clamp<int64_t>(start, -1, size - 1);
  std::vector<std::pair<int64_t, Node>> chosen;
  int64_t index = 0;
  for (const Node element : array.elements()) {
    const bool inside = forward ? index >= lower && index < upper && (index - lower) % step == 0
                                : index > lower && index <= upper && (upper - index) % -step == 0;
    if (inside) {
      chosen.emplace_back(index, element);
    }
    ++index;
  }
  if (!forward) {
    std::reverse(chosen.begin(), chosen.end());
  }
  for (const auto& [position, element] : chosen) {
    trail_.push_back({.container = array, .index = static_cast<uint64_t>(position)});
    if (!ApplySegments(rest, element, sink)) {
      return false;
    }
    trail_.pop_back();
  }
  return true;
}

bool Evaluator::SelectFiltered(const Selector& selector, std::span<const Segment> rest, Node node,
                               const Sink& sink) {
  return ForEachChild(node, [&](Node child) {
    const bool holds = Holds(*selector.filter, child);
    return !problem_ && (!holds || ApplySegments(rest, child, sink));
  });
}

bool Evaluator::RunQuery(const Query& query, Node node, const Sink& sink) {
  if (!query.absolute) {
    const size_t depth = trail_.size();
    const bool done = ApplySegments(query.segments, node, sink);
    trail_.resize(depth);
    return done;
  }
  std::vector<TrailStep> outer;
  std::swap(outer, trail_);
  const bool done = ApplySegments(query.segments, root_, sink);
  std::swap(outer, trail_);
  return done;
}

bool Evaluator::Holds(const Expression& expression, Node node) {
  switch (expression.kind) {
    case Expression::Kind::kOr:
      return std::any_of(expression.operands.begin(), expression.operands.end(),
                         [&](const auto& operand) { return Holds(*operand, node); });
    case Expression::Kind::kAnd:
      return std::all_of(expression.operands.begin(), expression.operands.end(),
                         [&](const auto& operand) { return Holds(*operand, node); });
    case Expression::Kind::kNot:
      return !Holds(*expression.operands[0], node);
    case Expression::Kind::kCompare:
      return Compare(expression, node);
    case Expression::Kind::kQuery: {
      bool found = false;
      RunQuery(expression.query, node, [&](Node, std::span<const TrailStep>) {
        found = true;
        return false;
      });
      return found;
    }
    case Expression::Kind::kCall:
      return CallFunction(expression, node).logical;
    default:
      return false;
  }
}

bool Evaluator::Compare(const Expression& expression, Node node) {
  const Operand left = ValueOf(*expression.operands[0], node);
  const Operand right = ValueOf(*expression.operands[1], node);
  switch (expression.comparison) {
    case Comparison::kEqual:
      return AreEqual(left, right);
    case Comparison::kNotEqual:
      return !AreEqual(left, right);
    case Comparison::kLess:
      return Less(left, right);
    case Comparison::kLessEqual:
      return Less(left, right) || AreEqual(left, right);
    case Comparison::kGreater:
      return Less(right, left);
    case Comparison::kGreaterEqual:
      return Less(right, left) || AreEqual(left, right);
  }
  return false;
}

Operand Evaluator::ValueOf(const Expression& expression, Node node) {
  switch (expression.kind) {
    case Expression::Kind::kNull:
      return {.tag = Tag::kNull};
    case Expression::Kind::kTrue:
      return {.tag = Tag::kTrue};
    case Expression::Kind::kFalse:
      return {.tag = Tag::kFalse};
    case Expression::Kind::kNumber:
      return {.tag = Tag::kNumber, .view = expression.text};
    case Expression::Kind::kString:
      return {.tag = Tag::kString, .view = expression.text};
    case Expression::Kind::kQuery: {
      Operand value;
      RunQuery(expression.query, node, [&](Node found, std::span<const TrailStep>) {
        value.tag = Tag::kNode;
        value.node = found;
        return false;
      });
      return value;
    }
    case Expression::Kind::kCall:
      return CallFunction(expression, node).value;
    default:
      return {};
  }
}

CallResult Evaluator::CallFunction(const Expression& expression, Node node) {
  const FunctionSpec& function = *expression.function;
  Argument arguments[2];
  for (size_t i = 0; i < expression.operands.size(); ++i) {
    const Expression& operand = *expression.operands[i];
    Argument& argument = arguments[i];
    switch (function.parameters[i]) {
      case ValueKind::kValue:
        argument.value = ValueOf(operand, node);
        break;
      case ValueKind::kLogical:
        argument.logical = Holds(operand, node);
        break;
      case ValueKind::kNodes:
        RunQuery(operand.query, node, [&](Node found, std::span<const TrailStep> trail) {
          if (argument.nodes.empty() && function.needs_trail) {
            argument.trail.assign(trail.begin(), trail.end());
          }
          argument.nodes.push_back(found);
          return true;
        });
        break;
    }
  }
  arguments[1].pattern = expression.pattern.get();
  return function.run({arguments, expression.operands.size()});
}

}  // namespace kinu::query
