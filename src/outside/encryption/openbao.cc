// Keys of the transit engine of an OpenBao or Vault server. Ref: opentofu
// internal/encryption/keyprovider/openbao; openbao api/client.go.
#include "base/environment.h"
#include "base/files.h"
#include "codec/base64.h"
#include "encryption/key_service.h"
#include "json/reader.h"
#include "json/writer.h"
#include "net/curl_transport.h"
#include "net/url.h"

namespace kinu::encryption {
namespace {

/// The value of BAO_name or VAULT_name; empty: neither is set.
std::string Setting(const std::string& name) {
  const std::string own(Environment(("BAO_" + name).c_str()));
  return own.empty() ? std::string(Environment(("VAULT_" + name).c_str())) : own;
}

bool IsTrue(std::string_view text) {
  return text == "1" || text == "t" || text == "T" || text == "true" || text == "TRUE" ||
         text == "True";
}

std::string PathSegment(std::string_view text) {
  std::string out = net::QueryEscape(text);
  for (size_t at = 0; (at = out.find('+', at)) != out.npos; at += 3) {
    out.replace(at, 1, "%20");
  }
  return out;
}

/// The server, and how it is reached.
struct Server {
  std::string address;
  std::string token;
  std::string engine;  ///< path of the transit engine
  std::string key;
};

Result<net::HttpRequest> MakeRequest(const Server& server, std::string_view operation) {
  net::HttpRequest request;
  request.max_body = kMostOfAnswer;
  request.method = "PUT";
  std::string base = server.address;
  while (base.ends_with('/')) {
    base.pop_back();
  }
  request.url =
      base + "/v1/" + server.engine + "/" + std::string(operation) + "/" + PathSegment(server.key);
  request.headers.Set("Content-Type", "application/json");
  request.headers.Set("X-Vault-Request", "true");
  if (!server.token.empty()) {
    request.headers.Set("X-Vault-Token", server.token);
  }
  if (const std::string space = Setting("NAMESPACE"); !space.empty()) {
    request.headers.Set("X-Vault-Namespace", space);
  }
  if (const std::string file = Setting("CACERT"); !file.empty()) {
    KINU_TRY(request.extra_authorities, ReadFile(file));
  }
  if (const std::string file = Setting("CLIENT_CERT"); !file.empty()) {
    net::ClientCertificate own;
    KINU_TRY(own.certificate, ReadFile(file));
    KINU_TRY(own.key, ReadFile(Setting("CLIENT_KEY")));
    request.client_certificate = std::move(own);
  }
  request.verify_certificates = !IsTrue(Setting("SKIP_VERIFY"));
  request.timeout = std::chrono::seconds(60);
  request.retry = {.retries = 2,
                   .first_wait = std::chrono::milliseconds(1000),
                   .max_wait = std::chrono::milliseconds(1500)};
  return request;
}

/// The messages in the answer to a refused request.
std::string MessagesIn(const std::string& body) {
  const JsonDocument document = ParseJson(body);
  const JsonNode* errors =
      document.ok() && document.root().is_object() ? document.root().Find("errors") : nullptr;
  std::string out;
  for (const JsonNode& error :
       errors != nullptr && errors->is_array() ? errors->elements() : std::span<const JsonNode>()) {
    out += (out.empty() ? ": " : ", ") + std::string(error.text());
  }
  return out;
}

/// The text `wanted` in the data of the answer to a request with one member.
class Answer {
 public:
  static Result<Answer> Ask(net::Transport& transport, const Server& server,
                            std::string_view operation, std::string body) {
    KINU_TRY(net::HttpRequest request, MakeRequest(server, operation));
    request.body = std::move(body);
    const net::HttpClient client(transport);
    KINU_TRY(const net::HttpResponse response, client.Send(request));
    if (!response.ok()) {
      return Fail(ErrorCode::kUnavailable,
                  "PUT " + request.url + ": " + response.StatusText() + MessagesIn(response.body));
    }
    Answer out;
    out.body_ = response.body;
    return out;
  }

  Result<std::string> Text(std::string_view name) const {
    const JsonDocument document = ParseJson(body_);
    const JsonNode* data =
        document.ok() && document.root().is_object() ? document.root().Find("data") : nullptr;
    const JsonNode* text = data != nullptr && data->is_object() ? data->Find(name) : nullptr;
    if (text == nullptr || !text->is_string()) {
      return Fail(ErrorCode::kUnavailable,
                  "the answer of the server has no '" + std::string(name) + "'");
    }
    return std::string(text->text());
  }
  Result<std::string> Plaintext() const {
    KINU_TRY(const std::string text, Text("plaintext"));
    Result<std::string> bytes = DecodeBase64(text);
    return bytes ? std::move(bytes)
                 : Fail(ErrorCode::kUnavailable,
                        "base64 decoding 'plaintext': " + bytes.error().message);
  }

