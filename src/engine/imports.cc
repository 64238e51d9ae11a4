#include "engine/imports.h"

#include "cty/convert.h"
#include "engine/expansion.h"
#include "engine/scope.h"
#include "hcl/parse.h"
#include "lang/eval.h"

namespace kinu::engine {
namespace {

/// Expressions in the brackets of an address; literal keys are part of traversals.
void CollectKeys(const hcl::Expr& expr, std::vector<const hcl::Expr*>& out) {
  const hcl::Expr* at = &expr;
  while (at->kind == hcl::ExprKind::kIndex || at->kind == hcl::ExprKind::kRelative) {
    if (at->kind == hcl::ExprKind::kIndex) {
      const auto& index = static_cast<const hcl::IndexExpr&>(*at);
      out.push_back(index.key);
      at = index.collection;
    } else {
      at = static_cast<const hcl::RelativeExpr&>(*at).source;
    }
  }
}

/// A step of an address that is being put together.
struct Step {
  std::string_view name;  ///< empty: a key
  InstanceKey key;
};

class Resolver {
 public:
  Resolver(Walk& walk, const config::Import& import, const ModuleScope& scope, Diagnostics& diags)
      : walk_(walk), import_(import), scope_(scope), diags_(diags) {}

  std::optional<ResourceInstance> Address() {
    std::vector<Step> steps;
    if (!Collect(*import_.to, steps)) {
      return std::nullopt;
    }
    Program& program = walk_.program;
    ResourceInstance out;
    size_t at = 0;
    auto key = [&] {
      return at < steps.size() && steps[at].name.empty() ? steps[at++].key : InstanceKey();
    };
    while (at + 1 < steps.size() && steps[at].name == "module") {
      Symbol call = program.Intern(steps[at + 1].name);
      at += 2;
      InstanceKey instance = key();
      out.resource.module = program.ModuleInstance(out.resource.module, call, instance);
    }
    out.resource.resource = import_.target.resource;
    at += 2;  // type and name
    out.key = key();
    return out;
  }

  /// The value of `id` or `identity`; nothing with diagnostics, or when it may stay unknown and is.
  std::optional<Value> Identifier(const hcl::Expr& expr, std::string_view what, const Type& type,
                                  bool may_be_unknown) {
    size_t errors = diags_.error_count();
    Value value = lang::EvaluateTo(expr, type, scope_, diags_);
    if (diags_.error_count() != errors) {
      return std::nullopt;
    }
    auto invalid = [&](std::string detail, DiagnosticTag tag = DiagnosticTag::kNone) {
      diags_
          .Error("Invalid import " + std::string(what) + " argument", std::move(detail),
                 expr.range())
          .tag = tag;
    };
    if (value.IsNull()) {
      invalid("What is imported must be named, but this is null.");
    } else if (!value.IsWhollyKnown()) {
      if (!may_be_unknown) {
        invalid(
            "The value depends on attributes that are known only after apply, so the object cannot "
            "be looked up while planning.",
            DiagnosticTag::kCausedByUnknown);
      }
    } else if (value.MarksDeep().sensitive()) {
      invalid("What is imported is shown in plans, so it must not be sensitive.");
    } else if (value.MarksDeep().ephemeral()) {
      invalid("What is imported is kept in plans, so it must not be ephemeral.");
    } else {
      return value;
    }
    return std::nullopt;
  }

 private:
  bool Collect(const hcl::Expr& expr, std::vector<Step>& steps) {
    // The address was checked when it was read: indexes, steps and a root, not deep.
    switch (expr.kind) {
      case hcl::ExprKind::kTraversal: {
        const auto& root = static_cast<const hcl::TraversalExpr&>(expr);
        steps.push_back({root.root, {}});
        Append(root.steps, steps);
        return true;
      }
      case hcl::ExprKind::kRelative: {
        const auto& relative = static_cast<const hcl::RelativeExpr&>(expr);
        if (!Collect(*relative.source, steps)) {
          return false;
        }
        Append(relative.steps, steps);
        return true;
      }
      case hcl::ExprKind::kIndex: {
        const auto& index = static_cast<const hcl::IndexExpr&>(expr);
        if (!Collect(*index.collection, steps)) {
          return false;
        }
        return Key(*index.key, steps);
      }
      default:
        return false;
    }
  }

