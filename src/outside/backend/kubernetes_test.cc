// The backend "kubernetes" over a scripted cluster.
#include "backend/kubernetes.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "codec/base64.h"
#include "codec/deflate.h"
#include "json/writer.h"
#include "net/testing/scripted_transport.h"

namespace kinu::backend {
namespace {

using net::ScriptedTransport;

constexpr std::string_view kState =
    R"({"version":4,"terraform_version":"1.12.6","serial":3,"lineage":"l","outputs":{},)"
    R"("resources":[],"check_results":null})";
constexpr std::string_view kKubeConfig = R"(
apiVersion: v1
current-context: two
contexts:
- name: two
  context: {cluster: c, user: u}
clusters:
- name: c
  cluster: {server: "http://cluster:1/"}
users:
- name: u
  user:
    token: secret
)";

class KubernetesTest : public ::testing::Test {
 protected:
  KubernetesTest() : path_("/tmp/kinu-kube-" + RandomUuid()) {
    EXPECT_TRUE(ReplaceFile(path_, kKubeConfig, 0600));
  }
  ~KubernetesTest() override { std::remove(path_.c_str()); }

  std::unique_ptr<Backend> Make() {
    auto backend = MakeKubernetesBackend(transport_);
    provider::Problems problems;
    backend->Seal(state::NoSealing());
    backend->Configure(SettingsObject(*FindBackend("kubernetes"),
                                      Value::Object({{"secret_suffix", Value::String("s")},
                                                     {"config_path", Value::String(path_)}})),
                       problems);
    EXPECT_TRUE(problems.empty());
    return backend;
  }
  void On(std::string_view method, std::string_view path, std::string body, int status = 200) {
    transport_.On(std::string(method) + " http://cluster:1" + std::string(path),
                  ScriptedTransport::Make(status, std::move(body)));
  }
  std::string Secret(std::string_view state) const {
    return R"({"metadata":{"name":"n","resourceVersion":"5"},"data":{"tfstate":")" +
           EncodeBase64(Gzip(state)) + R"(","mine":"eA=="}})";
  }

  ScriptedTransport transport_;
  const std::string path_;
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
};

constexpr std::string_view kSecret = "/api/v1/namespaces/default/secrets/tfstate-default-s";
constexpr std::string_view kLeases = "/apis/coordination.k8s.io/v1/namespaces/default/leases";
constexpr std::string_view kLease =
    "/apis/coordination.k8s.io/v1/namespaces/default/leases/lock-tfstate-default-s";

std::string LeaseOf(const state::LockInfo& holder) {
  std::string out;
  JsonWriter json(out);
  json.BeginObject();
  json.Key("metadata");
  json.BeginObject();
  json.Key("annotations");
  json.BeginObject();
  json.Member("app.terraform.io/lock-info", std::string_view(holder.ToJson()));
  json.EndObject();
  json.EndObject();
  json.Key("spec");
  json.BeginObject();
  json.Member("holderIdentity", std::string_view(holder.id));
  json.EndObject();
  json.EndObject();
  return out;
}

TEST_F(KubernetesTest, ReplacesTheSecretThatItRead) {
  On("GET", kSecret, Secret(kState));
  On("PUT", kSecret, "{}");
  auto store = Make()->Open(kDefaultWorkspace, program_).value();
  auto state = store->Read(program_);
  ASSERT_TRUE(state);
  EXPECT_EQ(transport_.requests().back().headers.Get("Authorization"), "Bearer secret");
  state->outputs.push_back({.name = "o", .value = Value::String("x")});
  ASSERT_TRUE(store->Write(*state));
  const std::string body = transport_.requests().back().body;
  EXPECT_TRUE(body.contains(R"("resourceVersion":"5")"));
  EXPECT_TRUE(body.contains(R"("mine":"eA==")"));
}

