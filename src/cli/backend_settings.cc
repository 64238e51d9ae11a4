#include "cli/backend_settings.h"

#include <algorithm>

#include "base/files.h"
#include "codec/deflate.h"
#include "codec/json_reader.h"
#include "codec/json_writer.h"
#include "config/static_value.h"
#include "cty/convert.h"
#include "cty/value_node.h"
#include "hcl/parse.h"

namespace kinu::cli {
namespace {

constexpr std::string_view kLocalSettings[] = {"path", "workspace_dir"};
/// Backends of the reference that store states elsewhere.
constexpr std::string_view kRemoteTypes[] = {
    "azurerm", "consul", "cos", "gcs", "http", "inmem", "kubernetes", "oss", "pg", "remote", "s3"};

std::string RecordPath(const std::string& data_directory) {
  return JoinPath(data_directory, "terraform.tfstate");
}

Value ToObject(const BackendValues& values) {
  std::vector<std::pair<std::string, Value>> attributes;
  for (std::string_view name : kLocalSettings) {
    auto found = values.find(name);
    bool given = found != values.end() && found->second.has_value();
    attributes.emplace_back(name,
                            given ? Value::String(*found->second) : Value::Null(Type::String()));
  }
  return Value::Object(std::move(attributes));
}

/// Ref: configs.Backend.Hash, cty.Value.Hash.
uint64_t HashOf(const std::string& type, const BackendValues& values) {
  std::string bytes;
  AppendSetHash(bytes, Value::Tuple({Value::String(type), ToObject(values)}));
  return Crc32(bytes);
}

/// Reads one expression into a setting. False when it is wrong.
class SettingReader {
 public:
  SettingReader(const Loaded& loaded, const config::LoadOptions& options)
      : loaded_(loaded), evaluator_(*loaded.program, options, ".") {}

  bool Read(const hcl::Attribute& attribute, const SourceRange& block,
            std::optional<std::string>& out, Diagnostics& diags) {
    size_t errors = diags.error_count();
    Value value = evaluator_.Evaluate(loaded_.config->root(), *attribute.expr,
                                      {"backend.local", block}, diags);
    if (diags.error_count() != errors) {
      return false;
    }
    for (auto [secret, what] : {std::pair(value.MarksDeep().sensitive(), "sensitive"),
                                std::pair(value.MarksDeep().ephemeral(), "ephemeral")}) {
      if (secret) {
        diags.Error("Backend config contains " + std::string(what) + " values",
                    "What the backend block says is kept in the data directory and in plan files. "
                    "Give secrets through environment variables of the backend instead.",
                    block);
        return false;
      }
    }
    auto text = Convert(value, Type::String());
    if (!text || !text->IsKnown()) {
      diags.Error("Incorrect attribute value type",
                  "Inappropriate value for attribute \"" + std::string(attribute.name) +
                      "\": string required.",
                  attribute.expr->range());
      return false;
    }
    out = text->IsNull() ? std::nullopt : std::optional<std::string>(text->AsString());
    return true;
  }

