#include <algorithm>
#include <utility>

#include "base/files.h"
#include "codec/protowire.h"
#include "codec/zip.h"
#include "compatibility/level.h"
#include "json/reader.h"
#include "plan/plan_decoder.h"
#include "plan/plan_file.h"
#include "plan/wire.h"
#include "provider/planned_schemas.h"
#include "text/quote.h"

namespace kinu::plan {

using namespace wire;  // NOLINT(google-build-using-namespace): the numbers of this format

struct PlanFile::Archive {
  std::string bytes;
  ZipReader zip;
  std::string inflated;   ///< the tfplan entry, unless it is stored
  std::string_view plan;  ///< the tfplan entry
};

size_t PlanFile::size() const {
  return archive_->bytes.size();
}

Result<PlanFile> PlanFile::FromBytes(std::string bytes) {
  auto not_a_plan = [] {
    return Fail(ErrorCode::kInvalid, "the given file is not a valid plan file");
  };
  if (bytes.starts_with("tfplan")) {
    return Unusable(
        "the given plan file was created by an earlier version of OpenTofu, or an earlier version "
        "of Terraform; plan files cannot be shared between different OpenTofu or Terraform "
        "versions");
  }
  if (bytes.starts_with('{') && bytes.find("\"encryption_version\"") != std::string::npos) {
    return Unusable(
        "the given plan file is encrypted and requires a valid encryption configuration to "
        "decrypt");
  }
  auto archive = std::make_shared<Archive>();
  archive->bytes = std::move(bytes);
  Result<ZipReader> zip = ZipReader::Open(archive->bytes);
  if (!zip) {
    return Fail(ErrorCode::kInvalid, "zip: not a valid zip file");
  }
  archive->zip = *std::move(zip);
  const ZipReader::Entry* entry = archive->zip.Find(kPlanEntry);
  if (entry == nullptr) {
    return not_a_plan();
  }
  const Result<std::string_view> plan = archive->zip.Read(*entry, archive->inflated);
  if (!plan) {
    return Fail(ErrorCode::kDamaged,
                "failed to retrieve plan from plan file: " + plan.error().message);
  }
  archive->plan = *plan;
  PlanFile file;
  file.archive_ = std::move(archive);
  return file;
}

Result<PlanFile> PlanFile::Open(const std::string& path, const state::Sealer& sealer) {
  KINU_TRY(std::string bytes, ReadFile(path));
  Result<state::Sealer::Opened> opened = sealer.Open(std::move(bytes));
  if (!opened) {
    // What cannot be decrypted need not be a plan.
    return Fail(ErrorCode::kInvalid, std::move(opened).error().message);
  }
  return FromBytes(std::move(opened->document));
}

Result<compatibility::Level> PlanFile::CheckVersion() const {
  uint64_t version = 0;
  uint32_t extension = 0;  // that this program does not know
  std::string_view release;
  ProtoReader reader(archive_->plan);
  for (ProtoField field; reader.Next(field);) {
    if (field.number == PlanField::kVersion) {
      version = field.scalar;
    } else if (field.number == PlanField::kRelease) {
      release = field.bytes;
    } else if (field.number > PlanField::kLastExtension) {
      extension = field.number;
    }
  }
  if (reader.failed()) {
    return Unusable(std::string(kParseError));
  }
  if (version != kFormatVersion) {
    return Unusable("unsupported plan file format version " + std::to_string(version) +
                    "; only version " + std::to_string(kFormatVersion) + " is supported");
  }
  // How a newer version wants the plan to be applied.
  if (extension != 0) {
    return Unusable(
        "plan file was created by a newer version of kinu: this one does not know its field " +
        std::to_string(extension));
  }
  const auto level = compatibility::LevelOfRelease(release);
  if (!level || !compatibility::Choices().Has(*level)) {
    return Unusable("plan file was created by OpenTofu or Terraform " + std::string(release) +
                    ", but this is " + std::string(compatibility::FullRelease()) +
                    "; plan files cannot be transferred between different versions of OpenTofu / "
                    "Terraform");
  }
  return *level;
}

Result<std::map<std::string, Value>> PlanFile::Variables() const {
  std::map<std::string, Value> out;
  ProtoReader reader(archive_->plan);
  for (ProtoField field; reader.Next(field);) {
    if (field.number == PlanField::kVariables) {
      Result<PlanVariable> variable = DecodeVariable(field.bytes);
      if (!variable) {
        return Unusable(std::move(variable).error().message);
      }
      out[variable->name] = std::move(variable->value);
    }
  }
  if (reader.failed()) {
    return Unusable(std::string(kParseError));
  }
  return out;
}

Result<std::string> PlanFile::Workspace() const {
  std::string_view name;
  ProtoReader reader(archive_->plan);
  for (ProtoField field; reader.Next(field);) {
    if (field.number == PlanField::kBackend) {
      ProtoReader backend(field.bytes);
      for (ProtoField member; backend.Next(member);) {
        name = member.number == BackendField::kWorkspace ? member.bytes : name;
      }
    }
  }
  if (reader.failed()) {
    return Unusable(std::string(kParseError));
  }
  return std::string(name);
}

Result<std::vector<std::string>> PlanFile::Providers() const {
  Program program;
  std::vector<std::string> out;
  ProtoReader reader(archive_->plan);
  FlatSet<std::string_view> seen;
  for (ProtoField field; reader.Next(field);) {
    if (field.number != PlanField::kResourceChanges && field.number != PlanField::kResourceDrift) {
      continue;
    }
    ProtoReader change(field.bytes);
    for (ProtoField member; change.Next(member);) {
      ProviderConfig config;
      InstanceKey key;
      if (member.number == ResourceField::kProvider && seen.insert(member.bytes).second &&
          program.ParseProviderConfig(member.bytes, &config, &key)) {
        out.emplace_back(program.Text(config.provider));
      }
    }
  }
  if (reader.failed()) {
    return Unusable(std::string(kParseError));
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Result<std::string> PlanFile::LockFile() const {
  Result<std::string> text = archive_->zip.Read(kLockEntry);
  if (!text && text.error().code == ErrorCode::kNotFound) {
    return Fail(ErrorCode::kNotFound, "Saved plan has no dependency lock information");
  }
  return text;
}

Result<std::string> PlanFile::PriorState() const {
  return archive_->zip.Read(kStateEntry);
}

Result<std::string> PlanFile::PreviousState() const {
  return archive_->zip.Read(kPreviousStateEntry);
}

Result<std::string> PlanFile::Schemas() const {
  if (archive_->zip.Find(kSchemasEntry) != nullptr ||
      archive_->zip.Find(kPlannedSchemasEntry) == nullptr) {
    return archive_->zip.Read(kSchemasEntry);
  }
  KINU_TRY(const std::string planned, archive_->zip.Read(kPlannedSchemasEntry));
  return provider::FromPlannedSchemas(planned);
}

namespace {

std::string_view SourcesDigest(std::string_view message) {
  ProtoReader reader(message);
  for (ProtoField field; reader.Next(field);) {
    if (field.number == PlanField::kSources) {
      return field.bytes;
    }
  }
  return {};
}

bool IsSource(std::string_view name) {
  return name == kManifestEntry || name == kLockEntry || name.starts_with(kModulePrefix);
}

}  // namespace

bool PlanFile::knows_sources() const {
  return !SourcesDigest(archive_->plan).empty();
}

Result<void> PlanFile::Verify() const {
  const auto damaged = [](const std::string& why) {
    return Unusable("the plan file is damaged: " + why);
  };
  const ZipReader& zip = archive_->zip;
  if (Result<void> whole = zip.Verify(); !whole) {
    return damaged(whole.error().message);
  }
  for (const std::string_view name :
       {kPlanEntry, kStateEntry, kPreviousStateEntry, kManifestEntry, kLockEntry}) {
    if (zip.Find(name) == nullptr) {
      return damaged("it has no entry " + std::string(name));
    }
  }
  std::vector<std::string> contents;
  std::vector<SourceEntry> sources;
  contents.reserve(zip.entries().size());
  for (const ZipReader::Entry& entry : zip.entries()) {
    if (IsSource(entry.name)) {
      KINU_TRY(std::string content, zip.Read(entry));
      sources.push_back({entry.name, contents.emplace_back(std::move(content))});
    } else if (entry.name != kPlanEntry && entry.name != kStateEntry &&
               entry.name != kPreviousStateEntry && entry.name != kSchemasEntry &&
               entry.name != kPlannedSchemasEntry) {
      return damaged("nobody knows what its entry " + text::GoQuote(entry.name) + " is for");
    }
  }
  const std::string_view expected = SourcesDigest(archive_->plan);
  if (!expected.empty() && DigestSources(std::move(sources)) != expected) {
    return damaged("its configuration is not the one that the plan was made of");
  }
  return {};
}

Result<config::SourceSnapshot> PlanFile::Configuration() const {
  config::SourceSnapshot snapshot;
  std::vector<config::SnapshotModule>& modules = snapshot.modules;
  FlatMap<std::string, size_t> by_key;
  auto module = [&](std::string_view key) -> config::SnapshotModule& {
    auto [it, inserted] = by_key.try_emplace(std::string(key), modules.size());
    if (inserted) {
      modules.emplace_back().key = key;
    }
    return modules[it->second];
  };
  for (const ZipReader::Entry& entry : archive_->zip.entries()) {
    std::string_view name = entry.name;
    if (!name.starts_with(kModulePrefix)) {
      continue;
    }
    name.remove_prefix(kModulePrefix.size());
    size_t slash = name.rfind('/');
    if (slash == std::string_view::npos) {
      continue;
    }
    Result<std::string> content = archive_->zip.Read(entry);
    if (!content) {
      return Fail(content.error().code, "failed to read snapshot of " +
                                            std::string(name.substr(slash + 1)) +
                                            " from module \"" + std::string(name.substr(0, slash)) +
                                            "\": " + content.error().message);
    }
    std::string base(name.substr(slash + 1));
    Ref<const SourceFile> source = SourceFile::Make(base, *std::move(content));
    module(name.substr(0, slash)).files.push_back({std::move(base), std::move(source)});
  }
  Result<std::string> manifest = archive_->zip.Read(kManifestEntry);
  if (!manifest) {
    return Fail(ErrorCode::kInvalid, "config snapshot does not have manifest file");
  }
  size_t with_files = modules.size();
  std::vector<bool> listed(with_files, false);
  auto invalid = [] { return Fail(ErrorCode::kInvalid, "invalid module manifest"); };
  JsonDocument document = ParseJson(*manifest);
  if (!document.ok() || !document.root().is_array()) {
    return invalid();
  }
  for (const JsonNode& record : document.root().elements()) {
    auto text = [&](std::string_view name) {
      const JsonNode* node = record.Find(name);
      return node != nullptr && node->is_string() ? std::string(node->text()) : std::string();
    };
    if (!record.is_object()) {
      return invalid();
    }
    config::SnapshotModule& described = module(text("Key"));
    described.source = text("Source");
    described.version = text("Version");
    described.dir = text("Dir");
    if (size_t index = by_key.at(described.key); index < with_files) {
      listed[index] = true;
    }
  }
  for (size_t i = 0; i < with_files; ++i) {
    if (!listed[i]) {
      return Fail(ErrorCode::kInvalid, "found files for module \"" + modules[i].key +
                                           "\" that isn't recorded in the manifest");
    }
  }
  std::sort(modules.begin(), modules.end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
  return snapshot;
}

Result<Plan> PlanFile::ReadWithoutSources(const std::shared_ptr<Program>& program,
                                          const SchemaLookup& schemas) const {
  if (const auto usable = CheckVersion(); !usable) {
    return std::unexpected(std::move(usable).error());
  }
  Result<Plan> plan = DecodePlan(program, schemas, archive_->plan);
  if (!plan) {
    return plan;
  }
  struct Part {
    std::string_view entry;
    state::State* state;
    std::string_view name;
  };
  for (const Part& part : {Part{kPreviousStateEntry, &plan->previous_state, "previous run state"},
                           Part{kStateEntry, &plan->prior_state, "prior state"}}) {
    Result<std::string> text = archive_->zip.Read(part.entry);
    if (!text && text.error().code == ErrorCode::kNotFound) {
      text = Fail(ErrorCode::kNotFound, "no state");
    }
    Result<state::State> state = text ? state::ReadState(program, *std::move(text))
                                      : std::unexpected(std::move(text).error());
    if (!state) {
      return Unusable("failed to read " + std::string(part.name) +
                      " from plan file: " + state.error().message);
    }
    *part.state = *std::move(state);
  }
  return plan;
}

Result<Plan> PlanFile::Read(const std::shared_ptr<Program>& program,
                            const SchemaLookup& schemas) const {
  Result<Plan> plan = ReadWithoutSources(program, schemas);
  if (!plan) {
    return plan;
  }
  Result<config::SourceSnapshot> configuration = Configuration();
  if (!configuration) {
    return Unusable(
        "Failed to read configuration from plan file: The configuration file snapshot "
        "in the plan file could not be read: " +
        configuration.error().message + ".");
  }
  plan->configuration = *std::move(configuration);
  if (Result<std::string> lock_file = LockFile()) {
    plan->lock_file = *std::move(lock_file);
  }
  return plan;
}

Result<Plan> PlanFile::ReadChanges(const std::shared_ptr<Program>& program,
                                   const SchemaLookup& schemas) const {
  if (const auto usable = CheckVersion(); !usable) {
    return std::unexpected(std::move(usable).error());
  }
  return DecodePlan(program, schemas, archive_->plan, DecodedValues::kCompared);
}

Result<Plan> PlanFile::ReadOutline(const std::shared_ptr<Program>& program) const {
  if (const auto usable = CheckVersion(); !usable) {
    return std::unexpected(std::move(usable).error());
  }
  return DecodePlan(program, nullptr, archive_->plan, DecodedValues::kNone);
}

}  // namespace kinu::plan
