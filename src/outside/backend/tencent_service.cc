#include "backend/tencent_service.h"

#include <ctime>

#include "codec/base64.h"
#include "codec/hash.h"
#include "json/reader.h"

namespace kinu::backend {
namespace {

std::string TencentText(const JsonNode* object, std::string_view name) {
  const JsonNode* value = object != nullptr && object->is_object() ? object->Find(name) : nullptr;
  return value != nullptr && value->is_string() ? std::string(value->text()) : std::string();
}

}  // namespace

void SignTencent(net::HttpRequest& request, const TencentKeys& keys, const std::string& service,
                 const std::string& host, std::chrono::system_clock::time_point time) {
  const std::time_t now = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[20];
  const std::string date(text, std::strftime(text, sizeof text, "%Y-%m-%d", &parts));
  const std::string stamp = std::to_string(now);
  const std::string scope = date + '/' + service + "/tc3_request";
  const std::string canonical =
      request.method + "\n/\n\ncontent-type:" + std::string(request.headers.Get("Content-Type")) +
      "\nhost:" + host + "\n\ncontent-type;host\n" + HexDigest(HashKind::kSha256, request.body);
  std::string key = "TC3" + keys.secret_key;
  for (const std::string& part : {date, service, std::string("tc3_request")}) {
    key = Hmac(HashKind::kSha256, key, part);
  }
  const std::string signature = EncodeHex(Hmac(
      HashKind::kSha256, key,
      "TC3-HMAC-SHA256\n" + stamp + '\n' + scope + '\n' + HexDigest(HashKind::kSha256, canonical)));
  request.headers.Set("X-TC-Timestamp", stamp);
  request.headers.Set("Authorization",
                      "TC3-HMAC-SHA256 Credential=" + keys.secret_id + '/' + scope +
                          ", SignedHeaders=content-type;host, Signature=" + signature);
}

Result<std::string> TencentService::Call(const std::string& operation, std::string body) const {
  const std::string host = name_ + ".tencentcloudapi.com";
  net::HttpRequest request;
  request.method = "POST";
  request.url = "https://" + host + '/';
  request.body = std::move(body);
  request.headers.Set("Content-Type", "application/json");
  request.headers.Set("X-TC-Action", operation);
  request.headers.Set("X-TC-Version", version_);
  request.headers.Set("X-TC-Language", "en-US");
  if (!region_.empty()) {
    request.headers.Set("X-TC-Region", region_);
  }
  if (!keys_.token.empty()) {
    request.headers.Set("X-TC-Token", keys_.token);
  }
  SignTencent(request, keys_, name_, host, std::chrono::system_clock::now());
  request.timeout = std::chrono::seconds(300);
  request.max_redirects = 0;
  auto response = client_.Send(request);
  if (!response) {
    return Fail(response.error().code, operation + ": " + response.error().message);
  }
  const JsonDocument document = ParseJson(response->body);
  const JsonNode* answer =
      document.ok() && document.root().is_object() ? document.root().Find("Response") : nullptr;
  if (answer == nullptr || !answer->is_object()) {
    return Fail(ErrorCode::kUnavailable,
                operation + ": " + response->StatusText() + ": the response is not of the service");
  }
  const JsonNode* error = answer->Find("Error");
  if (const std::string code = TencentText(error, "Code"); !code.empty()) {
    return Fail(
        code.find("Duplicate") != std::string::npos ? ErrorCode::kExists : ErrorCode::kUnavailable,
        operation + ": " + code + ": " + TencentText(error, "Message"));
  }
  if (!response->ok()) {
    return Fail(ErrorCode::kUnavailable, operation + ": " + response->StatusText());
  }
  return std::move(response->body);
}

}  // namespace kinu::backend
