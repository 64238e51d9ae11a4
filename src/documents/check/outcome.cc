#include "check/outcome.h"

#include <algorithm>

namespace kinu::check {

using json::Member;
using json::Node;
using tfjson::MaskCursor;
using tfjson::Path;

Node OrNull(const Node& node) {
  return node ? node : NullNode();
}

Fetched Fetch(const Node& value, const Node& mask, const Path& path) {
  Fetched fetched;
  const Path::Found found = path.Resolve(value);
  if (!found.value) {
    fetched.problem = tfjson::DescribeMismatch(path, found);
    return fetched;
  }
  fetched.value = found.value;
  fetched.masks = MaskCursor::Over(mask);
  Node here = value;
  for (const tfjson::PathStep& step : path.steps()) {
    tfjson::TrailStep trail{.container = here};
    if (const auto* name = std::get_if<std::string>(&step)) {
      for (const Member member : here.members()) {
        if (member.name.Is(*name)) {
          trail.name = member.name;
          here = member.value;
        }
      }
    } else {
      trail.index = std::get<uint64_t>(step);
      here = here.At(trail.index);
    }
    fetched.masks = fetched.masks.Into(trail);
  }
  return fetched;
}

Outcome AcceptFetched(const KnownValue& known, const Fetched& fetched) {
  if (!fetched.problem.empty()) {
    return Failed(fetched.problem);
  }
  Outcome outcome{.found = fetched.value, .masks = fetched.masks};
  outcome.passed = Accepts(known, fetched.value);
  if (!outcome.passed) {
    outcome.message = "expected " + Describe(known) + ", found a value of type " +
                      std::string(KindName(fetched.value.kind()));
  }
  return outcome;
}

Outcome MaskIsTrue(const Node& mask, const Path& path, std::string_view what) {
  const Path::Found found = path.Resolve(mask);
  if (!found.value) {
    return Failed("the value is not " + std::string(what) + ": in the mask, " +
                  tfjson::DescribeMismatch(path, found));
  }
  Outcome outcome{.passed = found.value.is_true(), .found = found.value};
  if (!outcome.passed) {
    outcome.message = "the value is not " + std::string(what);
  }
  return outcome;
}

Fetched FetchSelected(const Node& node, Trail trail) {
  Fetched fetched{.value = node};
  for (const tfjson::TrailStep& step : trail) {
    fetched.masks = fetched.masks.Into(step);
  }
  return fetched;
}

Fetched FetchOnly(const query::Query& selector, const Node& root) {
  Fetched fetched;
  size_t found = 0;
  query::Evaluator evaluator(root);
  evaluator.Run(selector.segments, root, [&](Node node, Trail trail) {
    fetched = FetchSelected(node, trail);
    return ++found < 2;
  });
  if (evaluator.problem()) {
    fetched.problem = json::DescribeProblem(*evaluator.problem());
  } else if (found != 1) {
    fetched.problem = found == 0 ? "the selector finds nothing"
                                 : "the selector finds several values, one is needed";
  }
  return fetched;
}

bool SelectsValues(const Assertion& assertion) {
  return assertion.selector() != nullptr && assertion.FirstPath() == nullptr;
}

const KnownValue& LastKnown(const Assertion& assertion) {
  return assertion.Known(assertion.arguments.size() - 1);
}

Outcome AcceptSelected(const Assertion& assertion, const Node& root) {
  return EachSelected(*assertion.selector(), root, [&](const Node& node, Trail trail) {
    return AcceptFetched(LastKnown(assertion), FetchSelected(node, trail));
  });
}

Outcome SelectedAreMasked(const Assertion& assertion, const Node& root, MaskCursor::Sort sort) {
  static constexpr std::string_view kUnknown[] = {"after_unknown", "proposed_unknown"};
  static constexpr std::string_view kSensitive[] = {"before_sensitive", "after_sensitive",
                                                    "sensitive_values", "sensitive"};
  const bool sensitive = sort == MaskCursor::Sort::kSensitive;
  const std::span<const std::string_view> names =
      sensitive ? std::span<const std::string_view>(kSensitive) : kUnknown;
  return EachSelected(*assertion.selector(), root, [&](const Node& node, Trail trail) {
    const bool in_mask = std::any_of(trail.begin(), trail.end(), [&](const auto& step) {
      return step.name &&
             std::any_of(names.begin(), names.end(), [&](auto name) { return step.name.Is(name); });
    });
    Outcome outcome;
    if (in_mask) {
      outcome.passed = node.is_true();
      outcome.found = node;
    } else {
      outcome.passed = sensitive ? tfjson::IsSensitive(trail) : tfjson::IsUnknown(trail);
    }
    if (!outcome.passed) {
      outcome.message = sensitive ? "the value is not sensitive" : "the value is not unknown";
    }
    return outcome;
  });
}

const Path& PathOf(const Assertion& assertion) {
  static const Path kWhole;
  const Path* path = assertion.FirstPath();
  return path != nullptr ? *path : kWhole;
}

std::string NoOutput(const std::string& name) {
  return "there is no output \"" + name + "\"";
}

}  // namespace kinu::check
