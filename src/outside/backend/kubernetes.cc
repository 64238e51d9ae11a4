// The backend "kubernetes": states in secrets of a cluster, locked by leases.
// Ref: opentofu internal/backend/remote-state/kubernetes.
#include "backend/kubernetes.h"

#include <algorithm>
#include <utility>

#include "backend/kube_config.h"
#include "backend/lock_wait.h"
#include "backend/new_workspace.h"
#include "backend/remote_store.h"
#include "backend/specs.h"
#include "cloud/settings.h"
#include "codec/base64.h"
#include "codec/deflate.h"
#include "compatibility/level.h"
#include "cty/json.h"
#include "json/reader.h"
#include "net/curl_transport.h"
#include "net/url.h"

namespace kinu::backend {
namespace {

constexpr std::string_view kLockInfo = "app.terraform.io/lock-info";
constexpr std::string_view kHeld = "the state is already locked by another tofu client";
constexpr uint64_t kMaxUnpacked = uint64_t{1} << 32;

using Members = std::vector<std::pair<std::string, Value>>;

/// A copy of an object with one more member, or another value for it. Null removes it.
Value With(const Value& object, std::string_view name, Value value) {
  Members members;
  if (!object.IsNull() && object.type().is_object()) {
    for (size_t i = 0; i < object.size(); ++i) {
      if (object.key(i) != name) {
        members.emplace_back(std::string(object.key(i)), object.elements()[i]);
      }
    }
  }
  if (!value.IsNull()) {
    members.emplace_back(std::string(name), std::move(value));
  }
  return Value::Object(std::move(members));
}

/// A member of an object; an empty object if there is none.
Value PartOf(const Value& object, std::string_view name) {
  const Value* part = !object.IsNull() && object.type().is_object() ? object.Find(name) : nullptr;
  return part == nullptr || part->IsNull() ? Value::EmptyObject() : *part;
}

/// A member that is a text; empty if there is none.
std::string TextOf(const Value& object, std::string_view name) {
  const Value part = PartOf(object, name);
  return part.type() == Type::String() ? std::string(part.AsString()) : std::string();
}

/// The interface of a cluster, and whose states are kept there.
struct KubeService {
  explicit KubeService(net::Transport& transport)
      : client(transport, {.user_agent = "OpenTofu/" + std::string(compatibility::FullRelease()),
                           .wait = {}}) {}

  Result<net::HttpResponse> Ask(std::string_view method, const std::string& path,
                                const Value* body = nullptr) const;
  std::string Secrets() const { return "/api/v1/namespaces/" + space + "/secrets"; }
  std::string Leases() const {
    return "/apis/coordination.k8s.io/v1/namespaces/" + space + "/leases";
  }

  net::HttpClient client;
  KubeCluster cluster;
  std::string space;
  std::string suffix;
  std::map<std::string, std::string> labels;
};

Result<net::HttpResponse> KubeService::Ask(std::string_view method, const std::string& path,
                                           const Value* body) const {
  net::HttpRequest request = cluster.request;
  request.method = method;
  request.url = cluster.host + path;
  request.headers.Set("Accept", "application/json");
  if (body != nullptr) {
    request.headers.Set("Content-Type", "application/json");
    JsonWriter json(request.body);
    (void)WriteSimpleJson(json, *body);
  }
  return client.Send(request);
}

/// The error of a response that is no success: what the cluster says.
std::unexpected<Error> RefusedByCluster(const net::HttpResponse& response) {
  const JsonDocument document = ParseJson(response.body);
  const JsonNode* message =
      document.ok() && document.root().is_object() ? document.root().Find("message") : nullptr;
  return Fail(response.status == 409 ? ErrorCode::kExists : ErrorCode::kUnavailable,
              message != nullptr && message->is_string() ? std::string(message->text())
                                                         : response.StatusText());
}

class KubeClient final : public RemoteClient {
 public:
  KubeClient(std::shared_ptr<const KubeService> service, std::string_view workspace)
      : service_(std::move(service)), workspace_(workspace) {}

  Result<std::optional<std::string>> Get() override;
  Result<void> Put(std::string_view bytes) override;
  Result<void> Delete() override;
  Result<std::string> Lock(const state::LockInfo& info) override {
    return WaitForHolder([&] { return TryLock(info); });
  }
  Result<void> Unlock(std::string_view id) override;

