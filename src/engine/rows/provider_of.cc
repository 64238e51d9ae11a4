// Which instance of a provider with for_each serves a resource. Ref: opentofu
// internal/tofu/eval_provider.go resolveProviderInstance.
#include "engine/provider_key.h"
#include "engine/rows/rows.h"

namespace kinu::engine {
namespace {

/// The module of the row's block, or null.
const config::ConfigNode* PlaceOf(const RowContext& row) {
  const Walk& walk = row.walk();
  return row.instance != nullptr
             ? row.instance->node
             : walk.config.Find(walk.program.ModuleOf(row.address.resource.module));
}

/// The instance of a module that the row is in, or null: it does not exist any more.
const ModuleInstance* AroundRow(const RowContext& row, const config::ConfigNode& module) {
  const Walk& walk = row.walk();
  ModuleInstId id = row.address.resource.module;
  while (walk.program.ModuleOf(id) != module.path) {
    id = walk.program.Parent(id);
  }
  for (const ModuleInstance* instance : walk.slots.instances[module.index]) {
    if (instance->id == id) {
      return instance;
    }
  }
  return nullptr;
}

InstanceKey StoredKey(const RowContext& row) {
  return row.row.stored != nullptr ? row.row.stored->provider_key : InstanceKey();
}

/// The stored key where the configuration has one for other instances, which must be a key of the
/// same provider configuration.
InstanceKey KeyOfSameProvider(const RowContext& row, Diagnostics& diags) {
  const Walk& walk = row.walk();
  const state::State* prior = walk.context.prior_state;
  const state::Resource* stored = prior != nullptr ? prior->Find(row.address.resource) : nullptr;
  const ProviderConfig& configured = row.provider_info().address;
  if (stored != nullptr && !(stored->provider == configured)) {
    diags.Error("Unable to use fallback provider from state",
                row.AddressText() + " was made with " + walk.program.ToText(stored->provider) +
                    ", and its block, which gives no key for it any more, names " +
                    walk.program.ToText(configured) + ".");
    return {};
  }
  return StoredKey(row);
}

}  // namespace

InstanceKey ProviderKeyOf(const RowContext& row, KeyBasis basis, Diagnostics& diags) {
  const Walk& walk = row.walk();
  const config::ConfigNode* place = row.resource.range.valid() ? PlaceOf(row) : nullptr;
  if (place == nullptr) {
    return StoredKey(row);
  }
  const bool configured = basis == KeyBasis::kConfiguration;
  if (row.resource.provider_ref && row.resource.provider_ref->key != nullptr) {
    if (configured && row.instance != nullptr && row.row.orphan()) {
      return StoredKey(row);  // the expanded block has given its provider to the resource
    }
    if (!configured || row.instance == nullptr) {
      return KeyOfSameProvider(row, diags);
    }
    const ResourceTable& table = *row.instance->resources[walk.graph.node(row.id).index];
    return ReadProviderKey(walk, row.AddressText(), *row.resource.provider_ref->key, *row.instance,
                           {&table.expansion, row.row.expansion_row}, diags);
  }
  const Symbol alias = row.resource.provider_ref ? row.resource.provider_ref->alias : Symbol();
  const config::PassedKey passed = walk.config.FindPassedKey(*place, row.resource.provider, alias);
  if (passed.expr == nullptr) {
    return {};
  }
  const ModuleInstance* called = configured ? AroundRow(row, *passed.called) : nullptr;
  if (called == nullptr) {
    return KeyOfSameProvider(row, diags);
  }
  return ReadPassedKey(walk, row.AddressText(), passed, *called, diags);
}

provider::Provider* ProviderOf(RowContext& row, KeyBasis basis, Diagnostics& diags) {
  const ProviderSlot& slot = row.provider_slot();
  size_t errors = diags.error_count();
  const InstanceKey key = ProviderKeyOf(row, basis, diags);
  if (diags.error_count() != errors) {
    return nullptr;
  }
  row.row.provider_key = key;
  provider::Provider* provider = slot.Get(key);
  if (Substitutes* substitutes = row.walk().context.request.substitutes;
      substitutes != nullptr && provider != nullptr) {
    return substitutes->For(row.walk().program, row.address, row.provider_info().address, *provider,
                            diags);
  }
  if (provider == nullptr && !diags.has_errors()) {
    diags.Error("Provider instance not present",
                "No instance of the provider configuration serves " + row.AddressText() +
                    ": the instance key that it used is no longer in the configuration's "
                    "for_each.");
  }
  return provider;
}

}  // namespace kinu::engine
