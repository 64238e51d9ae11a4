#include <gtest/gtest.h>

#include "backend/hosted_backend.h"
#include "codec/base64.h"
#include "json/reader.h"
#include "net/testing/scripted_transport.h"

namespace kinu::backend {
namespace {

using net::ScriptedTransport;

class FixedHosts final : public ServiceHosts {
 public:
  Result<std::string> Service(const std::string& host, std::string_view id) override {
    if (host != "h.example") {
      return Fail(ErrorCode::kNotFound, "host " + host + " does not provide a tfe service");
    }
    asked.emplace_back(id);
    return "https://h/api";
  }
  Result<std::string> Token(const std::string&) override { return token; }

  std::string token = "t";
  std::vector<std::string> asked;
};

net::HttpResponse Json(std::string body, int status = 200, std::vector<net::Header> more = {}) {
  more.push_back({"Content-Type", "application/vnd.api+json"});
  return ScriptedTransport::Make(status, std::move(body), std::move(more));
}

std::string WorkspaceJson(const std::string& name, const std::string& version = "1.12.6",
                          const std::string& mode = "local") {
  return R"({"id":"ws-)" + name + R"(","type":"workspaces","attributes":{"name":")" + name +
         R"(","terraform-version":")" + version + R"(","execution-mode":")" + mode + R"("}})";
}

class HostedTest : public testing::Test {
 protected:
  HostedTest() {
    transport_.On("GET https://h/api/ping",
                  ScriptedTransport::Make(204, "", {{"TFP-API-Version", "2.6"}}));
    SetOperations(true);
  }

  void SetOperations(bool value) {
    transport_.On("GET https://h/api/organizations/acme/entitlement-set",
                  Json(std::string(R"({"data":{"id":"e","type":"x","attributes":{"operations":)") +
                       (value ? "true" : "false") + "}}}"));
  }
  void Know(const std::string& name, const std::string& version = "1.12.6",
            const std::string& mode = "local") {
    transport_.On("GET https://h/api/organizations/acme/workspaces/" + name,
                  Json("{\"data\":" + WorkspaceJson(name, version, mode) + "}"));
  }

  static Value Text(std::string_view text) { return Value::String(text); }
  std::unique_ptr<Backend> Make(const char* type, Value workspaces,
                                const char* host = "h.example") {
    const BackendSpec& spec = *FindBackend(type);
    const Value settings =
        SettingsObject(spec, Value::Object({{"hostname", Text(host)},
                                            {"organization", Text("acme")},
                                            {"workspaces", std::move(workspaces)}}));
    auto backend = std::string_view(type) == "cloud" ? MakeCloudBackend(transport_)
                                                     : MakeRemoteBackend(transport_);
    backend->Reach(hosts_);
    problems_.clear();
    backend->Check(settings, problems_);
    if (problems_.empty()) {
      backend->Seal(state::NoSealing());
      backend->Configure(settings, problems_);
    }
    return backend;
  }
  std::unique_ptr<Backend> Named(const char* type = "remote") {
    return Make(type, Value::Object({{"name", Text("app")}}));
  }
  std::string Problem() const {
    return problems_.size() == 1 ? problems_[0].summary : std::to_string(problems_.size());
  }
  std::string VersionProblem(Backend& backend, bool go_on) {
    problems_.clear();
    backend.CheckVersion(backend.OnlyWorkspace().empty() ? "default" : "app", go_on, problems_);
    if (problems_.empty()) {
      return "";
    }
    return (provider::HasErrors(problems_) ? "error: " : "warning: ") + problems_[0].summary;
  }
  /// The last request to a path of the interface.
  net::HttpRequest Last(const std::string& line) const {
    net::HttpRequest out;
    for (const net::HttpRequest& request : transport_.requests()) {
      if (request.method + ' ' + request.url == line) {
        out = request;
      }
    }
    return out;
  }

  ScriptedTransport transport_;
  std::shared_ptr<FixedHosts> hosts_ = std::make_shared<FixedHosts>();
  provider::Problems problems_;
};

TEST_F(HostedTest, RequestsSayWhoAsks) {
  ASSERT_NE(Named(), nullptr);
  EXPECT_EQ(Problem(), "0");
  EXPECT_EQ(hosts_->asked, std::vector<std::string>{"tfe.v2.1"});
  const net::HttpRequest remote = Last("GET https://h/api/ping");
  EXPECT_EQ(remote.headers.Get("Authorization"), "Bearer t");
  EXPECT_EQ(remote.headers.Get("Terraform-Version"), "1.12.6");
  EXPECT_EQ(remote.headers.Get("User-Agent"), "OpenTofu/1.12.6");
  EXPECT_EQ(remote.headers.Get("X-Terraform-Integration"), "");
  ASSERT_NE(Named("cloud"), nullptr);
  EXPECT_EQ(Problem(), "0");
  EXPECT_EQ(Last("GET https://h/api/ping").headers.Get("X-Terraform-Integration"), "cloud");
}

