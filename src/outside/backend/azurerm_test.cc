// The backend "azurerm": its requests, locks and settings.
#include "backend/azurerm.h"

#include <gtest/gtest.h>

#include "backend/azure_client.h"
#include "codec/base64.h"
#include "net/testing/scripted_transport.h"

namespace kinu::backend {
namespace {

using net::ScriptedTransport;

const std::string kBlob = "https://acc.blob.core.windows.net/cont/k";

class AzureClientTest : public ::testing::Test {
 protected:
  void On(const std::string& request, int status, std::string body = "",
          std::vector<net::Header> headers = {}) {
    transport_.On(request, ScriptedTransport::Make(status, std::move(body), std::move(headers)));
  }
  AzureClient& Client() {
    container_.emplace(http_, nullptr, options_);
    client_.emplace(*container_, "k");
    return *client_;
  }
  static state::LockInfo Info(const std::string& id) {
    state::LockInfo info = state::NewLockInfo("test");
    info.id = id;
    return info;
  }
  net::HttpRequest Sent(size_t index) const { return transport_.requests().at(index); }

  ScriptedTransport transport_;
  net::HttpClient http_{
      transport_,
      {.user_agent = "", .stop = nullptr, .wait = [](std::chrono::milliseconds) { return true; }}};
  AzureOptions options_{.account = "acc",
                        .container_url = "https://acc.blob.core.windows.net/cont",
                        .access_key = "key",
                        .sas_token = {},
                        .customer_key = {},
                        .encryption_scope = {}};
  std::optional<AzureContainer> container_;
  std::optional<AzureClient> client_;
};

TEST_F(AzureClientTest, SignsByTheSharedKeyScheme) {
  net::HttpRequest request;
  request.method = "GET";
  request.url = "https://acc.blob.core.windows.net/cont?restype=container&comp=list";
  request.headers.Set("x-ms-date", "Fri, 26 Jun 2015 23:39:12 GMT");
  request.headers.Set("x-ms-version", "2015-02-21");
  ASSERT_TRUE(SignAzure(request, "acc", "key"));
  EXPECT_TRUE(request.headers.Get("Authorization").starts_with("SharedKey acc:"));
  const std::string first(request.headers.Get("Authorization"));
  request.url = "https://acc.blob.core.windows.net/cont?comp=list&restype=container";
  ASSERT_TRUE(SignAzure(request, "acc", "key"));
  EXPECT_EQ(request.headers.Get("Authorization"), first) << "arguments are sorted";
}

TEST_F(AzureClientTest, NamesBlobsAsOpenTofu) {
  Client();
  EXPECT_EQ(container_->UrlOf("some/where.tfstateenv:w"),
            "https://acc.blob.core.windows.net/cont/some%2Fwhere.tfstateenv:w");
}

TEST_F(AzureClientTest, Reads) {
  EXPECT_EQ(Client().Get().value(), std::nullopt);
  On("GET " + kBlob, 200, "");
  EXPECT_EQ(Client().Get().value(), std::nullopt) << "an empty blob is no state";
  options_.access_key.clear();
  options_.sas_token = "sv=1&sig=x";
  On("GET " + kBlob + "?sv=1&sig=x", 200, "state");
  EXPECT_EQ(Client().Get().value(), "state");
}

TEST_F(AzureClientTest, PutKeepsTheMetadata) {
  options_.customer_key = "0123456789abcdef0123456789abcdef";
  options_.snapshot = true;
  On("PUT " + kBlob + "?comp=snapshot", 201);
  On("HEAD " + kBlob, 200, "", {{"X-Ms-Meta-Own", "1"}});
  On("PUT " + kBlob, 201);
  ASSERT_TRUE(Client().Put("x"));
  const net::HttpRequest sent = Sent(2);
  EXPECT_EQ(sent.headers.Get("x-ms-meta-own"), "1");
  EXPECT_EQ(sent.headers.Get("x-ms-blob-type"), "BlockBlob");
  EXPECT_EQ(sent.headers.Get("x-ms-encryption-algorithm"), "AES256");
  EXPECT_EQ(sent.headers.Get("x-ms-lease-id"), "");
}

TEST_F(AzureClientTest, LocksByALeaseOfANewBlob) {
  On("HEAD " + kBlob, 404);
  On("HEAD " + kBlob, 200);
  On("PUT " + kBlob, 201);
  On("PUT " + kBlob + "?comp=lease", 201);
  On("PUT " + kBlob + "?comp=metadata", 200);
  EXPECT_EQ(Client().Lock(Info("own")).value(), "own");
  EXPECT_EQ(transport_.Lines(), (std::vector<std::string>{
                                    "HEAD " + kBlob, "PUT " + kBlob, "PUT " + kBlob + "?comp=lease",
                                    "HEAD " + kBlob, "PUT " + kBlob + "?comp=metadata"}));
  EXPECT_EQ(Sent(2).headers.Get("x-ms-proposed-lease-id"), "own");
  EXPECT_EQ(Sent(4).headers.Get("x-ms-lease-id"), "own");
  const auto info =
      state::LockInfo::FromJson(*DecodeBase64(Sent(4).headers.Get("x-ms-meta-terraformlockid")));
  EXPECT_EQ(info->path, kBlob);
}

TEST_F(AzureClientTest, AConflictNamesTheHolder) {
  On("HEAD " + kBlob, 200, "",
     {{"x-ms-lease-status", "locked"},
      {"x-ms-meta-Terraformlockid", EncodeBase64(Info("holder").ToJson())}});
  const auto refused = Client().Lock(Info("own"));
  EXPECT_EQ(refused.error().code, ErrorCode::kExists);
  EXPECT_TRUE(refused.error().message.starts_with("state blob is already locked\nLock Info:"));
  EXPECT_FALSE(Client().Unlock("own"));
  On("PUT " + kBlob + "?comp=metadata", 200);
  On("PUT " + kBlob + "?comp=lease", 200);
  EXPECT_TRUE(Client().Unlock("holder"));
  EXPECT_EQ(transport_.requests().back().headers.Get("x-ms-lease-action"), "release");
}

TEST_F(AzureClientTest, NobodyIsKnownToHoldALeaseWithoutInfo) {
  On("HEAD " + kBlob, 200, "", {{"x-ms-lease-status", "locked"}});
  const auto held = Client().Lock(Info("own"));
  EXPECT_EQ(held.error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(held.error().message.contains("az storage blob lease break --blob-name"));
}

TEST_F(AzureClientTest, NobodyIsKnownToHaveTakenTheLeaseFirst) {
  On("HEAD " + kBlob, 200, "", {{"x-ms-lease-status", "unlocked"}});
  On("PUT " + kBlob + "?comp=lease", 409, "", {{"x-ms-error-code", "LeaseAlreadyPresent"}});
  EXPECT_EQ(Client().Lock(Info("own")).error().code, ErrorCode::kNotFound);
}

TEST_F(AzureClientTest, GivesTheLeaseBackIfItsInfoIsRefused) {
  On("HEAD " + kBlob, 200);
  On("PUT " + kBlob + "?comp=lease", 201);
  On("PUT " + kBlob + "?comp=metadata", 403, "<Error><Message>no\nmore</Message></Error>",
     {{"x-ms-error-code", "AuthorizationFailure"}});
  EXPECT_EQ(Client().Lock(Info("own")).error().message, "403 Forbidden: AuthorizationFailure: no");
  EXPECT_EQ(transport_.requests().back().headers.Get("x-ms-lease-action"), "release");
}

Value AzureSettings(std::vector<std::pair<std::string, Value>> more = {}) {
  std::vector<std::pair<std::string, Value>> all = {{"storage_account_name", Value::String("acc")},
                                                    {"container_name", Value::String("cont")},
                                                    {"key", Value::String("k")},
                                                    {"use_cli", Value::Bool(false)}};
  for (auto& [name, value] : more) {
    std::erase_if(all, [&](const auto& each) { return each.first == name; });
    all.emplace_back(name, std::move(value));
  }
  return SettingsObject(*FindBackend("azurerm"), Value::Object(std::move(all)));
}

std::vector<std::string> AzureSummaries(const Value& settings, net::Transport& transport) {
  provider::Problems problems;
  auto backend = MakeAzureBackend(transport);
  backend->Check(settings, problems);
  if (problems.empty()) {
    backend->Seal(state::NoSealing());
    backend->Configure(settings, problems);
  }
  std::vector<std::string> summaries;
  for (const provider::Problem& problem : problems) {
    summaries.push_back(problem.summary);
  }
  return summaries;
}

TEST(AzureSettings, AreChecked) {
  using Summaries = std::vector<std::string>;
  ScriptedTransport transport;
  const auto text = [](std::string_view value) { return Value::String(value); };
  const Value key = text("a2V5");
  EXPECT_EQ(AzureSummaries(AzureSettings({{"access_key", key}}), transport), Summaries{});
  EXPECT_EQ(AzureSummaries(AzureSettings({{"access_key", key}, {"environment", text("mars")}}),
                           transport),
            Summaries{"unknown environment identifier: mars"});
  EXPECT_EQ(AzureSummaries(AzureSettings({{"access_key", key}, {"container_name", text("a--b")}}),
                           transport),
            Summaries{"invalid storage container name: hyphens must be nonconsecutive"});
  EXPECT_EQ(
      AzureSummaries(AzureSettings({{"environment", text("china")}, {"metadata_host", text("h")}}),
                     transport)
          .size(),
      2U);
  EXPECT_EQ(AzureSummaries(AzureSettings({{"customer_provided_key", text("x")}}), transport).size(),
            1U);
}

TEST(AzureSettings, WithoutAWayToLogInAllAreNamed) {
  ScriptedTransport transport;
  const std::vector<std::string> summaries = AzureSummaries(AzureSettings(), transport);
  ASSERT_FALSE(summaries.empty());
  EXPECT_EQ(summaries.front(), "Invalid Azure Client Certificate Auth");
  EXPECT_EQ(summaries.back(), "No valid azure auth methods found");
}

TEST(AzureSettings, AskForTheKeyByAClientsSecret) {
  ScriptedTransport transport;
  const auto text = [](std::string_view value) { return Value::String(value); };
  const std::vector<std::pair<std::string, Value>> login = {
      {"tenant_id", text("t")}, {"client_id", text("c")}, {"client_secret", text("s")}};
  EXPECT_EQ(AzureSummaries(AzureSettings(login), transport),
            (std::vector<std::string>{"Resource Group is empty", "Subscription ID is empty"}));
  transport.On("POST https://login.microsoftonline.com/t/oauth2/v2.0/token",
               ScriptedTransport::Make(200, R"({"access_token":"T","expires_in":3600})"));
  transport.On(
      "POST https://management.azure.com/subscriptions/S/resourceGroups/g/providers/"
      "Microsoft.Storage/storageAccounts/acc/listKeys?api-version=2024-01-01",
      ScriptedTransport::Make(200, R"({"keys":[{"value":"a2V5"}]})"));
  auto complete = login;
  complete.emplace_back("resource_group_name", text("g"));
  complete.emplace_back("subscription_id", text("S"));
  EXPECT_EQ(AzureSummaries(AzureSettings(complete), transport), std::vector<std::string>{});
  EXPECT_EQ(transport.requests().back().headers.Get("Authorization"), "Bearer T");
}

TEST(AzureBackend, ListsWorkspacesByTheirSuffix) {
  ScriptedTransport transport;
  transport.On(
      "GET https://acc.blob.core.windows.net/cont?comp=list&prefix=kenv%3A&restype=container",
      ScriptedTransport::Make(
          200,
          "<R><Blobs><Blob><Name>kenv:w</Name></Blob><Blob><Name>kenv:a/b</Name>"
          "</Blob></Blobs><NextMarker/></R>"));
  auto backend = MakeAzureBackend(transport);
  provider::Problems problems;
  backend->Seal(state::NoSealing());
  backend->Configure(AzureSettings({{"access_key", Value::String("a2V5")}}), problems);
  ASSERT_TRUE(problems.empty());
  EXPECT_EQ(backend->Workspaces().value(), (std::vector<std::string>{"default", "w"}));
}

}  // namespace
}  // namespace kinu::backend
