// Ephemeral resources: opened while planning and again while applying, never stored. Ref: opentofu
// internal/tofu/node_resource_abstract_instance.go planEphemeralResource, applyEphemeralResource.
#include "engine/ephemeral.h"

#include "engine/reference_check.h"
#include "engine/rows/rows.h"
#include "schema/decode.h"
#include "schema/marks.h"
#include "schema/propose.h"
#include "text/quote.h"

namespace kinu::engine {
namespace {

/// The value as expressions see it: ephemeral as a whole, with the sensitive marks of configuration
/// and schema inside.
Value MarkEphemeral(const schema::Block& block, Value value, const std::vector<PathMarks>& config) {
  std::vector<PathMarks> kept;
  for (const PathMarks& entry : config) {
    MarkSet marks = entry.marks.Without(MarkSet::Ephemeral());
    if (!marks.empty()) {
      kept.push_back({entry.path, std::move(marks)});
    }
  }
  if (!kept.empty()) {
    value = value.MarkWithPaths(kept);
  }
  return schema::MarkSensitive(block, value).WithMarks(MarkSet::Ephemeral());
}

/// Opens the object and passes it to the keeper.
std::optional<Value> Open(RowContext& row, provider::Provider& provider, const Value& config,
                          Diagnostics& diags) {
  Walk& walk = row.walk();
  const schema::Block& block = row.info.schema->block;
  OpenEphemeral object;
  object.address = row.address;
  object.address_text = row.AddressText();
  object.type = walk.program.Text(row.address.resource.resource.type);
  object.provider = &provider;
  object.body = row.resource.body;
  provider::Problems problems;
  auto take_problems = [&] {
    bool bad = provider::HasErrors(problems);
    AppendProblems(problems, object.body, object.address_text, diags);
    problems.clear();
    return !bad;
  };
  provider.ValidateEphemeralConfig(object.type, config, problems);
  if (!take_problems()) {
    return std::nullopt;
  }
  walk.Post({.kind = EventKind::kEphemeralOpenStart, .address = row.address});
  Timed timed(walk.ticker, row.provider_slot().blocking, {.address = row.address});
  provider::EphemeralResponse response = provider.OpenEphemeral(object.type, config, problems);
  if (!take_problems()) {
    return std::nullopt;
  }
  object.private_data = std::move(response.private_data);
  object.renew_at = response.renew_at;
  auto bug = [&](std::string summary, std::string_view what) {
    diags.Error(std::move(summary),
                "Provider " + text::GoQuote(walk.program.ToText(row.provider_info().address)) +
                    " produced " + std::string(what) + " value for " + object.address_text +
                    ".\n\nThis is a bug of the provider: please report it to its authors.");
    provider.CloseEphemeral(object.type, object.private_data, problems);
    take_problems();
  };
  if (response.result.IsNull()) {
    bug("Provider produced null object", "a null");
    return std::nullopt;
  }
  if (!response.result.type().ConformsTo(block.implied_type()) ||
      !response.result.IsWhollyKnown()) {
    bug("Provider produced invalid object", "an invalid");
    return std::nullopt;
  }
  walk.Post({.kind = EventKind::kEphemeralOpenComplete,
             .address = row.address,
             .elapsed_seconds = timed.seconds()});
  walk.ephemeral->Keep(row.id, std::move(object));
  return response.result;
}

}  // namespace

void OpenEphemeralRow(RowContext& row, Diagnostics& diags) {
  Walk& walk = row.walk();
  provider::Provider* provider = ProviderOf(row, KeyBasis::kConfiguration, diags);
  if (provider == nullptr) {
    return;
  }
  const schema::Block& block = row.info.schema->block;
  std::optional<Value> evaluated = EvaluateConfig(row, diags);
  if (!evaluated) {
    return;
  }
  const Value& config = *evaluated;
  std::vector<PathMarks> marks;
  Value unmarked = config.ContainsMarked() ? config.UnmarkDeepWithPaths(&marks) : config;
  bool known = unmarked.IsWhollyKnown();
  if (walk.context.kind == WalkKind::kApply && !known) {
    diags.Error("Incomplete configuration for ephemeral resource",
                "Ephemeral resource \"" + row.AddressText() + "\" has incomplete configuration.",
                row.resource.type_range(), row.resource.range);
    return;
  }
  const bool planning = walk.context.kind == WalkKind::kPlan;
  const bool unasked = planning && known && ProviderDefers(row, *provider, unmarked);
  if (planning && (!known || unasked || DependenciesPending(row))) {
    if (walk.context.mode == plan::Mode::kRefreshOnly) {
      row.row.value = Value::Null(block.implied_type()).WithMarks(MarkSet::Ephemeral());
      return;
    }
    walk.Post({.kind = EventKind::kEphemeralDeferred,
               .address = row.address,
               .text = known ? "pending dependencies" : "unknown configuration"});
    row.row.value = MarkEphemeral(block, schema::ProposeUnknown(block, unmarked), marks);
    return;
  }
  std::optional<Value> value = Open(row, *provider, unmarked, diags);
  if (!value) {
    return;
  }
  row.row.value = MarkEphemeral(block, *std::move(value), marks);
  (void)CheckConditions(row, meta_arguments::ConditionKind::kPostcondition,
                        row.resource.postconditions, &*row.row.value, row.node.condition_severity,
                        diags);
}

void CloseEphemerals(NodeContext& context, NodeId id, Diagnostics& diags) {
  Walk& walk = context.walk;
  const Node& node = walk.graph.node(id);
  walk.ephemeral->Close(walk.graph.bases[node.config_node].resources + node.index, diags);
}

}  // namespace kinu::engine