TEST_F(HostedTest, ProblemsOnTheWay) {
  Make("remote", Value::Object({{"name", Text("app")}}), "other.example");
  EXPECT_EQ(Problem(), "Host other.example does not provide a tfe service");
  hosts_->token = "";
  Named();
  EXPECT_EQ(Problem(), "Required token could not be found");
  hosts_->token = "t";
  transport_.On("GET https://h/api/organizations/acme/entitlement-set", Json("", 404));
  Named();
  Named();
  EXPECT_EQ(Problem(), "Failed to read organization \"acme\" at host h.example");
  transport_.FailOn("GET https://h/api/ping", {ErrorCode::kInvalid, "no"});
  Named();
  Named("cloud");
  EXPECT_EQ(Problem(), "Failed to create the cloud backend client");
  auto unreached = MakeRemoteBackend(transport_);
  problems_.clear();
  unreached->Seal(state::NoSealing());
  unreached->Configure(
      SettingsObject(*FindBackend("remote"), Value::Object({{"hostname", Text("h.example")}})),
      problems_);
  EXPECT_EQ(Problem(), "services of hosts cannot be reached from here");
}

TEST_F(HostedTest, WorkspacesAreListedPageByPage) {
  const std::string list = "GET https://h/api/organizations/acme/workspaces?";
  transport_.On(
      list + "search%5Bname%5D=app-",
      Json("{\"data\":[" + WorkspaceJson("app-b") + ',' + WorkspaceJson("my-app-") +
           R"(],"meta":{"pagination":{"current-page":1,"next-page":2,"total-pages":2}}})"));
  transport_.On(list + "page%5Bnumber%5D=2&search%5Bname%5D=app-",
                Json("{\"data\":[" + WorkspaceJson("app-a") +
                     R"(],"meta":{"pagination":{"current-page":2,"total-pages":2}}})"));
  const auto backend = Make("remote", Value::Object({{"prefix", Text("app-")}}));
  EXPECT_EQ(*backend->Workspaces(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(backend->NamePattern(), "app-*");
  EXPECT_EQ(backend->Open("default", std::make_shared<Program>()).error().code,
            ErrorCode::kNotFound);
}

TEST_F(HostedTest, VersionsOfTheProgram) {
  auto backend = Named();
  const auto with = [&](const char* version, bool go_on = false) {
    transport_.On("GET https://h/api/organizations/acme/workspaces/app",
                  Json("{\"data\":" + WorkspaceJson("app", version, "remote") + "}"));
    // The last answer is repeated: the one before it has to go first.
    (void)VersionProblem(*backend, go_on);
    return VersionProblem(*backend, go_on);
  };
  EXPECT_EQ(with("1.12.0"), "");
  EXPECT_EQ(with("latest"), "");
  EXPECT_EQ(with("1.11.9"), "error: OpenTofu version mismatch");
  EXPECT_EQ(with("1.11.9", true), "warning: OpenTofu version mismatch");
  EXPECT_EQ(with("x"), "error: Error looking up workspace");
  backend = Named("cloud");
  EXPECT_EQ(with("1.12.1"), "");
  EXPECT_EQ(with("~> 1.10"), "");
  EXPECT_EQ(with(">= 1.13.0"), "error: Incompatible TF version");
  EXPECT_EQ(with("1.3.0"), "error: Incompatible TF version");
  EXPECT_EQ(with("x"), "error: Incompatible TF version");
  transport_.On("GET https://h/api/organizations/acme/workspaces/app", Json("", 403));
  (void)VersionProblem(*backend, false);
  EXPECT_EQ(VersionProblem(*backend, false), "error: Error looking up workspace");
}

TEST_F(HostedTest, RunsAreWhereTheWorkspaceSays) {
  Know("app", "1.12.6", "remote");
  Know("app", "1.12.6", "agent");
  Know("app", "1.12.6", "local");
  const auto backend = Named();
  EXPECT_EQ(backend->RunsRemotely("default"), true);
  EXPECT_EQ(backend->RunsRemotely("default"), true);
  EXPECT_EQ(backend->RunsRemotely("default"), false);
  transport_.On("GET https://h/api/organizations/acme/workspaces/app", Json("", 500));
}

TEST_F(HostedTest, SnapshotIntervalIsTheServices) {
  HostedStateClient always(nullptr, {}, MidwayStoring::kAlways);
  HostedStateClient never(nullptr, {}, MidwayStoring::kNever);
  HostedStateClient asked(nullptr, {}, MidwayStoring::kWhenAsked);
  const std::chrono::seconds usual(20);
  EXPECT_EQ(always.write_interval(usual), usual);
  EXPECT_EQ(never.write_interval(usual), std::nullopt);
  EXPECT_GT(asked.write_interval(usual), std::chrono::hours(1000));
}

TEST_F(HostedTest, IntervalIsReadFromAnswers) {
  auto organization = std::make_shared<const Organization>(
      transport_, OrganizationPlace{.base = "https://h/api", .name = "acme", .token = "t"},
      nullptr);
  HostedStateClient client(organization, {.id = "ws-1", .name = "app"}, MidwayStoring::kWhenAsked);
  const std::string current = "GET https://h/api/workspaces/ws-1/current-state-version";
  const std::string version = R"({"data":{"attributes":{"hosted-state-download-url":"/d"}}})";
  transport_.On(current, Json(version, 200, {{"x-terraform-snapshot-interval", "100"}}));
  transport_.On(current, Json(version, 200, {{"x-terraform-snapshot-interval", "99999"}}));
  transport_.On(current, Json(version, 200, {{"x-terraform-snapshot-interval", "x"}}));
  transport_.On("GET https://h/d", ScriptedTransport::Make(200, "bytes"));
  const std::chrono::seconds usual(20);
  EXPECT_EQ(*client.Get(), "bytes");
  EXPECT_EQ(client.write_interval(usual), std::chrono::seconds(100));
  EXPECT_EQ(client.write_interval(std::chrono::seconds(200)), std::chrono::seconds(200));
  EXPECT_TRUE(client.Get());
  EXPECT_EQ(client.write_interval(usual), std::chrono::seconds(3600));
  EXPECT_TRUE(client.Get());
  EXPECT_GT(client.write_interval(usual), std::chrono::hours(1000));
  EXPECT_EQ(Last("GET https://h/d").headers.Get("Authorization"), "Bearer t");
}

TEST_F(HostedTest, ConflictsHaveReasons) {
  const Organization organization(
      transport_, {.base = "https://h/api/", .name = "acme", .token = "t"}, nullptr);
  const auto conflict = [&](const std::string& action, const std::string& title) {
    transport_.On("POST https://h/api/" + action,
                  Json(R"({"errors":[{"title":")" + title + R"("}]})", 409));
    return organization.Ask("POST", action).error().message;
  };
  EXPECT_EQ(conflict("a/actions/lock", "x"), "workspace already locked");
  EXPECT_EQ(conflict("a/actions/unlock", "x"), "workspace already unlocked");
  EXPECT_EQ(conflict("b/actions/unlock", "is locked by Run 7"),
            "unable to unlock workspace locked by run");
  EXPECT_EQ(conflict("c/actions/unlock", "is locked by Team 7"),
            "unable to unlock workspace locked by team");
  EXPECT_EQ(conflict("d/actions/unlock", "is locked by User 7"),
            "unable to unlock workspace locked by user");
  EXPECT_TRUE(conflict("a/actions/safe-delete", "locked").contains("currently locked"));
  EXPECT_TRUE(conflict("b/actions/safe-delete", "being processed").contains("try again later"));
  EXPECT_TRUE(conflict("c/actions/safe-delete", "x").contains("still managing resources"));
  transport_.On("POST https://h/api/x",
                Json(R"({"errors":[{"title":"a","detail":"b"},{"title":"c"}]})", 422));
  EXPECT_EQ(organization.Ask("POST", "x").error().message, "a\n\nb\nc");
}

TEST(OutputsDocument, HasValuesAndTypes) {
  state::State state;
  state.outputs = {{.name = "a", .value = Value::String("x"), .sensitive = true},
                   {.name = "b", .value = Value::Tuple({Value::Int(1)}), .deprecated = "old"}};
  EXPECT_EQ(
      OutputsDocument(state),
      R"({"a":{"sensitive":true,"value":"x","type":"string"},)"
      R"("b":{"sensitive":false,"deprecated":"old","value":[1],"type":["tuple",["number"]]}})");
}

}  // namespace
}  // namespace kinu::backend
