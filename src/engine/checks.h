// The results of preconditions, postconditions, assertions and validation rules. Ref: opentofu
// internal/checks.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/graph.h"
#include "engine/plan_graph.h"
#include "meta_arguments/conditions.h"
#include "state/state.h"

namespace kinu::engine {

using meta_arguments::ConditionResult;

/// The results of conditions, by graph node and object: a Checkable with the kind of its block.
/// Thread-safe.
class CheckRecord {
 public:
  /// Declares a block with conditions, and their number.
  void Declare(NodeId node, const ConfigCheckable& block, size_t conditions);
  /// Declares a block with conditions that has no node in this walk. Its objects are not known.
  void DeclareLeftOut(const ConfigCheckable& block);
  /// Adds the result of a condition of an instance. The status of an instance is unknown while one
  /// of its conditions is, unless another one failed.
  void Report(NodeId node, const ResourceInstance& object, const ConditionResult& result);
  /// Declares an instance, even if none of its conditions is evaluated.
  void DeclareObject(NodeId node, const ResourceInstance& object);
  /// Declares that all instances are known: those declared so far, or none.
  void DeclareExpanded(NodeId node);
  /// Whether the node has conditions.
  bool Declared(NodeId node) const;
  /// Whether a condition of an instance has failed or was invalid so far.
  bool Failing(NodeId node, const ResourceInstance& object) const;
  /// Declares the instances of an earlier walk, without their statuses.
  void DeclareObjectsOf(const std::vector<state::CheckResult>& earlier);
  /// All results, in the order of the nodes. Blocks without a node come last.
  std::vector<state::CheckResult> Results() const;

 private:
  struct Object {
    CheckStatus status = CheckStatus::kUnknown;
    bool reported = false;
    std::vector<bool> rules;  ///< those that were reported
    std::vector<std::string> messages;
  };
  struct Entry {
    ConfigCheckable block;
    size_t conditions = 0;
    bool has_objects = false;
    std::vector<ResourceInstance> order;
    FlatMap<ResourceInstance, Object> objects;
  };
  /// Whether there are any; most configurations have none, and then the mutex is not taken.
  std::atomic<bool> has_entries_{false};
  mutable std::mutex mutex_;
  std::map<NodeId, Entry> entries_;
  std::vector<ConfigCheckable> left_out_;
};

/// Declares all blocks of the configuration that have conditions.
void DeclareChecks(const PlanGraph& graph, CheckRecord& checks);

}  // namespace kinu::engine
