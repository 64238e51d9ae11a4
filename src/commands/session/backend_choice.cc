#include "session/backend_choice.h"

#include <algorithm>
#include <deque>

#include "base/files.h"
#include "base/program_name.h"
#include "codec/deflate.h"
#include "config/decode.h"
#include "config/merged_body.h"
#include "config/static_value.h"
#include "cty/conversion.h"
#include "cty/value_node.h"
#include "hcl/parse.h"
#include "session/hosts.h"
#include "session/provider_set.h"
#include "text/quote.h"
#include "trace/trace.h"

namespace kinu::session {
namespace {

using backend::BackendSpec;
using backend::Setting;
using SettingValues = std::map<std::string, Value, std::less<>>;

/// Ref: configs.Backend.Hash, cty.Value.Hash.
uint64_t HashOf(const std::string& type, const Value& settings) {
  std::string bytes;
  AppendSetHash(bytes, Value::Tuple({Value::String(type), settings}));
  return Crc32(bytes);
}

Value ObjectOf(const BackendSpec& spec, const SettingValues& values) {
  std::vector<std::pair<std::string, Value>> attributes(values.begin(), values.end());
  return backend::SettingsObject(spec, Value::Object(std::move(attributes)));
}

/// Reads the settings of one backend.
class SettingReader {
 public:
  SettingReader(const Loaded& loaded, const BackendSpec& spec, const config::LoadOptions& options)
      : loaded_(loaded), spec_(spec), evaluator_(*loaded.program, options, ".") {}

  /// Reads a body: adds what it has to `out`, and to `given` (unless null) where. Reports wrong
  /// references and secrets in `diags`, other problems in `of_values`. False after an error.
  bool Read(const hcl::Body& body, const SourceRange& block, SettingValues& out,
            std::map<std::string, SourceRange>* given, Diagnostics& diags, Diagnostics& of_values);
  /// The body with the values of -backend-config, which lives as long as the reader. What they
  /// replace is never evaluated. Null after an error.
  const hcl::Body* Overridden(const hcl::Body& body, const std::vector<std::string>& overrides,
                              Diagnostics& diags);

 private:
  /// Reads a file of -backend-config, in either syntax. Null after an error.
  const hcl::Body* ReadFile(const std::string& path, Diagnostics& diags);
  /// Reads NAME=VALUE. Null after an error.
  const hcl::Body* ReadArgument(const std::string& name, const std::string& text,
                                Diagnostics& diags);

