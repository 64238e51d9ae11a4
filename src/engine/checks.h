// The results of preconditions, postconditions, assertions and validation rules. Ref: opentofu
// internal/checks.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/graph.h"
#include "engine/plan_graph.h"
#include "meta/conditions.h"
#include "state/state.h"

namespace kinu::engine {

using meta::CheckStatus;
using meta::ConditionResult;

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
