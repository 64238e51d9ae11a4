#include "engine/nodes/managed.h"

#include <algorithm>

#include "cty/convert.h"
#include "cty/ops.h"
#include "engine/generate_config.h"
#include "engine/reference_check.h"
#include "engine/triggers.h"
#include "hcl/parse.h"
#include "lang/eval.h"
#include "schema/decode.h"
#include "schema/marks.h"
#include "schema/propose.h"

namespace kinu::engine {
namespace {

bool KnownTrue(const Value& value) {
  return value.IsKnown() && !value.IsNull() && value.UnmarkDeep().AsBool();
}

/// Whether a path names a write-only attribute.
bool IsWriteOnly(const schema::Block& block, const Path& path) {
  if (!block.has_write_only()) {
    return false;
  }
  const schema::Block* current = &block;
  const std::vector<schema::Attribute>* attributes = &block.attributes;
  const schema::Attribute* found = nullptr;
  for (const PathStep& step : path.steps()) {
    if (step.kind != PathStep::Kind::kAttribute) {
      continue;
    }
    found = nullptr;
    for (const schema::Attribute& attribute : *attributes) {
      if (attribute.name == step.name) {
        found = &attribute;
      }
    }
    const schema::NestedBlock* nested =
        current == nullptr ? nullptr : current->FindBlock(step.name);
    if (found != nullptr) {
      current = nullptr;
      if (found->nested == nullptr) {
        break;
      }
      attributes = &found->nested->attributes;
    } else if (nested != nullptr) {
      current = &nested->block;
      attributes = &nested->block.attributes;
    } else {
      return false;
    }
  }
  return found != nullptr && found->write_only;
}

/// The paths that carry the sensitive mark, for comparing sensitivity before and after.
std::vector<Path> SensitivePaths(const Value& value) {
  std::vector<Path> out;
  if (!value.ContainsMarked()) {
    return out;
  }
  std::vector<PathMarks> marks;
  (void)value.UnmarkDeepWithPaths(&marks);
  for (PathMarks& entry : marks) {
    if (entry.marks.sensitive()) {
      out.push_back(std::move(entry.path));
    }
  }
  return out;
}

bool SamePaths(const std::vector<Path>& a, const std::vector<Path>& b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const Path& path) {
           return std::find(b.begin(), b.end(), path) != b.end();
         });
}

/// `value` with what stands at `steps` replaced by what `prior` has there. Map keys come and go one
/// by one; anything that does not fit is left alone. Ref: processIgnoreChangesIndividual.
Value PutBack(const Value& value, const Value& prior, std::span<const PathStep> steps) {
  if (steps.empty()) {
    return prior;
  }
  if (value.IsNull() || !value.IsKnown() || prior.IsNull() || !prior.IsKnown()) {
    // A map that is null or gone altogether can still lose or get back a single key.
    if (steps.size() == 1 && steps[0].kind == PathStep::Kind::kIndex && value.IsNull() &&
        value.type().is_map() && prior.IsKnown() && !prior.IsNull() &&
        steps[0].key.type() == Type::String()) {
      const Value* element = prior.Find(steps[0].key.AsString());
      if (element != nullptr) {
        return Value::Map(value.type().element(),
                          {{std::string(steps[0].key.AsString()), *element}});
      }
    }
    return value;
  }
  const PathStep& step = steps[0];
  Type type = value.type();
  MarkSet marks = value.marks();
  auto rest = steps.subspan(1);
  if (step.kind == PathStep::Kind::kAttribute && type.is_object()) {
    const Value* before = prior.type().is_object() ? prior.Find(step.name) : nullptr;
    int index = type.FindAttribute(step.name);
    if (before == nullptr || index < 0) {
      return value;
    }
    std::vector<std::pair<std::string, Value>> attributes;
    for (size_t i = 0; i < value.size(); ++i) {
      attributes.emplace_back(value.key(i), value.elements()[i]);
    }
    Value& slot = attributes[static_cast<size_t>(index)].second;
    slot = PutBack(slot, *before, rest);
    return Value::Object(std::move(attributes)).WithMarks(marks);
  }
  std::string name;
  if (step.kind == PathStep::Kind::kAttribute) {
    name = step.name;
  } else if (step.key.type() == Type::String()) {
    name = step.key.AsString();
  }
  if (!name.empty() && type.is_map() && (prior.type().is_map() || prior.type().is_object())) {
    const Value* before = prior.Find(name);
    const Value* now = value.Find(name);
    std::vector<std::pair<std::string, Value>> entries;
    for (size_t i = 0; i < value.size(); ++i) {
      if (value.key(i) != name) {
        entries.emplace_back(value.key(i), value.elements()[i]);
      }
    }
    if (before != nullptr) {
      entries.emplace_back(name, now != nullptr ? PutBack(*now, *before, rest) : *before);
    }
    return Value::Map(type.element(), std::move(entries)).WithMarks(marks);
  }
  if (!name.empty() && type.is_object()) {
    return PutBack(value, prior, std::vector<PathStep>{PathStep::Attribute(name)});
  }
  if (step.kind == PathStep::Kind::kIndex && (type.is_list() || type.is_tuple()) &&
      step.key.type() == Type::Number()) {
    std::optional<int64_t> index = step.key.AsInt64();
    if (!index || *index < 0 || static_cast<size_t>(*index) >= value.size() ||
        static_cast<size_t>(*index) >= prior.size()) {
      return value;
    }
    auto at = static_cast<size_t>(*index);
    std::vector<Value> elements(value.elements().begin(), value.elements().end());
    elements[at] = PutBack(elements[at], prior.elements()[at], rest);
    return (type.is_list() ? Value::List(type.element(), std::move(elements))
                           : Value::Tuple(std::move(elements)))
        .WithMarks(marks);
  }
  return value;
}

