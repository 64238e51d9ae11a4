#include "encryption/key_service.h"

#include "json/reader.h"
#include "json/writer.h"

namespace kinu::encryption {

Result<Provided> ProvideFrom(KeyService& service, const std::string* metadata) {
  Provided out;
  if (metadata == nullptr) {
    auto made = service.Make();
    if (!made) {
      return Fail(ErrorCode::kUnavailable, "failed to generate key: " + made.error().message);
    }
    out.keys.encryption = std::move(made->key);
    out.metadata = std::move(made->metadata);
    return out;
  }
  // Nothing will be encrypted with this key.
  out.keys.encryption.resize(service.key_size());
  auto opened = service.Open(*metadata);
  if (!opened && opened.error().code == ErrorCode::kUnsupported) {
    return std::unexpected(std::move(opened).error());
  }
  if (!opened) {
    return Fail(ErrorCode::kUnavailable, "failed to decrypt key: " + opened.error().message);
  }
  out.keys.decryption = *std::move(opened);
  return out;
}

std::string OneBase64Member(std::string_view name, std::string_view bytes) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Member(name, std::string_view(EncodeBase64(bytes)));
  json.EndObject();
  return out;
}

Result<std::string> TextMember(const std::string& answer, std::string_view name) {
  const JsonDocument document = ParseJson(answer);
  const JsonNode* text =
      document.ok() && document.root().is_object() ? document.root().Find(name) : nullptr;
  if (text == nullptr || !text->is_string()) {
    return Fail(ErrorCode::kUnavailable,
                "the answer of the service has no \"" + std::string(name) + "\"");
  }
  return std::string(text->text());
}

Result<std::string> Base64Member(const std::string& answer, std::string_view name) {
  KINU_TRY(const std::string text, TextMember(answer, name));
  auto bytes = DecodeBase64(text);
  return bytes ? std::move(bytes)
               : Fail(ErrorCode::kUnavailable,
                      "the \"" + std::string(name) +
                          "\" of the answer is not base64: " + bytes.error().message);
}

Result<std::string> MetadataMember(const std::string& metadata, std::string_view name) {
  const JsonDocument document = ParseJson(metadata);
  const JsonNode& root = document.root();
  if (!document.ok() || !(root.is_object() || root.is_null())) {
    return Fail(ErrorCode::kUnsupported, "it is no JSON object");
  }
  const JsonNode* text = root.is_object() ? root.Find(name) : nullptr;
  if (text == nullptr || text->is_null()) {
    return std::string();
  }
  auto bytes = text->is_string()
                   ? DecodeBase64(text->text())
                   : Result<std::string>(Fail(ErrorCode::kUnsupported, "it is no text"));
  return bytes ? std::move(bytes) : Fail(ErrorCode::kUnsupported, bytes.error().message);
}

std::string ErrorMessageIn(const std::string& body) {
  const JsonDocument document = ParseJson(body);
  const JsonNode* error =
      document.ok() && document.root().is_object() ? document.root().Find("error") : nullptr;
  const JsonNode* message =
      error != nullptr && error->is_object() ? error->Find("message") : nullptr;
  return message != nullptr && message->is_string() ? ": " + std::string(message->text())
                                                    : std::string();
}

}  // namespace kinu::encryption
