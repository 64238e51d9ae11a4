// Looks up what the end of a move can mean, among the ends of other moves and the objects of a
// state. Without it, each statement is compared with all others and with all objects.
#pragma once

#include <vector>

#include "refactoring/move_statement.h"
#include "refactoring/step_tree.h"

namespace kinu::refactoring {

/// Ends of statements, each with the number of its statement.
class EndIndex {
 public:
  void Add(const MoveEnd& end, uint32_t statement);

  /// Adds to `out` the statements of all ends that `end` can be or be inside of
  /// (MoveEnd::CanBe(), MoveEnd::InsideOf()), and perhaps others.
  void FindAround(const MoveEnd& end, std::vector<uint32_t>& out) const;

  /// Whether an end is this module instance, or a resource of that name directly in it (null: any).
  bool Mentions(const Steps& module, const ResourceName* name) const;

 private:
  enum class Part : uint8_t { kModule, kAll, kWhole, kInstance };
  /// What the ends at one node of the tree are.
  struct Key {
    StepTree::Id node;
    Part part;
    ResourceName resource{};
    InstanceKey instance{};  ///< only for Part::kInstance

    uint64_t Hash() const {
      return HashCombine(
          HashCombine(uint64_t{node} << 8 | static_cast<uint64_t>(part), resource.Hash()),
          instance.Hash());
    }
    friend bool operator==(const Key&, const Key&) = default;
  };
  void Collect(const Key& key, std::vector<uint32_t>& out) const;

  StepTree tree_;
  FlatMap<Key, std::vector<uint32_t>> statements_;
  FlatSet<StepTree::Id> mentioned_;  ///< nodes with ends
};

/// The resources of a state by their module instances.
class ObjectIndex {
 public:
  explicit ObjectIndex(const Program& program) : program_(program) {}

  void Add(const AbsResource& address);
  void Remove(const AbsResource& address);
  /// The resources that the start of a move stands for or that are inside of it, in no particular
  /// order.
  std::vector<AbsResource> Inside(const MoveEnd& from) const;
  /// Whether a module instance has resources directly in it.
  bool HasObjects(ModuleInstId module) const;

 private:
  struct Module {
    ModuleInstId id;
    FlatSet<ResourceName> resources;
  };
  void CollectBelow(StepTree::Id node, std::vector<AbsResource>& out) const;

  const Program& program_;
  StepTree tree_;
  std::vector<Module> modules_;            ///< by node of the tree
  FlatMap<uint32_t, StepTree::Id> nodes_;  ///< by module instance
};

}  // namespace kinu::refactoring
