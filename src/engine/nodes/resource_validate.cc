// Validation of resource blocks, without state and expansion: one row stands for all instances.
// Ref: opentofu internal/tofu/node_resource_validate.go.
#include <algorithm>

#include "cty/conversion.h"
#include "engine/imports.h"
#include "engine/nodes/nodes.h"
#include "engine/reference_check.h"
#include "engine/rows/provision.h"
#include "engine/spans.h"
#include "engine/triggers.h"
#include "hcl/static.h"
#include "lang/eval.h"
#include "schema/decode.h"
#include "schema/locate.h"
#include "schema/marks.h"
#include "text/suggest.h"

namespace kinu::engine {
namespace {

/// A block to validate, in one module instance.
struct ValidatedBlock {
  const Walk& walk;
  const config::ConfigNode& place;
  const config::Resource& resource;
  const BlockInfo& info;
  const ModuleScope& scope;  ///< with count.index and each.key, unknown

  std::string AddressText() const {
    return walk.program.ToText(ConfigResource{place.path, resource.name});
  }
  bool repeated() const { return resource.count != nullptr || resource.for_each != nullptr; }
  config::ReferenceContext inside(bool has_self) const {
    config::ReferenceContext out;
    out.self = has_self ? &resource : nullptr;
    out.check = resource.check;
    return out;
  }
};

/// What `self` is where nothing exists yet.
Value SelfOf(const ValidatedBlock& block) {
  if (block.info.schema == nullptr) {
    return Value::DynamicUnknown();
  }
  const schema::Block& schema = block.info.schema->block;
  if (!block.info.has_deprecated || block.repeated() || block.resource.enabled != nullptr) {
    return Value::Unknown(schema.implied_type());
  }
  const auto index = static_cast<size_t>(&block.resource - block.place.module->resources.data());
  return AsSeen(block.walk, block.scope.instance(), index, {}, schema::UnknownObject(schema));
}

/// Conditions are evaluated as far as possible, so that mistakes in them show early.
void ValidateConditions(const ValidatedBlock& block, const Value& self, Diagnostics& diags) {
  const config::Resource& resource = block.resource;
  ModuleScope with_self(block.walk, block.scope.instance(), block.scope.repetition(), &self);
  auto evaluate = [&](const std::vector<config::Condition>& conditions, bool has_self) {
    ReferenceCheck check(block.walk, block.place, block.inside(has_self),
                         block.scope.repetition().expansion);
    for (const config::Condition& condition : conditions) {
      for (const hcl::Expr* expr : {condition.condition, condition.error_message}) {
        const References references = check.Exprs({&expr, 1}, diags);
        ConditionScope scope(block.walk, has_self ? with_self : block.scope, references);
        (void)lang::Evaluate(*expr, scope, diags);
      }
    }
  };
  evaluate(resource.preconditions, false);
  evaluate(resource.postconditions, true);
}

/// Whether only the provider sets an ignored attribute.
bool IsDecidedByProvider(const schema::Block& schema, const hcl::TraversalExpr& traversal) {
  const schema::Attribute* found = nullptr;
  const schema::Block* block = &schema;
  const std::vector<schema::Attribute>* attributes = &schema.attributes;
  auto enter = [&](std::string_view name) {
    found = nullptr;
    if (attributes == nullptr) {
      return;
    }
    for (const schema::Attribute& attribute : *attributes) {
      found = attribute.name == name ? &attribute : found;
    }
    const schema::NestedBlock* nested = block == nullptr ? nullptr : block->FindBlock(name);
    block = nested == nullptr ? nullptr : &nested->block;
    if (nested != nullptr) {
      attributes = &nested->block.attributes;
    } else if (found != nullptr && found->nested != nullptr) {
      attributes = &found->nested->attributes;
    } else {
      attributes = nullptr;
    }
  };
  enter(traversal.root);
  for (const hcl::TraversalStep& step : traversal.steps) {
    if (step.kind == hcl::TraversalStep::Kind::kAttribute) {
      enter(step.name());
    }
  }
  return found != nullptr && found->computed && !found->optional;
}

void ValidateIgnoreChanges(const ValidatedBlock& block, Diagnostics& diags) {
  const schema::Block& schema = block.info.schema->block;
  const size_t errors = diags.error_count();
  for (const hcl::TraversalExpr* traversal : block.resource.ignore_changes) {
    config::ValidateRelative(schema, *traversal, diags);
    if (diags.error_count() == errors && IsDecidedByProvider(schema, *traversal)) {
      diags.Warning("Redundant ignore_changes element",
                    "Only the provider decides about " +
                        std::string(traversal->file()->text().substr(
                            traversal->begin, traversal->end - traversal->begin)) +
                        ", so there is nothing configured whose change could be ignored.",
                    block.resource.type_range());
    }
  }
}

/// A constant prevent_destroy must be a boolean; others are evaluated when they are needed.
void ValidatePreventDestroy(const ValidatedBlock& block, Diagnostics& diags) {
  const hcl::Expr* expr = block.resource.prevent_destroy;
  if (expr == nullptr) {
    return;
  }
  Diagnostics not_constant;
  const lang::VariableScope nothing(nullptr, nullptr, block.scope.call_context());
  const Value value = lang::Evaluate(*expr, nothing, not_constant);
  if (not_constant.has_errors()) {
    return;
  }
  if (ValueResult<Value> flag = Convert(value, Type::Bool()); !flag) {
    diags.Error(
        "Invalid value for prevent_destroy",
        "prevent_destroy of " +
            block.walk.program.ToText(ConfigResource{block.place.path, block.resource.name}) +
            " must be true or false: " + flag.error().ToText() + ".",
        expr->range());
  }
}

void ValidateRepetition(const ValidatedBlock& block, Diagnostics& diags) {
  const config::Resource& resource = block.resource;
  const hcl::Expr* expr = resource.count != nullptr ? resource.count : resource.for_each;
  if (expr == nullptr) {
    return;  // validation does not evaluate `enabled`
  }
  ReferenceCheck check(block.walk, block.place, block.inside(false));
  if (check.Expr(*expr, diags)) {
    ModuleScope outer(block.walk, block.scope.instance());
    config::ValidateExpansion({resource.count, resource.for_each, nullptr}, outer,
                              block.walk.program, diags);
  }
}

/// How the types of a mode are found and called.
struct TypeKind {
  ResourceMode mode;
  schema::TypeSet set;
  const schema::ResourceSchema* (schema::ProviderSchema::*find)(std::string_view) const;
  std::string_view words;
  std::string_view keyword;
};

constexpr TypeKind kTypeKinds[] = {
    {ResourceMode::kManaged, schema::TypeSet::kResources, &schema::ProviderSchema::FindResource,
     "resource type", "resource"},
    {ResourceMode::kData, schema::TypeSet::kData, &schema::ProviderSchema::FindData, "data source",
     "data"},
    {ResourceMode::kEphemeral, schema::TypeSet::kEphemeral, &schema::ProviderSchema::FindEphemeral,
     "ephemeral resource", "ephemeral"},
};

/// A sentence that names a type of another mode with the same name, or a similar name; may be
/// empty. Ref: opentofu internal/tofu/node_resource_validate.go.
std::string SuggestType(const schema::ProviderSchema& provider, const TypeKind& kind,
                        std::string_view type) {
  for (const TypeKind& other : kTypeKinds) {
    if (other.mode != kind.mode && (provider.*other.find)(type) != nullptr) {
      return "\n\nIt has a " + std::string(other.words) +
             " of that name: write a block of type \"" + std::string(other.keyword) +
             "\" instead of \"" + std::string(kind.keyword) + "\".";
    }
  }
  std::vector<std::string> names;
  provider.Visit(kind.set, [&](std::string_view name, const auto&) { names.emplace_back(name); });
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view similar = text::SuggestName(type, views);
  return similar.empty() ? "" : " Did you mean \"" + std::string(similar) + "\"?";
}

void ReportUnknownType(const ValidatedBlock& block, Diagnostics& diags) {
  const ProviderInfo& slot = block.walk.graph.providers[block.info.provider];
  if (slot.schema == nullptr) {
    return;
  }
  const TypeKind& kind = *std::ranges::find(kTypeKinds, block.resource.name.mode, &TypeKind::mode);
  const Program& program = block.walk.program;
  const std::string_view type = program.Text(block.resource.name.type);
  diags.Error("Invalid " + std::string(kind.words),
              "The provider " + std::string(program.Text(slot.address.provider)) + " has no " +
                  std::string(kind.words) + " named \"" + std::string(type) + "\"." +
                  SuggestType(*slot.schema, kind, type),
              block.resource.type_range());
}

/// Lets the provider validate a configuration.
void AskProvider(Walk& walk, const ValidatedBlock& block, const Value& config, Diagnostics& diags) {
  provider::Provider* provider = walk.ProviderForValidation(block.info.provider, diags);
  if (provider == nullptr) {
    return;
  }
  const std::string_view type = walk.program.Text(block.resource.name.type);
  const Value unmarked = config.UnmarkDeep();
  provider::Problems problems;
  switch (block.resource.name.mode) {
    case ResourceMode::kManaged:
      provider->ValidateResourceConfig(type, unmarked, problems);
      break;
    case ResourceMode::kData:
      provider->ValidateDataConfig(type, unmarked, problems);
      break;
    case ResourceMode::kEphemeral:
      provider->ValidateEphemeralConfig(type, unmarked, problems);
      break;
  }
  if (!problems.empty()) {
    AppendProblems(problems, block.resource.body, block.AddressText(), diags);
  }
}

/// Names the block in warnings about deprecated values that were found since.
void NameInWarnings(const ValidatedBlock& block, size_t since, Diagnostics& diags) {
  std::vector<Diagnostic>& list = diags.list();
  for (size_t i = since; i < list.size(); ++i) {
    if (list[i].tag == DiagnosticTag::kDeprecation) {
      list[i].address = block.AddressText();
    }
  }
}

/// Validates repetition, depends_on, body and the attributes in lifecycle.
void ValidateBody(Walk& walk, const ValidatedBlock& block, Diagnostics& diags) {
  const config::Resource& resource = block.resource;
  ValidateRepetition(block, diags);
  ReferenceCheck check(walk, block.place, block.inside(false), block.scope.repetition().expansion);
  check.DependsOn(resource.depends_on, diags);
  if (block.info.schema == nullptr) {
    return ReportUnknownType(block, diags);
  }
  const schema::Block& schema = block.info.schema->block;
  const size_t errors = diags.error_count();
  const auto index = static_cast<size_t>(&resource - block.place.module->resources.data());
  const BodyReferences references = walk.graph.references().OfBody(*block.place.module, index);
  const size_t before = diags.size();
  const Value config = check.Decode(schema, *resource.body, config::MetaNames(resource.name.mode),
                                    block.scope, references, diags);
  if (resource.name.mode != ResourceMode::kEphemeral) {
    NameInWarnings(block, before, diags);
  }
  if (resource.name.mode != ResourceMode::kEphemeral && config.ContainsMarked()) {
    schema::RejectEphemeral(schema, *resource.body, config, block.AddressText(), diags);
  }
  if (diags.error_count() != errors) {
    return;
  }
  if (resource.name.mode == ResourceMode::kManaged) {
    ValidateIgnoreChanges(block, diags);
    ValidateTriggers(walk, block.scope.instance(), resource, diags);
  }
  AskProvider(walk, block, config, diags);
}

}  // namespace

void ValidateResource(NodeContext& context, NodeId id, Diagnostics& diags) {
  Walk& walk = context.walk;
  const Node& node = walk.graph.node(id);
  const config::ConfigNode& place = *walk.config.nodes[node.config_node];
  const config::Resource& resource = place.module->resources[node.index];
  const BlockInfo& info = walk.graph.blocks[node.config_node][node.index];
  trace::Span span(kTraceScope, "Validate resource configuration", trace::Kind::kObject,
                   walk.phase);
  if (span.on()) {
    span.record().object = walk.program.ToText(ConfigResource{place.path, resource.name});
    span.record().node = walk.scheduler.SpanOf(id);
    span.Set("opentofu.resource.address", span.record().object);
  }
  const size_t errors = diags.error_count();
  for (ModuleInstance* instance : walk.slots.instances[node.config_node]) {
    ResourceTable& table = *instance->resources[node.index];
    table.expansion = UncountedExpansion(resource);
    ModuleScope scope(walk, *instance, Repetition{&table.expansion, 0});
    const ValidatedBlock block{walk, place, resource, info, scope};
    table.rows.resize(1);
    table.expanded = true;
    if (!block.repeated() && info.schema != nullptr) {
      table.rows[0].value = UnstoredObject(info, resource);  // the block may refer to itself
    }
    ValidateBody(walk, block, diags);
    const Value self = SelfOf(block);
    ValidateConditions(block, self, diags);
    if (resource.name.mode == ResourceMode::kManaged) {
      ValidatePreventDestroy(block, diags);
    }
    if (!ValidateProvisioners(walk, place, resource, scope, self, diags.error_count() == errors,
                              diags)) {
      return;
    }
  }
  if (info.imports != nullptr) {
    for (const config::Import* import : info.imports->blocks) {
      ValidateImport(walk, *import, diags);
    }
  }
}

}  // namespace kinu::engine
