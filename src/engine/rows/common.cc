// Functions for all kinds of rows: their provider, their conditions, their names.
#include <algorithm>

#include "engine/evaluation.h"
#include "engine/reference_check.h"
#include "engine/rows/rows.h"
#include "schema/decode.h"
#include "schema/locate.h"
#include "text/quote.h"

namespace kinu::engine {

using ShownAttribute = std::pair<std::string, std::string>;

/// A text with its name if it may be shown and is known. Ref: opentofu
/// internal/command/format/object_id.go.
static ShownAttribute ShowText(std::string name, const Value& text) {
  const MarkSet marks = text.marks();
  if (marks.sensitive() || marks.ephemeral()) {
    return {};
  }
  const Value plain = text.UnmarkDeep();
  return plain.IsKnown() && !plain.IsNull()
             ? ShownAttribute(std::move(name), std::string(plain.AsString()))
             : ShownAttribute();
}

/// The attribute of an object, if it is a string.
static const Value* FindText(const Value& object, std::string_view name) {
  const Value* found = object.Find(name);
  return found != nullptr && found->type() == Type::String() ? found : nullptr;
}

static bool IsShownObject(const Value& value) {
  return !value.IsNull() && value.IsKnown() && !value.IsMarked() && value.type().is_object();
}

ShownAttribute IdentifyObject(const Value& value) {
  if (!IsShownObject(value)) {
    return {};
  }
  if (const Value* id = FindText(value, "id")) {
    return ShowText("id", *id);
  }
  const Value* name = FindText(value, "name");
  return name != nullptr ? ShowText("name", *name) : ShownAttribute();
}

ShownAttribute IdentifyOrNameObject(const Value& value) {
  ShownAttribute id = IdentifyObject(value);
  if (!id.first.empty() || !IsShownObject(value)) {
    return id;
  }
  if (const Value* name = FindText(value, "name")) {
    return ShowText("name", *name);
  }
  const Value* tags = value.Find("tags");
  if (tags == nullptr || tags->IsMarked() || !tags->IsWhollyKnown() || tags->IsNull() ||
      !tags->type().is_map() || tags->type().element() != Type::String()) {
    return {};
  }
  for (const char* key : {"name", "Name"}) {
    if (const Value* name = tags->Find(key)) {
      return ShowText("tags." + std::string(key), *name);
    }
  }
  return {};
}

bool CheckConditions(RowContext& row, meta_arguments::ConditionKind kind,
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
    seen = AsSeen(row.walk(), *row.instance, block, row.address.key, *self);
  }
  ModuleScope scope(row.walk(), *row.instance, Repetition{&table.expansion, row.row.expansion_row},
                    self != nullptr ? &seen : nullptr);
  size_t rule = kind == meta_arguments::ConditionKind::kPostcondition
                    ? row.resource.preconditions.size()
                    : size_t{0};
  config::ReferenceContext inside;
  inside.self = self != nullptr ? &row.resource : nullptr;
  const ReferenceCheck check(row.walk(), *row.instance->node, inside, &table.expansion);
  for (const config::Condition& condition : conditions) {
    ConditionResult result = check.Condition(condition, kind, row.address, scope, severity, diags);
    result.rule = rule++;
    row.node.checks.Report(row.id, row.address, result);
  }
  return diags.error_count() == errors;
}

Value AbsentSelf(const RowContext& row) {
  const size_t block = row.walk().graph.node(row.id).index;
  const Expansion::Kind kind = row.instance->resources[block]->expansion.kind;
  const bool keyed = kind == Expansion::Kind::kCount || kind == Expansion::Kind::kForEach;
  return keyed ? Value::DynamicUnknown() : WholeResource(row.walk(), *row.instance, block);
}

ModuleScope RowScope(const RowContext& row) {
  const ResourceTable& table = *row.instance->resources[row.walk().graph.node(row.id).index];
  return ModuleScope(row.walk(), *row.instance,
                     Repetition{&table.expansion, row.row.expansion_row});
}

Value DecodeConfig(const RowContext& row, const ModuleScope& scope, Diagnostics& diags) {
  if (lang::Coverage* coverage = scope.coverage()) {
    coverage->Reach(row.resource.range);
  }
  const schema::Block& schema = row.info.schema->block;
  const std::span<const std::string_view> hidden = config::MetaNames(row.resource.name.mode);
  config::ReferenceContext place;
  place.check = row.resource.check;
  const ReferenceCheck check(row.walk(), *row.instance->node, place, scope.repetition().expansion);
  return check.DecodeMarked(schema, *row.resource.body, hidden, scope, diags);
}

