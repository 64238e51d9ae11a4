#include "session/backend_record.h"

#include <cstdlib>

#include "backend/backend.h"
#include "base/environment.h"
#include "base/files.h"
#include "compatibility/features.h"
#include "cty/json.h"
#include "json/expected.h"
#include "json/reader.h"
#include "json/writer.h"

namespace kinu::session {
namespace {

using json::Expected;

std::string RecordPath(const std::string& data_directory) {
  return JoinPath(data_directory, "terraform.tfstate");
}

constexpr Expected::Member kVersionedMembers[] = {{"version", &json::kExpectedInt}};
constexpr Expected kVersioned{.type = Expected::Type::kObject,
                              .name = "clistate.jsonVersionOnly",
                              .members = kVersionedMembers};
constexpr Expected::Member kRecordMembers[] = {{"type", &json::kExpectedText},
                                               {"config", &json::kExpectedAny},
                                               {"hash", &json::kExpectedUint64}};
constexpr Expected kRecord{
    .type = Expected::Type::kObject, .name = "clistate.BackendState", .members = kRecordMembers};
constexpr Expected::Member kRecordFileMembers[] = {{"backend", &kRecord}};
constexpr Expected kRecordFile{
    .type = Expected::Type::kObject, .name = "clistate.CLIState", .members = kRecordFileMembers};

/// Whether the text is of the version that is written here; without one it is of version 0.
Result<void> CheckVersion(const std::string& text, const JsonNode& root) {
  const JsonNode* member = json::FindInAnyCase(root, "version");
  const std::string version(member != nullptr && member->is_number() ? member->text() : "0");
  if (version == "3") {
    return {};
  }
  if (compatibility::Has(compatibility::Feature::kBackendRecordErrors) &&
      !Environment("TF_DATA_DIR").empty() && text.contains("\"terraform_version\"")) {
    return Fail(ErrorCode::kUnsupported,
                "found a resource state file (version " + version +
                    ") where a backend configuration cache file was expected; if TF_DATA_DIR is "
                    "set, ensure it does not point to a directory containing your main "
                    "terraform.tfstate resource state file");
  }
  return Fail(ErrorCode::kUnsupported, "opentofu " + std::string(compatibility::Release()) +
                                           " does not support CLI state version " + version +
                                           ", please update");
}

}  // namespace

Result<Value> BackendRecord::Settings() const {
  const backend::BackendSpec* spec = backend::FindBackend(type);
  if (spec == nullptr) {
    return Fail(ErrorCode::kUnsupported, "there is no backend \"" + type + "\"");
  }
  if (config_json.empty()) {
    return backend::SettingsObject(*spec, Value::EmptyObject());
  }
  const ValueResult<Value> given =
      ValueFromJson(config_json, backend::SchemaOf(*spec).implied_type());
  if (!given) {
    return Fail(ErrorCode::kInvalid, given.error().ToText());
  }
  return backend::SettingsObject(*spec, *given);
}

BackendRecord MakeBackendRecord(const std::string& type, const Value& settings, uint64_t hash) {
  BackendRecord record;
  record.type = type;
  record.hash = hash;
  JsonWriter writer(record.config_json);
  // Settings are known and unmarked.
  (void)WriteSimpleJson(writer, settings);
  return record;
}

std::string UnreadRecord(const std::string& data_directory, const Error& error) {
  return (compatibility::Has(compatibility::Feature::kBackendRecordErrors)
              ? "Failed to load backend configuration from " + RecordPath(data_directory)
              : std::string("Failed to load state")) +
         ": " + error.message;
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
  if (std::string problem = json::ProblemOf(*text, document, kVersioned); !problem.empty()) {
    return Fail(ErrorCode::kInvalid, "decoding CLI state file version failed: " + problem);
  }
  if (Result<void> checked = CheckVersion(*text, document.root()); !checked) {
    return std::unexpected(std::move(checked).error());
  }
  if (std::string problem = json::ProblemOf(*text, document, kRecordFile); !problem.empty()) {
    return Fail(ErrorCode::kInvalid, "decoding CLI state file failed: " + problem);
  }
  const JsonNode* backend = json::FindInAnyCase(document.root(), "backend");
  if (backend == nullptr) {
    return record;
  }
  if (const JsonNode* type = json::FindInAnyCase(*backend, "type")) {
    record.type = type->text();
  }
  if (const JsonNode* hash = json::FindInAnyCase(*backend, "hash")) {
    record.hash = std::strtoull(std::string(hash->text()).c_str(), nullptr, 10);
  }
  if (const JsonNode* config = json::FindInAnyCase(*backend, "config")) {
    record.config_json = text->substr(config->begin(), config->end() - config->begin());
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

}  // namespace kinu::session
