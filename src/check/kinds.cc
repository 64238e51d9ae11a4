// The kinds of assertions: first what they do, then their table.
#include <algorithm>

#include "base/check.h"
#include "check/assertion.h"
#include "query/evaluate.h"

namespace kinu::check {

using tfjson::MaskCursor;
using tfjson::Member;
using tfjson::Node;
using tfjson::Path;

namespace {

Outcome Pass(Node found = {}) {
  return {.passed = true, .message = {}, .found = found};
}
Outcome Failed(std::string message) {
  return {.passed = false, .message = std::move(message)};
}

Node OrNull(const Node& node) {
  return node ? node : NullNode();
}

/// The value at a path below `value`, whose sensitive parts `mask` tells; an outcome when the path
/// does not fit.
struct Fetched {
  Node value;
  MaskCursor masks{MaskCursor::Sort::kSensitive};
  std::string problem;  ///< empty: found
};

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

/// Whether a mask is `true` at a path.
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

// --- What selectors find ---

using Trail = std::span<const tfjson::TrailStep>;

/// Applies a test to all that a selector finds, which must be something: the first that fails is
/// the outcome.
template <typename Test>
Outcome EachSelected(const query::Query& selector, const Node& root, const Test& test) {
  Outcome outcome;
  size_t found = 0;
  bool refused = false;
  query::Evaluator evaluator(root);
  evaluator.Run(selector.segments, root, [&](Node node, Trail trail) {
    ++found;
    outcome = test(node, trail);
    refused = !outcome.passed;
    return outcome.passed;
  });
  if (refused) {
    outcome.message = "result " + std::to_string(found) + " of the selector: " + outcome.message;
  } else if (evaluator.problem()) {
    return Failed(tfjson::DescribeProblem(*evaluator.problem()));
  } else if (found == 0) {
    return Failed("the selector finds nothing");
  }
  return outcome;
}

/// A value with the masks that its document has for it.
Fetched FetchSelected(const Node& node, Trail trail) {
  Fetched fetched{.value = node};
  for (const tfjson::TrailStep& step : trail) {
    fetched.masks = fetched.masks.Into(step);
  }
  return fetched;
}

/// The only value that a selector finds, or why there is none.
Fetched FetchOnly(const query::Query& selector, const Node& root) {
  Fetched fetched;
  size_t found = 0;
  query::Evaluator evaluator(root);
  evaluator.Run(selector.segments, root, [&](Node node, Trail trail) {
    fetched = FetchSelected(node, trail);
    return ++found < 2;
  });
  if (evaluator.problem()) {
    fetched.problem = tfjson::DescribeProblem(*evaluator.problem());
  } else if (found != 1) {
    fetched.problem = found == 0 ? "the selector finds nothing"
                                 : "the selector finds several values, one is needed";
  }
  return fetched;
}

/// Whether the assertion's selector finds values, and not what has them.
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

/// Masked as a whole are values that the masks beside them say it of, and a mask's own `true`.
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
    outcome.passed = in_mask     ? node.is_true()
                     : sensitive ? tfjson::IsSensitive(trail)
                                 : tfjson::IsUnknown(trail);
    if (in_mask) {
      outcome.found = node;
    }
    if (!outcome.passed) {
      outcome.message = sensitive ? "the value is not sensitive" : "the value is not unknown";
    }
    return outcome;
  });
}

// --- Plans ---

const PlanDocument& PlanOf(const Assertion& assertion, const Documents& documents) {
  return *documents.plans[assertion.document];
}

bool IsNoOp(const PlanDocument::Change& change) {
  return change.actions.is_array() && change.actions.size() == 1 &&
         change.actions.At(0).Is("no-op");
}

std::string NoResource(const std::string& address) {
  return "the plan has no change of a resource \"" + address + "\"";
}
std::string NoOutput(const std::string& name) {
  return "there is no output \"" + name + "\"";
}

Outcome EmptyPlan(const Assertion& assertion, const Documents& documents) {
  const PlanDocument& plan = PlanOf(assertion, documents);
  for (const auto* changes : {&plan.outputs(), &plan.resources()}) {
    for (const PlanDocument::Change& change : *changes) {
      if (!IsNoOp(change)) {
        Outcome outcome = Failed("the plan has changes");
        outcome.found = change.actions;
        return outcome;
      }
    }
  }
  return Pass();
}

