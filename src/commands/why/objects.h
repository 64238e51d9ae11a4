// The objects of a plan, as they are planned and as they were when the state was written. Private
// to why.
#pragma once

#include <algorithm>
#include <vector>

#include "base/flat_map.h"
#include "plan/plan.h"
#include "plan_json/schema_lookup.h"

namespace kinu::why {

/// One object of the plan.
struct PlannedObject {
  InstanceKey key;
  const plan::ResourceChange* change = nullptr;  ///< null: data that was read while planning
  const plan::ResourceChange* drift = nullptr;   ///< null: it is as the state says
  Value now;                                     ///< null: there is none
  Value earlier;                                 ///< as the state had it; null: there was none
};

/// The current objects, by their blocks. Values are marked as their schemas say.
class Objects {
 public:
  Objects(const plan::Plan& plan, const view::SchemaLookup& schemas);

  /// The instances of a resource, in the order of their keys. Empty: there are none.
  const std::vector<PlannedObject>& Of(const AbsResource& resource) const;
  const PlannedObject* Find(const ResourceInstance& address) const;
  const schema::ResourceSchema* SchemaOf(const ProviderConfig& provider,
                                         const ResourceName& name) const;
  /// Whether the state had an object in a module instance or below it.
  bool StateHas(ModuleInstId module) const { return modules_.contains(module.id); }

 private:
  Value Marked(const Value& value, const ProviderConfig& provider, const ResourceName& name) const;
  void AddRead();
  /// Where a key stands or belongs in a list of instances.
  auto Place(auto& list, const InstanceKey& key) const {
    const auto less = [this](const InstanceKey& a, const InstanceKey& b) {
      return plan_.program->KeyLess(a, b);
    };
    return std::ranges::lower_bound(list, key, less, &PlannedObject::key);
  }
  PlannedObject& Ensure(const ResourceInstance& address);

  const plan::Plan& plan_;
  const view::SchemaLookup& schemas_;
  FlatMap<AbsResource, std::vector<PlannedObject>> objects_;
  FlatSet<uint32_t> modules_;
};

}  // namespace kinu::why
