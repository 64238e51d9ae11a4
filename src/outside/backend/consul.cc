// The backend "consul": states in Consul's key-value store, locked by sessions.
// Ref: opentofu internal/backend/remote-state/consul; consul api/lock.go.
#include "backend/consul.h"

#include <algorithm>
#include <utility>

#include "backend/consul_session.h"
#include "backend/lock_wait.h"
#include "backend/new_workspace.h"
#include "backend/remote_store.h"
#include "backend/specs.h"
#include "base/environment.h"
#include "base/files.h"
#include "cloud/settings.h"
#include "codec/base64.h"
#include "codec/deflate.h"
#include "codec/hash.h"
#include "json/reader.h"
#include "json/writer.h"
#include "net/curl_transport.h"
#include "net/url.h"
#include "text/parse_bool.h"

namespace kinu::backend {
namespace {

constexpr size_t kChunk = 524'288;
constexpr uint64_t kMaxState = uint64_t{1} << 32;
constexpr std::string_view kWorkspaceSeparator = "-env:";

/// The value at a key.
struct Entry {
  std::string bytes;
  uint64_t index = 0;  ///< changes with every write
};

/// A state in several values.
struct Chunks {
  std::string hash;
  std::vector<std::string> keys;
};

/// The chunks that a value names; nothing if it is a state itself.
std::optional<Chunks> ChunksIn(const std::string& bytes) {
  const JsonDocument document = ParseJson(bytes);
  const JsonNode* hash =
      document.ok() && document.root().is_object() ? document.root().Find("current-hash") : nullptr;
  if (hash == nullptr || !hash->is_string()) {
    return std::nullopt;
  }
  Chunks out{std::string(hash->text()), {}};
  const JsonNode* keys = document.root().Find("chunks");
  for (const JsonNode& key : keys != nullptr ? keys->elements() : std::span<const JsonNode>()) {
    out.keys.emplace_back(key.text());
  }
  return out;
}

class ConsulClient final : public RemoteClient {
 public:
  ConsulClient(std::shared_ptr<const ConsulService> service, std::string path)
      : service_(std::move(service)), path_(std::move(path)), base_(path_) {
    while (base_.ends_with('/')) {
      base_.pop_back();
    }
  }

  Result<std::optional<std::string>> Get() override;
  Result<void> Put(std::string_view bytes) override;
  Result<void> Delete() override;
  Result<std::string> Lock(const state::LockInfo& info) override {
    return WaitForHolder([&] { return TryLock(info); });
  }
  Result<void> Unlock(std::string_view id) override;
  bool can_lock() const override { return service_->lock; }

 private:
  std::string LockInfoKey() const { return base_ + "/.lockinfo"; }
  std::string ChunkFolder(const std::string& hash) const {
    return base_ + "/tfstate." + hash + '/';
  }
  Result<std::string> TryLock(const state::LockInfo& info);
  Result<std::optional<Entry>> Read(const std::string& key) const;
  /// Stores the value at the path unless it has changed since it was read.
  Result<void> Swap(std::string_view bytes);
  Result<void> PutChunks(const std::string& hash, std::string_view bytes);