Outcome NonEmptyPlan(const Assertion& assertion, const Documents& documents) {
  return EmptyPlan(assertion, documents).passed ? Failed("the plan has no changes") : Pass();
}

bool ActionsAre(const Node& actions, std::string_view first, std::string_view second = {}) {
  if (!actions.is_array() || actions.size() != (second.empty() ? 1U : 2U)) {
    return false;
  }
  return actions.At(0).Is(first) && (second.empty() || actions.At(1).Is(second));
}

bool ActionsMatch(std::string_view word, const Node& actions) {
  static constexpr std::pair<std::string_view, std::string_view> kSingle[] = {
      {"NoOp", "no-op"},
      {"Create", "create"},
      {"Read", "read"},
      {"Update", "update"},
      {"Destroy", "delete"}};
  for (const auto& [name, action] : kSingle) {
    if (word == name) {
      return ActionsAre(actions, action);
    }
  }
  const bool destroy_first = ActionsAre(actions, "delete", "create");
  const bool create_first = ActionsAre(actions, "create", "delete");
  return word == "DestroyBeforeCreate"   ? destroy_first
         : word == "CreateBeforeDestroy" ? create_first
                                         : destroy_first || create_first;
}

/// Applies a test to the change that the assertion is about, or to all that its selector finds.
template <typename Test>
Outcome OnChange(const Assertion& assertion, const Documents& documents, const Test& test) {
  const PlanDocument& plan = PlanOf(assertion, documents);
  if (assertion.selector() != nullptr) {
    return EachSelected(*assertion.selector(), plan.root(), [&](const Node& node, Trail) {
      const auto change = PlanDocument::ChangeOf(node);
      return change ? test(*change) : Failed(change.error().message);
    });
  }
  const std::string& subject = assertion.Text(0);
  const bool output = assertion.kind->arguments[0].name == "name";
  const PlanDocument::Change* change = output ? plan.Output(subject) : plan.Resource(subject);
  if (change == nullptr) {
    return Failed(output ? NoOutput(subject) : NoResource(subject));
  }
  return test(*change);
}

/// The path of an assertion: the whole value when it has none.
const Path& PathOf(const Assertion& assertion) {
  static const Path kWhole;
  const Path* path = assertion.FirstPath();
  return path != nullptr ? *path : kWhole;
}

Outcome ResourceAction(const Assertion& assertion, const Documents& documents) {
  return OnChange(assertion, documents, [&](const PlanDocument::Change& change) {
    Outcome outcome{.passed = ActionsMatch(assertion.Text(1), change.actions),
                    .found = change.actions};
    if (!outcome.passed) {
      outcome.message = "the actions of the resource are not " + assertion.Text(1);
    }
    return outcome;
  });
}

Outcome PlannedValue(const Assertion& assertion, const Documents& documents) {
  if (SelectsValues(assertion)) {
    return AcceptSelected(assertion, PlanOf(assertion, documents).root());
  }
  return OnChange(assertion, documents, [&](const PlanDocument::Change& change) {
    return AcceptFetched(LastKnown(assertion),
                         Fetch(OrNull(change.change.Find("after")),
                               change.change.Find("after_sensitive"), PathOf(assertion)));
  });
}

Outcome UnknownValue(const Assertion& assertion, const Documents& documents) {
  if (SelectsValues(assertion)) {
    return SelectedAreMasked(assertion, PlanOf(assertion, documents).root(),
                             MaskCursor::Sort::kUnknown);
  }
  return OnChange(assertion, documents, [&](const PlanDocument::Change& change) {
    return MaskIsTrue(OrNull(change.unknown), PathOf(assertion), "unknown");
  });
}

Outcome PlannedSensitive(const Assertion& assertion, const Documents& documents) {
  if (SelectsValues(assertion)) {
    return SelectedAreMasked(assertion, PlanOf(assertion, documents).root(),
                             MaskCursor::Sort::kSensitive);
  }
  return OnChange(assertion, documents, [&](const PlanDocument::Change& change) {
    return MaskIsTrue(OrNull(change.change.Find("after_sensitive")), PathOf(assertion),
                      "sensitive");
  });
}

