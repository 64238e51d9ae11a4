// Custom conditions: preconditions, postconditions, assertions and variable validation; and the
// record of their results. Ref: opentofu internal/tofu/eval_conditions.go, internal/checks.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "config/config.h"
#include "engine/graph.h"
#include "engine/scope.h"
#include "state/state.h"

namespace kinu::engine {

enum class CheckStatus : uint8_t { kUnknown, kPass, kFail, kError };
std::string_view CheckStatusName(CheckStatus status);

enum class ConditionKind : uint8_t {
  kPrecondition,   ///< "Resource precondition"
  kPostcondition,  ///< "Resource postcondition"
  kOutput,         ///< "Module output value precondition"
  kAssertion,      ///< "Check block assertion"
};

/// What came of one condition.
struct ConditionResult {
  CheckStatus status = CheckStatus::kUnknown;
  std::string failure_message;
  size_t rule = 0;  ///< which of the object's conditions it is
};

/// Marks warnings of check blocks (FromCheckBlock in events.h) that carry nothing else.
struct CheckBlockFinding final : DiagnosticExtra {};
/// Turns what was found inside a check block into warnings.
void AppendAsCheckWarnings(Diagnostics&& found, Diagnostics& diags);

/// Evaluates one condition. A failing one is reported with `severity` ("Resource precondition
/// failed"); a broken one always as an error. Not `sound`: its references are wrong, which was
/// reported; what else goes wrong is reported too.
ConditionResult EvaluateCondition(const config::Condition& condition, ConditionKind kind,
                                  const lang::Scope& scope, Severity severity, Diagnostics& diags,
                                  bool sound = true);
/// Evaluates the message alone, for what is wrong with it.
void ValidateErrorMessage(const config::Condition& condition, const lang::Scope& scope,
                          Diagnostics& diags);

/// Results per object, kept by graph node; filled from any thread.
class CheckRecord {
 public:
  /// Declares a checkable object of the configuration, and how many conditions it has.
  void Declare(NodeId node, std::string_view kind, std::string config_address, size_t conditions);
  /// Adds results of an instance's conditions to what is recorded for it. As long as one of them is
  /// not known all of it is not, unless another one failed.
  void Report(NodeId node, const std::string& object_address, const ConditionResult& result);
  /// Says that an instance exists although none of its conditions was reached.
  void DeclareObject(NodeId node, const std::string& object_address);
  /// Says that all instances are known: those declared so far, or none at all.
  void DeclareExpanded(NodeId node);
  /// Whether anything can be reported for the node.
  bool Declared(NodeId node) const;
  /// Whether an instance has failed or was broken so far.
  bool Failing(NodeId node, const std::string& object_address) const;
  /// Takes over the instances of an earlier walk, without their statuses.
  void DeclareObjectsOf(const std::vector<state::CheckResult>& earlier);
  /// All of them, in order of node, with the status of the whole.
  std::vector<state::CheckResult> Results() const;

 private:
  struct Object {
    CheckStatus status = CheckStatus::kUnknown;
    bool reported = false;
    std::vector<bool> rules;  ///< those that were reported
    std::vector<std::string> messages;
  };
  struct Entry {
    std::string kind;
    std::string address;
    size_t conditions = 0;
    bool has_objects = false;
    std::vector<std::string> order;
    std::map<std::string, Object> objects;
  };
  mutable std::mutex mutex_;
  std::map<NodeId, Entry> entries_;
};

/// Declares everything in the configuration that has conditions.
void DeclareChecks(const PlanGraph& graph, CheckRecord& checks);

}  // namespace kinu::engine
