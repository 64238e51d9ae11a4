// Which instance of a provider with for_each serves a resource. Ref: opentofu
// internal/tofu/eval_provider.go resolveProviderInstance.
#include "cty/conversion.h"
#include "engine/rows/rows.h"
#include "lang/deprecation.h"
#include "lang/eval.h"

namespace kinu::engine {
namespace {

/// A key in the `providers` of a module call.
struct PassedKey {
  const hcl::Expr* expr = nullptr;
  const config::ConfigNode* called = nullptr;  ///< the module that is called
};

/// Follows a provider upwards as Config::ResolveProvider() does, to the module call with a key.
PassedKey FindPassedKey(const config::Config& config, const config::ConfigNode& node,
                        const config::Resource& resource) {
  const config::ConfigNode* at = &node;
  Symbol provider = resource.provider;
  Symbol alias = resource.provider_ref ? resource.provider_ref->alias : Symbol();
  while (at->parent != nullptr) {
    const config::ProviderBlock* block = config.FindProviderBlock({at->path, provider, alias});
    if (block != nullptr && !block->is_empty) {
      break;
    }
    const config::Module& caller = *at->parent->module;
    const config::ProviderRef* outside = nullptr;
    for (const auto& passed : caller.calls[static_cast<size_t>(at->call)].providers) {
      if (passed.inside.alias == alias &&
          config.ProviderAddress(*at->module, passed.inside.local_name) == provider) {
        outside = &passed.outside;
      }
    }
    if (outside != nullptr) {
      if (outside->key != nullptr) {
        return {outside->key, at};
      }
      provider = config.ProviderAddress(caller, outside->local_name);
      alias = outside->alias;
    } else if (block != nullptr || !alias.empty()) {
      break;  // configured here; an alias is never inherited
    }
    at = at->parent;
  }
  return {};
}

InstanceKey ReadKey(const RowContext& row, const hcl::Expr& expr, const ModuleScope& scope,
                    Diagnostics& diags) {
  size_t errors = diags.error_count();
  Value value = lang::WarnDeprecated(lang::Evaluate(expr, scope, diags), expr, diags);
  if (diags.error_count() != errors) {
    return {};
  }
  auto invalid = [&](std::string detail, DiagnosticTag tag = DiagnosticTag::kNone) {
    diags.Error("Invalid provider instance key", std::move(detail), expr.range()).tag = tag;
    return InstanceKey();
  };
  if (value.marks().sensitive() || value.marks().ephemeral()) {
    return invalid("A provider instance key must not be derived from " +
                       std::string(value.marks().sensitive() ? "a sensitive" : "an ephemeral") +
                       " value.",
                   DiagnosticTag::kCausedBySensitive);
  }
  if (value.IsNull()) {
    return invalid("A provider instance key must not be null.");
  }
  if (!value.IsKnown()) {
    return invalid("The provider instance key for " + row.AddressText() +
                       " depends on values that cannot be determined until apply, and so OpenTofu "
                       "cannot select a provider instance to create a plan for this resource "
                       "instance.",
                   DiagnosticTag::kCausedByUnknown);
  }
  ValueResult<Value> text = Convert(value.UnmarkDeep(), Type::String());
  if (!text) {
    return invalid("The given instance key is unsuitable: " + text.error().ToText() + ".");
  }
  return InstanceKey::String(row.walk().program.Intern(text->AsString()));
}

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
    ModuleScope scope(walk, *row.instance, {&table.expansion, row.row.expansion_row});
    return ReadKey(row, *row.resource.provider_ref->key, scope, diags);
  }
  const PassedKey passed = FindPassedKey(walk.config, *place, row.resource);
  if (passed.expr == nullptr) {
    return {};
  }
  const ModuleInstance* called = configured ? AroundRow(row, *passed.called) : nullptr;
  if (called == nullptr) {
    return KeyOfSameProvider(row, diags);
  }
  ModuleScope scope(walk, *called->parent, called->repetition);
  return ReadKey(row, *passed.expr, scope, diags);
}

}  // namespace kinu::engine