Outcome NullOutput(const Assertion& assertion, const Documents& documents) {
  if (SelectsValues(assertion)) {
    return EachSelected(*assertion.selector(), PlanOf(assertion, documents).root(),
                        [](const Node& node, Trail trail) {
                          return AcceptFetched(KnownValue{}, FetchSelected(node, trail));
                        });
  }
  return OnChange(assertion, documents, [&](const PlanDocument::Change& change) {
    // The library looks at what was, unless the output is new.
    const bool created = ActionsAre(change.actions, "create");
    return AcceptFetched(KnownValue{},
                         Fetch(OrNull(change.change.Find(created ? "after" : "before")),
                               change.change.Find(created ? "after_sensitive" : "before_sensitive"),
                               PathOf(assertion)));
  });
}

Outcome NoDeferredChanges(const Assertion& assertion, const Documents& documents) {
  const size_t count = PlanOf(assertion, documents).deferred_count();
  return count == 0 ? Pass() : Failed(std::to_string(count) + " changes are deferred");
}

Outcome HasReason(const Assertion& assertion, const Node& reason) {
  Outcome outcome{.found = reason};
  outcome.passed = reason.is_null() ? assertion.Text(1).empty() : reason.Is(assertion.Text(1));
  if (!outcome.passed) {
    outcome.message = "the change is deferred for another reason";
  }
  return outcome;
}

Outcome DeferredChange(const Assertion& assertion, const Documents& documents) {
  const PlanDocument& plan = PlanOf(assertion, documents);
  if (assertion.selector() != nullptr) {
    return EachSelected(*assertion.selector(), plan.root(), [&](const Node& node, Trail) {
      const Node reason = node.is_object() ? node.Find("reason") : Node();
      return reason ? HasReason(assertion, reason) : Failed("there is no deferred change");
    });
  }
  const Node reason = plan.DeferredReason(assertion.Text(0));
  return reason ? HasReason(assertion, reason)
                : Failed("no change of \"" + assertion.Text(0) + "\" is deferred");
}

// --- States ---

/// A resource of the state, or why there is none.
const StateDocument::Resource* FindResource(const Assertion& assertion, const Documents& documents,
                                            const std::string& address, uint64_t document,
                                            std::string& problem) {
  const StateDocument& state = *documents.states[document];
  if (!state.has_values() || !state.has_root_module()) {
    problem = "the state has no root module";
    return nullptr;
  }
  const auto* resource = state.Find(address, assertion.in_modules);
  if (resource == nullptr) {
    problem = "the " + std::string(assertion.in_modules ? "state" : "root module") +
              " has no resource \"" + address + "\"";
  }
  return resource;
}

/// `values`, of which a resource always has some.
Fetched FetchValue(const StateDocument::Resource& resource, const Path& path) {
  static const auto kEmpty = *tfjson::Document::Parse("{}");
  return Fetch(resource.values.is_null() ? kEmpty->root() : resource.values,
               resource.sensitive_values, path);
}

Fetched FetchAt(const Assertion& assertion, const Documents& documents, const std::string& address,
                const Path& path, uint64_t document) {
  Fetched fetched;
  const auto* resource = FindResource(assertion, documents, address, document, fetched.problem);
  return resource == nullptr ? fetched : FetchValue(*resource, path);
}

/// Applies a test to the resource that the assertion is about, or to all that its selector finds.
template <typename Test>
Outcome OnResource(const Assertion& assertion, const Documents& documents, const Test& test) {
  if (assertion.selector() != nullptr) {
    return EachSelected(*assertion.selector(), documents.states[assertion.document]->root(),
                        [&](const Node& node, Trail) {
                          const auto resource =
                              StateDocument::ResourceOf(node, "what the selector finds");
                          return resource ? test(*resource) : Failed(resource.error().message);
                        });
  }
  std::string problem;
  const auto* resource =
      FindResource(assertion, documents, assertion.Text(0), assertion.document, problem);
  return resource == nullptr ? Failed(problem) : test(*resource);
}

/// The only value that selector `i` finds or, without one, that address and path lead to.
Fetched FetchOne(const Assertion& assertion, const Documents& documents, size_t selector,
                 size_t address) {
  if (const query::Query* given = assertion.selector(selector)) {
    return FetchOnly(*given, documents.states[assertion.document]->root());
  }
  return FetchAt(assertion, documents, assertion.Text(address), assertion.Path(address + 1),
                 assertion.document);
}