Path PathOfTraversal(const hcl::TraversalExpr& traversal) {
  Path path;
  path.Push(PathStep::Attribute(traversal.root));
  for (const hcl::TraversalStep& step : traversal.steps) {
    if (step.kind == hcl::TraversalStep::Kind::kAttribute) {
      path.Push(PathStep::Attribute(step.name));
    } else if (step.kind == hcl::TraversalStep::Kind::kIndex) {
      path.Push(PathStep::Index(*step.key));
    }
  }
  return path;
}

}  // namespace

Value IgnoreChanges(const config::Resource& resource, const schema::Block* block,
                    const Value& prior, const Value& config, Diagnostics&) {
  if (prior.IsNull() || resource.ignore == config::IgnoreChanges::kNone) {
    return config;
  }
  if (resource.ignore == config::IgnoreChanges::kAll) {
    if (block == nullptr) {
      return prior;
    }
    // What only the provider may set cannot be in a configuration.
    std::vector<Value> values(prior.elements().begin(), prior.elements().end());
    for (size_t i = 0; i < values.size(); ++i) {
      const schema::Attribute* attribute = block->FindAttribute(prior.key(i));
      if (attribute != nullptr && attribute->computed && !attribute->optional) {
        values[i] = Value::Null(attribute->type);
      }
    }
    std::vector<std::pair<std::string, Value>> attributes;
    for (size_t i = 0; i < values.size(); ++i) {
      attributes.emplace_back(prior.key(i), std::move(values[i]));
    }
    return Value::Object(std::move(attributes));
  }
  Value out = config;
  for (const hcl::TraversalExpr* traversal : resource.ignore_changes) {
    Path path = PathOfTraversal(*traversal);
    out = PutBack(out, prior, path.steps());
  }
  return out;
}

std::pair<std::string, std::string> IdentifyObject(const Value& value) {
  if (value.IsNull() || !value.IsKnown() || value.IsMarked() || !value.type().is_object()) {
    return {};
  }
  auto text = [](const Value* v) -> std::string {
    if (v == nullptr || v->IsMarked() || !v->IsKnown() || v->IsNull() ||
        v->type() != Type::String()) {
      return "";
    }
    return std::string(v->AsString());
  };
  if (std::string id = text(value.Find("id")); !id.empty()) {
    return {"id", id};
  }
  if (std::string name = text(value.Find("name")); !name.empty()) {
    return {"name", name};
  }
  const Value* tags = value.Find("tags");
  if (tags != nullptr && !tags->IsMarked() && tags->IsKnown() && !tags->IsNull() &&
      tags->type().is_map() && tags->type().element() == Type::String()) {
    for (const char* key : {"name", "Name"}) {
      if (std::string name = text(tags->Find(key)); !name.empty()) {
        return {"tags." + std::string(key), name};
      }
    }
  }
  return {};
}

provider::Provider* ProviderOf(RowContext& row, Diagnostics& diags) {
  const ProviderSlot& slot = row.provider_slot();
  size_t errors = diags.error_count();
  const InstanceKey key = ProviderKeyOf(row, diags);
  if (diags.error_count() != errors) {
    return nullptr;
  }
  row.row.provider_key = key;
  provider::Provider* provider = slot.Get(key);
  if (provider == nullptr && !diags.has_errors()) {
    diags.Error("Provider instance not present",
                "No instance of the provider configuration serves " + row.AddressText() +
                    ": the instance key that it used is no longer in the configuration's "
                    "for_each.");
  }
  return provider;
}

