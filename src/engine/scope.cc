#include "engine/scope.h"

#include <algorithm>

#include "base/files.h"
#include "engine/evaluation.h"
#include "engine/module_values.h"
#include "lang/eval.h"
#include "meta_arguments/deprecated_parts.h"
#include "provider/find_schema.h"
#include "schema/marks.h"

namespace kinu::engine {
namespace {

/// Wraps the per-instance values of something repeated: a tuple for count, an object for for_each.
Value Combine(const Program& program, const Expansion& expansion, std::vector<Value> values) {
  if (expansion.kind == Expansion::Kind::kCount) {
    return Value::Tuple(std::move(values));
  }
  std::vector<std::pair<std::string, Value>> attributes;
  attributes.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    attributes.emplace_back(program.Text(expansion.keys[i]), std::move(values[i]));
  }
  return Value::Object(std::move(attributes));
}

/// As Combine(), if only some rows have an object. Gaps between positions are unknown.
template <typename F>
Value CombineExisting(const Program& program, const ResourceTable& table, const Type& type,
                      F&& seen) {
  std::vector<std::pair<std::string, Value>> attributes;
  std::vector<Value> elements;
  for (const Row& row : table.rows) {
    if (row.absent() || (row.orphan() && (row.pending_delete() || !row.value))) {
      continue;
    }
    Value value = row.value ? seen(row) : Value::Unknown(type);
    if (table.expansion.kind == Expansion::Kind::kForEach &&
        row.key.kind() == InstanceKey::Kind::kString) {
      attributes.emplace_back(program.Text(row.key.symbol()), std::move(value));
    } else if (table.expansion.kind == Expansion::Kind::kCount &&
               row.key.kind() == InstanceKey::Kind::kInt) {
      auto index = static_cast<size_t>(row.key.index());
      elements.resize(std::max(elements.size(), index + 1), Value::Unknown(type));
      elements[index] = std::move(value);
    }
  }
  return table.expansion.kind == Expansion::Kind::kCount ? Value::Tuple(std::move(elements))
                                                         : Value::Object(std::move(attributes));
}

/// Whether AsSeen() can mark the part of the object that the steps lead to.
bool MayBeDeprecated(const BlockInfo& info, std::span<const hcl::TraversalStep> steps) {
  return info.has_deprecated &&
         (steps.empty() || steps[0].kind != hcl::TraversalStep::Kind::kAttribute ||
          meta_arguments::HasDeprecatedParts(info.schema->block, steps[0].name()));
}

/// An object as AsSeen() says, of a block that need not be in the graph.
Value AsSeen(const Walk& walk, const ModuleInstance& instance, const BlockInfo& info,
             const ResourceName& name, const InstanceKey& key, const Value& object) {
  return info.has_deprecated
             ? meta_arguments::MarkDeprecatedParts(info.schema->block, object, walk.program,
                                                   *instance.node, {{instance.id, name}, key})
             : object;
}

}  // namespace

Value AsSeen(const Walk& walk, const ModuleInstance& instance, size_t resource,
             const InstanceKey& key, const Value& object) {
  return AsSeen(walk, instance, walk.graph.blocks[instance.node->index][resource],
                instance.node->module->resources[resource].name, key, object);
}

const schema::ResourceSchema* LeftOutSchema(const Walk& walk, const config::Resource& resource) {
  const auto provider =
      walk.context.request.providers->Schema(walk.program.Text(resource.provider));
  return provider ? provider::FindSchema(**provider, resource.name.mode,
                                         walk.program.Text(resource.name.type))
                  : nullptr;
}

Value UnstoredObject(const BlockInfo& info, const config::Resource& block) {
  const schema::Block& schema = info.schema->block;
  const bool ephemeral = block.name.mode == ResourceMode::kEphemeral;
  Value unknown = Value::Unknown(schema.implied_type());
  if ((schema.has_sensitive() || info.has_deprecated || ephemeral) && block.enabled == nullptr) {
    unknown = schema::MarkSensitive(schema, schema::UnknownObject(schema));
  }
  return ephemeral ? unknown.WithMarks(MarkSet::Ephemeral()) : unknown;
}

