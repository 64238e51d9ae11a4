// The backend "gcs": its requests, locks and settings.
#include "backend/gcs.h"

#include <gtest/gtest.h>

#include "backend/gcs_client.h"
#include "codec/base64.h"
#include "codec/hash.h"
#include "net/testing/scripted_transport.h"

namespace kinu::backend {
namespace {

using net::ScriptedTransport;

const std::string kJsonUrl = "https://storage.googleapis.com/storage/v1/b/b/o";
const std::string kUploadUrl =
    "POST https://storage.googleapis.com/upload/storage/v1/b/b/o?ifGenerationMatch=0"
    "&name=p%2Fk.tflock&uploadType=multipart";
const std::string kStateUrl = "https://storage.googleapis.com/b/p%2Fk.tfstate";
const std::string kLockUrl = "GET https://storage.googleapis.com/b/p%2Fk.tflock";

class GcsClientTest : public ::testing::Test {
 protected:
  void On(const std::string& request, int status, std::string body = "",
          std::vector<net::Header> headers = {}) {
    transport_.On(request, ScriptedTransport::Make(status, std::move(body), std::move(headers)));
  }
  GcsClient& Client() {
    bucket_.emplace(http_, identity_, options_);
    client_.emplace(*bucket_, "p/k");
    return *client_;
  }
  static state::LockInfo Info(const std::string& id) {
    state::LockInfo info = state::NewLockInfo("test");
    info.id = id;
    return info;
  }