bool CheckConditions(RowContext& row, ConditionKind kind,
                     const std::vector<config::Condition>& conditions, const Value* self,
                     Severity severity, Diagnostics& diags) {
  if (conditions.empty() || row.instance == nullptr) {
    return true;
  }
  size_t errors = diags.error_count();
  const size_t block = row.walk().graph.node(row.id).index;
  const ResourceTable& table = *row.instance->resources[block];
  Value seen;
  if (self != nullptr) {
    seen = AsSeen(row.walk(), *row.instance, block, *self);
  }
  ModuleScope scope(row.walk(), *row.instance, Repetition{&table.expansion, row.row.expansion_row},
                    self != nullptr ? &seen : nullptr);
  std::string address = row.AddressText();
  size_t rule =
      kind == ConditionKind::kPostcondition ? row.resource.preconditions.size() : size_t{0};
  for (const config::Condition& condition : conditions) {
    ConditionResult result = EvaluateCondition(condition, kind, scope, severity, diags);
    result.rule = rule++;
    row.node.checks.Report(row.id, address, result);
  }
  return diags.error_count() == errors;
}

std::optional<PlannedRow> PlanChange(RowContext& row, provider::Provider& provider,
                                     const std::optional<Value>& prior_object,
                                     const state::Object* object, const Value& identity,
                                     const plan::ResourceChange* earlier, Diagnostics& diags) {
  Walk& walk = row.walk();
  const schema::Block& block = row.info.schema->block;
  const Type& type = block.implied_type();
  size_t errors = diags.error_count();
  auto failed = [&] { return diags.error_count() != errors; };
  std::string address = row.AddressText();

  if (!CheckConditions(row, ConditionKind::kPrecondition, row.resource.preconditions, nullptr,
                       row.node.condition_severity, diags)) {
    return std::nullopt;
  }
  PlannedRow out;
  plan::ResourceChange& change = out.change;
  change.address = row.address;
  change.previous_address = walk.context.PreviousAddress(row.address);
  change.provider = row.provider_info().address;
  change.has_provider_key = !row.row.provider_key.none();
  change.provider_key = row.row.provider_key;

  const ResourceTable& table = *row.instance->resources[walk.graph.node(row.id).index];
  ModuleScope scope(walk, *row.instance, Repetition{&table.expansion, row.row.expansion_row});
  out.config = WarnDeprecatedIn(
      *row.resource.body,
      schema::DecodeBody(block, *row.resource.body, config::MetaNames(row.resource.name.mode),
                         scope, nullptr, diags),
      diags);
  if (failed()) {
    return std::nullopt;
  }
  bool tainted = object != nullptr && object->status == state::ObjectStatus::kTainted;
  Value prior = prior_object && !tainted ? *prior_object : Value::Null(type);
  std::string_view type_name = walk.program.Text(row.address.resource.resource.type);

  provider::Problems problems;
  auto take_problems = [&] {
    bool bad = provider::HasErrors(problems);
    AppendProblems(problems, row.resource.body, address, diags);
    problems.clear();
    return !bad;
  };
  Value unmarked_original = out.config.UnmarkDeep();
  provider.ValidateResourceConfig(type_name, unmarked_original, problems);
  if (!take_problems()) {
    return std::nullopt;
  }
  Value config_ignored = IgnoreChanges(row.resource, &block, prior, out.config, diags);
  std::vector<PathMarks> config_marks;
  Value unmarked_config = config_ignored.ContainsMarked()
                              ? config_ignored.UnmarkDeepWithPaths(&config_marks)
                              : config_ignored;
  Value unmarked_prior = prior.UnmarkDeep();

  provider::PlanRequest request;
  request.type = type_name;
  request.prior = unmarked_prior;
  request.config = unmarked_config;
  request.proposed = schema::ProposeNew(block, unmarked_prior, unmarked_config);
  if (object != nullptr && !tainted) {
    request.private_data = object->private_data;
    request.identity = identity;
    change.before_identity = identity;
  }
  provider::PlanResponse response = provider.PlanResourceChange(request, problems);
  if (!take_problems()) {
    return std::nullopt;
  }
  if (!Conforms(response.planned.type(), type)) {
    ProviderBug(row, "Provider produced invalid plan", "planned an invalid value for", "", diags);
    return std::nullopt;
  }
  if (!response.legacy_type_system) {
    for (const ValueError& error :
         schema::CheckPlanned(block, unmarked_prior, unmarked_config, response.planned)) {
      ProviderBug(row, "Provider produced invalid plan", "planned an invalid value for",
                  error.ToText(), diags);
    }
    if (failed()) {
      return std::nullopt;
    }
  }
  Value planned = response.planned;
  if (response.legacy_type_system) {
    planned = IgnoreChanges(row.resource, nullptr, unmarked_prior, planned, diags);
  }
  Value unmarked_planned = planned;
  if (block.has_write_only()) {
    // Write-only attributes may be ephemeral; what is planned of them is null.
    for (PathMarks& entry : config_marks) {
      if (entry.marks.ephemeral() && IsWriteOnly(block, entry.path)) {
        entry.marks = entry.marks.Without(MarkSet::Ephemeral());
      }
    }
    std::erase_if(config_marks, [](const PathMarks& entry) { return entry.marks.empty(); });
  }
  auto mark_as_configured = [&](const Value& value) {
    return config_marks.empty() ? value : value.MarkWithPaths(config_marks);
  };
  planned = schema::MarkSensitive(block, mark_as_configured(planned));

  // Only paths that really change force a replacement; write-only ones always do.
  if (!unmarked_prior.IsNull()) {
    for (const Path& path : response.requires_replace) {
      Result<Value> before = path.Apply(unmarked_prior);
      Result<Value> after = path.Apply(unmarked_planned);
      if (!before && !after) {
        ProviderBug(row, "Provider produced invalid plan",
                    "has indicated \"requires replacement\" on",
                    " for a non-existent attribute path " + path.ToText(), diags);
        continue;
      }
      Value a = before ? *before : Value::Null(after->type());
      Value b = after ? *after : Value::Null(before->type());
      auto& paths = change.required_replace;
      // A provider may name elements of a set, which the wire cannot tell from the set.
      if ((!KnownTrue(Equals(a, b)) || IsWriteOnly(block, path)) &&
          std::find(paths.begin(), paths.end(), path) == paths.end()) {
        change.required_replace.push_back(path);
      }
    }
    if (failed()) {
      return std::nullopt;
    }
  }
  const auto& forced = walk.context.request.options.force_replace;
  bool by_request =
      row.triggered || std::find(forced.begin(), forced.end(), address) != forced.end();
  bool replace = by_request || !change.required_replace.empty();
  bool equal = KnownTrue(Equals(unmarked_planned, unmarked_prior));
  bool create_first = earlier != nullptr ? earlier->action == plan::Action::kCreateThenDelete
                                         : row.info.create_before_destroy;
  plan::Action replacing =
      create_first ? plan::Action::kCreateThenDelete : plan::Action::kDeleteThenCreate;
  if (unmarked_prior.IsNull()) {
    change.action = plan::Action::kCreate;
  } else if (equal && !by_request && change.required_replace.empty()) {
    change.action = plan::Action::kNoOp;
  } else if (replace) {
    change.action = replacing;
    change.reason =
        by_request ? plan::Reason::kReplaceByRequest : plan::Reason::kReplaceCannotUpdate;
  } else {
    change.action = plan::Action::kUpdate;
  }
  std::string planned_private = std::move(response.private_data);
  if (plan::IsReplace(change.action)) {
    // Plan once more as if nothing existed: the new object starts from the configuration alone.
    request.prior = Value::Null(type);
    request.config = unmarked_original;
    request.proposed = schema::ProposeNew(block, request.prior, unmarked_original);
    request.private_data = planned_private;
    request.identity = Value();
    response = provider.PlanResourceChange(request, problems);
    if (provider::HasErrors(problems)) {
      take_problems();
      return std::nullopt;
    }
    // What a replacement shows as sensitive is what the configuration says; the schema's part is
    // added where the value is read. Ref: node_resource_abstract_instance.go plan.
    planned = mark_as_configured(response.planned);
    unmarked_planned = response.planned;
    planned_private = std::move(response.private_data);
    if (!Conforms(unmarked_planned.type(), type)) {
      ProviderBug(row, "Provider produced invalid plan", "planned an invalid value for", "", diags);
      return std::nullopt;
    }
  }
  Value before = prior;
  if (change.action == plan::Action::kCreate && tainted && prior_object &&
      !prior_object->IsNull()) {
    change.action = replacing;
    change.reason = plan::Reason::kReplaceTainted;
    before = *prior_object;
    change.before_identity = identity;
  }
  if (plan::IsReplace(change.action) && BlockKeepsObject(row, diags)) {
    change.action = plan::Action::kForgetThenCreate;
  }
  if (change.action == plan::Action::kNoOp &&
      !SamePaths(SensitivePaths(planned), SensitivePaths(before))) {
    change.action = plan::Action::kUpdate;
  }
  if (earlier != nullptr && plan::IsReplace(earlier->action) &&
      change.action == plan::Action::kCreate) {
    change.action = earlier->action;
    before = earlier->before;
  }
  if (change.action != plan::Action::kNoOp && ContainsInfinity(planned)) {
    diags.Error("failed to encode " + row.AddressText() +
                    " in state: failed to serialize value: cannot serialize infinity as JSON",
                "");
    return std::nullopt;
  }
  // A plan keeps no sign of a zero; what is applied does.
  const bool planning = earlier == nullptr && change.action != plan::Action::kNoOp;
  change.before = planning ? WithUnsignedZeros(before) : std::move(before);
  change.after = planning ? WithUnsignedZeros(planned) : std::move(planned);
  change.after_identity = std::move(response.identity);
  change.private_data = std::move(planned_private);
  return out;
}