namespace {

/// The objects of a resource before it is known how many there are.
Value UncountedObjects(const config::Resource& block) {
  const bool ephemeral = block.name.mode == ResourceMode::kEphemeral;
  return ephemeral ? Value::DynamicUnknown().WithMarks(MarkSet::Ephemeral())
                   : Value::DynamicUnknown();
}

}  // namespace

Value WholeResource(const Walk& walk, const ModuleInstance& instance, size_t resource) {
  const ResourceTable& table = *instance.resources[resource];
  const BlockInfo& info = walk.graph.blocks[instance.node->index][resource];
  if (walk.context.kind == WalkKind::kEval && !table.expanded) {
    LoadStoredRows(walk, instance, resource);
  }
  if (!table.expanded || table.expansion.kind == Expansion::Kind::kUnknown) {
    return UncountedObjects(instance.node->module->resources[resource]);
  }
  const config::Resource& block = instance.node->module->resources[resource];
  if (block.count == nullptr && block.for_each != nullptr && block.enabled != nullptr) {
    return Value::EmptyObject();  // its instance has none of the keys of for_each
  }
  auto type = [&] {
    return info.schema != nullptr ? info.schema->block.implied_type() : Type::Dynamic();
  };
  const bool imports = !walk.context.command_imports.empty();
  if (table.expansion.kind == Expansion::Kind::kDisabled) {
    // An object that stays, because nothing is planned for it, is seen.
    for (const Row& row : table.rows) {
      if (row.orphan() && row.key.none() && row.value && !row.pending_delete()) {
        return *row.value;
      }
    }
    return Value::Null(type());
  }
  if (table.expansion.kind == Expansion::Kind::kSingle) {
    if (!table.rows.empty() && table.rows[0].value) {
      return *table.rows[0].value;
    }
    if (walk.context.kind == WalkKind::kEval) {
      return walk.StoredOf(instance, resource) != nullptr
                 ? Value::Unknown(type())
                 : UnstoredObject(info, instance.node->module->resources[resource]);
    }
    // An object that was never created is unknown. While planning its type is unknown too, unless
    // the state has other instances or deposed objects: OpenTofu has then removed the resource from
    // its state. While applying, its expansion adds it again if a node needs it. Ref: evaluate.go
    // GetResource, node_resource_apply.go, node_resource_plan.go.
    // The import command plans nothing, so that it knows no more than the schema.
    const bool deposed = !table.rows.empty() && table.rows[0].stored != nullptr &&
                         !table.rows[0].stored->deposed.empty();
    const bool optional =
        !imports && instance.node->module->resources[resource].enabled != nullptr && !deposed &&
        (walk.context.kind == WalkKind::kPlan || walk.context.kind == WalkKind::kApply);
    if (optional) {
      return Value::Null(type());  // as if it were disabled
    }
    const NodeId node =
        walk.graph.bases[instance.node->index].resources + static_cast<NodeId>(resource);
    const bool known_to_state =
        imports || table.rows.size() > 1 || deposed || table.stored ||
        (walk.apply != nullptr && walk.apply->expanded[node] && walk.graph.Kept(node));
    return known_to_state ? Value::Unknown(type()) : Value::DynamicUnknown();
  }
  auto seen = [&](const Row& row) { return AsSeen(walk, instance, resource, row.key, *row.value); };
  std::lock_guard lock(table.whole_mutex);
  if (!table.whole) {
    if (table.has_gaps) {
      if (imports &&
          std::ranges::none_of(table.rows, [](const Row& row) { return row.value.has_value(); })) {
        return Value::DynamicUnknown();
      }
      Value existing = CombineExisting(walk.program, table, type(), seen);
      if (walk.context.kind != WalkKind::kApply ||
          std::all_of(table.rows.begin(), table.rows.end(),
                      [](const Row& row) { return row.value || row.absent(); })) {
        table.whole = existing;
      }
      return existing;
    }
    std::vector<Value> values;
    size_t wanted = table.expansion.size();
    values.reserve(wanted);
    bool complete = true;
    for (size_t i = 0; i < wanted; ++i) {
      complete = complete && table.rows[i].value.has_value();
      values.push_back(table.rows[i].value ? seen(table.rows[i]) : Value::Unknown(type()));
    }
    if (!complete && walk.context.kind == WalkKind::kApply) {
      // Some rows are not done: provisioners of other rows see the rows before them.
      return Combine(walk.program, table.expansion, std::move(values));
    }
    table.whole = Combine(walk.program, table.expansion, std::move(values));
  }
  return *table.whole;
}