Outcome StateValueAccepted(const Assertion& assertion, const Documents& documents) {
  if (SelectsValues(assertion)) {
    return AcceptSelected(assertion, documents.states[assertion.document]->root());
  }
  return OnResource(assertion, documents, [&](const StateDocument::Resource& resource) {
    return AcceptFetched(assertion.Known(2), FetchValue(resource, assertion.Path(1)));
  });
}

Outcome StateSensitive(const Assertion& assertion, const Documents& documents) {
  if (SelectsValues(assertion)) {
    return SelectedAreMasked(assertion, documents.states[assertion.document]->root(),
                             MaskCursor::Sort::kSensitive);
  }
  return OnResource(assertion, documents, [&](const StateDocument::Resource& resource) {
    return resource.sensitive_values.is_object()
               ? MaskIsTrue(resource.sensitive_values, assertion.Path(1), "sensitive")
               : Failed("the state does not say which parts of the resource are sensitive");
  });
}

Outcome StateOutput(const Assertion& assertion, const Documents& documents) {
  const StateDocument& state = *documents.states[assertion.document];
  if (SelectsValues(assertion)) {
    return AcceptSelected(assertion, state.root());
  }
  const auto accept = [&](const Node& output) {
    return AcceptFetched(LastKnown(assertion), Fetch(OrNull(output.Find("value")),
                                                     output.Find("sensitive"), PathOf(assertion)));
  };
  if (assertion.selector() != nullptr) {
    return EachSelected(*assertion.selector(), state.root(), [&](const Node& node, Trail) {
      return node.is_object() ? accept(node) : Failed("what the selector finds is no output");
    });
  }
  const Node output = state.Output(assertion.Text(0));
  return output ? accept(output)
                : Failed(state.has_values() ? NoOutput(assertion.Text(0))
                                            : std::string("the state has no values"));
}

/// Sameness of comparers: numbers by their digits, objects without regard to order.
bool Same(const Node& a, const Node& b) {
  if (a.is_bool() && b.is_bool()) {
    return a.is_true() == b.is_true();
  }
  if (a.kind() != b.kind()) {
    return false;
  }
  std::string a_scratch;
  std::string b_scratch;
  if (a.is_string()) {
    return a.String(a_scratch) == b.String(b_scratch);
  }
  if (a.is_number()) {
    return a.text() == b.text();
  }
  if (a.size() != b.size()) {
    return false;
  }
  if (a.is_array()) {
    auto other = b.elements().begin();
    for (const Node element : a.elements()) {
      if (!Same(element, *other)) {
        return false;
      }
      ++other;
    }
  } else if (a.is_object()) {
    FlatMap<std::string, Node> others;
    for (const Member member : b.members()) {
      others[member.name.String()] = member.value;
    }
    for (const Member member : a.members()) {
      const auto other = others.find(member.name.String());
      if (other == others.end() || !Same(member.value, other->second)) {
        return false;
      }
    }
  }
  return true;
}

bool Satisfies(const std::string& comparer, const Node& a, const Node& b) {
  return Same(a, b) == (comparer == "values_same");
}

Outcome Compared(bool passed, const std::string& comparer) {
  if (passed) {
    return Pass();
  }
  return Failed(comparer == "values_same" ? "the values differ" : "the values are the same");
}

Outcome CompareValue(const Assertion& assertion, const Documents& documents) {
  std::vector<Node> values;
  for (const StateValue& value : assertion.state_values) {
    if (value.selector != nullptr) {
      const Outcome found = EachSelected(*value.selector, documents.states[value.document]->root(),
                                         [&](const Node& node, Trail) {
                                           values.push_back(node);
                                           return Pass();
                                         });
      if (!found.passed) {
        return found;
      }
      continue;
    }
    const Fetched fetched =
        FetchAt(assertion, documents, value.address, value.path, value.document);
    if (!fetched.problem.empty()) {
      return Failed("value " + std::to_string(values.size() + 1) + ": " + fetched.problem);
    }
    values.push_back(fetched.value);
  }
  for (size_t i = 1; i < values.size(); ++i) {
    if (!Satisfies(assertion.Text(0), values[i - 1], values[i])) {
      return Compared(false, assertion.Text(0));
    }
  }
  return Pass();
}

