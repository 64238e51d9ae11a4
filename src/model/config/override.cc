// Applies override files: their arguments and blocks replace those of normal files. Ref: opentofu
// internal/configs/module.go mergeFile, module_merge.go.
#include "config/merged_body.h"
#include "config/module_builder.h"
#include "config/state_blocks.h"
#include "cty/conversion.h"

namespace kinu::config {
namespace {

template <typename T>
void Replace(T& base, const T& over, bool given) {
  if (given) {
    base = over;
  }
}

class Overrider {
 public:
  Overrider(Program& program, Module& module, Diagnostics& diags)
      : program_(program), module_(module), diags_(diags) {}

  void Apply(FileContent& over);

 private:
  void Merge(ProviderBlock& base, ProviderBlock& over);
  void Merge(Variable& base, Variable& over);
  void Merge(Local& base, Local& over);
  void Merge(Output& base, Output& over);
  void Merge(ModuleCall& base, ModuleCall& over);
  void Merge(Resource& base, Resource& over);
  void MergeRequiredProviders(RequiredProvidersBlock& over);
  void MergeProviders(std::vector<ProviderBlock>& over);
  void MergeBackends(FileContent& over);

  /// Merges blocks into the blocks of the same name. Reports names that the module does not
  /// declare.
  template <typename T>
  void MergeNamed(std::vector<T>& over, std::vector<T>& table, const FlatMap<uint32_t, int>& index,
                  std::string_view summary, std::string_view what) {
    for (T& block : over) {
      auto found = index.find(block.name.id);
      if (found == index.end()) {
        diags_.Error(std::string(summary),
                     "There is no " + std::string(what) + " named " +
                         Quoted(program_.Text(block.name)) +
                         ". An override file can only change what a normal file declares.",
                     block.range);
        continue;
      }
      Merge(table[static_cast<size_t>(found->second)], block);
    }
  }
  const hcl::Body* MergedBody(const hcl::Body* base, const hcl::Body* over) {
    return module_.tree->arena.New<OverriddenBody>(base, over);
  }
  void RefuseDependsOn(const std::vector<const hcl::TraversalExpr*>& depends_on) {
    if (!depends_on.empty()) {
      diags_.Error("Unsupported override", "The depends_on argument may not be overridden.",
                   depends_on[0]->range());
    }
  }
  void Refuse(std::string_view what, std::string_view sentence, const SourceRange& range) {
    diags_.Error("Cannot override '" + std::string(what) + "' blocks",
                 std::string(sentence) + " can appear only in normal files, not in override files.",
                 range);
  }

