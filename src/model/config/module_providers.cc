#include "config/module_providers.h"

#include <algorithm>
#include <unordered_map>

#include "addrs/provider_source.h"
#include "config/decode.h"
#include "config/provider_names.h"
#include "config/same_expr.h"

namespace kinu::config {
namespace {

/// "name" or "name.alias" as one integer.
uint64_t NameKey(Symbol local_name, Symbol alias) {
  return uint64_t{local_name.id} << 32 | alias.id;
}
uint64_t NameKey(const ProviderRef& ref) {
  return NameKey(ref.local_name, ref.alias);
}

/// The provider declarations of a module. All its calls share them.
struct ModuleFacts {
  FlatMap<uint64_t, const ProviderBlock*> configured;  ///< blocks with arguments
  FlatMap<uint64_t, const ProviderBlock*> empty;       ///< blocks without arguments
  FlatMap<uint64_t, const hcl::Expr*> instanced;       ///< for_each of the blocks that have one
  FlatMap<uint64_t, Symbol> aliases;                   ///< configuration_aliases
  FlatMap<uint32_t, Symbol> required;                  ///< local names in required_providers
  std::vector<uint64_t> alias_order;
  Diagnostics problems;  ///< problems that do not depend on the call
};

class ProviderChecker {
 public:
  ProviderChecker(const Config& config, Diagnostics& diags)
      : config_(config), program_(*config.program), diags_(diags) {}
  void Check();

 private:
  void CollectFacts(const Module& module, ModuleFacts& facts);
  void CheckRequirements(const Module& module, ModuleFacts& facts);
  void CheckImpliedNames(const Module& module, ModuleFacts& facts);
  void CheckKeys(const Module& module, ModuleFacts& facts);
  void CheckKey(const ProviderRef& ref, std::string_view block, const ModuleFacts& facts,
                Diagnostics& diags);
  void WarnSameForEach(std::string_view block, const hcl::Expr* own, const hcl::Expr* provider,
                       Diagnostics& diags);

  void CheckNode(const ConfigNode& node, const ModuleFacts& facts);
  void CheckCalls(const ConfigNode& node, const ModuleFacts& facts);
  void CheckPassedIn(const ConfigNode& node, const ModuleCall& call, const ModuleFacts& facts);
  void WarnEmptyBlocks(const ConfigNode& node, const ModuleFacts& facts);
  /// The range of the argument (`count`, `for_each`, `enabled` or `depends_on`) that forbids
  /// provider blocks in the called module. Invalid if the call has none of them.
  static SourceRange RestrictionRange(const ModuleCall& call);

  std::string Name(Symbol local_name, Symbol alias) const {
    return ProviderConfigName(program_, local_name, alias);
  }
  std::string Name(const ProviderRef& ref) const { return Name(ref.local_name, ref.alias); }
  std::string Display(Symbol provider) const { return ProviderForDisplay(program_.Text(provider)); }
  std::string ModuleText(const ConfigNode& node) const {
    return node.parent == nullptr ? "the root module" : program_.ToText(node.path);
  }

