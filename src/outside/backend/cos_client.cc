#include "backend/cos_client.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "cloud/aws_service.h"
#include "cloud/aws_sigv4.h"
#include "codec/base64.h"
#include "codec/crc.h"
#include "codec/hash.h"
#include "codec/xml.h"
#include "json/reader.h"
#include "json/writer.h"
#include "log/log.h"
#include "net/url.h"

namespace kinu::backend {
namespace {

constexpr std::string_view kLockTag = "tencentcloud-terraform-lock";
constexpr std::string_view kDigestHeader = "x-cos-meta-md5";

/// "404 Not Found: NoSuchKey: MESSAGE"
std::unexpected<Error> RefusedByCos(const net::HttpResponse& response) {
  std::string text = cloud::AwsService::FaultOf(response).ToText();
  switch (response.status) {
    case 404:
      return Fail(ErrorCode::kNotFound, std::move(text));
    case 409:
      return Fail(ErrorCode::kExists, std::move(text));
    default:
      return Fail(ErrorCode::kUnavailable, std::move(text));
  }
}

Error CosFailure(std::string_view action, const std::string& name, Error cause) {
  cause.message = "failed to " + std::string(action) + ' ' + name + ": " + cause.message;
  return cause;
}

}  // namespace

void SignCos(net::HttpRequest& request, const TencentKeys& keys, const std::string& host,
             const std::string& path, const std::string& query,
             std::chrono::system_clock::time_point time) {
  constexpr std::chrono::hours kValid{1};
  if (!keys.token.empty()) {
    request.headers.Set("x-cos-security-token", keys.token);
  }
  std::map<std::string, std::string> headers = {{"host", host}};
  if (!request.body.empty()) {
    headers.emplace("content-length", std::to_string(request.body.size()));
  }
  for (const net::Header& header : request.headers.list()) {
    if (header.name.starts_with("x-cos-")) {
      headers.emplace(header.name, header.value);
    }
  }
  std::string names;
  std::string pairs;
  for (const auto& [name, value] : headers) {
    names += (names.empty() ? "" : ";") + name;
    pairs += (pairs.empty() ? "" : "&") + name + '=' + cloud::AwsEscape(value);
  }
  std::string arguments;
  for (const auto& [name, value] : net::ParseQuery(query)) {
    arguments += (arguments.empty() ? "" : ";") + name;
  }
  std::string method = request.method;
  std::ranges::transform(method, method.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::time_t start = std::chrono::system_clock::to_time_t(time);
  const std::string span =
      std::to_string(start) + ';' + std::to_string(start + std::chrono::seconds(kValid).count());
  const std::string key = EncodeHex(Hmac(HashKind::kSha1, keys.secret_key, span));
  const std::string format = method + '\n' + path + '\n' + query + '\n' + pairs + '\n';
  const std::string text = "sha1\n" + span + '\n' + HexDigest(HashKind::kSha1, format) + '\n';
  request.headers.Set("Authorization",
                      "q-sign-algorithm=sha1&q-ak=" + keys.secret_id + "&q-sign-time=" + span +
                          "&q-key-time=" + span + "&q-header-list=" + names +
                          "&q-url-param-list=" + arguments +
                          "&q-signature=" + EncodeHex(Hmac(HashKind::kSha1, key, text)));
}

Result<net::HttpResponse> CosBucket::Send(net::HttpRequest request, const std::string& name,
                                          const std::string& query) const {
  request.url = "https://" + options_.host + '/' + cloud::AwsEscape(name) +
                (query.empty() ? "" : '?' + query);
  SignCos(request, options_.keys, options_.host, '/' + name, query,
          std::chrono::system_clock::now());
  request.timeout = std::chrono::seconds(60);
  request.max_redirects = 0;
  request.max_body = uint64_t{4} << 30;
  request.retry = {.retries = 2,
                   .first_wait = std::chrono::milliseconds(500),
                   .max_wait = std::chrono::milliseconds(4000),
                   .keep_last = true};
  return client_.Send(request);
}

Result<std::vector<std::string>> CosBucket::List(const std::string& prefix) const {
  std::vector<std::string> names;
  for (std::string marker;;) {
    std::string query = marker.empty() ? "" : "marker=" + cloud::AwsEscape(marker);
    if (!prefix.empty()) {
      query += (query.empty() ? "prefix=" : "&prefix=") + cloud::AwsEscape(prefix);
    }
    KINU_TRY(const net::HttpResponse response, Send({}, "", query));
    if (response.status == 404) {
      return Fail(ErrorCode::kNotFound, "bucket " + options_.bucket + " not exists");
    }
    if (!response.ok()) {
      return RefusedByCos(response);
    }
    KINU_TRY(const XmlElement list, ReadXml(response.body));
    for (const XmlElement& child : list.children) {
      if (child.name == "Contents") {
        names.emplace_back(child.Text("Key"));
      }
    }
    std::string next(list.Text("NextMarker"));
    if (next.empty() && !names.empty()) {
      next = names.back();
    }
    if (list.Text("IsTruncated") != "true" || next.empty() || next == marker) {
      return names;
    }
    marker = std::move(next);
  }
}

Result<std::optional<std::string>> CosBucket::Get(const std::string& name) const {
  auto response = Send({}, name, "");
  if (!response) {
    return std::unexpected(CosFailure("open file at", name, std::move(response).error()));
  }
  if (response->status == 404) {
    return std::nullopt;
  }
  if (!response->ok()) {
    return std::unexpected(CosFailure("open file at", name, RefusedByCos(*response).error()));
  }
  constexpr size_t kDigestSize = 32;
  const std::string digest(response->headers.Get(kDigestHeader));
  if (digest.size() != kDigestSize) {
    return Fail(ErrorCode::kInvalid,
                "failed to open file at " + name + ": checksum " + digest + " invalid");
  }
  if (const std::string own = HexDigest(HashKind::kMd5, response->body); own != digest) {
    return Fail(ErrorCode::kUnavailable,
                "failed to open file at " + name + ": checksum mismatch, " + own + " != " + digest);
  }
  return std::move(response->body);
}

Result<void> CosBucket::Put(const std::string& name, std::string_view bytes, bool only_new) const {
  net::HttpRequest request;
  request.method = "PUT";
  request.body = bytes;
  request.headers.Set("x-cos-acl", options_.acl);
  if (only_new) {
    request.headers.Set("x-cos-forbid-overwrite", "true");
  }
  request.headers.Set(kDigestHeader, HexDigest(HashKind::kMd5, bytes));
  if (options_.encrypt) {
    request.headers.Set("x-cos-server-side-encryption", "AES256");
  }
  auto response = Send(std::move(request), name, "");
  if (!response) {
    return std::unexpected(CosFailure("save file to", name, std::move(response).error()));
  }
  if (!response->ok()) {
    return std::unexpected(CosFailure("save file to", name, RefusedByCos(*response).error()));
  }
  const std::string_view sum = response->headers.Get("x-cos-hash-crc64ecma");
  if (sum != std::to_string(Crc64(bytes))) {
    return Fail(ErrorCode::kUnavailable, "failed to save file to " + name +
                                             ": the service has stored other bytes than it was "
                                             "sent");
  }
  return {};
}

Result<bool> CosBucket::Delete(const std::string& name) const {
  net::HttpRequest request;
  request.method = "DELETE";
  auto response = Send(std::move(request), name, "");
  if (!response) {
    return std::unexpected(CosFailure("delete file", name, std::move(response).error()));
  }
  if (!response->ok() && response->status != 404) {
    return std::unexpected(CosFailure("delete file", name, RefusedByCos(*response).error()));
  }
  return response->ok();
}

Result<void> CosClient::Delete() {
  auto deleted = bucket_.Delete(state_);
  return deleted ? Result<void>() : std::unexpected(std::move(deleted).error());
}

std::string CosClient::TagValue() const {
  return HexDigest(HashKind::kMd5, bucket_.name() + ':' + lock_);
}

std::string CosClient::TagBody() const {
  std::string body;
  JsonWriter writer(body);
  writer.BeginObject();
  writer.Member("TagKey", kLockTag);
  writer.Member("TagValue", std::string_view(TagValue()));
  writer.EndObject();
  return body;
}

Result<void> CosClient::TakeTag() const {
  auto made = tags_.Call("CreateTag", TagBody());
  if (!made) {
    return Fail(made.error().code, "failed to create tag: " + std::string(kLockTag) + " -> " +
                                       TagValue() + ": " + made.error().message);
  }
  return {};
}

Result<bool> CosClient::HasTag() const {
  KINU_TRY(const std::string answer, tags_.Call("DescribeTags", TagBody()));
  const JsonDocument document = ParseJson(answer);
  const JsonNode* tags = document.root().Find("Response")->Find("Tags");
  if (tags == nullptr || !tags->is_array() || tags->elements().empty() ||
      !tags->elements()[0].is_object()) {
    return false;
  }
  const JsonNode* value = tags->elements()[0].Find("TagValue");
  return value != nullptr && value->is_string() && value->text() == TagValue();
}

Result<void> CosClient::ReleaseTag() const {
  constexpr int kAttempts = 30;
  for (int attempt = 1;; ++attempt) {
    KINU_TRY(const bool present, HasTag());
    if (!present) {
      return {};
    }
    auto deleted = tags_.Call("DeleteTag", TagBody());
    if (deleted) {
      return {};
    }
    if (attempt == kAttempts || !bucket_.Wait(std::chrono::seconds(1))) {
      return Fail(deleted.error().code, "failed to delete tag: " + std::string(kLockTag) + " -> " +
                                            TagValue() + ": " + deleted.error().message);
    }
  }
}

Result<state::LockInfo> CosClient::Holder() const {
  KINU_TRY(const std::optional<std::string> text, bucket_.Get(lock_));
  if (!text) {
    return Fail(ErrorCode::kNotFound, "lock file " + lock_ + " not exists");
  }
  KINU_TRY(state::LockInfo info, state::LockInfo::FromJson(*text));
  info.id = HexDigest(HashKind::kMd5, *text);
  return info;
}

Result<void> CosClient::StoreLock(const std::string& text) const {
  auto stored = bucket_.Put(lock_, text, true);
  if (stored) {
    return {};
  }
  // The request may have been sent again after its first response was lost.
  const auto present = bucket_.Get(lock_);
  if (present && *present && **present == text) {
    return {};
  }
  const auto holder = Holder();
  return holder ? Fail(ErrorCode::kExists, stored.error().message + '\n' + holder->ToText())
                : Fail(ErrorCode::kUnavailable, stored.error().message);
}

Result<std::string> CosClient::Lock(const state::LockInfo& info) {
  constexpr int kAttempts = 20;
  constexpr std::chrono::milliseconds kStep{500};
  for (int attempt = 1;; ++attempt) {
    const auto tagged = TakeTag();
    if (tagged) {
      break;
    }
    const auto holder = Holder();
    if (holder) {
      return Fail(ErrorCode::kExists, tagged.error().message + '\n' + holder->ToText());
    }
    // With the tag and without a lock, another process is about to take or release it.
    if (tagged.error().code != ErrorCode::kExists || attempt == kAttempts || !bucket_.Wait(kStep)) {
      return Fail(
          ErrorCode::kUnavailable,
          tagged.error().message + '\n' + holder.error().message +
              "\n\nIf no other process is about to lock this state, the tag was left behind "
              "by one that was killed. Delete it, for example with: tccli tag DeleteTag "
              "--TagKey " +
              std::string(kLockTag) + " --TagValue " + TagValue());
    }
  }
  Result<std::string> taken = [&]() -> Result<std::string> {
    const auto holder = Holder();
    if (holder) {
      return Fail(ErrorCode::kExists, "lock file " + lock_ + " exists\n" + holder->ToText());
    }
    if (holder.error().code != ErrorCode::kNotFound) {
      return std::unexpected(holder.error());
    }
    state::LockInfo own = info;
    own.path = lock_;
    const std::string text = own.ToJson();
    if (auto stored = StoreLock(text); !stored) {
      return std::unexpected(std::move(stored).error());
    }
    return HexDigest(HashKind::kMd5, text);
  }();
  const auto released = ReleaseTag();
  if (!released) {
    // Who holds the lock deletes the tag when it is released.
    log::Write(log::Level::kWarn, "cos: " + released.error().message);
    if (!taken) {
      taken.error().message += "\nerror unlocking cos state: " + released.error().message;
    }
  } else if (taken) {
    own_id_ = *taken;
  }
  return taken;
}

Result<void> CosClient::Unlock(std::string_view id) {
  auto holder = Holder();
  if (!holder) {
    return std::unexpected(std::move(holder).error());
  }
  if (holder->id != id) {
    return Fail(ErrorCode::kInvalid, "lock id mismatch, " + holder->id + " != " + std::string(id) +
                                         '\n' + holder->ToText());
  }
  KINU_TRY(const bool deleted, bucket_.Delete(lock_));
  if (!deleted && Holder()) {
    return Fail(ErrorCode::kUnavailable,
                "failed to delete file " + lock_ + ": the service does not find it");
  }
  // A tag that is there now belongs to a process that is about to take the lock.
  return own_id_ == id ? Result<void>() : ReleaseTag();
}

}  // namespace kinu::backend