std::optional<Value> ProviderMetaOf(const RowContext& row, Diagnostics& diags) {
  const Walk& walk = row.walk();
  const config::ConfigNode* place =
      row.instance != nullptr
          ? row.instance->node
          : walk.config.Find(walk.program.ModuleOf(row.address.resource.module));
  if (place == nullptr || row.resource.body == nullptr) {
    return Value::Null(Type::Dynamic());  // an object without a block
  }
  const Symbol provider = row.provider_info().address.provider;
  const std::vector<config::ProviderMeta>& metas = place->module->provider_metas;
  const auto found = std::ranges::find(metas, provider, &config::ProviderMeta::provider);
  if (found == metas.end()) {
    return Value::Null(Type::Dynamic());
  }
  const schema::ResourceSchema* schema = row.provider_info().schema->provider_meta();
  if (schema == nullptr) {
    diags.Error(
        "Provider " + std::string(walk.program.Text(provider)) + " doesn't support provider_meta",
        "The provider of " + walk.program.ToText(row.address.resource.resource) +
            " takes no data about modules.",
        found->label_range);
    return std::nullopt;
  }
  const size_t errors = diags.error_count();
  static const functions::CallContext kNoSurroundings;
  const lang::VariableScope scope(nullptr, nullptr, kNoSurroundings);  // it has only constants
  const Value meta = schema::DecodeBody(schema->block, *found->body, {}, scope, nullptr, diags);
  return diags.error_count() == errors ? std::optional(meta.UnmarkDeep()) : std::nullopt;
}

/// Whether warnings about the value of a row's body name the object.
static bool IsNamedInWarnings(const RowContext& row) {
  const ResourceMode mode = row.resource.name.mode;
  return mode == ResourceMode::kManaged ||
         (mode == ResourceMode::kData && row.walk().context.kind == WalkKind::kPlan);
}

std::optional<Value> EvaluateConfig(RowContext& row, Diagnostics& diags) {
  if (!CheckConditions(row, meta_arguments::ConditionKind::kPrecondition,
                       row.resource.preconditions, nullptr, row.node.condition_severity, diags)) {
    return std::nullopt;
  }
  const size_t errors = diags.error_count();
  Value config = DecodeConfig(row, RowScope(row), diags);
  if (config.ContainsMarked()) {
    config = WarnDeprecatedIn(*row.resource.body, std::move(config), diags,
                              IsNamedInWarnings(row) ? row.AddressText() : "");
  }
  // Validation sees values of modules that are not final: an ephemeral output whose value is known
  // there is marked only once the module is planned.
  if (row.resource.name.mode != ResourceMode::kEphemeral && config.ContainsMarked()) {
    schema::RejectEphemeral(row.info.schema->block, *row.resource.body, config, row.AddressText(),
                            diags);
  }
  return diags.error_count() == errors ? std::optional<Value>(std::move(config)) : std::nullopt;
}

plan::ResourceChange StartChange(const RowContext& row) {
  plan::ResourceChange change;
  change.address = row.address;
  change.previous_address = row.walk().context.PreviousAddress(row.address);
  change.provider = row.provider_info().address;
  change.provider_key = row.row.provider_key;
  return change;
}

plan::ResourceChange StartRemoval(const RowContext& row) {
  plan::ResourceChange change = StartChange(row);
  change.provider_key = row.row.stored != nullptr ? row.row.stored->provider_key : InstanceKey();
  return change;
}

bool AskedWithoutErrors(const RowContext& row, provider::Problems& problems, Diagnostics& diags) {
  if (problems.empty()) {
    return true;
  }
  const bool sound = !provider::HasErrors(problems);
  AppendProblems(problems, row.resource.body, row.AddressText(), diags);
  problems.clear();
  return sound;
}

/// Reports an error of a provider: `what` it did, such as "planned an invalid value for", and a
/// `detail`: ".name: must be null".
void ProviderBug(RowContext& row, std::string_view summary, std::string_view what,
                 const std::string& detail, Diagnostics& diags) {
  diags.Error(std::string(summary),
              "Provider " + text::GoQuote(row.walk().program.ToText(row.provider_info().address)) +
                  " " + std::string(what) + " " + row.AddressText() + detail +
                  ".\n\nThis is a bug of the provider: please report it to its authors.");
}

}  // namespace kinu::engine
