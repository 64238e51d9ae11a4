// Data sources while planning. Ref: opentofu node_resource_abstract_instance.go planDataSource.
#include <algorithm>

#include "addrs/provider_source.h"
#include "engine/reference_check.h"
#include "engine/rows/rows.h"
#include "lang/deprecation.h"
#include "lang/eval.h"
#include "schema/decode.h"
#include "schema/marks.h"
#include "schema/propose.h"
#include "text/quote.h"

namespace kinu::engine {
namespace {

/// The values and whole modules in `depends_on` of the block.
std::vector<NodeId> NamedValues(const Walk& walk, const config::ConfigNode& place,
                                const config::Resource& resource) {
  std::vector<NodeId> out;
  const PlanGraph::Bases& base = walk.graph.bases[place.index];
  for (const hcl::TraversalExpr* traversal : resource.depends_on) {
    const config::Reference* ref = place.module->references.Find(*traversal);
    if (ref == nullptr || ref->index < 0) {
      continue;
    }
    auto index = static_cast<uint32_t>(ref->index);
    if (ref->kind == config::ReferenceKind::kVariable) {
      out.push_back(base.variables + index);
    } else if (ref->kind == config::ReferenceKind::kLocal) {
      out.push_back(base.locals + index);
    } else if (ref->kind == config::ReferenceKind::kModule && place.children[index] != nullptr) {
      out.push_back(walk.graph.bases[place.children[index]->index].module_end);
    }
  }
  return out;
}

}  // namespace

// A block waits for resources that it names, and for all dependencies of the values and modules in
// `depends_on` of the block and of the modules around it; with conditions, for all its
// dependencies. Values in its arguments do not count: if they are unknown, the block waits anyway.
// Ref: transform_reference.go ReferenceMap.dependsOn.
bool DependenciesPending(const RowContext& row) {
  const Walk& walk = row.node.walk;
  const Graph& graph = walk.graph;
  const ModuleInstId own = row.address.resource.module;
  const ModuleId own_module = walk.program.ModuleOf(own);
  // Other instances of the same module do not count.
  auto pending = [&](NodeId id) {
    const Node& node = graph.node(id);
    if (node.kind != NodeKind::kResource ||
        walk.config.nodes[node.config_node]->module->resources[node.index].name.mode ==
            row.address.resource.resource.mode) {
      return false;
    }
    const auto& modules = walk.slots.BlockOf(node).pending;
    return std::any_of(modules.begin(), modules.end(), [&](ModuleInstId module) {
      return module == own || walk.program.ModuleOf(module) != own_module;
    });
  };
  FlatSet<uint32_t> seen;
  std::vector<NodeId> work;
  auto push = [&](NodeId id) {
    if (seen.insert(id).second) {
      work.push_back(id);
    }
  };
  const config::ConfigNode* place = walk.config.nodes[graph.node(row.id).config_node].get();
  for (NodeId id : NamedValues(walk, *place, row.resource)) {
    push(id);
  }
  for (; place->parent != nullptr; place = place->parent) {
    for (NodeId dependency : walk.graph.call_dependencies[place->index]) {
      push(dependency);
    }
  }
  const bool all = !row.resource.preconditions.empty() || !row.resource.postconditions.empty();
  for (NodeId dependency : graph.dependencies(row.id)) {
    if (pending(dependency)) {
      return true;
    }
    if (all) {
      push(dependency);
    }
  }
  while (!work.empty()) {
    NodeId id = work.back();
    work.pop_back();
    if (pending(id)) {
      return true;
    }
    for (NodeId dependency : graph.dependencies(id)) {
      push(dependency);
    }
  }
  return false;
}

bool ProviderDefers(const RowContext& row, provider::Provider& provider, const Value& config) {
  return provider.defers_reads() &&
         provider.DefersRead(row.walk().program.Text(row.address.resource.resource.type),
                             row.AddressText(), config.UnmarkDeep());
}

namespace {

/// Adds the data source to the marks of deprecated outputs of another configuration.
Value NameDeprecatedOutputs(const RowContext& row, const Value& value) {
  std::vector<lang::DeprecatedPart> parts;
  Value clean = lang::TakeDeprecated(value, parts);
  std::vector<PathMarks> marks;
  for (lang::DeprecatedPart& part : parts) {
    part.cause.by = row.AddressText() + "." + part.cause.by;
    marks.push_back({std::move(part.path), lang::DeprecatedMark(part.cause)});
  }
  return marks.empty() ? clean : clean.MarkWithPaths(marks);
}

}  // namespace

ResourceInstance EnclosingCheck(const RowContext& row) {
  const auto check = static_cast<size_t>(row.resource.check);
  return NamedObject(*row.instance, row.instance->node->module->checks[check].name);
}

void ReportToCheck(const RowContext& row, const Diagnostics* failure) {
  const Walk& walk = row.node.walk;
  const config::ConfigNode& place = *row.instance->node;
  NodeId check = walk.graph.bases[place.index].checks + static_cast<NodeId>(row.resource.check);
  const config::Check& block = place.module->checks[static_cast<size_t>(row.resource.check)];
  ConditionResult result{CheckStatus::kPass, "", block.asserts.size()};
  if (failure != nullptr) {
    result.status = CheckStatus::kFail;
    std::string several;
    size_t count = 0;
    for (const Diagnostic& diagnostic : *failure) {
      std::string text = diagnostic.summary;
      if (!diagnostic.detail.empty()) {
        text += ": " + diagnostic.detail;
      }
      several += "\n- " + text;
      result.failure_message = std::move(text);
      ++count;
    }
    if (count > 1) {
      result.failure_message = std::to_string(count) + " problems:\n" + several;
    }
  }
  row.node.checks.Report(check, EnclosingCheck(row), result);
}

std::optional<Value> ReadDataSource(RowContext& row, provider::Provider& provider,
                                    const Value& config, Diagnostics& diags) {
  const schema::Block& block = row.info.schema->block;
  const std::optional<Value> meta = ProviderMetaOf(row, diags);
  if (!meta) {
    return std::nullopt;
  }
  std::vector<PathMarks> marks;
  Value unmarked = config.ContainsMarked() ? config.UnmarkDeepWithPaths(&marks) : config;
  std::string_view type = row.walk().program.Text(row.address.resource.resource.type);
  provider::Problems problems;
  provider.ValidateDataConfig(type, unmarked, problems);
  bool failed = provider::HasErrors(problems);
  AppendProblems(problems, row.resource.body, row.AddressText(), diags);
  if (failed) {
    return std::nullopt;
  }
  row.walk().Post({.kind = EventKind::kReadStart, .address = row.address});
  Timed timed(row.walk().ticker, row.provider_slot().reads_block,
              {.address = row.address, .action = plan::Action::kRead});
  problems.clear();
  Value value = provider.ReadDataSource(type, row.AddressText(), unmarked, *meta, problems);
  failed = provider::HasErrors(problems);
  AppendProblems(problems, row.resource.body, row.AddressText(), diags);
  if (failed) {
    return std::nullopt;
  }
  if (type == "terraform_remote_state" &&
      row.walk().program.Text(row.provider_info().address.provider) == kBuiltInProvider) {
    value = NameDeprecatedOutputs(row, value);
  }
  if (value.IsNull() || !value.IsWhollyKnown()) {
    diags.Error(
        "Provider produced " + std::string(value.IsNull() ? "null object" : "invalid object"),
        "Provider " + text::GoQuote(row.walk().program.ToText(row.provider_info().address)) +
            (value.IsNull()
                 ? " produced a null value for " + row.AddressText() + "."
                 : " produced a value for " + row.AddressText() + " that is not wholly known.") +
            "\n\nThis is a bug of the provider: please report it to its authors.");
    return std::nullopt;
  }
  auto [id_key, id_value] = IdentifyObject(value);
  row.walk().Post({.kind = EventKind::kReadComplete,
                   .address = row.address,
                   .id_key = id_key,
                   .id_value = id_value,
                   .elapsed_seconds = timed.seconds()});
  if (!marks.empty()) {
    value = value.MarkWithPaths(marks);
  }
  return schema::MarkSensitive(block, std::move(value));
}

std::optional<Value> EvaluateAndRead(RowContext& row, provider::Provider& provider,
                                     Diagnostics& diags) {
  std::optional<Value> config = EvaluateConfig(row, diags);
  return config ? ReadDataSource(row, provider, *config, diags) : std::nullopt;
}

namespace {

/// The value before the data source is read: known as far as configured.
Value Placeholder(const RowContext& row, const Value& config) {
  std::vector<PathMarks> marks;
  const Value unmarked = config.ContainsMarked() ? config.UnmarkDeepWithPaths(&marks) : config;
  const Value value = schema::ProposeUnknown(row.info.schema->block, unmarked);
  return marks.empty() ? value : value.MarkWithPaths(marks);
}

plan::ResourceChange PlannedRead(const RowContext& row, Value after, plan::Reason reason) {
  plan::ResourceChange change = StartChange(row);
  change.action = plan::Action::kRead;
  change.reason = reason;
  change.before = Value::Null(row.info.schema->block.implied_type());
  change.after = std::move(after);
  return change;
}

/// A data source that cannot be read before the apply.
void DeferRead(RowContext& row, const Value& config, plan::Reason reason) {
  if (row.walk().context.mode == plan::Mode::kRefreshOnly) {
    row.row.view = RowView::kAbsent;
    return;
  }
  Value value = Placeholder(row, config);
  row.row.value = schema::MarkSensitive(row.info.schema->block, value);
  row.row.SetChange(PlannedRead(row, std::move(value), reason));
}

/// Reads a data source of a check block. A failure is recorded for the check and does not fail the
/// plan; the value is then the placeholder.
void ReadForCheck(RowContext& row, provider::Provider& provider, const Value& config,
                  Diagnostics& diags) {
  Diagnostics found;
  std::optional<Value> value = ReadDataSource(row, provider, config, found);
  if (!value) {
    ReportToCheck(row, &found);
    value = Placeholder(row, config);
  }
  meta_arguments::AppendAsCheckWarnings(std::move(found), EnclosingCheck(row), diags);
  row.row.object.Ensure().refreshed = *value;
  row.row.value = *value;
  if (row.walk().context.mode != plan::Mode::kRefreshOnly) {
    row.row.SetChange(PlannedRead(row, *std::move(value), plan::Reason::kReadCheckNested));
  }
}

}  // namespace

namespace {

/// Reads the data source, or defers that.
void ReadOrDefer(RowContext& row, provider::Provider& provider, const Value& config,
                 Diagnostics& diags) {
  const bool known = config.IsWhollyKnown();
  if (known && ProviderDefers(row, provider, config)) {
    return DeferRead(row, config, plan::Reason::kNone);
  }
  if (!known || DependenciesPending(row)) {
    return DeferRead(
        row, config,
        known ? plan::Reason::kReadDependencyPending : plan::Reason::kReadConfigUnknown);
  }
  if (row.resource.check >= 0) {
    return ReadForCheck(row, provider, config, diags);
  }
  if (std::optional<Value> value = ReadDataSource(row, provider, config, diags)) {
    row.row.object.Ensure().refreshed = *value;
    row.row.value = std::move(value);
  }
}

}  // namespace

void PlanDataRow(RowContext& row, Diagnostics& diags) {
  provider::Provider* provider = ProviderOf(row, KeyBasis::kConfiguration, diags);
  if (provider == nullptr) {
    return;
  }
  const std::optional<Value> config = EvaluateConfig(row, diags);
  if (!config) {
    return;
  }
  if (row.resource.check >= 0) {
    ReportToCheck(row, nullptr);
  }
  ReadOrDefer(row, *provider, *config, diags);
  if (!row.row.value && !row.row.absent()) {
    return;
  }
  const Value self = row.row.value ? *row.row.value : AbsentSelf(row);
  (void)CheckConditions(row, meta_arguments::ConditionKind::kPostcondition,
                        row.resource.postconditions, &self, row.node.condition_severity, diags);
}

}  // namespace kinu::engine
