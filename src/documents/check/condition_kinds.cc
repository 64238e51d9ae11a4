// The kinds of assertions about many objects: conditions, and how much a selector finds.
#include <algorithm>

#include "check/condition.h"
#include "check/outcome.h"

namespace kinu::check {
namespace {

using json::Node;

constexpr size_t kCondition = 0;
constexpr size_t kMessage = 1;
constexpr size_t kTypes = 2;
constexpr size_t kAllowUnknown = 3;
constexpr size_t kActions = 4;

Node RootOf(const Assertion& assertion, const Documents& documents) {
  return documents.Root(assertion.kind->side, assertion.document);
}

/// What a condition about a configuration is about without a selector.
const query::Query& EveryBlock() {
  static const query::Query kBlocks = *query::ParseSelector("$..resources[*]");
  return kBlocks;
}

/// Applies a condition to subjects and collects what fails.
class ConditionRun {
 public:
  ConditionRun(const Assertion& assertion, const ObjectList& objects)
      : assertion_(assertion),
        objects_(objects),
        condition_(**assertion.Optional<std::shared_ptr<const Expression>>(kCondition)) {
    if (const auto* message = assertion.Optional<std::shared_ptr<const Expression>>(kMessage)) {
      message_ = message->get();
    }
    actions_ = assertion.Optional<std::vector<std::string>>(kActions);
    if (const auto* allow = assertion.Optional<bool>(kAllowUnknown)) {
      allow_unknown_ = *allow;
    }
  }

  /// Whether the condition is about the object: it has one of the wanted actions or, where none
  /// are wanted, values after the change.
  bool Concerns(const Object& object) const {
    return actions_ != nullptr ? object.HasAction(*actions_)
                               : object.after.value && !object.after.value.is_null();
  }

  /// Returns the failure, valid until the next call; null if there is none.
  Failure* Apply(const Subject& subject) {
    const Judgement judgement = Judge(condition_, subject);
    std::string message;
    switch (judgement.verdict) {
      case Judgement::Verdict::kTrue:
        return nullptr;
      case Judgement::Verdict::kFalse:
        message = message_ == nullptr ? "the condition is false" : MessageOf(*message_, subject);
        break;
      case Judgement::Verdict::kUnknown:
        if (allow_unknown_) {
          return nullptr;
        }
        message = "the condition is not known before apply";
        break;
      case Judgement::Verdict::kError:
        message = judgement.error;
        break;
    }
    const Object* object = subject.object;
    outcome_.failures.push_back({.address = object != nullptr && object->address
                                                ? subject.module + object->address.String()
                                                : std::string(),
                                 .path = subject.path,
                                 .message = objects_.WithoutSecrets(std::move(message))});
    return &outcome_.failures.back();
  }

  Outcome Take() {
    outcome_.passed = outcome_.failures.empty();
    if (!outcome_.passed) {
      outcome_.message = outcome_.failures[0].message;
    }
    return std::move(outcome_);
  }