namespace {

/// The import block that brings the row's object, if the state has nothing at its address.
const ImportTarget* ImportOf(const RowContext& row) {
  if (row.info.imports == nullptr ||
      (row.row.stored != nullptr && row.walk().context.command_import == nullptr)) {
    return nullptr;
  }
  const BlockSlot& slot = row.walk().slots.BlockOf(row.walk().graph.node(row.id));
  auto it = slot.import_index.find(row.address);
  if (it == slot.import_index.end()) {
    return nullptr;
  }
  const ImportTarget& target = slot.imports[it->second];
  return target.has_id || !target.identity.IsNull() ? &target : nullptr;
}

/// The marks that the configuration puts on the object.
Value MarkAsConfigured(RowContext& row, Value value, Diagnostics& diags) {
  const ResourceTable& table = *row.instance->resources[row.walk().graph.node(row.id).index];
  ModuleScope scope(row.walk(), *row.instance, Repetition{&table.expansion, row.row.expansion_row});
  const schema::Block& block = row.info.schema->block;
  Value config = schema::DecodeBody(
      block, *row.resource.body, config::MetaNames(row.resource.name.mode), scope, nullptr, diags);
  if (config.ContainsMarked()) {
    std::vector<PathMarks> marks;
    (void)config.UnmarkDeepWithPaths(&marks);
    value = value.MarkWithPaths(marks);
  }
  return schema::MarkSensitive(block, std::move(value));
}

/// Asks the provider for an existing object, as it is now.
std::optional<Value> ImportObject(RowContext& row, provider::Provider& provider,
                                  const ImportTarget& target, ProviderNotes& notes,
                                  Diagnostics& diags) {
  auto [id_key, id_value] = !target.has_id ? IdentifyObject(target.identity)
                                           : std::pair<std::string, std::string>("id", target.id);
  const bool by_command = row.walk().context.command_import != nullptr;
  row.walk().Post({.kind = by_command ? EventKind::kImportById : EventKind::kImportPrepare,
                   .address = row.address,
                   .id_key = id_key,
                   .id_value = id_value});
  std::string_view type = row.walk().program.Text(row.address.resource.resource.type);
  provider::Problems problems;
  std::vector<provider::ImportedObject> imported =
      provider.ImportResourceState(type, target.id, target.identity, problems);
  bool failed = provider::HasErrors(problems);
  AppendProblems(problems, nullptr, "", diags);
  if (failed) {
    return std::nullopt;
  }
  std::string what = !target.has_id ? "the given identity" : "the id \"" + target.id + "\"";
  auto error = [&](std::string summary, const std::string& detail) {
    diags.Error(std::move(summary), detail);
    return std::nullopt;
  };
  if (by_command) {
    Event event{.kind = EventKind::kImportPrepared, .address = row.address};
    event.text = type;
    row.walk().Post(std::move(event));
  }
  if (by_command && row.row.stored != nullptr) {
    return error("Resource already managed by OpenTofu",
                 "The state has an object at " + row.AddressText() +
                     " already. Take it out of the state before you import another one there.");
  }
  if (imported.empty()) {
    return error("Import returned no resources", "The provider gave nothing for " + what + ".");
  }
  if (imported.size() > 1) {
    return error(
        "Multiple import states not supported",
        "The provider gave several objects for " + what + ", but one instance can have only one.");
  }
  const provider::ImportedObject& found = imported.front();
  if (found.state.IsNull()) {
    return error("Import returned null resource",
                 "The provider gave an object without any data for " + what + ".");
  }
  notes = {found.private_data, found.identity, false};
  std::optional<Value> refreshed = RefreshObject(row, provider, found.state, "", notes, diags);
  if (!refreshed) {
    return std::nullopt;
  }
  if (refreshed->IsNull()) {
    return error("Cannot import non-existent remote object",
                 "The provider found no object for " + what + " that could become " +
                     row.AddressText() +
                     ". Only what exists can be imported: check the id and where the provider "
                     "looks, or let apply create the object.");
  }
  if (row.info.imports->generated) {
    return schema::MarkSensitive(row.info.schema->block, *refreshed);  // its block comes later
  }
  size_t errors = diags.error_count();
  Diagnostics incomplete;  // the command takes objects whose configuration is not finished
  Value marked = MarkAsConfigured(row, *refreshed, by_command ? incomplete : diags);
  if (diags.error_count() != errors) {
    return std::nullopt;
  }
  return marked;
}

/// A block that describes the imported object, for an import block without one.
struct GeneratedBlock {
  config::Resource resource;
  std::string text;
};
GeneratedBlock WriteBlock(const RowContext& row, const Value& object) {
  const Program& program = row.walk().program;
  std::string provider;
  const ProviderConfig& config = row.provider_info().address;
  std::string_view source = program.Text(config.provider);
  std::string_view local = source.substr(source.rfind('/') + 1);
  std::string_view type = program.Text(row.resource.name.type);
  if (!config.alias.empty() || local != type.substr(0, type.find('_'))) {
    provider = local;
    if (!config.alias.empty()) {
      provider += '.';
      provider += program.Text(config.alias);
    }
  }
  std::string contents = ConfigOfObject(row.info.schema->block, object, provider);
  GeneratedBlock out{row.resource, ResourceBlockText(program, row.resource.name, contents)};
  auto tree = std::make_unique<hcl::SyntaxTree>();
  auto file = SourceFile::Make("generated.tf", contents);
  Diagnostics none;
  out.resource.body = hcl::ParseNative(file.get(), *tree, none);
  GeneratedBlocks& generated = *row.walk().context.request.generated;
  std::lock_guard lock(generated.mutex);
  generated.trees.push_back(std::move(tree));
  generated.sources.push_back(std::move(file));
  return out;
}

}  // namespace