  const Config& config_;
  Program& program_;
  Diagnostics& diags_;
  std::unordered_map<const Module*, std::unique_ptr<ModuleFacts>> facts_;
};

/// The provider that a local name means in a `providers` argument: "terraform" is the built-in
/// provider only if required_providers says so. Ref: Config.resolveProviderTypes.
Symbol PassedProviderAddress(Program& program, const Module& module, Symbol local_name) {
  const RequiredProvider* required = module.FindRequiredProvider(local_name);
  return required != nullptr ? required->provider
                             : DefaultProvider(program, program.Text(local_name));
}

void ProviderChecker::CollectFacts(const Module& module, ModuleFacts& facts) {
  for (const ProviderBlock& block : module.providers) {
    const uint64_t key = NameKey(block.local_name, block.alias);
    (block.is_empty ? facts.empty : facts.configured)[key] = &block;
    if (block.for_each != nullptr) {
      facts.instanced[key] = block.for_each;
    }
  }
  CheckRequirements(module, facts);
  CheckImpliedNames(module, facts);
  CheckKeys(module, facts);
}

void ProviderChecker::CheckRequirements(const Module& module, ModuleFacts& facts) {
  FlatMap<uint32_t, Symbol> name_of_provider;
  for (const RequiredProvider& required : module.required_providers) {
    const std::string name(program_.Text(required.local_name));
    auto [entry, is_new] = name_of_provider.try_emplace(required.provider.id, required.local_name);
    const ProviderAddress provider = SplitProviderAddress(program_.Text(required.provider));
    const std::string& implied = provider.type;
    if (!is_new) {
      facts.problems.Warning("Duplicate required provider",
                             "Provider " + Display(required.provider) + " with the local name " +
                                 Quoted(name) + " was previously required as " +
                                 Quoted(program_.Text(entry->second)) +
                                 ". A provider can only be required once within "
                                 "required_providers.",
                             required.range);
    } else if (provider.is_default() && name != implied) {
      const bool configured = std::any_of(
          module.providers.begin(), module.providers.end(),
          [&](const ProviderBlock& block) { return program_.Text(block.local_name) == implied; });
      if (configured) {
        facts.problems.Warning("Duplicate required provider",
                               "Provider " + Display(required.provider) + " with the local name " +
                                   Quoted(name) +
                                   " was implicitly required via a configuration block as " +
                                   Quoted(implied) + ". Use one local name.",
                               required.range);
      }
    }
    facts.required[required.local_name.id] = required.provider;
    for (const ProviderRef& alias : required.aliases) {
      if (facts.aliases.try_emplace(NameKey(alias), required.provider).second) {
        facts.alias_order.push_back(NameKey(alias));
      }
    }
  }
}

void ProviderChecker::CheckImpliedNames(const Module& module, ModuleFacts& facts) {
  // Resources are sorted by type, and all of one type have the same problem.
  Symbol type;
  std::string invalid;
  Symbol other_name;
  for (const Resource& resource : module.resources) {
    if (resource.provider_ref) {
      continue;
    }
    if (resource.name.type != type) {
      type = resource.name.type;
      invalid.clear();
      other_name = {};
      const std::string_view name = ImpliedProviderName(program_.Text(type));
      auto part = ParseProviderPart(name);
      if (!part) {
        invalid = Quoted(name) + " is an invalid implied provider local name: " + part.error();
      } else if (!facts.required.contains(program_.Intern(name).id)) {
        const Symbol implied = ImpliedProvider(program_, name);
        for (const RequiredProvider& required : module.required_providers) {
          if (required.provider == implied) {
            other_name = required.local_name;
          }
        }
      }
    }
    if (!invalid.empty()) {
      facts.problems.Error("Invalid provider local name", invalid, resource.range);
    } else if (!other_name.empty()) {
      facts.problems.Warning(
          "Duplicate required provider",
          program_.ToText(resource.name) + " implies a provider that required_providers lists as " +
              Quoted(program_.Text(other_name)) +
              ". Use that name in a \"provider\" argument, or change the local name.",
          resource.range);
    }
  }
}

void ProviderChecker::WarnSameForEach(std::string_view block, const hcl::Expr* own,
                                      const hcl::Expr* provider, Diagnostics& diags) {
  if (own == nullptr || provider == nullptr || !IsSameForEach(*own, *provider)) {
    return;
  }
  diags.Warning("Provider configuration for_each matches " + std::string(block),
                "The provider configuration and the " + std::string(block) +
                    " have the same for_each, so an element that is taken away takes away the "
                    "provider that its objects need to be destroyed. Let the provider's for_each "
                    "keep elements for longer.",
                own->range());
}

void ProviderChecker::CheckKey(const ProviderRef& ref, std::string_view block,
                               const ModuleFacts& facts, Diagnostics& diags) {
  const std::string summary = "Invalid " + std::string(block) + " provider configuration";
  const bool instanced = facts.instanced.contains(NameKey(ref));
  if (ref.key == nullptr) {
    if (instanced) {
      diags.Error(summary,
                  "A reference to a provider configuration which uses for_each requires an "
                  "instance key. Passing a collection of provider instances into a child module is "
                  "not allowed.",
                  ref.range);
    }
    return;
  }
  if (ref.alias.empty()) {
    diags.Error(summary,
                "An instance key can be specified only for a provider configuration which has an "
                "alias and uses for_each.",
                ref.key->range());
  } else if (!instanced && !facts.configured.contains(NameKey(ref))) {
    diags.Error(summary,
                "This module doesn't declare a provider " + Quoted(program_.Text(ref.local_name)) +
                    " block with alias = " + Quoted(program_.Text(ref.alias)) +
                    ", which is required for use with for_each.",
                ref.range);
  } else if (!instanced) {
    diags.Error(
        summary,
        "An instance key can be specified only for a provider configuration that uses for_each.",
        ref.key->range());
  }
}

void ProviderChecker::CheckKeys(const Module& module, ModuleFacts& facts) {
  const auto for_each_of = [&](const ProviderRef& ref) -> const hcl::Expr* {
    auto found = facts.instanced.find(NameKey(ref));
    return found == facts.instanced.end() ? nullptr : found->second;
  };
  for (const ModuleCall& call : module.calls) {
    for (const ModuleCall::PassedProvider& passed : call.providers) {
      if (passed.inside.key != nullptr) {
        facts.problems.Error("Invalid module provider configuration",
                             "Instance keys are not allowed on the left side of a provider "
                             "configuration assignment.",
                             passed.inside.key->range());
      }
      CheckKey(passed.outside, "module", facts, facts.problems);
      if (passed.outside.key != nullptr) {
        WarnSameForEach("module", call.for_each, for_each_of(passed.outside), facts.problems);
      }
    }
  }
  for (const Resource& resource : module.resources) {
    if (!resource.provider_ref) {
      continue;
    }
    CheckKey(*resource.provider_ref, "resource", facts, facts.problems);
    if (resource.provider_ref->key != nullptr && resource.name.mode == ResourceMode::kManaged) {
      WarnSameForEach("resource", resource.for_each, for_each_of(*resource.provider_ref),
                      facts.problems);
    }
  }
}

SourceRange ProviderChecker::RestrictionRange(const ModuleCall& call) {
  for (const hcl::Expr* expr : {call.count, call.for_each, call.enabled}) {
    if (expr != nullptr) {
      return expr->range();
    }
  }
  return call.depends_on.empty() ? SourceRange{} : call.depends_on[0]->range();
}

/// Reports configurations without alias that a call passes on and nothing declares.
void ProviderChecker::CheckCalls(const ConfigNode& node, const ModuleFacts& facts) {
  for (const ModuleCall& call : node.module->calls) {
    for (const ModuleCall::PassedProvider& passed : call.providers) {
      const ProviderRef& outside = passed.outside;
      if (!outside.alias.empty()) {
        continue;
      }
      const std::string name(program_.Text(outside.local_name));
      const bool configured = facts.configured.contains(NameKey(outside));
      if (!configured && !facts.required.contains(outside.local_name.id)) {
        diags_.Warning(
            "Reference to undefined provider",
            "There is no explicit declaration for local provider name " + Quoted(name) + " in " +
                ModuleText(node) +
                ", so OpenTofu is assuming you mean to pass a configuration for provider "
                "\"hashicorp/" +
                name + "\".\n\nAdd an entry to required_providers to make it clear.",
            outside.range);
        continue;
      }
      if (node.parent == nullptr || configured) {
        continue;
      }
      const ModuleCall& own_call = node.parent->module->calls[static_cast<size_t>(node.call)];
      const bool passed_in = std::any_of(own_call.providers.begin(), own_call.providers.end(),
                                         [&](const ModuleCall::PassedProvider& given) {
                                           return NameKey(given.inside) == NameKey(outside);
                                         });
      if (!passed_in) {
        diags_.Warning("Missing required provider configuration",
                       "The configuration for " + ModuleText(node) +
                           " expects to inherit a configuration for provider hashicorp/" + name +
                           " with local name " + Quoted(name) + ", but " +
                           ModuleText(*node.parent) +
                           " doesn't pass a configuration under that name.\n\nAdd it to the "
                           "\"providers\" argument of the module call.",
                       own_call.range);
      }
    }
  }
}

void ProviderChecker::CheckPassedIn(const ConfigNode& node, const ModuleCall& call,
                                    const ModuleFacts& facts) {
  const Module& parent = *node.parent->module;
  for (const ModuleCall::PassedProvider& passed : call.providers) {
    const ProviderRef& inside = passed.inside;
    const std::string name = Name(inside);
    Symbol provider = PassedProviderAddress(program_, *node.module, inside.local_name);
    const bool is_required = inside.alias.empty() && facts.required.contains(inside.local_name.id);
    const bool is_alias = facts.aliases.contains(NameKey(inside));
    if (!is_required && !is_alias && !facts.empty.contains(NameKey(inside))) {
      const bool is_default = SplitProviderAddress(program_.Text(provider)).is_default();
      const std::string entry = "\n\nAdd an entry with the source " + Quoted(Display(provider)) +
                                " to the required_providers of the module.";
      const std::string detail =
          is_default ? "There is no explicit declaration for local provider name " + Quoted(name) +
                           " in " + ModuleText(node) +
                           ", so OpenTofu is assuming you mean to pass a configuration for " +
                           Quoted(Display(provider)) + "." + entry
                     : "The child module does not declare any provider requirement with the local "
                       "name " +
                           Quoted(name) + "." + entry;
      if (is_default) {
        diags_.Warning("Reference to undefined provider", detail, inside.range);
      } else {
        diags_.Error("Reference to undefined provider", detail, inside.range);
      }
    }
    Symbol given = PassedProviderAddress(program_, parent, passed.outside.local_name);
    // The name inside is looked up in the parent, as OpenTofu does.
    if (inside.alias.empty()) {
      if (const RequiredProvider* required = parent.FindRequiredProvider(inside.local_name)) {
        given = required->provider;
      }
    }
    if (given == provider) {
      continue;
    }
    const bool other_name =
        std::any_of(node.module->required_providers.begin(), node.module->required_providers.end(),
                    [&](const RequiredProvider& required) { return required.provider == given; });
    diags_.Error("Provider type mismatch",
                 other_name
                     ? "The assigned configuration is for provider " + Quoted(Display(given)) +
                           ", but local name " + Quoted(name) + " in " + ModuleText(node) +
                           " represents " + Quoted(Display(provider)) + "."
                     : "The local name " + Quoted(Name(passed.outside)) + " in " +
                           ModuleText(*node.parent) + " represents provider " +
                           Quoted(Display(given)) + ", but " + Quoted(name) + " in " +
                           ModuleText(node) + " represents " + Quoted(Display(provider)) + ".",
                 other_name ? inside.range : passed.outside.range);
  }
}

void ProviderChecker::WarnEmptyBlocks(const ConfigNode& node, const ModuleFacts& facts) {
  FlatMap<uint32_t, SourceRange> first;
  std::vector<Symbol> names;
  for (const ProviderBlock& block : node.module->providers) {
    if (!block.is_empty) {
      continue;
    }
    auto [entry, is_new] = first.try_emplace(block.local_name.id, block.range);
    if (is_new) {
      names.push_back(block.local_name);
    } else if (block.range.file->name() < entry->second.file->name() ||
               (block.range.file == entry->second.file &&
                block.range.begin < entry->second.begin)) {
      entry.value() = block.range;
    }
  }
  for (Symbol name : names) {
    auto required = facts.required.find(name.id);
    const Symbol provider = required == facts.required.end()
                                ? ImpliedProvider(program_, program_.Text(name))
                                : required->second;
    diags_.Warning("Redundant empty provider block",
                   "A module says in required_providers which providers it needs, here with the "
                   "source " +
                       Quoted(Display(provider)) +
                       " (and configuration_aliases for aliases); empty provider blocks are not "
                       "needed any more.",
                   first[name.id]);
  }
}

void ProviderChecker::CheckNode(const ConfigNode& node, const ModuleFacts& facts) {
  diags_.Append(facts.problems);
  CheckCalls(node, facts);
  if (node.parent == nullptr) {
    return;
  }
  const ModuleCall& call = node.parent->module->calls[static_cast<size_t>(node.call)];
  if (!facts.configured.empty()) {
    for (const ConfigNode* at = &node; at->parent != nullptr; at = at->parent) {
      const SourceRange range =
          RestrictionRange(at->parent->module->calls[static_cast<size_t>(at->call)]);
      if (range.valid()) {
        diags_.Error("Module is incompatible with count, for_each, enabled and depends_on",
                     "The module " + program_.ToText(node.path) +
                         " configures providers itself, so its call cannot use count, for_each, "
                         "enabled or depends_on. Configure the providers in the root module and "
                         "pass them in.",
                     range);
        break;
      }
    }
  }
  FlatSet<uint64_t> passed_in;
  for (const ModuleCall::PassedProvider& passed : call.providers) {
    passed_in.insert(NameKey(passed.inside));
    if (facts.configured.contains(NameKey(passed.inside))) {
      diags_.Error("Cannot override provider configuration",
                   "The configuration of " + ModuleText(node) +
                       " has its own local configuration for " + Name(passed.inside) +
                       ", and so it cannot accept an overridden configuration provided by " +
                       ModuleText(*node.parent) + ".",
                   passed.inside.range);
    }
  }
  for (uint64_t key : facts.alias_order) {
    if (facts.configured.contains(key) || passed_in.contains(key)) {
      continue;
    }
    const std::string name =
        Name(Symbol{static_cast<uint32_t>(key >> 32)}, Symbol{static_cast<uint32_t>(key)});
    diags_.Error(
        "Missing required provider configuration",
        "The child module requires an additional configuration for provider " +
            Display(AddressOf(program_, *node.module, Symbol{static_cast<uint32_t>(key >> 32)})) +
            ", with the local name " + Quoted(name) +
            ".\n\nPass one in the \"providers\" argument of the module call.",
        call.range);
  }
  CheckPassedIn(node, call, facts);
  WarnEmptyBlocks(node, facts);
}

void ProviderChecker::Check() {
  for (const auto& node : config_.nodes) {
    std::unique_ptr<ModuleFacts>& facts = facts_[node->module];
    if (facts == nullptr) {
      facts = std::make_unique<ModuleFacts>();
      CollectFacts(*node->module, *facts);
    }
    CheckNode(*node, *facts);
  }
}

}  // namespace

void CheckProviderConfigs(const Config& config, Diagnostics& diags) {
  ProviderChecker(config, diags).Check();
}

}  // namespace kinu::config
