#include <algorithm>
#include <ctime>
#include <functional>
#include <iterator>
#include <mutex>
#include <utility>

#include "base/file_replacement.h"
#include "base/loop_threads.h"
#include "base/pieces.h"
#include "codec/hash.h"
#include "codec/protowire.h"
#include "codec/zip.h"
#include "compatibility/features.h"
#include "compatibility/level.h"
#include "cty/msgpack.h"
#include "json/writer.h"
#include "plan/plan_file.h"
#include "plan/wire.h"
#include "provider/planned_schemas.h"
#include "state/json_text.h"

namespace kinu::plan {
namespace {

using namespace wire;  // NOLINT(google-build-using-namespace): the numbers of this format

/// Entries above this size are stored: compressing them would take longer than everything else.
constexpr size_t kMostDeflated = size_t{1} << 20;

class PlanEncoder {
 public:
  /// Appends to `out`.
  PlanEncoder(const Plan& plan, const SchemaLookup& schemas, std::string& out)
      : plan_(plan), program_(*plan.program), schemas_(schemas), out_(out) {}

  Result<void> WriteChanges(size_t begin, size_t end);
  /// Writes what stands before the changes, and what stands behind them.
  Result<void> WriteStart();
  Result<void> WriteRest();

 private:
  Result<void> WriteResource(uint32_t field, const ResourceChange& change);
  Result<void> WriteChange(uint32_t field, Action action, const Value& before, const Value& after,
                           const Type& type, const ResourceChange* resource,
                           const Type& identity_type);
  Result<void> WriteValue(uint32_t field, const Value& value, const Type& type);
  /// Writes the value that was written last.
  void RepeatValue(uint32_t field);
  Result<void> WritePath(uint32_t field, const Path& path);
  Result<void> WriteVariables();
  Result<void> WriteBackend();
  void WriteChecks();
  const std::string& ProviderText(const ProviderConfig& provider);