namespace {

/// What the graph would know of a resource that a test has left out.
BlockInfo LeftOutInfo(const Walk& walk, const config::Resource& resource) {
  BlockInfo info;
  info.schema = LeftOutSchema(walk, resource);
  info.has_deprecated =
      info.schema != nullptr && meta_arguments::HasDeprecatedParts(info.schema->block);
  return info;
}

/// The objects of a resource that a test has left out, where the state has some.
std::optional<Value> StoredLeftOut(const Walk& walk, const ModuleInstance& instance,
                                   const BlockInfo& info, const config::Resource& resource) {
  const state::State* state = walk.context.prior_state;
  const state::Resource* stored =
      state != nullptr ? state->Find({instance.id, resource.name}) : nullptr;
  if (stored == nullptr || info.schema == nullptr) {
    return std::nullopt;
  }
  ResourceTable table;
  FillStoredRows(resource, *info.schema, stored, table);
  std::vector<Value> values;
  for (const Row& row : table.rows) {
    values.push_back(row.value ? AsSeen(walk, instance, info, resource.name, row.key, *row.value)
                               : Value::Unknown(info.schema->block.implied_type()));
  }
  if (resource.count != nullptr || resource.for_each != nullptr) {
    return Combine(walk.program, table.expansion, std::move(values));
  }
  return values.empty() ? std::nullopt : std::optional(std::move(values[0]));
}

/// A resource that a test has left out has the instances of the state, which nothing changes.
/// Validation knows what its schema says. Ref: evaluate.go GetResource.
Value LeftOutValue(const Walk& walk, const ModuleInstance& instance,
                   const config::Resource& resource) {
  const BlockInfo info = LeftOutInfo(walk, resource);
  const bool repeated = resource.count != nullptr || resource.for_each != nullptr;
  if (walk.context.kind == WalkKind::kValidate) {
    return info.schema == nullptr || repeated
               ? UncountedObjects(resource)
               : AsSeen(walk, instance, info, resource.name, {}, UnstoredObject(info, resource));
  }
  if (std::optional<Value> stored = StoredLeftOut(walk, instance, info, resource)) {
    return *std::move(stored);
  }
  if (repeated) {
    return resource.count != nullptr ? Value::Tuple({}) : Value::EmptyObject();
  }
  return resource.enabled != nullptr ? Value::Null(Type::Dynamic()) : Value::DynamicUnknown();
}

}  // namespace

Value ModuleScope::Resolve(const hcl::TraversalExpr& traversal, Diagnostics& diags) const {
  const config::Module& module = *instance_.node->module;
  const auto is_nothing = [](const config::Reference& ref) {
    return ref.kind == config::ReferenceKind::kInvalid ||
           (ref.index < 0 && config::NamesObject(ref.kind));
  };
  const config::Reference* bound = module.references.Find(traversal);
  if (bound != nullptr && !is_nothing(*bound)) {
    return ResolveObject(*bound, traversal, diags);
  }
  if (const auto left_out = config::LeftOutResource(walk_.program, module, traversal)) {
    return lang::ApplySteps(
        LeftOutValue(walk_, instance_,
                     module.overridden->resources[static_cast<size_t>(left_out->index)]),
        traversal.steps.subspan(left_out->consumed), traversal, diags);
  }
  // The graph builder did not bind it, or bound it to nothing: reports why.
  const config::Reference ref = config::ResolveReference(walk_.program, module, traversal, &diags);
  return is_nothing(ref) ? Value::DynamicUnknown() : ResolveObject(ref, traversal, diags);
}