  void Append(std::span<const hcl::TraversalStep> from, std::vector<Step>& steps) {
    for (const hcl::TraversalStep& step : from) {
      if (step.kind == hcl::TraversalStep::Kind::kAttribute) {
        steps.push_back({step.name, {}});
      } else {
        steps.push_back({{}, KeyOf(*step.key)});
      }
    }
  }

  InstanceKey KeyOf(const Value& value) {
    if (value.type() == Type::String()) {
      return InstanceKey::String(walk_.program.Intern(value.AsString()));
    }
    return InstanceKey::Int(value.AsInt64().value_or(0));
  }

  bool Key(const hcl::Expr& expr, std::vector<Step>& steps) {
    size_t errors = diags_.error_count();
    Value value = lang::Evaluate(expr, scope_, diags_);
    if (diags_.error_count() != errors) {
      return false;
    }
    auto invalid = [&](std::string detail) {
      diags_.Error("Import block 'to' address contains an invalid key", std::move(detail),
                   expr.range());
      return false;
    };
    if (!value.IsKnown()) {
      return invalid("The instance key is known only after apply.");
    }
    if (value.IsNull()) {
      return invalid("The instance key is null.");
    }
    Value plain = value.Unmark();
    if (plain.type() != Type::String() &&
        (plain.type() != Type::Number() || !plain.AsInt64().has_value())) {
      return invalid("An instance key is a string or a whole number.");
    }
    if (value.marks().sensitive() || value.marks().ephemeral()) {
      return invalid("An address must be neither sensitive nor ephemeral.");
    }
    steps.push_back({{}, KeyOf(plain)});
    return true;
  }