void PlanManagedRow(RowContext& row, Diagnostics& diags) {
  Walk& walk = row.walk();
  provider::Provider* provider = ProviderOf(row, diags);
  if (provider == nullptr) {
    return;
  }
  const Options& options = walk.context.request.options;
  row.row.keeps_object = BlockKeepsObject(row, diags);
  if (diags.has_errors()) {
    return;
  }
  std::optional<Value> prior;
  const state::Object* object = row.row.stored != nullptr ? row.row.stored->current.get() : nullptr;
  const ImportTarget* import = ImportOf(row);
  if (import != nullptr) {
    prior = ImportObject(row, *provider, *import, row.row.refreshed_notes, diags);
    if (!prior) {
      return;
    }
    row.row.imported = true;
    row.row.refreshed_value = prior;
  }
  if (object != nullptr) {
    std::optional<StoredObject> stored = ReadStored(row, *provider, *object, diags);
    if (!stored) {
      return;
    }
    prior = std::move(stored->value);
    row.row.previous_value = prior;
    std::optional<ProviderNotes> notes =
        NotesOf(row, *provider, *object, std::move(stored->private_data), diags);
    if (!notes) {
      return;
    }
    // When refreshing fails, what was brought to the current version stays.
    row.row.previous_identity = notes->identity;
    row.row.refreshed_value = prior;
    row.row.refreshed_notes = *notes;
    if (options.refresh) {
      prior = RefreshObject(row, *provider, *prior, "", *notes, diags);
      if (!prior) {
        return;
      }
      row.row.refreshed_value = prior;
      if (prior->IsNull()) {
        prior.reset();
        row.row.refreshed_value.reset();
      }
      row.row.refreshed_notes = std::move(*notes);
    }
  }
  row.row.refreshed = true;
  state::Object refreshed_object;
  const state::Object* current = nullptr;
  // The notes of an object that is gone are still given to the provider.
  if (object != nullptr || (prior && import != nullptr)) {
    refreshed_object.status = object != nullptr ? object->status : state::ObjectStatus::kReady;
    refreshed_object.private_data = row.row.refreshed_notes.private_data;
    current = &refreshed_object;
  }
  if (options.mode == plan::Mode::kRefreshOnly) {
    if (CheckConditions(row, ConditionKind::kPrecondition, row.resource.preconditions, nullptr,
                        row.node.condition_severity, diags)) {
      row.row.value = prior;
      row.row.absent = !prior;
    }
    if (prior) {
      (void)CheckConditions(row, ConditionKind::kPostcondition, row.resource.postconditions,
                            &*prior, row.node.condition_severity, diags);
    }
    return;
  }
  row.triggered = ReplaceTriggered(row, diags);
  if (diags.has_errors()) {
    return;
  }
  std::optional<GeneratedBlock> block;
  if (import != nullptr && row.info.imports->generated) {
    block = WriteBlock(row, *prior);
  }
  RowContext described{row.node, row.id,       block ? block->resource : row.resource,
                       row.info, row.instance, row.address,
                       row.row,  row.triggered};
  std::optional<PlannedRow> planned = PlanChange(described, *provider, prior, current,
                                                 row.row.refreshed_notes.identity, nullptr, diags);
  if (!planned) {
    if (block) {
      // What was written is kept: it has to be completed by hand.
      plan::ResourceChange change;
      change.address = row.address;
      change.previous_address = row.address;
      change.provider = row.provider_info().address;
      change.before = *prior;
      change.after = *prior;
      change.generated_config = std::move(block->text);
      row.row.change = std::move(change);
    }
    return;
  }
  plan::ResourceChange& change = planned->change;
  if (block) {
    change.generated_config = std::move(block->text);
  }
  if (row.triggered) {
    change.reason = plan::Reason::kReplaceByTriggers;
  }
  if (import != nullptr) {
    change.importing = plan::Importing{.id = import->id, .identity = import->identity};
  }
  if (row.resource.prevent_destroy != nullptr &&
      (plan::IsReplace(change.action) || change.action == plan::Action::kDelete) &&
      PreventsDestroy(row, diags)) {
    row.row.change = std::move(change);
    return;
  }
  row.row.value = schema::MarkSensitive(
      row.info.schema->block, change.action == plan::Action::kNoOp ? change.before : change.after);
  row.row.change = std::move(change);
  (void)CheckConditions(row, ConditionKind::kPostcondition, row.resource.postconditions,
                        &*row.row.value, row.node.condition_severity, diags);
}