 private:
  Result<std::string> TryLock(const state::LockInfo& info) const;
  /// The name of the secret.
  Result<std::string> Name() const;
  /// An object; nothing if there is none.
  Result<std::optional<Value>> Find(const std::string& path) const;
  /// Creates or replaces an object, and returns it as it is stored.
  Result<Value> Store(std::string_view method, const std::string& path, const Value& object) const;
  Result<void> Remove(const std::string& path, std::string_view kind) const;
  /// The id of a lock if its lease has been stored, perhaps by a request whose response was lost.
  Result<std::string> Taken(const Result<Value>& stored, const std::string& path,
                            const std::string& id) const;
  Value Metadata(const std::string& name, std::string_view annotation, std::string_view text) const;

  std::shared_ptr<const KubeService> service_;
  std::string workspace_;
};

Result<std::string> KubeClient::Name() const {
  std::string name = "tfstate-" + workspace_ + '-' + service_->suffix;
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  if (name.size() > 253 || !std::ranges::all_of(name, fits) || name.contains("..") ||
      name.contains(".-") || name.contains("-.") || name.ends_with('-') || name.ends_with('.')) {
    return Fail(ErrorCode::kInvalid,
                "the secret name " + name +
                    " is invalid: names of secrets have lower case letters, digits, \"-\" and "
                    "\".\", and end with a letter or digit");
  }
  return name;
}

Result<std::optional<Value>> KubeClient::Find(const std::string& path) const {
  KINU_TRY(const net::HttpResponse response, service_->Ask("GET", path));
  if (response.status == 404) {
    return std::nullopt;
  }
  if (!response.ok()) {
    return RefusedByCluster(response);
  }
  auto value = ImpliedValueOfJson(response.body);
  if (!value) {
    return Fail(ErrorCode::kInvalid, "the answer of the cluster is no JSON");
  }
  return *std::move(value);
}

Result<Value> KubeClient::Store(std::string_view method, const std::string& path,
                                const Value& object) const {
  KINU_TRY(const net::HttpResponse response, service_->Ask(method, path, &object));
  if (!response.ok()) {
    return RefusedByCluster(response);
  }
  auto value = ImpliedValueOfJson(response.body);
  return value ? Result<Value>(*std::move(value))
               : Fail(ErrorCode::kInvalid, "the answer of the cluster is no JSON");
}

Value KubeClient::Metadata(const std::string& name, std::string_view annotation,
                           std::string_view text) const {
  std::map<std::string, std::string> labels{{"tfstate", "true"},
                                            {"tfstateSecretSuffix", service_->suffix},
                                            {"tfstateWorkspace", workspace_},
                                            {"app.kubernetes.io/managed-by", "terraform"}};
  for (const auto& [key, value] : service_->labels) {
    labels[key] = value;
  }
  Members texts;
  for (const auto& [key, value] : labels) {
    texts.emplace_back(key, Value::String(value));
  }
  return Value::Object(
      {{"name", Value::String(name)},
       {"namespace", Value::String(service_->space)},
       {"labels", Value::Object(std::move(texts))},
       {"annotations", Value::Object({{std::string(annotation), Value::String(text)}})}});
}

Result<std::optional<std::string>> KubeClient::Get() {
  KINU_TRY(const std::string name, Name());
  KINU_TRY(const std::optional<Value> secret, Find(service_->Secrets() + '/' + name));
  const std::string data = secret ? TextOf(PartOf(*secret, "data"), "tfstate") : std::string();
  if (data.empty()) {
    return std::nullopt;
  }
  KINU_TRY(const std::string packed, DecodeBase64(data));
  KINU_TRY(std::string bytes, Gunzip(packed, kMaxUnpacked));
  return bytes;
}

Result<void> KubeClient::Put(std::string_view bytes) {
  KINU_TRY(const std::string name, Name());
  const std::string path = service_->Secrets() + '/' + name;
  KINU_TRY(std::optional<Value> secret, Find(path));
  if (!secret) {
    const Value fresh = Value::Object({{"apiVersion", Value::String("v1")},
                                       {"kind", Value::String("Secret")},
                                       {"metadata", Metadata(name, "encoding", "gzip")}});
    KINU_TRY(secret, Store("POST", service_->Secrets(), fresh));
  }
  // With the version that was read: a change by another client in between is a conflict.
  const Value data =
      With(PartOf(*secret, "data"), "tfstate", Value::String(EncodeBase64(Gzip(bytes))));
  KINU_TRY(const Value stored, Store("PUT", path, With(*secret, "data", data)));
  return {};
}

Result<void> KubeClient::Remove(const std::string& path, std::string_view kind) const {
  KINU_TRY(const std::optional<Value> object, Find(path));
  if (!object) {
    return {};
  }
  if (TextOf(PartOf(PartOf(*object, "metadata"), "labels"), "tfstate") != "true") {
    return Fail(ErrorCode::kInvalid, std::string(kind) + " does not have \"tfstate\" label");
  }
  const Value options = Value::Object({{"apiVersion", Value::String("v1")},
                                       {"kind", Value::String("DeleteOptions")},
                                       {"propagationPolicy", Value::String("Background")}});
  KINU_TRY(const net::HttpResponse response, service_->Ask("DELETE", path, &options));
  return response.ok() || response.status == 404 ? Result<void>() : RefusedByCluster(response);
}

Result<void> KubeClient::Delete() {
  KINU_TRY(const std::string name, Name());
  Result<void> removed = Remove(service_->Secrets() + '/' + name, "Secret");
  return removed ? Remove(service_->Leases() + "/lock-" + name, "Lease") : removed;
}

/// The error for a lease that another one holds.
std::unexpected<Error> HeldBy(const Value& lease, std::string_view why) {
  const std::string text = TextOf(PartOf(PartOf(lease, "metadata"), "annotations"), kLockInfo);
  const Result<state::LockInfo> holder = state::LockInfo::FromJson(text);
  return holder ? Fail(ErrorCode::kExists, std::string(why) + '\n' + holder->ToText())
                : Fail(ErrorCode::kNotFound, std::string(why));
}

Result<std::string> KubeClient::TryLock(const state::LockInfo& info) const {
  KINU_TRY(const std::string secret, Name());
  const std::string name = "lock-" + secret;
  const std::string path = service_->Leases() + '/' + name;
  KINU_TRY(const std::optional<Value> lease, Find(path));
  const Value id = Value::String(info.id);
  if (!lease) {
    const Value fresh = Value::Object({{"apiVersion", Value::String("coordination.k8s.io/v1")},
                                       {"kind", Value::String("Lease")},
                                       {"metadata", Metadata(name, kLockInfo, info.ToJson())},
                                       {"spec", Value::Object({{"holderIdentity", id}})}});
    return Taken(Store("POST", service_->Leases(), fresh), path, info.id);
  }
  const Value spec = PartOf(*lease, "spec");
  if (!TextOf(spec, "holderIdentity").empty()) {
    return HeldBy(*lease, kHeld);
  }
  const Value metadata = PartOf(*lease, "metadata");
  const Value annotations =
      With(PartOf(metadata, "annotations"), kLockInfo, Value::String(info.ToJson()));
  const Value held = With(With(*lease, "spec", With(spec, "holderIdentity", id)), "metadata",
                          With(metadata, "annotations", annotations));
  return Taken(Store("PUT", path, held), path, info.id);
}

Result<std::string> KubeClient::Taken(const Result<Value>& stored, const std::string& path,
                                      const std::string& id) const {
  if (stored) {
    return id;
  }
  const Result<std::optional<Value>> now = Find(path);
  const std::string holder =
      now && *now ? TextOf(PartOf(**now, "spec"), "holderIdentity") : std::string();
  if (holder == id) {
    return id;
  }
  const bool outrun = now && stored.error().code == ErrorCode::kExists;
  if (outrun && !holder.empty()) {
    return HeldBy(**now, kHeld);
  }
  // Who was faster may have released it again.
  return outrun ? Fail(ErrorCode::kNotFound, stored.error().message)
                : std::unexpected(stored.error());
}

Result<void> KubeClient::Unlock(std::string_view id) {
  KINU_TRY(const std::string secret, Name());
  const std::string path = service_->Leases() + "/lock-" + secret;
  KINU_TRY(const std::optional<Value> lease, Find(path));
  const Value spec = lease ? PartOf(*lease, "spec") : Value::EmptyObject();
  const std::string holder = TextOf(spec, "holderIdentity");
  if (holder.empty()) {
    return Fail(ErrorCode::kInvalid, "state is already unlocked");
  }
  if (holder != id) {
    std::unexpected<Error> held =
        HeldBy(*lease, "lock id \"" + std::string(id) + "\" does not match existing lock");
    return Fail(ErrorCode::kInvalid, held.error().message);
  }
  const Value metadata = PartOf(*lease, "metadata");
  const Value none = Value::Null(Type::Dynamic());
  const Value free =
      With(With(*lease, "spec", With(spec, "holderIdentity", none)), "metadata",
           With(metadata, "annotations", With(PartOf(metadata, "annotations"), kLockInfo, none)));
  KINU_TRY(const Value stored, Store("PUT", path, free));
  return {};
}

class KubernetesBackend final : public Backend {
 public:
  explicit KubernetesBackend(net::Transport& transport) : transport_(transport) {}