 private:
  const Assertion& assertion_;
  const ObjectList& objects_;
  const Expression& condition_;
  const Expression* message_ = nullptr;
  const std::vector<std::string>* actions_ = nullptr;
  bool allow_unknown_ = false;
  Outcome outcome_;
};

/// The object that a trail leads into, and the step behind it.
std::optional<Object> ObjectAt(const Node& node, Trail trail) {
  const auto is_entry = [](const Node& candidate) {
    if (!candidate.is_object()) {
      return false;
    }
    const Node address = candidate.Find("address");
    return address && address.is_string();
  };
  if (is_entry(node)) {
    return Object::Of(node);
  }
  for (auto step = trail.rbegin(); step != trail.rend(); ++step) {
    if (is_entry(step->container)) {
      return Object::Of(step->container);
    }
  }
  return std::nullopt;
}

/// The calls of the modules that a trail in a configuration leads through: "module.a.module.b.".
/// The addresses there are relative.
std::string ModulesOf(Trail trail) {
  std::string out;
  for (size_t i = 1; i < trail.size(); ++i) {
    if (trail[i].name && trail[i - 1].name && trail[i - 1].name.Is("module_calls")) {
      out += "module." + trail[i].name.String() + ".";
    }
  }
  return out;
}

/// The masks of a value that a selector found: those beside the `before`, `after` or `values` that
/// the trail leads through. A value with sensitive parts by other masks is sensitive as a whole.
MaskedNode MaskedAt(const Node& node, Trail trail) {
  MaskedNode masked{.value = node};
  bool inside = false;
  for (const tfjson::TrailStep& step : trail) {
    const auto into = [&](Node& mask) {
      if (mask && !mask.is_true()) {
        mask = step.name ? mask.Find(step.name.String()) : mask.At(step.index);
      }
    };
    if (inside) {
      into(masked.sensitive);
      into(masked.unknown);
    } else if (step.name &&
               (step.name.Is("before") || step.name.Is("after") || step.name.Is("values"))) {
      const std::string name = step.name.String();
      masked.sensitive =
          step.container.Find(name == "values" ? "sensitive_values" : name + "_sensitive");
      masked.unknown = step.container.Find(name + "_unknown");
      inside = masked.sensitive || masked.unknown;
    }
  }
  static const auto kTrue = *json::Document::Parse("true");
  const Fetched fetched = FetchSelected(node, trail);
  if (fetched.masks.whole() || (!inside && fetched.masks.partial())) {
    masked.sensitive = kTrue->root();
  }
  if (tfjson::IsUnknown(trail)) {
    masked.unknown = kTrue->root();
  }
  return masked;
}

/// Calls `visit(node, trail)` for all that the assertion's selector finds. Returns the error of a
/// selector that cannot be applied; else empty.
template <typename Visit>
std::string ForEachFound(const query::Query& selector, const Node& root, const Visit& visit) {
  query::Evaluator evaluator(root);
  evaluator.Run(selector.segments, root, [&](Node node, Trail trail) {
    visit(node, trail);
    return true;
  });
  return evaluator.problem() ? json::DescribeProblem(*evaluator.problem()) : std::string();
}

/// The innermost position beside what a selector found, outside the values of resources.
Place PlaceAt(const Node& node, Trail trail) {
  Place place;
  const auto look = [&](const Node& container) {
    if (const Node position = container.is_object() ? container.Find("position") : Node()) {
      if (Place found = ReadPlace(position); found.valid()) {
        place = std::move(found);
      }
    }
  };
  for (const tfjson::TrailStep& step : trail) {
    look(step.container);
    if (step.name && (step.name.Is("before") || step.name.Is("after") || step.name.Is("values") ||
                      step.name.Is("value") || step.name.Is("constant_value"))) {
      return place;
    }
  }
  look(node);
  return place;
}

std::string CountText(uint64_t count) {
  return std::to_string(count) + (count == 1 ? " value" : " values");
}

}  // namespace

tfjson::Path PathOfTrail(Trail trail) {
  tfjson::Path path;
  for (const tfjson::TrailStep& step : trail) {
    if (step.name) {
      path.Append(step.name.String());
    } else {
      path.Append(step.index);
    }
  }
  return path;
}

Failure FailureAt(const Node& node, Trail trail) {
  const std::optional<Object> object = ObjectAt(node, trail);
  return {.address = object && object->address ? ModulesOf(trail) + object->address.String()
                                               : std::string(),
          .path = PathOfTrail(trail),
          .place = PlaceAt(node, trail)};
}

Outcome RunCondition(const Assertion& assertion, const Documents& documents) {
  const ObjectList& objects = documents.Objects(assertion.kind->side, assertion.document);
  ConditionRun run(assertion, objects);
  const auto* types = assertion.Optional<std::vector<std::string>>(kTypes);
  const bool of_blocks =
      assertion.selector() == nullptr && assertion.kind->side == Side::kConfiguration;
  if (assertion.selector() != nullptr || of_blocks) {
    const std::string problem = ForEachFound(
        of_blocks ? EveryBlock() : *assertion.selector(), RootOf(assertion, documents),
        [&](Node node, Trail trail) {
          const std::optional<Object> object = ObjectAt(node, trail);
          if (of_blocks && (!object || (types != nullptr && !object->HasType(*types)))) {
            return;
          }
          Failure* failure = run.Apply({.object = object ? &*object : nullptr,
                                        .value = MaskedAt(node, trail),
                                        .path = PathOfTrail(trail),
                                        .module = ModulesOf(trail)});
          if (failure != nullptr) {
            failure->place = PlaceAt(node, trail);
          }
        });
    return problem.empty() ? run.Take() : Failed(problem);
  }
  const auto apply = [&](const Object& object) {
    if (run.Concerns(object)) {
      run.Apply({.object = &object, .list = &objects});
    }
  };
  if (types != nullptr) {
    for (const Object* object : objects.OfTypes(*types)) {
      apply(*object);
    }
  } else {
    std::for_each(objects.all().begin(), objects.all().end(), apply);
  }
  return run.Take();
}

Outcome RunNone(const Assertion& assertion, const Documents& documents) {
  const ObjectList& objects = documents.Objects(assertion.kind->side, assertion.document);
  Outcome outcome;
  const std::string problem = ForEachFound(
      *assertion.selector(), RootOf(assertion, documents), [&](Node node, Trail trail) {
        Failure failure = FailureAt(node, trail);
        if (const auto* message = assertion.Optional<std::shared_ptr<const Expression>>(0)) {
          const std::optional<Object> object = ObjectAt(node, trail);
          failure.message =
              objects.WithoutSecrets(MessageOf(**message, {.object = object ? &*object : nullptr,
                                                           .value = MaskedAt(node, trail),
                                                           .path = failure.path,
                                                           .module = ModulesOf(trail)}));
        } else {
          failure.message = "the selector finds a value";
        }
        const Fetched fetched = FetchSelected(node, trail);
        if (!node.is_container()) {
          failure.found = node;
          failure.masks = fetched.masks;
        }
        outcome.failures.push_back(std::move(failure));
      });
  if (!problem.empty()) {
    return Failed(problem);
  }
  outcome.passed = outcome.failures.empty();
  if (!outcome.passed) {
    outcome.message = "the selector finds " + CountText(outcome.failures.size()) + ", not none";
  }
  return outcome;
}

Outcome RunCount(const Assertion& assertion, const Documents& documents) {
  uint64_t found = 0;
  const std::string problem = ForEachFound(*assertion.selector(), RootOf(assertion, documents),
                                           [&](const Node&, Trail) { ++found; });
  if (!problem.empty()) {
    return Failed(problem);
  }
  const auto* count = assertion.Optional<uint64_t>(0);
  const auto* min = assertion.Optional<uint64_t>(1);
  const auto* max = assertion.Optional<uint64_t>(2);
  const std::string start = "the selector finds " + CountText(found) + ", not ";
  if (count != nullptr && found != *count) {
    return Failed(start + std::to_string(*count));
  }
  if (min != nullptr && found < *min) {
    return Failed(start + "at least " + std::to_string(*min));
  }
  if (max != nullptr && found > *max) {
    return Failed(start + "at most " + std::to_string(*max));
  }
  return Pass();
}

}  // namespace kinu::check