 private:
  const Loaded& loaded_;
  config::StaticEvaluator evaluator_;
};

bool IsLocalSetting(std::string_view name) {
  return std::find(std::begin(kLocalSettings), std::end(kLocalSettings), name) !=
         std::end(kLocalSettings);
}

/// Reads a file of -backend-config: attributes, in either syntax.
void ReadSettingsFile(const std::string& path, const Loaded& loaded, SettingReader& reader,
                      BackendValues& values, Diagnostics& diags) {
  auto text = ReadFile(path);
  if (!text) {
    diags.Error("Failed to read file", "The file \"" + path + "\" could not be read.");
    return;
  }
  Ref<const SourceFile> file = SourceFile::Make(path, *std::move(text));
  hcl::SyntaxTree& tree = *loaded.inputs.tree;
  tree.KeepSource(file);
  const hcl::Body* body = nullptr;
  if (path.ends_with(".json")) {
    body = hcl::ParseJson(file.get(), tree, diags);
  } else {
    body = hcl::ParseNative(file.get(), tree, diags);
  }
  if (body == nullptr || diags.has_errors()) {
    return;
  }
  static constexpr hcl::AttributeSchema kAttributes[] = {{"path"}, {"workspace_dir"}};
  hcl::BodyContent content =
      body->Content({.attributes = kAttributes}, hcl::Strictness::kExact, diags);
  for (const hcl::Attribute& attribute : content.attributes) {
    reader.Read(attribute, attribute.range, values[std::string(attribute.name)], diags);
  }
}

void ReadOverrides(const std::vector<std::string>& overrides, const Loaded& loaded,
                   SettingReader& reader, BackendSettings& out, Diagnostics& diags) {
  for (const std::string& item : overrides) {
    // One empty value says only that the command line counts.
    out.overridden = true;
    if (item.empty() && overrides.size() == 1) {
      continue;
    }
    size_t equals = item.find('=');
    if (equals == std::string::npos) {
      ReadSettingsFile(item, loaded, reader, out.values, diags);
      continue;
    }
    std::string name = item.substr(0, equals);
    if (!IsLocalSetting(name)) {
      diags.Error("Invalid backend configuration argument",
                  "The backend configuration argument \"" + name +
                      "\" given on the command line is not expected for the selected backend "
                      "type.");
      continue;
    }
    out.values[name] = item.substr(equals + 1);
  }
}

std::string InitRequired(const std::string& reason) {
  return "Reason: " + reason +
         "\n\nThe backend is where the state is kept. Its settings take effect when this "
         "directory is initialized: \"tofu init -migrate-state\" moves existing states to where "
         "they should be now, \"tofu init -reconfigure\" takes the new settings and leaves states "
         "where they are.\n\nIf nothing should have changed, look at the backend block. Nothing "
         "has been done to the configuration or to any state.";
}

}  // namespace

BackendValues BackendRecord::Values() const {
  BackendValues out;
  const JsonDocument document = ParseJson(config_json);
  for (std::string_view name : kLocalSettings) {
    const JsonNode* node = document.ok() ? document.root().Find(name) : nullptr;
    bool given = node != nullptr && node->is_string();
    out[std::string(name)] = given ? std::optional<std::string>(node->text()) : std::nullopt;
  }
  return out;
}

Result<BackendRecord> ReadBackendRecord(const std::string& data_directory) {
  BackendRecord record;
  auto text = ReadFile(RecordPath(data_directory));
  if (!text) {
    if (text.error().code == ErrorCode::kNotFound) {
      return record;
    }
    return std::unexpected(text.error());
  }
  if (text->empty()) {
    return record;
  }
  const JsonDocument document = ParseJson(*text);
  if (!document.ok()) {
    return Fail(ErrorCode::kInvalid,
                "decoding CLI state file version failed: unexpected end of JSON input");
  }
  if (const JsonNode* version = document.root().Find("version");
      version != nullptr && version->is_number() && version->text() != "3") {
    return Fail(ErrorCode::kUnsupported, "opentofu " + std::string(kCompatibleVersion) +
                                             " does not support CLI state version " +
                                             std::string(version->text()) + ", please update");
  }
  const JsonNode* backend = document.root().Find("backend");
  if (backend == nullptr) {
    return record;
  }
  if (const JsonNode* type = backend->Find("type"); type != nullptr && type->is_string()) {
    record.type = type->text();
  }
  if (const JsonNode* hash = backend->Find("hash"); hash != nullptr && hash->is_number()) {
    record.hash = std::strtoull(std::string(hash->text()).c_str(), nullptr, 10);
  }
  if (const JsonNode* config = backend->Find("config"); config != nullptr && config->is_object()) {
    JsonWriter writer(record.config_json);
    writer.BeginObject();
    for (const JsonMember& member : config->members()) {
      if (member.value.is_string()) {
        writer.Member(member.name, std::string_view(member.value.text()));
      } else if (member.value.is_null()) {
        writer.Key(member.name);
        writer.Null();
      }
    }
    writer.EndObject();
  }
  return record;
}

Result<void> WriteBackendRecord(const std::string& data_directory, const BackendRecord& record) {
  std::string text;
  JsonWriter writer(text, {.indent = "    "});
  writer.BeginObject();
  writer.Member("version", 3);
  if (!record.empty()) {
    writer.Key("backend");
    writer.BeginObject();
    writer.Member("type", record.type);
    writer.Key("config");
    writer.Embed(record.config_json);
    writer.Key("hash");
    writer.Uint(record.hash);
    writer.EndObject();
  }
  writer.EndObject();
  text += '\n';
  if (auto made = MakeDirectories(data_directory); !made) {
    return made;
  }
  return ReplaceFile(RecordPath(data_directory), text, 0644);
}

BackendRecord BackendSettings::ToRecord() const {
  BackendRecord record;
  record.type = type;
  record.hash = hash;
  JsonWriter writer(record.config_json);
  writer.BeginObject();
  for (const auto& [name, value] : values) {
    writer.Key(name);
    if (value) {
      writer.String(*value);
    } else {
      writer.Null();
    }
  }
  writer.EndObject();
  return record;
}

bool IsRemoteBackend(std::string_view type) {
  return std::find(std::begin(kRemoteTypes), std::end(kRemoteTypes), type) !=
         std::end(kRemoteTypes);
}

namespace {

std::string NotBuilt(const std::string& type) {
  return "This version keeps states in local files only: the backend \"" + type +
         "\" is not built yet.";
}

std::string UnknownBackend(const std::string& type) {
  constexpr std::string_view kRemoved[] = {"artifactory", "etcd", "etcdv3", "manta", "swift"};
  if (std::ranges::find(kRemoved, type) != std::end(kRemoved)) {
    return "The \"" + type + "\" backend is not supported in OpenTofu v1.3 or later.";
  }
  return type == "azure" ? "The \"azure\" backend name has been removed, please use \"azurerm\"."
                         : "There is no backend type named \"" + type + "\".";
}

}  // namespace

BackendSettings ReadBackendSettings(const Invocation& invocation, const Loaded& loaded,
                                    const std::vector<std::string>& overrides, bool for_init,
                                    Diagnostics& diags) {
  BackendSettings out;
  const config::Module& root = *loaded.config->root().module;
  if (!root.backend) {
    return out;
  }
  const config::Backend& block = *root.backend;
  out.range = block.range;
  if (IsRemoteBackend(block.type) && !for_init) {
    // Whether it can be used at all is said once it would be used.
    out.type = block.type;
    out.complete = false;
    return out;
  }
  if (block.type != "local") {
    const bool known = IsRemoteBackend(block.type);
    diags.Error(
        known || for_init ? "Unsupported backend type" : "Invalid backend type",
        known ? NotBuilt(block.type)
        : block.type == "cloud"
            ? std::string("There is no explicit backend type named \"cloud\". To configure cloud "
                          "backend, declare a 'cloud' block instead.")
            : UnknownBackend(block.type),
        block.type_range);
    out.complete = false;
    return out;
  }
  out.type = block.type;
  for (std::string_view name : kLocalSettings) {
    out.values[std::string(name)] = std::nullopt;
  }
  config::LoadOptions load_options;
  load_options.workspace = WorkspaceOf(invocation);
  load_options.inputs = &loaded.inputs;
  SettingReader reader(loaded, load_options);
  static constexpr hcl::AttributeSchema kAttributes[] = {{"path"}, {"workspace_dir"}};
  Diagnostics content_diags;
  hcl::BodyContent content =
      block.body->Content({.attributes = kAttributes}, hcl::Strictness::kExact, content_diags);
  out.complete = !content_diags.has_errors();
  if (for_init) {
    diags.Append(std::move(content_diags));
  }
  for (const hcl::Attribute& attribute : content.attributes) {
    std::optional<std::string>& value = out.values[std::string(attribute.name)];
    out.complete &= reader.Read(attribute, block.range, value, diags);
    if (for_init && value && value->empty()) {
      diags.Error(attribute.name == "path" ? "Invalid local state file path"
                                           : "Invalid local workspace directory path",
                  "The \"" + std::string(attribute.name) + "\" attribute value must not be empty.",
                  attribute.expr->range());
      out.complete = false;
    }
  }
  out.hash = HashOf(out.type, out.values);
  size_t errors = diags.error_count();
  ReadOverrides(overrides, loaded, reader, out, diags);
  out.complete &= diags.error_count() == errors;
  return out;
}

namespace {

Loaded LoadRoot(const Invocation& invocation, std::span<const config::VariableArgument> arguments,
                config::LoadOptions options, Diagnostics& diags) {
  Loaded loaded;
  loaded.program = std::make_shared<Program>();
  const size_t errors = diags.error_count();
  loaded.inputs = GatherWorkingInputs(arguments, diags);
  options.workspace = WorkspaceOf(invocation);
  options.inputs = &loaded.inputs;
  // Without the values that it may depend on, nothing is said about a configuration.
  Diagnostics ignored;
  loaded.config =
      LoadKept(loaded.program, ".", options, diags.error_count() == errors ? diags : ignored);
  return loaded;
}

}  // namespace

Loaded LoadRootModule(const Invocation& invocation,
                      std::span<const config::VariableArgument> arguments, Diagnostics& diags,
                      std::string test_directory) {
  return LoadRoot(
      invocation, arguments,
      {.intent = config::LoadIntent::kRootModule, .test_directory = std::move(test_directory)},
      diags);
}

Loaded LoadForBackend(const Invocation& invocation,
                      std::span<const config::VariableArgument> arguments, Diagnostics& diags) {
  return LoadRoot(invocation, arguments, {.intent = config::LoadIntent::kBackend}, diags);
}

namespace {

/// Whether the files of the root module are those that a plan of this version was made of.
bool ArePlanned(const plan::PlanFile& plan) {
  if (!plan.CheckVersion()) {
    return false;
  }
  const auto snapshot = plan.Configuration();
  const auto names = ListDirectory(".");
  if (!snapshot || !names) {
    return false;
  }
  const config::ModuleFiles files = config::ChooseFiles(*names);
  const auto root =
      std::find_if(snapshot->modules.begin(), snapshot->modules.end(),
                   [](const config::SnapshotModule& module) { return module.key.empty(); });
  return root != snapshot->modules.end() &&
         root->files.size() == files.primary.size() + files.overrides.size() &&
         std::all_of(root->files.begin(), root->files.end(), [](const config::SnapshotFile& file) {
           return ReadFile(file.name).value_or("") == file.content;
         });
}

}  // namespace

bool FilesAreRight(const Invocation& invocation,
                   std::span<const config::VariableArgument> arguments, const plan::PlanFile* plan,
                   Diagnostics& diags) {
  Diagnostics found;
  if (plan != nullptr && ArePlanned(*plan)) {
    (void)GatherWorkingInputs(arguments, found);
  } else {
    (void)LoadForBackend(invocation, arguments, found);
  }
  if (!StopsEarly(found)) {
    return true;
  }
  diags.Append(std::move(found));
  return false;
}

bool StopsEarly(const Diagnostics& of_root) {
  return std::any_of(of_root.begin(), of_root.end(), [](const Diagnostic& problem) {
    return problem.severity == Severity::kError && !problem.summary.starts_with("Duplicate ");
  });
}

void ApplyBackendValues(const BackendValues& values, backend::LocalOptions& options) {
  if (auto path = values.find("path"); path != values.end()) {
    options.path = path->second.value_or("");
  }
  if (auto dir = values.find("workspace_dir"); dir != values.end()) {
    options.workspace_dir = dir->second.value_or("");
  }
}

bool PlannedBackend(const plan::BackendRecord& record, backend::LocalOptions& options,
                    Diagnostics& diags) {
  if (record.type != "local") {
    diags.Error("Unsupported backend type", "The plan keeps its state in the backend \"" +
                                                record.type + "\", which is not built yet.");
    return false;
  }
  if (!record.config.IsKnown() || record.config.IsNull() || !record.config.type().is_object()) {
    return true;
  }
  auto text = [&](std::string_view name) {
    const Value* value = record.config.Find(name);
    bool given =
        value != nullptr && value->IsKnown() && !value->IsNull() && value->type() == Type::String();
    return given ? std::string(value->AsString()) : std::string();
  };
  options.path = text("path");
  options.workspace_dir = text("workspace_dir");
  return true;
}

Value PlanBackendConfig(const backend::LocalOptions& options) {
  auto given = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional<std::string>(text);
  };
  return ToObject({{"path", given(options.path)}, {"workspace_dir", given(options.workspace_dir)}});
}