  Program& program_;
  Module& module_;
  Diagnostics& diags_;
};

/// Explains why a default became invalid: the override has a type, a default, or both.
std::string OverriddenDefault(bool has_type, bool has_default) {
  if (has_type && !has_default) {
    return "Overriding this variable's type constraint has made its default value invalid";
  }
  if (!has_type && has_default) {
    return "The overridden default value for this variable is not compatible with the variable's "
           "type constraint";
  }
  return "This variable's default value is not compatible with its type constraint";
}

void Overrider::Merge(ProviderBlock& base, ProviderBlock& over) {
  Replace(base.version, over.version, !over.version.empty());
  base.body = MergedBody(base.body, over.body);
}

void Overrider::Merge(Variable& base, Variable& over) {
  Replace(base.description, over.description, over.has_description);
  base.has_description |= over.has_description;
  Replace(base.sensitive, over.sensitive, over.has_sensitive);
  base.has_sensitive |= over.has_sensitive;
  Replace(base.deprecated, over.deprecated, !over.deprecated.empty());
  Replace(base.ephemeral, over.ephemeral, over.has_ephemeral);
  base.has_ephemeral |= over.has_ephemeral;
  Replace(base.default_value, over.default_value, over.default_value.has_value());
  if (over.has_type) {
    base.constraint.type = over.constraint.type;
    base.parse_as_expression = over.parse_as_expression;
    base.has_type = true;
  }
  Replace(base.nullable, over.nullable, over.has_nullable);
  base.has_nullable |= over.has_nullable;
  Replace(base.is_const, over.is_const, over.has_const);
  base.has_const |= over.has_const;
  if (!base.default_value) {
    return;
  }
  // A new type may not fit the old default, and the other way round.
  auto converted = Convert(*base.default_value, base.constraint.type);
  if (converted) {
    base.default_value = *std::move(converted);
  } else {
    diags_.Error("Invalid default value for variable",
                 OverriddenDefault(over.has_type, over.default_value.has_value()) + ": " +
                     converted.error().message + ".",
                 over.range);
  }
  if (!base.nullable && base.default_value->IsNull()) {
    diags_.Error("Invalid default value for variable",
                 "A null default value is not valid when nullable=false.", over.range);
  }
}

void Overrider::Merge(Local& base, Local& over) {
  base = over;
}

void Overrider::Merge(Output& base, Output& over) {
  Replace(base.description, over.description, !over.description.empty());
  Replace(base.expr, over.expr, over.expr != nullptr);
  Replace(base.sensitive, over.sensitive, over.has_sensitive);
  base.has_sensitive |= over.has_sensitive;
  Replace(base.deprecated, over.deprecated, !over.deprecated.empty());
  Replace(base.ephemeral, over.ephemeral, over.has_ephemeral);
  base.has_ephemeral |= over.has_ephemeral;
  RefuseDependsOn(over.depends_on);
}

void Overrider::Merge(ModuleCall& base, ModuleCall& over) {
  if (over.source_expr != nullptr) {
    base.source_expr = over.source_expr;
    base.source_range = over.source_range;
  }
  Replace(base.count, over.count, over.count != nullptr);
  Replace(base.for_each, over.for_each, over.for_each != nullptr);
  if (over.version_expr != nullptr) {
    base.version_expr = over.version_expr;
    base.version_range = over.version_range;
  }
  base.body = MergedBody(base.body, over.body);
  Replace(base.providers, over.providers, !over.providers.empty());
  RefuseDependsOn(over.depends_on);
}

void Overrider::Merge(Resource& base, Resource& over) {
  Replace(base.count, over.count, over.count != nullptr);
  Replace(base.for_each, over.for_each, over.for_each != nullptr);
  Replace(base.provider_ref, over.provider_ref, over.provider_ref.has_value());
  Replace(base.connection, over.connection, over.connection != nullptr);
  Replace(base.create_before_destroy, over.create_before_destroy,
          over.create_before_destroy.has_value());
  Replace(base.ignore_changes, over.ignore_changes, !over.ignore_changes.empty());
  if (over.ignore != IgnoreChanges::kNone && base.ignore != IgnoreChanges::kAll) {
    base.ignore = over.ignore;
  }
  Replace(base.prevent_destroy, over.prevent_destroy, over.prevent_destroy != nullptr);
  Replace(base.destroy, over.destroy, over.destroy != nullptr);
  Replace(base.provisioners, over.provisioners, !over.provisioners.empty());
  base.body = MergedBody(base.body, over.body);
  RefuseDependsOn(over.depends_on);
}

void Overrider::MergeRequiredProviders(RequiredProvidersBlock& over) {
  for (RequiredProvider& provider : over.providers) {
    bool replaced = false;
    for (RequiredProvider& base : module_.required_providers) {
      if (base.local_name == provider.local_name) {
        base = provider;
        replaced = true;
        break;
      }
    }
    if (!replaced) {
      module_.required_providers.push_back(provider);
    }
  }
}

void Overrider::MergeProviders(std::vector<ProviderBlock>& over) {
  for (ProviderBlock& block : over) {
    ProviderBlock* base = nullptr;
    for (ProviderBlock& candidate : module_.providers) {
      if (candidate.local_name == block.local_name && candidate.alias == block.alias) {
        base = &candidate;
      }
    }
    if (base != nullptr) {
      Merge(*base, block);
    } else if (block.alias.empty()) {
      module_.providers.push_back(std::move(block));
    } else {
      diags_.Error("Missing base provider configuration for override",
                   "There is no " + std::string(program_.Text(block.local_name)) +
                       " provider configuration with the alias " +
                       Quoted(program_.Text(block.alias)) +
                       ". An override file can only change what a normal file declares.",
                   block.range);
    }
  }
}

void Overrider::MergeBackends(FileContent& over) {
  if (over.backends.size() == 1) {
    module_.backend = std::move(over.backends[0]);
    module_.cloud.reset();
  } else if (over.backends.size() > 1) {
    diags_.Error("Duplicate backend configuration",
                 "Each override file may have only one backend configuration. A backend was "
                 "previously configured at " +
                     ToText(over.backends[0].range) + ".",
                 over.backends[1].range);
  }
  if (over.clouds.size() == 1) {
    module_.cloud = over.clouds[0];
    module_.backend.reset();
  } else if (over.clouds.size() > 1) {
    diags_.Error("Duplicate cloud configurations",
                 "A module may have only one 'cloud' block configuring a cloud backend. A cloud "
                 "backend was previously configured at " +
                     ToText(over.clouds[0].range) + ".",
                 over.clouds[1].range);
  }
  if (over.encryptions.size() == 1) {
    MergeEncryption(module_, over.encryptions[0]);
  } else if (over.encryptions.size() > 1) {
    module_.encryption_unknown = true;
    diags_.Error("Duplicate encryption configuration",
                 "Each override file may have only one encryption configuration. Encryption was "
                 "previously configured at " +
                     ToText(over.encryptions[0].range) + ".",
                 over.encryptions[1].range);
  }
}

void Overrider::Apply(FileContent& over) {
  for (RequiredProvidersBlock& block : over.required_providers) {
    MergeRequiredProviders(block);
  }
  MergeBackends(over);
  MergeProviders(over.providers);
  MergeNamed(over.variables, module_.variables, module_.variable_index,
             "Missing base variable declaration to override", "variable");
  MergeNamed(over.locals, module_.locals, module_.local_index,
             "Missing base local value definition to override", "local value");
  MergeNamed(over.outputs, module_.outputs, module_.output_index,
             "Missing base output definition to override", "output");
  MergeNamed(over.calls, module_.calls, module_.call_index, "Missing module call to override",
             "module call");
  for (Resource& resource : over.resources) {
    if (const int found = module_.FindResource(resource.name); found >= 0) {
      Merge(module_.resources[static_cast<size_t>(found)], resource);
      continue;
    }
    std::string_view noun = "resource";
    if (resource.name.mode == ResourceMode::kData) {
      noun = "data resource";
    } else if (resource.name.mode == ResourceMode::kEphemeral) {
      noun = "ephemeral resource";
    }
    diags_.Error("Missing " + std::string(noun) + " to override",
                 "There is no " + std::string(program_.Text(resource.name.type)) + " " +
                     std::string(noun) + " named " + Quoted(program_.Text(resource.name.name)) +
                     ". An override file can only change what a normal file declares.",
                 resource.range);
  }
  for (const Moved& moved : over.moved) {
    Refuse("moved", "Records of moved objects", moved.range);
  }
  for (const Import& import : over.imports) {
    Refuse("import", "Import blocks", import.range);
  }
  for (const Removed& removed : over.removed) {
    Refuse("Removed", "Removed blocks", removed.range);
  }
}

}  // namespace

void ApplyOverrides(Program& program, FileContent over, Module& module, Diagnostics& diags) {
  Overrider(program, module, diags).Apply(over);
}

}  // namespace kinu::config