  const Loaded& loaded_;
  const BackendSpec& spec_;
  config::StaticEvaluator evaluator_;
  std::deque<config::GivenBody> given_;
  std::deque<config::OverriddenBody> overridden_;
};

/// Reports values that may not be stored. False if there are any.
bool CheckSecrets(const Value& value, const SourceRange& block, Diagnostics& diags) {
  const MarkSet marks = value.MarksDeep();
  for (auto [secret, what] :
       {std::pair(marks.sensitive(), "sensitive"), std::pair(marks.ephemeral(), "ephemeral")}) {
    if (secret) {
      diags.Error("Backend config contains " + std::string(what) + " values",
                  "What the backend block says is kept in the data directory and in plan files. "
                  "Give secrets through environment variables of the backend instead.",
                  block);
      return false;
    }
  }
  return true;
}

/// The settings that a body has.
hcl::BodyContent SettingsIn(const hcl::Body& body, const BackendSpec& spec,
                            hcl::Strictness strictness, Diagnostics& diags) {
  std::vector<hcl::AttributeSchema> attributes;
  std::vector<hcl::BlockSchema> blocks;
  for (const Setting& setting : spec.settings) {
    if (setting.is_block()) {
      blocks.push_back({setting.name, {}});
    } else {
      attributes.push_back({setting.name});
    }
  }
  return body.Content({.attributes = attributes, .blocks = blocks}, strictness, diags);
}

/// Finds the settings that a body has, by name.
std::map<std::string, SourceRange> NamesIn(const hcl::Body& body, const BackendSpec& spec) {
  Diagnostics ignored;
  const hcl::BodyContent content = SettingsIn(body, spec, hcl::Strictness::kPartial, ignored);
  std::map<std::string, SourceRange> out;
  for (const hcl::Attribute& attribute : content.attributes) {
    out.emplace(attribute.name, attribute.expr->range());
  }
  for (const hcl::Block& block : content.blocks) {
    out.emplace(block.type, SourceRange());  // problems are shown at the whole
  }
  return out;
}

bool SettingReader::Read(const hcl::Body& body, const SourceRange& block, SettingValues& out,
                         std::map<std::string, SourceRange>* given, Diagnostics& diags,
                         Diagnostics& of_values) {
  const size_t errors = diags.error_count();
  const size_t value_errors = of_values.error_count();
  const Value decoded =
      evaluator_.DecodeBody(loaded_.config->root(), backend::SchemaOf(spec_), body,
                            {"backend." + std::string(spec_.type), block}, diags, of_values);
  if (diags.error_count() != errors || !CheckSecrets(decoded, block, diags)) {
    return false;
  }
  bool good = of_values.error_count() == value_errors;
  if (good && !decoded.IsWhollyKnown()) {
    of_values.Error("Unknown values within backend definition",
                    "A backend block may have only values that are known before anything runs.");
    good = false;
  }
  const Value values = decoded.UnmarkDeep();
  for (auto& [name, range] : NamesIn(body, spec_)) {
    const Value* value = values.type().is_object() ? values.Find(name) : nullptr;
    if (value != nullptr && value->IsWhollyKnown()) {
      out.insert_or_assign(name, *value);
    }
    if (given != nullptr && range != SourceRange()) {
      given->insert_or_assign(name, range);
    }
  }
  return good;
}

const hcl::Body* SettingReader::ReadFile(const std::string& path, Diagnostics& diags) {
  auto text = kinu::ReadFile(path);
  if (!text) {
    diags.Error("Failed to read file", "The file \"" + CleanPath(path) + "\" could not be read.");
    return nullptr;
  }
  const size_t errors = diags.error_count();
  Ref<const SourceFile> file = SourceFile::Make(path, *std::move(text));
  hcl::SyntaxTree& tree = *loaded_.inputs.tree;
  tree.KeepSource(file);
  const hcl::Body* body = path.ends_with(".json") ? hcl::ParseJson(file.get(), tree, diags)
                                                  : hcl::ParseNative(file.get(), tree, diags);
  if (body != nullptr && diags.error_count() == errors) {
    (void)SettingsIn(*body, spec_, hcl::Strictness::kExact, diags);
  }
  return diags.error_count() == errors ? body : nullptr;
}

const hcl::Body* SettingReader::ReadArgument(const std::string& name, const std::string& text,
                                             Diagnostics& diags) {
  const std::string subject =
      "The backend configuration argument \"" + name + "\" given on the command line";
  const Setting* setting = spec_.Find(name);
  if (setting == nullptr || setting->is_block()) {
    diags.Error("Invalid backend configuration argument",
                subject + " is not expected for the selected backend type.");
    return nullptr;
  }
  Value given = Value::String(text);
  hcl::SyntaxTree& tree = *loaded_.inputs.tree;
  const bool expression = setting->type > backend::SettingType::kNumber;
  if (expression) {
    const size_t errors = diags.error_count();
    const SourceFile* file = tree.KeepSource(
        SourceFile::Make("-backend-config=" + text::GoQuote(name + '=' + text), text));
    const hcl::Expr* expr = hcl::ParseExpression(file, tree, diags);
    if (expr != nullptr && diags.error_count() == errors) {
      given = config::EvaluateConstant(*expr, diags);
    }
    if (diags.error_count() != errors) {
      return nullptr;
    }
  }
  // Values of other types are converted with those of the block.
  auto value = expression ? ValueResult<Value>(given) : Convert(given, setting->value_type());
  if (!value) {
    diags.Error("Invalid backend configuration value",
                subject + ": " + value.error().ToText() + ".");
    return nullptr;
  }
  hcl::Attribute attribute;
  attribute.name = setting->name;
  const SourceFile* place = tree.KeepSource(SourceFile::Make("-backend-config=...", ""));
  attribute.expr = tree.New<hcl::LiteralExpr>(hcl::ExprKind::kLiteral, SourceRange{.file = place},
                                              tree.Keep(*std::move(value)));
  return &given_.emplace_back(std::vector{attribute});
}

const hcl::Body* SettingReader::Overridden(const hcl::Body& body,
                                           const std::vector<std::string>& overrides,
                                           Diagnostics& diags) {
  const size_t errors = diags.error_count();
  const hcl::Body* merged = &body;
  for (const std::string& item : overrides) {
    // One empty value says only that the command line counts.
    if (item.empty() && overrides.size() == 1) {
      continue;
    }
    const size_t equals = item.find('=');
    const hcl::Body* over =
        equals == std::string::npos
            ? ReadFile(item, diags)
            : ReadArgument(item.substr(0, equals), item.substr(equals + 1), diags);
    if (over != nullptr) {
      merged = &overridden_.emplace_back(merged, over);
    }
  }
  return diags.error_count() == errors ? merged : nullptr;
}

std::string InitRequired(const std::string& reason) {
  return "Reason: " + reason +
         Hint(
             "\n\nThe backend is where the state is kept. Its settings take effect when this "
             "directory is initialized: \"tofu init -migrate-state\" moves existing states to "
             "where they should be now, \"tofu init -reconfigure\" takes the new settings and "
             "leaves states where they are.\n\nIf nothing should have changed, look at the "
             "backend block. Nothing has been done to the configuration or to any state.");
}

std::string UnknownBackend(const std::string& type) {
  constexpr std::string_view kRemoved[] = {"artifactory", "etcd", "etcdv3", "manta", "swift"};
  if (type == "cloud") {
    return "There is no explicit backend type named \"cloud\". To configure cloud backend, declare "
           "a 'cloud' block instead.";
  }
  if (std::ranges::find(kRemoved, type) != std::end(kRemoved)) {
    return "The \"" + type + "\" backend is not supported in OpenTofu v1.3 or later.";
  }
  return type == "azure" ? "The \"azure\" backend name has been removed, please use \"azurerm\"."
                         : "There is no backend type named \"" + type + "\".";
}

std::string CloudInitRequired(const std::string& reason) {
  return "Reason: " + reason +
         Hint(
             ".\n\nWhat a \"cloud\" block says takes effect when the directory is initialized. To "
             "do that, run:\n  tofu init");
}

/// Says which difference between configuration and record makes `init` necessary, if there is one.
std::optional<std::string> WhyInitialize(const BackendSettings& settings,
                                         const BackendRecord& record) {
  const bool was_cloud = record.type == backend::kCloudBackend;
  if (settings.is_cloud() != was_cloud) {
    return was_cloud ? "Changed from cloud backend to backend \"" + settings.type + "\""
                     : "Changed from backend \"" + record.type + "\" to cloud backend";
  }
  if (settings.type != record.type) {
    return "Backend type changed from \"" + record.type + "\" to \"" + settings.type + "\"";
  }
  const bool same = settings.hash == record.hash || settings.AreRecorded(record);
  return same ? std::nullopt
              : std::optional<std::string>(was_cloud
                                               ? "Cloud backend configuration block has changed"
                                               : "Backend configuration block has changed");
}

/// Whether configuration and record agree; an error says what to do.
bool Agree(const BackendSettings& settings, const BackendRecord& record, Diagnostics& diags) {
  if (settings.type.empty() && !record.empty()) {
    diags.Error(Hint("Backend initialization required, please run \"tofu init\""),
                InitRequired("Unsetting the previously set backend \"" + record.type + "\""));
    return false;
  }
  const std::string cloud_summary =
      Hint("Cloud backend initialization required: please run \"tofu init\"");
  if (settings.is_cloud() && record.empty()) {
    diags.Error(cloud_summary, CloudInitRequired("Initial configuration of cloud backend"));
    return false;
  }
  if (!settings.type.empty() && record.empty()) {
    diags.Error(
        Hint("Backend initialization required, please run \"tofu init\""),
        InitRequired("Initial configuration of the requested backend \"" + settings.type + "\""));
    return false;
  }
  if (auto why = settings.type.empty() ? std::nullopt : WhyInitialize(settings, record)) {
    diags.Error(settings.is_cloud()
                    ? cloud_summary
                    : Hint("Backend initialization required: please run \"tofu init\""),
                settings.is_cloud() ? CloudInitRequired(*why) : InitRequired(*why));
    return false;
  }
  return true;
}

}  // namespace

std::optional<config::Backend> BackendBlockOf(const config::Module& root) {
  if (root.cloud) {
    return config::Backend{.type = std::string(backend::kCloudBackend),
                           .body = root.cloud->body,
                           .range = root.cloud->range,
                           .type_range = root.cloud->range};
  }
  return root.backend;
}

bool BackendSettings::AreRecorded(const BackendRecord& record) const {
  if (!complete) {
    return false;
  }
  const Result<Value> recorded = record.Settings();
  return recorded && Value::RawEquals(settings, *recorded);
}

std::optional<Value> RecordedSettings(const BackendRecord& record, Diagnostics& diags) {
  if (!IsKnownBackend(record.type, diags)) {
    return std::nullopt;
  }
  Result<Value> settings = record.Settings();
  if (!settings) {
    diags.Error("Failed to decode current backend config",
                Hint("What \"tofu init\" has recorded of the backend cannot be read: ") +
                    settings.error().message +
                    Hint(". Maybe another version wrote it. \"tofu init -reconfigure\" takes the "
                         "settings of the configuration and leaves the states where they are."));
    return std::nullopt;
  }
  return *std::move(settings);
}

bool SaveRecord(const Workspace& workspace, const BackendRecord& record, Diagnostics& diags) {
  if (auto written = WriteBackendRecord(workspace.data_directory, record); !written) {
    diags.Error(TextAsSummary("Error saving the backend configuration: " + written.error().message,
                              "The data directory has to be writable for it."),
                "");
    return false;
  }
  return true;
}

bool IsKnownBackend(const std::string& type, Diagnostics& diags) {
  if (backend::FindBackend(type) != nullptr) {
    return true;
  }
  diags.Error(
      "The backend \"" + type + "\" could not be found.",
      "States are kept in it, as another version has recorded. Use that version, or take the "
      "backend out of the configuration and run \"init -reconfigure\", which leaves the "
      "states where they are.");
  return false;
}

BackendSettings ReadBackendSettings(const Workspace& workspace, const Loaded& loaded,
                                    const std::vector<std::string>& overrides, bool for_init,
                                    Diagnostics& diags) {
  BackendSettings out;
  const config::Module& root = *loaded.config->root().module;
  const std::optional<config::Backend> written = BackendBlockOf(root);
  if (!written) {
    return out;
  }
  const config::Backend& block = *written;
  out.missing = block.body->MissingItemRange();
  // Only a block of its own asks for a cloud.
  const bool reserved = !root.cloud && block.type == backend::kCloudBackend;
  const BackendSpec* spec = reserved ? nullptr : backend::FindBackend(block.type);
  if (reserved && !for_init) {
    // Whether it can be used at all is said once it would be used.
    out.type = block.type;
    out.complete = false;
    return out;
  }
  if (spec == nullptr) {
    diags.Error(for_init ? "Unsupported backend type" : "Invalid backend type",
                UnknownBackend(block.type), block.type_range);
    out.complete = false;
    return out;
  }
  out.type = block.type;
  config::LoadOptions load_options;
  load_options.workspace = workspace.Name();
  load_options.inputs = &loaded.inputs;
  SettingReader reader(loaded, *spec, load_options);
  SettingValues values;
  Diagnostics ignored;
  out.overridden = !overrides.empty();
  // Of a block that is overridden, only the references must be right.
  out.complete = reader.Read(*block.body, block.range, values, &out.given, diags,
                             out.overridden ? ignored : out.problems);
  const Value block_settings = ObjectOf(*spec, values);
  out.hash = HashOf(out.type, block_settings);
  if (out.overridden) {
    const hcl::Body* merged =
        diags.has_errors() ? nullptr : reader.Overridden(*block.body, overrides, diags);
    values.clear();
    std::map<std::string, SourceRange> places;
    out.complete = merged != nullptr &&
                   reader.Read(*merged, block.range, values, &places, diags, out.problems);
    for (auto& [name, place] : out.given) {
      if (const auto found = places.find(name); found != places.end()) {
        place = found->second;
      }
    }
  }
  out.settings = ObjectOf(*spec, values);
  return out;
}

std::string TextAsSummary(std::string_view what, std::string_view explanation) {
  return '\n' + std::string(what) + "\n\n" + std::string(explanation) + '\n';
}

bool AddProblems(const provider::Problems& problems, Diagnostics& diags,
                 const BackendSettings* settings) {
  for (const provider::Problem& problem : problems) {
    SourceRange range = settings == nullptr ? SourceRange() : settings->missing;
    if (problem.sourceless) {
      range = SourceRange();
    } else if (settings != nullptr && problem.attribute && !problem.attribute->empty()) {
      // A part of an object counts as an argument of the block, as in OpenTofu.
      const auto found = settings->given.find(std::string(problem.attribute->steps().back().name));
      range = found == settings->given.end() ? range : found->second;
    }
    Diagnostic diagnostic;
    diagnostic.severity = problem.severity;
    diagnostic.summary = problem.summary;
    diagnostic.detail = problem.detail;
    diagnostic.subject = range;
    diags.Add(std::move(diagnostic));
  }
  return !provider::HasErrors(problems);
}

bool CheckServiceVersion(const ConfiguredBackend& backend, std::string_view workspace, bool go_on,
                         Diagnostics& diags) {
  provider::Problems problems;
  backend.backend->CheckVersion(workspace, go_on, problems);
  return AddProblems(problems, diags);
}

bool RequireLocalRuns(const ConfiguredBackend& backend, std::string_view workspace,
                      Diagnostics& diags) {
  const Result<bool> remotely = backend.backend->RunsRemotely(workspace);
  if (remotely && !*remotely) {
    return true;
  }
  if (!remotely) {
    diags.Error(remotely.error().message, "");
  } else {
    diags.Error("Applying a saved plan is currently not supported",
                "The workspace \"" + std::string(workspace) +
                    "\" is set to run plans in its service, which takes no saved plan. With "
                    "TF_FORCE_LOCAL_BACKEND=1 it is carried out here; the state stays in the "
                    "service.");
  }
  return false;
}

std::optional<ConfiguredBackend> ConfigureWithWarnings(const Workspace& workspace,
                                                       const std::string& type, const Value& values,
                                                       const backend::StateFlags& flags,
                                                       Diagnostics& diags,
                                                       const BackendSettings* settings) {
  const BackendSpec& spec = *backend::FindBackend(type);
  provider::Problems problems;
  ConfiguredBackend out{type, backend::SettingsObject(spec, values),
                        backend::MakeBackend(spec, values, flags, problems, HostsOf(workspace))};
  return AddProblems(problems, diags, settings) ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<ConfiguredBackend> Configure(const Workspace& workspace, const std::string& type,
                                           const Value& values, const backend::StateFlags& flags,
                                           Diagnostics& diags, const BackendSettings* settings) {
  Diagnostics found;
  auto out = ConfigureWithWarnings(workspace, type, values, flags, found, settings);
  if (!out) {
    diags.Append(std::move(found));
  }
  return out;
}

/// What `init` recorded.
static std::optional<BackendRecord> ReadRecord(const Workspace& workspace, Diagnostics& diags) {
  auto record = ReadBackendRecord(workspace.data_directory);
  if (record) {
    return *std::move(record);
  }
  diags.Error(UnreadRecord(workspace.data_directory, record.error()), "");
  return std::nullopt;
}

ConfiguredBackend ImpliedBackend(const backend::StateFlags& flags) {
  const BackendSpec& spec = *backend::FindBackend(backend::kImpliedBackend);
  provider::Problems none;
  const Value settings = backend::SettingsObject(spec, Value::EmptyObject());
  return {std::string(spec.type), settings, backend::MakeBackend(spec, settings, flags, none)};
}

/// The backend of a record: the implied one if it is empty.
static std::optional<ConfiguredBackend> ConfigureRecorded(const Workspace& workspace,
                                                          const BackendRecord& record,
                                                          const backend::StateFlags& flags,
                                                          Diagnostics& diags) {
  if (record.empty()) {
    return ImpliedBackend(flags);
  }
  const std::optional<Value> settings = RecordedSettings(record, diags);
  return settings ? Configure(workspace, record.type, *settings, flags, diags) : std::nullopt;
}

/// The same after its encryption, whose warnings are in `diags`.
static std::optional<ConfiguredBackend> AgreedBackend(const Workspace& workspace,
                                                      const Loaded& loaded,
                                                      const backend::StateFlags& flags,
                                                      Diagnostics& diags) {
  const size_t errors = diags.error_count();
  const BackendSettings settings = ReadBackendSettings(workspace, loaded, {}, false, diags);
  auto record = ReadRecord(workspace, diags);
  if (diags.error_count() != errors || !Agree(settings, *record, diags)) {
    return std::nullopt;
  }
  auto out = ConfigureRecorded(workspace, *record, flags, diags);
  if (out && !record->empty() && settings.hash != record->hash) {
    // Settings moved between the block and the command line, and all together are the same.
    record->hash = settings.hash;
    (void)SaveRecord(workspace, *record, diags);
  }
  // Whoever uses a backend may run providers: a lock file that cannot be read and packages that
  // are not there end it here.
  const auto providers = ProviderSet::Open(workspace, diags);
  if (diags.error_count() == errors) {
    providers->RequirePackages(ProviderSet::Missing::kAdvice, diags);
  }
  return diags.error_count() == errors ? std::move(out) : std::nullopt;
}

std::optional<ConfiguredBackend> ChooseBackend(const Workspace& workspace, const Loaded& loaded,
                                               const backend::StateFlags& flags, Diagnostics& diags,
                                               BackendWarnings warnings) {
  // The reference looks at the encryption first: what it warns of stands before other errors.
  const auto encryption = SetUpEncryption(workspace, loaded, diags);
  return encryption ? ChooseBackend(workspace, loaded, *encryption, flags, diags, warnings)
                    : std::nullopt;
}

std::optional<ConfiguredBackend> ChooseBackend(const Workspace& workspace, const Loaded& loaded,
                                               const EncryptionRef& encryption,
                                               const backend::StateFlags& flags, Diagnostics& diags,
                                               BackendWarnings warnings) {
  const trace::Span span("kinu/session", "Initialize Backend");
  auto out = AgreedBackend(workspace, loaded, flags, diags);
  if (!out) {
    if (warnings == BackendWarnings::kLeftOut) {
      std::erase_if(diags.list(), [](const Diagnostic& problem) { return !problem.is_error(); });
    }
    return std::nullopt;
  }
  out->Prepare(workspace, encryption);
  return out;
}

std::optional<ConfiguredBackend> ChooseBackend(const Workspace& workspace,
                                               std::span<const config::VariableArgument> arguments,
                                               const backend::StateFlags& flags, Diagnostics& diags,
                                               BackendWarnings warnings) {
  const Loaded loaded = LoadForBackend(workspace, {.variables = arguments}, diags);
  return diags.has_errors() ? std::nullopt
                            : ChooseBackend(workspace, loaded, flags, diags, warnings);
}

std::optional<ConfiguredBackend> PlannedBackend(const Workspace& workspace,
                                                const plan::BackendRecord& record,
                                                const backend::StateFlags& flags,
                                                Diagnostics& diags) {
  if (!IsKnownBackend(record.type, diags)) {
    return std::nullopt;
  }
  return ConfigureWithWarnings(workspace, record.type, record.config, flags, diags);
}

std::optional<ConfiguredBackend> RecordedBackend(const Workspace& workspace, Diagnostics& diags) {
  const auto record = ReadRecord(workspace, diags);
  if (!record) {
    return std::nullopt;
  }
  return ConfigureRecorded(workspace, *record, {}, diags);
}

std::vector<std::string> WorkspaceNames(const Workspace& workspace) {
  Diagnostics diags;
  const Loaded root = Load(workspace, {.intent = LoadIntent::kBackend}, diags);
  if (diags.has_errors()) {
    return {};
  }
  const BackendSettings settings = ReadBackendSettings(workspace, root, {}, false, diags);
  if (diags.has_errors()) {
    return {};
  }
  auto chosen = settings.type.empty()
                    ? ImpliedBackend()
                    : Configure(workspace, settings.type, settings.settings, {}, diags);
  return chosen ? chosen->backend->Workspaces().value_or(std::vector<std::string>())
                : std::vector<std::string>();
}

}  // namespace kinu::session
