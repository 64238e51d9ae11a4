// Assertions: what a check says of a plan or a state. A kind is a row of a table: its name, whether
// it looks at plans or states, its arguments, and the function that decides. Decoding an assertion
// and applying it are separate, so that one that is malformed is told apart from one that fails.
// Ref: the contract of `check`, sections 5 and 6.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "check/documents.h"
#include "check/known_value.h"
#include "diag/source.h"
#include "hcl/body.h"
#include "query/selector.h"
#include "tfjson/masks.h"
#include "tfjson/path.h"

namespace kinu::check {

enum class Side : uint8_t { kPlan, kState };

/// What an argument has to be.
enum class ArgumentType : uint8_t {
  kText,         ///< a string
  kAction,       ///< a word for the actions of a change
  kComparer,     ///< "values_same" or "values_differ"
  kPath,         ///< a list of steps
  kPaths,        ///< a list of paths
  kKnown,        ///< a known value
  kKnownObject,  ///< an object of known values
};

struct ArgumentSpec {
  std::string_view name;
  ArgumentType type = ArgumentType::kText;
};

using KnownMembers = std::vector<std::pair<std::string, const KnownValue*>>;
using ArgumentValue = std::variant<std::string, tfjson::Path, std::vector<tfjson::Path>,
                                   const KnownValue*, KnownMembers>;

using Selector = std::shared_ptr<const query::Query>;

/// A `state_value` block.
struct StateValue {
  std::string address;
  tfjson::Path path;
  Selector selector;  ///< of the values, in place of address and path
  uint64_t document = 0;
};

/// A selector that may stand in place of other arguments.
struct SelectorSpec {
  std::string_view name;
  std::string_view address;    ///< the argument that it replaces
  std::string_view path = {};  ///< one that it replaces or that may still be given; empty: none
  /// What it finds are the resources or outputs, and `path` goes on from there; without `path` it
  /// finds the values themselves. False: it finds the values, and `path` cannot be given.
  bool path_may_follow = false;
};

/// What came out of an assertion.
struct Outcome {
  bool passed = false;
  std::string message;   ///< why it failed
  tfjson::Node found{};  ///< the value that was looked at, where there is one
  tfjson::MaskCursor masks{tfjson::MaskCursor::Sort::kSensitive};  ///< what of it is sensitive
};

struct Documents {
  std::vector<std::unique_ptr<PlanDocument>> plans;
  std::vector<std::unique_ptr<StateDocument>> states;
};

struct Assertion;

struct KindSpec {
  std::string_view name;
  Side side = Side::kPlan;
  std::span<const ArgumentSpec> arguments = {};
  Outcome (*run)(const Assertion& assertion, const Documents& documents) = nullptr;
  std::span<const SelectorSpec> selectors = {};
  bool has_state_values = false;  ///< `state_value` blocks instead of `document`
};

struct Assertion {
  std::string kind_name;
  const KindSpec* kind = nullptr;  ///< null: there is no such kind
  /// In the order of the kind's specs. What a selector replaces is an empty text.
  std::vector<ArgumentValue> arguments;
  std::vector<StateValue> state_values;
  uint64_t document = 0;
  bool in_modules = false;          ///< `child_modules = true`: resources of all modules
  std::vector<Selector> selectors;  ///< in the order of the kind's specs; null: not given
  std::string error;                ///< why it is malformed; empty when it is not
  SourceRange range;                ///< in the check file

  const std::string& Text(size_t i) const { return std::get<std::string>(arguments[i]); }
  const tfjson::Path& Path(size_t i) const { return std::get<tfjson::Path>(arguments[i]); }
  const query::Query* selector(size_t i = 0) const {
    return i < selectors.size() ? selectors[i].get() : nullptr;
  }
  /// Whether there is a selector anywhere.
  bool HasSelector() const;
  const KnownValue& Known(size_t i) const { return *std::get<const KnownValue*>(arguments[i]); }
  /// The argument of that name when it is text, or empty.
  std::string_view TextNamed(std::string_view name) const;
  /// The first argument that is a path, or null.
  const tfjson::Path* FirstPath() const;
};

std::span<const KindSpec> PlanKinds();
std::span<const KindSpec> StateKinds();
const KindSpec* FindKind(Side side, std::string_view name);

/// Reads the body of an assertion. What is wrong stands in the result's `error`.
Assertion DecodeAssertion(Side side, std::string_view kind, const hcl::Body& body,
                          SourceRange range, const KnownValueScope& scope);

/// Applies a well-formed assertion.
Outcome Run(const Assertion& assertion, const Documents& documents);

}  // namespace kinu::check