bool ReadBackend(const Invocation& invocation, const Loaded& loaded, backend::LocalOptions& options,
                 Diagnostics& diags) {
  size_t errors = diags.error_count();
  BackendSettings settings = ReadBackendSettings(invocation, loaded, {}, false, diags);
  auto record = ReadBackendRecord(invocation.data_directory);
  if (!record) {
    diags.Error("Failed to load state: " + record.error().message, "");
  }
  if (diags.error_count() != errors) {
    return false;
  }
  if (settings.type.empty() && !record->empty()) {
    diags.Error("Backend initialization required, please run \"tofu init\"",
                InitRequired("Unsetting the previously set backend \"" + record->type + "\""));
    return false;
  }
  if (!settings.type.empty() && record->empty()) {
    diags.Error(
        "Backend initialization required, please run \"tofu init\"",
        InitRequired("Initial configuration of the requested backend \"" + settings.type + "\""));
    return false;
  }
  const std::optional<config::Backend>& block = loaded.config->root().module->backend;
  if (block && settings.type == record->type && IsRemoteBackend(settings.type)) {
    diags.Error("Unsupported backend type", NotBuilt(settings.type), block->type_range);
    return false;
  }
  bool same =
      settings.type == record->type &&
      (settings.hash == record->hash || (settings.complete && settings.values == record->Values()));
  if (!same) {
    diags.Error(
        "Backend initialization required: please run \"tofu init\"",
        InitRequired(settings.type == record->type ? "Backend configuration block has changed"
                                                   : "Backend type changed from \"" + record->type +
                                                         "\" to \"" + settings.type + "\""));
    return false;
  }
  ApplyBackendValues(record->Values(), options);
  // Whoever uses a backend may run providers, so a lock file that cannot be read ends it here.
  Diagnostics lock_diags;
  (void)install::LockFile::Read(std::string(install::kLockFileName), lock_diags);
  AddLockFileError(lock_diags, diags);
  return diags.error_count() == errors;
}

bool BackendOptions(const Invocation& invocation,
                    std::span<const config::VariableArgument> arguments,
                    backend::LocalOptions& options, Diagnostics& diags) {
  Loaded loaded = LoadForBackend(invocation, arguments, diags);
  return !diags.has_errors() && ReadBackend(invocation, loaded, options, diags);
}

}  // namespace kinu::cli
