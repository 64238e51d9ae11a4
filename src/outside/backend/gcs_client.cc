#include "backend/gcs_client.h"

#include <algorithm>

#include "base/files.h"
#include "cloud/aws_sigv4.h"
#include "codec/base64.h"
#include "codec/hash.h"
#include "codec/xml.h"
#include "json/reader.h"
#include "json/writer.h"
#include "net/url.h"

namespace kinu::backend {
namespace {

/// "404 Not Found: MESSAGE", by the error in JSON or XML.
std::string FaultText(const net::HttpResponse& response) {
  std::string message;
  if (const JsonDocument document = ParseJson(response.body); document.ok()) {
    const JsonNode* error = document.root().is_object() ? document.root().Find("error") : nullptr;
    message = error == nullptr ? std::string() : error->ScalarOf("message");
  } else if (const auto element = ReadXml(response.body)) {
    message = element->Text("Message");
  }
  return response.StatusText() + (message.empty() ? "" : ": " + message);
}

std::unexpected<Error> RefusedByGcs(const net::HttpResponse& response) {
  switch (response.status) {
    case 404:
      return Fail(ErrorCode::kNotFound, FaultText(response));
    case 412:
      return Fail(ErrorCode::kExists, FaultText(response));
    default:
      return Fail(ErrorCode::kUnavailable, FaultText(response));
  }
}

/// The digest in "x-goog-hash: crc32c=…, md5=…", one field or two; empty if there is none.
std::string_view StoredMd5(const net::Headers& headers) {
  constexpr std::string_view kMark = "md5=";
  for (const net::Header& header : headers.list()) {
    const std::string_view value = header.value;
    const size_t at = value.find(kMark);
    if (at == 0 || (at != value.npos && value.starts_with("crc32c="))) {
      const std::string_view sum = value.substr(at + kMark.size());
      return sum.substr(0, sum.find(','));
    }
  }
  return {};
}

std::string MetadataOf(std::string_view bucket, std::string_view name, std::string_view bytes) {
  std::string out;
  JsonWriter writer(out);
  writer.BeginObject();
  writer.Member("bucket", bucket);
  writer.Member("contentType", "application/json");
  writer.Member("md5Hash", std::string_view(EncodeBase64(Digest(HashKind::kMd5, bytes))));
  writer.Member("name", name);
  writer.EndObject();
  return out;
}

}  // namespace

GcsBucket::GcsBucket(const net::HttpClient& client, cloud::GoogleIdentity& identity,
                     GcsOptions options)
    : client_(client), identity_(identity), options_(std::move(options)) {
  if (const auto url = net::Url::Parse(options_.endpoint)) {
    host_ = url->scheme + "://" + url->host;
  }
}

std::string GcsBucket::UrlOf(std::string_view name) const {
  return "gs://" + options_.bucket + '/' + std::string(name);
}

void GcsBucket::AddKey(net::HttpRequest& request) const {
  if (!options_.encryption_key.empty()) {
    request.headers.Set("X-Goog-Encryption-Algorithm", "AES256");
    request.headers.Set("X-Goog-Encryption-Key", EncodeBase64(options_.encryption_key));
    request.headers.Set("X-Goog-Encryption-Key-Sha256",
                        EncodeBase64(Digest(HashKind::kSha256, options_.encryption_key)));
  }
}

Result<net::HttpResponse> GcsBucket::Send(net::HttpRequest request) const {
  if (!options_.anonymous) {
    KINU_TRY(const std::string token, identity_.Token());
    request.headers.Set("Authorization", "Bearer " + token);
  }
  request.max_redirects = 0;
  request.max_body = uint64_t{4} << 30;
  request.retry = {.retries = 5,
                   .first_wait = std::chrono::milliseconds(1000),
                   .max_wait = std::chrono::milliseconds(30'000)};
  return client_.Send(request);
}

Result<std::vector<std::string>> GcsBucket::List(std::string_view prefix) const {
  std::vector<std::string> names;
  for (std::string page;;) {
    net::HttpRequest request;
    net::QueryArguments arguments = {{"delimiter", "/"}, {"prefix", std::string(prefix)}};
    if (!page.empty()) {
      arguments.emplace_back("pageToken", page);
    }
    request.url = options_.endpoint + "b/" + cloud::AwsEscape(options_.bucket) + "/o?" +
                  net::EncodeQuery(std::move(arguments));
    KINU_TRY(const net::HttpResponse response, Send(std::move(request)));
    if (!response.ok()) {
      return RefusedByGcs(response);
    }
    const JsonDocument document = ParseJson(response.body);
    if (!document.ok() || !document.root().is_object()) {
      return Fail(ErrorCode::kInvalid, "the list of objects is no JSON object");
    }
    if (const JsonNode* items = document.root().Find("items"); items != nullptr) {
      for (const JsonNode& item : items->elements()) {
        names.push_back(item.ScalarOf("name"));
      }
    }
    std::string next = document.root().ScalarOf("nextPageToken");
    if (next.empty() || next == page) {
      return names;
    }
    page = std::move(next);
  }
}

Result<std::optional<GcsBucket::Object>> GcsBucket::Get(const std::string& name,
                                                        bool with_key) const {
  net::HttpRequest request;
  request.url = host_ + '/' + cloud::AwsEscape(options_.bucket) + '/' + cloud::AwsEscape(name);
  if (with_key) {
    AddKey(request);
  }
  KINU_TRY(net::HttpResponse response, Send(std::move(request)));
  if (response.status == 404) {
    return std::nullopt;
  }
  if (!response.ok()) {
    return RefusedByGcs(response);
  }
  const std::string_view sum = StoredMd5(response.headers);
  if (!sum.empty() && sum != EncodeBase64(Digest(HashKind::kMd5, response.body))) {
    return Fail(ErrorCode::kUnavailable, "the checksum of the response does not fit its content");
  }
  Object object{.bytes = std::move(response.body),
                .generation = std::string(response.headers.Get("X-Goog-Generation"))};
  if (object.generation.empty()) {
    net::HttpRequest attributes;
    attributes.url = options_.endpoint + "b/" + cloud::AwsEscape(options_.bucket) + "/o/" +
                     cloud::AwsEscape(name);
    KINU_TRY(const net::HttpResponse answer, Send(std::move(attributes)));
    if (!answer.ok()) {
      return RefusedByGcs(answer);
    }
    const JsonDocument document = ParseJson(answer.body);
    object.generation = document.ok() ? document.root().ScalarOf("generation") : std::string();
  }
  return object;
}

Result<std::string> GcsBucket::Put(const std::string& name, std::string_view bytes, bool is_state,
                                   const GcsCondition& condition) const {
  net::QueryArguments arguments = {{"uploadType", "multipart"}, {"name", name}};
  if (condition.generation) {
    arguments.emplace_back("ifGenerationMatch", *condition.generation);
  }
  if (is_state && !options_.kms_key.empty()) {
    arguments.emplace_back("kmsKeyName", options_.kms_key);
  }
  net::HttpRequest request;
  request.method = "POST";
  request.url = host_ + "/upload/storage/v1/b/" + cloud::AwsEscape(options_.bucket) + "/o?" +
                net::EncodeQuery(std::move(arguments));
  const std::string boundary = RandomUuid();
  request.headers.Set("Content-Type", "multipart/related; boundary=" + boundary);
  request.body = "--" + boundary + "\r\nContent-Type: application/json\r\n\r\n" +
                 MetadataOf(options_.bucket, name, bytes) + "\r\n--" + boundary +
                 "\r\nContent-Type: application/json\r\n\r\n" + std::string(bytes) + "\r\n--" +
                 boundary + "--\r\n";
  if (is_state) {
    AddKey(request);
  }
  KINU_TRY(const net::HttpResponse response, Send(std::move(request)));
  if (!response.ok()) {
    return RefusedByGcs(response);
  }
  const JsonDocument document = ParseJson(response.body);
  if (!document.ok() || !document.root().is_object()) {
    return Fail(ErrorCode::kUnavailable,
                response.StatusText() + ": the response is not of Cloud Storage");
  }
  return document.root().ScalarOf("generation");
}

Result<void> GcsBucket::Delete(const std::string& name, const GcsCondition& condition) const {
  net::HttpRequest request;
  request.method = "DELETE";
  request.url = options_.endpoint + "b/" + cloud::AwsEscape(options_.bucket) + "/o/" +
                cloud::AwsEscape(name) +
                (condition.generation ? "?ifGenerationMatch=" + *condition.generation : "");
  KINU_TRY(const net::HttpResponse response, Send(std::move(request)));
  return response.ok() ? Result<void>() : RefusedByGcs(response);
}

Result<std::optional<std::string>> GcsClient::Get() {
  auto object = bucket_.Get(state_, true);
  if (!object) {
    return Fail(object.error().code, "Failed to open state file at " + bucket_.UrlOf(state_) +
                                         ": " + object.error().message);
  }
  return *object ? std::optional((*object)->bytes) : std::nullopt;
}

Result<void> GcsClient::Put(std::string_view bytes) {
  auto stored = bucket_.Put(state_, bytes, true, {});
  if (!stored) {
    return Fail(stored.error().code, "Failed to upload state to " + bucket_.UrlOf(state_) + ": " +
                                         stored.error().message);
  }
  return {};
}

Result<void> GcsClient::Delete() {
  auto deleted = bucket_.Delete(state_, {});
  if (!deleted) {
    return Fail(deleted.error().code, "Failed to delete state file " + bucket_.UrlOf(state_) +
                                          ": " + deleted.error().message);
  }
  return {};
}

Error GcsClient::LockError(const std::string& cause) const {
  const auto object = bucket_.Get(lock_, false);
  if (!object) {
    return {ErrorCode::kUnavailable, cause + '\n' + object.error().message};
  }
  if (!*object) {
    return {ErrorCode::kNotFound, cause};
  }
  auto info = state::LockInfo::FromJson((*object)->bytes);
  if (!info) {
    return {ErrorCode::kUnavailable, cause + '\n' + info.error().message};
  }
  info->id = (*object)->generation;
  return {ErrorCode::kExists, cause + '\n' + info->ToText()};
}

Result<std::string> GcsClient::Lock(const state::LockInfo& info) {
  state::LockInfo own = info;
  own.path = bucket_.UrlOf(lock_);
  const std::string text = own.ToJson();
  constexpr int kAttempts = 10;
  for (int attempt = 1;; ++attempt) {
    auto generation = bucket_.Put(lock_, text, false, {.generation = "0"});
    if (generation) {
      return generation;
    }
    Error error = LockError("writing \"" + own.path + "\" failed: " + generation.error().message);
    if (error.code == ErrorCode::kExists) {
      // The request was sent again after its first response was lost.
      const auto object = bucket_.Get(lock_, false);
      if (object && *object && (*object)->bytes == text) {
        return (*object)->generation;
      }
    }
    // The holder has released it meanwhile: the next attempt may take it.
    if (error.code != ErrorCode::kNotFound || attempt == kAttempts ||
        generation.error().code != ErrorCode::kExists) {
      error.code = error.code == ErrorCode::kNotFound ? ErrorCode::kUnavailable : error.code;
      return std::unexpected(std::move(error));
    }
  }
}

Result<void> GcsClient::Unlock(std::string_view id) {
  if (id.empty() || !std::ranges::all_of(id, [](char c) { return c >= '0' && c <= '9'; })) {
    return Fail(ErrorCode::kInvalid,
                "Lock ID should be numerical value, got '" + std::string(id) + "'");
  }
  auto deleted = bucket_.Delete(lock_, {.generation = std::string(id)});
  if (!deleted) {
    Error error = LockError(deleted.error().message);
    error.code = ErrorCode::kInvalid;
    return std::unexpected(std::move(error));
  }
  return {};
}

}  // namespace kinu::backend