  std::shared_ptr<const ConsulService> service_;
  std::string path_;
  std::string base_;    // without "/" at the end: what the other keys begin with
  uint64_t index_ = 0;  // of the value that was read or written last
  std::unique_ptr<ConsulLock> lock_;
};

Result<std::optional<Entry>> ConsulClient::Read(const std::string& key) const {
  KINU_TRY(const net::HttpResponse response, service_->Ask("GET", KeyPath(key)));
  if (response.status == 404) {
    return std::nullopt;
  }
  if (response.status != 200) {
    return Refused(response);
  }
  const JsonDocument document = ParseJson(response.body);
  if (!document.ok() || document.root().elements().empty()) {
    return Fail(ErrorCode::kInvalid, "the answer of Consul has no value");
  }
  const JsonNode& row = document.root().elements()[0];
  Entry out;
  if (const JsonNode* value = row.Find("Value"); value != nullptr && value->is_string()) {
    KINU_TRY(out.bytes, DecodeBase64(value->text()));
  }
  out.index = NumberIn(row, "ModifyIndex");
  return out;
}

Result<std::optional<std::string>> ConsulClient::Get() {
  KINU_TRY(std::optional<Entry> entry, Read(path_));
  if (!entry) {
    return std::nullopt;
  }
  index_ = entry->index;
  std::string bytes = std::move(entry->bytes);
  const std::optional<Chunks> chunks = ChunksIn(bytes);
  if (chunks) {
    bytes.clear();
    for (const std::string& key : chunks->keys) {
      KINU_TRY(const std::optional<Entry> part, Read(key));
      if (!part) {
        return Fail(ErrorCode::kInvalid, "Key \"" + key + "\" could not be found");
      }
      bytes += part->bytes;
    }
  }
  if (bytes.starts_with('\x1f')) {
    KINU_TRY(bytes, Gunzip(bytes, kMaxState));
  }
  if (chunks && HexDigest(HashKind::kMd5, bytes) != chunks->hash) {
    return Fail(ErrorCode::kInvalid, "The remote state does not match the expected hash");
  }
  return bytes;
}

Result<void> ConsulClient::Swap(std::string_view bytes) {
  std::string body;
  JsonWriter json(body);
  json.BeginArray();
  json.BeginObject();
  json.Key("KV");
  json.BeginObject();
  json.Member("Verb", index_ == 0 ? "set" : "cas");
  json.Member("Key", std::string_view(path_));
  json.Member("Value", std::string_view(EncodeBase64(bytes)));
  json.Key("Index");
  json.Uint(index_);
  json.EndObject();
  json.EndObject();
  json.EndArray();
  KINU_TRY(const net::HttpResponse response, service_->Ask("PUT", "/v1/txn", std::move(body)));
  if (response.status != 200 && response.status != 409) {
    return Refused(response);
  }
  const JsonDocument document = ParseJson(response.body);
  const JsonNode* results = document.ok() ? document.root().Find("Results") : nullptr;
  if (response.status == 409) {
    std::string why;
    const JsonNode* errors = document.ok() ? document.root().Find("Errors") : nullptr;
    for (const JsonNode& error :
         errors != nullptr ? errors->elements() : std::span<const JsonNode>()) {
      const JsonNode* what = error.Find("What");
      why += (why.empty() ? "" : "; ") + std::string(what != nullptr ? what->text() : "");
    }
    return Fail(ErrorCode::kUnavailable, "consul CAS failed with transaction errors: " + why);
  }
  const JsonNode* entry = results == nullptr || results->elements().size() != 1
                              ? nullptr
                              : results->elements()[0].Find("KV");
  if (entry == nullptr) {
    return Fail(ErrorCode::kInvalid, "the answer of Consul has no result");
  }
  index_ = NumberIn(*entry, "ModifyIndex");
  return {};
}

Result<void> ConsulClient::PutChunks(const std::string& hash, std::string_view bytes) {
  std::string index;
  JsonWriter json(index);
  json.BeginObject();
  json.Key("chunks");
  json.BeginArray();
  for (size_t at = 0; at < bytes.size(); at += kChunk) {
    const std::string key = ChunkFolder(hash) + std::to_string(at / kChunk);
    KINU_TRY(const net::HttpResponse response,
             service_->Ask("PUT", KeyPath(key), std::string(bytes.substr(at, kChunk))));
    if (response.status != 200) {
      return Refused(response);
    }
    json.String(key);
  }
  json.EndArray();
  json.Member("current-hash", std::string_view(hash));
  json.EndObject();
  return Swap(index);
}

Result<void> ConsulClient::Put(std::string_view bytes) {
  KINU_TRY(const std::optional<Entry> before, Read(path_));
  const std::optional<Chunks> old = before ? ChunksIn(before->bytes) : std::nullopt;
  const std::string hash = HexDigest(HashKind::kMd5, bytes);
  const std::string packed = service_->gzip ? Gzip(bytes) : std::string();
  const std::string_view payload = service_->gzip ? std::string_view(packed) : bytes;
  Result<void> stored = Swap(payload);
  if (!stored && stored.error().message.contains("too large")) {
    stored = PutChunks(hash, payload);
  }
  if (stored && old && old->hash != hash) {
    // What stays behind harms nobody.
    (void)service_->Ask("DELETE", KeyPath(ChunkFolder(old->hash)) + "?recurse");
  }
  return stored;
}

Result<void> ConsulClient::Delete() {
  KINU_TRY(const std::optional<Entry> before, Read(path_));
  const std::optional<Chunks> old = before ? ChunksIn(before->bytes) : std::nullopt;
  KINU_TRY(const net::HttpResponse response, service_->Ask("DELETE", KeyPath(path_)));
  if (response.status != 200) {
    return Refused(response);
  }
  if (old) {
    KINU_TRY(const net::HttpResponse rest,
             service_->Ask("DELETE", KeyPath(ChunkFolder(old->hash)) + "?recurse"));
    if (rest.status != 200) {
      return Refused(rest);
    }
  }
  return {};
}

Result<std::string> ConsulClient::TryLock(const state::LockInfo& info) {
  if (!service_->lock) {
    return std::string();
  }
  KINU_TRY(std::unique_ptr<ConsulLock> lock, ConsulLock::Take(service_, base_ + "/.lock"));
  if (lock == nullptr) {
    KINU_TRY(const std::optional<Entry> holder, Read(LockInfoKey()));
    const Result<state::LockInfo> known =
        holder ? state::LockInfo::FromJson(holder->bytes)
               : Result<state::LockInfo>(Fail(ErrorCode::kNotFound, ""));
    return known ? Fail(ErrorCode::kExists, "the state is locked\n" + known->ToText())
                 : Fail(ErrorCode::kNotFound, "the state is locked, and nothing says who did it");
  }
  state::LockInfo stored = info;
  stored.id = lock->session();
  stored.info = "consul session: " + stored.id;
  stored.path = path_;
  KINU_TRY(const net::HttpResponse response,
           service_->Ask("PUT", KeyPath(LockInfoKey()), stored.ToJson()));
  if (response.status != 200) {
    (void)lock->Release();
    return Refused(response);
  }
  lock_ = std::move(lock);
  return stored.id;
}

Result<void> ConsulClient::Unlock(std::string_view id) {
  if (!service_->lock) {
    return {};
  }
  KINU_TRY(const net::HttpResponse forgotten, service_->Ask("DELETE", KeyPath(LockInfoKey())));
  if (forgotten.status != 200) {
    return Refused(forgotten);
  }
  if (lock_ != nullptr) {
    return std::exchange(lock_, nullptr)->Release();
  }
  KINU_TRY(const net::HttpResponse ended,
           service_->Ask("PUT", "/v1/session/destroy/" + std::string(id)));
  if (ended.status != 200) {
    return Refused(ended);
  }
  KINU_TRY(const net::HttpResponse removed, service_->Ask("DELETE", KeyPath(base_ + "/.lock")));
  return removed.status == 200 ? Result<void>() : Refused(removed);
}

class ConsulBackend final : public Backend {
 public:
  explicit ConsulBackend(net::Transport& transport) : transport_(transport) {}