Value ModuleScope::ResourceValue(const config::Reference& ref,
                                 std::span<const hcl::TraversalStep> rest) const {
  auto index = static_cast<size_t>(ref.index);
  Value whole = WholeResource(walk_, instance_, index);
  const Expansion::Kind kind = instance_.resources[index]->expansion.kind;
  const bool one = kind == Expansion::Kind::kSingle || kind == Expansion::Kind::kDisabled;
  if (one && MayBeDeprecated(walk_.graph.blocks[instance_.node->index][index], rest)) {
    return AsSeen(walk_, instance_, index, {}, whole);
  }
  return whole;
}

Value ModuleScope::ModuleValue(const config::Reference& ref, const hcl::TraversalExpr& traversal,
                               Diagnostics& diags) const {
  const CallTable& table = *instance_.calls[static_cast<size_t>(ref.index)];
  const bool single = table.expansion.kind == Expansion::Kind::kSingle;
  const bool chosen = !ref.output.empty() && (ref.has_key || single) && table.expanded &&
                      walk_.context.kind != WalkKind::kValidate;
  for (size_t i = 0; chosen && i < table.instances.size(); ++i) {
    if (!ref.has_key || table.expansion.key(i) == ref.key) {
      if (const auto output = OutputOf(*table.instances[i], ref.output)) {
        return lang::ApplySteps(*output, traversal.steps.subspan(ref.consumed), traversal, diags);
      }
    }
  }
  // module.m is one step; the steps after it apply to the whole module. A reference to an output
  // that the module lacks has not waited for its instances.
  const auto call = static_cast<size_t>(ref.index);
  const config::ConfigNode* child = instance_.node->children[call];
  const bool lacking = !ref.output.empty() && !table.expanded && child != nullptr &&
                       child->module->FindOutput(ref.output) < 0;
  return lang::ApplySteps(
      lacking ? ModuleBeforeExpansion(walk_, instance_, call) : WholeModule(walk_, instance_, call),
      traversal.steps.subspan(1), traversal, diags);
}

namespace {

/// The row that a reference names by a literal key, once it is done. In an apply the reader has
/// waited for this row alone, so it must not read the others.
const Row* SingledOut(const Walk& walk, const ModuleInstance& instance,
                      const config::Reference& ref) {
  if (!ref.has_key || walk.context.kind != WalkKind::kApply) {
    return nullptr;
  }
  const ResourceTable& table = *instance.resources[static_cast<size_t>(ref.index)];
  const Expansion::Kind kind = table.expansion.kind;
  if (!table.expanded || (kind != Expansion::Kind::kCount && kind != Expansion::Kind::kForEach)) {
    return nullptr;
  }
  const Row* row = table.Find(ref.key);
  const bool seen = row != nullptr && !row->orphan() && !row->absent() && !row->left_out() &&
                    row->value.has_value();
  return seen ? row : nullptr;
}

/// Whether the stored objects of a resource can be seen. The console upgrades no object, so that
/// its schema may not fit.
bool CanBeSeen(const Walk& walk, const ModuleInstance& instance, size_t resource,
               Diagnostics& diags) {
  if (walk.context.kind != WalkKind::kEval) {
    return true;
  }
  const config::Resource& block = instance.node->module->resources[resource];
  const size_t errors = diags.error_count();
  for (const Row& row : instance.resources[resource]->rows) {
    if (row.stored != nullptr && !row.value) {
      const std::string address =
          walk.program.ToText(ResourceInstance{{instance.id, block.name}, row.key});
      diags.Error("Invalid resource instance data in state",
                  "What the state has of " + address +
                      " does not fit the schema of this version of the provider. A plan upgrades "
                      "it.",
                  block.range);
    }
  }
  return diags.error_count() == errors;
}

}  // namespace