bool PreventsDestroy(RowContext& row, Diagnostics& diags) {
  // An instance whose module instance is gone is protected as those that are left.
  Walk& walk = row.walk();
  const ModuleInstance* instance = row.instance;
  if (instance == nullptr) {
    const config::ConfigNode* place =
        walk.config.Find(walk.program.ModuleOf(row.address.resource.module));
    const bool any = place != nullptr && !walk.slots.instances[place->index].empty();
    instance = any ? walk.slots.instances[place->index][0] : walk.slots.root.get();
  }
  ModuleScope scope(walk, *instance);
  Value value = lang::Evaluate(*row.resource.prevent_destroy, scope, diags);
  ValueResult<Value> flag = Convert(value.UnmarkDeep(), Type::Bool());
  if (!flag || !flag->IsKnown() || flag->IsNull() || !flag->AsBool()) {
    return false;
  }
  diags.Error("Resource instance cannot be destroyed",
              "Resource instance " + row.AddressText() +
                  " has prevent_destroy set, but the plan calls for it to be destroyed.\n\n"
                  "Remove prevent_destroy, or leave the object out of the plan with -exclude.",
              row.resource.range);
  return true;
}

namespace {

/// A destruction takes what was read along. The plan says so with a change that nobody is shown.
/// Ref: node_resource_plan_destroy.go dataResourceExecute.
plan::ResourceChange ForgetData(const RowContext& row) {
  plan::ResourceChange change;
  change.address = row.address;
  change.previous_address = row.walk().context.PreviousAddress(row.address);
  change.provider = row.provider_info().address;
  change.action = plan::Action::kDelete;
  change.before = Value::Null(row.info.schema->block.implied_type());
  change.after = change.before;
  return change;
}

}  // namespace