TEST_F(KubernetesTest, LocksByLeases) {
  On("GET", kSecret, Secret(kState));
  On("POST", kLeases, "{}", 201);
  auto store = Make()->Open(kDefaultWorkspace, program_).value();
  ASSERT_TRUE(store->Lock({.operation = "test"}));
  const std::string lease = transport_.requests().back().body;
  EXPECT_TRUE(lease.contains("\"holderIdentity\""));
  On("GET", kLease, lease);
  On("PUT", kLease, "{}");
  auto second = Make()->Open(kDefaultWorkspace, program_).value();
  const auto held = second->Lock({.operation = "test"});
  EXPECT_EQ(held.error().code, ErrorCode::kExists);
  EXPECT_TRUE(held.error().message.starts_with(
      "the state is already locked by another tofu client\nLock Info:"));
  ASSERT_TRUE(store->Unlock());
  EXPECT_FALSE(transport_.requests().back().body.contains("holderIdentity"));
  EXPECT_FALSE(transport_.requests().back().body.contains("lock-info"));
}

TEST_F(KubernetesTest, ReportsWhoTookTheLeaseFirst) {
  On("GET", kSecret, Secret(kState));
  const state::LockInfo other = state::NewLockInfo("other");
  // There is no lease when it is looked for, and one when it shall be made.
  On("GET", kLease, "{}", 404);
  On("GET", kLease, LeaseOf(other));
  On("POST", kLeases, R"({"message":"leases \"lock\" already exists"})", 409);
  auto store = Make()->Open(kDefaultWorkspace, program_).value();
  const auto held = store->Lock({.operation = "test"});
  EXPECT_EQ(held.error().code, ErrorCode::kExists);
  EXPECT_TRUE(held.error().message.contains(other.ToText())) << held.error().message;
}

TEST_F(KubernetesTest, TakesALeaseThatWasGivenBackMeanwhile) {
  On("GET", kSecret, Secret(kState));
  const std::string free = R"({"metadata":{"labels":{"tfstate":"true"}},"spec":{}})";
  On("GET", kLease, free);
  On("PUT", kLease, R"({"message":"the object has been modified"})", 409);
  On("PUT", kLease, "{}");
  auto store = Make()->Open(kDefaultWorkspace, program_).value();
  EXPECT_TRUE(store->Lock({.operation = "test"}));
}

TEST_F(KubernetesTest, ListsWorkspaces) {
  On("GET", "/api/v1/namespaces/default/secrets?labelSelector=tfstate%3Dtrue",
     R"({"items":[{"metadata":{"labels":{"tfstateWorkspace":"b","tfstateSecretSuffix":"s"}}},)"
     R"({"metadata":{"labels":{"tfstateWorkspace":"a","tfstateSecretSuffix":"s"}}},)"
     R"({"metadata":{"labels":{"tfstateWorkspace":"c","tfstateSecretSuffix":"t"}}}]})");
  EXPECT_EQ(Make()->Workspaces().value(), (std::vector<std::string>{"default", "a", "b"}));
}

TEST_F(KubernetesTest, NeedsAConfiguration) {
  provider::Problems problems;
  MakeBackend(*FindBackend("kubernetes"), Value::Object({{"secret_suffix", Value::String("s")}}),
              {}, problems);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_TRUE(problems[0].summary.starts_with(
      "Failed to initialize kubernetes configuration: invalid configuration: no configuration"));
}

TEST_F(KubernetesTest, NeedsTheEntriesThatSettingsName) {
  const std::string missing = "/tmp/kinu-kube-" + RandomUuid();
  const std::pair<const char*, const char*> kinds[] = {{"config_context", "context"},
                                                       {"config_context_auth_info", "auth info"},
                                                       {"config_context_cluster", "cluster"}};
  for (const std::string& path : {path_, missing}) {
    for (const auto& [setting, kind] : kinds) {
      provider::Problems problems;
      MakeBackend(*FindBackend("kubernetes"),
                  Value::Object({{"secret_suffix", Value::String("s")},
                                 {"config_path", Value::String(path)},
                                 {setting, Value::String("x")}}),
                  {}, problems);
      ASSERT_EQ(problems.size(), 1U) << setting;
      EXPECT_EQ(problems[0].summary, "Failed to initialize kubernetes configuration: " +
                                         std::string(kind) + " \"x\" does not exist");
    }
  }
}

}  // namespace
}  // namespace kinu::backend
