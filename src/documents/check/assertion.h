// Assertions about plans, states and configurations. A KindSpec describes a kind of assertion: its
// name, what it is about, its arguments, and the function that decides. Decoding and running are
// separate steps, because an invalid assertion is an error and not a failure. docs/check.md
// describes the kinds.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/flat_map.h"
#include "check/documents.h"
#include "check/expression.h"
#include "check/known_value.h"
#include "check/objects.h"
#include "check/place.h"
#include "diag/source.h"
#include "hcl/body.h"
#include "query/selector.h"
#include "tfjson/masks.h"
#include "tfjson/path.h"

namespace kinu::check {

enum class Side : uint8_t { kPlan, kState, kConfiguration };
/// "plan", "state" or "configuration": the block of a check, and the word of messages.
std::string_view SideName(Side side);

/// The type of an argument.
enum class ArgumentType : uint8_t {
  kText,         ///< a string
  kAction,       ///< the name of a change's actions, such as "Create"
  kComparer,     ///< "values_same" or "values_differ"
  kPath,         ///< a list of steps
  kPaths,        ///< a list of paths
  kKnown,        ///< a known value
  kKnownObject,  ///< an object of known values
  kTexts,        ///< a list of strings
  kCount,        ///< a whole number from 0
  kBool,         ///< true or false
  kExpression,   ///< an expression that is evaluated for each object
};

/// A parameter of a kind of assertion.
struct ArgumentSpec {
  std::string_view name;
  ArgumentType type = ArgumentType::kText;
  bool optional = false;
};

using KnownMembers = std::vector<std::pair<std::string, const KnownValue*>>;
using ArgumentValue = std::variant<std::string, tfjson::Path, std::vector<tfjson::Path>,
                                   const KnownValue*, KnownMembers, std::vector<std::string>,
                                   uint64_t, bool, std::shared_ptr<const Expression>>;

using Selector = std::shared_ptr<const query::Query>;

/// A `state_value` block.
struct StateValue {
  std::string address;
  tfjson::Path path;
  Selector selector;  ///< of the values, in place of address and path
  uint64_t document = 0;
};

/// A selector that can replace other arguments.
struct SelectorSpec {
  std::string_view name;
  std::string_view address;    ///< the argument that it replaces
  std::string_view path = {};  ///< the path argument; empty if the kind has none
  /// True: `path` is optional. With it, the selector finds resources or outputs, in which the path
  /// finds the values; without it, the selector finds the values. False: the selector replaces
  /// `path` too.
  bool path_may_follow = false;
};

/// One of the objects that an assertion failed for.
struct Failure {
  std::string address;  ///< of the resource or resource change; empty if there is none
  tfjson::Path path{};  ///< in the document; empty: the object at the address
  std::string message{};
  json::Node found{};  ///< the tested value, if there is one
  tfjson::MaskCursor masks{tfjson::MaskCursor::Sort::kSensitive};  ///< sensitive parts of `found`
  Place place{};  ///< where the configuration declares it
};

/// The result of an assertion.
struct Outcome {
  bool passed = false;
  std::string message;  ///< why it failed
  json::Node found{};   ///< the tested value, if there is one
  tfjson::MaskCursor masks{tfjson::MaskCursor::Sort::kSensitive};  ///< sensitive parts of `found`
  /// All failures of an assertion about several objects, in the order of the document.
  std::vector<Failure> failures{};
  Place place{};  ///< where the configuration declares the only object that it is about
};

/// The documents that assertions refer to by index.
struct Documents {
  std::vector<std::unique_ptr<PlanDocument>> plans;
  std::vector<std::unique_ptr<StateDocument>> states;
  std::vector<std::unique_ptr<ConfigurationDocument>> configurations;

  size_t Count(Side side) const;
  /// A document, which must exist.
  json::Node Root(Side side, uint64_t document) const;
  /// The objects of a document, found at the first call.
  const ObjectList& Objects(Side side, uint64_t document) const;
  /// Drops what conditions have read, which the next run's conditions must not take for theirs.
  void ForgetReadValues() const;

 private:
  mutable std::map<std::pair<Side, uint64_t>, std::unique_ptr<ObjectList>> objects_;
};

struct Assertion;

/// A kind of assertion.
struct KindSpec {
  std::string_view name;
  Side side = Side::kPlan;
  std::span<const ArgumentSpec> arguments = {};
  Outcome (*run)(const Assertion& assertion, const Documents& documents) = nullptr;
  std::span<const SelectorSpec> selectors = {};
  bool has_state_values = false;  ///< `state_value` blocks instead of `document`
  bool needs_selector = false;    ///< the first selector must be given
};

/// A decoded assertion.
struct Assertion {
  std::string kind_name;
  const KindSpec* kind = nullptr;  ///< null if the kind does not exist
  /// In the order of the kind's specs. Arguments that a selector replaces are empty texts.
  std::vector<ArgumentValue> arguments;
  std::vector<StateValue> state_values;
  uint64_t document = 0;
  bool in_modules = false;          ///< `child_modules = true`: searches all modules
  std::vector<Selector> selectors;  ///< in the order of the kind's specs; null if not given
  std::string error;                ///< why the assertion is invalid; empty if it is valid
  SourceRange range;                ///< in the check file

  const std::string& Text(size_t i) const { return std::get<std::string>(arguments[i]); }
  const tfjson::Path& Path(size_t i) const { return std::get<tfjson::Path>(arguments[i]); }
  /// The argument `i` if it is given and of type T; else null.
  template <typename T>
  const T* Optional(size_t i) const {
    return i < arguments.size() ? std::get_if<T>(&arguments[i]) : nullptr;
  }
  const query::Query* selector(size_t i = 0) const {
    return i < selectors.size() ? selectors[i].get() : nullptr;
  }
  /// Whether the assertion or one of its `state_value` blocks has a selector.
  bool HasSelector() const;
  /// Whether the assertion reads members that only whole documents have.
  bool NeedsWholeDocument() const;
  const KnownValue& Known(size_t i) const { return *std::get<const KnownValue*>(arguments[i]); }
  /// The argument of that name if it is a text; else empty.
  std::string_view TextNamed(std::string_view name) const;
  /// The first argument that is a path; null if there is none.
  const tfjson::Path* FirstPath() const;
};

/// The kinds of assertions in `plan`, `state` and `configuration` blocks.
std::span<const KindSpec> PlanKinds();
std::span<const KindSpec> StateKinds();
std::span<const KindSpec> ConfigurationKinds();
/// The kind of that name; null if there is none.
const KindSpec* FindKind(Side side, std::string_view name);

/// Reads the body of an assertion. The result's `error` says why it is invalid.
Assertion DecodeAssertion(Side side, std::string_view kind, const hcl::Body& body,
                          SourceRange range, const KnownValueScope& scope);

/// Applies an assertion, which must be valid. The documents that it refers to must exist.
Outcome Run(const Assertion& assertion, const Documents& documents);

}  // namespace kinu::check
