// Collects the objects of a summary. Private to the readers of plans, states and documents.
#pragma once

#include "view/summary/summary.h"

namespace kinu::view {

class SummaryBuilder {
 public:
  explicit SummaryBuilder(Program& program) : program_(program) {}
  /// Counts an object and returns its group, which is valid until the next call.
  SummaryGroup& Add(const ResourceInstance& address, Effect effect);
  Summary& summary() { return summary_; }
  /// Orders the groups by effect.
  Summary Finish();

 private:
  struct Key {
    Effect effect;
    ModuleId module;
    ResourceName resource;
    uint64_t Hash() const {
      return HashCombine(HashCombine(static_cast<uint64_t>(effect), module.id), resource.Hash());
    }
    friend bool operator==(const Key&, const Key&) = default;
  };
  void AddModuleKeys(SummaryGroup& group, ModuleInstId module) const;

  Program& program_;
  Summary summary_;
  FlatMap<Key, size_t> index_;
  std::vector<ModuleInstId> last_module_;  // per group: its keys are added already
};

}  // namespace kinu::view