  void Configure(const Value& settings, provider::Problems& problems) override;
  Result<std::vector<std::string>> Workspaces() override;
  Result<void> DeleteWorkspace(std::string_view name) override {
    if (name.empty() || name == kDefaultWorkspace) {
      return Fail(ErrorCode::kInvalid, "can't delete default state");
    }
    return ConsulClient(service_, PathOf(name)).Delete();
  }
  Result<std::unique_ptr<state::Store>> Open(std::string_view workspace,
                                             std::shared_ptr<Program> program,
                                             Opening opening) override;

 private:
  std::string PathOf(std::string_view workspace) const {
    return workspace == kDefaultWorkspace
               ? path_
               : path_ + std::string(kWorkspaceSeparator) + std::string(workspace);
  }

  net::Transport& transport_;
  std::shared_ptr<const ConsulService> service_;
  std::string path_;
};

/// The value of an environment variable.
std::string Variable(const char* name) {
  return std::string(Environment(name));
}

void SetFiles(const Value& settings, net::HttpRequest& request, provider::Problems& problems) {
  const auto read = [&](const std::string& path, std::string_view what) {
    Result<std::string> text = ReadFile(path);
    if (!text) {
      cloud::AddFailure(problems,
                        std::string(what) + "open " + path + ": " +
                            (text.error().code == ErrorCode::kNotFound ? "no such file or directory"
                                                                       : text.error().message));
    }
    return text.value_or("");
  };
  if (const std::string path = cloud::SettingText(settings, "ca_file"); !path.empty()) {
    request.extra_authorities = read(path, "Error loading CA File: ");
  }
  const std::string certificate = cloud::SettingText(settings, "cert_file");
  const std::string key = cloud::SettingText(settings, "key_file");
  if (certificate.empty() != key.empty()) {
    cloud::AddFailure(problems, "both client cert and client key must be provided");
  } else if (!certificate.empty()) {
    request.client_certificate = net::ClientCertificate{read(certificate, ""), read(key, "")};
  }
}

/// The address of the agent with its scheme, without "/" at the end.
std::string AddressOf(const Value& settings) {
  std::string address = cloud::SettingText(settings, "address", Variable("CONSUL_HTTP_ADDR"));
  if (address.empty()) {
    address = "127.0.0.1:8500";
  }
  while (address.ends_with('/')) {
    address.pop_back();
  }
  const std::string secure = Variable("CONSUL_HTTP_SSL");
  const bool https = text::ParseBool(secure).value_or(false);
  return address.contains("://")
             ? address
             : cloud::SettingText(settings, "scheme", https ? "https" : "http") + "://" + address;
}

void ConsulBackend::Configure(const Value& settings, provider::Problems& problems) {
  ConsulService service(transport_);
  service.address = AddressOf(settings);
  service.gzip = cloud::SettingFlag(settings, "gzip");
  service.lock = cloud::SettingFlag(settings, "lock", true);
  net::HttpRequest& request = service.request;
  std::string token = cloud::SettingText(settings, "access_token", Variable("CONSUL_HTTP_TOKEN"));
  if (const std::string file = Variable("CONSUL_HTTP_TOKEN_FILE"); token.empty() && !file.empty()) {
    token = ReadFile(file).value_or("");
    token.erase(token.find_last_not_of(" \r\n\t") + 1);
  }
  if (!token.empty()) {
    request.headers.Set("X-Consul-Token", token);
  }
  if (const std::string user =
          cloud::SettingText(settings, "http_auth", Variable("CONSUL_HTTP_AUTH"));
      !user.empty()) {
    request.headers.Set("Authorization",
                        "Basic " + EncodeBase64(user.contains(':') ? user : user + ':'));
  }
  service.arguments = {{"dc", cloud::SettingText(settings, "datacenter")},
                       {"ns", Variable("CONSUL_NAMESPACE")},
                       {"partition", Variable("CONSUL_PARTITION")}};
  const std::string verify = Variable("CONSUL_HTTP_SSL_VERIFY");
  request.verify_certificates = verify != "0" && verify != "false" && verify != "FALSE";
  SetFiles(settings, request, problems);
  path_ = cloud::SettingText(settings, "path");
  service_ = std::make_shared<const ConsulService>(std::move(service));
}

Result<std::vector<std::string>> ConsulBackend::Workspaces() {
  const std::string prefix = path_ + std::string(kWorkspaceSeparator);
  KINU_TRY(const net::HttpResponse response,
           service_->Ask("GET", KeyPath(prefix) + "?keys&separator=%2F"));
  std::vector<std::string> names{std::string(kDefaultWorkspace)};
  if (response.status == 404) {
    return names;
  }
  if (response.status != 200) {
    return Refused(response);
  }
  const JsonDocument document = ParseJson(response.body);
  for (const JsonNode& key :
       document.ok() ? document.root().elements() : std::span<const JsonNode>()) {
    if (key.is_string() && key.text().starts_with(prefix)) {
      std::string name(key.text().substr(prefix.size()));
      if (!name.contains('/')) {
        names.push_back(std::move(name));
      }
    }
  }
  return names;
}

Result<std::unique_ptr<state::Store>> ConsulBackend::Open(std::string_view workspace,
                                                          std::shared_ptr<Program> program,
                                                          Opening opening) {
  auto store = std::make_unique<RemoteStore>(
      std::make_unique<ConsulClient>(service_, PathOf(workspace)), StoringOf(workspace));
  if (workspace != kDefaultWorkspace && opening == Opening::kMake) {
    if (Result<void> made = StartWorkspace(*store, std::move(program), "Consul"); !made) {
      return std::unexpected(std::move(made).error());
    }
  }
  return store;
}

constexpr std::string_view kAuthoritiesEnv[] = {"CONSUL_CACERT"};
constexpr std::string_view kCertificateEnv[] = {"CONSUL_CLIENT_CERT"};
constexpr std::string_view kKeyEnv[] = {"CONSUL_CLIENT_KEY"};

constexpr Setting kSettings[] = {
    {.name = "access_token", .docs = "The token of Consul's access control."},
    {.name = "address", .docs = "Host and port of the agent. Default: 127.0.0.1:8500."},
    {.name = "ca_file",
     .docs = "A file with certificates of authorities to trust.",
     .environment = kAuthoritiesEnv},
    {.name = "cert_file",
     .docs = "A file with the certificate for the agent.",
     .environment = kCertificateEnv},
    {.name = "datacenter", .docs = "The datacenter. Default: that of the agent."},
    {.name = "gzip", .docs = "Compress states.", .type = SettingType::kBool},
    {.name = "http_auth", .docs = "USER:PASSWORD for HTTP basic authentication."},
    {.name = "key_file", .docs = "A file with the key of the certificate.", .environment = kKeyEnv},
    {.name = "lock", .docs = "Lock states. Default: true.", .type = SettingType::kBool},
    {.name = "path", .docs = "The key of the state.", .required = true},
    {.name = "scheme", .docs = "http or https. Default: http."}};

std::unique_ptr<Backend> MakeConsul(const StateFlags&) {
  return MakeConsulBackend(net::CurlTransport());
}

}  // namespace

std::unique_ptr<Backend> MakeConsulBackend(net::Transport& transport) {
  return std::make_unique<ConsulBackend>(transport);
}

constexpr BackendSpec kConsul{.type = "consul",
                              .docs = "States in Consul's key-value store.",
                              .settings = kSettings,
                              .make = MakeConsul};

}  // namespace kinu::backend