 private:
  std::string body_;
};

Result<std::string> CiphertextIn(const std::string& metadata) {
  const JsonDocument document = ParseJson(metadata);
  const JsonNode& root = document.root();
  if (!document.ok() || !(root.is_object() || root.is_null())) {
    return Fail(ErrorCode::kUnsupported, "it is no JSON object");
  }
  const JsonNode* text = root.is_object() ? root.Find("ciphertext") : nullptr;
  if (text == nullptr || !text->is_string()) {
    return std::string();
  }
  Result<std::string> bytes = DecodeBase64(text->text());
  return bytes ? std::move(bytes) : Fail(ErrorCode::kUnsupported, bytes.error().message);
}

/// The data that the key of metadata was made with, as base64.
std::string AssociatedDataIn(const std::string& metadata) {
  const JsonDocument document = ParseJson(metadata);
  const JsonNode* text = document.ok() && document.root().is_object()
                             ? document.root().Find("associated_data")
                             : nullptr;
  return text != nullptr && text->is_string() ? std::string(text->text()) : std::string();
}

std::unexpected<Error> Failed(std::string_view what, const Error& cause) {
  return Fail(ErrorCode::kUnavailable, "failed to " + std::string(what) +
                                           " (check if the configuration valid and OpenBao server "
                                           "accessible): " +
                                           cause.message);
}

/// An object of one member, and of the data that a key is bound to, if there are any.
std::string MemberWithData(std::string_view name, auto value, const std::string& associated) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Member(name, value);
  if (!associated.empty()) {
    json.Member("associated_data", std::string_view(associated));
  }
  json.EndObject();
  return out;
}

}  // namespace

Result<Provided> ProvideOpenBao(net::Transport& transport, const config::PartValues& values,
                                const std::string* metadata) {
  Server server;
  server.key = TextArgument(values, "key_name").value_or("");
  if (server.key.empty()) {
    return Fail(ErrorCode::kInvalid, "no key name found");
  }
  int64_t length = NumberArgument(values, "key_length").value_or(0);
  length = length == 0 ? 32 : length;
  if (length != 16 && length != 32 && length != 64) {
    return Fail(ErrorCode::kInvalid,
                "invalid key provider configuration: data key length should one of 16, 32 or 64 "
                "bytes: got " +
                    std::to_string(length));
  }
  server.engine = TextArgument(values, "transit_engine_path").value_or("");
  const size_t begin = server.engine.find_first_not_of('/');
  server.engine = begin == std::string::npos ? "transit" : server.engine.substr(begin);
  while (server.engine.ends_with('/')) {
    server.engine.pop_back();
  }
  server.address = TextArgument(values, "address").value_or(Setting("ADDR"));
  if (server.address.empty()) {
    server.address = "https://127.0.0.1:8200";
  }
  server.token = TextArgument(values, "token").value_or("");
  if (server.token.empty()) {
    server.token = Setting("TOKEN");
  }
  const std::string associated = TextArgument(values, "associated_data").value_or("");
  if (const auto bytes = DecodeBase64(associated); !bytes) {
    return Fail(ErrorCode::kInvalid,
                "associated data is not valid base64: " + bytes.error().message);
  }
  Provided out;
  if (metadata == nullptr) {
    const auto made = Answer::Ask(transport, server, "datakey/plaintext",
                                  MemberWithData("bits", length * 8, associated));
    if (!made) {
      return Failed("generate OpenBao data key", made.error());
    }
    const auto plain = made->Plaintext();
    const auto cipher = made->Text("ciphertext");
    if (!plain || !cipher) {
      return Failed("generate OpenBao data key", plain ? cipher.error() : plain.error());
    }
    out.keys.encryption = *plain;
    out.metadata =
        MemberWithData("ciphertext", std::string_view(EncodeBase64(*cipher)), associated);
    return out;
  }
  // Nothing will be encrypted with this key.
  out.keys.encryption.resize(static_cast<size_t>(length));
  KINU_TRY(const std::string ciphertext, CiphertextIn(*metadata));
  if (!ciphertext.empty()) {
    const auto opened = Answer::Ask(
        transport, server, "decrypt",
        MemberWithData("ciphertext", std::string_view(ciphertext), AssociatedDataIn(*metadata)));
    Result<std::string> plain = opened ? opened->Plaintext() : std::unexpected(opened.error());
    if (!plain) {
      return Failed("decrypt ciphertext", plain.error());
    }
    out.keys.decryption = *std::move(plain);
  }
  return out;
}

constexpr KeyProviderSpec kOpenBao{
    .type = "openbao",
    .provide = [](const config::PartValues& values, const std::string* metadata) {
      return ProvideOpenBao(net::CurlTransport(), values, metadata);
    }};

}  // namespace kinu::encryption
