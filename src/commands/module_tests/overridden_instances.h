// Which instances of a resource the `override_resource` and `override_data` blocks of a test are
// for. Ref: opentofu internal/addrs/override_trie.go.
#pragma once

#include <map>
#include <vector>

#include "config/module_test_file.h"

namespace kinu::module_tests {

/// The instance keys of an object's modules, and its own.
std::vector<InstanceKey> KeysOf(const Program& program, const ResourceInstance& object);

/// The blocks that override instances of one resource, by the keys in their targets.
///
/// A target without a key where the object has one means all, as [*] does. A key counts more than
/// [*], and an outer one more than an inner one. Where one block has [*], no other may leave out a
/// key.
class OverriddenInstances {
 public:
  struct Match {
    const config::ResourceOverride* block = nullptr;  ///< null: none is for the object
    /// If it mixes both forms: the targets without a key where the object has one. Else null.
    const std::vector<SourceRange>* mixed = nullptr;
  };

  /// Of blocks with the same keys, the last one counts.
  void Add(const config::ResourceOverride& block);
  Match Find(const std::vector<InstanceKey>& keys) const;

 private:
  /// What follows a step of the targets.
  struct Step {
    FlatMap<InstanceKey, size_t> by_key;  // indices into steps_
    size_t every = 0;                     // the same; 0: none
    const config::ResourceOverride* block = nullptr;
  };

  bool FindFrom(const Step& step, size_t depth, const std::vector<InstanceKey>& keys,
                Match& match) const;

  std::vector<Step> steps_{1};
  std::map<size_t, std::vector<SourceRange>> without_key_;  // by depth
  bool has_every_ = false;
};

}  // namespace kinu::module_tests