  void Configure(const Value& settings, provider::Problems& problems) override;
  Result<std::vector<std::string>> Workspaces() override;
  Result<void> DeleteWorkspace(std::string_view name) override {
    if (name.empty() || name == kDefaultWorkspace) {
      return Fail(ErrorCode::kInvalid, "can't delete default state");
    }
    return KubeClient(service_, name).Delete();
  }
  Result<std::unique_ptr<state::Store>> Open(std::string_view workspace,
                                             std::shared_ptr<Program> program,
                                             Opening opening) override;

 private:
  net::Transport& transport_;
  std::shared_ptr<const KubeService> service_;
};

void KubernetesBackend::Configure(const Value& settings, provider::Problems& problems) {
  KubeService service(transport_);
  service.space = cloud::SettingText(settings, "namespace", "default");
  service.suffix = cloud::SettingText(settings, "secret_suffix");
  service.labels = cloud::SettingMap(settings, "labels");
  Result<KubeCluster> cluster = ReadKubeCluster(settings);
  if (!cluster) {
    cloud::AddFailure(problems, cluster.error().message);
    return;
  }
  service.cluster = *std::move(cluster);
  service_ = std::make_shared<const KubeService>(std::move(service));
}

Result<std::vector<std::string>> KubernetesBackend::Workspaces() {
  KINU_TRY(const net::HttpResponse response,
           service_->Ask("GET", service_->Secrets() + "?labelSelector=tfstate%3Dtrue"));
  if (!response.ok()) {
    return RefusedByCluster(response);
  }
  const auto list = ImpliedValueOfJson(response.body);
  std::vector<std::string> names;
  const Value items = list ? PartOf(*list, "items") : Value::EmptyObject();
  for (const Value& secret : items.elements()) {
    const Value labels = PartOf(PartOf(secret, "metadata"), "labels");
    std::string name = TextOf(labels, "tfstateWorkspace");
    if (!name.empty() && name != kDefaultWorkspace &&
        TextOf(labels, "tfstateSecretSuffix") == service_->suffix) {
      names.push_back(std::move(name));
    }
  }
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  names.emplace(names.begin(), kDefaultWorkspace);
  return names;
}

Result<std::unique_ptr<state::Store>> KubernetesBackend::Open(std::string_view workspace,
                                                              std::shared_ptr<Program> program,
                                                              Opening opening) {
  KubeClient look(service_, workspace);
  auto store = std::make_unique<RemoteStore>(std::make_unique<KubeClient>(service_, workspace),
                                             StoringOf(workspace));
  if (opening == Opening::kMake) {
    KINU_TRY(const std::optional<std::string> stored, look.Get());
    if (!stored) {
      if (Result<void> made = StartWorkspace(*store, std::move(program), "Kubernetes"); !made) {
        return std::unexpected(std::move(made).error());
      }
    }
  }
  return store;
}

constexpr std::string_view kNamespaceEnv[] = {"KUBE_NAMESPACE"};
constexpr std::string_view kInClusterEnv[] = {"KUBE_IN_CLUSTER_CONFIG"};
constexpr std::string_view kLoadFileEnv[] = {"KUBE_LOAD_CONFIG_FILE"};
constexpr std::string_view kPathEnv[] = {"KUBE_CONFIG_PATH"};
constexpr std::string_view kContextEnv[] = {"KUBE_CTX"};
constexpr std::string_view kContextUserEnv[] = {"KUBE_CTX_AUTH_INFO"};
constexpr std::string_view kContextClusterEnv[] = {"KUBE_CTX_CLUSTER"};
constexpr std::string_view kHostEnv[] = {"KUBE_HOST"};
constexpr std::string_view kUserEnv[] = {"KUBE_USER"};
constexpr std::string_view kPasswordEnv[] = {"KUBE_PASSWORD"};
constexpr std::string_view kInsecureEnv[] = {"KUBE_INSECURE"};
constexpr std::string_view kTokenEnv[] = {"KUBE_TOKEN"};
constexpr std::string_view kCertificateEnv[] = {"KUBE_CLIENT_CERT_DATA"};
constexpr std::string_view kKeyEnv[] = {"KUBE_CLIENT_KEY_DATA"};
constexpr std::string_view kAuthoritiesEnv[] = {"KUBE_CLUSTER_CA_CERT_DATA"};

constexpr Setting kExecSettings[] = {
    {.name = "api_version", .docs = "The version of its interface.", .required = true},
    {.name = "args", .docs = "Its arguments.", .type = SettingType::kStringList},
    {.name = "command", .docs = "The program.", .required = true},
    {.name = "env", .docs = "Its environment.", .type = SettingType::kStringMap}};

constexpr Setting kSettings[] = {
    {.name = "client_certificate",
     .docs = "The certificate for the cluster, as PEM.",
     .environment = kCertificateEnv},
    {.name = "client_key", .docs = "The key of the certificate, as PEM.", .environment = kKeyEnv},
    {.name = "cluster_ca_certificate",
     .docs = "Certificates of authorities to trust, as PEM.",
     .environment = kAuthoritiesEnv},
    {.name = "config_context",
     .docs = "The context of the kubeconfig file.",
     .environment = kContextEnv},
    {.name = "config_context_auth_info",
     .docs = "The user of the kubeconfig file.",
     .environment = kContextUserEnv},
    {.name = "config_context_cluster",
     .docs = "The cluster of the kubeconfig file.",
     .environment = kContextClusterEnv},
    {.name = "config_path", .docs = "The kubeconfig file.", .environment = kPathEnv},
    {.name = "config_paths",
     .docs = "Kubeconfig files, of which the first with a value counts.",
     .type = SettingType::kStringList},
    {.name = "exec",
     .docs = "A program that prints credentials.",
     .type = SettingType::kBlockList,
     .parts = kExecSettings},
    {.name = "host", .docs = "The address of the cluster.", .environment = kHostEnv},
    {.name = "in_cluster_config",
     .docs = "The program runs in the cluster.",
     .type = SettingType::kBool,
     .environment = kInClusterEnv},
    {.name = "insecure",
     .docs = "Accept any certificate of the cluster.",
     .type = SettingType::kBool,
     .environment = kInsecureEnv},
    {.name = "labels", .docs = "Labels of secrets and leases.", .type = SettingType::kStringMap},
    {.name = "load_config_file",
     .docs = "Has no effect.",
     .type = SettingType::kBool,
     .environment = kLoadFileEnv},
    {.name = "namespace",
     .docs = "The namespace of secrets and leases. Default: default.",
     .environment = kNamespaceEnv},
    {.name = "password", .docs = "The password of the user.", .environment = kPasswordEnv},
    {.name = "secret_suffix", .docs = "What the names of secrets end with.", .required = true},
    {.name = "token", .docs = "The token of a service account.", .environment = kTokenEnv},
    {.name = "username",
     .docs = "The user of HTTP basic authentication.",
     .environment = kUserEnv}};

std::unique_ptr<Backend> MakeKubernetes(const StateFlags&) {
  return MakeKubernetesBackend(net::CurlTransport());
}

}  // namespace

std::unique_ptr<Backend> MakeKubernetesBackend(net::Transport& transport) {
  return std::make_unique<KubernetesBackend>(transport);
}

constexpr BackendSpec kKubernetes{.type = "kubernetes",
                                  .docs = "States in secrets of a Kubernetes cluster.",
                                  .settings = kSettings,
                                  .make = MakeKubernetes};

}  // namespace kinu::backend