void PlanOrphanRow(RowContext& row, Diagnostics& diags) {
  Walk& walk = row.walk();
  if (row.info.schema == nullptr) {
    diags.Error("Missing resource type schema",
                "The provider no longer knows the type of " + row.AddressText() + ".");
    return;
  }
  if (row.address.resource.resource.mode != ResourceMode::kManaged) {
    row.row.pending_delete = true;  // data sources are forgotten without a change
    row.row.forgotten_data = true;
    if (row.node.destroying) {
      row.row.change = ForgetData(row);
    }
    return;
  }
  provider::Provider* provider = ProviderOf(row, diags);
  if (provider == nullptr) {
    return;
  }
  const state::Object& object = *row.row.stored->current;
  std::optional<StoredObject> stored = ReadStored(row, *provider, object, diags);
  if (!stored) {
    return;
  }
  std::optional<Value> prior = std::move(stored->value);
  row.row.previous_value = prior;
  std::optional<ProviderNotes> notes =
      NotesOf(row, *provider, object, std::move(stored->private_data), diags);
  if (!notes) {
    return;
  }
  row.row.previous_identity = notes->identity;
  row.row.refreshed_value = prior;
  row.row.refreshed_notes = *notes;
  if (walk.context.refresh) {
    prior = RefreshObject(row, *provider, *prior, "", *notes, diags);
    if (!prior) {
      return;
    }
    if (prior->IsNull()) {
      row.row.refreshed_value.reset();
      row.row.pending_delete = true;
      return;  // gone already: drift, nothing to plan
    }
  }
  row.row.refreshed = true;
  row.row.refreshed_value = prior;
  row.row.refreshed_notes = *notes;
  if (walk.context.mode == plan::Mode::kRefreshOnly) {
    row.row.value = *prior;
    return;
  }
  Disposal disposal = DecideDisposal(row, object, false, diags);
  if (diags.has_errors()) {
    return;
  }
  std::optional<plan::ResourceChange> change =
      disposal.forget ? PlanForget(row, *prior, *notes, disposal.reason)
                      : PlanDestroy(row, *provider, *prior, *notes, diags);
  if (!change) {
    return;
  }
  if (change->reason == plan::Reason::kNone && !row.node.destroying) {
    change->reason = row.row.delete_reason;
  }
  if (!(change->previous_address == change->address) &&
      change->reason == plan::Reason::kDeleteNoResourceConfig) {
    change->reason = plan::Reason::kDeleteNoMoveTarget;
  }
  if (!disposal.forget && row.resource.prevent_destroy != nullptr && PreventsDestroy(row, diags)) {
    row.row.change = std::move(change);
    return;
  }
  row.row.change = std::move(change);
  row.row.pending_delete = true;
}

