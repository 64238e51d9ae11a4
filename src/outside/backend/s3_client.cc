#include "backend/s3_client.h"

#include <algorithm>
#include <chrono>

#include "codec/base64.h"
#include "codec/hash.h"
#include "codec/xml.h"
#include "log/log.h"
#include "net/url.h"

namespace kinu::backend {
namespace {

/// Whether a bucket's name can be a part of a host name: its labels are letters, digits and
/// hyphens. With dots, no certificate of the service fits.
bool FitsHostName(std::string_view bucket, bool dots) {
  return bucket.size() >= 3 && bucket.size() <= 63 && bucket.front() != '-' &&
         bucket.back() != '-' && bucket.front() != '.' && bucket.back() != '.' &&
         std::ranges::all_of(bucket, [&](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
                  (dots && c == '.');
         });
}

bool IsAddress(std::string_view host) {
  return host.starts_with('[') ||
         std::ranges::all_of(host, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

/// The URL of a bucket, in the host name where that is possible, else in the path.
std::string BucketUrl(const std::string& endpoint, const S3Options& options) {
  const auto url = net::Url::Parse(endpoint);
  std::string in_path = endpoint + '/' + cloud::AwsEscape(options.bucket);
  if (options.path_style || !url || IsAddress(url->HostName()) ||
      !FitsHostName(options.bucket, url->scheme == "http")) {
    return in_path;
  }
  net::Url own = *url;
  own.host = options.bucket + '.' + own.host;
  return own.ToText();
}

void AddTags(net::HttpRequest& request, const std::map<std::string, std::string>& tags) {
  if (!tags.empty()) {
    request.headers.Set("X-Amz-Tagging", net::EncodeQuery({tags.begin(), tags.end()}));
  }
}

}  // namespace

S3Bucket::S3Bucket(const cloud::AwsService& service, S3Options options)
    : service_(service),
      options_(std::move(options)),
      base_(BucketUrl(service.endpoint(), options_)) {
}

net::HttpRequest S3Bucket::Request(std::string method, std::string_view key,
                                   std::string_view query) const {
  net::HttpRequest request;
  request.method = std::move(method);
  request.url = base_ + '/' + cloud::AwsEscape(key, true);
  if (!query.empty()) {
    request.url += '?' + std::string(query);
  }
  return request;
}

void S3Bucket::AddCustomerKey(net::HttpRequest& request) const {
  if (!options_.encrypt || options_.customer_key.empty()) {
    return;
  }
  constexpr std::string_view kPrefix = "X-Amz-Server-Side-Encryption-Customer-";
  const std::string prefix(kPrefix);
  request.headers.Set(prefix + "Algorithm", "AES256");
  request.headers.Set(prefix + "Key", EncodeBase64(options_.customer_key));
  request.headers.Set(prefix + "Key-Md5",
                      EncodeBase64(Digest(HashKind::kMd5, options_.customer_key)));
}

Result<net::HttpResponse> S3Bucket::Send(std::string_view operation,
                                         net::HttpRequest request) const {
  request.max_body = uint64_t{4} << 30;
  Result<net::HttpResponse> response = service_.Send(std::move(request));
  if (!response) {
    return Fail(response.error().code, std::string(operation) + ": " + response.error().message);
  }
  return response;
}

std::unexpected<Error> S3Bucket::Refused(std::string_view operation,
                                         const net::HttpResponse& response) const {
  Error error = cloud::AwsService::ErrorOf(operation, response);
  if (const std::string region(response.headers.Get("X-Amz-Bucket-Region"));
      !region.empty() && region != service_.region() && response.status != 404) {
    error.message += "\n\nThe bucket \"" + options_.bucket + "\" is in the region \"" + region +
                     "\", and the request went to \"" + service_.region() + "\".";
  }
  if (cloud::AwsService::FaultOf(response).code == "NoSuchBucket") {
    error.code = ErrorCode::kNotFound;
    error.message = "S3 bucket does not exist.\n\nThe bucket \"" + options_.bucket +
                    "\" must be created first. If that was less than a minute ago, wait for a "
                    "minute or two and try again.\n\nError: " +
                    error.message + "\n";
  }
  return std::unexpected(std::move(error));
}

Result<std::vector<std::string>> S3Bucket::List(std::string_view prefix) const {
  std::vector<std::string> keys;
  for (std::string next;;) {
    net::HttpRequest request =
        Request("GET", "",
                (next.empty() ? "" : "continuation-token=" + cloud::AwsEscape(next) + '&') +
                    "list-type=2&max-keys=1000&prefix=" + cloud::AwsEscape(prefix));
    KINU_TRY(const net::HttpResponse response, Send("ListObjectsV2", std::move(request)));
    if (!response.ok()) {
      if (cloud::AwsService::FaultOf(response).code == "AccessDenied") {
        return keys;
      }
      return Refused("ListObjectsV2", response);
    }
    KINU_TRY(const XmlElement list, ReadXml(response.body));
    for (const XmlElement& child : list.children) {
      if (child.name == "Contents") {
        keys.emplace_back(child.Text("Key"));
      }
    }
    std::string after(list.Text("NextContinuationToken"));
    if (list.Text("IsTruncated") != "true" || after.empty() || after == next) {
      return keys;
    }
    next = std::move(after);
  }
}

Result<bool> S3Bucket::Exists(std::string_view key) const {
  net::HttpRequest request = Request("HEAD", key, "");
  AddCustomerKey(request);
  KINU_TRY(const net::HttpResponse response, Send("HeadObject", std::move(request)));
  if (!response.ok() && response.status != 404) {
    return Refused("HeadObject", response);
  }
  return response.ok();
}

Result<S3Bucket::Object> S3Bucket::Get(std::string_view key) const {
  net::HttpRequest request = Request("GET", key, "x-id=GetObject");
  AddCustomerKey(request);
  if (options_.checksums) {
    request.headers.Set("X-Amz-Checksum-Mode", "ENABLED");
  }
  KINU_TRY(net::HttpResponse response, Send("GetObject", std::move(request)));
  if (!response.ok()) {
    if (cloud::AwsService::FaultOf(response).code == "NoSuchKey") {
      return std::nullopt;
    }
    return Refused("GetObject", response);
  }
  const std::string_view sum = response.headers.Get("X-Amz-Checksum-Sha256");
  // A sum with a hyphen is that of the sums of parts.
  if (options_.checksums && !sum.empty() && sum.find('-') == sum.npos &&
      sum != EncodeBase64(Digest(HashKind::kSha256, response.body))) {
    return Fail(ErrorCode::kUnavailable,
                "GetObject: the checksum SHA256 of the response does not fit its content");
  }
  return std::move(response.body);
}

Result<void> S3Bucket::Put(std::string_view key, std::string_view bytes,
                           const std::map<std::string, std::string>& tags, bool only_new) const {
  net::HttpRequest request = Request("PUT", key, "x-id=PutObject");
  request.body = bytes;
  request.headers.Set("Content-Type", "application/json");
  if (only_new) {
    request.headers.Set("If-None-Match", "*");
  }
  if (options_.checksums) {
    request.headers.Set("X-Amz-Sdk-Checksum-Algorithm", "SHA256");
    request.headers.Set("X-Amz-Checksum-Sha256", EncodeBase64(Digest(HashKind::kSha256, bytes)));
  }
  if (options_.encrypt && !options_.kms_key.empty()) {
    request.headers.Set("X-Amz-Server-Side-Encryption", "aws:kms");
    request.headers.Set("X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id", options_.kms_key);
  } else if (options_.encrypt && options_.customer_key.empty()) {
    request.headers.Set("X-Amz-Server-Side-Encryption", "AES256");
  } else {
    AddCustomerKey(request);
  }
  if (!options_.acl.empty()) {
    request.headers.Set("X-Amz-Acl", options_.acl);
  }
  AddTags(request, tags);
  KINU_TRY(const net::HttpResponse response, Send("PutObject", std::move(request)));
  if (!response.ok()) {
    return Refused("PutObject", response);
  }
  // All stores report the tag of what they have stored, but not everything that says 200 is one.
  if (response.headers.Find("ETag") == nullptr) {
    KINU_TRY(const Object stored, Get(key));
    if (stored != bytes) {
      return Fail(ErrorCode::kUnavailable,
                  "PutObject: the response is not of the service, which has not stored the object");
    }
  }
  return {};
}

Result<void> S3Bucket::Delete(std::string_view key) const {
  KINU_TRY(const net::HttpResponse response,
           Send("DeleteObject", Request("DELETE", key, "x-id=DeleteObject")));
  return response.ok() ? Result<void>() : Refused("DeleteObject", response);
}

Result<std::optional<std::string>> S3Client::GetOnce() const {
  // Some services with this protocol answer a GET for a missing object with "no such bucket".
  KINU_TRY(const bool exists, bucket_.Exists(key_));
  if (!exists) {
    return std::nullopt;
  }
  return bucket_.Get(key_);
}

Result<std::optional<std::string>> S3Client::Get() {
  return rows_.Read([this] { return GetOnce(); },
                    [this](std::chrono::milliseconds time) { return service_.Wait(time); });
}

Result<void> S3Client::Put(std::string_view bytes) {
  auto stored = bucket_.Put(key_, bytes, bucket_.options().state_tags, false);
  if (!stored) {
    return Fail(stored.error().code, "failed to upload state: " + stored.error().message);
  }
  rows_.StoreDigest(bytes);
  return {};
}

Result<void> S3Client::Delete() {
  if (auto deleted = bucket_.Delete(key_); !deleted) {
    return deleted;
  }
  rows_.DeleteDigest();
  return {};
}

Result<state::LockInfo> S3Client::FileHolder() const {
  KINU_TRY(const std::optional<std::string> text, bucket_.Get(LockFile()));
  if (!text) {
    return Fail(ErrorCode::kNotFound, "GetObject: there is no object " + LockFile());
  }
  auto info = state::LockInfo::FromJson(*text);
  return info ? std::move(info)
              : Fail(info.error().code, "reading the lock info in " + LockFile() +
                                            " of the bucket " + bucket_.options().bucket + ": " +
                                            info.error().message);
}

Result<void> S3Client::LockByFile(const state::LockInfo& info) const {
  if (!bucket_.options().lock_file) {
    return {};
  }
  return RequestLock(
      [&] { return bucket_.Put(LockFile(), info.ToJson(), bucket_.options().lock_tags, true); },
      [&] { return FileHolder(); }, info.id);
}

Result<std::string> S3Client::Lock(const state::LockInfo& info) {
  if (!can_lock()) {
    return std::string();
  }
  state::LockInfo own = info;
  own.path = rows_.path();
  if (auto locked = LockByFile(own); !locked) {
    return std::unexpected(std::move(locked).error());
  }
  if (auto locked = rows_.Lock(own); !locked) {
    if (auto unlocked = UnlockFile(own.id); !unlocked) {
      log::Write(log::Level::kWarn, "s3: releasing the lock file: " + unlocked.error().message);
    }
    return std::unexpected(std::move(locked).error());
  }
  return own.id;
}

Result<void> S3Client::UnlockFile(std::string_view id) const {
  if (!bucket_.options().lock_file) {
    return {};
  }
  auto holder = FileHolder();
  if (!holder) {
    return Fail(holder.error().code, "failed to retrieve s3 lock info: " + holder.error().message);
  }
  if (holder->id != id) {
    return Fail(ErrorCode::kInvalid, "lock id \"" + std::string(id) +
                                         "\" from s3 does not match existing lock\n" +
                                         holder->ToText());
  }
  return bucket_.Delete(LockFile());
}

Result<void> S3Client::Unlock(std::string_view id) {
  Result<void> file = UnlockFile(id);
  Result<void> row = rows_.Unlock(id);
  if (!file && !row) {
    return Fail(file.error().code, file.error().message + '\n' + row.error().message);
  }
  if (!file) {
    return Fail(
        file.error().code,
        (rows_.has_table() ? "dynamoDB lock released but s3 failed: " : "") + file.error().message);
  }
  if (!row) {
    return Fail(row.error().code,
                (bucket_.options().lock_file ? "s3 lock released but dynamoDB failed: " : "") +
                    row.error().message);
  }
  return {};
}

}  // namespace kinu::backend
