// Keys from a program.
#include "codec/base64.h"
#include "encryption/external_program.h"
#include "encryption/key_provider.h"
#include "json/reader.h"

namespace kinu::encryption {
namespace {

constexpr ProgramProtocol kKeysProtocol = {"OpenTofu-External-Key-Provider",
                                           "external key provider"};

Result<std::string> KeyIn(const JsonNode& keys, std::string_view name) {
  const JsonNode* key = keys.Find(name);
  if (key == nullptr || key->is_null()) {
    return std::string();
  }
  if (!key->is_string()) {
    return Fail(ErrorCode::kInvalid, std::string(name) + " is no text");
  }
  return DecodeBase64(key->text());
}

/// Members of an object that are not among these.
bool HasOthers(const JsonNode& object, std::initializer_list<std::string_view> names,
               std::string& other) {
  for (const JsonMember& member : object.members()) {
    if (std::find(names.begin(), names.end(), member.name) == names.end()) {
      other = member.name;
      return true;
    }
  }
  return false;
}

Result<Provided> ReadAnswer(const std::string& text) {
  const JsonDocument document = ParseJson(text);
  const JsonNode& root = document.root();
  if (text.empty()) {
    return Fail(ErrorCode::kInvalid, "EOF");
  }
  if (!document.ok()) {
    return Fail(ErrorCode::kInvalid, document.problems()[0].message);
  }
  if (!root.is_object()) {
    return Fail(ErrorCode::kInvalid, "it is no object");
  }
  std::string other;
  const JsonNode* keys = root.Find("keys");
  const JsonNode* meta = root.Find("meta");
  const bool has_keys = keys != nullptr && keys->is_object();
  const bool has_meta = meta != nullptr && meta->is_object();
  if (HasOthers(root, {"keys", "meta"}, other) ||
      (has_keys && HasOthers(*keys, {"encryption_key", "decryption_key"}, other)) ||
      (has_meta && HasOthers(*meta, {"external_data"}, other))) {
    return Fail(ErrorCode::kInvalid, "json: unknown field \"" + other + "\"");
  }
  Provided out;
  if (has_keys) {
    KINU_TRY(out.keys.encryption, KeyIn(*keys, "encryption_key"));
    KINU_TRY(out.keys.decryption, KeyIn(*keys, "decryption_key"));
  }
  const JsonNode* data = has_meta ? meta->Find("external_data") : nullptr;
  out.metadata =
      "{\"external_data\":" +
      (data == nullptr ? "null" : text.substr(data->begin(), data->end() - data->begin())) + "}";
  return out;
}

Result<Provided> ProvideExternalKeys(const config::PartValues& values,
                                     const std::string* metadata) {
  const std::vector<std::string> command = TextsArgument(values, "command");
  if (command.empty()) {
    return Fail(ErrorCode::kInvalid, "the command option is required");
  }
  if (metadata != nullptr && !ParseJson(*metadata).ok()) {
    return Fail(ErrorCode::kUnsupported, "it is no JSON");
  }
  auto failed = [](const std::string& message, const std::string& errors) {
    return Fail(ErrorCode::kUnavailable, message + "\n\nStderr:\n-------\n" + errors);
  };
  if (command[0].empty()) {
    return failed("the first entry of command must not be empty", "");
  }
  const auto answer = AskProgram(command, kKeysProtocol, metadata == nullptr ? "null" : *metadata);
  if (!answer) {
    const ProgramFailure& failure = answer.error();
    switch (failure.kind) {
      case ProgramFailure::Kind::kHeader:
        return Fail(ErrorCode::kUnavailable,
                    "external key provider protocol failure: " + failure.reason);
      case ProgramFailure::Kind::kExit:
        return failed(
            "the external command exited with a non-zero exit code (" + failure.reason + ")",
            failure.errors);
      case ProgramFailure::Kind::kStart:
        return failed("the external command exited with an error (" + failure.reason + ")",
                      failure.errors);
    }
  }
  Result<Provided> out = ReadAnswer(answer->document);
  return out ? out
             : failed("the external command returned an invalid JSON response (" +
                          out.error().message + ")",
                      answer->errors);
}

}  // namespace

constexpr KeyProviderSpec kExternalKeys{.type = "external", .provide = ProvideExternalKeys};

}  // namespace kinu::encryption