std::optional<plan::ResourceChange> PlanDestroy(RowContext& row, provider::Provider& provider,
                                                const Value& prior, const ProviderNotes& notes,
                                                Diagnostics& diags) {
  const schema::Block& block = row.info.schema->block;
  plan::ResourceChange change;
  change.address = row.address;
  change.previous_address = row.walk().context.PreviousAddress(row.address);
  change.provider = row.provider_info().address;
  if (row.row.stored != nullptr && row.row.stored->has_provider_key) {
    change.has_provider_key = true;
    change.provider_key = row.row.stored->provider_key;
  }
  change.action = plan::Action::kDelete;
  change.before = prior;
  change.after = Value::Null(block.implied_type());
  change.before_identity = notes.identity;
  change.private_data = notes.private_data;
  if (row.provider_info().schema->capabilities().plan_destroy) {
    provider::PlanRequest request;
    request.type = row.walk().program.Text(row.address.resource.resource.type);
    request.prior = prior.UnmarkDeep();
    request.proposed = Value::Null(block.implied_type());
    request.config = Value::Null(block.implied_type());
    request.private_data = notes.private_data;
    request.identity = notes.identity;
    provider::Problems problems;
    provider::PlanResponse response = provider.PlanResourceChange(request, problems);
    bool failed = provider::HasErrors(problems);
    AppendProblems(problems, row.resource.body, row.AddressText(), diags);
    if (failed) {
      return std::nullopt;
    }
    if (!response.planned.IsNull()) {
      ProviderBug(row, "Provider produced invalid plan", "planned a non-null destroy value for", "",
                  diags);
      return std::nullopt;
    }
    change.private_data = std::move(response.private_data);
    change.after_identity = std::move(response.identity);
  }
  return change;
}

void PlanDeposedObject(NodeContext& context, const StoredNode& node, StoredSlot& slot,
                       const schema::ResourceSchema& schema, const state::Instance& instance,
                       const state::DeposedObject& deposed, Diagnostics& diags) {
  BlockInfo info;
  info.schema = &schema;
  info.provider = node.provider;
  static const config::Resource kNoBlock;
  const Program& program = context.walk.program;
  const AbsResource& address = node.resource->address;
  const config::ConfigNode* place = context.walk.config.Find(program.ModuleOf(address.module));
  int block = place == nullptr ? -1 : place->module->FindResource(address.resource);
  Row row;
  row.key = instance.key;
  row.stored = &instance;
  RowContext row_context{
      context, 0,       block < 0 ? kNoBlock : place->module->resources[static_cast<size_t>(block)],
      info,    nullptr, ResourceInstance{address, instance.key},
      row};
  provider::Provider* provider = ProviderOf(row_context, diags);
  if (provider == nullptr) {
    return;
  }
  std::optional<StoredObject> stored = ReadStored(row_context, *provider, deposed.object, diags);
  if (!stored) {
    return;
  }
  std::optional<Value> prior = std::move(stored->value);
  std::optional<ProviderNotes> notes =
      NotesOf(row_context, *provider, deposed.object, std::move(stored->private_data), diags);
  if (!notes) {
    return;
  }
  const Options& options = context.walk.context.request.options;
  if (options.refresh) {
    prior = RefreshObject(row_context, *provider, *prior, deposed.key, *notes, diags);
    if (!prior || prior->IsNull()) {
      return;
    }
  }
  if (options.mode == plan::Mode::kRefreshOnly) {
    return;
  }
  const size_t errors = diags.error_count();
  Disposal disposal = DecideDisposal(row_context, deposed.object, true, diags);
  if (diags.error_count() != errors) {
    return;
  }
  auto change = disposal.forget ? PlanForget(row_context, *prior, *notes, disposal.reason)
                                : PlanDestroy(row_context, *provider, *prior, *notes, diags);
  if (change) {
    change->deposed = deposed.key;
    slot.changes.push_back(std::move(*change));
  }
}

}  // namespace kinu::engine