  const Plan& plan_;
  const Program& program_;
  const SchemaLookup& schemas_;
  ProtoWriter out_;
  std::string msgpack_;  // reused
  FlatMap<ProviderConfig, std::string> providers_;
};

const std::string& PlanEncoder::ProviderText(const ProviderConfig& provider) {
  auto [it, inserted] = providers_.try_emplace(provider);
  if (inserted) {
    it.value() = program_.ToText(provider);
  }
  return it->second;
}

Result<void> PlanEncoder::WriteValue(uint32_t field, const Value& value, const Type& type) {
  msgpack_.clear();
  if (ValueResult<void> done = AppendMsgpack(msgpack_, value, type, WholeNumbers::kPrecise);
      !done) {
    return Fail(ErrorCode::kInvalid, done.error().ToText());
  }
  RepeatValue(field);
  return {};
}

void PlanEncoder::RepeatValue(uint32_t field) {
  size_t dynamic = out_.Begin(field);
  out_.Bytes(kMsgpack, msgpack_);
  out_.End(dynamic);
}

Result<void> PlanEncoder::WritePath(uint32_t field, const Path& path) {
  size_t message = out_.Begin(field);
  for (const PathStep& step : path.steps()) {
    size_t at = out_.Begin(kSteps);
    if (step.kind == PathStep::Kind::kAttribute) {
      out_.AlwaysBytes(StepField::kAttributeName, step.name);
    } else {
      Value key = step.key.UnmarkDeep();
      if (Result<void> done = WriteValue(StepField::kElementKey, key, key.type()); !done) {
        return done;
      }
    }
    out_.End(at);
  }
  out_.End(message);
  return {};
}

/// Removes the marks of a value and returns the paths of its sensitive parts.
Value RemoveMarks(const Value& value, std::vector<Path>* sensitive) {
  if (!value.ContainsMarked()) {
    return value;
  }
  std::vector<PathMarks> marks;
  Value plain = value.UnmarkDeepWithPaths(&marks);
  for (PathMarks& mark : marks) {
    if (mark.marks.sensitive()) {
      sensitive->push_back(std::move(mark.path));
    }
  }
  return plain;
}

Result<void> PlanEncoder::WriteChange(uint32_t field, Action action, const Value& before,
                                      const Value& after, const Type& type,
                                      const ResourceChange* resource, const Type& identity_type) {
  const auto* row = std::find_if(std::begin(kActions), std::end(kActions),
                                 [&](const ActionRow& r) { return r.action == action; });
  std::vector<Path> before_sensitive;
  std::vector<Path> after_sensitive;
  Value plain_before = RemoveMarks(before, &before_sensitive);
  Value plain_after = RemoveMarks(after, &after_sensitive);
  size_t change = out_.Begin(field);
  out_.Uint(ChangeField::kAction, row->number);
  if (row->before) {
    if (Result<void> done = WriteValue(ChangeField::kValues, plain_before, type); !done) {
      return done;
    }
  }
  if (row->before && row->after && plain_after.SameRepresentation(plain_before)) {
    RepeatValue(ChangeField::kValues);
  } else if (row->after) {
    if (Result<void> done = WriteValue(ChangeField::kValues, plain_after, type); !done) {
      return done;
    }
  }
  for (const Path& path : before_sensitive) {
    if (Result<void> done = WritePath(ChangeField::kBeforeSensitive, path); !done) {
      return done;
    }
  }
  for (const Path& path : after_sensitive) {
    if (Result<void> done = WritePath(ChangeField::kAfterSensitive, path); !done) {
      return done;
    }
  }
  auto write_identity = [&](uint32_t at, const Value& identity) {
    return identity.IsNull() ? Result<void>{}
                             : WriteValue(at, identity.UnmarkDeep(), identity_type);
  };
  if (resource != nullptr) {
    if (resource->importing) {
      size_t importing = out_.Begin(ChangeField::kImporting);
      out_.Bytes(ImportingField::kId, resource->importing->id);
      Result<void> done = write_identity(ImportingField::kIdentity, resource->importing->identity);
      if (!done) {
        return done;
      }
      out_.End(importing);
    }
    out_.Bytes(ChangeField::kGeneratedConfig, resource->generated_config.text());
    if (Result<void> done = write_identity(ChangeField::kBeforeIdentity, resource->before_identity);
        !done) {
      return done;
    }
    if (Result<void> done = write_identity(ChangeField::kAfterIdentity, resource->after_identity);
        !done) {
      return done;
    }
  }
  out_.End(change);
  return {};
}

Result<void> PlanEncoder::WriteResource(uint32_t field, const ResourceChange& change) {
  const schema::ResourceSchema* schema =
      schemas_(change.provider.provider, change.address.resource.resource);
  if (schema == nullptr) {
    return Fail(ErrorCode::kInvalid, "no schema available for " + program_.ToText(change.address));
  }
  size_t message = out_.Begin(field);
  out_.Bytes(ResourceField::kDeposed, change.deposed.text());
  out_.Bytes(ResourceField::kProvider, ProviderText(change.provider));
  Result<void> written =
      WriteChange(ResourceField::kChange, change.action, change.before, change.after,
                  schema->block.implied_type(), &change, schema->identity_type);
  if (!written) {
    return Fail(ErrorCode::kInvalid, "failed to serialize resource " +
                                         program_.ToText(change.address) +
                                         " change: " + written.error().message);
  }
  out_.Bytes(ResourceField::kPrivate, change.private_data);
  for (const Path& path : change.required_replace) {
    if (Result<void> done = WritePath(ResourceField::kRequiredReplace, path); !done) {
      return done;
    }
  }
  out_.Uint(ResourceField::kReason, static_cast<uint64_t>(change.reason));
  out_.Bytes(ResourceField::kAddress, program_.ToText(change.address));
  if (!(change.previous_address == change.address) &&
      !change.previous_address.resource.resource.type.empty()) {
    out_.Bytes(ResourceField::kPreviousAddress, program_.ToText(change.previous_address));
  }
  out_.End(message);
  return {};
}

Result<void> PlanEncoder::WriteChanges(size_t begin, size_t end) {
  for (size_t i = begin; i < end; ++i) {
    if (Result<void> done = WriteResource(PlanField::kResourceChanges, plan_.changes[i]); !done) {
      return done;
    }
  }
  return {};
}

Result<void> PlanEncoder::WriteVariables() {
  for (const PlanVariable& variable : plan_.variables) {
    if (variable.ephemeral) {
      continue;
    }
    size_t entry = out_.Begin(PlanField::kVariables);
    out_.Bytes(MapEntryField::kKey, variable.name);
    Result<void> done =
        WriteValue(MapEntryField::kValue, variable.value.UnmarkDeep(), Type::Dynamic());
    if (!done) {
      return Fail(ErrorCode::kInvalid, "cannot write value of variable \"" + variable.name +
                                           "\": " + done.error().message);
    }
    out_.End(entry);
  }
  return {};
}

Result<void> PlanEncoder::WriteBackend() {
  const Value config = plan_.backend.config.UnmarkDeep();
  size_t backend = out_.Begin(PlanField::kBackend);
  out_.Bytes(BackendField::kType, plan_.backend.type);
  Result<void> done = WriteValue(BackendField::kConfig, config, config.type());
  if (!done) {
    return Fail(ErrorCode::kInvalid,
                "cannot write the backend configuration: " + done.error().message);
  }
  out_.Bytes(BackendField::kWorkspace, plan_.backend.workspace);
  out_.End(backend);
  return {};
}

void PlanEncoder::WriteChecks() {
  for (const state::CheckResult& check : plan_.checks) {
    size_t message = out_.Begin(PlanField::kCheckResults);
    out_.Uint(CheckField::kKind, CheckKindNumber(check.block.kind));
    out_.Bytes(CheckField::kConfigAddress, ToText(*plan_.program, check.block));
    out_.Uint(CheckField::kStatus, static_cast<uint64_t>(check.status));
    for (const state::CheckObject& object : check.objects) {
      size_t at = out_.Begin(CheckField::kObjects);
      out_.Bytes(CheckObjectField::kAddress, ToText(*plan_.program, check.AddressOf(object)));
      out_.Uint(CheckObjectField::kStatus, static_cast<uint64_t>(object.status));
      for (const std::string& text : object.failure_messages) {
        out_.AlwaysBytes(CheckObjectField::kMessages, text);
      }
      out_.End(at);
    }
    out_.End(message);
  }
}

std::string NowRfc3339() {
  std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  return std::string(text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts));
}

Result<void> PlanEncoder::WriteStart() {
  out_.Uint(PlanField::kVersion, kFormatVersion);
  return WriteVariables();
}

Result<void> PlanEncoder::WriteRest() {
  for (const OutputChange& output : plan_.outputs) {
    size_t message = out_.Begin(PlanField::kOutputChanges);
    out_.Bytes(OutputField::kName, output.name);
    Result<void> done = WriteChange(OutputField::kChange, output.action, output.before,
                                    output.after, Type::Dynamic(), nullptr, Type::Dynamic());
    if (!done) {
      return Fail(ErrorCode::kInvalid,
                  "cannot write output value \"" + output.name + "\": " + done.error().message);
    }
    out_.Bool(OutputField::kSensitive, output.sensitive);
    out_.End(message);
  }
  for (const TargetAddress& target : plan_.targets) {
    out_.AlwaysBytes(PlanField::kTargets, ToText(*plan_.program, target));
  }
  for (const TargetAddress& exclude : plan_.excludes) {
    out_.AlwaysBytes(PlanField::kExcludes, ToText(*plan_.program, exclude));
  }
  if (Result<void> done = WriteBackend(); !done) {
    return done;
  }
  out_.Bytes(PlanField::kRelease, compatibility::FullRelease());
  for (const RelevantAttribute& relevant : plan_.relevant_attributes) {
    size_t message = out_.Begin(PlanField::kRelevantAttributes);
    out_.Bytes(RelevantField::kResource, plan_.program->ToText(relevant.resource));
    if (Result<void> done = WritePath(RelevantField::kAttribute, relevant.attribute); !done) {
      return done;
    }
    out_.End(message);
  }
  for (const ResourceInstance& address : plan_.force_replace) {
    out_.AlwaysBytes(PlanField::kForceReplace, plan_.program->ToText(address));
  }
  out_.Uint(PlanField::kMode, static_cast<uint64_t>(plan_.mode));
  for (const ResourceChange& change : plan_.drift) {
    if (Result<void> done = WriteResource(PlanField::kResourceDrift, change); !done) {
      return done;
    }
  }
  WriteChecks();
  out_.Bool(PlanField::kErrored, plan_.errored);
  out_.Bool(PlanField::kRefreshChanged, plan_.refresh_changed);
  out_.Bytes(PlanField::kTimestamp, plan_.timestamp.empty() ? NowRfc3339() : plan_.timestamp);
  for (const PlanVariable& variable : plan_.variables) {
    if (variable.ephemeral) {
      out_.AlwaysBytes(PlanField::kEphemeralVariables, variable.name);
    }
  }
  return {};
}

std::string Manifest(std::span<const config::SnapshotModule* const> modules) {
  std::string out;
  JsonWriter writer(out, {.indent = "  "});
  writer.BeginArray();
  for (const config::SnapshotModule* module : modules) {
    writer.BeginObject();
    writer.Member("Key", module->key);
    if (!module->source.empty()) {
      writer.Member("Source", module->source);
    }
    if (!module->version.empty()) {
      writer.Member("Version", module->version);
    }
    writer.Member("Dir", module->dir);
    writer.EndObject();
  }
  writer.EndArray();
  return out;
}

std::vector<const config::SnapshotModule*> SortedModules(const Plan& plan) {
  std::vector<const config::SnapshotModule*> modules;
  for (const config::SnapshotModule& module : plan.configuration.modules) {
    modules.push_back(&module);
  }
  std::sort(modules.begin(), modules.end(),
            [](const config::SnapshotModule* a, const config::SnapshotModule* b) {
              return a->key < b->key;
            });
  return modules;
}

std::string EntryName(const config::SnapshotModule& module, const config::SnapshotFile& file) {
  return std::string(kModulePrefix) + module.key + '/' + file.name;
}

std::string DigestSources(const Plan& plan) {
  const std::vector<const config::SnapshotModule*> modules = SortedModules(plan);
  std::vector<SourceEntry> entries;
  for (const config::SnapshotModule* module : modules) {
    for (const config::SnapshotFile& file : module->files) {
      entries.push_back({EntryName(*module, file), file.content()});
    }
  }
  const std::string manifest = Manifest(modules);
  entries.push_back({std::string(kManifestEntry), manifest});
  entries.push_back({std::string(kLockEntry), plan.lock_file});
  return wire::DigestSources(std::move(entries));
}

/// Writes the plan message in pieces. Fails if one of the states cannot be written.
Result<void> WriteMessage(const Plan& plan, const SchemaLookup& schemas,
                          const std::function<void(std::string_view)>& write) {
  constexpr size_t kPiece = 512;
  std::mutex mutex;
  const SchemaLookup one_by_one = [&](auto provider, auto name) {
    const std::lock_guard lock(mutex);
    return schemas(provider, name);
  };
  std::string start;
  Result<void> done = PlanEncoder(plan, schemas, start).WriteStart();
  if (!done) {
    return done;
  }
  write(start);
  done = StreamInPieces(
      plan.changes.size(), kPiece,
      [&](size_t begin, size_t end, std::string& out) {
        constexpr size_t kUsualSize = 512;
        out.reserve((end - begin) * kUsualSize);
        return PlanEncoder(plan, one_by_one, out).WriteChanges(begin, end);
      },
      write);
  if (!done) {
    return done;
  }
  std::string rest;
  done = PlanEncoder(plan, schemas, rest).WriteRest();
  for (const state::State* stored : {&plan.prior_state, &plan.previous_state}) {
    if (done) {
      done = state::CheckWritable(*stored);
    }
  }
  if (!done) {
    return done;
  }
  ProtoWriter(rest).Bytes(PlanField::kSources, DigestSources(plan));
  write(rest);
  return {};
}

std::string StateText(const Plan& plan, const state::State& stored, std::string_view lineage,
                      uint64_t serial) {
  if (stored.program != nullptr) {
    return state::WriteState(stored, state::Layout::kCompact, lineage, serial);
  }
  state::State empty;
  empty.program = plan.program;
  return state::WriteState(empty, state::Layout::kCompact, lineage, serial);
}

/// Adds an entry; a large one is stored.
void AddEntry(ZipWriter& zip, std::string_view name, std::span<const std::string_view> parts,
              int64_t now) {
  size_t size = 0;
  for (const std::string_view part : parts) {
    size += part.size();
  }
  if (size > kMostDeflated) {
    zip.AddStored(name, parts, now);
    return;
  }
  std::string content;
  content.reserve(size);
  for (const std::string_view part : parts) {
    content += part;
  }
  zip.Add(name, content, ZipMethod::kDeflated, now);
}

/// Adds the plan message. That of many changes goes to the archive as it is made.
Result<void> AddMessage(const Plan& plan, const SchemaLookup& schemas, int64_t now,
                        ZipWriter& zip) {
  constexpr size_t kLeastOfChange = 128;  // bytes: names, provider and values of a resource
  if (plan.changes.size() > kMostDeflated / kLeastOfChange) {
    zip.BeginStored(kPlanEntry, now);
    Result<void> done =
        WriteMessage(plan, schemas, [&](std::string_view piece) { zip.AddPart(piece); });
    zip.EndStored();
    return done;
  }
  std::string message;
  Result<void> done =
      WriteMessage(plan, schemas, [&](std::string_view piece) { message += piece; });
  if (done) {
    const std::string_view whole = message;
    AddEntry(zip, kPlanEntry, {&whole, 1}, now);
  }
  return done;
}

/// Adds the plan message, and meanwhile makes the text of the prior state.
Result<std::string> AddMessageAndMakeState(const Plan& plan, const SchemaLookup& schemas,
                                           int64_t now, ZipWriter& zip) {
  constexpr size_t kMany = 1000;
  std::string prior;
  Result<void> done;
  const unsigned threads = plan.changes.size() < kMany ? 1 : 2;
  LoopThreads::OfProcess().Run(2, threads, [&](size_t i) {
    if (i == 0) {
      done = AddMessage(plan, schemas, now, zip);
    } else {
      prior = StateText(plan, plan.prior_state, plan.prior_state.lineage, plan.prior_state.serial);
    }
  });
  if (!done) {
    return std::unexpected(std::move(done).error());
  }
  return prior;
}

/// Adds all entries. Each is freed before the next is created.
Result<void> AddEntries(const Plan& plan, const SchemaLookup& schemas, ZipWriter& zip) {
  const int64_t now = std::time(nullptr);
  KINU_TRY(std::string prior, AddMessageAndMakeState(plan, schemas, now, zip));
  const auto add = [&](std::string_view name, std::string_view content) {
    AddEntry(zip, name, {&content, 1}, now);
  };
  add(kStateEntry, prior);
  // Usually nothing has changed outside of OpenTofu; then the two states differ in the header
  // alone.
  if (plan.prior_state.program != nullptr && plan.prior_state.checks.empty() &&
      plan.previous_state.checks.empty() &&
      plan.prior_state.has_checks == plan.previous_state.has_checks &&
      state::SameContent(plan.prior_state, plan.previous_state)) {
    auto [start, rest] = state::Relabel(prior, {}, 0);
    const std::string_view parts[] = {start, rest};
    AddEntry(zip, kPreviousStateEntry, parts, now);
  } else {
    prior = StateText(plan, plan.previous_state, {}, 0);
    add(kPreviousStateEntry, prior);
  }
  prior = {};
  const std::vector<const config::SnapshotModule*> modules = SortedModules(plan);
  for (const config::SnapshotModule* module : modules) {
    for (const config::SnapshotFile& file : module->files) {
      add(EntryName(*module, file), file.content());
    }
  }
  add(kManifestEntry, Manifest(modules));
  add(kLockEntry, plan.lock_file);
  if (!plan.schemas.empty()) {
    add(kSchemasEntry, plan.schemas);
  }
  if (compatibility::Has(compatibility::Feature::kPlanSchemas)) {
    if (const auto planned = provider::ToPlannedSchemas(plan.schemas)) {
      add(kPlannedSchemasEntry, *planned);
    }
  }
  return {};
}

}  // namespace