Outcome ComparePairs(const Assertion& assertion, const Documents& documents) {
  const Fetched one = FetchOne(assertion, documents, 0, 0);
  const Fetched two = FetchOne(assertion, documents, 1, 2);
  for (const Fetched* fetched : {&one, &two}) {
    if (!fetched->problem.empty()) {
      return Failed((fetched == &one ? "first value: " : "second value: ") + fetched->problem);
    }
  }
  return Compared(Satisfies(assertion.Text(4), one.value, two.value), assertion.Text(4));
}

/// Collects what a collection's paths lead to. Returns a problem, or nothing.
std::string Collect(const Node& value, std::span<const Path> paths, std::vector<Node>& results) {
  if (!value.is_container()) {
    results.push_back(value);
    return {};
  }
  if (paths.empty()) {
    if (value.is_array()) {
      for (const Node element : value.elements()) {
        results.push_back(element);
      }
    } else {
      for (const Member member : value.members()) {
        results.push_back(member.value);
      }
    }
    return {};
  }
  const auto step = [&](const Node& from) -> std::string {
    const Path::Found found = paths[0].Resolve(from);
    return found.value ? Collect(found.value, paths.subspan(1), results)
                       : tfjson::DescribeMismatch(paths[0], found);
  };
  if (value.is_array()) {
    for (const Node element : value.elements()) {
      if (std::string problem = step(element); !problem.empty()) {
        return problem;
      }
    }
    return {};
  }
  // An object is not iterated but stepped into, once per key: once is enough to know the results.
  return value.size() == 0 ? std::string() : step(value);
}

/// The elements of a collection that the comparer is given. Returns a problem, or nothing.
std::string CollectionElements(const Assertion& assertion, const Documents& documents,
                               std::vector<Node>& results) {
  if (const query::Query* selector = assertion.selector(0)) {
    query::Evaluator evaluator(documents.states[assertion.document]->root());
    evaluator.Run(selector->segments, documents.states[assertion.document]->root(),
                  [&](const Node& node, Trail) {
                    results.push_back(node);
                    return true;
                  });
    return evaluator.problem() ? tfjson::DescribeProblem(*evaluator.problem()) : std::string();
  }
  const auto& paths = std::get<std::vector<Path>>(assertion.arguments[1]);
  if (paths.empty()) {
    return "it has no path";
  }
  const Fetched collection =
      FetchAt(assertion, documents, assertion.Text(0), paths[0], assertion.document);
  if (!collection.problem.empty()) {
    return collection.problem;
  }
  if (!collection.value.is_container()) {
    return "there is a value of type " + std::string(KindName(collection.value.kind())) +
           ", no array or object";
  }
  return Collect(collection.value, std::span(paths).subspan(1), results);
}

Outcome CompareCollection(const Assertion& assertion, const Documents& documents) {
  std::vector<Node> results;
  if (std::string problem = CollectionElements(assertion, documents, results); !problem.empty()) {
    return Failed("collection: " + problem);
  }
  const Fetched fetched = FetchOne(assertion, documents, 1, 2);
  if (!fetched.problem.empty()) {
    return Failed("value: " + fetched.problem);
  }
  const std::string& comparer = assertion.Text(4);
  // An array is compared with each result as an array of one.
  const bool wrapped = fetched.value.is_array();
  const Node only = wrapped && fetched.value.size() == 1 ? fetched.value.At(0) : Node();
  const auto satisfies = [&](const Node& result) {
    if (!wrapped) {
      return Satisfies(comparer, result, fetched.value);
    }
    return (only && Same(result, only)) == (comparer == "values_same");
  };
  if (results.empty() || std::any_of(results.begin(), results.end(), satisfies)) {
    return Pass();
  }
  return Failed(comparer == "values_same" ? "no element is the same as the value"
                                          : "every element is the same as the value");
}

/// Applies a test to the resource (or the resources) with an identity.
template <typename Test>
Outcome OnIdentity(const Assertion& assertion, const Documents& documents, const Test& test) {
  return OnResource(assertion, documents, [&](const StateDocument::Resource& resource) {
    const bool has_one = resource.has_identity_version && resource.identity.is_object() &&
                         resource.identity.size() > 0;
    return has_one ? test(resource) : Failed("the resource has no identity");
  });
}

