// Rows with imported objects: the provider returns the object, and a block is generated if there is
// none. Ref: opentofu internal/tofu/node_resource_import.go.
#include "addrs/provider_source.h"
#include "config/object_block.h"
#include "engine/imports.h"
#include "engine/reference_check.h"
#include "engine/rows/rows.h"
#include "schema/marks.h"

namespace kinu::engine {

namespace {

/// What is imported at an address of a block; null: nothing.
const ImportTarget* ImportAt(const Walk& walk, const Node& node, const ResourceInstance& address) {
  if (walk.graph.InfoOf(node).imports == nullptr) {
    return nullptr;
  }
  const ImportSlot* imports = walk.slots.BlockOf(node).imports.get();
  if (imports == nullptr) {
    return nullptr;  // nothing is imported before a destruction
  }
  const auto found = imports->index.find(address);
  if (found == imports->index.end()) {
    return nullptr;
  }
  const ImportTarget& target = imports->targets[found->second];
  return target.has_id || !target.identity.IsNull() ? &target : nullptr;
}

}  // namespace

const ImportTarget* ImportOf(const RowContext& row) {
  if (row.info.imports == nullptr ||
      (row.row.stored != nullptr && row.walk().context.command_imports.empty())) {
    return nullptr;
  }
  return ImportAt(row.walk(), row.walk().graph.node(row.id), row.address);
}

bool ImportedByCommand(const Walk& walk, const Node& node, const ResourceInstance& address) {
  return !walk.context.command_imports.empty() && ImportAt(walk, node, address) != nullptr;
}

namespace {

/// Marks the object as the configuration does, without count.index and each.key. Deprecated parts
/// are reported as they are for the plan, but without the object's name. Ref:
/// node_resource_plan_instance.go importState.
Value MarkAsConfigured(RowContext& row, Value value, const Expansion& expansion,
                       Diagnostics& diags) {
  const ModuleScope scope(row.walk(), *row.instance, Repetition{&expansion, 0});
  const Value config =
      WarnDeprecatedIn(*row.resource.body, DecodeConfig(row, scope, diags), diags, "");
  if (config.ContainsMarked()) {
    std::vector<PathMarks> marks;
    (void)config.UnmarkDeepWithPaths(&marks);
    value = value.MarkWithPaths(marks);
  }
  return schema::MarkSensitive(row.info.schema->block, std::move(value));
}

/// The object that the provider returns; nothing, with diagnostics, if it is not exactly one.
std::optional<provider::ImportedObject> FindImported(RowContext& row, provider::Provider& provider,
                                                     const ImportTarget& target,
                                                     Diagnostics& diags) {
  const bool by_command = !row.walk().context.command_imports.empty();
  std::string_view type = row.walk().program.Text(row.address.resource.resource.type);
  provider::Problems problems;
  std::vector<provider::ImportedObject> imported =
      provider.ImportResourceState(type, target.id, target.identity, problems);
  bool failed = provider::HasErrors(problems);
  AppendProblems(problems, nullptr, "", diags);
  if (failed) {
    return std::nullopt;
  }
  if (by_command) {
    Event event{.kind = EventKind::kImportPrepared, .address = row.address};
    event.text = type;
    row.walk().Post(std::move(event));
  }
  const std::string what = !target.has_id ? "the given identity" : "the id \"" + target.id + "\"";
  if (by_command && row.row.stored != nullptr) {
    diags.Error("Resource already managed by OpenTofu",
                "The state has an object at " + row.AddressText() +
                    " already. Take it out of the state before you import another one there.");
  } else if (imported.empty()) {
    diags.Error("Import returned no resources", "The provider gave nothing for " + what + ".");
  } else if (imported.size() > 1) {
    diags.Error(
        "Multiple import states not supported",
        "The provider gave several objects for " + what + ", but one instance can have only one.");
  } else if (imported.front().state.IsNull()) {
    diags.Error("Import returned null resource",
                "The provider gave an object without any data for " + what + ".");
  } else {
    return std::move(imported.front());
  }
  return std::nullopt;
}

}  // namespace

std::optional<Value> ImportObject(RowContext& row, provider::Provider& provider,
                                  const ImportTarget& target, ReadValues& read,
                                  Diagnostics& diags) {
  auto [id_key, id_value] = !target.has_id ? IdentifyOrNameObject(target.identity)
                                           : std::pair<std::string, std::string>("id", target.id);
  const bool by_command = !row.walk().context.command_imports.empty();
  row.walk().Post({.kind = by_command ? EventKind::kImportById : EventKind::kImportPrepare,
                   .address = row.address,
                   .id_key = id_key,
                   .id_value = id_value});
  std::optional<provider::ImportedObject> found = FindImported(row, provider, target, diags);
  if (!found) {
    return std::nullopt;
  }
  read.notes = {found->private_data, found->identity, false};
  std::optional<Value> refreshed =
      RefreshObject(row, provider, found->state, "", {}, read.notes, diags);
  if (!refreshed) {
    read.previous = found->state;  // as in OpenTofu, it has drifted: it was there and is not read
    return std::nullopt;
  }
  if (refreshed->IsNull()) {
    diags.Error("Cannot import non-existent remote object",
                "The provider found no object for " +
                    (!target.has_id ? "the given identity" : "the id \"" + target.id + "\"") +
                    " that could become " + row.AddressText() +
                    ". Only what exists can be imported: check the id and where the provider "
                    "looks, or let apply create the object.");
    return std::nullopt;
  }
  if (row.info.imports->generated) {
    return schema::MarkSensitive(row.info.schema->block, *refreshed);  // its block comes later
  }
  if (by_command) {
    Diagnostics ignored;  // the command accepts incomplete configurations
    return MarkAsConfigured(row, *std::move(refreshed), Expansion{}, ignored);
  }
  const size_t errors = diags.error_count();
  Value marked =
      MarkAsConfigured(row, *std::move(refreshed), UncountedExpansion(row.resource), diags);
  if (diags.error_count() != errors) {
    read.previous = std::move(marked);  // as above
    return std::nullopt;
  }
  return marked;
}

GeneratedBlock WriteBlock(const RowContext& row, const Value& object) {
  const Program& program = row.walk().program;
  std::string provider;
  const ProviderConfig& config = row.provider_info().address;
  const std::string local = SplitProviderAddress(program.Text(config.provider)).type;
  std::string_view type = program.Text(row.resource.name.type);
  if (!config.alias.empty() || local != ImpliedProviderName(type)) {
    provider = local;
    if (!config.alias.empty()) {
      provider += '.';
      provider += program.Text(config.alias);
    }
  }
  std::string contents = config::ConfigOfObject(row.info.schema->block, object, provider);
  GeneratedBlock out{row.resource, config::ResourceBlockText(program, row.resource.name, contents)};
  out.resource.body = row.walk().context.request.generated->Parse(std::move(contents));
  return out;
}

}  // namespace kinu::engine