std::string wire::DigestSources(std::vector<SourceEntry> entries) {
  std::sort(entries.begin(), entries.end(),
            [](const SourceEntry& a, const SourceEntry& b) { return a.name < b.name; });
  Hasher hasher(HashKind::kSha256);
  for (const SourceEntry& entry : entries) {
    hasher.Update(entry.name + '\0' + std::to_string(entry.content.size()) + '\0');
    hasher.Update(entry.content);
  }
  return hasher.Finish();
}

Result<std::string> EncodePlanFile(const Plan& plan, const SchemaLookup& schemas) {
  ZipWriter zip;
  if (Result<void> done = AddEntries(plan, schemas, zip); !done) {
    return std::unexpected(std::move(done).error());
  }
  return zip.Finish();
}

Result<void> WritePlanFile(const std::string& path, const Plan& plan, const SchemaLookup& schemas,
                           const state::Sealer& sealer) {
  if (!sealer.clear()) {
    KINU_TRY(std::string bytes, EncodePlanFile(plan, schemas));
    KINU_TRY(const state::StoredBytes sealed, sealer.Seal(std::move(bytes), nullptr));
    KINU_TRY(FileReplacement file, FileReplacement::Start(path, 0644));
    file.Write(sealed.bytes());
    return file.Commit();
  }
  KINU_TRY(FileReplacement file, FileReplacement::Start(path, 0644));
  ZipWriter zip([&](std::string_view bytes) { file.Write(bytes); });
  if (Result<void> done = AddEntries(plan, schemas, zip); !done) {
    return done;
  }
  (void)zip.Finish();
  return file.Commit();
}

}  // namespace kinu::plan