  Walk& walk_;
  const config::Import& import_;
  const ModuleScope& scope_;
  Diagnostics& diags_;
};

/// Calls `visit(scope)` for each element of the block's for_each, or once.
template <typename F>
void ForEachElement(Walk& walk, const config::Import& import, bool validating, Diagnostics& diags,
                    F&& visit) {
  if (import.for_each == nullptr) {
    visit(ModuleScope(walk, *walk.slots.root));
    return;
  }
  size_t errors = diags.error_count();
  ModuleScope outer(walk, *walk.slots.root);
  Expansion expansion = ExpandImport(*import.for_each, outer, walk.program, validating, diags);
  if (diags.error_count() != errors || expansion.kind == Expansion::Kind::kUnknown) {
    return;
  }
  for (size_t row = 0; row < expansion.size(); ++row) {
    visit(ModuleScope(walk, *walk.slots.root, Repetition{&expansion, row}));
  }
}

/// The type that `identity` must have, or nothing with a diagnostic.
std::optional<Type> IdentityType(const config::Import& import, const schema::ResourceSchema* schema,
                                 Diagnostics& diags) {
  if (schema == nullptr || schema->identity == nullptr) {
    diags.Error("Unable to determine identity schema for import identity",
                "The provider does not provide an identity schema for this resource type, so it "
                "can be imported by \"id\" only.",
                import.identity->range());
    return std::nullopt;
  }
  // What an import may do without is null.
  std::vector<TypeAttribute> attributes;
  for (const schema::Attribute& attribute : schema->identity->attributes) {
    attributes.push_back({attribute.name, attribute.type, !attribute.required});
  }
  return Type::Object(attributes);
}

}  // namespace

std::vector<const hcl::Expr*> ImportExpressions(const config::Import& import) {
  std::vector<const hcl::Expr*> out;
  if (import.to != nullptr) {
    CollectKeys(*import.to, out);
  }
  for (const hcl::Expr* expr : {import.for_each, import.id, import.identity}) {
    if (expr != nullptr) {
      out.push_back(expr);
    }
  }
  return out;
}

namespace {

ImportBlocks* ImportsOf(PlanGraph& graph, const ConfigResource& target) {
  const config::ConfigNode* node = graph.config.Find(target.module);
  int block = node == nullptr ? -1 : node->module->FindResource(target.resource);
  if (block < 0) {
    return nullptr;
  }
  auto& imports = graph.blocks[node->index][static_cast<size_t>(block)].imports;
  if (imports == nullptr) {
    imports = std::make_unique<ImportBlocks>();
  }
  return imports.get();
}

}  // namespace

void AttachImports(PlanGraph& graph) {
  if (const ImportTarget* target = graph.context.command_import; target != nullptr) {
    const AbsResource& resource = target->address.resource;
    ImportBlocks* imports =
        ImportsOf(graph, {graph.program.ModuleOf(resource.module), resource.resource});
    if (imports != nullptr) {
      imports->command = target;
    }
    return;
  }
  if (!graph.context.imports) {
    return;
  }
  for (const config::Import& import : graph.config.root().module->imports) {
    ImportBlocks* imports = ImportsOf(graph, import.target);
    if (imports != nullptr) {
      imports->blocks.push_back(&import);
      const GeneratedBlocks* generated = graph.context.request.generated;
      imports->generated = generated != nullptr && import.target.module.is_root() &&
                           generated->names.contains(import.target.resource);
    }
  }
}

void CheckImportTargets(const config::Config& config, bool generating, Diagnostics& diags) {
  const Program& program = *config.program;
  auto missing = [&](const config::Import& import, const std::string& address) {
    diags.Error("Configuration for import target does not exist",
                "The configuration for the given import " + address +
                    " does not exist. All target instances must have an associated configuration "
                    "to be imported.",
                import.range);
  };
  auto not_in_modules = [&](const config::Import& import, const std::string& address) {
    diags.Error("Cannot generate configuration for resource inside sub-module",
                "The configuration for the given import " + address +
                    " does not exist. Configuration can be generated for the root module only.",
                import.range);
  };
  auto not_repeated = [&](const config::Import& import, const std::string& address) {
    diags.Error("Configuration generation for count and for_each resources not supported",
                "The configuration for the given import " + address +
                    " does not exist. Configuration generation is only possible for resources that "
                    "do not use count or for_each",
                import.range);
  };
  for (const config::Import& import : config.root().module->imports) {
    const config::ConfigNode* node = config.Find(import.target.module);
    std::string address = program.ToText(import.target);
    if (node == nullptr) {
      generating ? not_in_modules(import, address) : missing(import, address);
      continue;
    }
    if (node->module->FindResource(import.target.resource) >= 0) {
      continue;
    }
    if (!generating) {
      missing(import, address);
    } else if (!import.instance) {
      not_repeated(import, address);
    } else if (!import.instance->resource.module.is_root()) {
      not_in_modules(import, program.ToText(*import.instance));
    } else if (!import.instance->key.none()) {
      not_repeated(import, program.ToText(*import.instance));
    }
  }
}

void AddGeneratedBlocks(const config::Config& config, GeneratedBlocks& generated) {
  const config::Module& root = *config.root().module;
  std::vector<config::Resource> added;
  auto tree = std::make_unique<hcl::SyntaxTree>();
  auto source = SourceFile::Make("", "");
  Diagnostics none;
  const hcl::Body* empty = hcl::ParseNative(source.get(), *tree, none);
  for (const config::Import& import : root.imports) {
    if (!import.target.module.is_root() || root.FindResource(import.target.resource) >= 0 ||
        !generated.names.insert(import.target.resource).second) {
      continue;
    }
    config::Resource resource;
    resource.name = import.target.resource;
    resource.range = import.range;
    resource.type_range = import.range;
    resource.body = empty;
    resource.provider_ref = import.provider_ref;
    resource.provider = import.provider;
    added.push_back(std::move(resource));
  }
  generated.config = config.WithRootResources(std::move(added));
  generated.trees.push_back(std::move(tree));
  generated.sources.push_back(std::move(source));
}

void ValidateImport(Walk& walk, const config::Import& import, Diagnostics& diags) {
  ForEachElement(walk, import, true, diags, [&](const ModuleScope& scope) {
    Resolver resolver(walk, import, scope, diags);
    if (import.id != nullptr) {
      (void)resolver.Identifier(*import.id, "id", Type::String(), true);
      return;
    }
    if (import.identity == nullptr) {
      return;
    }
    const schema::ResourceSchema* schema = nullptr;
    auto provider = walk.context.request.providers->Schema(walk.program.Text(import.provider));
    if (provider) {
      schema = (*provider)->FindResource(walk.program.Text(import.target.resource.type));
    }
    if (auto type = IdentityType(import, schema, diags)) {
      (void)resolver.Identifier(*import.identity, "identity", *type, true);
    }
  });
}

void ResolveImports(Walk& walk, const BlockInfo& info, BlockSlot& slot, Diagnostics& diags) {
  slot.imports = std::make_unique<ImportSlot>();
  ImportSlot& imports = *slot.imports;
  if (info.imports->command != nullptr) {
    imports.index.emplace(info.imports->command->address, 0);
    imports.targets.push_back(*info.imports->command);
  }
  for (const config::Import* import : info.imports->blocks) {
    ForEachElement(walk, *import, false, diags, [&](const ModuleScope& scope) {
      Resolver resolver(walk, *import, scope, diags);
      std::optional<ResourceInstance> address = resolver.Address();
      if (!address) {
        return;
      }
      ImportTarget target;
      target.address = *address;
      target.block = import;
      if (import->id != nullptr) {
        std::optional<Value> id = resolver.Identifier(*import->id, "id", Type::String(), false);
        if (!id) {
          return;
        }
        target.id = id->UnmarkDeep().AsString();
        target.has_id = !target.id.empty();  // an empty one imports nothing
      } else if (import->identity != nullptr) {
        std::optional<Type> type = IdentityType(*import, info.schema, diags);
        std::optional<Value> identity =
            type ? resolver.Identifier(*import->identity, "identity", *type, false) : std::nullopt;
        if (!identity) {
          return;
        }
        target.identity = identity->UnmarkDeep();
      }
      auto [it, added] =
          imports.index.emplace(*address, static_cast<uint32_t>(imports.targets.size()));
      if (!added) {
        const config::Import& first = *imports.targets[it->second].block;
        diags.Error("Duplicate import configuration for \"" + walk.program.ToText(*address) + "\"",
                    "Another import block brings an object to " + walk.program.ToText(*address) +
                        " already. Each instance can be imported once.",
                    first.range);
        return;
      }
      imports.targets.push_back(std::move(target));
    });
  }
}

bool CheckImportedInstances(const Walk& walk, Diagnostics& diags) {
  bool sound = true;
  for (const auto& node : walk.config.nodes) {
    for (size_t i = 0; i < walk.graph.blocks[node->index].size(); ++i) {
      const BlockSlot& slot = walk.slots.blocks[node->index][i];
      if (slot.imports == nullptr || slot.imports->targets.empty()) {
        continue;
      }
      FlatMap<uint32_t, const ModuleInstance*> places;
      for (const ModuleInstance* instance : walk.slots.instances[node->index]) {
        places.emplace(instance->id.id, instance);
      }
      for (const ImportTarget& target : slot.imports->targets) {
        auto place = places.find(target.address.resource.module.id);
        const Row* row =
            place == places.end() ? nullptr : place->second->resources[i]->Find(target.address.key);
        if (row != nullptr && !row->orphan()) {
          continue;
        }
        sound = false;
        diags.Error("Configuration for import target does not exist",
                    "The configuration for the given import " +
                        walk.program.ToText(target.address) +
                        " does not exist. All target instances must have an associated "
                        "configuration to be imported.");
      }
    }
  }
  return sound;
}

}  // namespace kinu::engine
