// Encryption by programs. Ref: opentofu internal/encryption/method/external.
#include <optional>

#include "codec/base64.h"
#include "encryption/external_program.h"
#include "encryption/key_provider.h"
#include "encryption/method.h"
#include "json/reader.h"
#include "json/writer.h"

namespace kinu::encryption {
namespace {

constexpr ProgramProtocol kMethodProtocol = {"OpenTofu-External-Encryption-Method",
                                             "external method"};

std::unexpected<Error> Failure(const std::string& message, const std::string& reason,
                               const std::string& errors) {
  return Fail(ErrorCode::kInvalid,
              message + " (" + reason + ")\n-----\nStderr:\n-------\n" + errors + "\n");
}

Result<std::string> Run(const std::vector<std::string>& command, const std::string* key,
                        std::string_view payload) {
  std::string request;
  JsonWriter json(request);
  json.BeginObject();
  if (key != nullptr && !key->empty()) {
    json.Member("key", EncodeBase64(*key));
  }
  json.Member("payload", EncodeBase64(payload));
  json.EndObject();
  const auto answer = AskProgram(command, kMethodProtocol, std::move(request));
  if (!answer) {
    const ProgramFailure& failure = answer.error();
    constexpr const char* kMessages[] = {
        "external encryption method failure",
        "external encryption method exited with non-zero exit code",
        "external encryption method exited with an error"};
    return Failure(kMessages[static_cast<size_t>(failure.kind)], failure.reason, failure.errors);
  }
  auto invalid = [&](const std::string& reason) {
    return Failure("external encryption method returned an invalid JSON", reason, answer->errors);
  };
  const JsonDocument document = ParseJson(answer->document);
  if (answer->document.empty()) {
    return invalid("EOF");
  }
  if (!document.ok() || !document.root().is_object()) {
    return invalid(document.ok() ? "it is no object" : document.problems()[0].message);
  }
  std::string out;
  for (const JsonMember& member : document.root().members()) {
    if (member.name != "payload") {
      return invalid("json: unknown field \"" + std::string(member.name) + "\"");
    }
    if (member.value.is_string()) {
      Result<std::string> bytes = DecodeBase64(member.value.text());
      if (!bytes) {
        return invalid(bytes.error().message);
      }
      out = *std::move(bytes);
    }
  }
  return out;
}

class External final : public Method {
 public:
  External(std::optional<Keys> keys, std::vector<std::string> encrypt,
           std::vector<std::string> decrypt)
      : keys_(std::move(keys)), encrypt_(std::move(encrypt)), decrypt_(std::move(decrypt)) {}

  Result<std::string> Encrypt(std::string_view bytes) const override {
    Result<std::string> out = Run(encrypt_, keys_ ? &keys_->encryption : nullptr, bytes);
    return out ? std::move(out)
               : Fail(ErrorCode::kInvalid, "encryption failed: " + out.error().message);
  }
  Result<std::string> Decrypt(std::string_view bytes) const override {
    if (keys_ && !keys_->encryption.empty() && keys_->decryption.empty()) {
      return Fail(ErrorCode::kInvalid, "no decryption key available");
    }
    if (bytes.empty()) {
      return Fail(ErrorCode::kInvalid, "decryption failed: Cannot decrypt empty data.");
    }
    Result<std::string> out = Run(decrypt_, keys_ ? &keys_->decryption : nullptr, bytes);
    return out ? std::move(out)
               : Fail(ErrorCode::kInvalid, "decryption failed: " + out.error().message);
  }

 private:
  std::optional<Keys> keys_;
  std::vector<std::string> encrypt_, decrypt_;
};

Result<std::unique_ptr<Method>> MakeExternalMethod(const config::PartValues& values) {
  std::vector<std::string> commands[2];
  constexpr std::string_view kNames[] = {"encrypt_command", "decrypt_command"};
  for (size_t i = 0; i < 2; ++i) {
    commands[i] = TextsArgument(values, kNames[i]);
    if (commands[i].empty()) {
      return Fail(ErrorCode::kInvalid, "invalid method configuration: the " +
                                           std::string(kNames[i]) + " option is required");
    }
    if (commands[i][0].empty()) {
      return Fail(ErrorCode::kInvalid, "invalid method configuration: the first entry of " +
                                           std::string(kNames[i]) + " must not be empty");
    }
  }
  const auto keys = values.arguments.find("keys");
  return std::make_unique<External>(
      keys == values.arguments.end() ? std::nullopt : std::optional(KeysOf(keys->second)),
      std::move(commands[0]), std::move(commands[1]));
}

}  // namespace

constexpr MethodSpec kExternalMethod{.type = "external", .make = MakeExternalMethod};

}  // namespace kinu::encryption