Value ModuleScope::ResolveObject(const config::Reference& ref, const hcl::TraversalExpr& traversal,
                                 Diagnostics& diags) const {
  using config::ReferenceKind;
  auto rest = traversal.steps.subspan(std::min<size_t>(ref.consumed, traversal.steps.size()));
  auto index = static_cast<size_t>(ref.index);
  const auto apply_rest = [&](Value value) {
    return rest.empty() ? value : lang::ApplySteps(std::move(value), rest, traversal, diags);
  };
  switch (ref.kind) {
    case ReferenceKind::kVariable:
      return apply_rest(instance_.variables[index]);
    case ReferenceKind::kLocal:
      return apply_rest(instance_.locals[index]);
    case ReferenceKind::kResource:
      if (const Row* row = SingledOut(walk_, instance_, ref); row != nullptr && !rest.empty()) {
        rest = rest.subspan(1);
        const bool marked = MayBeDeprecated(walk_.graph.blocks[instance_.node->index][index], rest);
        return lang::ApplySteps(
            marked ? AsSeen(walk_, instance_, index, row->key, *row->value) : *row->value, rest,
            traversal, diags);
      }
      if (Value whole = ResourceValue(ref, rest); CanBeSeen(walk_, instance_, index, diags)) {
        return lang::ApplySteps(std::move(whole), rest, traversal, diags);
      }
      return Value::DynamicUnknown();
    case ReferenceKind::kModule:
      return ModuleValue(ref, traversal, diags);
    case ReferenceKind::kCountIndex:
    case ReferenceKind::kEachKey:
    case ReferenceKind::kEachValue:
      if (!config::HasRepetition(ref.kind, repetition_.expansion)) {
        config::ReportNoRepetition(ref.kind, traversal, diags);
        return Value::DynamicUnknown();
      }
      return apply_rest(config::RepetitionValue(ref.kind, repetition_, walk_.program));
    case ReferenceKind::kPathModule:
      return apply_rest(Value::String(instance_.node->source_dir));
    case ReferenceKind::kPathRoot:
      return apply_rest(Value::String(walk_.config.root().source_dir));
    case ReferenceKind::kPathCwd:
      return apply_rest(Value::String(walk_.context.request.options.original_directory));
    case ReferenceKind::kWorkspace:
      return apply_rest(Value::String(walk_.context.request.options.workspace));
    case ReferenceKind::kApplying:
      return apply_rest((walk_.context.kind == WalkKind::kValidate
                             ? Value::Unknown(Type::Bool())
                             : Value::Bool(walk_.context.kind == WalkKind::kApply))
                            .WithMarks(MarkSet::Ephemeral()));
    case ReferenceKind::kSelf:
      if (self_ == nullptr) {
        diags.Error("Invalid \"self\" reference",
                    "The \"self\" object is available only in conditions of its own resource, "
                    "provisioners and connection blocks.",
                    traversal.range());
        return Value::DynamicUnknown();
      }
      return apply_rest(*self_);
    case ReferenceKind::kInvalid:
      break;
  }
  return Value::DynamicUnknown();
}

const functions::Callable* ModuleScope::FindFunction(std::string_view name) const {
  if (const functions::Callable* standard = functions::Table::Standard().Find(name)) {
    return standard;
  }
  Diagnostics problems;
  return walk_.functions->Find(instance_, name, problems);
}

void ModuleScope::ExplainUnknownFunction(const hcl::CallExpr& call, Diagnostic& diagnostic) const {
  lang::ExplainConfigurationFunction(call.name, diagnostic);
  if (!ParseProviderFunction(call.name)) {
    return;
  }
  Diagnostics problems;
  if (walk_.functions->Find(instance_, call.name, problems) == nullptr && problems.has_errors()) {
    const SourceRange range = diagnostic.subject;
    diagnostic = *problems.begin();
    diagnostic.subject = diagnostic.subject.valid() ? diagnostic.subject : range;
  } else {
    ExplainMissingFunction(call, diagnostic);
  }
}

std::vector<std::string_view> ModuleScope::FunctionNames() const {
  std::vector<std::string_view> names;
  for (const functions::FunctionSpec* spec : functions::Table::Standard().specs()) {
    names.push_back(spec->name);
  }
  return names;
}

}  // namespace kinu::engine
