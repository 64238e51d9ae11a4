// What the kinds of assertions are made of: outcomes, values fetched with their masks, and tests
// over what selectors find. Private to check.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "check/assertion.h"
#include "query/evaluate.h"

namespace kinu::check {

using Trail = std::span<const tfjson::TrailStep>;

inline Outcome Pass(json::Node found = {}) {
  return {.passed = true, .message = {}, .found = found};
}
inline Outcome Failed(std::string message) {
  return {.passed = false, .message = std::move(message)};
}

/// The node, or a null when there is none.
json::Node OrNull(const json::Node& node);

/// A value and its masks, or why there is none.
struct Fetched {
  json::Node value;
  tfjson::MaskCursor masks{tfjson::MaskCursor::Sort::kSensitive};
  std::string problem;  ///< empty: found
};

/// The value at a path below `value`, of which `mask` marks the sensitive parts.
Fetched Fetch(const json::Node& value, const json::Node& mask, const tfjson::Path& path);
/// A value that a selector found, with the masks that its document has for it.
Fetched FetchSelected(const json::Node& node, Trail trail);
/// The only value that a selector finds.
Fetched FetchOnly(const query::Query& selector, const json::Node& root);

Outcome AcceptFetched(const KnownValue& known, const Fetched& fetched);
/// Whether a mask is `true` at a path; `what` names the property in the message.
Outcome MaskIsTrue(const json::Node& mask, const tfjson::Path& path, std::string_view what);

/// Whether the assertion's selector finds values, and not the objects that have them.
bool SelectsValues(const Assertion& assertion);
/// The path of an assertion: the whole value when it has none.
const tfjson::Path& PathOf(const Assertion& assertion);
/// The known value that is the assertion's last argument.
const KnownValue& LastKnown(const Assertion& assertion);
/// The message for an output that does not exist.
std::string NoOutput(const std::string& name);

/// The steps of a trail.
tfjson::Path PathOfTrail(Trail trail);
/// A failure of what a selector found, with the address of the resource that it lies in.
Failure FailureAt(const json::Node& node, Trail trail);

/// Applies a test to all that a selector finds, which must be something. The outcome is that of the
/// first that fails, with all failures.
template <typename Test>
Outcome EachSelected(const query::Query& selector, const json::Node& root, const Test& test) {
  Outcome outcome;
  size_t found = 0;
  query::Evaluator evaluator(root);
  std::vector<Failure> failures;
  evaluator.Run(selector.segments, root, [&](json::Node node, Trail trail) {
    ++found;
    Outcome tested = test(node, trail);
    if (!tested.passed) {
      failures.push_back(FailureAt(node, trail));
      failures.back().message = tested.message;
      failures.back().found = tested.found;
      failures.back().masks = tested.masks;
    }
    if (outcome.passed || found == 1) {
      outcome = std::move(tested);
      if (!outcome.passed) {
        outcome.message =
            "result " + std::to_string(found) + " of the selector: " + outcome.message;
      }
    }
    return true;
  });
  outcome.failures = std::move(failures);
  if (!outcome.failures.empty()) {
    return outcome;
  }
  if (evaluator.problem()) {
    return Failed(json::DescribeProblem(*evaluator.problem()));
  } else if (found == 0) {
    return Failed("the selector finds nothing");
  }
  return outcome;
}

/// Whether the assertion's last argument accepts all that its selector finds.
Outcome AcceptSelected(const Assertion& assertion, const json::Node& root);
/// Whether all that the selector finds is masked as a whole: by the masks beside the values or, for
/// what is found in a mask, by its own `true`.
Outcome SelectedAreMasked(const Assertion& assertion, const json::Node& root,
                          tfjson::MaskCursor::Sort sort);

}  // namespace kinu::check
