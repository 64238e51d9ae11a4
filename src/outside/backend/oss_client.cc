#include "backend/oss_client.h"

#include <algorithm>
#include <chrono>
#include <map>

#include "cloud/aws_service.h"
#include "cloud/aws_sigv4.h"
#include "codec/base64.h"
#include "codec/crc.h"
#include "codec/hash.h"
#include "codec/xml.h"
#include "net/http_date.h"
#include "net/url.h"

namespace kinu::backend {
namespace {

/// The URL of a bucket: in the host name, or in the path where the host is an address.
std::string OssBucketUrl(const std::string& endpoint, const std::string& bucket) {
  const auto url = net::Url::Parse(endpoint);
  if (!url) {
    return endpoint + '/' + bucket + '/';
  }
  const std::string host = url->HostName();
  const bool is_address = host.starts_with('[') || std::ranges::all_of(host, [](char c) {
                            return (c >= '0' && c <= '9') || c == '.';
                          });
  return url->scheme + "://" + (is_address ? url->host + '/' + bucket : bucket + '.' + url->host) +
         '/';
}

/// The error in a response: "404 Not Found: NoSuchBucket: MESSAGE".
std::unexpected<Error> RefusedByOss(std::string_view operation, const net::HttpResponse& response) {
  net::HttpResponse described = response;
  if (described.body.empty()) {
    described.body = DecodeBase64(std::string(response.headers.Get("x-oss-err"))).value_or("");
  }
  return Fail(response.status == 404 ? ErrorCode::kNotFound : ErrorCode::kUnavailable,
              std::string(operation) + ": " + cloud::AwsService::FaultOf(described).ToText());
}

/// Whether the checksum in a response, if there is one, is that of the bytes.
bool FitsOssChecksum(const net::HttpResponse& response, std::string_view bytes) {
  const std::string_view sum = response.headers.Get("x-oss-hash-crc64ecma");
  return sum.empty() || sum == std::to_string(Crc64(bytes));
}

}  // namespace

OssBucket::OssBucket(const net::HttpClient& client, OssOptions options)
    : client_(client),
      options_(std::move(options)),
      base_(OssBucketUrl(options_.endpoint, options_.bucket)) {
}

Result<net::HttpResponse> OssBucket::Send(net::HttpRequest request, const std::string& name,
                                          std::string_view sub_resource,
                                          std::string_view query) const {
  const std::string signed_query = sub_resource.empty() ? "" : '?' + std::string(sub_resource);
  request.url = base_ + cloud::AwsEscape(name) + signed_query +
                (query.empty() ? "" : '?' + std::string(query));
  const std::string date = net::HttpDate();
  request.headers.Set("Date", date);
  std::map<std::string, std::string> headers;
  if (!options_.keys.security_token.empty()) {
    request.headers.Set("x-oss-security-token", options_.keys.security_token);
  }
  std::string text = request.method + "\n\n" + std::string(request.headers.Get("Content-Type")) +
                     '\n' + date + '\n';
  for (const net::Header& header : request.headers.list()) {
    if (header.name.starts_with("x-oss-")) {
      headers.emplace(header.name, header.value);
    }
  }
  for (const auto& [header, value] : headers) {
    text += header + ':' + value + '\n';
  }
  text += '/' + options_.bucket + '/' + name + signed_query;
  request.headers.Set("Authorization",
                      "OSS " + options_.keys.access_key + ':' +
                          EncodeBase64(Hmac(HashKind::kSha1, options_.keys.secret_key, text)));
  request.max_redirects = 0;
  request.max_body = uint64_t{4} << 30;
  request.retry = {.retries = 4,
                   .first_wait = std::chrono::milliseconds(500),
                   .max_wait = std::chrono::milliseconds(8000),
                   .keep_last = true};
  return client_.Send(request);
}

Result<std::vector<std::string>> OssBucket::List(const std::string& prefix) const {
  std::vector<std::string> names;
  for (std::string marker;;) {
    const std::string query = "encoding-type=url" +
                              (marker.empty() ? "" : "&marker=" + cloud::AwsEscape(marker)) +
                              "&max-keys=1000&prefix=" + cloud::AwsEscape(prefix);
    KINU_TRY(const net::HttpResponse response, Send({}, "", "", query));
    if (!response.ok()) {
      return RefusedByOss("ListObjects", response);
    }
    KINU_TRY(const XmlElement list, ReadXml(response.body));
    for (const XmlElement& child : list.children) {
      if (child.name == "Contents") {
        names.push_back(net::PercentDecode(child.Text("Key"), true));
      }
    }
    std::string next = net::PercentDecode(list.Text("NextMarker"), true);
    if (next.empty() && !names.empty()) {
      next = names.back();
    }
    if (list.Text("IsTruncated") != "true" || next.empty() || next == marker) {
      return names;
    }
    marker = std::move(next);
  }
}

Result<std::optional<std::string>> OssBucket::Get(const std::string& name) const {
  net::HttpRequest meta;
  meta.method = "HEAD";
  KINU_TRY(const net::HttpResponse found, Send(std::move(meta), name, "objectMeta", ""));
  if (found.status == 404) {
    return std::nullopt;
  }
  if (!found.ok()) {
    Error error = RefusedByOss("GetObjectMeta", found).error();
    error.message = "estimating object " + name + " is exist got an error: " + error.message;
    return std::unexpected(std::move(error));
  }
  KINU_TRY(net::HttpResponse response, Send({}, name, "", ""));
  if (!response.ok()) {
    Error error = RefusedByOss("GetObject", response).error();
    error.message = "error getting object: " + error.message;
    return std::unexpected(std::move(error));
  }
  if (!FitsOssChecksum(response, response.body)) {
    return Fail(ErrorCode::kUnavailable,
                "GetObject: the checksum of the response does not fit its content");
  }
  return std::move(response.body);
}

Result<void> OssBucket::Put(const std::string& name, std::string_view bytes) const {
  net::HttpRequest request;
  request.method = "PUT";
  request.body = bytes;
  request.headers.Set("Content-Type", "application/json");
  if (!options_.acl.empty()) {
    request.headers.Set("x-oss-object-acl", options_.acl);
  }
  if (options_.encrypt) {
    request.headers.Set("x-oss-server-side-encryption", "AES256");
  }
  KINU_TRY(const net::HttpResponse response, Send(std::move(request), name, "", ""));
  if (!response.ok()) {
    return RefusedByOss("PutObject", response);
  }
  constexpr const char* kOther = "PutObject: the service has stored other bytes than it was sent";
  if (!FitsOssChecksum(response, bytes)) {
    return Fail(ErrorCode::kUnavailable, kOther);
  }
  if (response.headers.Find("x-oss-hash-crc64ecma") == nullptr) {
    KINU_TRY(const std::optional<std::string> stored, Get(name));
    if (stored != bytes) {
      return Fail(ErrorCode::kUnavailable, kOther);
    }
  }
  return {};
}

Result<void> OssBucket::Delete(const std::string& name) const {
  net::HttpRequest request;
  request.method = "DELETE";
  KINU_TRY(const net::HttpResponse response, Send(std::move(request), name, "", ""));
  return response.ok() ? Result<void>() : RefusedByOss("DeleteObject", response);
}

Result<std::optional<std::string>> OssClient::Get() {
  return rows_.Read([this] { return bucket_.Get(name_); },
                    [this](std::chrono::milliseconds time) { return bucket_.Wait(time); });
}

Result<void> OssClient::Put(std::string_view bytes) {
  if (auto stored = bucket_.Put(name_, bytes); !stored) {
    return Fail(stored.error().code,
                "failed to upload state " + name_ + ": " + stored.error().message);
  }
  rows_.StoreDigest(bytes);
  return {};
}

Result<void> OssClient::Delete() {
  if (auto deleted = bucket_.Delete(name_); !deleted) {
    return Fail(deleted.error().code,
                "error deleting state " + name_ + ": " + deleted.error().message);
  }
  rows_.DeleteDigest();
  return {};
}

Result<std::string> OssClient::Lock(const state::LockInfo& info) {
  if (!can_lock()) {
    return std::string();
  }
  state::LockInfo own = info;
  own.path = rows_.path();
  if (auto locked = rows_.Lock(own); !locked) {
    return std::unexpected(std::move(locked).error());
  }
  return own.id;
}

Result<void> OssClient::Unlock(std::string_view id) {
  return rows_.Unlock(id);
}

}  // namespace kinu::backend