Outcome Identity(const Assertion& assertion, const Documents& documents) {
  return OnIdentity(assertion, documents, [&](const StateDocument::Resource& resource) {
    const auto& wanted = std::get<KnownMembers>(assertion.arguments[1]);
    Outcome outcome{.found = resource.identity};
    if (wanted.size() != resource.identity.size()) {
      outcome.message = "the identity has " + std::to_string(resource.identity.size()) +
                        " attributes, expected " + std::to_string(wanted.size());
      return outcome;
    }
    for (const auto& [name, known] : wanted) {
      const Node value = resource.identity.Find(name);
      if (!value || !Accepts(*known, value)) {
        outcome.message =
            value ? "the identity's attribute \"" + name + "\" is not " + Describe(*known)
                  : "the identity has no attribute \"" + name + "\"";
        return outcome;
      }
    }
    outcome.passed = true;
    return outcome;
  });
}

Outcome IdentityValue(const Assertion& assertion, const Documents& documents) {
  if (SelectsValues(assertion)) {
    return AcceptSelected(assertion, documents.states[assertion.document]->root());
  }
  return OnIdentity(assertion, documents, [&](const StateDocument::Resource& resource) {
    return AcceptFetched(assertion.Known(2), Fetch(resource.identity, {}, assertion.Path(1)));
  });
}

/// The arguments are the address, the path in the identity and, last, the path in the values.
Outcome IdentityMatchesState(const Assertion& assertion, const Documents& documents) {
  return OnIdentity(assertion, documents, [&](const StateDocument::Resource& resource) {
    const Fetched identity = Fetch(resource.identity, {}, assertion.Path(1));
    const Fetched value = FetchValue(resource, assertion.Path(assertion.arguments.size() - 1));
    if (!identity.problem.empty()) {
      return Failed("identity: " + identity.problem);
    }
    if (!value.problem.empty()) {
      return Failed("values: " + value.problem);
    }
    return Compared(Same(identity.value, value.value), "values_same");
  });
}

// --- The tables ---

using T = ArgumentType;

constexpr ArgumentSpec kAddressAction[] = {{"address"}, {"action", T::kAction}};
constexpr ArgumentSpec kAddressPath[] = {{"address"}, {"path", T::kPath}};
constexpr ArgumentSpec kAddressPathValue[] = {
    {"address"}, {"path", T::kPath}, {"value", T::kKnown}};
constexpr ArgumentSpec kAddressReason[] = {{"address"}, {"reason"}};
constexpr ArgumentSpec kName[] = {{"name"}};
constexpr ArgumentSpec kNamePath[] = {{"name"}, {"path", T::kPath}};
constexpr ArgumentSpec kNameValue[] = {{"name"}, {"value", T::kKnown}};
constexpr ArgumentSpec kNamePathValue[] = {{"name"}, {"path", T::kPath}, {"value", T::kKnown}};
constexpr ArgumentSpec kComparerOnly[] = {{"comparer", T::kComparer}};
constexpr ArgumentSpec kPair[] = {{"address_one"},
                                  {"path_one", T::kPath},
                                  {"address_two"},
                                  {"path_two", T::kPath},
                                  {"comparer", T::kComparer}};
constexpr ArgumentSpec kCollection[] = {{"collection_address"},
                                        {"collection_path", T::kPaths},
                                        {"address"},
                                        {"path", T::kPath},
                                        {"comparer", T::kComparer}};
constexpr ArgumentSpec kIdentity[] = {{"address"}, {"identity", T::kKnownObject}};
constexpr ArgumentSpec kIdentityState[] = {
    {"address"}, {"identity_path", T::kPath}, {"state_path", T::kPath}};

// Selectors of subjects, of values or subjects, and of values alone.
constexpr SelectorSpec kByAddress[] = {{"selector", "address"}};
constexpr SelectorSpec kByAddressPath[] = {{"selector", "address", "path", true}};
constexpr SelectorSpec kByName[] = {{"selector", "name"}};
constexpr SelectorSpec kByNamePath[] = {{"selector", "name", "path", true}};
constexpr SelectorSpec kByPair[] = {{"selector_one", "address_one", "path_one"},
                                    {"selector_two", "address_two", "path_two"}};
constexpr SelectorSpec kByCollection[] = {
    {"collection_selector", "collection_address", "collection_path"},
    {"selector", "address", "path"}};

