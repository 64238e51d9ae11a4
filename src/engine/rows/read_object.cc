// Objects of the state, converted to the current schema or from another type, and refreshed. Ref:
// opentofu internal/tofu/upgrade_resource_state.go, node_resource_abstract_instance.go refresh.
#include <utility>

#include "cty/conversion.h"
#include "cty/json.h"
#include "cty/ops.h"
#include "engine/rows/rows.h"
#include "refactoring/refactoring.h"
#include "schema/marks.h"
#include "schema/propose.h"
#include "text/quote.h"

namespace kinu::engine {

namespace {

provider::RawState RawStateOf(const state::Object& object) {
  provider::RawState raw;
  raw.json = object.attributes;
  raw.flatmap = state::FlatAttributes(object);
  return raw;
}

/// The request to convert an object that a `moved` block moved from another type or provider; else
/// nothing.
std::optional<provider::MoveRequest> MoveOf(const RowContext& row, const state::Object& object) {
  const Walk& walk = row.walk();
  const refactoring::Refactoring* moves = walk.context.refactoring;
  if (moves == nullptr || !moves->MovedByBlock(row.address)) {
    return std::nullopt;
  }
  const Symbol from = moves->PreviousAddress(row.address).resource.resource.type;
  const Symbol to = row.address.resource.resource.type;
  const Symbol provider = row.provider_info().address.provider;
  const state::Resource* stored = walk.context.prior_state->Find(row.address.resource);
  const Symbol from_provider = stored == nullptr ? provider : stored->provider.provider;
  if (from == to && from_provider == provider) {
    return std::nullopt;
  }
  provider::MoveRequest request;
  request.source_provider = walk.program.Text(from_provider);
  request.source_type = walk.program.Text(from);
  request.source_schema_version = static_cast<int64_t>(object.schema_version);
  request.source_state = RawStateOf(object);
  request.source_private = object.private_data;
  request.target_type = walk.program.Text(to);
  return request;
}

std::optional<StoredObject> Upgrade(RowContext& row, provider::Provider& provider,
                                    const state::Object& object, provider::Problems& problems,
                                    Diagnostics& diags) {
  if (object.schema_version > static_cast<uint64_t>(row.info.schema->version)) {
    diags.Error("Resource instance managed by newer provider version",
                "The current state of " + row.AddressText() +
                    " was created by a newer provider version than is currently selected. Upgrade "
                    "the provider to work with this state.");
    return std::nullopt;
  }
  std::string_view type = row.walk().program.Text(row.address.resource.resource.type);
  Value value = provider.UpgradeResourceState(type, static_cast<int64_t>(object.schema_version),
                                              RawStateOf(object), problems);
  return StoredObject{std::move(value), object.private_data};
}

}  // namespace

std::optional<StoredObject> ReadStored(RowContext& row, provider::Provider& provider,
                                       const state::Object& object, Diagnostics& diags) {
  provider::Problems problems;
  std::optional<StoredObject> out;
  if (std::optional<provider::MoveRequest> move = MoveOf(row, object)) {
    provider::ImportedObject moved = provider.MoveResourceState(*move, problems);
    out = StoredObject{std::move(moved.state), std::move(moved.private_data)};
  } else {
    out = Upgrade(row, provider, object, problems, diags);
  }
  if (!AskedWithoutErrors(row, problems, diags) || !out) {
    return std::nullopt;
  }
  if (!out->value.type().ConformsTo(row.info.schema->block.implied_type())) {
    ProviderBug(row, "Invalid resource state transformation", "produced an invalid result for", "",
                diags);
    return std::nullopt;
  }
  // Unknown values cannot be stored.
  out->value = UnknownAsNull(out->value);
  std::vector<PathMarks> marks;
  for (const Path& path : state::SensitivePaths(object)) {
    marks.push_back({path, MarkSet::Sensitive()});
  }
  if (!marks.empty()) {
    out->value = out->value.MarkWithPaths(marks);
  }
  return out;
}

std::optional<ProviderNotes> NotesOf(RowContext& row, provider::Provider& provider,
                                     const state::Object& object, std::string private_data,
                                     Diagnostics& diags) {
  ProviderNotes notes{std::move(private_data), {}, false};
  const schema::ResourceSchema& schema = *row.info.schema;
  if (object.identity.empty()) {
    return notes;
  }
  const auto version = static_cast<int64_t>(object.identity_schema_version.value_or(0));
  if (version > schema.identity_version) {
    diags.Error("Resource identity managed by newer provider version",
                "The current identity of " + row.AddressText() +
                    " was created by a newer provider version than is currently selected. Upgrade "
                    "the provider to work with this identity.");
    return std::nullopt;
  }
  if (schema.identity == nullptr) {
    notes.is_stored = true;
    return notes;
  }
  if (version < schema.identity_version) {
    provider::Problems problems;
    std::string_view type = row.walk().program.Text(row.address.resource.resource.type);
    notes.identity = provider.UpgradeResourceIdentity(type, version, object.identity, problems);
    bool failed = provider::HasErrors(problems);
    AppendProblems(problems, nullptr, row.AddressText(), diags);
    return failed ? std::nullopt : std::optional(std::move(notes));
  }
  // Read with its own type and then converted, so that errors have the texts of OpenTofu.
  const auto identity = [&]() -> ValueResult<Value> {
    KINU_TRY(const Type type, ImpliedTypeOfJson(object.identity));
    KINU_TRY(const Value value, ValueFromJson(object.identity, type));
    return Convert(value, schema.identity_type);
  }();
  if (!identity) {
    diags.Error(identity.error().message, "The identity of " + row.AddressText() +
                                              " in the state does not fit the provider's schema.");
    return std::nullopt;
  }
  notes.identity = *identity;
  notes.is_stored = true;
  return notes;
}

/// Tells those who listen that a refresh begins or ends.
static void PostRefresh(RowContext& row, EventKind kind, const std::string& deposed,
                        const Value& object) {
  if (row.walk().context.request.events == nullptr) {
    return;
  }
  auto [id_key, id_value] = IdentifyObject(object);
  row.walk().Post({.kind = kind,
                   .address = row.address,
                   .deposed = deposed,
                   .id_key = std::move(id_key),
                   .id_value = std::move(id_value)});
}

std::optional<Value> RefreshObject(RowContext& row, provider::Provider& provider,
                                   const Value& prior, const std::string& deposed, Value meta,
                                   ProviderNotes& notes, Diagnostics& diags) {
  PostRefresh(row, EventKind::kRefreshStart, deposed, prior);
  std::vector<PathMarks> marks;
  Value unmarked = prior.ContainsMarked() ? prior.UnmarkDeepWithPaths(&marks) : prior;
  provider::ReadRequest request;
  request.type = row.walk().program.Text(row.address.resource.resource.type);
  request.prior = unmarked;
  request.private_data = notes.private_data;
  request.identity = notes.identity;
  request.provider_meta = std::move(meta);
  provider::Problems problems;
  provider::ReadResponse response = provider.ReadResource(request, problems);
  if (!AskedWithoutErrors(row, problems, diags)) {
    return std::nullopt;
  }
  const Type& type = row.info.schema->block.implied_type();
  if (!response.state.type().ConformsTo(type)) {
    ProviderBug(row, "Provider produced invalid object", "planned an invalid value for",
                " during refresh", diags);
    return std::nullopt;
  }
  if (!response.state.IsWhollyKnown()) {
    ProviderBug(row, "Provider produced invalid object", "planned an invalid value for",
                " during refresh: it contains unknown values", diags);
    return std::nullopt;
  }
  notes = {std::move(response.private_data), std::move(response.identity), false};
  // Providers of the legacy SDK return null in place of no blocks.
  Value refreshed = schema::NormalizeLegacyObject(response.state, row.info.schema->block);
  if (!refreshed.IsNull()) {
    refreshed = marks.empty() ? refreshed : refreshed.MarkWithPaths(marks);
    // The schema may have sensitive attributes that the state does not mark.
    refreshed = schema::MarkSensitive(row.info.schema->block, refreshed);
  }
  PostRefresh(row, EventKind::kRefreshComplete, deposed, refreshed);
  return refreshed;
}

bool ReadObject(RowContext& row, provider::Provider& provider, const state::Object& object,
                const std::string& deposed, Diagnostics& diags) {
  std::optional<StoredObject> stored = ReadStored(row, provider, object, diags);
  if (!stored) {
    return false;
  }
  ReadValues& read = row.row.object.Ensure();
  read.previous = stored->value;
  read.has_other_attributes =
      state::HasOtherAttributes(object, row.info.schema->block.implied_type());
  std::optional<ProviderNotes> notes =
      NotesOf(row, provider, object, std::move(stored->private_data), diags);
  if (!notes) {
    return false;
  }
  // If refreshing fails, the converted object is used.
  read.previous_identity = notes->identity;
  read.refreshed = read.previous;
  read.notes = *notes;
  if (row.walk().context.refresh && !read.unread) {
    std::optional<Value> meta = ProviderMetaOf(row, diags);
    std::optional<Value> now;
    if (meta) {
      now = RefreshObject(row, provider, *read.previous, deposed, *std::move(meta), *notes, diags);
    }
    if (!now) {
      return false;
    }
    if (now->IsNull()) {
      now.reset();
    }
    read.refreshed = std::move(now);
    read.notes = *std::move(notes);
  }
  row.row.reading = RowReading::kRead;
  return true;
}

}  // namespace kinu::engine
