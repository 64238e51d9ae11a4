#include "backend/azure_client.h"

#include <algorithm>

#include "cloud/aws_sigv4.h"
#include "codec/base64.h"
#include "codec/hash.h"
#include "codec/xml.h"
#include "net/http_date.h"
#include "net/url.h"

namespace kinu::backend {
namespace {

constexpr std::string_view kInfoName = "terraformlockid";
constexpr std::string_view kMetadataPrefix = "x-ms-meta-";

std::string Lowered(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  return out;
}

void AddLease(net::HttpRequest& request, const std::string& lease) {
  if (!lease.empty()) {
    request.headers.Set("x-ms-lease-id", lease);
  }
}

void AddMetadata(net::HttpRequest& request, const AzureMetadata& metadata) {
  for (const auto& [name, value] : metadata) {
    request.headers.Set(std::string(kMetadataPrefix) + name, value);
  }
}

/// "409 Conflict: LeaseAlreadyPresent: MESSAGE"
std::unexpected<Error> RefusedByAzure(const net::HttpResponse& response) {
  std::string text = response.StatusText();
  const auto document = ReadXml(response.body);
  const std::string_view code = response.headers.Get("x-ms-error-code");
  if (!code.empty()) {
    text += ": " + std::string(code);
  }
  if (document && !document->Text("Message").empty()) {
    const std::string_view message = document->Text("Message");
    text += ": " + std::string(message.substr(0, message.find('\n')));
  }
  if (response.status == 404) {
    return Fail(ErrorCode::kNotFound, std::move(text));
  }
  const bool conflict = response.status == 409 || response.status == 412;
  return Fail(conflict ? ErrorCode::kExists : ErrorCode::kUnavailable, std::move(text));
}

}  // namespace

Result<void> SignAzure(net::HttpRequest& request, const std::string& account,
                       const std::string& key) {
  KINU_TRY(const net::Url url, net::Url::Parse(request.url));
  std::string text = request.method + "\n\n\n" +
                     (request.body.empty() ? "" : std::to_string(request.body.size())) + "\n\n" +
                     std::string(request.headers.Get("Content-Type")) + "\n\n\n\n\n\n\n";
  std::map<std::string, std::string> headers;
  for (const net::Header& header : request.headers.list()) {
    if (const std::string name = Lowered(header.name); name.starts_with("x-ms-")) {
      headers.emplace(name, header.value);
    }
  }
  for (const auto& [name, value] : headers) {
    text += name + ':' + value + '\n';
  }
  text += '/' + account + (url.path.empty() ? "/" : url.path);
  std::map<std::string, std::string> arguments;
  for (const auto& [name, value] : net::ParseQuery(url.query)) {
    std::string& all = arguments[Lowered(name)];
    all += (all.empty() ? "" : ",") + value;
  }
  for (const auto& [name, value] : arguments) {
    text += '\n' + name + ':' + value;
  }
  request.headers.Set("Authorization", "SharedKey " + account + ':' +
                                           EncodeBase64(Hmac(HashKind::kSha256, key, text)));
  return {};
}

std::string AzureContainer::UrlOf(const std::string& name) const {
  return options_.container_url + '/' + net::SegmentEscape(name);
}

net::HttpRequest AzureContainer::Request(std::string method, const std::string& url,
                                         std::string query) const {
  net::HttpRequest request;
  request.method = std::move(method);
  if (!options_.sas_token.empty()) {
    query += (query.empty() ? "" : "&") + options_.sas_token;
  }
  request.url = url + (query.empty() ? "" : "?" + query);
  return request;
}

void AzureContainer::AddKeys(net::HttpRequest& request) const {
  if (!options_.customer_key.empty()) {
    request.headers.Set("x-ms-encryption-algorithm", "AES256");
    request.headers.Set("x-ms-encryption-key", EncodeBase64(options_.customer_key));
    request.headers.Set("x-ms-encryption-key-sha256",
                        EncodeBase64(Digest(HashKind::kSha256, options_.customer_key)));
  }
}

Result<net::HttpResponse> AzureContainer::Send(net::HttpRequest request) const {
  request.headers.Set("x-ms-version", "2023-11-03");
  request.headers.Set("x-ms-date", net::HttpDate());
  request.timeout = options_.timeout;
  request.max_redirects = 0;
  request.max_body = uint64_t{4} << 30;
  request.retry = {.retries = 3,
                   .first_wait = std::chrono::milliseconds(800),
                   .max_wait = std::chrono::milliseconds(60'000)};
  if (!options_.access_key.empty()) {
    if (auto done = SignAzure(request, options_.account, options_.access_key); !done) {
      return std::unexpected(std::move(done).error());
    }
  } else if (options_.sas_token.empty() && identity_ != nullptr) {
    KINU_TRY(const std::string token, identity_->Token());
    request.headers.Set("Authorization", "Bearer " + token);
  }
  return client_.Send(request);
}

Result<void> AzureContainer::Do(net::HttpRequest request) const {
  KINU_TRY(const net::HttpResponse response, Send(std::move(request)));
  return response.ok() ? Result<void>() : RefusedByAzure(response);
}

Result<std::vector<std::string>> AzureContainer::List(const std::string& prefix) const {
  std::vector<std::string> names;
  for (std::string marker;;) {
    net::QueryArguments arguments = {
        {"comp", "list"}, {"prefix", prefix}, {"restype", "container"}};
    if (!marker.empty()) {
      arguments.emplace_back("marker", marker);
    }
    KINU_TRY(const net::HttpResponse response,
             Send(Request("GET", options_.container_url, net::EncodeQuery(std::move(arguments)))));
    if (!response.ok()) {
      return RefusedByAzure(response);
    }
    KINU_TRY(const XmlElement list, ReadXml(response.body));
    if (const XmlElement* blobs = list.Find("Blobs")) {
      for (const XmlElement& blob : blobs->children) {
        names.emplace_back(blob.Text("Name"));
      }
    }
    std::string next(list.Text("NextMarker"));
    if (next.empty() || next == marker) {
      return names;
    }
    marker = std::move(next);
  }
}

Result<std::optional<std::string>> AzureContainer::Get(const std::string& name) const {
  net::HttpRequest request = Request("GET", UrlOf(name), "");
  AddKeys(request);
  KINU_TRY(net::HttpResponse response, Send(std::move(request)));
  if (response.status == 404) {
    return std::nullopt;
  }
  if (!response.ok()) {
    return RefusedByAzure(response);
  }
  return std::move(response.body);
}

Result<std::optional<AzureProperties>> AzureContainer::Look(const std::string& name,
                                                            const std::string& lease) const {
  net::HttpRequest request = Request("HEAD", UrlOf(name), "");
  AddKeys(request);
  AddLease(request, lease);
  KINU_TRY(const net::HttpResponse response, Send(std::move(request)));
  if (response.status == 404) {
    return std::nullopt;
  }
  if (!response.ok()) {
    return RefusedByAzure(response);
  }
  AzureProperties properties;
  properties.leased = response.headers.Get("x-ms-lease-status") == "locked";
  for (const net::Header& header : response.headers.list()) {
    if (const std::string field = Lowered(header.name); field.starts_with(kMetadataPrefix)) {
      properties.metadata.emplace(field.substr(kMetadataPrefix.size()), header.value);
    }
  }
  return properties;
}

Result<void> AzureContainer::Put(const std::string& name, std::string_view bytes,
                                 const AzureMetadata& metadata, const std::string& lease) const {
  net::HttpRequest request = Request("PUT", UrlOf(name), "");
  request.body = bytes;
  request.headers.Set("Content-Type", "application/json");
  request.headers.Set("x-ms-blob-content-type", "application/json");
  request.headers.Set("x-ms-blob-type", "BlockBlob");
  if (!options_.encryption_scope.empty()) {
    request.headers.Set("x-ms-encryption-scope", options_.encryption_scope);
  }
  AddKeys(request);
  AddMetadata(request, metadata);
  AddLease(request, lease);
  KINU_TRY(const net::HttpResponse response, Send(std::move(request)));
  constexpr int kCreated = 201;
  return response.status == kCreated ? Result<void>() : RefusedByAzure(response);
}

Result<void> AzureContainer::Snapshot(const std::string& name, const std::string& lease) const {
  net::HttpRequest request = Request("PUT", UrlOf(name), "comp=snapshot");
  AddKeys(request);
  AddLease(request, lease);
  return Do(std::move(request));
}

Result<void> AzureContainer::Delete(const std::string& name, const std::string& lease) const {
  net::HttpRequest request = Request("DELETE", UrlOf(name), "");
  AddLease(request, lease);
  Result<void> deleted = Do(std::move(request));
  return !deleted && deleted.error().code == ErrorCode::kNotFound ? Result<void>() : deleted;
}

Result<void> AzureContainer::SetMetadata(const std::string& name, const AzureMetadata& metadata,
                                         const std::string& lease) const {
  net::HttpRequest request = Request("PUT", UrlOf(name), "comp=metadata");
  if (!options_.encryption_scope.empty()) {
    request.headers.Set("x-ms-encryption-scope", options_.encryption_scope);
  }
  AddKeys(request);
  AddMetadata(request, metadata);
  AddLease(request, lease);
  return Do(std::move(request));
}

Result<void> AzureContainer::Acquire(const std::string& name, const std::string& lease) const {
  net::HttpRequest request = Request("PUT", UrlOf(name), "comp=lease");
  request.headers.Set("x-ms-lease-action", "acquire");
  request.headers.Set("x-ms-lease-duration", "-1");
  request.headers.Set("x-ms-proposed-lease-id", lease);
  return Do(std::move(request));
}

Result<void> AzureContainer::Release(const std::string& name, const std::string& lease) const {
  net::HttpRequest request = Request("PUT", UrlOf(name), "comp=lease");
  request.headers.Set("x-ms-lease-action", "release");
  AddLease(request, lease);
  return Do(std::move(request));
}

Result<std::optional<std::string>> AzureClient::Get() {
  auto bytes = container_.Get(name_);
  if (!bytes) {
    return Fail(bytes.error().code, "error reading azure blob: " + bytes.error().message);
  }
  return *bytes && (*bytes)->empty() ? std::nullopt : *std::move(bytes);
}

Result<void> AzureClient::Put(std::string_view bytes) {
  if (container_.options().snapshot) {
    if (auto taken = container_.Snapshot(name_, lease_); !taken) {
      return Fail(taken.error().code, "error snapshotting Blob " + container_.UrlOf(name_) + ": " +
                                          taken.error().message);
    }
  }
  // A new content would drop the metadata, and with it the lock's info.
  auto properties = container_.Look(name_, lease_);
  if (!properties) {
    return Fail(properties.error().code,
                "error getting blob properties while doing Put: " + properties.error().message);
  }
  const AzureMetadata metadata = *properties ? (*properties)->metadata : AzureMetadata();
  auto stored = container_.Put(name_, bytes, metadata, lease_);
  return stored ? std::move(stored)
                : Fail(stored.error().code, "error uploading blob: " + stored.error().message);
}

Result<void> AzureClient::Delete() {
  auto deleted = container_.Delete(name_, lease_);
  return deleted ? std::move(deleted)
                 : Fail(deleted.error().code, "error deleting blob: " + deleted.error().message);
}

Result<state::LockInfo> AzureClient::Holder() const {
  auto properties = container_.Look(name_, lease_);
  if (!properties) {
    return Fail(properties.error().code, "error getting lock info: " + properties.error().message);
  }
  std::string text;
  if (*properties) {
    const auto found = (*properties)->metadata.find(std::string(kInfoName));
    text = found == (*properties)->metadata.end() ? std::string() : found->second;
  }
  if (text.empty()) {
    return Fail(ErrorCode::kNotFound, "blob metadata \"terraformlockid\" was empty");
  }
  auto json = DecodeBase64(text);
  if (!json) {
    return Fail(ErrorCode::kInvalid,
                "error in base64 decoding lock string: " + std::move(json).error().message);
  }
  return state::LockInfo::FromJson(*json);
}

std::string AzureClient::LeaseAdvice() const {
  const auto url = net::Url::Parse(container_.options().container_url);
  return "\n\nThe blob has a lease without lock info. If nobody is working with the state, break "
         "it, "
         "for example with:\n  az storage blob lease break --blob-name " +
         name_ +
         (url ? " --container-name " + url->path.substr(url->path.rfind('/') + 1) +
                    " --account-name " + container_.options().account
              : "");
}

std::unexpected<Error> AzureClient::LockFailure(const Error& cause) const {
  const auto holder = Holder();
  if (holder) {
    return Fail(ErrorCode::kExists, cause.message + '\n' + holder->ToText());
  }
  // A holder stores its info after it has taken the lease, and removes it before it gives that
  // back.
  const bool anonymous =
      cause.code == ErrorCode::kExists && holder.error().code == ErrorCode::kNotFound;
  return Fail(anonymous ? ErrorCode::kNotFound : ErrorCode::kUnavailable,
              cause.message + '\n' + holder.error().message + (anonymous ? LeaseAdvice() : ""));
}

Result<void> AzureClient::WriteInfo(const state::LockInfo* info) const {
  KINU_TRY(const std::optional<AzureProperties> properties, container_.Look(name_, lease_));
  AzureMetadata metadata = properties ? properties->metadata : AzureMetadata();
  if (info == nullptr) {
    metadata.erase(std::string(kInfoName));
  } else {
    metadata[std::string(kInfoName)] = EncodeBase64(info->ToJson());
  }
  return container_.SetMetadata(name_, metadata, lease_);
}

Result<std::string> AzureClient::Lock(const state::LockInfo& info) {
  state::LockInfo own = info;
  own.path = container_.UrlOf(name_);
  auto properties = container_.Look(name_, lease_);
  if (!properties) {
    return Fail(properties.error().code,
                "error getting blob properties while doing Lock: " + properties.error().message);
  }
  if (!*properties) {
    if (auto made = container_.Put(name_, "", {}, ""); !made) {
      return LockFailure(made.error());
    }
  } else if ((*properties)->leased) {
    return LockFailure({ErrorCode::kExists, "state blob is already locked"});
  }
  if (auto acquired = container_.Acquire(name_, own.id); !acquired) {
    (void)container_.Release(name_, own.id);  // its response may be all that was lost
    return LockFailure(acquired.error());
  }
  lease_ = own.id;
  if (auto written = WriteInfo(&own); !written) {
    // Without its info, nobody could tell whose lock it is.
    (void)container_.Release(name_, lease_);
    lease_.clear();
    return std::unexpected(std::move(written).error());
  }
  return own.id;
}

Result<void> AzureClient::Unlock(std::string_view id) {
  const auto holder = Holder();
  if (!holder && holder.error().code == ErrorCode::kNotFound &&
      container_.Release(name_, std::string(id))) {
    return {};  // the lease of a lock whose info is gone
  }
  if (!holder) {
    return Fail(holder.error().code, "failed to retrieve lock info: " + holder.error().message);
  }
  if (holder->id != id) {
    return Fail(ErrorCode::kInvalid, "lock id \"" + std::string(id) +
                                         "\" does not match existing lock\n" + holder->ToText());
  }
  lease_ = id;
  if (auto removed = WriteInfo(nullptr); !removed) {
    return Fail(removed.error().code, "failed to delete lock info from metadata: " +
                                          removed.error().message + '\n' + holder->ToText());
  }
  if (auto released = container_.Release(name_, lease_); !released) {
    (void)WriteInfo(&*holder);  // the lock stays, so its info has to
    return Fail(released.error().code, "error when releasing lease for azure lock: " +
                                           released.error().message + '\n' + holder->ToText());
  }
  lease_.clear();
  return {};
}

}  // namespace kinu::backend
