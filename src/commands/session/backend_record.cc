#include "session/backend_record.h"

#include <cstdlib>

#include "backend/backend.h"
#include "base/environment.h"
#include "base/files.h"
#include "compatibility/features.h"
#include "cty/json.h"
#include "json/reader.h"
#include "json/writer.h"

namespace kinu::session {
namespace {

std::string RecordPath(const std::string& data_directory) {
  return JoinPath(data_directory, "terraform.tfstate");
}

}  // namespace

Value BackendRecord::Settings() const {
  const backend::BackendSpec* spec = backend::FindBackend(type);
  if (spec == nullptr) {
    return Value::EmptyObject();
  }
  const JsonDocument document = ParseJson(config_json);
  const schema::Block& block = backend::SchemaOf(*spec);
  std::vector<std::pair<std::string, Value>> given;
  for (const JsonMember& member :
       document.ok() ? document.root().members() : std::span<const JsonMember>()) {
    const int at = block.implied_type().FindAttribute(member.name);
    if (at < 0) {
      continue;
    }
    auto value = ValueFromJson(member.value,
                               block.implied_type().attributes()[static_cast<size_t>(at)].type);
    if (value) {
      given.emplace_back(std::string(member.name), *std::move(value));
    }
  }
  return backend::SettingsObject(*spec, Value::Object(std::move(given)));
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
  if (!document.ok()) {
    return Fail(ErrorCode::kInvalid,
                "decoding CLI state file version failed: unexpected end of JSON input");
  }
  if (const JsonNode* version = document.root().Find("version");
      version != nullptr && version->is_number() && version->text() != "3") {
    if (compatibility::Has(compatibility::Feature::kBackendRecordErrors) &&
        !Environment("TF_DATA_DIR").empty() && text->contains("\"terraform_version\"")) {
      return Fail(ErrorCode::kUnsupported,
                  "found a resource state file (version " + std::string(version->text()) +
                      ") where a backend configuration cache file was expected; if TF_DATA_DIR is "
                      "set, ensure it does not point to a directory containing your main "
                      "terraform.tfstate resource state file");
    }
    return Fail(ErrorCode::kUnsupported, "opentofu " + std::string(compatibility::Release()) +
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