constexpr KindSpec kPlanKinds[] = {
    {"expect_empty_plan", Side::kPlan, {}, &EmptyPlan},
    {"expect_non_empty_plan", Side::kPlan, {}, &NonEmptyPlan},
    {"expect_resource_action", Side::kPlan, kAddressAction, &ResourceAction, kByAddress},
    {"expect_known_value", Side::kPlan, kAddressPathValue, &PlannedValue, kByAddressPath},
    {"expect_unknown_value", Side::kPlan, kAddressPath, &UnknownValue, kByAddressPath},
    {"expect_sensitive_value", Side::kPlan, kAddressPath, &PlannedSensitive, kByAddressPath},
    {"expect_known_output_value", Side::kPlan, kNameValue, &PlannedValue, kByName},
    {"expect_known_output_value_at_path", Side::kPlan, kNamePathValue, &PlannedValue, kByNamePath},
    {"expect_unknown_output_value", Side::kPlan, kName, &UnknownValue, kByName},
    {"expect_unknown_output_value_at_path", Side::kPlan, kNamePath, &UnknownValue, kByNamePath},
    {"expect_null_output_value", Side::kPlan, kName, &NullOutput, kByName},
    {"expect_null_output_value_at_path", Side::kPlan, kNamePath, &NullOutput, kByNamePath},
    {"expect_no_deferred_changes", Side::kPlan, {}, &NoDeferredChanges},
    {"expect_deferred_change", Side::kPlan, kAddressReason, &DeferredChange, kByAddress},
};

constexpr KindSpec kStateKinds[] = {
    {"expect_known_value", Side::kState, kAddressPathValue, &StateValueAccepted, kByAddressPath},
    {"expect_sensitive_value", Side::kState, kAddressPath, &StateSensitive, kByAddressPath},
    {"expect_known_output_value", Side::kState, kNameValue, &StateOutput, kByName},
    {"expect_known_output_value_at_path", Side::kState, kNamePathValue, &StateOutput, kByNamePath},
    {"compare_value", Side::kState, kComparerOnly, &CompareValue, {}, true},
    {"compare_value_pairs", Side::kState, kPair, &ComparePairs, kByPair},
    {"compare_value_collection", Side::kState, kCollection, &CompareCollection, kByCollection},
    {"expect_identity", Side::kState, kIdentity, &Identity, kByAddress},
    {"expect_identity_value", Side::kState, kAddressPathValue, &IdentityValue, kByAddressPath},
    {"expect_identity_value_matches_state", Side::kState, kAddressPath, &IdentityMatchesState,
     kByAddress},
    {"expect_identity_value_matches_state_at_path", Side::kState, kIdentityState,
     &IdentityMatchesState, kByAddress},
};

}  // namespace

std::span<const KindSpec> PlanKinds() {
  return kPlanKinds;
}
std::span<const KindSpec> StateKinds() {
  return kStateKinds;
}

const KindSpec* FindKind(Side side, std::string_view name) {
  for (const KindSpec& kind : side == Side::kPlan ? PlanKinds() : StateKinds()) {
    if (kind.name == name) {
      return &kind;
    }
  }
  return nullptr;
}

std::string_view Assertion::TextNamed(std::string_view name) const {
  for (size_t i = 0; kind != nullptr && i < arguments.size(); ++i) {
    if (kind->arguments[i].name == name) {
      const auto* text = std::get_if<std::string>(&arguments[i]);
      return text != nullptr ? std::string_view(*text) : std::string_view();
    }
  }
  return {};
}

bool Assertion::HasSelector() const {
  const auto given = [](const Selector& selector) { return selector != nullptr; };
  return std::any_of(selectors.begin(), selectors.end(), given) ||
         std::any_of(state_values.begin(), state_values.end(),
                     [](const StateValue& value) { return value.selector != nullptr; });
}

const tfjson::Path* Assertion::FirstPath() const {
  for (const ArgumentValue& argument : arguments) {
    if (const auto* path = std::get_if<tfjson::Path>(&argument)) {
      return path;
    }
  }
  return nullptr;
}

Outcome Run(const Assertion& assertion, const Documents& documents) {
  KINU_CHECK(assertion.kind != nullptr && assertion.error.empty(), "the assertion is well-formed");
  return assertion.kind->run(assertion, documents);
}

}  // namespace kinu::check