  ScriptedTransport transport_;
  net::HttpClient http_{
      transport_,
      {.user_agent = "", .stop = nullptr, .wait = [](std::chrono::milliseconds) { return true; }}};
  cloud::GoogleIdentity identity_{http_, "scope", cloud::GoogleIdentityOptions{.token = "t"}};
  GcsOptions options_{.bucket = "b",
                      .endpoint = "https://storage.googleapis.com/storage/v1/",
                      .anonymous = false,
                      .encryption_key = {},
                      .kms_key = {}};
  std::optional<GcsBucket> bucket_;
  std::optional<GcsClient> client_;
};

TEST_F(GcsClientTest, Reads) {
  EXPECT_EQ(Client().Get().value(), std::nullopt);
  On("GET " + kStateUrl, 200, "state", {{"x-goog-generation", "1"}});
  EXPECT_EQ(Client().Get().value(), "state");
  EXPECT_EQ(transport_.requests().back().headers.Get("Authorization"), "Bearer t");
}

TEST_F(GcsClientTest, RefusesAWrongChecksum) {
  On("GET " + kStateUrl, 200, "state",
     {{"x-goog-generation", "1"},
      {"x-goog-hash", "md5=" + EncodeBase64(Digest(HashKind::kMd5, "other"))}});
  EXPECT_NE(Client().Get().error().message.find("checksum"), std::string::npos);
}

TEST_F(GcsClientTest, PutsWithKeys) {
  options_.kms_key = "k/m s";
  options_.encryption_key = "0123456789abcdef0123456789abcdef";
  const std::string url =
      "POST https://storage.googleapis.com/upload/storage/v1/b/b/o?kmsKeyName=k%2Fm+s"
      "&name=p%2Fk.tfstate&uploadType=multipart";
  On(url, 503);
  On(url, 200, R"({"generation":"7"})");
  ASSERT_TRUE(Client().Put("state"));
  const net::HttpRequest sent = transport_.requests().back();
  EXPECT_EQ(sent.headers.Get("X-Goog-Encryption-Algorithm"), "AES256");
  EXPECT_NE(sent.body.find("\r\n\r\nstate\r\n--"), std::string::npos);
}

TEST_F(GcsClientTest, ReportsFaults) {
  On("DELETE " + kJsonUrl + "/p%2Fk.tfstate", 404, R"({"error":{"message":"No such object"}})");
  EXPECT_EQ(Client().Delete().error().message,
            "Failed to delete state file gs://b/p/k.tfstate: 404 Not Found: No such object");
}

TEST_F(GcsClientTest, TheGenerationIsTheIdOfALock) {
  On(kUploadUrl, 200, R"({"generation":"42"})");
  EXPECT_EQ(Client().Lock(Info("x")).value(), "42");
  On("DELETE " + kJsonUrl + "/p%2Fk.tflock?ifGenerationMatch=42", 204);
  EXPECT_TRUE(Client().Unlock("42"));
  EXPECT_EQ(Client().Unlock("x").error().message, "Lock ID should be numerical value, got 'x'");
}

TEST_F(GcsClientTest, AConflictNamesTheHolder) {
  On(kUploadUrl, 412, R"({"error":{"message":"Precondition failed"}})");
  On(kLockUrl, 200, Info("holder").ToJson(), {{"x-goog-generation", "41"}});
  const auto refused = Client().Lock(Info("own"));
  EXPECT_EQ(refused.error().code, ErrorCode::kExists);
  EXPECT_NE(refused.error().message.find("  ID:        41\n"), std::string::npos);
}

TEST_F(GcsClientTest, ALockThatIsReleasedMeanwhileIsTriedAgain) {
  On(kUploadUrl, 412);
  On(kUploadUrl, 200, R"({"generation":"43"})");
  EXPECT_EQ(Client().Lock(Info("x")).value(), "43");
}

std::vector<std::string> GcsSummaries(std::vector<std::pair<std::string, Value>> settings,
                                      net::Transport& transport) {
  provider::Problems problems;
  auto backend = MakeGcsBackend(transport);
  const Value all = SettingsObject(*FindBackend("gcs"), Value::Object(std::move(settings)));
  backend->Check(all, problems);
  if (problems.empty()) {
    backend->Seal(state::NoSealing());
    backend->Configure(all, problems);
  }
  std::vector<std::string> summaries;
  for (const provider::Problem& problem : problems) {
    summaries.push_back(problem.summary);
  }
  return summaries;
}

TEST(GcsSettings, AreChecked) {
  using Summaries = std::vector<std::string>;
  ScriptedTransport transport;
  const auto text = [](std::string_view value) { return Value::String(value); };
  EXPECT_EQ(GcsSummaries({{"bucket", text("b")}, {"credentials", text("neither")}}, transport),
            Summaries{"the string provided in credentials is neither valid json nor a valid file "
                      "path"});
  EXPECT_EQ(
      GcsSummaries({{"encryption_key", text("a")}, {"kms_encryption_key", text("b")}}, transport),
      (Summaries{"\"encryption_key\": conflicts with kms_encryption_key",
                 "\"kms_encryption_key\": conflicts with encryption_key"}));
  EXPECT_EQ(GcsSummaries({{"encryption_key", text("?")}}, transport).size(), 1U);
}

TEST(GcsBackend, ListsWorkspacesInItsDirectory) {
  ScriptedTransport transport;
  transport.On("GET " + kJsonUrl + "?delimiter=%2F&prefix=p%2F",
               ScriptedTransport::Make(
                   200, R"({"items":[{"name":"p/w.tfstate"},{"name":"p/default.tfstate"}],)"
                        R"("nextPageToken":"n"})"));
  transport.On(
      "GET " + kJsonUrl + "?delimiter=%2F&pageToken=n&prefix=p%2F",
      ScriptedTransport::Make(200, R"({"items":[{"name":"p/a.tfstate"},{"name":"p/a.tflock"}]})"));
  auto backend = MakeGcsBackend(transport);
  provider::Problems problems;
  backend->Seal(state::NoSealing());
  backend->Configure(
      SettingsObject(*FindBackend("gcs"), Value::Object({{"bucket", Value::String("b")},
                                                         {"prefix", Value::String("/p")},
                                                         {"access_token", Value::String("t")}})),
      problems);
  ASSERT_TRUE(problems.empty());
  EXPECT_EQ(backend->Workspaces().value(), (std::vector<std::string>{"default", "a", "w"}));
  EXPECT_FALSE(backend->DeleteWorkspace("default"));
}

}  // namespace
}  // namespace kinu::backend
