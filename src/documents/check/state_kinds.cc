// The kinds of assertions about states: what they test, then their table.
#include <algorithm>

#include "base/flat_map.h"
#include "check/assertion.h"
#include "check/condition.h"
#include "check/kind_arguments.h"
#include "check/outcome.h"

namespace kinu::check {
namespace {

using json::Member;
using json::Node;
using tfjson::MaskCursor;
using tfjson::Path;

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
  static const auto kEmpty = *json::Document::Parse("{}");
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

/// Collects the elements of a collection for the comparer. Returns a problem, or nothing.
std::string CollectionElements(const Assertion& assertion, const Documents& documents,
                               std::vector<Node>& results) {
  if (const query::Query* selector = assertion.selector(0)) {
    query::Evaluator evaluator(documents.states[assertion.document]->root());
    evaluator.Run(selector->segments, documents.states[assertion.document]->root(),
                  [&](const Node& node, Trail) {
                    results.push_back(node);
                    return true;
                  });
    return evaluator.problem() ? json::DescribeProblem(*evaluator.problem()) : std::string();
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

// --- The table ---

using T = ArgumentType;

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
constexpr SelectorSpec kByPair[] = {{"selector_one", "address_one", "path_one"},
                                    {"selector_two", "address_two", "path_two"}};
constexpr SelectorSpec kByCollection[] = {
    {"collection_selector", "collection_address", "collection_path"},
    {"selector", "address", "path"}};

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
    {"expect_condition", Side::kState, kConditionArguments, &RunCondition, kOnlySelector},
    {"expect_none", Side::kState, kNoneArguments, &RunNone, kOnlySelector, false, true},
    {"expect_count", Side::kState, kCountArguments, &RunCount, kOnlySelector, false, true},
};

}  // namespace

std::span<const KindSpec> StateKinds() {
  return kStateKinds;
}

}  // namespace kinu::check
